"""Whose process is whose, by parents, sessions and start times."""

from __future__ import annotations

import subprocess
import sys

import pytest
from httpdyno.servers import UsageMeter
from httpdyno.servers.process.processes import Process, all_processes, family, process


def one(pid: int, parent: int, session: int, started: int = 100) -> Process:
    return Process(pid, parent, session, started, False, 0.0, 0.0, 1)


SCENES = {
    "a leader with children and theirs": (
        [one(10, 1, 10), one(11, 10, 10), one(12, 11, 10), one(99, 1, 99)],
        {10, 11, 12},
    ),
    "a child in a session of its own": ([one(10, 1, 10), one(11, 10, 11)], {10, 11}),
    "an orphan in the leader's session": ([one(10, 1, 10), one(11, 1, 10)], {10, 11}),
    "a child of an orphan, in a session of its own": (
        [one(10, 1, 10), one(11, 1, 10), one(12, 11, 12)],
        {10, 11, 12},
    ),
    "a session whose leader is gone": ([one(11, 1, 10), one(99, 1, 99)], {11}),
    "a namesake that started later": ([one(10, 1, 10, 200), one(11, 10, 10, 201)], set()),
    "nobody": ([one(99, 1, 99)], set()),
}


@pytest.mark.parametrize("scene", SCENES)
def test_a_family_is(scene: str) -> None:
    people, expected = SCENES[scene]
    assert family({person.pid: person for person in people}, 10, 100) == expected


def test_this_process_is_seen_as_the_system_sees_it() -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True
    )
    found = process(child.pid)
    assert found is not None
    assert (found.session, found.threads, found.zombie) == (child.pid, 1, False)
    assert all_processes()[child.pid].started == found.started
    child.communicate()
    assert process(child.pid) is None


def test_the_cpu_time_of_a_process_is_exact() -> None:
    said = "import time; print(time.process_time(), flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", said], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        its_own_s = float(child.stdout.readline())
        while (found := process(child.pid)) and found.cpu_s == its_own_s:
            pass
        assert found is not None
        assert its_own_s < found.cpu_s < its_own_s + 0.005
        child.communicate("\n")


def test_a_process_that_ended_and_was_not_waited_for_uses_nothing() -> None:
    with subprocess.Popen([sys.executable, "-c", "print()"], stdout=subprocess.PIPE) as child:
        meter = UsageMeter(child.pid)
        assert child.stdout is not None
        child.stdout.read()
        while not (found := process(child.pid)) or not found.zombie:
            pass
        assert meter.snapshot().processes == 0
