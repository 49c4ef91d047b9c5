"""A server that writes much keeps its disk space bounded, and is not disturbed."""

from __future__ import annotations

import os
import urllib.request
from pathlib import Path
from time import monotonic, sleep

import pytest
from httpdyno.servers import RunningServer, install, log_limit, start
from httpdyno.servers.log_limit import KEPT_BYTES, MOST_BYTES, NOTE, shorten
from httpdyno.servers.process import limits

from .conftest import APP, MakeServer

MIB = 1024**2
CHATTY = APP.replace("import sys", "import sys\n\nprint('the first line', flush=True)").replace(
    "        self.send_response",
    "        for number in range(64 * 1024):\n"
    "            sys.stdout.write(f'{self.path} {number:>10} {\"x\" * 100}\\n')\n"
    "        sys.stdout.flush()\n"
    "        self.send_response",
)


def write_much(running: RunningServer) -> None:
    """Let the server write 30 MB; it answers meanwhile."""
    for number in range(4):
        url = f"http://{running.address}/{number}"
        assert urllib.request.urlopen(url, timeout=60).read() == b"PONG"


def test_the_log_of_a_running_server_is_shortened_and_the_server_goes_on(
    make_server: MakeServer, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with start(install(make_server(app=CHATTY)), "plain", cpus=None, log=log) as running:
        write_much(running)
        deadline = monotonic() + 60
        while (at := log.read_bytes().find(NOTE)) < 0 and monotonic() < deadline:
            sleep(0.05)
        assert at >= KEPT_BYTES
        assert running.exit_code is None
        write_much(running)


def test_the_log_of_a_stopped_server_has_its_beginning_its_end_and_its_length(
    make_server: MakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "CHECK_EVERY_S", 3600)
    log = tmp_path / "log"
    with start(install(make_server(app=CHATTY)), "plain", cpus=None, log=log) as running:
        write_much(running)
        assert log.stat().st_size > 3 * MOST_BYTES
    text = log.read_bytes()
    assert len(text) <= MOST_BYTES
    assert text.startswith(b"the first line\n")
    assert NOTE in text
    assert b"/3      65535 " in text[-KEPT_BYTES:]


def test_a_shortened_log_keeps_its_beginning_and_its_end_and_is_appended_to(
    tmp_path: Path,
) -> None:
    log = tmp_path / "log"
    with log.open("ab", buffering=0) as server:
        for round_ in range(3):
            server.write(b"".join(b"%d %09d\n" % (round_, n) for n in range(MIB)))
            shorten(log)
            server.write(b"and on\n")
    text = log.read_bytes()
    assert text.startswith(b"0 000000000\n0 000000001\n")
    assert text.endswith(b"2 001048574\n2 001048575\nand on\n")
    assert text.count(NOTE) == 1
    assert len(text) <= 2 * KEPT_BYTES + len(NOTE) + 100
    assert all(len(line) in (6, 11) for line in text.partition(NOTE)[2].splitlines())


def test_a_log_that_is_short_enough_or_no_file_is_left_alone(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"x" * (MOST_BYTES - MIB))
    before = log.stat()
    shorten(log)
    assert log.stat() == before
    shorten(tmp_path / "none")
    os.mkfifo(tmp_path / "fifo")
    shorten(tmp_path / "fifo")
    shorten(Path(os.devnull))


def test_the_log_of_a_server_that_does_not_append_stays_bounded_on_the_disk(
    tmp_path: Path,
) -> None:
    log = tmp_path / "log"
    with log.open("wb", buffering=0) as server:
        for _ in range(6):
            server.write(b"line\n" * (MIB // 2))
            shorten(log)
            assert log.stat().st_blocks * 512 <= log_limit.MOST_BYTES + 3 * MIB
    assert log.stat().st_size > log_limit.MOST_BYTES
