"""A study into PostgreSQL: its server goes away and comes back, and machines share it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from httpdyno.store import open_store, summaries
from postgresql_server import PostgreSQL
from study_place import Place, end, read_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture
def url(postgresql: PostgreSQL) -> Iterator[str]:
    yield postgresql.url(postgresql.new_database())
    if not postgresql.runs:
        postgresql.start()


def test_a_study_waits_for_its_database_and_loses_no_trial(
    place: Place, postgresql: PostgreSQL, url: str
) -> None:
    place.study(blocks=2, good=place.counted())
    place.hold(3)
    run = place.start("--store", url)
    place.wait_for("server/held", run)
    assert len(open_store(url).trials(1)) == 1
    postgresql.stop()
    place.hold(None)
    said = read_until(run, "the results database")
    assert "waiting up to 5 min for it to come back" in said
    postgresql.start()
    _, stderr = run.communicate()
    assert run.returncode == 0, stderr
    assert "the results database is back after" in stderr
    assert [one.index for one in open_store(url).trials(1)] == [0, 1, 2, 3]
    assert not (place.home / "DATA" / "results.sqlite").exists()
    shown = place.call("runs", "list", "--store", url)
    assert "4 " in shown.stdout, shown.stderr


def test_only_the_machine_that_began_a_run_resumes_it(
    place: Place, tmp_path: Path, url: str
) -> None:
    place.study(good=place.counted())
    place.environment["HTTPDYNO_STORE"] = url
    place.hold(3)
    run = place.start()
    place.wait_for("server/held", run)
    end(run, signal.SIGTERM)
    place.hold(None)
    here = place.environment["HTTPDYNO_STATE"]
    place.environment["HTTPDYNO_STATE"] = str(tmp_path / "another machine")
    refused = place.run("--resume")
    assert refused.returncode == 2
    assert "began the unfinished run 1 of `small`" in refused.stderr
    place.environment["HTTPDYNO_STATE"] = here
    resumed = place.run("--resume")
    assert resumed.returncode == 0, resumed.stderr
    store = open_store(url)
    assert [one.id for one in summaries(store)] == [1]
    assert [one.index for one in store.trials(1)] == [0, 1]
