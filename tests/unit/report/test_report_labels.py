"""Words in charts: inside the picture, and none over another."""

from __future__ import annotations

import re
from itertools import pairwise

import drawn
import large_sample
import many_arms
import pytest
import sample
from httpdyno.report.charts.catalogue import figures
from httpdyno.report.charts.drawing import scales, style
from httpdyno.report.charts.drawing.labels import GAP, spread
from httpdyno.report.charts.drawing.letters import cut, width, wrap_text
from httpdyno.report.charts.drawing.rows import Mark, Row, RowsPlot, draw_rows
from httpdyno.report.charts.figure import Figure
from httpdyno.result import CellRow, Estimate, StudyResult
from hypothesis import given, settings
from hypothesis import strategies as st


def suspect(result: StudyResult) -> StudyResult:
    """The result with the longest words beside its points: no interval, and suspect."""

    def doubtful(cell: CellRow) -> CellRow:
        changes: dict[str, object] = {}
        if cell.status == "valid":
            changes |= {"status": "suspect", "doubts": sample.doubted("late")}
        for name, value in cell:
            if isinstance(value, Estimate):
                changes[name] = value.model_copy(update={"low": None, "high": None})
        return cell.model_copy(update=changes)

    rows = [row.model_copy(update={"outcome": "no difference shown"}) for row in result.comparisons]
    cells = [doubtful(cell) for cell in result.cells]
    return result.model_copy(update={"cells": cells, "comparisons": rows})


def long_names(result: StudyResult) -> StudyResult:
    """The result with arms whose names are longer than any chart is wide."""
    text = result.model_dump_json()
    for name in ("tornado/1-process", "starlette/1-worker"):
        text = text.replace(name, f"{name}-{'with-a-very-long-name-' * 6}")
    return StudyResult.model_validate_json(text)


SHOWN: list[Figure] = [
    figure
    for result in (
        sample.replay(),
        suspect(sample.replay(5)),
        long_names(sample.replay(5)),
        sample.tiny(),
        large_sample.snap(),
        suspect(large_sample.snap()),
        large_sample.curves(),
        large_sample.curves(several=True),
        many_arms.arms(28),
        many_arms.arms(60),
    )
    for figure in figures(result)
]


@pytest.mark.parametrize("place", range(len(SHOWN)))
def test_no_words_run_into_others_or_out_of_the_picture(place: int) -> None:
    figure = SHOWN[place]
    for svg in (figure.svg, figure.narrow, figure.other):
        if svg is not None:
            assert drawn.collisions(svg) == [], figure.name
            assert drawn.outside(svg) == [], figure.name


def test_the_check_for_collisions_finds_one() -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 50">'
    two = f'{svg}<text x="0" y="20">first</text><g transform="translate(5 4)"><text x="0" y="20">'
    assert drawn.collisions(f"{two}second</text></g></svg>") == [("first", "second")]
    assert drawn.outside(f'{svg}<text x="80" y="20">out</text></svg>') == ["out"]


def test_a_line_without_a_result_is_named_above_the_names_of_the_others() -> None:
    """All arms answer what is offered, so their names crowd at the top, beside the crosses."""

    def level(cell: CellRow) -> CellRow:
        if cell.throughput_per_s is None or cell.rate_per_s is None:
            return cell
        rate = cell.rate_per_s * large_sample.CALLS
        changes = {"value": rate, "low": None, "high": None}
        even = cell.throughput_per_s.model_copy(update=changes)
        return cell.model_copy(update={"throughput_per_s": even, "status": "valid", "doubts": {}})

    whole = large_sample.curves()
    result = whole.model_copy(update={"cells": [level(cell) for cell in whole.cells]})
    figure = next(one for one in figures(result) if one.section == "rates")
    words = drawn.words(figure.svg)
    crosses = [one.bottom for one in words if one.text.startswith("✕ ")]
    first = [one for one in words if "b" in one.classes][:5]
    names = sorted(one.bottom for one in first)
    assert len(crosses) == 2
    assert len(names) == 5
    places = [*sorted(crosses), *names]
    assert all(below - above >= GAP - 0.5 for above, below in pairwise(places))


def test_numbers_on_an_axis_are_not_rounded() -> None:
    assert [scales.label(value) for value in (0, 1250, 0.05, 1_250_000, 2.5)] == [
        "0",
        "1,250",
        "0.05",
        "1.25 M",
        "2.5",
    ]


@given(st.floats(1e-9, 1e12), st.floats(1.0, 1e9), st.floats(60, 700), st.booleans())
def test_ticks_are_on_the_axis_ascending_and_not_too_many(
    low: float, ratio: float, pixels: float, log: bool
) -> None:
    values = [low, low * ratio]
    made = scales.logarithmic(values, 0, pixels) if log else scales.linear(values, 0, pixels)
    assert list(made.ticks) == sorted(set(made.ticks))
    assert 1 <= len(made.ticks) <= max(9, pixels / 40)
    assert all(made.low * 0.999 <= tick <= made.high * 1.001 for tick in made.ticks)
    assert 0 <= made.at(low) <= made.at(low * ratio) <= pixels


@settings(deadline=None)
@given(
    st.dictionaries(st.text(min_size=1, max_size=4), st.floats(-50, 400), min_size=1, max_size=18)
)
def test_names_never_cover_one_another_and_stay_in_the_chart(wanted: dict[str, float]) -> None:
    places = spread(wanted, 320.0)
    assert places.keys() == wanted.keys()
    ordered = sorted(places.values())
    assert ordered[0] >= -1e-6
    assert ordered[-1] <= 320 + 1e-6
    assert all(b - a >= GAP - 1e-6 for a, b in pairwise(ordered))
    ranks = sorted(wanted, key=lambda name: (wanted[name], places[name]))
    assert sorted(places.values()) == [places[name] for name in ranks]


def test_names_with_room_stand_where_their_lines_end() -> None:
    assert spread({"a": 20.0, "b": 100.0, "c": 250.0}, 320.0) == {"a": 20.0, "b": 100.0, "c": 250.0}


@given(st.text(max_size=60), st.floats(20, 300))
def test_a_text_that_is_cut_fits(text: str, room: float) -> None:
    shown = cut(text, room)
    assert width(shown) <= room or len(shown) <= 2
    assert shown == text or shown.endswith("…")


@given(st.lists(st.text("abc", min_size=1, max_size=9), max_size=20), st.floats(80, 300))
def test_wrapped_lines_fit_and_keep_every_word(parts: list[str], room: float) -> None:
    lines = wrap_text(" ".join(parts), room)
    assert " ".join(lines).split() == parts
    assert all(width(line) <= room for line in lines)


def test_equal_ratios_are_equal_distances_on_a_logarithmic_axis_only() -> None:
    log = scales.logarithmic([1.0, 100.0], 0.0, 400.0)
    assert log.at(10.0) - log.at(1.0) == pytest.approx(log.at(100.0) - log.at(10.0))
    linear = scales.linear([100.0], 0.0, 400.0)
    assert linear.at(0.0) == 0.0
    assert linear.at(50.0) == pytest.approx(linear.at(100.0) / 2)


NAMES = ("starlette/16-workers-behind-nginx", "go/1-core", "snap/no-access-log-and-no-gzip")
PLOT = RowsPlot(
    [
        Row(
            name,
            at,
            (Mark(2.0 + at, 1.5 + at, 2.5 + at),),
            "2.00× (no difference)",
            "1.50 to 2.50×",
        )
        for at, name in enumerate(NAMES)
    ],
    "requests per second relative to tornado/1-process",
    ratios=True,
    ties=[[0, 1, 2]],
)


def test_a_phone_shows_the_name_of_each_row_whole() -> None:
    svg = f'<svg xmlns="http://www.w3.org/2000/svg">{draw_rows(PLOT, style.NARROW).body}</svg>'
    assert set(NAMES) <= {one.text for one in drawn.words(svg)}
    assert drawn.collisions(svg) == []


def test_no_upright_line_runs_through_words_on_a_phone() -> None:
    """Where a name needs a line of its own, too; the steps of a row are those of the drawing."""
    for name in ("a", "a name that needs the whole width of a narrow drawing for itself"):
        rows = [Row(name, 0, (Mark(0.5, 0.4, 0.6),), "0.50×", "0.40 to 0.60×") for _ in range(3)]
        body = draw_rows(RowsPlot(rows, "relative to b", ratios=True), 360.0).body
        upright = [
            (float(top), float(end))
            for line in re.findall(r'class="(?:grid|ref)" d="([^"]+)"', body)
            for top, end in re.findall(r"M[\d.]+ ([\d.]+)V([\d.]+)", line)
        ]
        words = [float(y) for y in re.findall(r'<text[^>]* y="([\d.]+)"[^>]*halo', body)]
        words += [float(y) for y in re.findall(r'<text[^>]*halo[^>]* y="([\d.]+)"', body)]
        assert len(words) == 6
        assert upright
        assert not [y for y in words for top, end in upright if top < y < end]


def test_no_bracket_runs_through_words_on_a_phone() -> None:
    svg = f'<svg xmlns="http://www.w3.org/2000/svg">{draw_rows(PLOT, style.NARROW).body}</svg>'
    (bracket,) = [
        float(one.get("d", "")[1:].split()[0])
        for one in drawn.tree(svg).iter(f"{drawn.SVG}path")
        if drawn.classes(one) == {"ax"} and "V" in one.get("d", "")
    ]
    assert max(one.right for one in drawn.words(svg) if "e" in one.classes) < bracket


@pytest.mark.parametrize("letter", "AB")
@pytest.mark.parametrize(
    "name", ["python3 queue.py 500 (3fa91c) ({})", "a-long-name ({})/1-worker"]
)
def test_a_cut_name_keeps_the_letter_that_tells_two_arms_apart(name: str, letter: str) -> None:
    for room in (60.0, 80.0, 100.0, 120.0):
        shown = cut(name.format(letter), room)
        assert f" ({letter})" in shown
        assert width(shown) <= room
