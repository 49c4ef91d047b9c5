"""Limits of the conclusions, at the top of the page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from httpdyno.report.text import words
from httpdyno.result import StudyResult
from httpdyno.units import counted


@dataclass(frozen=True)
class Banner:
    """A sentence that limits the conclusions."""

    severity: Literal["invalid", "suspect"]
    sentence: str
    section: str = ""
    """Id of the section with the reasons; empty: there is none."""


def banners(result: StudyResult, *, under_way: bool = False) -> list[Banner]:
    """The banners of a result, worst first. `under_way`: its run goes on."""
    refused = sum(words.is_refused(cell) for cell in result.cells)
    invalid = sum(cell.status == "invalid" for cell in result.cells) - refused
    suspect = sum(cell.status == "suspect" for cell in result.cells)
    found = [] if result.complete else [_unfinished_banner(result, under_way=under_way)]
    if invalid and not words.is_empty(result):
        text = f"{_of(invalid, len(result.cells), 'cell')} {_has(invalid)} no result."
        found.append(Banner("invalid", text, "verdicts"))
    if result.failures:
        failed = ", ".join(dict.fromkeys(failure.arm for failure in result.failures))
        found.append(Banner("invalid", f"Could not be measured: {failed}.", "failures"))
    if refused:
        text = f"{_of(refused, len(result.cells), 'cell')} {_was(refused)} refused: "
        found.append(Banner("suspect", f"{text}the server does not support the load.", "verdicts"))
    if suspect:
        results = len(result.cells) - invalid - refused
        text = f"{_of(suspect, results, 'result')} {'is' if suspect == 1 else 'are'} suspect."
        found.append(Banner("suspect", text, "verdicts"))
    if partly := sum(cell.status == "valid" and bool(cell.doubted) for cell in result.cells):
        which = _of(partly, len(result.cells), "cell")
        text = (
            f"{which} {'is' if partly == 1 else 'are'} valid except for single numbers, marked ?."
        )
        found.append(Banner("suspect", text, "verdicts"))
    return found


def caveats(result: StudyResult) -> list[str]:
    """The notes of the study, then those that apply to single arms."""
    return [*_of_file(result), *result.notes, *notes_of_arms(result)]


def _of_file(result: StudyResult) -> Iterator[str]:
    if is_summary(result):
        yield (
            "This report was written from a summary, which has no single trials and no latency"
            " distributions."
        )


def is_summary(result: StudyResult) -> bool:
    """True for a result whose single trials were left out."""
    measured = [cell for cell in result.cells if cell.throughput_per_s is not None]
    return bool(measured) and not any(cell.trials for cell in measured)


def notes_of_arms(result: StudyResult) -> Iterator[str]:
    """Each note of a cell once, with the arms that it applies to."""
    found: dict[str, dict[str, None]] = {}
    for cell in result.cells:
        for note in cell.notes:
            found.setdefault(note, {})[cell.arm] = None
    for note, arms in found.items():
        yield f"{', '.join(arms)}: {note}"


def _unfinished_banner(result: StudyResult, *, under_way: bool) -> Banner:
    done = words.blocks_done(result)
    if under_way:
        return Banner("invalid", f"Not finished: {done}. The run is under way.")
    command = result.command.removesuffix(" --resume")
    return Banner("invalid", f"Not finished: {done}. Resume it with `{command} --resume`.")


def _of(count: int, total: int, noun: str) -> str:
    return f"{count} of {counted(total, noun)}" if total > 1 else f"The only {noun}"


def _has(count: int) -> str:
    return "has" if count == 1 else "have"


def _was(count: int) -> str:
    return "was" if count == 1 else "were"
