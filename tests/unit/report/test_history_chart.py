"""Numbers over time are drawn, whatever they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import drawn
import pytest
from httpdyno.history import Observation, Place, Series, follow
from httpdyno.metrics import METRICS
from httpdyno.report import write_history
from httpdyno.report.charts.drawing.sheet import make_figure
from httpdyno.report.charts.figures.history import MOST_PANELS, choose_charted, history
from httpdyno.result import Estimate

SVG = "http://www.w3.org/2000/svg"


def series(
    values: list[float], name: str = "alpha/1", version: str = "1", apart_s: float = 86_400.0
) -> list[Series]:
    place = Place("nightly", name, "full", "10", METRICS[0], "m", "d")
    return follow(
        Observation(
            place=place,
            run=night,
            at=1.79e9 + night * apart_s,
            estimate=Estimate(value=value, low=value * 0.99, high=value * 1.01, trials=5),
            status="suspect" if night == 1 else "valid",
            server=name,
            load_words="closed",
            machine_words="X",
            circumstances={"server": "1" if night < 5 else version},
        )
        for night, value in enumerate(values)
    )


STEP = [100.0, 101, 99, 100, 101, 90, 89, 91, 90, 89]


@pytest.mark.parametrize(
    "values", [[5.0], [0.0], [0.0] * 7, [5.0] * 7, [1e300, 1.0], STEP, [1e-9] * 3]
)
def test_any_numbers_are_drawn(values: list[float]) -> None:
    figure = make_figure(history(series(values)), "history")
    for svg in (figure.svg, figure.narrow or ""):
        assert drawn.tree(svg).get("role") == "img"
        assert "nan" not in svg
    assert len(figure.table.rows) == len(values)


def test_the_title_says_the_newest_change_or_that_there_is_none() -> None:
    moved = make_figure(history(series(STEP, version="2")), "history").title
    assert moved.startswith("alpha/1: requests per second -10 %, server 1 → 2, run 5 (2026-")
    calm = make_figure(history(series([100.0, 101, 99, 100, 102, 98, 100])), "history").title
    assert calm.startswith("No change of more than 5 % shown in 7 runs; a lasting rise of 6.4 %")
    assert calm.endswith(" would probably have shown")


@pytest.mark.parametrize("runs", [1, 2, 3])
def test_the_title_of_few_runs_does_not_say_that_nothing_changed(runs: int) -> None:
    title = make_figure(history(series([100.0, 50.0, 50.0][:runs])), "history").title
    assert title.endswith(": too few to tell a change, expected 4")


def test_the_title_says_that_changes_within_the_margin_were_seen() -> None:
    moved = follow((row for one in series(STEP) for row in one.observations), margin=0.3)
    title = make_figure(history(moved), "history").title
    assert title == "No change of more than 30 % shown in 10 runs; 1 smaller one"


def test_a_change_has_its_size_and_its_cause_beside_it(tmp_path: Path) -> None:
    assert write_history(series(STEP, version="2 <b>\x1b"), tmp_path / "c.svg") == 1
    text = (tmp_path / "c.svg").read_text()
    assert SVG in text
    assert "-10 %, server 1 → 2 &lt;b&gt;\\x1b" in text
    assert "\x1b" not in text


def test_a_thick_line_is_at_the_number_that_a_change_states() -> None:
    """The geometric mean of the runs before it, and of those behind it."""
    spread = [50.0, 200, 100] * 3
    moved = series([*spread, *(value / 20 for value in spread)])
    (change,) = moved[0].changes
    assert (change.point.before, change.point.after) == pytest.approx((100.0, 5.0))
    root = drawn.tree(make_figure(history(moved), "history").svg)
    lines = [one.get("d", "") for one in root.iter() if "line" in drawn.classes(one)]
    dots = [float(one.get("cy", "")) for one in root.iter(f"{drawn.SVG}circle")][-18:]
    same = dots[spread.index(100)], dots[9 + spread.index(100)]
    assert tuple(float(line.split()[-1]) for line in lines) == pytest.approx(same)


def test_a_thick_line_has_the_runs_of_a_step_that_is_too_small_to_be_claimed() -> None:
    values = [100.0, 100.02] * 5 + [100.9, 100.92] * 5 + [51.0, 49.0] * 5
    (moved,) = series(values)
    (change,) = moved.changes
    root = drawn.tree(make_figure(history([moved]), "history").svg)
    lines = [one.get("d", "") for one in root.iter() if "line" in drawn.classes(one)]
    dots = [float(one.get("cy", "")) for one in root.iter(f"{drawn.SVG}circle")][-30:]
    unit = (dots[0] - dots[-1]) / (values[0] - values[-1])
    levels = [values[0] + (float(line.split()[-1]) - dots[0]) / unit for line in lines]
    assert levels == pytest.approx([change.point.before, change.point.after], abs=0.15)


def test_a_change_that_a_suspect_run_hides_is_marked() -> None:
    rows = list(series([36.7, 36.3, 36.4, 36.6, 36.4, 106, 65.5, 65.5])[0].observations)
    wild = rows[5].estimate.model_copy(update={"low": 25.0, "high": 1500.0})
    rows = [replace(row, status="valid") for row in rows]
    rows[5] = replace(rows[5], estimate=wild, status="suspect")
    (hidden,) = follow(rows)
    assert hidden.changes == ()
    assert ">+80 % without suspect runs<" in make_figure(history([hidden]), "history").svg


def test_a_change_from_0_has_no_infinite_size() -> None:
    title = make_figure(history(series([0.0] * 5 + [5.0] * 5)), "history").title
    assert title.startswith("alpha/1: requests per second up from 0, run 5 (2026-")


def test_of_many_series_those_with_changes_are_drawn_first() -> None:
    many = [one for at in range(20) for one in series([100.0] * 8, f"calm-{at}/1")]
    many += series(STEP, "moved/1")
    drawn = choose_charted(many)
    assert len(drawn) == MOST_PANELS
    assert drawn[-1].place.arm == "moved/1"


@pytest.mark.parametrize(
    ("apart_s", "labels"),
    [
        (60.0, ("09-21 14:10", "09-21 14:15", "09-21 14:20")),
        (1200.0, ("09-21 14:00", "09-21 17:00")),
        (86_400.0, ("2026-09-21", "2026-09-29")),
    ],
)
def test_runs_of_one_evening_have_the_time_of_day(apart_s: float, labels: tuple[str, ...]) -> None:
    figure = make_figure(history(series([100.0] * 10, apart_s=apart_s)), "history")
    assert all(f">{label}<" in figure.svg for label in labels), figure.svg
    assert figure.table.rows[0][3] == "2026-09-21 14:13 UTC"
