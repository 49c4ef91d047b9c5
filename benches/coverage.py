"""The coverage of the intervals of a study, in simulated studies with known truth.

    make coverage
    python benches/coverage.py [--studies N] [--write PAGE]

Five minutes for 5,000 studies per row; seeded, so that the same program writes the same tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

from peers.tables.marks import main_of_page
from simulated.candidates import CHOSEN, CHOSEN_LEVEL, OF_LEVELS, OF_RATIOS
from simulated.covered import (
    RESTARTS,
    Covered,
    alarms,
    of_levels,
    of_ratios,
    ranks,
    stopped,
)
from simulated.noise import LATER, NOISES, UNFRIENDLY
from simulated.power import detected, missed, recognized

COMMAND = "make coverage"
SLOWER = 5
"""Studies of single comparisons, one by one, are fewer by this factor."""
UNTIL, MOST = 0.02, 60
FEW = (5, 7, 10, 20)
OF_ONE_CELL = [noise for noise in NOISES if "one arm" not in noise]
"""Noises in which the level of a cell differs from that in another one."""
PLAIN = "Student's t (earlier)"
HEADS = "".join(f" {n} restarts |" for n in RESTARTS)
RULE = " --: |" * len(RESTARTS)
Cover = Callable[[str, int, str, int], Covered]


def page(count: int) -> Iterator[str]:
    """The tables, in Markdown."""
    few = count // SLOWER
    yield f"Shares of {count:,} simulated studies, in percent (bootstraps: {few:,}, so ± 0.7). The"
    yield "goal is 94 or more, and 97.5 or less under normal noise; **bold**: missed. The intervals"
    yield "were chosen with the noises ※ in view, but not fitted to them. Those with ‡ were added"
    yield "after the choice; since then, only the allowance for the drift of a level came in."
    yield ""
    sections: dict[str, Iterable[str]] = {
        "The intervals in use": (
            *_chosen("Ratio of two arms", of_ratios, list(NOISES), count),
            "",
            *_chosen("Level of one cell", of_levels, OF_ONE_CELL, count),
        ),
        "What no interval can hold: a mode that no start was in": _missed(),
        "Two modes and drift that are recognized": _recognized(few),
        "The smallest detectable difference": _detected(count),
        "False alarms among equal arms": _alarms(few),
        "Ranks": _ranks(few),
        "Studies that stop at a precision": _stopped(count),
        "Alternatives for the ratio": _alternatives(of_ratios, list(OF_RATIOS), count, few),
        "Alternatives for the level of one cell": _alternatives(
            of_levels, list(OF_LEVELS), count, few
        ),
    }
    for title, lines in sections.items():
        yield f"### {title}"
        yield ""
        yield from lines
        yield ""


def _chosen(title: str, cover: Cover, noises: list[str], count: int) -> Iterator[str]:
    yield f"| {title} |{HEADS} Student's t: 5 | 10 | 20 |"
    yield f"| --- |{RULE} --: | --: | --: |"
    for noise in noises:
        chosen = CHOSEN if cover is of_ratios else CHOSEN_LEVEL
        cells = [_judged(noise, cover(noise, n, chosen, count).share) for n in RESTARTS]
        cells += [f"{cover(noise, n, PLAIN, count).share * 100:.1f}" for n in (5, 10, 20)]
        yield f"| {_named(noise)} | {' | '.join(cells)} |"


def _named(noise: str) -> str:
    mark = "※ " if noise in UNFRIENDLY else "‡ " if noise in LATER else ""
    return f"{mark}{noise}"


def _missed() -> Iterator[str]:
    yield "The share of studies, in percent, in which no start is in a mode. The values then look"
    yield "normal, and every interval of their spread is too narrow: 100 less this is the most that"
    yield "an interval of the mean can hold."
    yield ""
    yield f"| a mode of |{HEADS} starts that see it in 95 of 100 studies |"
    yield f"| --- |{RULE} --: |"
    for share in (0.5, 0.3, 0.25, 0.1, 0.05):
        cells = " | ".join(f"{100 * missed(share, n):.1f}" for n in RESTARTS)
        enough = math.ceil(math.log(0.05) / math.log(1 - share))
        yield f"| {share * 100:g} % of starts | {cells} | {enough} |"


def _recognized(count: int) -> Iterator[str]:
    yield f"Shares of {count:,} cells, in percent, that are said to have two modes / to drift."
    yield "Under normal noise both are false alarms. A long tail looks like a few values far away."
    yield ""
    yield f"| noise |{HEADS}"
    yield f"| --- |{RULE}"
    for noise in OF_ONE_CELL:
        found = [recognized(noise, n, count) for n in RESTARTS]
        cells = " | ".join(f"{100 * one.modes:.1f} / {100 * one.drift:.1f}" for one in found)
        yield f"| {_named(noise)} | {cells} |"


def _detected(count: int) -> Iterator[str]:
    yield "A study names the smallest difference that would probably have been detected. Then the"
    yield "true difference is that, and another study looks for it: the share that shows it, in"
    yield "percent. *Earlier*: with Student's t, and the estimated spread taken for the true one."
    yield "In brackets: the size, in standard errors."
    yield ""
    yield f"| noise |{''.join(f' {n} restarts | earlier |' for n in FEW)}"
    yield f"| --- |{' --: | --: |' * len(FEW)}"
    for noise in list(NOISES)[:3]:
        found = [detected(noise, n, count) for n in FEW]
        cells = (
            f"{100 * one.now:.1f} ({one.now_errors:.1f}) | {100 * one.earlier:.1f}"
            f" ({one.earlier_errors:.1f})"
            for one in found
        )
        yield f"| {noise} | {' | '.join(cells)} |"


def _judged(noise: str, share: float) -> str:
    most = 0.975 if noise == "normal" else 1.0
    text = f"{share * 100:.1f}"
    return text if 0.94 <= share <= most else f"**{text}**"


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
    yield "does that of one cell's level; *cell, stopped*: that of a study of this cell alone, when"
    yield "it stops (–: a machine that drifts has not one level to hold). A study in which two"
    yield "modes are seen goes on to block 20, which this leaves out: it changes no number by 1."
    yield ""
    yield "| noise | sequence | blocks | fixed | blocks | always | cell, always | cell, stopped |"
    yield "| --- | --: | --: | --: | --: | --: | --: | --: |"
    for noise in NOISES:
        one = stopped(noise, UNTIL, MOST, count)
        held, fixed, always = (f"{100 * x:.1f}" for x in (one.sequence, one.fixed, one.always))
        drifts = noise.startswith("drifting")
        level, end = ("–" if drifts else f"{100 * x:.1f}" for x in (one.level, one.level_at_end))
        yield (
            f"| {_named(noise)} | {held} | {one.blocks:.0f} | {fixed} | {one.fixed_blocks:.0f} |"
            f" {always} | {level} | {end} |"
        )


def _alternatives(cover: Cover, names: list[str], count: int, few: int) -> Iterator[str]:
    yield f"| interval | noise |{''.join(f' {n} restarts |' for n in FEW)} width, 10 restarts |"
    yield f"| --- | --- |{' --: |' * len(FEW)} --: |"
    for noise in NOISES if cover is of_ratios else OF_ONE_CELL:
        base = cover(noise, 10, names[0], few)
        for name in names:
            many = few if "bootstrap" in name else count
            found = {n: cover(noise, n, name, many) for n in FEW}
            cells = " | ".join(_judged(noise, found[n].share) for n in FEW)
            yield f"| {name} | {_named(noise)} | {cells} | {found[10].width / base.width:.2f} |"


if __name__ == "__main__":
    main_of_page(page, COMMAND, __doc__, "studies", 5_000)
