"""A server that takes more memory than it may is ended, and the reason is known."""

from __future__ import annotations

import re
from pathlib import Path
from time import monotonic, sleep

import pytest
from httpdyno.servers import RunningServer, ServerFailure, install, start
from httpdyno.servers.process import limits
from httpdyno.servers.process.memory_limit import held_mb
from httpdyno.servers.process.processes import Leader, living_members, process

from .conftest import APP, TOML, MakeServer

CAP = "\n[limits]\nmemory_mb = 160\n"
GREEDY_CHILD = (
    "import multiprocessing, time\n"
    "def eat():\n    kept = bytearray(b'x' * (300 * 1024**2))\n    time.sleep(60)\n"
    "multiprocessing.get_context('fork').Process(target=eat).start()\n"
)


@pytest.fixture(autouse=True)
def checks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CHECK_EVERY_S", 0.02)


def ended(running: RunningServer) -> bool:
    """True if the server ends by itself within a minute."""
    deadline = monotonic() + 60
    while running.exit_code is None and monotonic() < deadline:
        sleep(0.02)
    return running.exit_code is not None


def test_a_server_whose_child_takes_too_much_is_ended_whole(
    make_server: MakeServer, tmp_path: Path
) -> None:
    app = APP.replace("ThreadingHTTPServer((", GREEDY_CHILD + "ThreadingHTTPServer((")
    installation = install(make_server(app=app, toml=TOML + CAP))
    with start(installation, "plain", cpus=None, log=tmp_path / "log") as running:
        first = process(running.pid)
        assert first is not None
        assert ended(running)
        deadline = monotonic() + 60
        while living_members(Leader(running.pid, first.started, "none")):
            assert monotonic() < deadline
            sleep(0.02)
        assert running.killed_because is not None
        assert re.fullmatch(
            r"its processes held \d+ MiB of memory: "
            r"expected at most 160 \(`\[limits\] memory_mb`\)",
            running.killed_because,
        )


def test_a_server_that_takes_too_much_before_it_is_ready_fails_with_that_reason(
    make_server: MakeServer, tmp_path: Path
) -> None:
    app = "import time\nkept = bytearray(b'x' * (300 * 1024**2))\ntime.sleep(60)\n"
    installation = install(make_server(app=app, toml=TOML + CAP))
    with pytest.raises(ServerFailure, match=r"killed before it was ready: .* at most 160"):
        start(installation, "plain", cpus=None, log=tmp_path / "log")


def test_pages_that_processes_share_are_counted_once(
    make_server: MakeServer, tmp_path: Path
) -> None:
    shared = (
        "import multiprocessing, time\nkept = bytearray(b'x' * (90 * 1024**2))\n"
        "fork = multiprocessing.get_context('fork').Process\n"
        "[fork(target=time.sleep, args=(60,)).start() for _ in range(4)]\n"
    )
    app = APP.replace("ThreadingHTTPServer((", shared + "ThreadingHTTPServer((")
    installation = install(make_server(app=app, toml=TOML + CAP.replace("160", "300")))
    with start(installation, "plain", cpus=None, log=tmp_path / "log") as running:
        first = process(running.pid)
        assert first is not None
        members = living_members(Leader(running.pid, first.started, "none"))
        assert len(members) == 5
        assert running.usage_meter().snapshot().rss_bytes > 400 * 1024**2
        assert held_mb(members, 300) < 300
        assert running.killed_because is None
