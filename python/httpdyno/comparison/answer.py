"""The answer of a comparison in sentences: the decision first, then what to know about it."""

from __future__ import annotations

from collections.abc import Iterator

from httpdyno.comparison.compare import CompareOutcome, doubts
from httpdyno.comparison.endpoints import in_words
from httpdyno.comparison.missing_results import missing_results
from httpdyno.comparison.next_step import next_step
from httpdyno.comparison.words import begin_sentence, sentence
from httpdyno.listing import both
from httpdyno.metrics import COMPARED
from httpdyno.result import CellRow
from httpdyno.running.options import RunOptions
from httpdyno.statistics.claims.changes import percent

DIFFERENT_WORK = 0.01
"""Replies whose mean length differs by more than this share are not the same work."""


def answer(compared: CompareOutcome, options: RunOptions) -> Iterator[str]:
    """The parts of the answer; the first one, its lead, has the decision and its doubts."""
    yield " ".join(_lead(compared))
    reserved = [one for one in compared.decisions if one.reserve]
    if reserved:
        yield f"{both([COMPARED[one.metric].noun for one in reserved])}: {reserved[0].reserve}."
    if compared.decided == "cannot tell":
        yield from next_step(compared, options)
    if (different := _different_work(compared)) is not None:
        yield different
    if compared.canary is not None:
        yield compared.canary.text
    if compared.spec.saved is not None:
        yield (
            "The baseline was measured earlier: the interval does not contain what changed on this"
            " machine in between."
        )


def _lead(compared: CompareOutcome) -> Iterator[str]:
    whole, by_endpoint = _decision(compared), in_words(compared.endpoints)
    if compared.decided == compared.of_all_calls:
        yield from filter(None, (whole, by_endpoint))
    else:  # an endpoint alone is a regression
        yield by_endpoint
        yield f"All calls together: {whole[0].lower()}{whole[1:]}"
    if (missing := missing_results(compared)) is not None and compared.decided != "no result":
        yield f"{missing}."
    yield from _suspect(compared)


def _decision(compared: CompareOutcome) -> str:
    """The decision in one sentence, with the numbers of the metrics that decided."""
    decided, (baseline, changed) = compared.of_all_calls, compared.names
    if decided == "no result" or not compared.decisions:
        return f"{missing_results(compared) or f'No valid result for {changed}'}."
    at = [one for one in compared.decisions if one.decided == decided]
    shown = at or [one for one in compared.decisions if one.decided != "no result"]
    first, *others = [sentence(one, baseline, changed) for one in shown]
    margin = percent(shown[0].margin)
    if decided == "regression":
        worse = f"{first}: a regression beyond your margin of {margin}"
        return ". ".join(map(begin_sentence, [worse, *others])) + "."
    if decided == "no regression shown":
        return f"No regression shown: {first}, within your margin of {margin}."
    return f"Cannot tell if {changed} is worse by more than your margin of {margin}: {first}."


def _suspect(compared: CompareOutcome) -> Iterator[str]:
    """One sentence for the metrics that rest on a suspect number, with their first reason."""
    decided = [one for one in compared.decisions if one.decided != "no result"]
    found = {COMPARED[one.metric].noun: doubts(compared, one) for one in decided}
    suspect = {noun: reasons for noun, reasons in found.items() if reasons}
    if suspect:
        arm, reason = next(iter(suspect.values()))[0]
        yield f"The comparison of {both(list(suspect))} is suspect: {arm}: {reason.text}."


def _different_work(compared: CompareOutcome) -> str | None:
    """A warning when the replies of both arms differ in length; None: they do not."""
    saved, result = compared.spec.saved, compared.ended.result
    results = [saved.result if saved is not None else result, result]
    pairs = zip(results, compared.names, strict=True)
    before, now = (_bytes_per_reply(one.cells if one else [], name) for one, name in pairs)
    if before is None or now is None or abs(now - before) <= DIFFERENT_WORK * max(before, now):
        return None
    baseline, changed = compared.names
    return (
        f"The replies differ: {before:,.0f} bytes from {baseline}, {now:,.0f} from {changed}, so"
        " the two may not do the same work."
    )


def _bytes_per_reply(cells: list[CellRow], arm: str) -> float | None:
    for cell in cells:
        if cell.arm == arm and cell.body_bytes_per_s and cell.throughput_per_s:
            return cell.body_bytes_per_s.value / cell.throughput_per_s.value
    return None
