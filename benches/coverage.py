"""The coverage of the intervals of a study, in simulated studies with known truth.

    make coverage
    python benches/coverage.py [--studies N] [--write PAGE]

Two minutes for 20,000 studies per row; seeded, so that the same program writes the same tables.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from peers.tables.marks import write
from simulated.candidates import OF_LEVELS, OF_RATIOS
from simulated.covered import (
    NOISES,
    RESTARTS,
    Covered,
    alarms,
    of_levels,
    of_ratios,
    ranks,
    stopped,
)

COMMAND = "make coverage"
SLOWER = 5
"""Studies of single comparisons, one by one, are fewer by this factor."""
UNTIL, MOST = 0.02, 60
HEADS = "".join(f" {n} restarts |" for n in RESTARTS)
RULE = " --: |" * len(RESTARTS)
Cover = Callable[[str, int, str, int], Covered]


def page(count: int) -> Iterator[str]:
    """The tables, in Markdown."""
    few = count // SLOWER
    yield f"Shares of {count:,} simulated studies, in percent (bootstraps: {few:,}, so ± 0.7). The"
    yield "goal is 95 ± 1 under normal and heavy-tailed noise, else 95 ± 2; **bold**: missed."
    yield ""
    yield "### The intervals in use"
    yield ""
    yield from _chosen("Ratio of two arms", of_ratios, next(iter(OF_RATIOS)), count)
    yield ""
    yield from _chosen("Level of one cell", of_levels, next(iter(OF_LEVELS)), count)
    yield ""
    yield "### False alarms among equal arms"
    yield ""
    yield from _alarms(few)
    yield ""
    yield "### Ranks"
    yield ""
    yield from _ranks(few)
    yield ""
    yield "### Studies that stop at a precision"
    yield ""
    yield from _stopped(count)
    yield ""
    yield "### Alternatives for the ratio"
    yield ""
    yield from _alternatives(of_ratios, list(OF_RATIOS), count, few)
    yield ""
    yield "### Alternatives for the level of one cell"
    yield ""
    yield from _alternatives(of_levels, list(OF_LEVELS), count, few)


def _chosen(title: str, cover: Cover, candidate: str, count: int) -> Iterator[str]:
    yield f"| {title}: {candidate.removesuffix(' (chosen)')} |{HEADS}"
    yield f"| --- |{RULE}"
    for noise in NOISES:
        cells = (_judged(noise, cover(noise, n, candidate, count).share) for n in RESTARTS)
        yield f"| {noise} | {' | '.join(cells)} |"


def _judged(noise: str, share: float) -> str:
    within = 0.01 if noise.startswith(("normal", "heavy")) else 0.02
    text = f"{share * 100:.1f}"
    return text if abs(share - 0.95) <= within else f"**{text}**"


def _alarms(count: int) -> Iterator[str]:
    yield f"Shares of {count:,} studies that show any difference, each comparison at 5 % alone,"
    yield "and judged together. With two arms these are the same."
    yield ""
    yield "| arms | restarts | normal: alone | together | heavy-tailed: alone | together |"
    yield "| --: | --: | --: | --: | --: | --: |"
    for arms in (2, 4, 10):
        for blocks in (5, 10):
            found = [alarms(noise, arms, blocks, count) for noise in list(NOISES)[:2]]
            cells = (f"{100 * x:.1f}" for one in found for x in (one.alone, one.together))
            yield f"| {arms} | {blocks} | {' | '.join(cells)} |"


def _ranks(count: int) -> Iterator[str]:
    yield f"6 arms, each better than the next by the given step; {count:,} studies. The share of"
    yield "studies with all true ranks within their limits, and how many ranks an arm can have."
    yield ""
    yield "| noise | step | restarts | all ranks held | ranks per arm |"
    yield "| --- | --: | --: | --: | --: |"
    for noise in ("normal", "heavy-tailed (t, 3 degrees of freedom)", "skewed (exponential)"):
        for step, blocks in ((0.001, 10), (0.03, 5), (0.03, 10), (0.1, 10)):
            found = ranks(noise, 6, blocks, step, count)
            yield (
                f"| {noise} | {step * 100:g} % | {blocks} | {found.share * 100:.1f} |"
                f" {found.ranks:.1f} |"
            )


def _stopped(count: int) -> Iterator[str]:
    yield f"Studies of two arms that stop at ±{UNTIL * 100:g} %, after {MOST} blocks at most, with"
    yield "half the noise. *sequence*: the interval in use; *fixed*: that for a fixed number"
    yield "of blocks, looked at after every block. *always*: it holds after every block; *cell*: so"
    yield "does that of one cell's level (–: a machine that drifts has not one level to hold)."
    yield ""
    yield "| noise | sequence | blocks | fixed | blocks | always | cell, always |"
    yield "| --- | --: | --: | --: | --: | --: | --: |"
    for noise in NOISES:
        one = stopped(noise, UNTIL, MOST, count)
        shares = [f"{100 * x:.1f}" for x in (one.sequence, one.fixed, one.always)]
        level = "–" if noise.startswith("drifting") else f"{100 * one.level:.1f}"
        yield (
            f"| {noise} | {shares[0]} | {one.blocks:.0f} | {shares[1]} | {one.fixed_blocks:.0f} |"
            f" {shares[2]} | {level} |"
        )


def _alternatives(cover: Cover, names: list[str], count: int, few: int) -> Iterator[str]:
    yield f"| interval | noise |{HEADS} width, 10 restarts |"
    yield f"| --- | --- |{RULE} --: |"
    for noise in NOISES:
        base = cover(noise, 10, names[0], few)
        for name in names:
            many = few if "bootstrap" in name else count
            found = {n: cover(noise, n, name, many) for n in RESTARTS}
            cells = " | ".join(_judged(noise, found[n].share) for n in RESTARTS)
            yield f"| {name} | {noise} | {cells} | {found[10].width / base.width:.2f} |"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--studies", type=int, default=20_000, help="studies per row (20,000)")
    parser.add_argument("--write", type=Path, help="write the tables into this page")
    return parser.parse_args()


def main() -> int:
    options = _options()
    text = "\n".join(page(options.studies))
    if options.write:
        write(options.write, COMMAND, text)
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
