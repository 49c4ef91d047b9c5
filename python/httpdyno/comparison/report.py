"""The answer of a comparison, and its report: the decision first, then what it rests on."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from httpdyno.comparison.compare import Compared
from httpdyno.comparison.loads import judged
from httpdyno.comparison.words import NOUNS, listed, percent, sentence
from httpdyno.export import Check
from httpdyno.plan import plan, total_s
from httpdyno.report import write_report
from httpdyno.result import LoadInfo, StudyResult
from httpdyno.running.options import RESUME, RunOptions
from httpdyno.statistics.decide import MOST_BLOCKS, Decided
from httpdyno.units import roughly

HALVING = 4
"""So many times the blocks make an interval half as wide."""
DIFFERENT_WORK = 0.01
"""Replies whose mean length differs by more than this share are not the same work."""


def with_answer(compared: Compared, options: RunOptions) -> StudyResult | None:
    """The result with the decision as its answer, and its report written again; None: no result."""
    ended = compared.ended
    if ended.result is None:
        return None
    result = ended.result.model_copy(update={"answer": " ".join(answer(compared, options))})
    if ended.report is not None:
        write_report(result, Path(ended.report.html).parent)
    return result


def answer(compared: Compared, options: RunOptions) -> Iterator[str]:
    """The sentences of the answer."""
    yield decision_words(compared)
    if compared.decided == "cannot tell":
        yield from _more_blocks(compared, options)
    if (text := different_work(compared)) is not None:
        yield text
    if compared.canary is not None:
        yield compared.canary.text
    if compared.wanted.saved is not None:
        yield (
            "The baseline was measured earlier: the interval does not contain what changed on this"
            " machine in between."
        )


def decision_words(compared: Compared) -> str:
    """The decision in one sentence, with the numbers of the metric that decided."""
    decided, (baseline, changed) = compared.decided, compared.names
    if decided == "no result" or not compared.decisions:
        return _no_result(compared)
    at = [one for one in compared.decisions if one.decided == decided]
    first = at[0] if at else compared.decisions[0]
    said, margin = sentence(first, baseline, changed), percent(first.margin)
    if decided == "regression":
        others = [sentence(one, baseline, changed) for one in at[1:]]
        return ". ".join([f"{said}: a regression beyond your margin of {margin}", *others]) + "."
    if decided == "cannot tell":
        return f"Cannot tell if {changed} is slower: {said}, and your margin is {margin}."
    return f"No regression shown: {said}, within your margin of {margin}."


def _no_result(compared: Compared) -> str:
    """The metrics without a result and the first reason, then what the others say."""
    missing = [NOUNS[one.metric] for one in compared.decisions if one.decided == "no result"]
    others = [
        f" {sentence(one, *compared.names)}: {one.decided}."
        for one in compared.decisions
        if one.decided != "no result"
    ]
    found = f"No valid result for {listed(missing) or compared.names[1]}"
    reason = next(_reasons(compared), None)
    return f"{found}{'' if reason is None else f': {reason}'}.{''.join(others)}"


def _reasons(compared: Compared) -> Iterator[str]:
    """Why the metrics without a result have none; the most serious first."""
    by_load = judged({info.name: info for info in _loads(compared)}, cpu=True)
    loads = {by_load[one.metric] for one in compared.decisions if one.decided == "no result"}
    result = compared.ended.result
    for failure in result.failures if result is not None else ():
        yield f"{failure.arm} was left out: {failure.reason}"
    for cell in result.cells if result is not None else ():
        if cell.load in loads and cell.arm in compared.names and cell.reasons:
            yield f"{cell.arm}: {cell.reasons[0].text}"


def _loads(compared: Compared) -> Sequence[LoadInfo]:
    return () if compared.ended.result is None else compared.ended.result.loads


def checks(compared: Compared) -> Sequence[Check]:
    """Each decision for reports of CI: only a shown pass is one."""
    return [
        Check(
            name=f"{NOUNS[one.metric]} of {compared.names[1]}, margin {percent(one.margin)}",
            outcome=_OUTCOMES[one.decided],
            text=f"{one.decided}: {sentence(one, *compared.names)}",
        )
        for one in compared.decisions
    ]


def different_work(compared: Compared) -> str | None:
    """A warning when the replies of both arms differ in length; None: they do not."""
    saved, result = compared.wanted.saved, compared.ended.result
    results = [saved.result if saved is not None else result, result]
    sizes = [_bytes_per_reply(one, name) for one, name in zip(results, compared.names, strict=True)]
    before, now = sizes
    if before is None or now is None or abs(now - before) <= DIFFERENT_WORK * max(before, now):
        return None
    baseline, changed = compared.names
    return (
        f"The replies differ: {before:,.0f} bytes from {baseline}, {now:,.0f} from {changed}, so"
        " the two may not do the same work."
    )


def _bytes_per_reply(result: StudyResult | None, arm: str) -> float | None:
    for cell in result.cells if result is not None else ():
        if cell.arm == arm and cell.body_bytes_per_s and cell.throughput_per_s:
            return cell.body_bytes_per_s.value / cell.throughput_per_s.value
    return None


def _more_blocks(compared: Compared, options: RunOptions) -> Iterator[str]:
    """How many blocks would probably tell, and the command that measures them."""
    unknown = [one for one in compared.decisions if one.decided == "cannot tell"]
    if compared.wanted.saved is not None:
        yield "To tell, measure both builds together: give A as a revision or a command."
        return
    needed = [one.blocks_needed for one in unknown if one.blocks_needed is not None]
    sure = len(needed) == len(unknown)
    blocks = min(MOST_BLOCKS, max(needed) if sure else HALVING * compared.study.blocks)
    study = compared.study.model_copy(update={"blocks": blocks})
    length = roughly(total_s(plan(study, study.seed)))
    command = f"`{command_with(options, blocks)}`"
    if sure:
        yield f"About {blocks} blocks would probably tell ({length}): {command}."
        return
    yield (
        "The estimate is about at the margin, so no number of blocks is sure to tell. With"
        f" {blocks} blocks the interval is half as wide ({length}): {command}."
    )


def command_with(options: RunOptions, blocks: int) -> str:
    """The command of this comparison, with so many blocks: a new one, not a continued one.

    Adding blocks to the same trials until they tell would make false alarms more frequent.
    """
    kept: list[str] = []
    words = iter(options.arguments)
    for word in words:
        if word == "--blocks":
            next(words, None)
        elif word != RESUME and not word.startswith("--blocks="):
            kept.append(word)
    return shlex.join(["httpdyno", *kept, "--blocks", str(blocks)])


_OUTCOMES: dict[Decided, Literal["passed", "failed", "no result"]] = {
    "regression": "failed",
    "cannot tell": "no result",
    "no result": "no result",
    "no regression shown": "passed",
}
