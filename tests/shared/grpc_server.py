"""A server of gRPC's own library, which counts the statuses that it sends."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROTO = Path(__file__).parent / "sum.proto"
SERVICE = "httpdyno.Reference"


@dataclass
class GrpcServer:
    """A server that is running: the sum of two numbers, or a status if one is negative."""

    port: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    metadata: set[tuple[str, str]] = field(default_factory=set)
    """That of all calls."""


@contextmanager
def serving(*, reflection: bool = True) -> Iterator[GrpcServer]:
    """A server on a free port; `reflection`: it describes its methods."""
    grpc: Any = importlib.import_module("grpc")
    messages, services = grpc.protos_and_services(PROTO.name)
    served = GrpcServer()

    class Servicer(services.ReferenceServicer):  # type: ignore[misc,name-defined]  # made at run time
        def GetSum(self, request: Any, context: Any) -> Any:  # noqa: N802 - a method of the file
            served.metadata.update(context.invocation_metadata())
            if request.a < 0:
                served.statuses["FAILED_PRECONDITION"] += 1
                context.abort(grpc.StatusCode.FAILED_PRECONDITION, "a is negative: ü\n")
            served.statuses["OK"] += 1
            return messages.Sum(sum=request.a + request.b)

    server = grpc.server(ThreadPoolExecutor(max_workers=4))
    services.add_ReferenceServicer_to_server(Servicer(), server)
    if reflection:
        described = importlib.import_module("grpc_reflection.v1alpha.reflection")
        described.enable_server_reflection([SERVICE, described.SERVICE_NAME], server)
    served.port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield served
    finally:
        server.stop(0).wait()
