"""Each machine sends its load from its own `address`."""

from __future__ import annotations

import socket
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from machines import Machines, record_of

pytestmark = pytest.mark.slow

EXACT = ["--requests", "40", "--connections", "4", "--quiet", "--json", "-"]


class Listener(ThreadingHTTPServer):
    """A server that knows who sent each request."""

    daemon_threads = True

    def __init__(self, host: str) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, 0), Reply)
        self.callers: Counter[str] = Counter()
        shown = f"[{host}]" if ":" in host else host
        self.url = f"http://{shown}:{self.server_port}/"


class Reply(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65536
    server: Listener

    def do_GET(self) -> None:
        self.server.callers[self.client_address[0]] += 1
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@pytest.fixture
def listener() -> Iterator[Listener]:
    with Listener("127.0.0.1") as server:
        yield from served(server)


def served(server: Listener) -> Iterator[Listener]:
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    thread.join()


def hosts_with(machines: Machines, address_a: str) -> str:
    """A hosts.toml in which `a` has this address for load, and `b` 127.0.0.8."""
    text = machines.hosts_text(control='"127.0.0.1"')
    for address in (address_a, "127.0.0.8"):
        text = text.replace('\naddress = "127.0.0.1"', f'\naddress = "{address}"', 1)
    file = machines.folder / "addresses.toml"
    file.write_text(text)
    return str(file)


def test_load_comes_from_the_address_of_each_machine(
    machines: Machines, listener: Listener
) -> None:
    ran = machines.run("load", listener.url, "--on", hosts_with(machines, "127.0.0.7"), *EXACT)

    assert ran.returncode == 0, ran.stderr
    callers = dict(listener.callers)
    assert set(callers) == {"127.0.0.7", "127.0.0.8"}
    assert all(abs(count - 20) <= 1 for count in callers.values())  # a first connection calls too
    nodes = record_of(ran.stdout)["measurement"]["nodes"]
    assert [node["part"]["source"] for node in nodes] == ["127.0.0.7", "127.0.0.8"]


def test_an_address_that_the_machine_does_not_have_sends_nothing(
    machines: Machines, listener: Listener
) -> None:
    ran = machines.run("load", listener.url, "--on", hosts_with(machines, "192.0.2.7"), *EXACT)

    assert ran.returncode == 4, ran.stdout + ran.stderr
    assert "on `a`: `127.0.0.1:" in ran.stderr
    assert "cannot be reached from the load address `192.0.2.7`" in ran.stderr
    assert "`address` in hosts.toml" in ran.stderr
    assert not listener.callers


def test_an_address_of_the_other_ip_version_is_told_from_a_server_that_is_down(
    machines: Machines,
) -> None:
    try:
        server = Listener("::1")
    except OSError:
        pytest.skip("this machine has no IPv6")
    with server:
        for listener in served(server):
            ran = machines.run("load", listener.url, "--on", hosts_with(machines, "::1"), *EXACT)
            assert ran.returncode == 4, ran.stdout + ran.stderr
            assert "on `b`: `::1:" in ran.stderr
            assert "cannot be reached from the load address `127.0.0.8`" in ran.stderr
            assert not listener.callers


def test_without_an_address_the_kernel_chooses(machines: Machines, listener: Listener) -> None:
    coordinator = str(machines.certificates / "coordinator")
    on = ["--on", machines.address, "--certificates", coordinator]
    ran = machines.run("load", listener.url, *on, *EXACT)

    assert ran.returncode == 0, ran.stderr
    assert set(listener.callers) == {"127.0.0.1"}
    nodes = record_of(ran.stdout)["measurement"]["nodes"]
    assert [node["part"]["source"] for node in nodes] == [None, None]
