"""The tour: its commands work as printed, on the app that it shows, and its pictures are there."""

from __future__ import annotations

import copy
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from pictures.workshop import COPIES, Workshop, app_of_the_tour, workshop
from stored_runs import nights, store_in, study
from warm_program import run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]

ROOT = Path(__file__).parents[2]
TOUR = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
BRIEF: dict[str, Sequence[str]] = {
    "load": ("--duration", "0.3s"),
    "sweep": ("--rate", "100,200", "--duration", "0.3s", "--cool-down", "10ms"),
    "capacity": (
        *("--restarts", "1", "--confirm", "1", "--no-profile", "--rate-max", "300"),
        *("--step", "100ms", "--warm-up", "100ms"),
    ),
    "compare": ("--blocks", "1", "--duration", "300ms", "--warm-up", "100ms", "--rate", "500"),
    "run": ("--dry-run",),
    "httperf": ("--num-conns=3", "--num-calls=5"),
}
"""Flags that make a command of a verb take a second instead of minutes."""
OK = {"sweep": (0, 6), "capacity": (0, 6), "compare": (0, 6, 8, 9)}
"""Exit codes that are an answer: so short a run may have no valid result. Of others: 0."""
LASTING = ("reference", "serve")
"""Verbs that run until Ctrl-C."""


@dataclass(frozen=True)
class Typed:
    """A command of the tour."""

    words: tuple[str, ...]

    @property
    def verb(self) -> str:
        return self.words[0]

    def shorter(self, work: Workshop) -> list[str]:
        """The command with a short run, on the server and in the folder of the test."""
        mine = [one.replace("http://localhost:8080", work.server) for one in self.words]
        mine = [one.replace("http://127.0.0.1:8080", work.server) for one in mine]
        mine = [
            f"--port={work.server.rpartition(':')[2]}" if one == "--port=8080" else one
            for one in mine
        ]
        mine = [one.replace("--server=localhost", "--server=127.0.0.1") for one in mine]
        if (
            self.verb == "capacity"
        ):  # a limit that a busy machine holds, too; steps are 50 times as long
            mine = [one.replace("p99<20ms", "p50<50ms") for one in mine]
        if "--export" in mine:  # the same comparison once more
            mine.append("--dry-run")
        return [*mine, *BRIEF.get(self.verb, ())]


def typed() -> Iterator[Typed]:
    """The commands in the order of the tour."""
    for block in re.findall(r"```bash\n(.*?)```", TOUR, re.DOTALL):
        for line in block.splitlines():
            words = shlex.split(line, comments=True)
            if words and words[0] == "httpdyno":
                yield Typed(tuple(one for one in words[1:] if one != "--open"))


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    """The app of the tour in a repository with two branches, a server, and a demo of each night."""
    folder = tmp_path_factory.mktemp("tour")
    with workshop(folder / "work") as made:
        data = Path(made.environment["HTTPDYNO_DATA"])
        data.mkdir(parents=True)
        nights(store_in(data), study(folder, name="demo"), [4000, 4010, 4005, 3990, 3600, 3610])
        yield made


def done(work: Workshop, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return run(work.words(*words), cwd=work.app, env={**work.environment, "NO_COLOR": "1"})


@pytest.mark.parametrize(
    "command",
    [one for one in typed() if one.verb not in LASTING and "--serve" not in one.words],
    ids=lambda one: " ".join(one.words)[:60],
)
def test_every_command_of_the_tour_works_as_printed(command: Typed, work: Workshop) -> None:
    ended = done(work, command.shorter(work))
    assert ended.returncode in OK.get(command.verb, (0,)), ended.stdout + ended.stderr


def test_the_tour_has_a_command_of_every_verb_that_a_newcomer_needs() -> None:
    verbs = {one.verb for one in typed()}
    wanted = {"load", "sweep", "capacity", "compare", "run", "report", "serve", "publish"}
    assert verbs >= wanted | {"history", "hosts", "httperf", "ab", "reference"}


def test_each_stop_says_who_comes_shows_something_and_leads_on() -> None:
    stops = re.split(r"^## ", TOUR, flags=re.MULTILINE)[1:-1]
    assert len(stops) == 9
    for stop in stops:
        name = stop.splitlines()[0]
        assert "**You** " in stop, name
        assert "**Read on**: [" in stop, name
        assert "```bash" in stop, name


def test_my_branch_answers_as_main_does(work: Workshop) -> None:
    own = {"ITEMS": [{"id": 1}], "JSONResponse": list, "copy": copy}
    assert COPIES[0] in app_of_the_tour()
    first, second = (eval(text, {}, dict(own)) for text in COPIES)
    assert first == second
    show = ["git", "show", "my-branch:app.py"]
    branch = subprocess.run(show, cwd=work.app, capture_output=True, text=True, check=True)
    assert COPIES[1] in branch.stdout
