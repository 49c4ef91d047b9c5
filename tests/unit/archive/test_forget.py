"""A forgotten run is gone: from every table, and from the bytes of the database."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno.errors import UsageError
from httpdyno.running.stored_result import find_run
from httpdyno.store import Store, summaries
from stored_runs import nights, store_in, store_run, study

SECRET = "hunter2-s3cr3t"


def bytes_of(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.glob("results.sqlite*"))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return store_in(tmp_path / "data")


def test_a_secret_that_was_stored_by_mistake_can_be_deleted(store: Store, tmp_path: Path) -> None:
    nightly = study(tmp_path)
    kept = store_run(store, nightly, 0, rates={"alpha": 4000.0})
    machine = {"processor": "X", "kernel": SECRET}
    run = store_run(store, nightly, 1, rates={"alpha": 4000.0}, machine=machine, httpdyno=SECRET)
    assert SECRET.encode() in bytes_of(tmp_path / "data")
    assert store.forget(run) is None
    assert SECRET.encode() not in bytes_of(tmp_path / "data")
    assert [one.id for one in summaries(store)] == [kept]
    assert store.run(run) is None
    assert store.trials(run) == []


def test_the_number_of_a_forgotten_run_is_never_given_again(store: Store, tmp_path: Path) -> None:
    nightly = study(tmp_path)
    assert nights(store, nightly, [1000, 1000, 1000]) == [1, 2, 3]
    for run in (3, 2):
        store.forget(run)
    assert store_run(store, nightly, 9, rates={}) == 4
    assert store_run(store, nightly, 10, rates={}) == 5


def test_a_forgotten_run_is_not_found(store: Store, tmp_path: Path) -> None:
    nights(store, study(tmp_path), [1000])
    store.forget(1)
    for name in ("1", "nightly"):
        with pytest.raises(UsageError, match="is not a stored run"):
            find_run(store, name)
    assert store.studies() == []


def test_the_other_runs_keep_all_they_have(store: Store, tmp_path: Path) -> None:
    nights(store, study(tmp_path), [1000, 2000])
    before = store.trials(1), store.run(1), store.failures(1), store.ceilings(1)
    store.forget(2)
    assert (store.trials(1), store.run(1), store.failures(1), store.ceilings(1)) == before
