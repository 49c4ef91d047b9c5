"""Two projects may each have a `study.toml`: their runs never mix."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from git_repository import Repository
from httpdyno.errors import UsageError
from httpdyno.plan import Plan
from httpdyno.run import catalogue_of
from httpdyno.running.archive.document import document_of, to_json
from httpdyno.running.archive.histories import Selection, collect
from httpdyno.running.archive.importing import import_runs
from httpdyno.running.options import RunOptions
from httpdyno.running.projects.home import home_of
from httpdyno.running.projects.named_study import named_study
from httpdyno.running.session import Session, begin, resume
from httpdyno.running.stored_result import find_run
from httpdyno.store import Store, open_store, study_labels, summaries
from httpdyno.study import Study, built_in_studies, load_study
from stored_runs import nights, study
from stored_samples import outcome

TEXT = """\
title = "Mine"
blocks = 4
[[arms]]
name = "mine"
start = "./app {port}"
[loads.closed]
kind = "closed"
duration = "1s"
"""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    for name in ("DATA", "STATE", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"HTTPDYNO_{name}", str(tmp_path / name))
    monkeypatch.setenv("HTTPDYNO_STORE", str(tmp_path / "results.sqlite"))
    return open_store()


@pytest.fixture
def shop(tmp_path: Path) -> Study:
    return project(tmp_path / "shop")


@pytest.fixture
def blog(tmp_path: Path) -> Study:
    return project(tmp_path / "blog")


def project(folder: Path, text: str = TEXT) -> Study:
    """A project with a study and a server; both have the same text everywhere."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "app").write_text("#!/bin/sh\n")
    (folder / "app").chmod(0o755)
    (folder / "study.toml").write_text(text)
    return load_study(folder / "study.toml")


def options() -> RunOptions:
    return RunOptions(["run", "study.toml"])


def begun(store: Store, study: Study, trials: int = 1) -> Session:
    """A run of the study that was interrupted after some trials."""
    session = begin(store, study, catalogue_of(study, []), options())
    for trial in Plan(study).trials[:trials]:
        arm, load, point = trial.cell.key
        row = {"index": trial.index, "block": trial.block, "arm": arm, "load": load, "point": point}
        store.record(session.run_id, outcome(0).model_copy(update=row))
    return session


def resumed(store: Store, study: Study) -> Session:
    return resume(store, study, catalogue_of(study, []), options())


def test_only_the_run_of_the_same_folder_is_resumed(store: Store, shop: Study, blog: Study) -> None:
    first = begun(store, shop)
    with pytest.raises(UsageError, match="run 1 has this content, but it is of `study` in") as told:
        resumed(store, blog)
    assert shop.folder in told.value.message
    assert blog.folder in told.value.message
    assert f"`httpdyno run {shop.folder}/study.toml --resume` resumes" in str(told.value.hint)
    second = begun(store, blog, trials=2)
    assert resumed(store, shop).run_id == first.run_id
    assert resumed(store, blog).run_id == second.run_id
    assert len(resumed(store, blog).remaining()) == 2


def test_a_copy_of_a_repository_resumes_only_its_own_runs(store: Store, tmp_path: Path) -> None:
    study = committed(tmp_path / "shop")
    shutil.copytree(tmp_path / "shop", tmp_path / "copy")
    begun(store, study)
    with pytest.raises(UsageError, match="expected a run of this study"):
        resumed(store, load_study(tmp_path / "copy" / "study.toml"))


def test_an_edited_study_says_which_run_began_with_other_content(store: Store, shop: Study) -> None:
    begun(store, shop)
    edited = project(Path(shop.folder), TEXT.replace("1s", "2s"))
    with pytest.raises(UsageError, match="run 1 of `study` began with another file") as told:
        resumed(store, edited)
    assert "`httpdyno report 1` shows" in str(told.value.hint)


def test_a_built_in_study_is_the_same_in_every_folder(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = begin(store, load_study("demo"), catalogue_of(load_study("demo"), []), options())
    monkeypatch.chdir(tmp_path)
    (tmp_path / "demo.toml").write_text(TEXT)
    assert find_run(store, "demo").id == session.run_id
    assert all(not load_study(name).folder for name in built_in_studies())
    with pytest.raises(UsageError, match=r"`demo\.toml` has no stored run"):
        find_run(store, "./demo.toml")


def test_a_name_is_that_of_the_working_folders_study(
    store: Store, shop: Study, blog: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = begun(store, shop)
    monkeypatch.chdir(blog.folder)
    with pytest.raises(UsageError, match=r"`study.toml` has no stored run.*run 1 \(`.*/shop`\)"):
        find_run(store, "study")
    other = begun(store, blog)
    assert find_run(store, "study").id == other.run_id
    assert find_run(store, "./study.toml").id == other.run_id
    assert find_run(store, f"{shop.folder}/study.toml").id == own.run_id
    assert find_run(store, str(own.run_id)).id == own.run_id
    monkeypatch.chdir(shop.folder)
    assert find_run(store, "study").id == own.run_id


def test_elsewhere_a_name_is_enough_until_two_projects_have_it(
    store: Store, shop: Study, blog: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own = begun(store, shop)
    assert find_run(store, "study").id == own.run_id
    begun(store, blog)
    with pytest.raises(UsageError, match="2 studies are called `study`") as told:
        find_run(store, "study")
    assert f"run 2 (`{blog.folder}`), run 1 (`{shop.folder}`)" in told.value.message
    assert f"{blog.folder}/study.toml" in str(told.value.hint)


def test_lists_and_histories_tell_the_projects_apart(
    store: Store, shop: Study, blog: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(store, shop)
    assert study_labels(summaries(store)) == {1: "study"}
    begun(store, blog)
    labels = study_labels(summaries(store))
    assert labels == {1: f"study ({shop.folder})", 2: f"study ({blog.folder})"}
    monkeypatch.chdir(blog.folder)
    chosen = summaries(store, study=named_study(store, "study"))
    assert [run.id for run in chosen] == [2]


def test_no_series_of_a_history_has_runs_of_two_projects(store: Store, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    for folder in ("a", "b"):
        nights(store, study(tmp_path / folder), [1000.0, 1000.0])
    found = collect(store, summaries(store), Selection(), lambda _: None)
    runs: dict[object, set[int]] = {}
    for one in found.observations:
        runs.setdefault(one.place, set()).add(one.run)
    assert sorted({tuple(sorted(numbers)) for numbers in runs.values()}) == [(1, 2), (3, 4)]


def test_a_site_has_the_newest_run_of_each_project(
    store: Store, shop: Study, blog: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from httpdyno.cli.report.publish import _stored_results

    begun(store, shop)
    begun(store, blog)
    names = [name for name, _ in _stored_results(str(tmp_path / "results.sqlite"))]
    assert names == [f"run 1, study ({shop.folder})", f"run 2, study ({blog.folder})"]


def committed(folder: Path) -> Study:
    study = project(folder)
    Repository(folder).commit(f"Begin {folder.name}")
    return study


def test_clones_of_a_repository_are_one_project_and_other_repositories_are_not(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = committed(tmp_path / "shop")
    subprocess.run(["git", "clone", "-q", tmp_path / "shop", tmp_path / "clone"], check=True)
    other = committed(tmp_path / "blog")
    homes = [home_of(str(tmp_path / name)) for name in ("shop", "clone", "blog")]
    assert homes[0].project == homes[1].project != homes[2].project
    begun(store, study)
    begun(store, other)
    monkeypatch.chdir(tmp_path / "clone")
    assert find_run(store, "study").id == 1
    begun(store, load_study("study.toml"))
    assert find_run(store, "study").id == 3
    monkeypatch.chdir(tmp_path / "shop")
    assert find_run(store, "study").id == 1


def test_shallow_clones_are_known_by_their_address(tmp_path: Path) -> None:
    committed(tmp_path / "shop")
    Repository(tmp_path / "shop").commit("More")
    url = (tmp_path / "shop").as_uri()
    for name in ("one", "two"):
        target = tmp_path / name
        subprocess.run(["git", "clone", "-q", "--depth=1", url, target], check=True)
    one, two = (home_of(str(tmp_path / name)) for name in ("one", "two"))
    assert one.project == two.project


def test_an_exported_run_keeps_its_project(
    store: Store, shop: Study, blog: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(store, shop)
    (tmp_path / "run.json").write_text(to_json([document_of(store, find_run(store, "1"))]))
    there = open_store(str(tmp_path / "there.sqlite"))
    import_runs(there, [tmp_path / "run.json"], "laptop")
    monkeypatch.chdir(blog.folder)
    begun(there, blog)
    assert find_run(there, "study").id == 2
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"run 2 \(`.*/blog`\), run 1 \(imported from laptop\)"):
        find_run(there, "study")


def test_the_command_line_takes_the_file_of_a_study(
    store: Store, shop: Study, blog: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    from httpdyno.cli.runs.verb import app

    begun(store, shop)
    begun(store, blog)
    monkeypatch.chdir(blog.folder)
    for name in ("study", "study.toml", f"{blog.folder}/study.toml"):
        listed = CliRunner().invoke(app, ["list", "--study", name, "--json"])
        assert [line for line in listed.stdout.splitlines() if '"run":' in line] == [
            '    "run": 2,'
        ], listed.output
