"""Runs travel between machines without loss; a file that is not whole changes nothing."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.result import Reason
from httpdyno.running.archive import reading
from httpdyno.running.archive.document import document_of, to_json
from httpdyno.running.archive.importing import import_runs
from httpdyno.running.documents import identity
from httpdyno.running.stored_result import find_run, stored_result
from httpdyno.store import Store, summaries
from httpdyno.study import Study
from stored_runs import nights, store_in, store_run, study

Document = dict[str, Any]
Change = Callable[[Document], object]


@pytest.fixture
def nightly(tmp_path: Path) -> Study:
    return study(tmp_path)


@pytest.fixture
def there(tmp_path: Path, nightly: Study) -> Store:
    """The store of another machine, with two runs."""
    store = store_in(tmp_path / "there")
    nights(store, nightly, [4000, 4010])
    return store


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An export of two runs."""
    folder = tmp_path_factory.mktemp("there")
    store = store_in(folder)
    nights(store, study(folder), [4000, 4010])
    return exported(store, folder / "two.json").read_text()


@pytest.fixture
def here(tmp_path: Path) -> Store:
    return store_in(tmp_path / "here")


def exported(store: Store, file: Path) -> Path:
    runs = [run for one in summaries(store) if (run := store.run(one.id)) is not None]
    file.write_text(to_json(document_of(store, run) for run in runs), encoding="utf-8")
    return file


def test_a_run_is_the_same_after_export_and_import(
    there: Store, here: Store, tmp_path: Path
) -> None:
    first, second = import_runs(here, [exported(there, tmp_path / "two.json")], "the lab")
    assert (first.number, first.is_new, second.number) == (1, True, 2)
    for number in (1, 2):
        ours, theirs = here.run(number), there.run(number)
        assert ours is not None
        assert theirs is not None
        assert stored_result(here, ours) == stored_result(there, theirs)
        assert here.trials(number) == there.trials(number)
        assert (ours.facts, ours.origin, ours.folder) == (theirs.facts, "the lab", None)


def test_an_export_of_an_import_is_the_same_document_but_for_its_origin(
    there: Store, here: Store, tmp_path: Path
) -> None:
    import_runs(here, [exported(there, tmp_path / "two.json")], None)
    again = json.loads(exported(here, tmp_path / "again.json").read_text())
    first = json.loads((tmp_path / "two.json").read_text())
    assert [run.pop("origin") for run in again["runs"]] == ["two.json", "two.json"]
    assert [run.pop("origin") for run in first["runs"]] == [None, None]
    assert again == first


def test_what_is_stored_already_is_skipped_and_named(
    there: Store, here: Store, tmp_path: Path
) -> None:
    file = exported(there, tmp_path / "two.json")
    import_runs(here, [file], None)
    again = import_runs(here, [file, file], None)
    assert [(one.number, one.is_new) for one in again] == [(1, False), (2, False)] * 2
    own = import_runs(there, [file], None)
    assert [(one.number, one.is_new) for one in own] == [(1, False), (2, False)]
    assert len(summaries(here)) == len(summaries(there)) == 2


def test_the_same_file_twice_in_one_command_is_stored_once(
    there: Store, here: Store, tmp_path: Path
) -> None:
    file = exported(there, tmp_path / "two.json")
    found = import_runs(here, [file, file], None)
    assert [one.number for one in found] == [1, 2, 1, 2]
    assert len(summaries(here)) == 2


def test_another_state_of_a_stored_run_is_refused_with_what_to_do(
    there: Store, here: Store, tmp_path: Path
) -> None:
    import_runs(here, [exported(there, tmp_path / "two.json")], None)
    there.finish(2, 9_999_999_999.0)
    with pytest.raises(UsageError, match="is run 2 of this store with other content") as caught:
        import_runs(here, [exported(there, tmp_path / "later.json")], None)
    assert "httpdyno runs forget 2" in (caught.value.hint or "")


def test_an_imported_run_is_never_resumed_and_yields_to_a_run_of_this_machine(
    there: Store, here: Store, nightly: Study, tmp_path: Path
) -> None:
    import_runs(here, [exported(there, tmp_path / "two.json")], None)
    assert here.newest(identity(nightly)) is None
    assert here.newest_unfinished(identity(nightly)) is None
    assert find_run(here, "nightly").id == 2
    own = store_run(here, nightly, 0, rates={"alpha": 4000.0})
    import_runs(here, [exported(there, tmp_path / "two.json")], None)
    assert find_run(here, "nightly").id == own


def edited(file: Path, change: Change) -> Path:
    document = json.loads(file.read_text())
    change(document)
    file.write_text(json.dumps(document))
    return file


BROKEN: dict[str, tuple[Change, str]] = {
    "a newer version": (lambda d: d.update(version=2), "reads version 1"),
    "no version": (lambda d: d.pop("version"), "has version None"),
    "another format": (lambda d: d.update(format="httpdyno-result"), "no export of runs"),
    "no run": (lambda d: d.update(runs=[]), "runs:"),
    "a study that is none": (lambda d: d["runs"][1].update(study_document="{}"), "run 2 of"),
    "an unclosed study": (lambda d: d["runs"][0].update(study_document="{"), "run 1 of"),
    "no study": (lambda d: d["runs"][0].pop("study_document"), "study_document: field required"),
    "no servers": (lambda d: d["runs"][0].pop("servers_document"), "servers_document: field"),
    "servers that are none": (lambda d: d["runs"][0].update(servers_document="[1]"), "run 1 of"),
    "a trial without its arm": (lambda d: d["runs"][1]["trials"][3].pop("arm"), "arm"),
    "a trial twice": (
        lambda d: d["runs"][0]["trials"].append(d["runs"][0]["trials"][0]),
        "the same index",
    ),
    "a negative index": (lambda d: d["runs"][0]["trials"][0].update(index=-1), "index"),
    "a huge index": (lambda d: d["runs"][0]["trials"][0].update(index=2**70), "index"),
    "a huge seed": (lambda d: d["runs"][0].update(seed=2**70), "seed"),
    "a number that is text": (lambda d: d["runs"][0].update(started_at="x"), "started_at"),
    "a time before time": (lambda d: d["runs"][0].update(started_at=-1), "started_at"),
    "a study that leads elsewhere": (lambda d: d["runs"][1].update(study="../../x"), "study"),
    "a bad digest": (lambda d: d["runs"][0].update(digest="../../x"), "digest"),
    "half a character": (lambda d: d["runs"][0].update(command="\ud800"), "half a character"),
    "a list for a run": (lambda d: d.update(runs=[[]]), "runs"),
    "a study too large to plan": (
        lambda d: d["runs"][0].update(
            study_document=json.dumps(
                json.loads(d["runs"][0]["study_document"])
                | {"arms": [{"server": f"s{at}", "deployments": ["1"]} for at in range(9000)]}
            )
        ),
        "trials: expected at most",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_is_not_whole_is_refused_and_nothing_of_any_file_is_stored(
    text: str, here: Store, tmp_path: Path, name: str
) -> None:
    change, said = BROKEN[name]
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    for file in (good, bad):
        file.write_text(text)
    edited(bad, change)
    with pytest.raises(UsageError) as caught:
        import_runs(here, [good, bad], None)
    assert "bad.json" in caught.value.message
    assert said in caught.value.message
    assert "\n" not in caught.value.message
    assert summaries(here) == []


@pytest.mark.parametrize("share", [0, 0.01, 0.5, 0.9, 0.999])
def test_a_file_that_was_cut_is_refused(
    text: str, here: Store, tmp_path: Path, share: float
) -> None:
    file = tmp_path / "cut.json"
    file.write_text(text[: int(len(text) * share)])
    with pytest.raises(UsageError, match="not valid JSON"):
        import_runs(here, [file], None)
    assert summaries(here) == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfe", "not UTF-8"),
        (b"[" * 200_000, "nested too deeply|not valid JSON"),
        (b"NaN", "NaN is no number"),
        (b"[]", "no export of runs"),
        (b"1" * 6000, "not valid JSON: it has a number of more than 4,300 digits"),
        (b'{"format": "httpdyno-runs", "version": 1, "runs": {}}', "runs"),
    ],
)
def test_a_file_that_is_something_else_is_refused(
    here: Store, tmp_path: Path, content: bytes, said: str
) -> None:
    file = tmp_path / "odd.json"
    file.write_bytes(content)
    with pytest.raises(UsageError, match=said):
        import_runs(here, [file], None)


def test_a_huge_file_is_refused_without_being_read_whole(
    here: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MOST_BYTES", 1024 * 1024)
    file = tmp_path / "huge.json"
    with file.open("wb") as opened:
        opened.truncate(64 * 1024**3)  # sparse; more than this machine could hold in memory
    with pytest.raises(UsageError, match=r"more than 1\.00 MiB"):
        import_runs(here, [file], None)


def test_a_file_that_is_not_there_or_not_readable_is_one_sentence(
    here: Store, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        import_runs(here, [tmp_path / "none.json"], None)
    with pytest.raises(EnvironmentFault, match="cannot be read"):
        import_runs(here, [tmp_path], None)


def test_a_run_with_doubts_failures_and_no_trial_travels_too(
    here: Store, nightly: Study, tmp_path: Path
) -> None:
    there = store_in(tmp_path / "there")
    doubt = Reason(code="x", status="suspect", text="=1+1\x1b", hint="@you")
    store_run(there, nightly, 0, rates={}, versions={})
    store_run(there, nightly, 1, rates={"alpha": 10.0}, reasons=[doubt], blocks=1)
    import_runs(here, [exported(there, tmp_path / "odd.json")], "\x1b[31mred")
    listed = summaries(here)
    assert [dict(one.trials) for one in listed] == [{}, {"suspect": 2}]
    assert {one.origin for one in listed} == {"\\x1b[31mred"}


ODD: list[Any] = [None, -1, 0, 1e308, -1e308, 10**30, "", "x", "\x00", True, [], {}, [[]]]


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of each leaf of a JSON value."""
    below = value.items() if isinstance(value, dict) else enumerate(value)
    for key, each in below:
        if isinstance(each, dict | list) and each:
            yield from leaves(each, (*path, key))
        else:
            yield (*path, key)


def test_any_odd_value_anywhere_is_refused_in_a_sentence_or_does_no_harm(
    nightly: Study, tmp_path: Path
) -> None:
    there = store_in(tmp_path / "there")
    store_run(there, nightly, 0, rates={"alpha": 4000.0}, blocks=1)
    text = exported(there, tmp_path / "one.json").read_text()
    paths = list(leaves(json.loads(text)))
    source = random.Random(5)
    refused = accepted = 0
    for count in range(120):
        document = json.loads(text)
        path = source.choice(paths)
        place = document
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = ODD[count % len(ODD)]
        file = tmp_path / "odd.json"
        file.write_text(json.dumps(document))
        here = store_in(tmp_path / f"here-{count}")
        try:
            import_runs(here, [file], None)
            stored_result(here, find_run(here, "1"))
        except UsageError as error:
            refused += "\n" not in error.message and summaries(here) == []
        else:
            accepted += 1
    assert refused + accepted == 120
    assert min(refused, accepted) > 20
