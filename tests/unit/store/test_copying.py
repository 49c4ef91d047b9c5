"""Runs are copied between databases whole, again and again, and stay what they were."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from httpdyno.errors import UsageError
from httpdyno.result import FailureRow
from httpdyno.running.archive.document import document_of, to_json
from httpdyno.running.archive.importing import import_runs
from httpdyno.store import CopyOutcome, Store, copy_run, open_store, summaries
from httpdyno.store import copying as module
from stored_runs import nights, study
from stored_samples import RUN, outcome


@pytest.fixture
def there(tmp_path: Path) -> Store:
    return open_store(f"sqlite:///{tmp_path / 'there.sqlite'}")


@pytest.fixture
def here(new_url: Callable[[], str]) -> Store:
    return open_store(new_url())


def exported(store: Store, number: int) -> str:
    run = store.run(number)
    assert run is not None
    return to_json([document_of(store, run)])


def begun(store: Store, trials: range) -> int:
    run = store.begin_run(RUN)
    for index in trials:
        store.record(run, outcome(index))
    return run


def test_a_copied_run_has_the_same_export_byte_for_byte(
    there: Store, here: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH", 7)  # more than one batch
    begun(here, range(1))  # so the numbers differ
    nights(there, study(tmp_path), [4000, 4010])
    failure = FailureRow(arm="ä/1", stage="build", reason="x\ty", log="b.log")
    there.record_preparation(2, "{}", ["ä/1"], [failure])
    for shape, rate in (("b 2", 1e5 / 3), ("B 1", 7.25), ("ä", 1.0)):
        there.record_ceiling(2, shape, rate)
    assert [copy_run(there, run, here) for run in (1, 2)] == [
        CopyOutcome(2, is_new=True, trials=20),
        CopyOutcome(3, is_new=True, trials=20),
    ]
    assert [exported(here, run) for run in (2, 3)] == [exported(there, run) for run in (1, 2)]
    back = open_store(f"sqlite:///{tmp_path / 'back.sqlite'}")
    assert copy_run(here, 3, back).number == 1
    assert exported(back, 1) == exported(there, 2)


def test_a_second_copy_changes_nothing(there: Store, here: Store) -> None:
    run = begun(there, range(3))
    first = copy_run(there, run, here)
    assert copy_run(there, run, here) == CopyOutcome(first.number, is_new=False, trials=0)
    assert len(summaries(here)) == 1


def test_a_run_that_went_on_is_brought_up_to_date(there: Store, here: Store) -> None:
    run = begun(there, range(2))
    number = copy_run(there, run, here).number
    for index in (2, 3):
        there.record(run, outcome(index))
    there.finish(run, 9.0)
    assert copy_run(there, run, here) == CopyOutcome(number, is_new=False, trials=2)
    assert exported(here, number) == exported(there, run)
    found = here.run(number)
    assert found is not None
    assert found.ended_at == 9.0


def test_a_run_that_only_ended_is_brought_up_to_date(there: Store, here: Store) -> None:
    run = begun(there, range(2))
    number = copy_run(there, run, here).number
    there.finish(run, 9.0)
    assert copy_run(there, run, here) == CopyOutcome(number, is_new=False, trials=0)
    assert exported(here, number) == exported(there, run)


def test_other_content_of_the_same_run_is_refused_and_nothing_is_changed(
    there: Store, here: Store
) -> None:
    run = begun(there, range(3))
    number = copy_run(there, run, here).number
    other = open_store(str(there.name).replace("there", "other"))
    changed = begun(other, range(2))
    other.record(changed, outcome(2).model_copy(update={"started_at": 7.0}))
    other.record(changed, outcome(3))
    before = exported(here, number)
    with pytest.raises(UsageError, match=f"run {number} of `demo` in the target is the same run"):
        copy_run(other, changed, here)
    assert exported(here, number) == before


def test_a_copy_that_fails_half_way_leaves_nothing(
    there: Store, here: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH", 2)
    run = begun(there, range(5))
    real = module._trials

    def breaks(*arguments: object) -> object:
        for number, batch in enumerate(real(*arguments)):  # type: ignore[arg-type]
            if number == 2:
                raise KeyboardInterrupt
            yield batch

    monkeypatch.setattr(module, "_trials", breaks)
    with pytest.raises(KeyboardInterrupt):
        copy_run(there, run, here)
    assert summaries(here) == []
    monkeypatch.undo()
    assert copy_run(there, run, here).trials == 5


def test_an_imported_run_stays_an_imported_one(there: Store, here: Store, tmp_path: Path) -> None:
    elsewhere = open_store(f"sqlite:///{tmp_path / 'elsewhere.sqlite'}")
    nights(elsewhere, study(tmp_path), [4000])
    (tmp_path / "one.json").write_text(exported(elsewhere, 1))
    import_runs(there, [tmp_path / "one.json"], "the lab")
    number = copy_run(there, 1, here).number
    assert exported(here, number) == exported(there, 1)
    assert [one.origin for one in summaries(here)] == ["the lab"]


def test_the_source_can_be_written_while_it_is_copied(
    there: Store, here: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH", 2)
    run, other = begun(there, range(4)), there.begin_run(RUN)
    real = module._trials

    def meanwhile(*arguments: object) -> object:
        for number, batch in enumerate(real(*arguments)):  # type: ignore[arg-type]
            there.record(other, outcome(number))
            yield batch

    monkeypatch.setattr(module, "_trials", meanwhile)
    assert copy_run(there, run, here).trials == 4
    assert len(there.trials(other)) == 2
