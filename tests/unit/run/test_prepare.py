"""An arm that cannot be made ready is a row with its stage, its reason and its log."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import psutil
import pytest
from httpdyno.plan import Arm
from httpdyno.result import FailureRow
from httpdyno.running.live.events import ArmFails, Event, Events
from httpdyno.running.machines.site import this_machine
from httpdyno.running.prepare import Preparation, prepare
from httpdyno.servers import RunningServer, load_catalogue
from small_server import GOOD, NEVER_READY, NO_BUILD, WRONG, write_server


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("CACHE", "STATE", "DATA"):
        monkeypatch.setenv(f"HTTPDYNO_{name}", str(tmp_path / name))
    return tmp_path


def prepared(home: Path, heard: list[Event], **servers: tuple[str, str]) -> Preparation:
    files = [write_server(home, name, *how) for name, how in servers.items()]
    arms = [Arm(f"{name}/1-process", name, "1-process", "hello") for name in servers]
    catalogue, results = load_catalogue(files), home / "results"
    return prepare(arms, catalogue, results, Events(heard.append), site=this_machine())


def test_a_good_arm_is_ready_with_its_version_and_can_be_started_afresh(home: Path) -> None:
    done = prepared(home, [], good=(GOOD, ""))
    assert (done.failures, done.versions) == ([], {"good": "1.2.3"})
    ready = done.arms["good/1-process"]
    with ready.start() as one, ready.start() as other:
        assert isinstance(one, RunningServer)
        assert isinstance(other, RunningServer)
        assert one.pid != other.pid
    assert not psutil.pid_exists(one.pid)


@pytest.mark.parametrize(
    ("how", "stage", "reason"),
    [
        ((WRONG, ""), "check", "1 of 1 replies of the workload `hello` are wrong: GET /hello:"),
        ((NEVER_READY, ""), "start", "no such module"),
        ((GOOD, NO_BUILD), "build", "cannot be built"),
    ],
)
def test_what_fails_is_left_out_and_the_others_go_on(
    home: Path, how: tuple[str, str], stage: str, reason: str
) -> None:
    heard: list[Event] = []
    done = prepared(home, heard, bad=how, good=(GOOD, ""))
    assert list(done.arms) == ["good/1-process"]
    (row,) = done.failures
    assert (row.arm, row.stage) == ("bad/1-process", stage)
    assert reason in row.reason
    assert row.log is not None
    assert (home / "results" / row.log).is_file()
    assert [FailureRow(**asdict(one)) for one in heard if isinstance(one, ArmFails)] == [row]


def test_a_database_workload_without_a_database_is_refused(home: Path) -> None:
    arm = Arm("reference/1-core db", "reference", "1-thread", "db")
    server = load_catalogue().get("reference")
    deployment = next(iter(server.deployments))
    answers_db = server.model_copy(update={"workloads": (*server.workloads, "db")})
    arms, catalogue = [replace(arm, deployment=deployment)], load_catalogue().and_also([answers_db])
    done = prepare(arms, catalogue, home / "results", Events(lambda _: None), site=this_machine())
    (row,) = done.failures
    assert row.reason.startswith("`reference/1-core db` needs a database for `db`: expected [serv")
