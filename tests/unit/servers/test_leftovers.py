"""A killed runner leaves nothing behind once the next one has looked, and nobody else is harmed."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from httpdyno.servers import reap_leftovers
from httpdyno.servers.folders import ledger_folder
from httpdyno.servers.process import leftovers
from httpdyno.servers.process.processes import TOKEN_VARIABLE, process

from .conftest import MakeServer

STARTER = """\
import sys, time
from pathlib import Path
from httpdyno.servers import load_server
from httpdyno.servers import install
from httpdyno.servers import start

running = start(install(load_server(Path(sys.argv[1]))), "plain", cpus=None, log=Path(sys.argv[2]))
print(running.pid, flush=True)
time.sleep(600)
"""


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process that is not ours to end."""
    child = subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True
    )
    yield child
    child.kill()
    child.communicate()


def dead_runner(entry: leftovers.Entry) -> leftovers.Entry:
    """The entry as a runner that is gone would have left it: its pid is now another's."""
    return dataclasses.replace(entry, runner_started=entry.runner_started - 1)


def alive(pid: int) -> bool:
    found = process(pid)
    return found is not None and not found.zombie


def test_the_server_of_a_killed_runner_is_ended(make_server: MakeServer, tmp_path: Path) -> None:
    folder = make_server().folder
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER, folder / "server.toml", tmp_path / "log"],
        stdout=subprocess.PIPE,
    )
    assert starter.stdout is not None
    server_pid = int(starter.stdout.readline())
    assert reap_leftovers() == [], "a runner that lives keeps its server"
    assert alive(server_pid)
    starter.send_signal(signal.SIGKILL)
    starter.communicate()
    assert alive(server_pid)
    (entry_file,) = ledger_folder().iterdir()
    run_folder = Path(json.loads(entry_file.read_text(encoding="utf-8"))["run_folder"])
    assert run_folder.is_dir()
    (told,) = reap_leftovers()
    assert f"(pid {server_pid}), left by a killed run" in told
    assert not alive(server_pid)
    assert not run_folder.exists()
    assert not list(ledger_folder().iterdir())
    assert reap_leftovers() == []


def test_a_runner_killed_before_it_knew_the_pid_is_cleaned_up_by_the_token(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", "input()"],
        stdin=subprocess.PIPE,
        env={**os.environ, TOKEN_VARIABLE: "a-token"},
    )
    leftovers.write(dead_runner(leftovers.new_entry("a-token", ["serve"], tmp_path / "run")))
    (told,) = reap_leftovers()
    assert told == f"ended `serve` (pid {child.pid}), left by a killed run"
    child.communicate()
    assert child.returncode == -signal.SIGKILL


def test_a_pid_that_now_belongs_to_someone_else_is_left_alone(
    bystander: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    entry = dead_runner(leftovers.new_entry("old", ["serve"], tmp_path / "run"))
    found = process(bystander.pid)
    assert found is not None
    leftovers.write(dataclasses.replace(entry, pid=bystander.pid, started=found.started - 1))
    assert reap_leftovers() == []
    assert alive(bystander.pid)
    assert not list(ledger_folder().iterdir())


def test_an_entry_from_before_the_last_boot_ends_nobody(
    bystander: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    entry = leftovers.new_entry("old", ["serve"], tmp_path / "run")
    found = process(bystander.pid)
    assert found is not None
    leftovers.write(
        dataclasses.replace(entry, boot="another", pid=bystander.pid, started=found.started)
    )
    assert reap_leftovers() == []
    assert alive(bystander.pid)


def test_only_scratch_folders_of_ours_are_removed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    leftovers.write(dead_runner(leftovers.new_entry("odd", ["serve"], precious)))
    reap_leftovers()
    assert precious.is_dir()


def test_an_entry_that_cannot_be_read_is_passed_over() -> None:
    ledger_folder().mkdir(parents=True)
    (ledger_folder() / "broken.json").write_text("{", encoding="utf-8")
    (ledger_folder() / "newer.json").write_text('{"version": 99}', encoding="utf-8")
    assert reap_leftovers() == []
    assert len(list(ledger_folder().iterdir())) == 2
