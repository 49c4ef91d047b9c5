"""The doubts of a study, each listed once: the cells it applies to, what it doubts, what to do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from httpdyno.doubts import NUMBERS, in_words
from httpdyno.report.contents.rows.arms import ArmLabel, Labels
from httpdyno.report.contents.rows.tables import card_id
from httpdyno.result import CellRow, Reason, Status, StudyResult, TrialRow
from httpdyno.units import counted

_NUMBER = re.compile(r"[0-9][0-9.,]*")
_WORST_FIRST: Sequence[Status] = ("invalid", "suspect", "valid")
_NO_REASON = Reason(code="none", status="suspect", text="no reason was recorded", hint="")
FEW = 6
"""A list of so many cells is open when the page is."""
MOST_PLACES = 200
"""A card lists so many cells or trials; the data files have the others."""


@dataclass(frozen=True)
class DoubtedPlace:
    """A cell or a trial with the doubt, in its own numbers."""

    arm: ArmLabel
    where: str
    text: str


@dataclass(frozen=True)
class DoubtCard:
    """One kind of doubt, and every place that has it."""

    id: str
    status: Status
    code: str
    numbers: str
    """The numbers that it doubts; empty: there is no result."""
    text: str
    """A sentence that every place shares; else the first one."""
    hints: Sequence[str]
    count: str
    """`3 of 24 cells`."""
    places: Sequence[DoubtedPlace]
    """At most `MOST_PLACES` of them."""
    same: bool
    """True if every place has the same text."""
    left_out: int

    @property
    def open(self) -> bool:
        """True if the places are shown without a click."""
        return len(self.places) <= FEW


@dataclass(frozen=True)
class Verdicts:
    """The doubts about cells, and those about trials in the other cells."""

    cells: int
    doubtful: Sequence[DoubtCard]
    doubtful_trials: Sequence[DoubtCard]


def verdicts(result: StudyResult, labels: Labels) -> Verdicts:
    """The doubts of a result, worst and most frequent first."""
    cells = _cards(_of_cells(result), labels, len(result.cells), "cell")
    every = sum(len(cell.trials) for cell in result.cells)
    trials = _cards(_of_trials(result), labels, every, "trial")
    return Verdicts(len(result.cells), cells, trials)


_ReasonPlace = tuple[Reason, CellRow, TrialRow | None]


def _of_cells(result: StudyResult) -> Iterator[_ReasonPlace]:
    for cell in result.cells:
        if cell.status != "valid" or cell.doubted:
            none = _NO_REASON.model_copy(update={"status": cell.status})
            for reason in cell.reasons or (none,):
                yield reason, cell, None


def _of_trials(result: StudyResult) -> Iterator[_ReasonPlace]:
    for cell in result.cells:
        if cell.status == "valid" and not cell.doubted:
            for trial in cell.trials:
                for reason in trial.reasons:
                    yield reason, cell, trial


def _cards(found: Iterable[_ReasonPlace], labels: Labels, of: int, noun: str) -> list[DoubtCard]:
    groups: dict[tuple[str, Status], list[_ReasonPlace]] = {}
    for one in found:
        groups.setdefault((one[0].code, one[0].status), []).append(one)
    used: dict[str, int] = {}
    cards = [_card(group, labels, of, noun, used) for group in groups.values()]
    return sorted(cards, key=_worst_first)


def _worst_first(card: DoubtCard) -> tuple[int, int]:
    return _WORST_FIRST.index(card.status), -len(card.places) - card.left_out


def _card(
    group: Sequence[_ReasonPlace], labels: Labels, of: int, noun: str, used: dict[str, int]
) -> DoubtCard:
    first = group[0][0]
    name = card_id(first.code) if noun == "cell" else f"trial-{card_id(first.code)}"
    used[name] = used.get(name, 0) + 1
    doubts = [one for one in NUMBERS if any(one in reason.doubts for reason, _, _ in group)]
    invalid = first.status == "invalid"
    return DoubtCard(
        id=name if used[name] == 1 else f"{name}-{used[name]}",
        status=first.status,
        code=first.code.replace("_", " ").replace("-", " "),
        numbers="" if invalid else in_words(doubts),
        text=f"{first.text[:1].upper()}{first.text[1:]}",
        hints=_hints(group),
        count=f"{len(group):,} of {counted(of, noun)}",
        places=[
            DoubtedPlace(labels(cell.arm), _where(cell, trial), reason.text)
            for reason, cell, trial in group[:MOST_PLACES]
        ],
        same=all(reason.text == first.text for reason, _, _ in group),
        left_out=max(0, len(group) - MOST_PLACES),
    )


def _hints(group: Sequence[_ReasonPlace]) -> list[str]:
    """The hints; of those that differ in their numbers alone the first, with its cell."""
    alike: dict[str, dict[str, str]] = {}
    for reason, cell, trial in group:
        if reason.hint:
            same = alike.setdefault(_NUMBER.sub("0", reason.hint), {})
            same.setdefault(reason.hint, f"{cell.arm}, {_where(cell, trial)}")
    found = []
    for hints in alike.values():
        hint, place = next(iter(hints.items()))
        found.append(hint if len(hints) == 1 else f"{hint} (the numbers are for {place})")
    return found


def _where(cell: CellRow, trial: TrialRow | None) -> str:
    place = f"{cell.load}, {cell.point}"
    return place if trial is None else f"{place}, block {trial.block + 1}"
