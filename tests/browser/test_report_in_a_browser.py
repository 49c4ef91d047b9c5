"""The report in a real browser, from the disk: readable everywhere, and whole without a script."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import large_sample
import pytest
import walk_samples
from browser import axe_source, browser, needs_browser, tab
from httpdyno.cli.report.publish import publish
from httpdyno.report import write_report
from httpdyno.result import StudyResult
from sample import ARMS, replay

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400), needs_browser]

REPLAY = replay(blocks=5)
_TINY_LETTERS = """() => [...document.querySelectorAll("svg text")]
  .filter((one) => one.checkVisibility() && one.textContent.trim())
  .map((one) => [
    parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().a, one.textContent])
  .filter(([size]) => size < 11.9)"""
_MARKS_APART = """() => {
  const marks = [...document.querySelectorAll("td .mark")].filter((one) => one.checkVisibility());
  const apart = marks.filter((one) => {
    const before = document.createRange();
    before.selectNode(one.previousElementSibling || one.previousSibling);
    const [own, number] = [one.getBoundingClientRect(), before.getBoundingClientRect()];
    return Math.abs(own.bottom - number.bottom) > own.height / 2;
  });
  return [marks.length > 0, apart.map((one) => one.parentElement.textContent)];
}"""
_HIDDEN_PARTS = """() => [...document.querySelectorAll("details > :not(summary)")]
  .filter((one) => !one.closest(".embed, .filters, .data, .on-screen"))
  .filter((one) => !one.checkVisibility()).length"""


def with_huge_numbers() -> StudyResult:
    """A result with numbers that no axis can hold."""
    raw = json.loads(REPLAY.model_dump_json())
    raw["published"][0]["requests_per_s"] = 1e308
    for cell in raw["cells"][::3]:
        for name in ("throughput_per_s", "p50_s", "p99_s", "server_rss_bytes"):
            if cell[name]:
                cell[name]["value"] = cell[name]["high"] = 1e308
    return StudyResult.model_validate(raw)


def capacities() -> StudyResult:
    """A study that only searches for capacities."""
    walked = [
        *walk_samples.climbs([1000.0, 1010.0, 1020.0, 1030.0, 1040.0]),
        *walk_samples.climbs([1900.0, 1905.0, 1950.0, 2001.0, 2100.0], "a/2-workers", 2),
    ]
    return walk_samples.result(walk_samples.study(), walked)


RESULTS = {
    "replay": REPLAY,
    "many": large_sample.snap(),
    "curves": large_sample.curves(),
    "capacities": capacities(),
    "huge": with_huge_numbers(),
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every kind of page, as files."""
    place = tmp_path_factory.mktemp("pages")
    found = {name: write_report(result, place / name).html for name, result in RESULTS.items()}
    publish(place / "site", [str(place / name) for name in ("replay", "many", "capacities")])
    site = place / "site"
    return found | {
        "index": site / "index.html",
        "arm": site / "arms" / "tornado-1-process.html",
        "study": site / "studies" / "tornado-vs-starlette" / "index.html",
    }


@pytest.fixture(scope="module")
def running() -> Iterator[Browser]:
    """One browser for all tests."""
    with browser() as one:
        yield one


LOOKS = (
    *((name, "desk") for name in ("replay", "many", "capacities", "huge", "index", "arm", "study")),
    *((name, "dark phone") for name in ("replay", "curves", "index", "arm", "study")),
)


@pytest.mark.parametrize(("name", "look"), LOOKS)
def test_every_page_is_good_to_read(
    name: str, look: str, pages: dict[str, Path], running: Browser
) -> None:
    with tab(running, phone="phone" in look, dark="dark" in look) as visit:
        visit.go(pages[name].as_uri())
        visit.unfold()
        visit.picture(f"{name}-{look.replace(' ', '-')}")
        visit.require_good_page()
        assert visit.page.evaluate(_TINY_LETTERS) == []


def test_without_a_script_everything_is_there_and_nothing_pretends_to_work(
    pages: dict[str, Path], running: Browser
) -> None:
    with tab(running, java_script_enabled=False) as visit:
        visit.go(pages["replay"].as_uri())
        assert visit.page.locator("#numbers tbody tr").count() >= len(REPLAY.cells)
        for control in visit.page.locator("button, select, input").all():
            assert not control.is_visible()
        visit.page.locator("#arms summary").first.click()
        assert visit.page.locator("#arms table").first.is_visible()


def test_a_filter_hides_rows_and_stays_in_the_address(
    pages: dict[str, Path], running: Browser
) -> None:
    with tab(running) as visit:
        page = visit.page
        visit.go(pages["replay"].as_uri())
        rows = page.locator("#numbers tbody tr:visible")
        before = rows.count()
        page.get_by_role("combobox", name="Load").select_option("keep-alive")
        assert 0 < rows.count() < before
        assert "load=keep-alive" in page.url
        page.get_by_role("combobox", name="Verdict").select_option("valid")
        with_both, address = rows.count(), page.url
        visit.go("about:blank")
        visit.go(address)
        assert rows.count() == with_both
        page.get_by_role("button", name="Show all").click()
        page.wait_for_function("() => !location.hash.includes('=')")
        assert rows.count() == before
        page.get_by_label("Find").fill("no such arm")
        assert page.get_by_role("status").filter(has_text="No row matches").is_visible()
        assert visit.console == []


def test_charts_are_folded_where_arms_are_many_and_found_by_the_filter_of_loads(
    pages: dict[str, Path], running: Browser
) -> None:
    with tab(running) as visit:
        page = visit.page
        visit.go(pages["many"].as_uri())
        charts = page.locator("#cpu figure[data-load='keep-alive']")
        assert page.locator("#cpu figure:visible").count() == 3
        assert [chart.is_visible() for chart in charts.all()] == [True, False]
        page.locator("[data-filter=load]").select_option("keep-alive")
        assert [chart.is_visible() for chart in charts.all()] == [True, True]


def test_an_arm_can_be_hidden_in_tables_and_charts(
    pages: dict[str, Path], running: Browser
) -> None:
    with tab(running) as visit:
        page = visit.page
        visit.go(pages["replay"].as_uri())
        page.locator("#filters summary").click()
        page.get_by_role("checkbox", name=ARMS[1]).uncheck()
        assert page.locator(f"#numbers th:has-text('{ARMS[1]}'):visible").count() == 0
        assert page.locator(f"#numbers th:has-text('{ARMS[0]}'):visible").count() > 0
        assert "hide=1" in page.url
        marks = page.locator("svg [data-arm='1']")
        assert marks.count() > 0
        assert all(not mark.is_visible() for mark in marks.all())


_UNEVEN = """() => [...document.querySelectorAll("[data-step]")]
  .filter((plot) => plot.checkVisibility()).flatMap((plot) => {
  const top = (part) => [...part.querySelectorAll("text")]
    .find((one) => one.textContent.trim())?.getBoundingClientRect().top;
  const step = Number(plot.dataset.step) * plot.getScreenCTM().d;
  const rows = [...plot.querySelectorAll('[data-part="row"]:not(.gone)')].map(top);
  const foot = top(plot.querySelector('[data-part="foot"]'));
  const gaps = [...rows.slice(1), foot].map((next, at) => (next - rows[at]) / step);
  const ties = [...plot.querySelectorAll("[data-tie]:not(.gone)")]
    .map((tie) => tie.getBoundingClientRect())
    .filter((box) => box.top < rows[0] || box.bottom > foot);
  return [...gaps.filter((gap) => gap < 0.5 || gap > 1.5), ...ties];
})"""
"""Rows of charts that are not one step below the row before, and brackets beyond the rows."""


@pytest.mark.parametrize("phone", [False, True])
def test_charts_close_up_where_arms_are_hidden_and_open_again(
    phone: bool, pages: dict[str, Path], running: Browser
) -> None:
    with tab(running, phone=phone) as visit:
        page = visit.page
        visit.go(pages["many"].as_uri())
        visit.unfold()
        assert page.locator("[data-step] [data-part='row']:visible").count() > 50
        assert page.evaluate(_UNEVEN) == []
        height = "() => document.querySelector('#throughput').scrollHeight"
        whole = page.evaluate(height)
        visit.go("about:blank")
        visit.go(f"{pages['many'].as_uri()}#hide=1,2,5,8,9")
        visit.unfold()
        assert page.evaluate(_UNEVEN) == []
        assert page.evaluate(height) < 0.8 * whole
        page.locator("#filters summary").click()
        page.get_by_role("button", name="Show all").click()
        page.wait_for_url(lambda url: "#" not in url)
        assert page.evaluate(_UNEVEN) == []
        assert page.evaluate(height) == whole


def test_another_baseline_gives_ratios_and_no_interval_that_nobody_computed(
    pages: dict[str, Path], running: Browser
) -> None:
    with tab(running) as visit:
        page = visit.page
        visit.go(pages["replay"].as_uri())
        ratios = page.locator("#answer table.overview").first.locator("td.ratio")
        before = ratios.all_inner_texts()
        assert any(" to " in text for text in before)
        page.get_by_label("Compare with").select_option(label=ARMS[3])
        other = ratios.all_inner_texts()
        assert "baseline" in other
        assert not [text for text in other if " to " in text]
        values = [float(text.removesuffix("×")) for text in other if text.endswith("×")]
        assert values
        assert all(value < 1 for value in values), "the fastest arm"
        assert "without an interval" in page.locator(".baseline").inner_text()
        page.get_by_label("Compare with").select_option(index=0)
        assert ratios.all_inner_texts() == before


def test_a_ratio_of_a_suspect_number_is_marked_under_every_baseline(
    pages: dict[str, Path], running: Browser
) -> None:
    with tab(running) as visit:
        page = visit.page
        visit.go(pages["replay"].as_uri())
        page.locator("#answer details > summary", has_text="other loads").click()
        table = page.locator("#answer details table.overview", has_text="4,000/s").first
        page.get_by_label("Compare with").select_option(label=ARMS[3])
        marked = []
        for row in table.locator("tbody tr:has(td.ratio)").all():
            ratio = row.locator("td.ratio")
            if ratio.inner_text() != "baseline":
                suspect = row.locator("td[data-label='p99'] .mark").count()
                assert ratio.locator(".mark").count() == suspect
                marked.append(suspect)
        assert set(marked) == {0, 1}, "that of the new baseline is not suspect"
        first = page.locator("#answer table.overview").first
        assert first.locator("td.ratio .mark").count() == 0
        assert visit.console == []


def test_the_keyboard_reaches_everything(pages: dict[str, Path], running: Browser) -> None:
    with tab(running) as visit:
        page = visit.page
        visit.go(pages["replay"].as_uri())
        page.keyboard.press("Tab")
        assert page.locator(":focus").inner_text() == "Skip to the content"
        chart = page.locator(".chart").first
        chart.focus()
        tip = page.locator("#tip")
        page.keyboard.press("ArrowRight")
        first = tip.inner_text()
        page.keyboard.press("ArrowRight")
        assert first
        assert tip.inner_text() != first
        page.keyboard.press("Escape")
        assert not tip.is_visible()
        head = page.locator("#numbers table th[data-sort] button").nth(1)
        head.focus()
        page.keyboard.press("Enter")
        assert page.locator("#numbers table").first.locator("th[aria-sort]").count() == 1


def test_a_chart_changes_its_scale_and_the_address_keeps_it(
    pages: dict[str, Path], running: Browser
) -> None:
    with tab(running) as visit:
        page = visit.page
        visit.go(pages["curves"].as_uri())
        figure = page.locator("figure:has(.other)").first
        assert figure.locator(".wide").is_visible()
        figure.get_by_role("button", name="scale").click()
        assert figure.locator(".other").is_visible()
        assert not figure.locator(".wide").is_visible()
        address = page.url
        visit.go("about:blank")
        visit.go(address)
        assert figure.locator(".other").is_visible()
        assert visit.console == []


def test_a_phone_keeps_its_own_drawing_also_under_a_link_with_a_scale(
    pages: dict[str, Path], running: Browser
) -> None:
    with tab(running, phone=True) as visit:
        visit.go(f"{pages['curves'].as_uri()}#scale=rates-as-published")
        visit.unfold()
        figure = visit.page.locator("figure:has(.other)").first
        assert figure.get_attribute("id") == "figure-rates-as-published"
        assert figure.locator("[data-scale]").get_attribute("aria-pressed") == "true"
        assert figure.locator(".narrow").is_visible()
        assert not figure.locator(".other").is_visible()
        assert not figure.locator("[data-scale]").is_visible()
        chart = figure.locator(".chart")
        assert chart.evaluate("(one) => one.scrollWidth <= one.clientWidth")


def test_sorting_puts_the_largest_first_then_the_smallest_and_no_result_last(
    pages: dict[str, Path], running: Browser
) -> None:
    with tab(running) as visit:
        page = visit.page
        visit.go(pages["replay"].as_uri())
        table = page.locator("#numbers table").nth(1)
        head = table.get_by_role("button", name="requests/s")
        cells = table.locator("tbody tr td:first-of-type")
        for descending in (True, False):
            head.click()
            values = [cell.get_attribute("data-value") for cell in cells.all()]
            numbers = [float(value) for value in values if value is not None]
            assert numbers == sorted(numbers, reverse=descending)
            assert None not in values[: len(numbers)]


def test_a_mark_of_doubt_leads_to_its_reason(pages: dict[str, Path], running: Browser) -> None:
    with tab(running, phone=True) as visit:
        page = visit.page
        visit.go(pages["curves"].as_uri())
        visit.unfold()
        mark = page.locator("#numbers a.mark:visible").first
        mark.focus()
        assert page.locator("#tip").inner_text().startswith("suspect: ")
        target = str(mark.get_attribute("href"))
        mark.click()
        assert page.locator(target).is_visible()
        assert page.url.endswith(target)
        page.locator("#answer a.arm").first.click()
        assert page.locator("details.one-arm[open]").count() == 1


def test_paper_has_every_part_and_no_dark_colours(pages: dict[str, Path], running: Browser) -> None:
    with tab(running, dark=True) as visit:
        visit.go(pages["many"].as_uri())
        assert visit.page.evaluate(_HIDDEN_PARTS) > 0
        visit.page.emulate_media(media="print")
        assert visit.page.evaluate(_HIDDEN_PARTS) == 0
        ink = visit.page.evaluate("() => getComputedStyle(document.body).color")
        assert ink == "rgb(28, 36, 48)"
        heads = visit.page.locator("thead th")
        assert {bool(head.inner_text().strip()) for head in heads.all()} == {True}
        visit.picture("many-print")


def test_on_a_phone_a_mark_of_doubt_is_on_the_line_of_its_number(
    pages: dict[str, Path], running: Browser
) -> None:
    with tab(running, phone=True) as visit:
        visit.page.set_viewport_size({"width": 360, "height": 740})
        visit.go(pages["replay"].as_uri())
        visit.page.locator("#answer details > summary", has_text="other loads").click()
        visit.page.get_by_label("Compare with").select_option(label=ARMS[3])
        assert visit.page.evaluate(_MARKS_APART) == [True, []]
        visit.page.get_by_label("Compare with").select_option(index=0)
        assert visit.page.evaluate(_MARKS_APART) == [True, []]


def test_names_from_a_study_are_text_and_never_markup(tmp_path: Path, running: Browser) -> None:
    hostile = "</title><script>document.title='broken'</script>\"'><b>x</b>"
    text = REPLAY.model_dump_json().replace(json.dumps(ARMS[1]), json.dumps(hostile))
    result = StudyResult.model_validate_json(text).model_copy(update={"title": hostile})
    page = write_report(result, tmp_path).html
    with tab(running) as visit:
        visit.go(page.as_uri())
        assert visit.page.locator("h1").inner_text() == hostile
        assert visit.page.locator("#numbers b").count() == 0
        assert visit.page.title() == f"{hostile} · httpdyno"
        visit.require_good_page()


def test_pages_are_also_checked_by_axe() -> None:
    source = axe_source()
    if source is None:
        pytest.skip("npm could not install axe-core: no page is checked for accessibility")
    assert "axe" in source
