"""The sum of two numbers on grpc.aio: `app.py HOST:PORT PROCESSES`."""

import asyncio
import multiprocessing
import signal
import sys

import grpc
import sum_pb2
import sum_pb2_grpc

_GRACE_S = 2.0


class Reference(sum_pb2_grpc.ReferenceServicer):
    """The service."""

    async def GetSum(self, request, context):  # noqa: N802 - a name of the service
        """Adds two numbers, as 32 bits hold them."""
        total = request.a + request.b
        return sum_pb2.Sum(sum=(total + 2**31) % 2**32 - 2**31)


async def serve(address: str) -> None:
    """Serve until SIGTERM."""
    server = grpc.aio.server(options=[("grpc.so_reuseport", 1)])
    sum_pb2_grpc.add_ReferenceServicer_to_server(Reference(), server)
    server.add_insecure_port(address)
    await server.start()
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    await ended.wait()
    await server.stop(_GRACE_S)


def main(address: str, processes: int) -> None:
    """One process, or several that share the port."""
    context = multiprocessing.get_context("spawn")
    others = [context.Process(target=run, args=(address,)) for _ in range(processes - 1)]
    for other in others:
        other.start()
    run(address)
    for other in others:
        other.terminate()
        other.join()


def run(address: str) -> None:
    """One process."""
    asyncio.run(serve(address))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
