"""Every sentence about thousands of made studies is of a known form, true, and contradicts none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from oracle.forms.every import of_surface
from oracle.made.documents import result
from oracle.made.studies import equal, study
from oracle.made.wide import wide
from oracle.raw import Lab
from oracle.reading import Report, read
from oracle.render import everything

STUDIES = 1000
_A_TEST = 250
"""Studies of a test: several processes can share them."""


def read_all(lab: Lab) -> Report:
    """Everything that is printed about a study."""
    report = Report()
    often, seldom = lab.seed % 8 == 0, lab.seed % 40 == 0
    for said in everything(lab, result(lab), beside=often, page=seldom):
        read(said, of_surface(said.surface), lab, report)
    return report


@pytest.mark.parametrize("first", range(0, STUDIES, _A_TEST))
@pytest.mark.parametrize("made", [study, wide])
def test_every_sentence_is_true_of_the_trials(made: Callable[[int], Lab], first: int) -> None:
    found = [why for seed in range(first, first + _A_TEST) for why in objections(made(seed))]
    assert not found, f"{len(found)} objections\n" + "\n".join(found[:40])


def objections(lab: Lab) -> Iterator[str]:
    """Everything that is wrong with what is printed about a study."""
    report = read_all(lab)
    assert report.read
    for said, why in report.objections:
        yield f"seed {lab.seed}, {said.surface} {said.section}: “{said.text}”: {why}"
    for one in report.contradictions():
        yield f"seed {lab.seed}: {one}"


@pytest.mark.parametrize(("arms", "loads"), [(2, 1), (3, 2), (5, 3), (8, 1), (2, 6)])
def test_of_equal_arms_at_most_one_report_in_20_claims_an_order(arms: int, loads: int) -> None:
    reports = 120
    counts = Counter(
        any(one.kind == "order" for one in read_all(equal(seed, arms, loads)).claims)
        for seed in range(reports)
    )
    # 5 % of 120 is 6; more than 13 has a probability of 0.2 %.
    assert counts[True] <= 13, f"{counts[True]} of {reports}"
