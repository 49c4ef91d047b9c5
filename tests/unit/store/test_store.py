"""Recorded trials survive a crash, and an error of the disk is one sentence."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.outcome import TrialOutcome
from httpdyno.result import FailureRow
from httpdyno.store import Store, open_store
from httpdyno.store.migrations import STEPS
from httpdyno.store.tables import TRIALS
from sqlalchemy import update
from stored_samples import RUN, outcome


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'deep' / 'er' / 'results.sqlite'}"


@pytest.fixture
def store(url: str) -> Store:
    return open_store(url)


def test_what_is_recorded_comes_back_as_it_was_in_the_order_of_the_plan(url: str) -> None:
    store = open_store(url)
    run = store.begin_run(RUN)
    for index in (3, 0, 2):
        store.record(run, outcome(index))
    failure = FailureRow(arm="b/1", stage="install", reason="no room", log="b.log")
    store.record_preparation(run, '{"versions": {}}', ["a/1", "b/1"], [failure])
    store.record_ceiling(run, "closed 10", 41_000.5)
    again = open_store(url)
    assert again.trials(run) == [outcome(0), outcome(2), outcome(3)]
    assert again.failures(run) == [failure]
    stored = again.run(run)
    assert stored is not None
    assert (stored.folder, stored.study_text) == ("/results/demo", "title = 'x'")
    assert stored.study_document == RUN.study_document
    assert stored.servers_document == '{"versions": {}}'
    assert again.ceilings(run) == {"closed 10": 41_000.5}


def test_an_unfinished_run_is_found_by_what_decides_its_plan_until_it_is_finished(
    store: Store,
) -> None:
    store.begin_run(RUN)
    newest = store.begin_run(RUN)
    found = store.unfinished("demo 1")
    assert found is not None
    assert (found.id, found.seed, found.facts) == (newest, RUN.seed, tuple(RUN.facts))
    assert store.unfinished("demo 2") is None
    store.finish(newest, 9.0)
    older = store.unfinished("demo 1")
    assert older is not None
    assert older.id != newest
    last = store.newest("demo 1")
    assert last is not None
    assert (last.id, last.ended_at) == (newest, 9.0)
    assert store.newest("demo 2") is None


def test_runs_do_not_see_each_others_rows(store: Store) -> None:
    one, other = store.begin_run(RUN), store.begin_run(RUN)
    store.record(one, outcome(0))
    store.record(other, outcome(0))
    assert len(store.trials(one)) == len(store.trials(other)) == 1


def test_a_later_preparation_of_an_arm_replaces_its_failure_and_no_other(store: Store) -> None:
    run = store.begin_run(RUN)
    rows = [
        FailureRow(arm=arm, stage="start", reason="first", log=None)
        for arm in ("a/1", "b/1", "c/1")
    ]
    store.record_preparation(run, "{}", ["a/1", "b/1", "c/1"], rows)
    later = FailureRow(arm="b/1", stage="check", reason="later", log=None)
    store.record_preparation(run, "{}", ["a/1", "b/1"], [later])
    assert [(row.arm, row.reason) for row in store.failures(run)] == [
        ("b/1", "later"),
        ("c/1", "first"),
    ]


def test_a_run_is_found_by_its_study_the_newest_with_a_trial_first(store: Store) -> None:
    first = store.begin_run(RUN)
    assert store.newest_of("demo") == store.run(first)
    store.record(first, outcome(0))
    second = store.begin_run(RUN)
    assert store.newest_of("demo") == store.run(first)
    store.record(second, outcome(0))
    assert store.newest_of("demo") == store.run(second)
    assert store.newest_of("other") is None
    assert store.studies() == ["demo"]


@pytest.mark.parametrize("text", ["not JSON", "{}", '{"version": 1}', "[" * 10_000])
def test_a_damaged_trial_is_one_sentence_that_names_it(store: Store, text: str) -> None:
    run = store.begin_run(RUN)
    store.record(run, outcome(3))
    with store.transaction() as connection:
        connection.execute(update(TRIALS).values(outcome=text))
    with pytest.raises(EnvironmentFault, match=f"trial 3 of run {run} is damaged") as caught:
        store.trials(run)
    assert "\n" not in caught.value.message
    assert caught.value.hint == "begin a new run: `httpdyno run demo`"


def test_a_trial_recorded_twice_is_refused_and_the_first_stays(store: Store) -> None:
    run = store.begin_run(RUN)
    store.record(run, outcome(0))
    with pytest.raises(EnvironmentFault, match="another process"):
        store.record(run, outcome(0))
    assert store.trials(run) == [outcome(0)]


def test_a_trial_survives_the_death_of_the_process_that_recorded_it(url: str) -> None:
    """The child is killed right after `record` returned: no exit handler, no close."""
    code = (
        "import os, sys; sys.path[:0] = sys.argv[2:]\n"
        "from httpdyno.store import open_store; from stored_samples import RUN, outcome\n"
        "store = open_store(sys.argv[1]); store.record(store.begin_run(RUN), outcome(7))\n"
        "os.kill(os.getpid(), 9)"
    )
    paths = [str(Path(__file__).parent), *sys.path]
    died = subprocess.run(
        [sys.executable, "-c", code, url, *paths], check=False, capture_output=True
    )
    assert died.returncode == -9, died.stderr.decode()
    found = open_store(url).unfinished("demo 1")
    assert found is not None
    assert open_store(url).trials(found.id) == [outcome(7)]


def test_every_commit_reaches_the_disk(store: Store) -> None:
    with store.transaction() as connection:
        settings = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous")
        }
    assert settings == {"journal_mode": "wal", "synchronous": 2}


def test_a_transaction_that_fails_leaves_nothing_behind(store: Store) -> None:
    run = store.begin_run(RUN)

    def fail() -> None:
        with store.transaction() as connection:
            connection.exec_driver_sql("CREATE TABLE half (a)")
            connection.exec_driver_sql(f"DELETE FROM facts WHERE run_id = {run}")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with store.transaction() as connection:
        tables = connection.exec_driver_sql("SELECT name FROM sqlite_master").scalars().all()
    assert "half" not in tables
    found = store.unfinished("demo 1")
    assert found is not None
    assert len(found.facts) == 2


def test_migrations_are_recorded_and_run_once(url: str, tmp_path: Path) -> None:
    open_store(url)
    open_store(url)
    with sqlite3.connect(tmp_path / "deep/er/results.sqlite") as file:
        rows = file.execute("SELECT number, name FROM migrations").fetchall()
    file.close()
    assert rows == [(number, name) for number, (name, _) in enumerate(STEPS, start=1)]


def test_a_newer_database_is_refused(url: str, store: Store) -> None:
    with store.transaction() as connection:
        connection.exec_driver_sql("INSERT INTO migrations VALUES (99, 'from the future', 1.0)")
    with pytest.raises(EnvironmentFault, match="newer httpdyno"):
        open_store(url)


def test_a_full_disk_is_one_sentence_and_loses_nothing(store: Store) -> None:
    run = store.begin_run(RUN)
    store.record(run, outcome(0))
    whole = 50
    with store.transaction() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
    store._engine.dispose()
    _limit_pages(store, pages)
    large = [outcome(index).model_copy(update={"arm": "x" * 2000}) for index in range(1, whole)]
    with pytest.raises(EnvironmentFault, match="the disk is full") as caught:
        _record_all(store, run, large)
    assert caught.value.hint == "free some disk space"
    assert store.trials(run)[0] == outcome(0)


def _record_all(store: Store, run: int, outcomes: list[TrialOutcome]) -> None:
    for one in outcomes:
        store.record(run, one)


def _limit_pages(store: Store, pages: int) -> None:
    """The file may not grow: what SQLite says then is what it says of a full disk."""
    from sqlalchemy import event

    @event.listens_for(store._engine, "connect")
    def _limit(connection: sqlite3.Connection, _: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages}")


def test_a_file_that_is_no_database_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"this is no database, but it is long enough" * 100)
    with pytest.raises(EnvironmentFault, match="is not a results database"):
        open_store(f"sqlite:///{tmp_path / 'a'}")


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvironmentFault, match="cannot be created"):
        open_store(f"sqlite:///{tmp_path / 'file' / 'results.sqlite'}")


def test_a_folder_in_the_files_place_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match="it cannot be opened"):
        open_store(f"sqlite:///{tmp_path}")


def test_a_locked_file_is_one_sentence(
    url: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    import httpdyno.store.database as module

    monkeypatch.setattr(module, "BUSY_S", 0.0)
    with store.transaction(), pytest.raises(EnvironmentFault, match="keeps it locked"):
        open_store(url)


@pytest.mark.parametrize("url", ["nonsense", "oracle99://x"])
def test_a_bad_url_is_the_users_fault(url: str) -> None:
    with pytest.raises(UsageError, match="is not the URL of a database"):
        open_store(url)


def test_the_data_folder_can_be_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPDYNO_DATA", str(tmp_path / "elsewhere"))
    open_store().begin_run(RUN)
    assert (tmp_path / "elsewhere" / "results.sqlite").is_file()
