"""SQLite: every commit is on the disk, an error is one sentence."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

import pytest
from httpdyno.errors import EnvironmentFault
from httpdyno.outcome import TrialOutcome
from httpdyno.store import Store, open_store
from stored_samples import RUN, outcome


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'deep' / 'er' / 'results.sqlite'}"


@pytest.fixture
def store(url: str) -> Store:
    return open_store(url)


def test_every_commit_reaches_the_disk(store: Store) -> None:
    with store.transaction() as connection:
        settings = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous")
        }
    assert settings == {"journal_mode": "wal", "synchronous": 2}


def test_only_the_user_can_read_a_new_file_and_those_beside_it(url: str, store: Store) -> None:
    with store.transaction():
        files = list(Path(url.removeprefix("sqlite:///")).parent.iterdir())
        assert {file.name for file in files} >= {"results.sqlite", "results.sqlite-wal"}
        assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_the_mode_of_a_file_that_exists_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "results.sqlite"
    file.touch()
    file.chmod(0o640)
    open_store(f"sqlite:///{file}").begin_run(RUN)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


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
    import httpdyno.store.sqlite as module

    monkeypatch.setattr(module, "BUSY_S", 0.0)
    with store.transaction(), pytest.raises(EnvironmentFault, match="keeps it locked"):
        open_store(url)


def test_the_data_folder_can_be_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPDYNO_DATA", str(tmp_path / "elsewhere"))
    open_store().begin_run(RUN)
    assert (tmp_path / "elsewhere" / "results.sqlite").is_file()
