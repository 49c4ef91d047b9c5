"""Lateness is judged by what it adds to the percentiles that are reported.

Each run is simulated call by call: what the server takes, when the generator sends, and which calls
wait for a connection.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest
from httpdyno.verdict import Context, judge
from measured import Change, calls, measurement, of_sessions, open_load, plan
from measured import time as plain_time

CALLS = 20_000
RATE = 2000.0
WINDOW_S = CALLS / RATE
US, MS = 1e-6, 1e-3
GENERATOR = {"generator_late", "generator_behind"}


def times(values: Sequence[float]) -> Change:
    """The distribution of these seconds."""
    ranked = sorted(values) or [0.0]

    def at(share: float) -> int:
        return int(ranked[min(len(ranked) - 1, int(share * len(ranked)))] * 1e9)

    shares = {"p50_ns": 0.5, "p75_ns": 0.75, "p90_ns": 0.9, "p99_ns": 0.99}
    tail = {"p999_ns": 0.999, "p9999_ns": 0.9999, "max_ns": 1.0}
    found = {name: at(share) for name, share in (shares | tail).items()}
    mean = sum(values) / max(1, len(values)) * 1e9
    return plain_time(len(values)) | found | {"mean_ns": mean}


def run(
    service: Callable[[random.Random], float],
    wakes: Callable[[random.Random, float], float],
    connections: int = 1000,
) -> set[str]:
    """The reasons about the generator in an open load of even arrivals.

    `wakes`: when the generator looks at a call that is due then, seconds. A call that finds no
    connection free then is sent when one becomes free.
    """
    source = random.Random(1)
    free = [0.0] * connections
    response, served, lag, waited = [], [], [], 0
    for number in range(CALLS):
        due = number / RATE
        seen = max(due, wakes(source, due))
        connection = min(range(len(free)), key=free.__getitem__) if connections < 100 else 0
        sent = max(seen, free[connection]) if connections < 100 else seen
        took = service(source)
        free[connection] = sent + took
        if sent > seen:
            waited += 1
        else:
            lag.append(sent - due)
        served.append(took)
        response.append(sent + took - due)
    m = measurement(
        window_s=WINDOW_S,
        calls=calls(CALLS, waited=waited),
        times__response=times(response),
        times__service=times(served),
        times__lag=times(lag),
        connections__peak_open=connections,
    )
    return GENERATOR & {
        reason.code for reason in judge(m, Context(plan(open_load(per_s=RATE)))).reasons
    }


def heavy(source: random.Random) -> float:
    """A server of 0.4 ms, one call in ten of which takes up to 3 ms."""
    return source.uniform(1 * MS, 3 * MS) if source.random() < 0.1 else 0.4 * MS


def steady(source: random.Random) -> float:
    return 0.4 * MS


def prompt(source: random.Random, due: float) -> float:
    """Wakes up in 5 to 25 µs, and once in fifty times in 150 µs."""
    return due + (150 * US if source.random() < 0.02 else source.uniform(5 * US, 25 * US))


def stopped(length_s: float, every_s: float) -> Callable[[random.Random, float], float]:
    """Stands still for so long, over and over."""

    def wakes(source: random.Random, due: float) -> float:
        start = due - due % every_s
        return start + length_s if due < start + length_s else prompt(source, due)

    return wakes


def crowded(source: random.Random, due: float) -> float:
    """A neighbour has the CPU half of the time, for up to 3 ms."""
    return due + (source.uniform(0, 3 * MS) if source.random() < 0.5 else 10 * US)


def test_a_lag_that_hardly_moves_p99_is_not_held_against_it() -> None:
    assert run(heavy, prompt) == set()


def test_the_same_lag_is_held_against_the_p99_of_a_server_that_it_makes() -> None:
    """One call in fifty is 150 µs late, and the server takes 0.4 ms each time."""
    assert run(steady, prompt) == {"generator_late"}


@pytest.mark.parametrize("connections", [1000, 4])
@pytest.mark.parametrize(
    ("length_s", "every_s", "code"),
    [(0.3, 10.0, "generator_late"), (0.06, 1.0, "generator_late"), (0.6, 1.0, "generator_behind")],
)
def test_a_generator_that_stands_still_is_caught_however_few_connections_it_has(
    length_s: float, every_s: float, code: str, connections: int
) -> None:
    assert run(heavy, stopped(length_s, every_s), connections) == {code}


def test_a_generator_with_a_loaded_neighbour_is_caught() -> None:
    assert "generator_late" in run(heavy, crowded) or "generator_behind" in run(heavy, crowded)


def test_a_queue_of_the_server_is_not_the_generator_s_lateness() -> None:
    """Three connections carry what two would: calls wait, and p99 is far above the service time."""

    def slow(source: random.Random) -> float:
        return source.expovariate(1 / (1.2 * MS))

    assert run(slow, prompt, connections=3) == set()


@pytest.mark.parametrize("each", [{"keep_alive": False}, {"load": open_load("sessions")}])
def test_connecting_is_the_server_s_too(each: Change) -> None:
    slow = {
        "times__response": plain_time(p50_ns=1_500_000, p99_ns=2_500_000),
        "times__connect": plain_time(p50_ns=500_000),
        "times__lag": plain_time(p50_ns=400_000, p99_ns=600_000),
    }
    kind = "sessions" if "load" in each else "requests"
    sessions = of_sessions(100, 100, 100)
    m = measurement(**slow, load=kind, sessions=sessions if kind == "sessions" else None)
    told = {reason.code for reason in judge(m, Context(plan(**each))).reasons}
    assert not GENERATOR & told
    if kind == "requests":
        kept = {reason.code for reason in judge(m, Context(plan())).reasons}
        assert "generator_behind" in kept


def test_a_closed_load_has_no_due_times_to_be_late_for() -> None:
    late = {
        "times__response": plain_time(p99_ns=9_000_000),
        "times__lag": plain_time(p99_ns=8_000_000),
    }
    m = measurement(load="closed", offered_per_s=None, validity__arrivals=None, **late)
    assert not GENERATOR & {reason.code for reason in judge(m).reasons}


def test_the_reason_says_how_much_of_which_percentile_and_the_limit() -> None:
    late = {
        "times__response": plain_time(p99_ns=3_000_000),
        "times__lag": plain_time(p50_ns=5_000, p99_ns=1_000_000),
    }
    (reason,) = judge(measurement(**late)).reasons
    assert reason.text == (
        "the load generator was late: 1.00 ms of the response time of 3.00 ms at p99 passed"
        " before calls were sent (33.3 %, limit 300 µs)"
    )
    assert reason.doubts == ("p99",)


def test_a_lag_above_the_response_time_is_told_beside_it_and_not_as_a_part_of_it() -> None:
    sessions = of_sessions(100, 100, 100)
    late = {
        "times__response": plain_time(p50_ns=44_700, p99_ns=60_000_000),
        "times__lag": plain_time(p50_ns=529_000, p99_ns=600_000),
    }
    m = measurement(**late, load="sessions", sessions=sessions)
    (reason,) = judge(m, Context(plan(load=open_load("sessions")))).reasons
    assert reason.text == (
        "the load generator was late all the time: it sent calls 529 µs after they were due at p50,"
        " beside a response time of 44.7 µs (limit 100 µs)"
    )


def test_fewer_late_calls_than_those_beyond_p99_can_still_move_it() -> None:
    late = {
        "times__response": plain_time(p99_ns=3_000_000),
        "times__lag": plain_time(p50_ns=5_000, p99_ns=10_000) | {"p999_ns": 50_000_000},
    }
    assert [reason.code for reason in judge(measurement(**late)).reasons] == ["generator_late"]


def test_lateness_is_no_reason_where_no_reply_was_right_and_there_are_no_times() -> None:
    m = measurement(
        calls=calls(0, wrong_status=CALLS),
        times__response=times([]),
        times__service=times([]),
        times__lag=times([4 * MS] * CALLS),
    )
    reasons = {reason.code for reason in judge(m, Context(plan(open_load(per_s=RATE)))).reasons}
    assert reasons
    assert not reasons & GENERATOR
