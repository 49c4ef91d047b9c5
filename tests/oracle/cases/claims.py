"""Arms that an answer leaves out, and claims without a decision: T22 to T29."""

from __future__ import annotations

from collections.abc import Sequence

from oracle.cases.case import Case
from oracle.made.small import around, changed, offered, shaped
from oracle.made.studies import OVERLOAD, STARVED, SUSPECTS
from oracle.raw import Doubt

_NONE: list[float | None] = [None] * 7
_THREE: dict[str, Sequence[float | None]] = {"a": around(1000.0), "b": around(1200.0), "c": _NONE}
_LATE = (Doubt("generator_late", SUSPECTS[0].text, frozenset({"p99"})),)
_FELL = offered({"a": {1000.0: 1.0}, "b": {1000.0: 0.5}, "c": {1000.0: 1.0}})
_STARVED = changed(
    offered({"a": {1000.0: 1.0}, "b": {1000.0: 0.5}}), "b", doubts=(OVERLOAD, STARVED)
)
CASES = (
    Case(
        "T22 the answer does not leave out an arm without a result",
        "c is left out",
        shaped(_THREE),
        [
            (
                "answer",
                "b served 20 % more requests/s than a: 1.20×, 95 % CI 1.20 to 1.20, from 7 trials "
                "each",
            )
        ],
        [("answer", "No result for c")],
    ),
    Case(
        "T22 without a baseline the answer does not leave out the others",
        "c is left out",
        shaped({"a": _NONE, "b": around(1000.0), "c": around(1200.0)}),
        [("answer", "b served 1,000/s (95 % CI 981/s to 1,020/s, from 7 trials)")],
    ),
    Case(
        "T23 an arm that kept up is not unknown",
        "b is known to have kept up",
        offered(
            {
                "a": {1000.0: None, 2000.0: 1.0, 4000.0: 1.0},
                "b": {1000.0: 1.0, 2000.0: 1.0, 4000.0: 1.0},
            }
        ),
        [("rates", "not known how far b kept up")],
    ),
    Case(
        "T24 few trials show no difference",
        "this form is not known",
        shaped({"a": around(1000.0, 3), "b": around(1030.0, 3)}),
        [
            (
                "answer",
                "b served 3.0 % more requests/s than a, from 3 trials each: too few for a "
                "confidence interval",
            )
        ],
        [
            (
                "answer",
                "Too few trials to compare b with a by requests/s (3 each): 1,030/s and 1,000/s",
            )
        ],
    ),
    Case(
        "T25 a doubt about p99 is none about throughput",
        "the throughput of 0 of 2 arms is suspect",
        changed(shaped({"a": around(1000.0), "b": around(1200.0)}), "a", doubts=_LATE),
        [("answer", f"This result is suspect: {_LATE[0].text}")],
    ),
    Case(
        "T26 an arm that fell behind has no p99 to be sorted by",
        "b did not keep up",
        _FELL,
        [("legend", "Sorted by p99 at a rate that all arms kept up with")],
        [("legend", "Sorted by requests/s")],
    ),
    Case(
        "T27 an arm that fell behind has no p99 in a range",
        "b fell behind",
        _FELL,
        [
            (
                "answer",
                "Too few trials to rank the arms by p99 (one has only 7): they range from 2.00 ms, "
                "a, to 5.00 ms, b",
            )
        ],
    ),
    Case(
        "T28 one difference is not quoted in two ways",
        "quoted as a multiple",
        shaped({"a": around(1000.0), "b": around(300.0)}),
        [("ratio", "b answers 0.30× as many requests as a (0.30 to 0.30×)")],
        [("ratio", "b answers 70 % fewer requests than a (0.30×, 0.30 to 0.30×)")],
    ),
    Case(
        "T29 a server that other programs starved did not fall behind",
        "b is not known to have fallen behind",
        _STARVED,
        [("rates", "a kept up with 1,000/s; b fell behind at 1,000/s")],
        [("rates", "a kept up with 1,000/s; b: not known at 1,000/s")],
    ),
)
