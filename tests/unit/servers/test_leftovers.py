"""A killed runner leaves nothing behind once the next one has looked, and nobody else is harmed."""

from __future__ import annotations

import dataclasses
import json
import os
import resource
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from httpdyno.errors import EnvironmentFault
from httpdyno.servers import reap_leftovers
from httpdyno.servers.folders import records_folder
from httpdyno.servers.process import leftovers
from httpdyno.servers.process.processes import TOKEN_VARIABLE, process
from httpdyno.servers.process.run_folders import new_run_folder, remove_run_folder

from .conftest import MakeServer
from .test_supervisor import lives, started_elsewhere


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process that is not ours to end."""
    child = subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True
    )
    yield child
    child.kill()
    child.communicate()


def dead_runner(entry: leftovers.Record) -> leftovers.Record:
    """The entry as a runner that is gone would have left it: its pid is now another's."""
    return dataclasses.replace(entry, runner_started=entry.runner_started - 1)


def test_a_server_whose_runner_and_supervisor_were_killed_is_ended_by_the_next_start(
    make_server: MakeServer, tmp_path: Path
) -> None:
    starter, server, supervisor = started_elsewhere(make_server().folder, tmp_path)
    assert reap_leftovers() == [], "a runner that lives keeps its server"
    assert lives(server)
    os.kill(supervisor, signal.SIGKILL)
    starter.kill()
    starter.communicate()
    assert lives(server)
    (file,) = records_folder().iterdir()
    run_folder = Path(json.loads(file.read_text(encoding="utf-8"))["run_folder"])
    assert run_folder.is_dir()
    (sentence,) = reap_leftovers()
    assert f"(pid {server}), left by a killed run" in sentence
    assert not lives(server)
    assert not run_folder.exists()
    assert not list(records_folder().iterdir())
    assert reap_leftovers() == []


def test_records_that_cannot_be_written_are_a_fault_of_the_machine() -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    records_folder().mkdir(parents=True)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        with pytest.raises(EnvironmentFault) as fault:
            reap_leftovers()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert str(fault.value) == (
        f"`{records_folder()}` cannot be written: File too large\n"
        "hint: set `HTTPDYNO_STATE` to another folder for the records of running servers"
    )
    assert not list(records_folder().iterdir())


def test_a_runner_killed_before_it_knew_the_pid_is_cleaned_up_by_the_token(tmp_path: Path) -> None:
    token = uuid.uuid4().hex  # no other copy of this test has it
    child = subprocess.Popen(
        [sys.executable, "-c", "input()"],
        stdin=subprocess.PIPE,
        env={**os.environ, TOKEN_VARIABLE: token},
    )
    leftovers.write(dead_runner(leftovers.new_record(token, ["serve"], tmp_path / "run")))
    (told,) = reap_leftovers()
    assert told == f"ended `serve` (pid {child.pid}), left by a killed run"
    child.communicate()
    assert child.returncode == -signal.SIGKILL


def test_a_pid_that_now_belongs_to_someone_else_is_left_alone(
    bystander: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    entry = dead_runner(leftovers.new_record("old", ["serve"], tmp_path / "run"))
    found = process(bystander.pid)
    assert found is not None
    leftovers.write(dataclasses.replace(entry, pid=bystander.pid, started=found.started - 1))
    assert reap_leftovers() == []
    assert lives(bystander.pid)
    assert not list(records_folder().iterdir())


def test_an_entry_from_before_the_last_boot_ends_nobody(
    bystander: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    entry = leftovers.new_record("old", ["serve"], tmp_path / "run")
    found = process(bystander.pid)
    assert found is not None
    leftovers.write(
        dataclasses.replace(entry, boot="another", pid=bystander.pid, started=found.started)
    )
    assert reap_leftovers() == []
    assert lives(bystander.pid)


def test_only_scratch_folders_of_ours_are_removed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    leftovers.write(dead_runner(leftovers.new_record("odd", ["serve"], precious)))
    reap_leftovers()
    assert precious.is_dir()


MAKES_A_FOLDER = """
import sys
from httpdyno.servers.process.run_folders import new_run_folder
print(new_run_folder(sys.argv[1]), flush=True)
input()
"""


def test_a_scratch_folder_is_removed_once_its_runner_and_its_server_are_gone() -> None:
    """Without a record: that of a killed test is in a folder that no other test knows."""
    token = uuid.uuid4().hex
    runner = subprocess.Popen(
        [sys.executable, "-c", MAKES_A_FOLDER, token],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    server = subprocess.Popen(
        [sys.executable, "-c", "input()"],
        stdin=subprocess.PIPE,
        env={**os.environ, TOKEN_VARIABLE: token},
    )
    assert runner.stdout is not None
    folder = Path(runner.stdout.readline().strip())
    (folder / "files").mkdir()
    reap_leftovers()
    assert folder.is_dir(), "its runner lives"
    runner.kill()
    runner.communicate()
    reap_leftovers()
    assert folder.is_dir(), "its server lives"
    server.kill()
    server.communicate()
    reap_leftovers()
    assert not folder.exists()


@pytest.mark.parametrize("told", ["", "[]", '{"pid": 1}', "another container"])
def test_a_scratch_folder_whose_runner_is_not_known_here_is_left_alone(told: str) -> None:
    folder = new_run_folder(uuid.uuid4().hex)
    file = folder / ".runner.json"
    gone = json.loads(file.read_text(encoding="utf-8")) | {"started": 1}
    try:
        elsewhere = json.dumps(gone | {"where": told})
        file.write_text(elsewhere if told == "another container" else told, encoding="utf-8")
        reap_leftovers()
        assert folder.is_dir()
        file.write_text(json.dumps(gone), encoding="utf-8")
        reap_leftovers()
        assert not folder.exists()
    finally:
        remove_run_folder(folder)


def test_an_entry_that_cannot_be_read_is_passed_over() -> None:
    records_folder().mkdir(parents=True)
    (records_folder() / "broken.json").write_text("{", encoding="utf-8")
    (records_folder() / "newer.json").write_text('{"version": 99}', encoding="utf-8")
    assert reap_leftovers() == []
    assert len(list(records_folder().iterdir())) == 2
