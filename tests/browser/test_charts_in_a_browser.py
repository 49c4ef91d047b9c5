"""The words of charts as a real browser sets them: none over another, none beyond an edge."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import large_sample
import many_arms
import pytest
import sample
from browser import browser, needs_browser, tab
from httpdyno.report.charts.catalogue import figures
from httpdyno.report.charts.drawing import style
from httpdyno.result import StudyResult

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400), needs_browser]

_FAULTS = """() => [...document.querySelectorAll("svg")].flatMap((svg) => {
  const edge = svg.getBoundingClientRect();
  const boxes = [...svg.querySelectorAll("text")].filter((one) => one.textContent.trim())
    .map((one) => [one.getBoundingClientRect(), one.textContent]);
  const out = boxes.filter(([box]) => box.left < edge.left - 1.5 || box.right > edge.right + 1.5)
    .map(([, text]) => `beyond the edge: ${text}`);
  // A line of text has room above and below its letters.
  const over = boxes.flatMap(([a, one], at) => boxes.slice(at + 1)
    .filter(([b]) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
      && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 5)
    .map(([, other]) => `${one} over ${other}`));
  return [...out, ...over].map((fault) => `${svg.querySelector("title").id}: ${fault}`);
})"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser for all tests."""
    with browser() as one:
        yield one


@pytest.mark.parametrize(
    "result",
    [many_arms.arms(28), large_sample.snap(), large_sample.curves(), sample.replay(5)],
    ids=lambda result: result.name,
)
def test_no_words_cover_others_in_the_fonts_of_a_browser(
    result: StudyResult, tmp_path: Path, chromium: Browser
) -> None:
    drawings = [
        f'<div style="width: {wide}px">{svg}</div>'
        for figure in figures(result)
        for wide, svg in ((style.WIDE, figure.svg), (style.NARROW, figure.narrow))
        if svg is not None
    ]
    colours = f":root {{ {style.palette_css()} }}"
    page = tmp_path / "charts.html"
    head = f'<meta charset="utf-8"><style>{colours}\n{style.css()}</style>'
    page.write_text(f"<!doctype html>{head}{''.join(drawings)}", encoding="utf-8")
    with tab(chromium) as visit:
        visit.go(page.as_uri())
        assert visit.page.evaluate(_FAULTS) == []
        visit.picture(f"charts-{result.name}")


def test_what_several_plots_share_is_lines_and_no_areas(tmp_path: Path, chromium: Browser) -> None:
    # A browser does not match the rules of a chart inside `<use>`: what is there inherits.
    page = tmp_path / "charts.html"
    colours = f":root {{ {style.palette_css()} --grid: silver; --muted: grey; }}"
    shared = [one.svg for one in figures(many_arms.arms(28)) if "<use" in one.svg]
    page.write_text(
        f"<!doctype html><style>{colours}\n{style.css()}</style>{''.join(shared)}", encoding="utf-8"
    )
    with tab(chromium) as visit:
        visit.go(page.as_uri())
        drawn = visit.page.evaluate(
            """() => [...document.querySelectorAll("use")].map(getComputedStyle)
              .map((one) => [one.fill, one.stroke !== "none"])"""
        )
        assert len(drawn) >= 2 * 28
        assert {tuple(one) for one in drawn} == {("none", True)}
