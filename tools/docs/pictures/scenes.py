"""The scenes: each is a run, or several, and the pictures of it."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from terminal import Terminal

from pictures.animation import THEMES, Frame, frame_of, svg, typed
from pictures.camera import PHONE, TO_TOP, Camera
from pictures.screen import html
from pictures.workshop import LONGEST_S, ROOT, Workshop

if TYPE_CHECKING:
    from playwright.sync_api import Page

START = "uvicorn app:app --port {port} --log-level warning"
COLUMNS, ROWS, SHOWN = 80, 200, 34
"""A terminal, and how many lines of a long output are shown."""
LOAD_S = 30.0
FIRST = "httpdyno load http://localhost:8080/hello --rate 5000"
"""The command line of the README, which loads for ten seconds."""
TYPED_S, END_S = 1.5, 9.0
"""The seconds for which the moving picture shows the command, and its result."""
LATER, CLIMB_S = 4, 8
"""The live page is photographed in this trial or a later one, so many seconds after it began."""


def load(camera: Camera, work: Workshop) -> None:
    """The view of a load in mid-run."""
    words = ("load", f"{work.server}/hello", "--rate", "5000", "--duration", f"{LOAD_S:g}s")
    middle = time.monotonic() + LOAD_S * 0.7
    with _terminal(work, words, rows=24) as terminal:
        terminal.until(lambda _: time.monotonic() > middle)
        shown = html(terminal.screen, ["httpdyno", *words])
    camera.html("terminal", _at_home(shown, work))


def first(camera: Camera, work: Workshop) -> None:
    """The first load of a newcomer, second by second, and its result."""
    words = FIRST.replace("http://localhost:8080", work.server).split()[1:]
    with _terminal(work, words, rows=ROWS) as terminal:
        frames = first_frames(terminal)
    for theme, colours in THEMES.items():
        picture = svg(frames, colours, f"{FIRST}: the live view, and then the result")
        camera.keep_svg(f"first-{theme}", _at_home(picture, work))


def first_frames(terminal: Terminal) -> list[Frame]:
    """The frames of a load on a terminal: the command, a frame for each second, the end."""
    frames = [typed(FIRST, TYPED_S)]
    terminal.until(_measures)
    while _measures(terminal):
        later = time.monotonic() + 1.0
        frames.append(frame_of(terminal.screen, FIRST, 1.0))
        terminal.until(partial(_is_over, later))
    terminal.end()
    return [*frames, frame_of(terminal.screen, FIRST, END_S)]


def _is_over(later: float, terminal: Terminal) -> bool:
    return time.monotonic() > later or not _measures(terminal)


def _measures(terminal: Terminal) -> bool:
    return any(line.startswith("measuring ") for line in terminal.lines)


def capacity(camera: Camera, work: Workshop) -> None:
    """A search for the capacity of the app: its page while it climbs, and its curve."""
    results = work.folder / "capacity"
    words = ("capacity", "--command", START, "--path", "/items", "--limit", "p99<20ms")
    page = ("--results", str(results), "--serve", "--listen", "127.0.0.1:0")
    with (
        work.running(*words, *page) as run,
        camera.page(run.link(), height=1500) as live,
    ):
        while run.goes_on() and not _climbs_for_some_seconds(live):
            live.wait_for_timeout(200)
        camera.keep("live", live.screenshot())
    work.run("report", str(results), "--format", "png")
    curve = next((results / "charts").glob("capacity-*curves.png"))
    camera.keep("capacity", curve.read_bytes())


def _climbs_for_some_seconds(live: Page) -> bool:
    """True in a later climb, once its charts have something to show."""
    text = live.inner_text("body")
    if "Not found" in text:  # the run has not begun its journal yet
        live.reload()
    found = re.search(r"trial (\d+) of", text)
    if found is None or int(found[1]) < LATER or "measuring" not in text:
        return False
    live.wait_for_timeout(CLIMB_S * 1000)
    later = live.inner_text("body")
    return found[0] in later and "measuring" in later


def compare(camera: Camera, work: Workshop) -> None:
    """The answer to a comparison of two branches."""
    branches = ("main", "my-branch", "--start", START, "--path", "/items")
    words = ("compare", *branches, "--blocks", "7", "--duration", "1s")
    with _terminal(work, words, rows=ROWS) as terminal:
        terminal.end()
        shown = html(terminal.screen, ["httpdyno", *words], SHOWN)
    camera.html("compare", _at_home(shown, work))


def study(camera: Camera, work: Workshop) -> None:
    """The report of the demo."""
    results = work.folder / "demo"
    work.run("run", "demo", "--results", str(results))
    report = (results / "report.html").as_uri()
    camera.top("report", report, height=1150)
    camera.top("report-dark", report, height=1150, dark=True)
    _phones(camera, report)
    work.run("report", str(results), "--format", "png")
    densities = sorted((results / "charts").glob("density-fixed-rate*.png"))
    camera.keep("distribution", densities[0].read_bytes())


def _phones(camera: Camera, report: str) -> None:
    """The report on a phone: its beginning, a chart, and both in dark."""
    screens = []
    for place, dark in (("body", False), ("#ratio", False), ("#rates", True)):
        with camera.page(report, width=PHONE, height=844, dark=dark) as page:
            page.locator(place).evaluate(TO_TOP)
            screens.append(page.screenshot())
    camera.beside("report-phone", screens)


def sweep(camera: Camera, work: Workshop) -> None:
    """Reply rate, response time and failures against the offered rate."""
    url = f"{work.server}/hello?delay=exponential:5ms"
    flags = ("-c", "8", "--rate", "200..2400/200", "-d", "3s", "--low-latency", "--log")
    file = work.folder / "sweep.png"
    work.run("sweep", "load", url, *flags, "--chart", str(file), ok=(0, 6))
    camera.keep("sweep", file.read_bytes())


def site(camera: Camera, work: Workshop) -> None:
    """The index of a site of the five replays, and a page of it."""
    summaries = [str(file) for file in sorted((ROOT / "docs" / "replays").glob("*/summary.json"))]
    folder = work.folder / "site"
    work.run("publish", str(folder), *summaries, "--title", "Five posts, rerun")
    camera.top("site", (folder / "index.html").as_uri(), height=900)
    camera.top("arm", (folder / "arms" / "node-1-process.html").as_uri(), height=900)


def history(camera: Camera, work: Workshop) -> None:
    """Two servers over 24 nights; sample numbers."""
    from stored_runs import MACHINE, VERSIONS, store_in, store_run
    from stored_runs import study as nightly

    folder = work.folder / "nights"
    folder.mkdir()
    store, of = store_in(folder), nightly(folder)
    for night in range(24):
        alpha, beta = (4000.0, 5000.0) if night < 8 else (3660.0, 5000.0)
        machine, slower = dict(MACHINE), 1.0
        if night >= 16:
            machine["kernel"], slower = "Linux 6.6.0", 0.95
        versions = {**VERSIONS, "alpha": "1.24.0" if night < 8 else "1.26.1"}
        rates = {"alpha": alpha * slower, "beta": beta * slower}
        store_run(store, of, night, rates=rates, versions=versions, machine=machine)
    file = work.folder / "history.png"
    flags = ("--metric", "throughput", "--chart", str(file))
    work.run("history", "--store", str(folder / "results.sqlite"), *flags)
    camera.keep("history", file.read_bytes())
    shutil.rmtree(folder)


def _terminal(work: Workshop, words: Sequence[str], *, rows: int) -> Terminal:
    """A terminal in which the program runs."""
    plain = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
    left = {k: v for k, v in work.environment.items() if k not in ("NO_COLOR", "COLUMNS", "LINES")}
    return Terminal(
        work.words(*words),
        COLUMNS,
        rows,
        cwd=work.app,
        environment=left | plain,
        patience_s=LONGEST_S,
    )


def _at_home(page: str, work: Workshop) -> str:
    """The page with the addresses and folders that a reader would have."""
    page = page.replace(work.server, "http://localhost:8080")
    return page.replace(work.environment["HTTPDYNO_DATA"], "~/.local/share/httpdyno")


SCENES: Mapping[str, Callable[[Camera, Workshop], None]] = {
    one.__name__: one for one in (first, load, capacity, compare, study, sweep, site, history)
}
