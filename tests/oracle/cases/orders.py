"""Orders, ties, capacities and replays: T1 to T10."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from oracle.cases.case import Case
from oracle.made.small import arms, around, offered, shaped
from oracle.made.studies import UNSENT
from oracle.raw import Lab, Load, Point, Trial

_NAMES = ("tornado/1-process", "starlette/1-worker")
_NONE: list[float | None] = [None] * 7


def _t1() -> Lab:
    """984 of 1,000/s, at random: so many fell due. One trial of seven has unsent calls."""
    made = offered({name: {1000.0: 1.0, 2000.0: 1.0} for name in _NAMES})
    key = (_NAMES[1], "l0", "1,000/s")
    trials = [replace(one, ok=1968, due=1968) for one in made.of(key)]
    trials[3] = replace(trials[3], ok=1966, unsent=2, doubts=(UNSENT,))
    return replace(made, trials={**made.trials, key: tuple(trials)})


def _unsent() -> Lab:
    made = Trial(0, 1483, due=1487, unsent=4, waited=0, window_s=1.5)
    load = Load("l0", "requests", (Point("1,000/s", 1000.0),))
    return Lab(arms("a"), (load,), 1, {("a", "l0", "1,000/s"): (made,)})


def _one_block_missing() -> Lab:
    """b answers 10 % more than a in every block; its fastest block is missing, so a has more."""
    a = [400.0, 820.0, 830.0, 810.0, 825.0, 815.0, 6000.0]
    b = [1.1 * one for one in a[:-1]]
    return shaped({"a": a, "b": b})


def _bounded() -> Lab:
    values = {"a": around(5000.0), "b": around(2000.0, shift=2), "c": around(50_000.0)}
    made = shaped(values, "capacity")
    key = ("c", "l0", "p99 ≤ 20 ms")
    lower = [replace(one, at_least=50_000.0, capacity=None) for one in made.of(key)]
    return replace(made, trials={**made.trials, key: tuple(lower)})


def _capacity_of_five() -> Lab:
    values: dict[str, Sequence[float | None]] = {"a": around(5000.0)}
    values |= {name: around(2000.0, shift=at) for at, name in enumerate("bcd")}
    return shaped({**values, "e": _NONE}, "capacity")


def _replay(published: dict[str, float], b: Sequence[float | None], n: int = 7) -> Lab:
    """The load of a post, and the corrected one; both arms are alike in both."""
    made = shaped({"a": around(1000.0, n), "b": b}, published=published)
    load = Load("l1", "closed", (Point("10 connections"),))
    again = {(arm, "l1", point): each for (arm, _, point), each in made.trials.items()}
    return replace(made, loads=(*made.loads, load), trials={**made.trials, **again})


_NEAR = {"a": around(1000.0), "b": around(1032.0, shift=2)}
_TIED = {"a": around(1000.0), "b": around(700.0), "c": around(701.0, shift=3)}
_UNLIKE = {"b": [600.0, 1200.0, 700.0, 900.0, 1100.0], "a": [1000.0, 900.0, 1150.0, 700.0, 4000.0]}
_SPREAD = {"a": around(951.0, 5), "b": [900.0, 300.0, 1300.0, 200.0, 1200.0], "c": around(100.0, 5)}
CASES = (
    Case(
        "T1 one doubtful trial of seven is no overload",
        "kept up with 1,000/s",
        _t1(),
        [("rates", "starlette/1-worker not even with the lowest rate")],
        [("rates", "Both arms keep up with every rate, to 2,000 requests/s")],
    ),
    Case(
        "T2 a cause without its counter",
        "no call waited",
        _unsent(),
        [("load", "4 of 1,487 calls were never sent: no connection was free")],
    ),
    Case(
        "T3 invalid at the highest rate is not failed",
        "nothing is known of b at 4,000/s",
        offered({"a": {2000.0: 1.0, 4000.0: 1.0}, "b": {2000.0: 1.0, 4000.0: None}}),
        [("rates", "b only with 2,000")],
        [("rates", "a keeps up with 4,000 requests/s")],
    ),
    Case(
        "T3 invalid at lower rates is not kept up",
        "nothing is known of b at 1,000/s",
        offered(
            {
                "a": {1000.0: 1.0, 2000.0: 1.0, 4000.0: 1.0},
                "b": {1000.0: None, 2000.0: None, 4000.0: 1.0},
            }
        ),
        [("rates", "Both arms keep up with every rate, to 4,000 requests/s")],
    ),
    Case(
        "T3 an arm that is invalid everywhere is one of the arms",
        "the study has 3 arms",
        offered({"a": {1000.0: 1.0}, "b": {1000.0: 1.0}, "c": {1000.0: None}}),
        [("rates", "Both arms keep up with every rate, to 1,000 requests/s")],
    ),
    Case(
        "T4 the leader is the arm of rank 1",
        "a is not shown to be better than b",
        _one_block_missing(),
        [("throughput", "a answers most, 983/s"), ("throughput", "b answers least, 800/s")],
        [("ratio", "b answers 10 % more requests than a (1.10×, 1.10 to 1.10×)")],
    ),
    Case(
        "T5 least is not one of two that are tied",
        "c is not shown to be better than b",
        shaped(_TIED),
        [("throughput", "b answers least, 700/s")],
        [("throughput", "a answers most, 1,000/s")],
    ),
    Case(
        "T6 two arms are not about the value of one",
        "not about 872/s",
        shaped(_UNLIKE),
        [("throughput", "No difference shown between b and a, about 872/s")],
    ),
    Case(
        "T6 two of three are not about the value of one",
        "not about 951/s",
        shaped(_SPREAD),
        [
            (
                "throughput",
                "2 of 3 arms can be first, with about 951/s: the trials do not tell which",
            )
        ],
    ),
    Case(
        "T7 a title of order beside a ratio without difference",
        "contradicts",
        shaped(_NEAR),
        [
            ("throughput", "b answers most, 1,030/s"),
            ("ratio", "No difference shown between b and a"),
        ],
        [("throughput", "b answers most, 1,030/s")],
    ),
    Case(
        "T8 a lower bound may be the highest capacity",
        "has only a lower bound",
        _bounded(),
        [("capacity", "a has the highest capacity, 5,000/s")],
        [("capacity", "c at least 50,000/s")],
    ),
    Case(
        "T8 the low end of a range has its bound too",
        "c has only a bound",
        _bounded(),
        [("answer", "Capacity at p99 ≤ 20 ms: from 2,000/s (b) to 50,000/s (c)")],
        [("answer", "Capacity at p99 ≤ 20 ms: from 2,000/s (b) to 50,000/s or more (c)")],
    ),
    Case(
        "T9 all arms include the one without a result",
        "nothing is known of e",
        _capacity_of_five(),
        [("ratio", "All 3 arms have less capacity than a, down to 0.40× (b)")],
    ),
    Case(
        "T9 least of all needs a result of all",
        "nothing is known of d",
        shaped({"a": around(700.0), "b": around(1000.0), "d": _NONE}),
        [("throughput", "a answers least, 700/s")],
    ),
    Case(
        "T10 two arms without a shown difference have no first",
        "not shown to answer more",
        _replay({"a": 500.0, "b": 400.0}, around(1000.0, 7, 3)),
        [
            (
                "replay",
                "here it is a under the load of the post, and b without the faults of that load",
            )
        ],
    ),
    Case(
        "T10 two trials show nothing",
        "2 blocks",
        _replay({"a": 500.0, "b": 400.0}, around(1040.0, 2), 2),
        [("replay", "b answers the most requests here, in the post a")],
    ),
    Case(
        "T10 an arm without a result may be the first",
        "nothing is known of b",
        _replay({"a": 500.0, "b": 400.0}, _NONE),
        [("replay", "a answers the most requests here, as in the post")],
        [("replay", "Only a has a result here")],
    ),
    Case(
        "T10 a post without a number has no first",
        "shows no number",
        _replay({"b": 0.0}, around(2000.0)),
        [("replay", "b answers the most requests here, as in the post")],
        [("replay", "b answers the most requests here")],
    ),
    Case(
        "T10 equal numbers have no first",
        "are equal",
        _replay({"a": 500.0, "b": 500.0}, around(2000.0)),
        [("replay", "In the post, b answers the most requests")],
    ),
)
