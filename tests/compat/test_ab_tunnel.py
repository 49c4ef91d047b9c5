"""`httpdyno ab -X` with an `https` URL: a tunnel through the proxy."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from .compare import numbers
from .recorder import HOST, Recorder
from .tools import certificate, ours, run

pytestmark = pytest.mark.slow


@contextmanager
def proxy(heads: list[str], status: str = "200 OK") -> Iterator[int]:
    """The port of a proxy that records what it is asked, and connects."""
    loop, ready, ports = asyncio.new_event_loop(), threading.Event(), list[int]()
    writers = list[asyncio.StreamWriter]()

    async def pipe(source: asyncio.StreamReader, drain: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await source.read(65536):
                drain.write(data)
                await drain.drain()
        drain.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        heads.append(head)
        writer.write(f"HTTP/1.1 {status}\r\n\r\n".encode())
        if not status.startswith("200"):
            writer.close()
            return
        port = int(head.split(" ")[1].rpartition(":")[2])
        back, forth = await asyncio.open_connection(HOST, port)
        writers.append(forth)
        await asyncio.gather(pipe(reader, forth), pipe(back, writer))

    async def listen() -> None:
        server = await asyncio.start_server(serve, HOST, 0)
        ports.append(server.sockets[0].getsockname()[1])
        ready.set()
        async with server:
            await stop.wait()
        for one in writers:
            one.close()
            with suppress(OSError):
                await one.wait_closed()

    stop = asyncio.Event()
    thread = threading.Thread(target=lambda: loop.run_until_complete(listen()))
    thread.start()
    ready.wait(60)
    try:
        yield ports[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


def test_each_connection_asks_the_proxy_for_a_tunnel(tmp_path: Path) -> None:
    heads: list[str] = []
    with Recorder(tls=certificate(tmp_path)) as server, proxy(heads) as port:
        words = ["-X", f"{HOST}:{port}", "-P", "user:word", "-n", "3", "https://localhost:{port}/"]
        ran = run(ours("ab"), words, server.host, server.port, tmp_path)
    assert (ran.code, numbers(ran.out, "Complete requests:")) == (0, [3])
    assert numbers(ran.out, "Failed requests:") == [0]
    assert [head.split("\r\n")[0] for head in heads] == [
        f"CONNECT localhost:{server.port} HTTP/1.1"
    ] * 3
    assert all("Proxy-Authorization: Basic dXNlcjp3b3Jk\r\n" in head for head in heads)
    assert [request.header("Proxy-Authorization") for request in server.requests] == [None] * 3


def test_a_proxy_that_refuses_the_tunnel_ends_the_test(tmp_path: Path) -> None:
    with Recorder(tls=certificate(tmp_path)) as server, proxy([], "403 Forbidden") as port:
        words = ["-X", f"{HOST}:{port}", "-n", "3", "https://localhost:{port}/"]
        ran = run(ours("ab"), words, server.host, server.port, tmp_path)
    assert ran.code != 0
    assert "Connection refused" in ran.err
