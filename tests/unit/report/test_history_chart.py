"""Numbers over time are drawn, whatever they are."""

from __future__ import annotations

from pathlib import Path

import altair
import pytest
from httpdyno.history import Observation, Place, Series, follow
from httpdyno.history.metrics import METRICS
from httpdyno.report import write_history
from httpdyno.report.charts.figures.history import MOST_PANELS, chosen, panels
from httpdyno.result import Estimate

SVG = "http://www.w3.org/2000/svg"


def series(values: list[float], name: str = "alpha/1", version: str = "1") -> list[Series]:
    place = Place("nightly", name, "full", "10", METRICS[0], "m", "d")
    return follow(
        Observation(
            place=place,
            run=night,
            at=1.79e9 + night * 86_400.0,
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
def test_any_numbers_are_drawn_by_the_schema_of_vega_lite(values: list[float]) -> None:
    chart = panels(series(values))
    assert altair.VConcatChart.from_dict(chart.to_dict()).to_dict()


def test_a_change_has_its_size_and_its_cause_beside_it(tmp_path: Path) -> None:
    assert write_history(series(STEP, version="2 <b>\x1b"), tmp_path / "c.svg") == 1
    text = (tmp_path / "c.svg").read_text()
    assert SVG in text
    assert "-10 %, server 1 → 2 &lt;b&gt;\\x1b" in text
    assert "\x1b" not in text


def test_of_many_series_those_with_changes_are_drawn_first() -> None:
    many = [one for at in range(20) for one in series([100.0] * 8, f"calm-{at}/1")]
    many += series(STEP, "moved/1")
    drawn = chosen(many)
    assert len(drawn) == MOST_PANELS
    assert drawn[-1].place.arm == "moved/1"
