"""docs/replays/: its pages are what its summaries say, and a finished run can be put there."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import large_sample
import pytest
import sample
from httpdyno.errors import UsageError
from httpdyno.report import write_report, write_summary
from httpdyno.report.result_json import read
from httpdyno.study.replays import REPLAYS
from write_replays import SUMMARY, index, page, write

DOCS = Path(__file__).parents[3] / "docs" / "replays"


@pytest.mark.parametrize("name", REPLAYS)
def test_each_page_is_what_its_summary_says(name: str) -> None:
    written = (DOCS / name / "README.md").read_text(encoding="utf-8")
    assert written == page(DOCS / name), "run `make replay-docs`"


def test_the_table_of_replays_is_what_the_summaries_say() -> None:
    written = (DOCS / "README.md").read_text(encoding="utf-8")
    assert written == index(DOCS), "run `make replay-docs`"


@pytest.mark.parametrize("name", REPLAYS)
def test_what_is_committed_beside_a_page_belongs_to_it(name: str) -> None:
    text = (DOCS / name / "README.md").read_text(encoding="utf-8")
    pictures = [path.name for path in (DOCS / name).glob("*.png")]
    assert all(f"]({picture})" in text for picture in pictures)
    summary = DOCS / name / SUMMARY
    assert not pictures or summary.is_file()
    if summary.is_file():
        assert read(summary).name == name
        assert summary.stat().st_size < 400_000


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A copy of the pages as if nothing had been measured yet."""
    shutil.copytree(DOCS, tmp_path / "docs", ignore=shutil.ignore_patterns("*.png", SUMMARY))
    write([], tmp_path / "docs")
    return tmp_path / "docs"


def test_a_finished_replay_gets_its_summary_its_pictures_and_its_results(
    docs: Path, tmp_path: Path
) -> None:
    result = large_sample.curves()
    run = write_report(result, tmp_path / "all" / result.name)
    before = (docs / result.name / "README.md").read_text()
    assert "Not measured yet." in before
    write([run.json.parent.parent], docs)
    files = {path.name for path in (docs / result.name).iterdir()}
    assert {"README.md", SUMMARY, "replay.png", "rates-as-published.png"} <= files
    assert not [name for name in files if "memory" in name], "what the text does not speak of"
    text = (docs / result.name / "README.md").read_text()
    assert "Not measured yet." not in text
    told = read(docs / result.name / SUMMARY).answer.split(". ")[0]
    assert f"**{told}" in text
    assert "](replay.png)" in text
    for part in before.split("<!-- ")[::2]:
        assert part.split("-->")[-1] in text, "what people wrote stays"
    assert told in (docs / "README.md").read_text()


def test_writing_again_changes_nothing(docs: Path, tmp_path: Path) -> None:
    result = large_sample.curves()
    run = write_report(result, tmp_path / "one")
    write([run.json], docs)
    first = {path: path.read_bytes() for path in docs.rglob("*") if path.is_file()}
    write([], docs)
    write([run.json], docs)
    assert {path: path.read_bytes() for path in docs.rglob("*") if path.is_file()} == first


def test_a_study_that_is_no_replay_is_refused(docs: Path, tmp_path: Path) -> None:
    run = write_report(sample.tiny(), tmp_path / "run")
    with pytest.raises(UsageError, match="`demo` has no page"):
        write([run.json], docs)


def test_a_folder_without_results_is_refused(docs: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no results of replays"):
        write([tmp_path], docs)


def test_a_page_that_lost_its_place_for_results_is_refused(docs: Path) -> None:
    file = docs / REPLAYS[0] / "README.md"
    file.write_text(file.read_text().replace("<!-- End of the results. -->", ""))
    with pytest.raises(UsageError, match="has no place for results"):
        write([], docs)


NAME = "tornado-vs-starlette-2019"


def test_an_old_answer_is_told_in_the_sentences_of_today_and_no_number_changes(docs: Path) -> None:
    stored = read(DOCS / NAME / SUMMARY)
    old = stored.model_copy(update={"answer": "Starlette answered thrice as many."})
    file = write_summary(old, docs.parent / "old.json")
    write([file], docs)
    again = read(docs / NAME / SUMMARY)
    assert "thrice" not in again.answer
    assert again.answer.startswith(again.answer_lead)
    assert (again.cells, again.comparisons) == (stored.cells, stored.comparisons)


def test_a_result_of_another_state_of_its_study_keeps_its_own_words(docs: Path) -> None:
    stored = read(DOCS / NAME / SUMMARY)
    *arms, gone = stored.arms
    kept = [cell for cell in stored.cells if cell.arm != gone.name]
    other = {"answer": "Other arms.", "arms": arms, "cells": kept}
    old = stored.model_copy(update=other)
    write([write_summary(old, docs.parent / "old.json")], docs)
    assert read(docs / NAME / SUMMARY).answer == "Other arms."


@pytest.mark.parametrize("name", REPLAYS)
def test_a_page_is_no_wall(name: str) -> None:
    text = (DOCS / name / "README.md").read_text(encoding="utf-8")
    opened = re.sub(r"<details>.*?</details>", "", text, flags=re.DOTALL)
    rows = [line for line in opened.splitlines() if line.startswith("|")]
    assert len(rows) <= 40, "fold what few readers need"
    assert opened.count("too few") <= 2
    for picture in (DOCS / name).glob("*.png"):
        assert picture.stat().st_size <= 150_000, picture.name
