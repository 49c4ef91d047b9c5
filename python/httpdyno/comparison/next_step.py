"""The next step after an undecided comparison: more calls, more blocks, or a lower rate."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from httpdyno.comparison.compare import CompareOutcome, cells, doubts
from httpdyno.comparison.loads import deciding_loads
from httpdyno.listing import both
from httpdyno.metrics import COMPARED
from httpdyno.plan import Plan, total_s
from httpdyno.running.options import RESUME, RunOptions
from httpdyno.statistics.decide import MOST_BLOCKS, Decision
from httpdyno.study import RequestsLoad, SessionsLoad
from httpdyno.units import roughly
from httpdyno.verdict.remedies import long_enough_s

HALVING = 4
"""So many times the blocks make an interval half as wide."""
INPUTS = {"--blocks": "blocks"}
"""The flags among those of a next step that are inputs of action.yml."""
LOWER = 0.5
"""Of a rate that some arm could not hold."""
TOO_BRIEF = {"too_short", "too_few"}
"""The doubts that a longer measurement removes, and more of them do not."""


def next_step(compared: CompareOutcome, options: RunOptions) -> Iterator[str]:
    """One sentence, with a command to paste."""
    if compared.spec.saved is not None:
        yield "To tell, measure both builds together: give A as a revision or a command."
        return
    unknown = [one for one in compared.decisions if one.decided == "cannot tell"]
    if not unknown:
        if (lower := _lower_rate(compared)) is not None:
            yield f"A lower rate may give one: {_command(options, lower.flags)}."
        return
    brief = [one for one in unknown if _is_brief(compared, one)]
    if brief:
        yield _for_longer(compared, options, brief, [one for one in unknown if one not in brief])
    else:
        yield _more_blocks(compared, options, unknown)


def _is_brief(compared: CompareOutcome, one: Decision) -> bool:
    """True if each measurement of a metric is too short, or has too few calls."""
    return any(reason.code in TOO_BRIEF for _, reason in doubts(compared, one))


def _for_longer(
    compared: CompareOutcome,
    options: RunOptions,
    brief: Sequence[Decision],
    others: Sequence[Decision],
) -> str:
    """The sentence for measurements that are too brief; `others` need more blocks beside that."""
    length_s = max(_needed_s(compared, one) for one in brief)
    flags = {"--duration": f"{length_s}s"}
    blocks = _blocks(compared, others)[0] if others else compared.study.blocks
    if blocks != compared.study.blocks:
        flags["--blocks"] = f"{blocks}"
    loads = {
        name: load.model_copy(update={"duration": max(length_s, load.duration or 0.0)})
        for name, load in compared.study.loads.items()
    }
    nouns = both([COMPARED[one.metric].noun for one in brief])
    codes = {reason.code for one in brief for _, reason in doubts(compared, one)}
    lack = "have too few calls" if "too_few" in codes else "are too short"
    return (
        f"The measurements of {nouns} {lack},"
        " and more blocks would not change that. Measure for longer"
        f" ({_time(compared, blocks=blocks, loads=loads)}): {_command(options, flags)}."
    )


def _needed_s(compared: CompareOutcome, one: Decision) -> int:
    """The seconds in which the slower arm answers enough calls."""
    rates = [cell.throughput_per_s for cell in cells(compared, one) if cell is not None]
    load = None if one.comparison is None else compared.study.loads.get(one.comparison.load)
    was_s = (load.duration if load is not None else None) or 0.0
    slowest = min((rate.value for rate in rates if rate is not None), default=0.0)
    return math.ceil(long_enough_s(slowest, was_s))


def _more_blocks(compared: CompareOutcome, options: RunOptions, unknown: Sequence[Decision]) -> str:
    """The sentence for more blocks, which give no result to a metric that has none."""
    blocks, sure = _blocks(compared, unknown)
    flags, about, more = {"--blocks": f"{blocks}"}, "", ""
    if any(one.decided == "no result" for one in compared.decisions):
        about = f" about {both([COMPARED[one.metric].noun for one in unknown])}"
    if (lower := _lower_rate(compared)) is not None:
        flags |= lower.flags
        more = f", and a lower rate may give a result for {both(lower.nouns)}"
    command = f"({_time(compared, blocks=blocks)}): {_command(options, flags)}"
    if sure:
        return f"About {blocks} blocks would probably tell{about}{more} {command}."
    return (
        "The estimate is about at the margin, so no number of blocks is sure to tell. With"
        f" {blocks} blocks the interval is half as wide{more} {command}."
    )


@dataclass(frozen=True)
class _LowerRate:
    """A lower rate for metrics that have no result at theirs."""

    nouns: Sequence[str]
    flags: Mapping[str, str]


def _lower_rate(compared: CompareOutcome) -> _LowerRate | None:
    """None: no metric without a result is measured at a rate."""
    loads = compared.study.loads
    load_of = deciding_loads(loads, cpu=True)
    lost = [
        (one, load)
        for one in compared.decisions
        if one.decided == "no result"
        and isinstance(load := loads[load_of[one.metric]], RequestsLoad | SessionsLoad)
    ]
    if not lost:
        return None
    lower = max(1.0, LOWER * lost[0][1].rate[0])
    nouns = [COMPARED[one.metric].noun for one, _ in lost]
    return _LowerRate(nouns, {"--rate": f"{lower:g}"})


def _blocks(compared: CompareOutcome, unknown: Sequence[Decision]) -> tuple[int, bool]:
    """The number of blocks to try, and True if they would probably tell."""
    needed = [one.blocks_needed for one in unknown if one.blocks_needed is not None]
    sure = len(needed) == len(unknown)
    return min(MOST_BLOCKS, max(needed) if sure else HALVING * compared.study.blocks), sure


def _time(compared: CompareOutcome, **changed: object) -> str:
    """The time of this comparison with other values."""
    study = compared.study.model_copy(update=changed)
    return roughly(total_s(Plan(study).trials))


def _command(options: RunOptions, flags: Mapping[str, str]) -> str:
    """The command of this comparison with other values, or the inputs of the action for them."""
    if options.is_of_action and flags.keys() <= INPUTS.keys():
        inputs = both([f"`{INPUTS[name]}: {value}`" for name, value in flags.items()])
        return f"{inputs} in the inputs of the action"
    return f"`{command_with(options, flags)}`"


def command_with(options: RunOptions, flags: Mapping[str, str]) -> str:
    """The command of this comparison with other values: a new one, not a continued one.

    Adding blocks to the same trials until they tell would make false alarms more frequent.
    """
    kept: list[str] = []
    words = iter(options.arguments)
    for word in words:
        if word in flags:
            next(words, None)
        elif word != RESUME and word.partition("=")[0] not in flags:
            kept.append(word)
    given = [part for pair in flags.items() for part in pair]
    return shlex.join(["httpdyno", *kept, *given])
