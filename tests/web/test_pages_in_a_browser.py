"""The pages in a real browser: live numbers, actions, reload, keyboard, phone, dark."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest
from browser import Visit, browser, needs_browser, opened, tab
from httpdyno.store import open_store
from page_server import Served, live_keys, served
from stored_runs import nights, study
from study_place import Place

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
PAGES = ("/", "/start", "/servers", "/history", "/compare?a=1&b=2", "/runs/1", "/missing")


@pytest.fixture
def running(place: Place) -> Iterator[tuple[Served, str, subprocess.Popen[str]]]:
    """A run under load, and a page server beside it."""
    place.study(loads=STEADY, good=place.counted())
    run = place.start()
    place.wait_for("server/loaded", run)
    with served(place) as site:
        (key,) = live_keys(place)
        site.wait_for(f"/live/{key}", 'id="chart-rate"')
        yield site, f"{site.url}/live/{key}", run
    if run.poll() is None:
        run.terminate()
    run.communicate()


def wait_for_more(visit: Visit, length: int) -> None:
    """Wait until the line of the rate is longer. Without `eval`, which the page forbids."""
    while visit.page.evaluate(CHARTED) <= length:
        visit.page.wait_for_timeout(100)


def test_numbers_change_by_themselves_and_a_reload_keeps_the_past(
    running: tuple[Served, str, subprocess.Popen[str]],
) -> None:
    _, url, _ = running
    with opened() as visit:
        page = visit.page
        visit.go(url)
        page.wait_for_selector("#chart-rate .line-0", state="attached")
        first = page.evaluate(CHARTED)
        wait_for_more(visit, first + 20)
        before = page.evaluate(CHARTED)
        page.reload()
        assert page.evaluate(CHARTED) >= before
        visit.require_good_page()
        visit.picture("live")


def test_a_run_is_cancelled_with_the_keyboard_alone(
    running: tuple[Served, str, subprocess.Popen[str]],
) -> None:
    _, url, run = running
    with opened() as visit:
        page = visit.page
        visit.go(url)
        page.focus(".cancel summary")
        page.keyboard.press("Enter")
        page.wait_for_selector("button[name=cancel]", state="visible")
        drawn = page.evaluate(CHARTED)
        wait_for_more(visit, drawn)  # the parts have been replaced
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector(".chip.interrupted", timeout=120_000)
        run.communicate()
        assert run.returncode == 130
        page.wait_for_selector("button[name=resume]")
        visit.require_good_page()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_live_page_is_good_on_a_phone(
    running: tuple[Served, str, subprocess.Popen[str]], dark: bool
) -> None:
    _, url, _ = running
    with opened(phone=True, dark=dark) as visit:
        visit.go(url)
        visit.page.wait_for_selector("#chart-rate .line-0", state="attached")
        visit.require_good_page()
        visit.picture(f"live-phone{'-dark' if dark else ''}")


def test_the_live_page_is_whole_without_scripts(
    running: tuple[Served, str, subprocess.Popen[str]],
) -> None:
    _, url, _ = running
    with opened(java_script_enabled=False) as visit:
        visit.go(url)
        assert "achieved" in visit.page.content()
        assert visit.console == []
        assert visit.elsewhere == []


def test_each_page_is_good_on_a_desk_and_on_a_phone(place: Place) -> None:
    store = open_store(f"sqlite:///{place.home / 'DATA' / 'results.sqlite'}")
    nights(store, study(place.home), [4000.0, 3990.0, 4010.0, 3600.0, 3610.0, 3590.0, 3600.0])
    with served(place) as site, browser() as running:
        for phone, dark in ((False, False), (True, False), (False, True)):
            with tab(running, phone=phone, dark=dark) as visit:
                for path in PAGES:
                    visit.go(site.url + path)
                    kind = f"{'phone' if phone else 'desk'}{'-dark' if dark else ''}"
                    visit.picture(f"{kind}{path.partition('?')[0].replace('/', '-')}")
                    visit.console = [one for one in visit.console if "404" not in one]
                    visit.require_good_page()


def test_fields_of_a_form_have_one_height_and_verdicts_are_as_wide_as_their_words(
    place: Place,
) -> None:
    store = open_store(f"sqlite:///{place.home / 'DATA' / 'results.sqlite'}")
    nights(store, study(place.home), [4000.0, 3990.0])
    with served(place) as site, opened(phone=True) as visit:
        visit.go(f"{site.url}/")
        heights = "(all) => all.map((one) => one.offsetHeight)"
        assert (
            len(set(visit.page.eval_on_selector_all(".fields select, .fields input", heights))) == 1
        )
        widths = "(all) => all.map((one) => [one.offsetWidth, one.parentNode.offsetWidth])"
        chips = visit.page.eval_on_selector_all("td > .chip", widths)
        assert chips
        assert all(chip < cell / 2 for chip, cell in chips)
