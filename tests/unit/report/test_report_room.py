"""A page has room for any study: charts first whole, then plain, in the end as findings."""

from __future__ import annotations

import large_sample
import many_arms
import pytest
import sample
from httpdyno.report.charts import room
from httpdyno.report.charts.catalogue import figures
from httpdyno.report.charts.figure import Figure, Kind, Section, Table
from httpdyno.report.contents import arm_pages, overviews, verdicts
from httpdyno.report.contents.rows import ranks, tables
from httpdyno.report.page import Place, prose, render, whole_page
from httpdyno.report.text.safe_texts import make_safe
from httpdyno.result import StudyResult

SNAP = large_sample.snap()


def chart(name: str, section: Section, size: int) -> Figure:
    """A chart whose drawings have so many bytes."""

    def drawing(kind: Kind) -> tuple[str, bool]:
        return "" if kind == "other" else f'<g data-tip="{name}"/>'.ljust(size, "-"), False

    return Figure(section, name, "A finding", "Drawn.", None, drawing, lambda: Table(("a",), ()))


def test_a_small_study_has_all_its_charts_whole() -> None:
    charts = figures(SNAP)
    assert {one.form for one in room.fit_charts(charts)} == {"whole"}


def test_a_larger_one_has_the_first_chart_of_each_section_whole_and_then_findings() -> None:
    charts = [chart(f"{part}-{at}", part, 100_000) for part in ("ratio", "cpu") for at in range(30)]
    forms = {one.name: one.form for one in room.fit_charts(charts)}
    assert forms["ratio-0"] == forms["cpu-0"] == "whole"
    assert forms["ratio-1"] == forms["cpu-1"] == "plain"
    assert forms["ratio-29"] == forms["cpu-29"] == "title"
    shown = [one for one in room.fit_charts(charts) if one.form != "title"]
    bytes_there = sum(len(one.svg) + len(one.narrow or "") for one in shown)
    assert room.MOST <= bytes_there <= room.MOST + 200_000


def test_a_plain_chart_has_no_tips_no_drawing_for_phones_and_no_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(room, "SMALL", 0)
    monkeypatch.setattr(room, "WHOLE", 0)
    found = room.fit_charts(figures(SNAP))
    assert {one.form for one in found} == {"plain"}
    assert all(one.narrow is None and one.other is None and not one.table.rows for one in found)
    assert not any("data-tip" in one.svg for one in found)


def test_a_chart_without_room_leaves_its_finding_and_the_way_to_its_drawing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("SMALL", "WHOLE", "MOST"):
        monkeypatch.setattr(room, name, 0)
    charts = [one for one in figures(SNAP) if one.section == "cpu"]
    html = render(SNAP, charts)
    part = html[html.index('id="cpu"') : html.index('id="memory"')]
    assert part.count("<svg") == 1, "the first chart of a section is always there"
    title = prose(charts[1].title)
    assert title in part
    assert "httpdyno report FOLDER --format svg" in part
    beside = render(SNAP, charts, place=Place(chart_files=("svg",)))
    assert f'<a href="charts/{charts[1].name}.svg">{title}</a>' in beside


def test_the_page_of_a_wide_study_is_small_and_says_where_the_rest_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tables, "MOST_ROWS", 10)
    monkeypatch.setattr(ranks, "MOST_ROWS", 10)
    monkeypatch.setattr(overviews, "MOST_CELLS", 10)
    monkeypatch.setattr(arm_pages, "MOST_CELLS", 10)
    monkeypatch.setattr(verdicts, "MOST_PLACES", 1)
    html = whole_page(SNAP)
    numbers = html[html.index('id="numbers"') : html.index('id="arms"')]
    assert numbers.count('<tr class="') == 10
    assert f"{len(SNAP.cells) // 2 - 10} more rows are in the data of this page." in numbers
    arms = html[html.index('id="arms"') : html.index('id="verdicts"')]
    assert "Its numbers</a> are in the table of all numbers." in arms
    assert "Numbers of" not in arms
    assert "1 more is in the data of this page." in html[html.index('id="verdicts"') :]
    others = html[html.index("Under the other loads") : html.index('id="limits"')]
    assert "The other arm of this load is in" in others


def test_many_arms_draw_their_charts_only_when_they_are_asked_for() -> None:
    drawn: list[str] = []

    def drawing(kind: Kind) -> tuple[str, bool]:
        drawn.append(kind)
        return "<svg/>", False

    one = Figure("cpu", "a", "A finding", "Drawn.", None, drawing, lambda: Table((), ()))
    assert (one.title, drawn) == ("A finding", [])
    assert one.svg
    assert drawn == ["wide"]


@pytest.mark.parametrize("result", [sample.replay(), many_arms.arms(28)], ids=lambda one: one.name)
def test_a_result_without_control_characters_is_not_copied(result: StudyResult) -> None:
    assert make_safe(result).cells is result.cells
    bad = result.model_copy(update={"title": "a\x1b[2Jb"})
    assert make_safe(bad).title == "a\\x1b[2Jb"
