"""The summary of a result: small, of the same format, and enough for a report."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import large_sample
import pytest
import sample
from httpdyno.cli.report.verb import report
from httpdyno.errors import UsageError
from httpdyno.report import write_picture, write_report, write_summary
from httpdyno.report.charts.catalogue import figures
from httpdyno.report.result_json import parse, read, summary, to_json, to_short_json
from httpdyno.result import StudyResult

SNAP = large_sample.snap()
CURVES = large_sample.curves()


@pytest.mark.parametrize("result", [SNAP, CURVES, sample.empty()], ids=lambda each: each.name)
def test_a_summary_reads_back_as_itself_to_five_digits(result: StudyResult) -> None:
    text = to_short_json(summary(result))
    again = parse(text, "x")
    assert to_short_json(again) == text
    assert [cell.arm for cell in again.cells] == [cell.arm for cell in result.cells]
    for ours, theirs in zip(again.cells, result.cells, strict=True):
        mine, other = ours.throughput_per_s, theirs.throughput_per_s
        if mine is None or other is None:
            assert mine is other
            continue
        assert mine.value == pytest.approx(other.value, rel=1e-4)
        assert mine.trials == other.trials


def test_a_summary_is_small_because_the_restarts_are_not_in_it() -> None:
    short = to_short_json(summary(SNAP))
    assert len(short) < len(to_json(SNAP)) / 2
    assert all(cell.trials == [] and not cell.latency_spectrum for cell in parse(short, "x").cells)
    assert json.loads(short)["started_at"] == SNAP.started_at, "a time is no measurement to round"


def test_each_row_of_a_table_is_a_line_so_that_changes_can_be_read() -> None:
    lines = to_short_json(summary(SNAP)).splitlines()
    assert sum(line.startswith('  {"arm":') for line in lines) >= len(SNAP.cells)


def test_a_report_can_be_written_from_a_summary(tmp_path: Path) -> None:
    file = write_summary(CURVES, tmp_path / "summary.json")
    again = read(file)
    page = write_report(again, tmp_path / "report").html.read_text()
    assert CURVES.answer in page
    assert "written from a summary, which has no single trials and no latency distributions" in page
    assert "without single trials:" in page
    assert 'id="spectrum"' not in page, "no section for what a summary cannot have"
    for words in ("Small dots", "Each small dot", "No cell has a latency distribution"):
        assert words not in page
    whole = {drawing.name for drawing in figures(CURVES) if drawing.section != "spectrum"}
    assert whole == {drawing.name for drawing in figures(again)}


def test_a_picture_is_written_for_each_workload(tmp_path: Path) -> None:
    assert [path.name for path in write_picture(CURVES, tmp_path / "picture.png")] == [
        "picture.png"
    ]
    written = write_picture(SNAP, tmp_path / "picture.png")
    assert [path.name for path in written] == ["picture-pong.png", "picture-file.png"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in written)
    assert write_picture(sample.tiny(), tmp_path / "none.png") == []


@pytest.mark.parametrize(
    ("result", "lack"),
    [
        (sample.tiny(), "no published numbers"),
        (sample.empty().model_copy(update={"published": sample.published()}), "no results"),
    ],
    ids=["no replay", "a replay without results"],
)
def test_a_picture_that_cannot_be_drawn_is_an_error_and_no_file(
    result: StudyResult, lack: str, tmp_path: Path
) -> None:
    folder = write_report(result, tmp_path / "it's").json.parent
    with pytest.raises(UsageError, match=lack) as caught:
        report(str(folder), picture=tmp_path / "x.png")
    assert not (tmp_path / "x.png").exists()
    words = shlex.split(str(caught.value.hint).split("`")[1])
    assert words == ["httpdyno", "report", str(folder), "--charts"]


def test_the_verb_writes_only_what_it_was_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = write_report(CURVES, tmp_path / "first")
    (tmp_path / "out").mkdir()
    short, png = tmp_path / "out" / "s.json", tmp_path / "out" / "p.png"
    report(str(first.json), summary=short, picture=png)
    assert capsys.readouterr().out.split() == [str(short), str(png)]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["p.png", "s.json"]
    assert not (tmp_path / "first" / "charts").exists()
