"""A run is reported from the store alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.plan import Plan
from httpdyno.report.contents.page import page
from httpdyno.running.documents import identity, study_document, study_of
from httpdyno.running.stored_result import find_run, stored_result
from httpdyno.store import NewRun, Store, open_store
from httpdyno.study import Study, built_in_studies, load_study, narrow
from stored_samples import outcome

TEXT = """\
title = "Two arms"
blocks = 8
[[arms]]
server = "a"
deployments = ["1", "2"]
[loads.closed]
kind = "closed"
duration = "5s"
"""


@pytest.fixture
def study(tmp_path: Path) -> Study:
    (tmp_path / "two.toml").write_text(TEXT)
    return load_study(tmp_path / "two.toml")


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'results.sqlite'}"


def begun(study: Study, **changes: str) -> NewRun:
    values = {
        "study": study.name,
        "identity": identity(study),
        "study_text": study.text,
        "command": "httpdyno run two.toml",
        "httpdyno_version": "0.1.0",
        "folder": "results",
        "study_document": study_document(study),
        "servers_document": '{"titles": {"a": "The A"}}',
    }
    return NewRun(**(values | changes), seed=study.seed, started_at=100.0, facts=[])


def store_trials(store: Store, run_id: int, study: Study, count: int) -> None:
    for trial in Plan(study).trials[:count]:
        arm, load, point = trial.cell.key
        row = {"index": trial.index, "block": trial.block, "arm": arm, "load": load, "point": point}
        store.record(run_id, outcome(0).model_copy(update=row))


def test_a_run_is_reported_with_whatever_trials_it_has(study: Study, url: str) -> None:
    store = open_store(url)
    run_id = store.begin_run(begun(study))
    run = find_run(store, "two")
    assert (stored_result(store, run).complete, stored_result(store, run).ended_at) == (False, 100)
    store_trials(store, run_id, study, 16)
    result = stored_result(store, find_run(store, str(run_id)))
    assert (result.complete, result.blocks_done, len(result.cells)) == (True, 8, 2)
    assert result.arms[0].description.startswith("The A")
    assert result.command == "httpdyno run two.toml"


def test_a_run_ends_when_the_server_of_its_last_trial_has_stopped(study: Study, url: str) -> None:
    store = open_store(url)
    run_id = store.begin_run(begun(study))
    (first, *_) = Plan(study).trials
    arm, load, point = first.cell.key
    row = {"index": first.index, "block": 0, "arm": arm, "load": load, "point": point}
    times = {"started_at": 110.0, "ended_at": 199.0}
    store.record(run_id, outcome(0).model_copy(update=row | times))
    result = stored_result(store, find_run(store, "two"))
    assert (result.complete, result.ended_at) == (False, 199)
    assert page(result, ()).took == "the last stored trial ended 99.0 s later"


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", built_in_studies())
def test_a_study_comes_back_from_the_store_as_it_was(url: str, name: str, quick: bool) -> None:
    whole = load_study(name)
    first = whole.arms[0]
    study = narrow(whole, quick=quick, only=[first.name or first.server])
    store = open_store(url)
    store.begin_run(begun(study))
    run = find_run(store, name)
    assert study_of(run) == study
    assert study_of(run).names_workloads == whole.names_workloads


@pytest.mark.parametrize("document", ["", "[", "{}", '{"titles": 1}'])
def test_damaged_documents_of_a_run_are_one_sentence(study: Study, url: str, document: str) -> None:
    store = open_store(url)
    store.begin_run(begun(study, study_document=document))
    with pytest.raises(EnvironmentFault, match=r"the study of run 1 \(`two`\) is damaged"):
        stored_result(store, find_run(store, "two"))
    store.begin_run(begun(study, servers_document=document or "x"))
    if document != "{}":
        with pytest.raises((EnvironmentFault, UsageError), match=r"run 2|the servers of run 2"):
            stored_result(store, find_run(store, "2"))
