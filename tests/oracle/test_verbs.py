"""Every sentence of sweeps, histories, comparisons, verdicts and loads is true of made numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from oracle.forms.every import of_surface
from oracle.made.series import comparison, history, load, sweep
from oracle.raw import Lab
from oracle.reading import Report, Said, read
from oracle.verbs import beside, decided, followed, swept, times, unsent

SEEDS = 150
Made = Callable[[int], Lab]
Printed = Callable[[Lab], Iterator[Said]]
_VERBS: dict[str, tuple[Made, Printed]] = {
    "sweep": (sweep, swept),
    "history": (history, followed),
    "compare": (comparison, decided),
    "the page that compares": (comparison, beside),
    "unsent calls of a verdict": (load, unsent),
    "load": (load, times),
}


@pytest.mark.parametrize("verb", _VERBS)
def test_every_sentence_is_true_of_the_numbers(verb: str) -> None:
    made, printed = _VERBS[verb]
    found: dict[str, str] = {}
    count = 0
    for seed in range(SEEDS):
        lab, report = made(seed), Report()
        for said in printed(lab):
            read(said, of_surface(said.surface), lab, report)
        count += report.read
        for said, why in report.objections:
            found.setdefault(f"{said.section}: {why}", f"seed {seed}: “{said.text}”")
    assert count
    assert not found, "\n".join(f"{text}: {why}" for why, text in found.items())
