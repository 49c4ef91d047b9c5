"""The oracle objects to every kind of false sentence that was found from outside, and to no other.

The sentences are as they were printed, so the oracle stays as strong when no program prints them.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from oracle.cases import claims, orders, others
from oracle.cases.case import Case
from oracle.exported import faults
from oracle.forms.every import of_surface
from oracle.made.documents import result
from oracle.made.studies import study
from oracle.raw import Lab
from oracle.reading import Report, Said, read

CASES = (*orders.CASES, *others.CASES, *claims.CASES)
_SURFACES = ("answer", "page", "card", "row", "legend", "sweep", "history", "compare", "load")


def said(lab: Lab, section: str, text: str) -> list[Said]:
    """The parts of a title; other sentences are whole."""
    surface = section if section in _SURFACES else "title"
    load = lab.loads[0]
    points = [point.label for point in load.points] if surface != "title" else []
    only = load.points[0].label if len(load.points) == 1 else ""
    places = tuple((load.name, one) for one in points or [only])
    parts = text.split("; ") if surface == "title" else [text]
    return [Said(surface, part, section, places, text) for part in parts]


def heard(lab: Lab, sentences: Sequence[tuple[str, str]]) -> list[str]:
    """The objections of the oracle to these sentences of one report."""
    report = Report()
    for section, text in sentences:
        for one in said(lab, section, text):
            read(one, of_surface(one.surface), lab, report)
    return [*(why for _, why in report.objections), *report.contradictions()]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_false_sentence_is_objected_to(case: Case) -> None:
    found = heard(case.lab, case.false)
    assert [one for one in found if case.why in one], found


@pytest.mark.parametrize("case", [one for one in CASES if one.true], ids=lambda case: case.name)
def test_what_the_same_trials_carry_is_accepted(case: Case) -> None:
    assert heard(case.lab, case.true) == []


def test_a_number_of_a_file_that_is_not_of_the_trials_is_objected_to() -> None:
    lab = study(8)
    made = result(lab)
    assert list(faults(lab, made)) == []
    cell = next(one for one in made.cells if one.throughput_per_s and one.rate_per_s is None)
    wrong = cell.throughput_per_s and cell.throughput_per_s.model_copy(update={"value": 1.0})
    cells = [cell.model_copy(update={"throughput_per_s": wrong}), *made.cells[1:]]
    found = list(faults(lab, made.model_copy(update={"cells": cells})))
    for name in ("github", "bencher", "openmetrics", "otava"):
        assert any(one.startswith(name) for one in found), name


def test_a_sentence_of_an_unknown_form_is_objected_to() -> None:
    (found,) = heard(CASES[0].lab, [("throughput", "a is by far the fastest server of all")])
    assert found == "this form is not known"
