"""Every study that httpdyno writes itself gives its trials as many calls as a verdict asks for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from httpdyno.cli.init.verb import TEMPLATE
from httpdyno.measurement import ENOUGH_CALLS, FEWEST_CALLS
from httpdyno.study import (
    KnownNames,
    Load,
    RequestsLoad,
    SessionsLoad,
    Study,
    built_in_studies,
    load_study,
    narrow,
)
from httpdyno.study.loads.shape import MOST_QUICK_S
from httpdyno.study.read import parse_study
from httpdyno.verdict import RULES
from httpdyno.verdict.remedies import long_enough_s

ROOT = Path(__file__).parents[3]
LEAST_S = RULES["too_short"].limit


def template(*, uncommented: bool) -> Study:
    text = TEMPLATE.read_text(encoding="utf-8")
    if uncommented:
        head, tables = text.split("# [loads.visitors]")
        text = head + "[loads.visitors]" + re.sub(r"(?m)^# (?=[a-z_]+ +=|\[)", "", tables)
    return parse_study(text, TEMPLATE)


def of_the_guide() -> Study:
    text = (ROOT / "docs" / "guides" / "your-own-study.md").read_text(encoding="utf-8")
    found = re.search(r"```toml\n(title .*?)```", text, re.DOTALL)
    assert found is not None
    known = KnownNames({"tornado": ["1-process"]}, ["pong"], lambda _: ("stdlib", ["threads"]))
    return parse_study(found[1], Path("threads.toml"), known)


STUDIES = {name: load_study(name) for name in built_in_studies()} | {
    "init": template(uncommented=False),
    "init, uncommented": template(uncommented=True),
    "the guide's": of_the_guide(),
}
EVERY = {
    f"{name}{', quick' if quick else ''}": narrow(study, quick=quick)
    for name, study in STUDIES.items()
    for quick in (False, True)
}


def calls(load: RequestsLoad | SessionsLoad, rate: float) -> float:
    """The calls that a point of an open load offers."""
    each = load.calls if isinstance(load, SessionsLoad) else 1
    count = load.sessions if isinstance(load, SessionsLoad) else load.requests
    by_time = float("inf") if load.duration is None else rate * load.duration
    return each * min(by_time, float("inf") if count is None else count)


def too_few(load: Load) -> bool:
    """A trial of it is suspect by construction."""
    if load.duration is not None and load.duration < LEAST_S:
        return True
    if load.kind == "closed":
        return load.requests is not None and load.requests < FEWEST_CALLS
    if load.kind == "capacity":  # it chooses the length of its steps itself
        return False
    return any(calls(load, rate) < ENOUGH_CALLS for rate in load.rate)


@pytest.mark.parametrize("study", EVERY.values(), ids=EVERY)
def test_no_load_is_too_short_but_those_in_the_shape_that_history_gave_them(study: Study) -> None:
    history = {row.load for row in study.published}
    assert [name for name, load in study.loads.items() if too_few(load)] == [
        name for name, load in study.loads.items() if name in history and too_few(load)
    ]


def test_a_quick_trial_and_a_hint_ask_for_the_same_number_of_calls() -> None:
    own = parse_study(OWN.format(kind="requests", more="rate = 220"), Path("own.toml"))
    assert 220 * own.loads["x"].enough_s == 220 * long_enough_s(220, 0.0) == ENOUGH_CALLS


def test_enough_is_more_than_a_verdict_asks_for() -> None:
    assert ENOUGH_CALLS > FEWEST_CALLS + 3 * FEWEST_CALLS**0.5


OWN = """\
title = "t"
[[arms]]
server = "a"
deployments = ["1"]
[loads.x]
kind = "{kind}"
duration = "60s"
{more}
"""


@pytest.mark.parametrize(
    ("kind", "more", "seconds"),
    [
        ("closed", "", 2.0),
        ("requests", "rate = [5000, 600]", 2.0),
        ("requests", "rate = [5000, 220]", 5.0),
        ("requests", "rate = 1", MOST_QUICK_S),
        ("sessions", "rate = 20\ncalls = 11", 5.0),
        ("requests", 'rate = 220\n[quick]\nduration = "3s"', 3.0),
        ("requests", "rate = 220\n[quick.loads.x]\nrate = 440", 2.5),
        ("requests", 'rate = 220\n[quick.loads.x]\nduration = "1s"', 1.0),
    ],
)
def test_a_quick_trial_is_as_long_as_enough_calls_need_unless_the_study_says_otherwise(
    kind: str, more: str, seconds: float
) -> None:
    study = parse_study(OWN.format(kind=kind, more=more), Path("own.toml"))
    assert narrow(study, quick=True).loads["x"].duration == seconds
