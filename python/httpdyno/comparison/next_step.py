"""The next step after an undecided comparison: more blocks, or a lower rate."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from httpdyno.comparison.compare import Compared
from httpdyno.plan import plan, total_s
from httpdyno.running.options import RESUME, RunOptions
from httpdyno.statistics.decide import MOST_BLOCKS
from httpdyno.study import RequestsLoad
from httpdyno.units import roughly

HALVING = 4
"""So many times the blocks make an interval half as wide."""
LOWER = 0.5
"""Of a rate that some arm could not hold."""


def next_step(compared: Compared, options: RunOptions) -> Iterator[str]:
    """One sentence, with a command to paste."""
    if compared.wanted.saved is not None:
        yield "To tell, measure both builds together: give A as a revision or a command."
        return
    unknown = [one for one in compared.decisions if one.decided == "cannot tell"]
    if not unknown:
        rates = [one for one in compared.study.loads.values() if isinstance(one, RequestsLoad)]
        if rates:
            lower = f"{max(1.0, LOWER * rates[0].rate[0]):g}"
            command = command_with(options, "--rate", lower)
            yield f"A lower rate may give one: `{command}`."
        return
    needed = [one.blocks_needed for one in unknown if one.blocks_needed is not None]
    sure = len(needed) == len(unknown)
    blocks = min(MOST_BLOCKS, max(needed) if sure else HALVING * compared.study.blocks)
    study = compared.study.model_copy(update={"blocks": blocks})
    length = roughly(total_s(plan(study, study.seed)))
    command = f"`{command_with(options, '--blocks', str(blocks))}`"
    if sure:
        yield f"About {blocks} blocks would probably tell ({length}): {command}."
        return
    yield (
        "The estimate is about at the margin, so no number of blocks is sure to tell. With"
        f" {blocks} blocks the interval is half as wide ({length}): {command}."
    )


def command_with(options: RunOptions, flag: str, value: str) -> str:
    """The command of this comparison with another value: a new one, not a continued one.

    Adding blocks to the same trials until they tell would make false alarms more frequent.
    """
    kept: list[str] = []
    words = iter(options.arguments)
    for word in words:
        if word == flag:
            next(words, None)
        elif word != RESUME and not word.startswith(f"{flag}="):
            kept.append(word)
    return shlex.join(["httpdyno", *kept, flag, value])
