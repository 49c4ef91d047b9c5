"""The cost of a report: processor time, memory and size by the number of trials.

    make bench-report
    PYTHONPATH=benches python -m pages.report [--result PATH ...] [--write PAGE]

Each report is written three times, each time by a new process, and the fastest counts. `--result`:
also time the report of a stored result. Two minutes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from httpdyno.report.result_json import to_json
from peers.tables.marks import write
from simulated.studies import study_of

COMMAND = "make bench-report"
SHAPES = (
    (2, 5, 10),
    (10, 6, 17),
    (60, 10, 17),
    (20, 20, 25),
    (200, 1, 50),
    (5, 1, 2000),
    (100, 100, 1),
)
"""Arms, loads and restarts of simulated studies: three sizes, then 10,000 trials in other ways."""
TIMES = 3

_PROGRAM = """
import json, resource, sys, time
from pathlib import Path
from httpdyno.report import write_report
from httpdyno.report.result_json import read

def highest():
    # `ru_maxrss` would begin with that of the parent.
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) * 1024

def used():
    own = resource.getrusage(resource.RUSAGE_SELF)
    return own.ru_utime + own.ru_stime

at = used()
result = read(Path(sys.argv[1]))
reading = used() - at

from httpdyno.report.charts.catalogue import figures
from httpdyno.report.charts.room import fitted
from httpdyno.report.text.safe_texts import safe
shown = safe(result)
fitted(figures(shown))
at = used()
charts = [one for one in fitted(figures(shown)) if one.form != "title"]
drawn = used() - at
at = used()
paths = write_report(result, Path(sys.argv[2]))
print(json.dumps({
    "seconds": used() - at, "reading": reading, "drawing": drawn, "charts": len(charts),
    "trials": sum(len(cell.trials) for cell in result.cells),
    "memory": highest(),
    "size": paths.html.stat().st_size,
}))
"""


def measured(result: Path) -> dict[str, float]:
    """The cost of the report of one result; `seconds` and `reading` are processor time."""
    runs = []
    for _ in range(TIMES):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-c", _PROGRAM, str(result), folder]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            runs.append(json.loads(done.stdout))
    fastest: dict[str, float] = min(runs, key=lambda run: run["seconds"])
    return fastest


def table(results: list[tuple[str, Path]]) -> Iterator[str]:
    """A line of Markdown for each result."""
    yield (
        "| study | trials | charts | reading, s of CPU | report, s of CPU | each chart, ms |"
        " memory, MB | page, MB |"
    )
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for name, path in results:
        one = measured(path)
        each = one["drawing"] / max(1, one["charts"]) * 1e3
        yield (
            f"| {name} | {one['trials']:,.0f} | {one['charts']:.0f} | {one['reading']:.2f} |"
            f" {one['seconds']:.2f} | {each:.1f} | {one['memory'] / 1e6:.0f} |"
            f" {one['size'] / 1e6:.2f} |"
        )


def simulated(folder: Path) -> list[tuple[str, Path]]:
    """Results of studies of several shapes, written into a folder."""
    found = []
    for arms, loads, restarts in SHAPES:
        path = folder / f"{arms}-{loads}-{restarts}.json"
        path.write_text(to_json(study_of(arms, loads, restarts)), encoding="utf-8")
        of_loads = f"{loads} load{'' if loads == 1 else 's'}"
        found.append((f"{arms} arms × {of_loads} × {restarts:,}", path))
    return found


def main() -> None:
    """Print the table, or write it into a page."""
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--result", type=Path, action="append", default=[])
    flags.add_argument("--write", type=Path)
    given = flags.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stored = [
            (path.parent.name if path.is_file() else path.name, path) for path in given.result
        ]
        text = "\n".join(table([*simulated(Path(folder)), *stored]))
    if given.write is None:
        print(text)
    else:
        write(given.write, COMMAND, text)


if __name__ == "__main__":
    main()
