"""Messages to the scheduler that are recorded and sent once more do nothing."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import pytest
from machines import Machines

if TYPE_CHECKING:
    from httpdyno import _engine

pytestmark = pytest.mark.slow

EXACT = ("--requests", "40", "--connections", "4", "--quiet")


class Recorder:
    """A relay on loopback that keeps what each client sends."""

    def __init__(self, host: str, port: int) -> None:
        self.sent: list[bytearray] = []
        self._to = (host, port)
        self._links: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        """Where it listens."""
        port: int = self._listener.getsockname()[1]
        return port

    def close(self) -> None:
        """End all connections, and take no more clients."""
        for one in [*self._links, self._listener]:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._to)
                self._links += [client, server]
                self.sent.append(bytearray())
                for ends in ((client, server, self.sent[-1]), (server, client, None)):
                    threading.Thread(target=_copy, args=ends, daemon=True).start()


def _copy(source: socket.socket, target: socket.socket, kept: bytearray | None) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            if kept is not None:
                kept += data
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@pytest.fixture
def recorder(machines: Machines) -> Iterator[Recorder]:
    host, _, port = machines.address.removeprefix("tls://").rpartition(":")
    with closing(Recorder(host, int(port))) as made:
        yield made


def test_recorded_messages_of_a_coordinator_are_refused_and_start_nothing(
    machines: Machines, server: _engine.Reference, recorder: Recorder
) -> None:
    url = f"http://{server.address}/hello"
    through = machines.folder / "through.toml"
    own = machines.hosts_text()
    through.write_text(own.replace(machines.address, f"tls://127.0.0.1:{recorder.port}"))
    ran = machines.run("load", url, "--on", str(through), *EXACT)
    assert ran.returncode == 0, ran.stderr
    assert max(map(len, recorder.sent)) > 3_000, "the load was not sent through the recorder"

    answered = server.requests
    for messages in recorder.sent:
        assert _is_hung_up_on(machines.address, bytes(messages))
    assert server.requests == answered

    again = machines.run("load", url, "--on", str(machines.hosts), *EXACT)
    assert again.returncode == 0, again.stderr


def _is_hung_up_on(address: str, messages: bytes) -> bool:
    """True if the scheduler ends the connection on which it gets these bytes."""
    host, _, port = address.removeprefix("tls://").rpartition(":")
    with socket.create_connection((host, int(port)), timeout=5) as link:
        try:
            link.sendall(messages)
            while link.recv(65_536):
                pass
        except TimeoutError:
            return False
        except OSError:
            return True
    return True
