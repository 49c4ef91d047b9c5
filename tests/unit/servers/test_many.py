"""The exit code of work on many servers is that of the worst failure."""

from __future__ import annotations

from itertools import permutations

import pytest
from httpdyno.cli.servers.many import Outcome, exit_code
from httpdyno.errors import ExitCode

CASES = {
    (): 0,
    (0, 0): 0,
    (0, 3): 3,
    (3, 4, 0): 4,
    (2, 3): 2,
    (2, 4): 4,
    (3, 70, 4): 70,
    (70, 130): 130,
    (3, 99): 3,
    (99, 0): 99,
}


@pytest.mark.parametrize("codes", CASES)
def test_the_exit_code_of_many_is_that_of_the_worst(codes: tuple[int, ...]) -> None:
    for order in permutations(codes):
        outcomes = [Outcome("x", "failed" if code else "ok", code) for code in order]
        assert exit_code(outcomes) == CASES[codes]


def test_an_unavailable_server_does_not_count_as_a_failure() -> None:
    assert exit_code([Outcome("zeus", "unavailable"), Outcome("m", "needs a variable")]) == 0


def test_every_failure_that_a_verb_can_report_has_a_rank() -> None:
    # Results of loads, studies and comparisons; `servers` reports none of them.
    results = {ExitCode.OK, ExitCode.THRESHOLD_FAILED, ExitCode.INVALID}
    results |= {ExitCode.REGRESSION, ExitCode.CANNOT_TELL}
    for code in set(ExitCode) - results:
        assert exit_code([Outcome("x", "failed", 99), Outcome("y", "failed", code)]) == code
