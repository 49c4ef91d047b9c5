"""The page of a load in a real browser: on a desktop, in the dark, on a phone and on paper."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser import browser, needs_browser, tab
from httpdyno.report.charts.drawing.sheet import make_figure
from httpdyno.report.charts.figures.over_time import OverTime
from httpdyno.report.contents.load import Conditions, LoadPage, NumbersTable, RequestRow
from httpdyno.report.page import load_page
from httpdyno.result import Fact, Reason
from time_bins import long_day, time_bin

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400), needs_browser]

LATE = Reason(code="generator_late", status="suspect", text="it was late", hint="use `--spin`")
SHORT = [time_bin(0), time_bin(1, ms=40, ok=60), time_bin(2, reset=9, wrong_status=3)]
WIDTH = """() => [...document.querySelectorAll(".chart")]
  .filter((one) => one.checkVisibility()).map((one) => one.scrollWidth - one.clientWidth)"""


def page(*, is_long: bool) -> str:
    over = OverTime(long_day(), 90_000.0, True) if is_long else OverTime(SHORT, 3.0, True)
    return load_page(
        LoadPage(
            verb="load",
            url="http://127.0.0.1:8080/a/rather/long/path/that/has/no/place/to/break?token=***",
            load="open load, 400/s requests, at most 100 connections, HTTP/1.1",
            status="suspect",
            lead="389/s right replies, p50 2.75 ms?, p99 77.5 ms?, 2.83 % failed.",
            thresholds=[
                ("p99 ≤ 20 ms", "failed", "p99 77.5 ms > 20 ms"),
                ("ok > 1", "passed", "5"),
            ],
            reasons=[LATE],
            tables=[NumbersTable("Times in milliseconds", ["time", "p50", "p99?"], [list("abc")])],
            charts=[make_figure(sheet, sheet.slug) for sheet in over.sheets()],
            slowest=NumbersTable("The slowest calls", ["response", "request"], [["2 s", "GET /"]]),
            counts=[("calls", "300 due = 300 sent"), ("errors", "9 reset: `x`")],
            notes=["≥ lower bound"],
            measured=Conditions(
                requests=[RequestRow("GET /a?b=c", [("Authorization", "***")], "7 bytes", 3)],
                left_out=1000,
                command="httpdyno load 'http://127.0.0.1:8080/' --report r.html",
                httpdyno_version="0.1.0",
                seed=1,
                started="2026-11-28 11:36 UTC",
                machine=[Fact(label="processor", value="x", doubt="a doubt")],
            ),
        )
    )


@pytest.fixture(scope="module")
def running() -> Iterator[Browser]:
    with browser() as found:
        yield found


@pytest.mark.parametrize("phone", [False, True])
@pytest.mark.parametrize("is_long", [False, True])
def test_it_is_a_good_page(running: Browser, tmp_path: Path, phone: bool, is_long: bool) -> None:
    file = tmp_path / "r.html"
    file.write_text(page(is_long=is_long))
    for dark in (False, True):
        with tab(running, phone=phone, dark=dark) as visit:
            visit.go(file.as_uri())
            visit.unfold()
            visit.require_good_page()
            assert visit.page.evaluate(WIDTH) == [0, 0, 0], "a chart scrolls sideways"
            visit.picture(f"load-{'long' if is_long else 'short'}-{phone}-{dark}")


def test_on_paper_the_charts_are_whole(running: Browser, tmp_path: Path) -> None:
    file = tmp_path / "r.html"
    file.write_text(page(is_long=False))
    with tab(running) as visit:
        visit.go(file.as_uri())
        visit.page.emulate_media(media="print")
        assert visit.page.locator("svg:visible").count() == 3
        visit.picture("load-print")
