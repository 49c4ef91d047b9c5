"""The sum of two numbers by gRPC's own library, on the port of the command line."""

from __future__ import annotations

import importlib
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
grpc: Any = importlib.import_module("grpc")
messages, services = grpc.protos_and_services("sum.proto")


class Servicer(services.ReferenceServicer):  # type: ignore[misc,name-defined]  # made at run time
    def GetSum(self, request: Any, _: Any) -> Any:  # noqa: N802 - a method of the file
        return messages.Sum(sum=request.a + request.b)


if __name__ == "__main__":
    server = grpc.server(ThreadPoolExecutor(max_workers=2))
    services.add_ReferenceServicer_to_server(Servicer(), server)
    server.add_insecure_port(f"127.0.0.1:{sys.argv[1]}")
    server.start()
    server.wait_for_termination()
