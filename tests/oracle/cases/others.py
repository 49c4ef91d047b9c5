"""Sweeps, histories, comparisons, captions and rounding: T11 to T21."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from oracle.cases.case import Case
from oracle.made.small import arms, around, changed, offered, shaped
from oracle.made.studies import SUSPECTS
from oracle.raw import Doubt, Lab, Load, Point, Trial


def _running_capacity() -> Lab:
    return shaped({"jay": around(5000.0, 6)}, "capacity", running=True)


def _sweep(shares: dict[float, float | None], measured: int) -> Lab:
    made = offered({"server": shares}, blocks=1)
    points = made.loads[0].points[:measured]
    kept = {key: each for key, each in made.trials.items() if key[2] in {p.label for p in points}}
    return replace(made, trials=kept)


def _history(values: Sequence[float], others: Sequence[float] = ()) -> Lab:
    return shaped({"a": values, **({"b": others} if others else {})})


def _compared(ratio: float, cpu: float = 1.0) -> Lab:
    made = shaped({"A": around(1000.0, 10), "B": around(1000.0 * ratio, 10, 3)})
    trials = {
        key: tuple(replace(one, cpu_s=8e-4 * (cpu if key[0] == "B" else 1.0)) for one in each)
        for key, each in made.trials.items()
    }
    return replace(made, trials=trials)


def _failed_in_one() -> Lab:
    made = shaped({"a": around(1000.0)})
    key = ("a", "l0", "10 connections")
    trials = [replace(one, failed=5 if at == 2 else 0) for at, one in enumerate(made.of(key))]
    return replace(made, trials={key: tuple(trials)})


def _random_arrivals() -> Lab:
    made = offered({"a": {1000.0: 1.0}})
    key = ("a", "l0", "1,000/s")
    return replace(
        made, trials={key: tuple(replace(one, ok=1968, due=1968) for one in made.of(key))}
    )


def _open_only() -> Lab:
    made = offered({"Ay": {1000.0: 1.0}, "Bee": {1000.0: 1.0}}, blocks=7)
    return changed(made, "Bee", p99_s=1.1e-3)


def _pipelined() -> Lab:
    made = shaped({"a": around(1000.0), "b": around(1000.0)})
    return replace(made, loads=(replace(made.loads[0], burst=20),))


def _silent() -> Lab:
    return changed(shaped({"a": around(1000.0), "b": around(1000.0)}), "a", seconds=(0,) * 6)


def _overloaded_load() -> Lab:
    made = Trial(0, 240, due=1000, window_s=1.0, p99_s=1.51)
    load = Load("l0", "requests", (Point("1,000/s", 1000.0),))
    return Lab(arms("a"), (load,), 1, {("a", "l0", "1,000/s"): (made,)})


def _stops_at(until: float) -> Lab:
    values = {"a": around(1000.0, 10), "b": around(1000.0, 10, 3)}
    return replace(shaped(values), until=until)


_LATE = (Doubt("shared_cores", SUSPECTS[2].text, SUSPECTS[2].numbers),)
_TWO = {"a": around(1000.0), "b": around(1000.0, shift=3)}
_UNLIKE = {"b": [600.0, 1200.0, 700.0, 900.0, 1100.0], "a": [1000.0, 900.0, 1150.0, 700.0, 4000.0]}
CASES = (
    Case(
        "T11 a sweep that ended early has not every rate",
        "2 of 4 rates",
        _sweep({100.0: 1.0, 200.0: 1.0, 400.0: 1.0, 800.0: 1.0}, 2),
        [("sweep", "The server kept up with every rate, up to 200/s (p99 2.00 ms)")],
        [
            (
                "sweep",
                "The server kept up with every measured rate (2 of 4), up to 200/s (p99 2.00 ms)",
            )
        ],
    ),
    Case(
        "T11 an invalid rate is not failed",
        "nothing is known at 100/s",
        _sweep({100.0: None, 200.0: 1.0}, 2),
        [("sweep", "The server did not keep up with the lowest rate")],
    ),
    Case(
        "T11 one noisy point is not the end",
        "it kept up with 400/s",
        _sweep({100.0: 1.0, 200.0: 0.9, 400.0: 1.0, 800.0: 1.0}, 4),
        [("sweep", "The server kept up with up to 100/s (p99 2.00 ms)")],
        [("sweep", "The highest reply rate was 800/s, with 800/s offered")],
    ),
    Case(
        "T12 three runs are too few for no change",
        "too few",
        _history([1000.0, 1010.0, 500.0]),
        [("history", "No change in up to 3 runs")],
        [
            (
                "history",
                "The history is too short to find changes: the longest series has 3 runs, expected "
                "6 or more",
            )
        ],
    ),
    Case(
        "T12 a margin does not make a step disappear",
        "changed to 0.8×",
        _history([*around(1000.0, 5), *around(800.0, 5)]),
        [("history", "No change in up to 10 runs")],
        [("history", "No change larger than 30 % in up to 10 runs")],
    ),
    Case(
        "T12 a server that moved the other way did move",
        "b changed with a",
        _history([*around(1000.0, 5), *around(500.0, 5)], [*around(500.0, 5), *around(1000.0, 5)]),
        [
            (
                "history",
                "Nothing that is recorded changed with it; the other servers of this run did not "
                "change with it",
            )
        ],
    ),
    Case(
        "T12 one percent is no headline",
        "within the margin",
        _history(around(1000.0)),
        [("history", "peak memory 1.0 % higher (28.6 MiB → 28.9 MiB), worse")],
    ),
    Case(
        "T12 forty percent is not none",
        "changed to 0.71×",
        _history([*around(1000.0, 3), *around(710.0, 3)]),
        [("history", "changes 0")],
    ),
    Case(
        "T13 slower, though not by more than the margin",
        "only the margin is in doubt",
        _compared(0.95),
        [
            (
                "compare",
                "Cannot tell if B is slower: B serves 5.0 % fewer requests/s than A (95 % CI 3.3 "
                "to 6.7 % fewer, 10 restarts each), and your margin is 5 %",
            )
        ],
    ),
    Case(
        "T13 more CPU time is not slower",
        "is not slower",
        _compared(1.0, 1.2),
        [
            (
                "compare",
                "Cannot tell if B is slower: B uses 20 % more CPU time per request than A (95 % CI "
                "20 to 20 % more, 10 restarts each), and your margin is 20 %",
            )
        ],
    ),
    Case(
        "T14 a server that ran already had no restarts",
        "ran already",
        _running_capacity(),
        [
            (
                "answer",
                "jay holds 5,020 requests/s at p99 ≤ 20 ms (95 % CI 4,890 to 5,160, 6 restarts)",
            )
        ],
        [
            (
                "answer",
                "jay holds 5,020 requests/s at p99 ≤ 20 ms (95 % CI 4,890 to 5,160, 6 trials)",
            )
        ],
    ),
    Case(
        "T14 a server that ran already had no fresh starts",
        "ran already",
        _running_capacity(),
        [
            (
                "answer",
                "jay holds 5,020 requests/s at p99 ≤ 20 ms (95 % CI 4,890 to 5,160, 6 trials; held "
                "4,890/s on 4 of 5 fresh starts)",
            )
        ],
    ),
    Case(
        "T15 five requests failed in one trial",
        "5 requests failed",
        _failed_in_one(),
        [("page", "No request failed in any cell with a result")],
    ),
    Case(
        "T16 none is shown",
        "none was shown",
        shaped(_UNLIKE),
        [("row", "0.81× (no difference)")],
        [("row", "0.81× (no difference shown)")],
    ),
    Case(
        "T16 random arrivals are below the line too",
        "answered all that fell due",
        _random_arrivals(),
        [("page", "An arm below it is past its capacity")],
    ),
    Case(
        "T16 one comparison is not adjusted",
        "nothing was adjusted",
        shaped(_TWO),
        [
            (
                "page",
                "Several comparisons are judged together: their bars are wider than at 95 %, so "
                "that at most 1 study in 20 shows a difference in a metric that is not there",
            )
        ],
    ),
    Case(
        "T16 a table ranked by p99 is not best by requests",
        "ranked by p99",
        offered({"a": {1000.0: 1.0}, "b": {1000.0: 1.0}, "c": {1000.0: 1.0}}),
        [("legend", "Best first, by requests/s")],
        [("legend", "Best first, by p99")],
    ),
    Case(
        "T16 with shared cores times are higher",
        "a time is higher",
        changed(shaped(_TWO), "a", doubts=_LATE),
        [
            (
                "page",
                "a: the server and the load generator shared CPU cores, so these numbers are lower "
                "than with a core reserved for the generator",
            )
        ],
    ),
    Case(
        "T17 the p99 of an overload is not compared",
        "its p99 has no meaning",
        offered({"a": {1000.0: 1.0}, "b": {1000.0: 0.5}}),
        [("compare", "p99 599×, worse")],
    ),
    Case(
        "T18 a printed interval that holds 1",
        "holds 1",
        shaped({"a": around(1000.0), "b": around(1003.2)}),
        [("ratio", "b answers 0.32 % more requests than a (1.00×, 1.00 to 1.00×)")],
    ),
    Case(
        "T18 first and last are printed alike",
        "printed as 1,000/s",
        shaped({"a": around(1000.0), "b": around(1000.4)}),
        [("throughput", "b answers most, 1,000/s; a answers least, 1,000/s")],
    ),
    Case(
        "T18 100.0 % is all",
        "not all",
        offered({"a": {1000.0: 0.9996}}),
        [("card", "overload: 1,000/s offered, 1,000/s achieved (100.0 %, limit 99 %)")],
    ),
    Case(
        "T18 1,000 µs is 1.00 ms",
        "1.00 of the next",
        shaped({"a": [2000.4] * 7}),
        [("latency", "a answers 99 % of the requests within 1,000 µs")],
    ),
    Case(
        "T18 a p99 of 0.60× is 67 % faster",
        "67% faster",
        shaped({"a": around(600.0), "b": around(1000.0)}),
        [("ratio", "b is 40 % faster at p99 than a (0.60×, 0.60 to 0.60×)")],
    ),
    Case(
        "T18 nothing cannot be shown",
        "cannot be shown",
        shaped(_TWO),
        [("ratio", "0 % or more would probably have shown")],
    ),
    Case(
        "T19 the offered rate of one arm is no answer",
        "rate that was offered",
        _open_only(),
        [("answer", "Ay served 1,000/s (95 % CI 1,000/s to 1,000/s, from 7 trials)")],
    ),
    Case(
        "T20 a response is no shorter than every service",
        "never sent",
        _overloaded_load(),
        [("load", "response min 0.333; service min 4.02")],
        [("load", "response min ≥0.333; service min 4.02")],
    ),
    Case(
        "T20 a lower bound has no interval",
        "never finished",
        _overloaded_load(),
        [("load", "p99 ≥1.51 s, 95 % CI 1.51 to 1.52 s (± 0.277 %)")],
    ),
    Case(
        "T20 percentiles rise",
        "above p99",
        _overloaded_load(),
        [("load", "response min 6.56 p95 6.57 p99 6.56 max 6.56")],
        [("load", "response min 6.56 p95 6.56 p99 6.56 max 6.56")],
    ),
    Case(
        "T21 silence is not even",
        "(0, 0, 0, 0, 0, 0)",
        _silent(),
        [
            (
                "timeline",
                "In the trials drawn, every arm answers evenly: no second is more than 5 % from "
                "its mean",
            )
        ],
    ),
    Case(
        "T30 pipelined calls are no plain load",
        "connections are used otherwise: keep-alive, 20 calls pipelined",
        _pipelined(),
        [("answer", "Load: keep-alive, 10 connections, 2.00 s per trial")],
        [("answer", "Load: keep-alive, 20 calls pipelined, 10 connections, 2.00 s per trial")],
    ),
    Case(
        "T23 more blocks than anybody measures are no advice",
        "nobody measures 506,070 blocks",
        _stops_at(0.0005),
        [("page", "It would probably take about 506,070 blocks")],
        [("page", "More blocks will not help: it would take more than 200")],
    ),
    Case(
        "T23 too few blocks for the intervals of the trials",
        "the intervals of the trials need",
        _stops_at(0.01),
        [("page", "It would probably take about 15 blocks")],
        [("page", "It would probably take about 100 blocks")],
    ),
)
