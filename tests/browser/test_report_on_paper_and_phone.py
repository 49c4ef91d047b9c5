"""The report on paper and on a phone: within the page, and no longer than needed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import large_sample
import pytest
from browser import browser, needs_browser, tab
from httpdyno.report import write_files, write_report
from sample import replay

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ViewportSize

pytestmark = [pytest.mark.slow, pytest.mark.timeout(200), needs_browser]

RESULTS = {"replay": replay(blocks=5), "curves": large_sample.curves()}
SHEET_PX: ViewportSize = {"width": 703, "height": 1000}
"""The width between the margins of A4."""
_TOO_WIDE = """() => [...document.querySelectorAll("table")]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 1)
  .map((one) => one.caption.textContent)"""
_SCROLLS = """() => [...document.querySelectorAll(".scroll, .chart")]
  .filter((one) => one.checkVisibility() && getComputedStyle(one).overflowX !== "visible").length"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page of each result."""
    place = tmp_path_factory.mktemp("pages")
    return {name: write_report(result, place / name).html for name, result in RESULTS.items()}


@pytest.fixture(scope="module")
def running() -> Iterator[Browser]:
    """One browser for all tests."""
    with browser() as one:
        yield one


@pytest.mark.parametrize("name", RESULTS)
def test_on_paper_every_column_is_on_the_sheet_and_nothing_scrolls(
    name: str, pages: dict[str, Path], running: Browser
) -> None:
    with tab(running) as visit:
        visit.page.set_viewport_size(SHEET_PX)
        visit.go(pages[name].as_uri())
        visit.page.emulate_media(media="print")
        assert visit.page.evaluate(_TOO_WIDE) == []
        assert visit.page.evaluate(_SCROLLS) == 0


def test_each_sheet_of_a_long_table_has_its_head(pages: dict[str, Path], running: Browser) -> None:
    """Browsers repeat a head only if none of its boxes is one that cannot break, as buttons are."""
    with tab(running) as visit:
        visit.go(pages["curves"].as_uri())
        visit.page.emulate_media(media="print")
        display = "(all) => [...new Set(all.map((one) => getComputedStyle(one).display))]"
        assert visit.page.locator("thead button").evaluate_all(display) == ["contents"]


@pytest.mark.parametrize(("name", "most"), [("replay", 16), ("curves", 12)])
def test_paper_does_not_repeat_the_numbers_of_each_arm(
    name: str, most: int, pages: dict[str, Path], running: Browser
) -> None:
    with tab(running) as visit:
        visit.go(pages[name].as_uri())
        sheets = visit.page.pdf(format="A4").count(b"/Type /Page\n")
        assert 1 < sheets <= most
        visit.page.emulate_media(media="print")
        assert visit.page.locator("#arms table:visible").count() == 0
        assert visit.page.locator("#numbers table:visible").count() > 0


@pytest.mark.parametrize("name", RESULTS)
def test_a_phone_folds_the_parts_after_the_first_charts(
    name: str, pages: dict[str, Path], running: Browser
) -> None:
    with tab(running, phone=True) as visit:
        visit.go(pages[name].as_uri())
        assert visit.page.evaluate("document.documentElement.scrollHeight") < 8000
        assert not visit.page.locator("#numbers table").first.is_visible()
        assert visit.page.locator("#answer table").first.is_visible()
        visit.page.locator('nav a[href="#numbers"]').click()
        assert visit.page.locator("#numbers table").first.is_visible()
        assert visit.page.locator("#numbers h2").inner_text() == "All numbers"


def test_a_wide_screen_folds_no_part(pages: dict[str, Path], running: Browser) -> None:
    with tab(running) as visit:
        visit.go(pages["replay"].as_uri())
        assert visit.page.locator("details.part").count() == 0


def test_a_pdf_has_the_paper_of_the_locale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for locale, width in (("de_DE.UTF-8", 595), ("en_US.UTF-8", 612)):
        monkeypatch.setenv("LC_ALL", locale)
        written = dict(write_files(RESULTS["replay"], tmp_path, ("pdf",)))
        assert list(written) == ["pdf"]
        data = written["pdf"].read_bytes()
        assert data.startswith(b"%PDF-")
        widths = re.findall(rb"/MediaBox \[0 0 ([0-9.]+)", data)
        assert {round(float(one)) for one in widths} == {width}
