"""The shares of simulated histories, with and without a change, that claim one.

    make history-power
    PYTHONPATH=benches python -m simulated.history_power [--histories N] [--write PAGE]

Ten minutes for 1,000 histories per number; seeded, so that the same program writes the same
tables.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from peers.tables.marks import main_of_page

from simulated.histories import NOISES, alarms, found, promised

COMMAND = "make history-power"
RUNS = (4, 6, 8, 12, 20, 30)
ARMS = (1, 5)
STEPS = (1, 2, 3, 5, 10)
PROMISED = 3
"""Kinds of noise for which the docs promise something."""
HEADS = "".join(f" {runs} runs |" for runs in RUNS)
RULE = " --: |" * len(RUNS)


def page(count: int) -> Iterator[str]:
    """The tables, in Markdown."""
    error = 200 * math.sqrt(0.05 * 0.95 / count)
    yield f"Histories without a change that claim one, of {count:,}, in percent (5 ± {error:.1f})."
    yield "An arm has three numbers: throughput and CPU time, which go together, and memory."
    yield ""
    yield f"| runs differ by | arms |{HEADS}"
    yield f"| --- | --: |{RULE}"
    for noise in NOISES:
        for arms in ARMS:
            yield _row(f"{noise} | {arms}", [alarms(noise, arms, runs, count) for runs in RUNS])
    yield ""
    yield "Histories of one arm with a step of throughput and CPU time in the middle, in which one"
    yield "of the two is found, at most one run from it, in percent. Runs differ normally:"
    yield ""
    yield f"| step ÷ standard deviation |{HEADS}"
    yield f"| --- |{RULE}"
    for step in STEPS:
        yield _row(f"{step}", [found(step, runs, count) for runs in RUNS])
    yield ""
    yield "Series of which one without a change promised that such a step *would probably have"
    yield "shown*, and in which it shows; the step is in the newest two runs:"
    yield ""
    yield f"| runs differ by |{HEADS}"
    yield f"| --- |{RULE}"
    for noise in list(NOISES)[:PROMISED]:
        yield _row(noise, [promised(noise, runs, count) for runs in RUNS])


def _row(name: str, shares: list[float]) -> str:
    return f"| {name} | {' | '.join(f'{100 * share:.1f}' for share in shares)} |"


if __name__ == "__main__":
    main_of_page(page, COMMAND, __doc__, "histories", 1_000)
