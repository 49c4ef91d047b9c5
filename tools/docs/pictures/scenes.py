"""The scenes: each is a run, or several, and the pictures of it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping

from pictures.camera import PHONE, TO_TOP, Camera
from pictures.terminal import Terminal
from pictures.workshop import LONGEST_S, ROOT, Workshop

START = "uvicorn app:app --port {port} --log-level warning"
COLUMNS, ROWS = 80, 40
LOAD_S = 30.0
MIDDLE = 26
"""About half of the trials of the demo."""


def load(camera: Camera, work: Workshop) -> None:
    """The view of a load in mid-run."""
    url = f"{work.server}/hello"
    words = ("load", url, "--rate", "5000", "--duration", f"{LOAD_S:g}s")
    terminal = Terminal(COLUMNS, 24)
    shown = ""
    for passed in terminal.watch(
        work.words(*words), folder=work.app, environment=work.environment, seconds=60
    ):
        if passed > LOAD_S * 0.7:
            shown = terminal.html(["httpdyno", *words])
            break
    camera.html("terminal", _at_home(shown, work))


def capacity(camera: Camera, work: Workshop) -> None:
    """The curve of a search for the capacity of the app."""
    results = work.folder / "capacity"
    limits = ("--limit", "p99<20ms", "--path", "/items")
    work.run("capacity", "--command", START, *limits, "--results", str(results), ok=(0, 6))
    work.run("report", str(results), "--format", "png")
    curve = next((results / "charts").glob("capacity-*curves.png"))
    camera.keep("capacity", curve.read_bytes())


def compare(camera: Camera, work: Workshop) -> None:
    """The answer to a comparison of two branches."""
    branches = ("main", "my-branch", "--start", START, "--path", "/items")
    words = ("compare", *branches, "--blocks", "7", "--duration", "1s")
    terminal = Terminal(COLUMNS, ROWS)
    for _ in terminal.watch(
        work.words(*words),
        folder=work.app,
        environment=work.environment,
        seconds=LONGEST_S,
    ):
        pass
    camera.html("compare", _at_home(terminal.html(["httpdyno", *words]), work))


def study(camera: Camera, work: Workshop) -> None:
    """The demo while it runs, and its report."""
    results = work.folder / "demo"
    page = ("--serve", "--listen", "127.0.0.1:0")
    with (
        work.running("run", "demo", "--results", str(results), *page) as run,
        camera.page(run.link(), height=1100) as live,
    ):
        while run.goes_on() and not _is_in_the_middle(text := live.inner_text("body")):
            live.wait_for_timeout(200)
            if "Not found" in text:  # the run has not begun its journal yet
                live.reload()
        camera.keep("live", live.screenshot())
    report = (results / "report.html").as_uri()
    camera.top("report", report, height=1150)
    camera.top("report-dark", report, height=1150, dark=True)
    _phones(camera, report)
    work.run("report", str(results), "--format", "png")
    densities = sorted((results / "charts").glob("density-fixed-rate*.png"))
    camera.keep("distribution", densities[0].read_bytes())


def _is_in_the_middle(text: str) -> bool:
    """True in a trial of the second half, when it is being measured."""
    found = re.search(r"trial (\d+) of", text)
    return found is not None and int(found[1]) >= MIDDLE and "measuring" in text


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
    camera.top("site", (folder / "index.html").as_uri(), height=1000)
    camera.top("arm", (folder / "arms" / "node-1-process.html").as_uri(), height=1000)


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


def _at_home(html: str, work: Workshop) -> str:
    """The page with the addresses and folders that a reader would have."""
    html = html.replace(work.server, "http://localhost:8080")
    return html.replace(work.environment["HTTPDYNO_DATA"], "~/.local/share/httpdyno")


SCENES: Mapping[str, Callable[[Camera, Workshop], None]] = {
    one.__name__: one for one in (load, capacity, compare, study, sweep, site, history)
}
