"""Charts as a real browser draws them: no words over others or beyond an edge, lines, not areas."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import large_sample
import many_arms
import pytest
import sample
from browser import browser, needs_browser, tab
from httpdyno.report import write_files
from httpdyno.report.charts.catalogue import figures
from httpdyno.report.charts.drawing import style
from httpdyno.report.charts.picture import file_svg
from httpdyno.result import StudyResult

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FloatRect, Page

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

_PLOTS = """() => [...document.querySelectorAll("use.back")]
  .filter((one) => one.checkVisibility() && one.closest("g[data-arm]").dataset.arm === "1")
  .map((one) => one.previousElementSibling.getBoundingClientRect())
  .map((box) => ({x: box.x + scrollX, y: box.y + scrollY, width: box.width, height: box.height}))"""
_HIDE = """(selector) => document.querySelectorAll(selector).forEach(
  (one) => one.style.visibility = "hidden")"""
_CHANGED = """async (pictures) => {
  const [before, after] = await Promise.all(pictures.map(async (png) => {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
    pen.drawImage(image, 0, 0);
    return new Uint32Array(pen.getImageData(0, 0, image.width, image.height).data.buffer);
  }));
  return before.filter((pixel, at) => pixel !== after[at]).length / before.length;
}"""
"""The share of pixels that differ between two pictures."""
NINE = many_arms.arms(9)


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


@pytest.mark.parametrize("look", ["light", "dark", "phone", "print", "file"])
def test_the_other_arms_of_small_multiples_are_lines_on_a_grid(
    look: str, tmp_path: Path, chromium: Browser
) -> None:
    place = dict(write_files(NINE, tmp_path, ("html",)))["html"]
    if look == "file":
        [chart] = [one for one in figures(NINE) if one.name == "spectrum-keep-alive"]
        place.write_text(f"<!doctype html><meta charset=utf-8>{file_svg(chart)}", encoding="utf-8")
    with tab(chromium, dark=look == "dark", phone=look == "phone", bypass_csp=True) as visit:
        visit.go(place.as_uri())
        visit.unfold()
        if look == "print":
            visit.page.emulate_media(media="print")
        plots: list[FloatRect] = visit.page.evaluate(_PLOTS)
        assert plots
        with_all = _pictures(visit.page, plots)
        visit.page.evaluate(_HIDE, "use.back")
        with_grid = _pictures(visit.page, plots)
        visit.page.evaluate(_HIDE, "use")
        without = _pictures(visit.page, plots)
        grey = [
            visit.page.evaluate(_CHANGED, pair) for pair in zip(with_all, with_grid, strict=True)
        ]
        grid = [
            visit.page.evaluate(_CHANGED, pair) for pair in zip(with_grid, without, strict=True)
        ]
        assert all(0 < share < 0.25 for share in grey), "nine thin lines leave most of a plot free"
        assert all(0 < share < 0.1 for share in grid)


def _pictures(page: Page, plots: list[FloatRect]) -> list[str]:
    return [
        base64.b64encode(page.screenshot(clip=plot, full_page=True)).decode() for plot in plots[:2]
    ]
