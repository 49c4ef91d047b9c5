"""Services from a server that describes them itself (gRPC Server Reflection).

Source: https://github.com/grpc/grpc/blob/master/doc/server-reflection.md
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from httpdyno.errors import TargetError
from httpdyno.grpc.packages import package
from httpdyno.grpc.services import Services, one_of

__all__ = ["ServerTls", "services_of_server"]

_PROTOCOLS = ("grpc.reflection.v1", "grpc.reflection.v1alpha")
"""Their messages are the same."""
_PATIENCE_S = 5.0
_MOST_FILES = 10_000
_HINT = "name the file of the service with `--proto FILE`"


@dataclass(frozen=True)
class ServerTls:
    """The certificates of a connection, as PEM."""

    ca: bytes | None = None
    """None: those that gRPC's library trusts."""
    certificate: bytes | None = None
    key: bytes | None = None
    name: str | None = None
    """The name in the server's certificate; None: the host."""


def services_of_server(
    authority: str, service: str, headers: Sequence[tuple[str, str]], tls: ServerTls | None
) -> Services:
    """The service of this name, as a server (`localhost:50051`) describes it.

    Raises TargetError, and ValueError if it has no such service.
    """
    grpc = package("grpc")
    texts = [(name.lower(), value) for name, value in headers]
    metadata = [one for one in texts if not one[0].endswith("-bin")]
    with _channel(authority, tls) as channel:
        for protocol in _PROTOCOLS:
            try:
                return Services(_Server(channel, protocol, metadata).files(service))
            except grpc.RpcError as failed:
                if failed.code() is not grpc.StatusCode.UNIMPLEMENTED:
                    words = f"{failed.code().name}: {failed.details()}"
                    raise TargetError(
                        f"`{authority}` does not say which methods it has: {words}", hint=_HINT
                    ) from None
    raise TargetError(
        f"`{authority}` does not say which methods it has: it has no reflection", hint=_HINT
    )


@contextmanager
def _channel(authority: str, tls: ServerTls | None) -> Iterator[Any]:
    grpc = package("grpc")
    options: list[tuple[str, object]] = [("grpc.enable_http_proxy", 0)]
    if tls is None:
        channel = grpc.insecure_channel(authority, options)
    else:
        if tls.name is not None:
            options.append(("grpc.ssl_target_name_override", tls.name))
        credentials = grpc.ssl_channel_credentials(tls.ca, tls.key, tls.certificate)
        channel = grpc.secure_channel(authority, credentials, options)
    with channel:
        yield channel


class _Server:
    """A server that is asked in one of the protocols."""

    def __init__(self, channel: Any, protocol: str, metadata: list[tuple[str, str]]) -> None:
        self._messages = package("grpc_reflection.v1alpha.reflection_pb2")
        self._metadata = metadata
        self._call = channel.stream_stream(
            f"/{protocol}.ServerReflection/ServerReflectionInfo",
            request_serializer=self._messages.ServerReflectionRequest.SerializeToString,
            response_deserializer=self._messages.ServerReflectionResponse.FromString,
        )

    def files(self, service: str) -> dict[str, bytes]:
        """The descriptors of a service's file and of all files that it imports."""
        reply = self._reply(file_containing_symbol=service)
        if reply.HasField("error_response"):
            known = self._reply(list_services="").list_services_response.service
            what = f"no service `{service}`" if service else "no method"
            raise ValueError(f"{what}: expected {one_of(one.name for one in known)}")
        parse = package("google.protobuf.descriptor_pb2").FileDescriptorProto.FromString
        found: dict[str, bytes] = {}
        imported: set[str] = set()
        while True:
            for content in reply.file_descriptor_response.file_descriptor_proto:
                file = parse(content)
                found[file.name] = content
                imported.update(file.dependency)
            missing = min(imported - found.keys(), default=None)
            if missing is None:
                return found
            reply = self._reply(file_by_filename=missing)
            files = reply.file_descriptor_response.file_descriptor_proto
            if all(parse(one).name != missing for one in files) or len(found) > _MOST_FILES:
                raise ValueError(f"the server does not describe the file `{missing}`")

    def _reply(self, **request: str) -> Any:
        messages = iter([self._messages.ServerReflectionRequest(**request)])
        replies = self._call(messages, timeout=_PATIENCE_S, metadata=self._metadata)
        return next(iter(replies))
