"""docs/replays/: its pages are what its summaries say, and a finished run can be put there."""

from __future__ import annotations

import shutil
from pathlib import Path

import large_sample
import pytest
import sample
from httpdyno.errors import UsageError
from httpdyno.report import write_report
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
    assert {"README.md", SUMMARY, "picture.png", "curve-rates-as-published.png"} <= files
    assert "curve-memory-as-published.png" in files
    text = (docs / result.name / "README.md").read_text()
    assert "Not measured yet." not in text
    assert result.answer in text
    assert "![Published, rerun, corrected](picture.png)" in text
    for part in before.split("<!-- ")[::2]:
        assert part.split("-->")[-1] in text, "what people wrote stays"
    assert result.answer in (docs / "README.md").read_text()


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
