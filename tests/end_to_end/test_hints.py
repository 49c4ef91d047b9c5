"""The commands that the program proposes, pasted: each is accepted where it was proposed."""

from __future__ import annotations

import re
import shlex
import socket
from collections.abc import Iterator

import pytest
from small_server import GOOD, WRONG
from study_place import Place

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

USAGE = 2
SHORT = {"run": ["--dry-run"], "load": ["-n", "1"]}
"""Arguments that keep a pasted command short, by verb."""

MISTAKES = [
    ["rnu", "demo"],
    ["http://127.0.0.1:CLOSED/"],
    ["run"],
    ["run", "dem0"],
    ["run", "mine"],
    ["run", "demo", "--resume"],
    ["run", "demo", "--quick", "--seed", "7", "--resume"],
    ["run", "./small.toml", "--resume"],
    ["run", "--blocks", "0"],
    ["run", "demo", "--results", "taken"],
    ["report", "demo"],
    ["report", "taken", "--out", "x"],
    ["init", "small.toml"],
    ["load"],
    ["load", "localhost:CLOSED/"],
    ["load", "http://127.0.0.1:CLOSED/"],
    ["load", "http://127.0.0.1:CLOSED/", "--rate", "many"],
    ["load", "http://no-such-host.invalid/"],
    ["reference", "--listen", "nowhere"],
    ["servers", "show", "ngin"],
    ["servers", "install"],
    ["servers", "start", "nginx", "--cpus", "999"],
    ["servers", "check", "no-such-server"],
]


def proposed(text: str) -> list[list[str]]:
    """Every command of ours in a text: in backticks, as a whole hint, or on a line of its own."""
    shown = re.findall(r"`(httpdyno [^`]+)`", text)
    shown += re.findall(r"^(?:hint: |  )(httpdyno .*)$", text, re.MULTILINE)
    return [shlex.split(one)[1:] for one in shown]


def paste(place: Place, command: list[str]) -> None:
    more = [] if "--help" in command else SHORT.get(command[0], [])
    run = place.spawn(place.program(*command, *more))
    if command[0] == "reference" and run.stdout is not None:
        run.stdout.readline()  # it serves until it is interrupted, or cannot begin
        run.terminate()
    _, stderr = run.communicate()
    assert run.returncode != USAGE, (command, stderr)


@pytest.fixture
def home(place: Place) -> Place:
    place.study(good=(GOOD, ""))
    text = (place.home / "small.toml").read_text()
    (place.home / "small.toml").write_text(text.replace('"good"', '"./good/server.toml"'))
    (place.home / "taken").write_text("")
    return place


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port that refuses connections: somebody has it, and nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


def test_each_hint_of_a_mistake_is_accepted_when_it_is_pasted(
    home: Place, closed_port: int
) -> None:
    found: list[list[str]] = []
    for mistake in MISTAKES:
        arguments = [word.replace("CLOSED", str(closed_port)) for word in mistake]
        said = home.call(*arguments)
        assert said.returncode != 0, said
        assert re.search("^hint: ", said.stderr, re.MULTILINE), said
        found += [one for one in proposed(said.stderr) if one not in found]
    assert len(found) > 8, found
    for command in found:
        paste(home, command)


def test_the_hints_of_a_study_are_accepted_when_they_are_pasted(place: Place) -> None:
    place.study(good=(GOOD, ""), wrong=(WRONG, ""))
    done = place.run()
    assert done.returncode == 0, done.stderr
    result = place.result()
    hints = [reason.hint for cell in result.cells for reason in cell.reasons]
    texts = [done.stdout, done.stderr, *hints, *(fact.doubt or "" for fact in result.machine)]
    found = proposed("\n".join(texts))
    resume = [*place.arguments(), "--resume"]
    assert resume in found, found
    for command in [list(one) for one in dict.fromkeys(map(tuple, found))]:
        paste(place, command)
