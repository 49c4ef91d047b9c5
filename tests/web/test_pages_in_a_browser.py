"""The pages in a real browser: live numbers, actions, reload, keyboard, phone, dark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from browser import Visit, browser, needs_browser, tab
from httpdyno.store import open_store
from page_server import live_keys, served
from stored_runs import nights, study
from study_place import Place

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), needs_browser]

STEADY = """\
[loads.steady]
kind = "requests"
rate = 100
connections = 4
duration = "3600s"
warm_up = 0
"""
CHARTED = "document.querySelector('#chart-rate .line-0').getAttribute('d').length"
SEEN = """(hidden) => {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
PAGES = ("/", "/start", "/servers", "/history", "/compare?a=1&b=2", "/runs/1", "/missing")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser for all tests."""
    with browser() as one:
        yield one


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page of a run under load, which lasts until all tests have looked at it."""
    place = Place(tmp_path_factory.mktemp("live"))
    place.study(loads=STEADY, good=place.counted())
    run = place.start()
    place.wait_for("server/loaded", run)
    try:
        with served(place) as site:
            (key,) = live_keys(place)
            site.wait_for(f"/live/{key}", 'id="chart-rate"')
            yield f"{site.url}/live/{key}"
    finally:
        run.terminate()
        run.communicate()


def wait_for_more(visit: Visit, length: int) -> None:
    """Wait until the line of the rate is longer. Without `eval`, which the page forbids."""
    while visit.page.evaluate(CHARTED) <= length:
        visit.page.wait_for_timeout(100)


def test_numbers_change_by_themselves_and_a_reload_keeps_the_past(
    live: str, chromium: Browser
) -> None:
    with tab(chromium) as visit:
        page = visit.page
        visit.go(live)
        page.wait_for_selector("#chart-rate .line-0", state="attached")
        first = page.evaluate(CHARTED)
        wait_for_more(visit, first + 20)
        before = page.evaluate(CHARTED)
        page.reload()
        assert page.evaluate(CHARTED) >= before
        page.get_by_text("p99 so far").wait_for()
        visit.require_good_page()
        visit.picture("live")
        page.emulate_media(media="print")
        assert page.locator("#chart-rate").is_visible()
        assert not page.get_by_role("button", name="Pause").is_visible()
        visit.picture("live-print")


def test_a_tab_that_nobody_sees_gives_its_connection_back_until_it_is_seen_again(
    live: str, chromium: Browser
) -> None:
    with tab(chromium) as visit:
        page = visit.page
        visit.go(live)
        page.wait_for_selector("#chart-rate .line-0", state="attached")
        with page.expect_event("requestfailed", lambda one: one.url.endswith("/events")):
            page.evaluate(SEEN, True)
        hidden = page.evaluate(CHARTED)
        page.wait_for_timeout(2500)
        assert page.evaluate(CHARTED) == hidden
        page.evaluate(SEEN, False)
        wait_for_more(visit, hidden)
        assert visit.console == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_live_page_is_good_on_a_phone(live: str, chromium: Browser, dark: bool) -> None:
    with tab(chromium, phone=True, dark=dark) as visit:
        visit.go(live)
        visit.page.wait_for_selector("#chart-rate .line-0", state="attached")
        visit.page.set_viewport_size({"width": 360, "height": 740})
        visit.require_good_page()
        visit.picture(f"live-phone{'-dark' if dark else ''}")


def test_the_live_page_is_whole_without_scripts(live: str, chromium: Browser) -> None:
    with tab(chromium, java_script_enabled=False) as visit:
        visit.go(live)
        assert "achieved" in visit.page.content()
        assert visit.console == []
        assert visit.elsewhere == []


def test_a_person_starts_pauses_continues_cancels_and_resumes_a_study(
    place: Place, chromium: Browser
) -> None:
    place.study(blocks=3, good=place.counted())
    (server,) = place.servers
    file = place.home / "small.toml"
    file.write_text(file.read_text().replace('server = "good"', f'server = "{server}"'))
    with served(place) as site, tab(chromium) as visit:
        page = visit.page
        visit.go(site.url)
        page.get_by_role("link", name="Start", exact=True).click()
        page.locator("select[name=study]").select_option("file: small.toml")
        place.hold(2)
        page.get_by_role("button", name="Start the study").click()
        pause_at(place, visit, held=2)
        assert len(place.trials()) == 1
        page.reload()
        page.get_by_role("heading", name="Paused before the next trial").wait_for()
        visit.picture("live-paused")
        visit.require_good_page()
        place.hold(4)
        page.get_by_role("button", name="Continue").click()
        pause_at(place, visit, held=4)
        assert len(place.trials()) == 3
        page.focus(".cancel summary")
        page.keyboard.press("Enter")
        page.wait_for_selector("button[name=cancel]", state="visible")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector(".chip.cancelled", timeout=120_000)
        visit.require_good_page()
        page.get_by_role("button", name="Resume").click()
        page.wait_for_selector(".chip.complete", timeout=240_000)
        assert len(place.trials()) == 6
        visit.require_good_page()
        visit.picture("live-complete")
        page.get_by_role("link", name="Report", exact=True).click()
        page.get_by_role("heading", name="Small servers").wait_for()


def pause_at(place: Place, visit: Visit, *, held: int) -> None:
    """Press the button while a server is held at its start, let it go, and see the run pause."""
    marker = place.home / "server" / "held"
    while not marker.exists():
        visit.page.wait_for_timeout(50)
    visit.page.get_by_role("button", name="Pause").click()
    visit.page.get_by_text("pauses after this trial").wait_for()
    place.hold(None)
    marker.unlink(missing_ok=True)
    visit.page.wait_for_selector(".chip.paused", timeout=120_000)


def test_a_person_starts_a_capacity_search_and_cancels_it(place: Place, chromium: Browser) -> None:
    with served(place) as site, tab(chromium) as visit:
        page = visit.page
        visit.go(f"{site.url}/servers")
        page.get_by_role("row", name="reference").get_by_role("link", name="1-thread").click()
        assert page.locator("select[name=arm]").input_value() == "reference/1-thread"
        page.locator("input[name=limits]").fill("p99<x")
        page.get_by_role("button", name="Start the search").click()
        assert "p99<x" in page.get_by_role("alert").inner_text()
        visit.console.clear()  # it has the status 400 of this answer
        page.locator("input[name=limits]").fill("p99<50ms, errors<1%")
        page.locator("input[name=restarts]").fill("1")
        page.get_by_role("button", name="Start the search").click()
        page.wait_for_selector("#chart-rate .line-1", state="attached", timeout=240_000)
        page.locator("#part-now", has_text="CPUs").wait_for(timeout=240_000)
        assert "planned" in page.locator("#part-now").inner_text()
        visit.picture("live-capacity")
        visit.require_good_page()
        page.locator(".cancel summary").click()
        page.locator("button[name=cancel]").click()
        page.wait_for_selector(".chip.cancelled", timeout=240_000)


def test_each_page_is_good_on_a_desk_and_on_a_phone(place: Place, chromium: Browser) -> None:
    store = open_store(f"sqlite:///{place.home / 'DATA' / 'results.sqlite'}")
    nights(store, study(place.home), [4000.0, 3990.0, 4010.0, 3600.0, 3610.0, 3590.0, 3600.0])
    with served(place) as site:
        for phone, dark in ((False, False), (True, False), (False, True)):
            with tab(chromium, phone=phone, dark=dark) as visit:
                for path in PAGES:
                    visit.go(site.url + path)
                    kind = f"{'phone' if phone else 'desk'}{'-dark' if dark else ''}"
                    visit.picture(f"{kind}{path.partition('?')[0].replace('/', '-')}")
                    visit.console = [one for one in visit.console if "404" not in one]
                    visit.require_good_page()


def test_fields_of_a_form_have_one_height_and_verdicts_are_as_wide_as_their_words(
    place: Place, chromium: Browser
) -> None:
    store = open_store(f"sqlite:///{place.home / 'DATA' / 'results.sqlite'}")
    nights(store, study(place.home), [4000.0, 3990.0])
    with served(place) as site, tab(chromium, phone=True) as visit:
        visit.go(f"{site.url}/")
        heights = "(all) => all.map((one) => one.offsetHeight)"
        assert (
            len(set(visit.page.eval_on_selector_all(".fields select, .fields input", heights))) == 1
        )
        widths = "(all) => all.map((one) => [one.offsetWidth, one.parentNode.offsetWidth])"
        chips = visit.page.eval_on_selector_all("td > .chip", widths)
        assert chips
        assert all(chip < cell / 2 for chip, cell in chips)
