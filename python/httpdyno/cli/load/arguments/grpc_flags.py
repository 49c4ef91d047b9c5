"""The flags of calls of gRPC: the same in every verb."""

from __future__ import annotations

from dataclasses import dataclass

from httpdyno.cli.flags import text, texts

__all__ = ["GRPC", "GrpcFlags"]

GRPC = "gRPC"


@dataclass(frozen=True)
class GrpcFlags:
    """The flags as they are typed."""

    proto: str | None = text(
        "--proto FILE",
        "The .proto file of the service, or a set of descriptors by `protoc -o` (default: ask the"
        " server, by reflection)",
        GRPC,
    )
    import_path: list[str] = texts(
        "--import-path DIR",
        "Folder in which --proto finds its imports, besides its own and the current one;"
        " repeatable",
        GRPC,
    )
    message: list[str] = texts(
        "--message JSON|@FILE",
        "Message to send (default {}): a list has several, which are sent in turn; repeatable",
        GRPC,
    )
    expect_message: list[str] = texts(
        "--expect-message JSON|@FILE",
        "Expected reply, byte for byte: one for all messages, or one for each; repeatable",
        GRPC,
    )
