"""A hint knows the options in use and the verb in which it is read: under every combination."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from httpdyno.engine_plan import EnginePlan
from httpdyno.measurement import Measurement
from httpdyno.verdict import Context, judge
from hypothesis import given, settings
from hypothesis import strategies as st
from measured import Change, calls, late, measurement, plan
from test_hints import CHECK, DOCTOR, EVERY_DOUBT, FLAGS, KEYS, doubtful, read

KINDS = ["", "--rate 1000", "--rate 100:2000/10s", "--sessions 100 --calls 10"]
ENDS = ["-d 10s", "-d 90s", "-n 500", "-n 500 -d 10s", "--until p99±2%"]
CHOICES = [
    *("--spin", "--low-latency", "--threads 2", "--cpus 0", "--drain 30s", "--warm-up 5s"),
    *("--no-keep-alive", "--expect-status 404"),
]
POOLS = ["", "-c 1", "-c 4", "-c 100000"]
STOPS = ["as planned", "interrupt"]


@st.composite
def commands(draw: st.DrawFn) -> str:
    """The flags of a load, of every kind and with every option."""
    chosen = draw(st.lists(st.sampled_from(CHOICES), unique=True))
    parts = [draw(st.sampled_from(one)) for one in (KINDS, ENDS, POOLS)]
    return " ".join(filter(None, [*parts, *chosen]))


def stopped_by(of: EnginePlan, how: str) -> str:
    if how == "interrupt":
        return how
    return "count" if of.stop.count is not None else "duration"


def runs(of: EnginePlan, how: str) -> list[tuple[Measurement, Change]]:
    """A measurement of the plan with each doubt, and what is known besides it."""
    mine = {"warm_up_s": of.warm_up_s, "engine__threads": of.threads}
    return [
        (
            doubtful(of, mine | changes).model_copy(update={"stopped_by": stopped_by(of, how)}),
            more | {"plan": of},
        )
        for changes, more in EVERY_DOUBT
    ]


def quoted(of: EnginePlan, how: str, **context: Any) -> set[str]:
    """All that stands in backticks in the hints of every doubt, but `DOCTOR`."""
    return {
        one
        for m, more in runs(of, how)
        for reason in judge(m, Context(**more, **context)).reasons
        for one in re.findall(r"`([^`]+)`", reason.hint)
        if one != DOCTOR
    }


def numbers(of: EnginePlan) -> dict[str, float]:
    """The value of each flag that a hint may change, so that more of it is what the hint wants."""
    load = of.load
    arrivals = None if load.kind == "closed" else load.arrivals
    rate = arrivals.segments[0].from_per_s if arrivals is not None else 0.0
    pool = load.max_open if load.kind == "sessions" else load.connections
    return {
        "--connections": -(pool or 0) if load.kind == "closed" else (pool or 0),
        "--drain": of.stop.drain_s,
        "--duration": of.stop.duration_s or 0.0,
        "--rate": -rate,
        "--requests": of.stop.count or 0,
        "--sessions": -rate,
        "--threads": of.threads,
        "--warm-up": of.warm_up_s,
    }


@settings(max_examples=25)
@given(commands(), st.sampled_from(STOPS))
def test_a_hint_of_load_proposes_what_is_not_on_and_goes_the_right_way(
    flags: str, how: str
) -> None:
    before = read(flags)
    for one in quoted(before, how):
        if one.startswith(("curl ", "--fail-if ")):  # no part of the plan
            continue
        after = read(f"{flags} {one}")
        assert after != before, one
        for flag in re.findall(r"--[a-z-]+", one):
            assert flag in FLAGS
            if flag in numbers(before):
                assert numbers(after)[flag] > numbers(before)[flag], (one, flags)


@settings(max_examples=20)
@given(commands(), st.sampled_from(STOPS), st.sampled_from(["keys", "none"]))
def test_a_hint_of_another_verb_names_no_flag_of_load(flags: str, how: str, named: Any) -> None:
    of = read(flags)
    found = quoted(of, how, in_study=True, settings=named, check_command=CHECK) - {CHECK}
    keys = {re.split(r" = ", one)[0] for one in found}
    assert keys <= (KEYS if named == "keys" else set())
    for m, more in runs(of, how):
        told = judge(m, Context(**more, in_study=True, settings=named, check_command=CHECK))
        assert not any("--" in one.hint.replace(CHECK, "") for one in told.reasons)


@settings(max_examples=20)
@given(commands(), st.sampled_from(STOPS))
def test_a_hint_of_compare_names_only_flags_that_compare_has(flags: str, how: str) -> None:
    of = read(flags)
    found = quoted(of, how, in_study=True, settings="compare", check_command=CHECK) - {CHECK}
    has = {"--duration", "--rate", "--warm-up"}
    if of.load.kind == "closed":
        has.add("--connections")
    assert {one.partition(" ")[0] for one in found} <= has


REFUSED = {"granted": False, "reason": "Operation not permitted"}
LATE: Change = late(at_p99_ns=2_000_000) | {"validity__arrivals": None}


@pytest.mark.parametrize(
    ("flags", "hint"),
    [
        ("--rate 1000", ", or add `--low-latency` or `--spin`"),
        ("--rate 1000 --low-latency", ", or add `--spin`"),
        ("--rate 1000 --spin", ""),
        ("--rate 1000 --spin --low-latency", ""),
    ],
)
def test_a_late_generator_is_told_of_the_options_that_are_off(flags: str, hint: str) -> None:
    of = read(flags)
    (reason,) = judge(doubtful(of, LATE), Context(of)).reasons
    start = "stop other programs and leave the load generator a CPU of its own"
    assert reason.hint == start + hint


def test_a_real_time_priority_that_would_help_and_was_refused_is_named_with_the_reason() -> None:
    asked = {"engine__low_latency": {"shallow_idle": REFUSED, "real_time": REFUSED}}
    of = read("--rate 1000 --low-latency")
    for named in ("flags", "keys", "none"):
        m = doubtful(of, LATE | asked)
        (reason,) = judge(m, Context(of, in_study=True, settings=named)).reasons
        said = "; real-time priority would help, but was not granted: Operation not permitted"
        assert reason.hint.endswith(f"{said} (`httpdyno doctor` shows how to allow it)")
    given_up = {"granted": False, "reason": "given up: an engine thread used over 80 % of its CPU"}
    kept = {"engine__low_latency": {"shallow_idle": REFUSED, "real_time": given_up}}
    (reason,) = judge(doubtful(of, LATE | kept), Context(of, in_study=True)).reasons
    assert "doctor" not in reason.hint
    shared = replace(of, shared_cpus=True)
    (reason,) = judge(doubtful(shared, LATE | asked), Context(shared, in_study=True)).reasons
    assert "priority" not in reason.hint


@pytest.mark.parametrize(("right", "command"), [(0, "check it"), (500, None)])
def test_a_check_of_one_reply_is_proposed_only_if_it_would_find_a_wrong_one(
    right: int, command: str | None
) -> None:
    m = measurement(calls=calls(right, wrong_body=4))
    reasons = judge(m, Context(plan(), check_command="check it")).reasons
    (hint,) = [one.hint for one in reasons if one.code == "wrong_replies"]
    assert ("`check it`" in hint) == (command is not None)
    assert ("look for what changes while the load runs" in hint) == (right > 0)
