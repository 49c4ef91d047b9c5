"""An A/A experiment: one real server under four names, and how often a difference is shown.

    make aa
    python benches/aa.py [--server NAME/DEPLOYMENT] [--blocks N] [--write PAGE]

All four arms are the same program, so each difference shown is a false alarm: about 1 in 20 of
single comparisons at 95 %. The trials are short, 20 blocks take about 5 minutes. Each group of 5 or
10 blocks is a study of its own, for each load, metric and pair of names.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from httpdyno.host.facts import machine_facts
from httpdyno.report.result_json import read
from httpdyno.result import CellRow, StudyResult
from httpdyno.statistics.compare import paired_p_value
from httpdyno.statistics.rows import by_block
from peers.tables.marks import write

COMMAND = "make aa"
ALPHA = 0.05
NAMES = ("first", "second", "third", "fourth")
SHUFFLES = 200
STUDY = """\
title = "A/A: {server} under four names"
blocks = {blocks}
warm_up = "100ms"
{arms}
[loads.keep-alive]
kind = "closed"
connections = 10
duration = "500ms"
[loads.new-connections]
kind = "closed"
connections = 10
keep_alive = false
duration = "500ms"
[loads.rate]
kind = "requests"
rate = 2000
connections = 64
duration = "700ms"
"""
ARM = '[[arms]]\nserver = "{server}"\ndeployments = ["{deployment}"]\nname = "{name}"\n'
METRICS = {
    "throughput_per_s": "throughput",
    "p50_s": "p50",
    "p99_s": "p99",
    "server_cpu_s_per_request": "server CPU per request",
}
Arms = Sequence[Mapping[int, float]]
"""The values of each name by block."""


@dataclass(frozen=True)
class Count:
    """Comparisons of the server with itself, and those that showed a difference."""

    alarms: int
    of: int

    def __add__(self, other: Count) -> Count:
        return Count(self.alarms + other.alarms, self.of + other.of)


def study(server: str, deployment: str, blocks: int) -> str:
    """The study, in TOML."""
    arms = "".join(ARM.format(server=server, deployment=deployment, name=name) for name in NAMES)
    return STUDY.format(server=server, blocks=blocks, arms=arms)


def measured(result: StudyResult) -> dict[tuple[str, str], Arms]:
    """The values of all four names, by load and metric."""
    found: dict[tuple[str, str], Arms] = {}
    for load in dict.fromkeys(cell.load for cell in result.cells):
        cells: list[CellRow] = [cell for cell in result.cells if cell.load == load]
        for column, metric in METRICS.items():
            # At a rate that the server keeps up with, the throughput is the rate.
            if metric != "throughput" or cells[0].rate_per_s is None:
                found[load, metric] = [by_block(cell, column) for cell in cells]
    return found


def counted(arms: Arms, size: int, blocks: int) -> Count:
    """The alarms of both pairs of names in each group of `size` blocks."""
    total = Count(0, 0)
    for first in range(0, blocks - size + 1, size):
        group = range(first, first + size)
        for one, other in ((arms[0], arms[1]), (arms[2], arms[3])):
            both = [block for block in group if one.get(block, 0) > 0 < other.get(block, 0)]
            p_value = paired_p_value(one, other, both)
            if p_value is not None:
                total += Count(int(p_value <= ALPHA), 1)
    return total


def shuffled(arms: Arms, source: random.Random) -> Arms:
    """The same trials, their names shuffled within each block: another A/A experiment."""
    drawn: list[dict[int, float]] = [{} for _ in arms]
    for block in sorted(set.intersection(*(set(arm) for arm in arms))):
        values = [arm[block] for arm in arms]
        source.shuffle(values)
        for arm, value in zip(drawn, values, strict=True):
            arm[block] = value
    return drawn


def usual(of: int) -> tuple[int, int]:
    """The alarms that 95 of 100 such experiments have, if each comparison is independent."""
    chance, low, high = 0.0, 0, 0
    for alarms in range(of + 1):
        chance += math.comb(of, alarms) * ALPHA**alarms * (1 - ALPHA) ** (of - alarms)
        if chance < 0.025:
            low = alarms + 1
        if chance < 0.975:
            high = alarms + 1
    return low, high


def page(result: StudyResult, heading: str) -> Iterator[str]:
    """The figures, in Markdown."""
    found, blocks = measured(result), result.blocks_done
    yield heading
    yield ""
    yield "| blocks | comparisons | expected alarms | usual range | alarms | shuffled names |"
    yield "| --: | --: | --: | --: | --: | --: |"
    for size in (5, 10, 20):
        one = sum((counted(arms, size, blocks) for arms in found.values()), Count(0, 0))
        if one.of:
            low, high = usual(one.of)
            again = _again(found, size, blocks)
            yield (
                f"| {size} | {one.of} | {one.of * ALPHA:.1f} | {low} to {high} |"
                f" {one.alarms} ({100 * one.alarms / one.of:.1f} %) |"
                f" {100 * again.alarms / again.of:.1f} % |"
            )
    yield ""
    yield f"By load and metric, studies of 5 blocks, with names shuffled {SHUFFLES} times:"
    yield ""
    yield "| load | metric | alarms | shuffled names |"
    yield "| --- | --- | --: | --: |"
    for (load, metric), arms in found.items():
        one, again = counted(arms, 5, blocks), _again({(load, metric): arms}, 5, blocks)
        share = 100 * again.alarms / max(again.of, 1)
        yield f"| {load} | {metric} | {one.alarms} of {one.of} | {share:.1f} % |"
    shown = sum(one.outcome in ("better", "worse") for one in result.comparisons)
    yield ""
    yield (
        f"The study as a whole, judged together: {shown} of {len(result.comparisons)} comparisons"
        " of a name with the first showed a difference."
    )


def _again(found: Mapping[tuple[str, str], Arms], size: int, blocks: int) -> Count:
    source, total = random.Random(1), Count(0, 0)
    for _ in range(SHUFFLES):
        for arms in found.values():
            total += counted(shuffled(arms, source), size, blocks)
    return total


def heading(server: str, blocks: int) -> str:
    """Where and when; to be asked before the run, which makes the machine busy."""
    facts = {fact.label: fact.value for fact in machine_facts()}
    date = datetime.now(tz=UTC).strftime("%Y-%m-%d")
    return (
        f"`{COMMAND}`, {date}: {server} under four names, {blocks} blocks;"
        f" {facts.get('processor')}, {facts.get('cores')} cores, {facts.get('kernel')},"
        f" load average {facts.get('load average at the start')} before."
    )


def run(server: str, deployment: str, blocks: int, folder: Path) -> StudyResult:
    """Measure the study with this httpdyno, in a folder of its own."""
    file = folder / "aa.toml"
    file.write_text(study(server, deployment, blocks), encoding="utf-8")
    command = [sys.executable, "-m", "httpdyno", "run", str(file), "--results", str(folder / "out")]
    own = {**os.environ, "HTTPDYNO_DATA": str(folder / "data")}
    subprocess.run(command, env=own, check=True, stdout=subprocess.DEVNULL)
    return read(folder / "out")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--server", default="nginx/1-worker", help="server and deployment")
    parser.add_argument("--blocks", type=int, default=20, help="restarts of each name (20)")
    parser.add_argument("--result", type=Path, help="a result of this bench, to be read instead")
    parser.add_argument("--write", type=Path, help="write the figures into this page")
    return parser.parse_args()


def main() -> int:
    options = _options()
    server, _, deployment = options.server.partition("/")
    first = heading(options.server, options.blocks)
    with tempfile.TemporaryDirectory(prefix="httpdyno-aa-") as folder:
        result = (
            read(options.result)
            if options.result
            else run(server, deployment, options.blocks, Path(folder))
        )
    text = "\n".join(page(result, first))
    if options.write:
        write(options.write, COMMAND, text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
