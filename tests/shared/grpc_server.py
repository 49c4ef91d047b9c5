"""A server of gRPC's own library, which counts the statuses that it sends."""

from __future__ import annotations

import importlib
import subprocess
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
    secure_port: int = 0
    """With TLS."""
    authority: Path = Path()
    """The file of the certificate to trust."""
    statuses: Counter[str] = field(default_factory=Counter)
    metadata: set[tuple[str, str]] = field(default_factory=set)
    """That of all calls."""


@contextmanager
def serving(folder: Path) -> Iterator[GrpcServer]:
    """A server on two free ports, which describes its methods; its certificates are in `folder`."""
    grpc: Any = importlib.import_module("grpc")
    messages, services = grpc.protos_and_services(PROTO.name)
    certificate(folder, "authority")
    certificate(folder, "server", "authority")
    served = GrpcServer(authority=folder / "authority.pem")

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
    described = importlib.import_module("grpc_reflection.v1alpha.reflection")
    described.enable_server_reflection([SERVICE, described.SERVICE_NAME], server)
    served.port = server.add_insecure_port("127.0.0.1:0")
    pair = ((folder / "server-key.pem").read_bytes(), (folder / "server.pem").read_bytes())
    secure = grpc.ssl_server_credentials([pair])
    served.secure_port = server.add_secure_port("127.0.0.1:0", secure)
    server.start()
    try:
        yield served
    finally:
        server.stop(0).wait()


def certificate(folder: Path, name: str, authority: str | None = None) -> None:
    """A certificate for localhost and its key, signed by an authority or by itself."""
    words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    words += [
        "-days",
        "2",
        "-subj",
        f"/CN={name}",
        "-addext",
        "subjectAltName=DNS:localhost,IP:127.0.0.1",
    ]
    words += ["-keyout", f"{folder / name}-key.pem", "-out", f"{folder / name}.pem"]
    if authority is not None:
        words += ["-CA", f"{folder / authority}.pem", "-CAkey", f"{folder / authority}-key.pem"]
        words += ["-addext", "basicConstraints=critical,CA:FALSE"]
    subprocess.run(["openssl", *words], check=True, capture_output=True)
