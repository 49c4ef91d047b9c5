"""Services from a server that describes them itself (gRPC Server Reflection).

Source: https://github.com/grpc/grpc/blob/master/doc/server-reflection.md
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import Any

from httpdyno.errors import TargetError
from httpdyno.grpc.packages import package
from httpdyno.grpc.relay import relay
from httpdyno.grpc.services import Services, one_of, slash_hint

__all__ = ["HINT", "UNKNOWN", "services_of_server"]

UNKNOWN = "`{}` does not say which methods it has"

_PROTOCOLS = ("grpc.reflection.v1", "grpc.reflection.v1alpha")
"""Their messages are the same."""
_PATIENCE_S = 5.0
_MOST_FILES = 10_000
HINT = "name the file of the service with `--proto FILE`"


def services_of_server(
    server: socket.socket, authority: str, service: str, headers: Sequence[tuple[str, str]]
) -> Services:
    """The service of this name, as the server of a connection describes it. `authority`: its name
    in the calls, such as `localhost:50051`.

    Raises TargetError, ValueError if it has no such service, and OSError if it does not speak gRPC.
    """
    grpc = package("grpc")
    texts = [(name.lower(), value) for name, value in headers]
    metadata = [one for one in texts if not one[0].endswith("-bin")]
    options = [("grpc.default_authority", authority), ("grpc.enable_retries", 0)]
    with relay(server) as at, grpc.insecure_channel(at, options) as channel:
        for protocol in _PROTOCOLS:
            try:
                return Services(_Server(channel, protocol, metadata).files(service))
            except grpc.RpcError as failed:
                code, words = failed.code(), f"{failed.code().name}: {failed.details()}"
                if code is grpc.StatusCode.UNAVAILABLE:
                    raise ConnectionError(words) from None
                if code is not grpc.StatusCode.UNIMPLEMENTED:
                    raise TargetError(f"{UNKNOWN.format(authority)}: {words}", hint=HINT) from None
    raise TargetError(f"{UNKNOWN.format(authority)}: it has no reflection", hint=HINT)


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
            services = self._reply(list_services="").list_services_response.service
            known = [one.name for one in services]
            what = f"no service `{service}`" if service else "no method"
            raise ValueError(f"{what}: {slash_hint(service, known) or f'expected {one_of(known)}'}")
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
