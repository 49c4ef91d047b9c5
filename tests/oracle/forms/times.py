"""Titles of distributions and timelines, and of the curves of a capacity."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from oracle.numbers import is_printed, number
from oracle.raw import Key, Trial
from oracle.reading import Form, Heard, named

EVEN = 0.05


def _typical(heard: Heard, key: Key) -> Trial | None:
    """The trial with the median p99 (of an even number, the lower or the upper of the two)."""
    usable = sorted((one for one in heard.lab.of(key) if one.usable), key=lambda one: one.p99_s)
    return usable[(len(usable) - 1) // 2] if usable else None


def _cells(heard: Heard) -> dict[str, Trial]:
    keys = {arm.name: (arm.name, heard.load, heard.point) for arm in heard.lab.arms}
    found = {arm: _typical(heard, key) for arm, key in keys.items()}
    return {arm: trial for arm, trial in found.items() if trial is not None}


def _near(text: str, values: list[float]) -> bool:
    """One of the trials has this number, but for the two percent of a histogram's rounding."""
    shown = number(text)
    return any(is_printed(text, one) or abs(shown / one - 1) < 0.02 for one in values if one)


def _all(heard: Heard, arm: str, metric: str) -> list[float]:
    return list(heard.lab.values((arm, heard.load, heard.point), metric).values())


def _between(heard: Heard) -> Iterator[str]:
    for name, field in (("a", "low"), ("b", "high")):
        if not _near(heard[field], _all(heard, heard.arm(name), "p99")):
            yield f"no trial of {heard[name]} has a p99 of {heard[field]}"
    if number(heard["low"]) > number(heard["high"]):
        yield "the lower time is the longer one"
    for arm in _cells(heard):
        values = _all(heard, arm, "p99")
        if max(values) < 0.98 * number(heard["low"]) or min(values) > 1.02 * number(heard["high"]):
            yield f"the p99 of {arm} is outside"


def _half(heard: Heard) -> Iterator[str]:
    for field, metric in (("low", "p50"), ("high", "p99")):
        if not _near(heard[field], _all(heard, heard.arm(), metric)):
            yield f"no trial has a {metric} of {heard[field]}"


def _tails(heard: Heard) -> Iterator[str]:
    tails = {
        arm.name: [
            one.p99_s / one.p50_s
            for one in heard.lab.of((arm.name, heard.load, heard.point))
            if one.usable and one.p50_s
        ]
        for arm in heard.lab.arms
    }
    tails = {arm: values for arm, values in tails.items() if values}
    named = {heard.arm(n): heard[f] for n, f in (("a", "low"), ("b", "high")) if heard[n]}
    for arm, values in tails.items():
        text = named.get(arm, heard["low"])
        exact = arm in named or not heard["high"]
        if exact and not any(abs(number(text) / one - 1) < 0.06 for one in values):
            yield f"p99 is {median(values):.3g}× the median in {arm}"


def _evenly(heard: Heard) -> Iterator[str]:
    arms = [heard.arm()] if heard["a"] else list(_cells(heard))
    for arm in arms:
        trials = [one for one in heard.lab.of((arm, heard.load, heard.point)) if one.usable]
        if trials and not any(map(_is_even, trials)):
            yield f"{arm} does not answer evenly: {trials[0].seconds}"


def _is_even(trial: Trial) -> bool:
    seconds = trial.seconds[:-1]
    middle = sum(seconds) / len(seconds) if seconds else 0.0
    return middle > 0 and max(abs(one / middle - 1) for one in seconds) <= EVEN + 1e-9


def _every_evenly(heard: Heard) -> Iterator[str]:
    """One trial of each arm; of those that answer at all."""
    arms = [heard.arm()] if heard["a"] else list(_cells(heard))
    for arm in arms:
        trials = [one for one in heard.lab.of((arm, heard.load, heard.point)) if one.usable]
        told = "no right reply" in heard.said.whole and named(heard.said.whole, arm)
        if trials and not any(map(_is_even, trials)) and not told:
            yield f"{arm} does not answer evenly: {trials[0].seconds}"


def _silent(heard: Heard) -> Iterator[str]:
    arms = heard.arms() if heard["a"] else list(_cells(heard))
    for arm in arms:
        trials = [one for one in heard.lab.of((arm, heard.load, heard.point)) if one.usable]
        if all(any(one.seconds[:-1]) for one in trials):
            yield f"{arm} answered"


def _varies(heard: Heard) -> Iterator[str]:
    trials = [one for one in heard.lab.of((heard.arm(), heard.load, heard.point)) if one.usable]
    ends = [(float(min(t.seconds[:-1])), float(max(t.seconds[:-1]))) for t in trials if t.seconds]
    if not any(is_printed(heard["low"], a) and is_printed(heard["high"], b) for a, b in ends):
        yield f"no trial of {heard['a']} has seconds from {heard['low']} to {heard['high']}"


def _nothing(_: Heard) -> Iterator[str]:
    return iter(())


_SPECTRUM = ("spectrum",)
_LINE = ("timeline",)
TIMES = (
    Form(
        "(?:The trial of <a:arm>|Every trial) answers evenly: no second is more than 5 % from its "
        "mean",
        _every_evenly,
        "Every trial answers evenly: no second is more than 5 % from its mean",
        _LINE,
    ),
    Form(
        "The trial of <a:arm> varies(?: most)? from second to second: <low:bare> to <high:bare> "
        "replies",
        _varies,
        "The trial of a varies most from second to second: 90 to 120 replies",
        _LINE,
    ),
    Form(
        "(?:No right reply in any second of these trials|no right reply in any second of <a:arms>)",
        _silent,
        "no right reply in any second of a and b",
        _LINE,
    ),
    Form(
        "99 % of the requests are answered within <low:value> \\(<a:arm>\\) to <high:value> "
        "\\(<b:arm>\\)",
        _between,
        "99 % of the requests are answered within 1.00 ms (a) to 2.00 ms (b)",
        _SPECTRUM,
    ),
    Form(
        "<a:arm> answers half of the requests within <low:value>, 99 % within <high:value>",
        _half,
        "a answers half of the requests within 1.00 ms, 99 % within 2.00 ms",
        _SPECTRUM,
    ),
    Form(
        "The p99 of <a:arm> is <low:ratio> its median",
        _tails,
        "The p99 of a is 2.0× its median",
        _SPECTRUM,
    ),
    Form(
        "In all arms, p99 is <low:ratio> the median",
        _tails,
        "In all arms, p99 is 2.0× the median",
        _SPECTRUM,
    ),
    Form(
        "p99 is <low:ratio> the median \\(<a:arm>\\) to <high:ratio> \\(<b:arm>\\)",
        _tails,
        "p99 is 2.0× the median (a) to 3.5× (b)",
        _SPECTRUM,
    ),
    Form(
        "(?:<a:arm> answers|Every arm answers) evenly: no second is more than 5 % from its mean",
        _evenly,
        "Every arm answers evenly: no second is more than 5 % from its mean",
        ("timeline",),
    ),
    Form(
        "<a:arm> varies(?: most)? from second to second: <low:bare> to <high:bare> replies",
        _varies,
        "a varies most from second to second: 90 to 120 replies",
        ("timeline",),
    ),
)
_CAPACITY = ("capacity",)


def _known_arms(heard: Heard) -> dict[str, tuple[float, bool]]:
    """The capacity of each arm: the median of its climbs, and if it is only a lower bound."""
    found = {}
    for arm in heard.lab.arms:
        key = (arm.name, heard.load, heard.point)
        if values := heard.lab.climbs(key):
            found[arm.name] = (median(values), heard.lab.is_bound(key))
    return found


def _at_least(heard: Heard) -> Iterator[str]:
    value, bound = _known_arms(heard).get(heard.arm(), (None, False))
    yield from heard.prints("v", value)
    if not bound:
        yield f"{heard['a']} has no lower bound"


CAPACITY = (
    Form("<a:arm> at least <v:rate>", _at_least, "a at least 5,000/s", _CAPACITY),
    Form(
        "Response time, cost and the lag of the generator as the rate climbs",
        _nothing,
        "Response time, cost and the lag of the generator as the rate climbs",
        _CAPACITY,
    ),
)
