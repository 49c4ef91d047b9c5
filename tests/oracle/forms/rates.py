"""Titles along offered rates: which arm keeps up with which rate."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from oracle.forms.orders import at_rate, same, span
from oracle.numbers import is_printed, number
from oracle.raw import Key, Point
from oracle.reading import Claim, Form, Heard, Rule, named


def _points(heard: Heard) -> list[Point]:
    return sorted(heard.at().points, key=lambda one: one.rate or 0.0)


def _rate(heard: Heard) -> float:
    return number(heard["v"])


def keeps(heard: Heard, arm: str, until: float, unknown: Sequence[float] = ()) -> Iterator[str]:
    """An arm kept up with this rate, and with all below it that are not called unknown."""
    if all(abs((one.rate or 0.0) / until - 1) > 1e-6 for one in _points(heard)):
        yield f"no load point has the rate {heard['v']}"
    for point in _points(heard):
        if (point.rate or 0.0) > until * (1 + 1e-6) or point.rate in unknown:
            continue
        key = (arm, heard.load, point.label)
        if not heard.lab.values(key, "throughput"):
            yield f"nothing is known of {arm} at {point.label}"
        elif heard.lab.holds(key) is False:
            yield f"{arm} did not keep up with {point.label}"
        elif heard.lab.is_disturbed(key):
            yield f"{arm} is not known to have kept up with {point.label}"


def stops(heard: Heard, arm: str, above: float) -> Iterator[str]:
    """An arm did not keep up with the next rate above this one."""
    following = [one for one in _points(heard) if (one.rate or 0.0) > above * (1 + 1e-6)]
    for point in following[:1]:
        key = (arm, heard.load, point.label)
        if not heard.lab.values(key, "throughput"):
            yield f"nothing is known of {arm} at {point.label}"
        elif heard.lab.holds(key) is True:
            yield f"{arm} kept up with {point.label}"


def _named(heard: Heard) -> list[str] | int:
    """The arms of a sentence; or their number, where they are counted."""
    return int(heard["n"]) if heard["n"] else heard.arms("a")


def _fit(heard: Heard, rules: list[Iterator[str]], count: int) -> Iterator[str]:
    """At least so many arms are as the sentence says."""
    fitting = sum(not list(rule) for rule in rules)
    if fitting < count:
        yield f"{fitting} arms are so"


def _every(heard: Heard) -> Iterator[str]:
    lab = heard.lab
    arms = heard.arms("a") if heard["a"] else [arm.name for arm in lab.rivals]
    count = int(heard["n"] or (2 if not heard["a"] else 1))
    if count != len(arms):
        yield f"the study has {len(arms)} arms"
    if heard["every"] and len(_points(heard)) < 2:
        yield "it has one rate only"
    for arm in arms:
        yield from keeps(heard, arm, _rate(heard))
        yield from stops(heard, arm, _rate(heard))
    yield from in_trials(heard, arms, _until(heard, _rate(heard)))
    if heard["a"]:
        yield from heard.accounts_for(_unknown(heard))


def _until(heard: Heard, rate: float) -> list[Point]:
    """The rates up to this one."""
    return [point for point in _points(heard) if (point.rate or 0.0) <= rate * (1 + 1e-6)]


def in_trials(heard: Heard, arms: Sequence[str], points: Sequence[Point]) -> Iterator[str]:
    """`(in at least 4 of 5 trials)`: as few kept up at one of these rates; without it, all did."""
    kept, of = int(heard["k"] or 1), int(heard["t"] or 1)
    fitting = not heard["k"]
    for point in points:
        for arm in arms:
            key = (arm, heard.load, point.label)
            trials = heard.lab.of(key)
            shares = [one.ok / one.due for one in trials if one.usable and one.due]
            behind = sum(share < 0.98 for share in shares)
            if heard.lab.holds(key) and behind > len(shares) * (1 - kept / of):
                yield f"{arm} fell behind in {behind} of {len(shares)} trials at {point.label}"
            fitting = fitting or (len(shares) <= of <= len(trials) and behind <= of - kept)
    if not fitting:
        yield f"no arm has {of} trials at one of these rates"


def _unknown(heard: Heard) -> list[str]:
    """The arms of which nothing is known at any rate."""
    points = _points(heard)
    return [
        arm.name
        for arm in heard.lab.rivals
        if not any(heard.lab.values((arm.name, heard.load, p.label), "throughput") for p in points)
    ]


def _with(heard: Heard) -> Iterator[str]:
    named, rate = _named(heard), _rate(heard)
    if isinstance(named, int):
        arms = [arm.name for arm in heard.lab.rivals]
        yield from _fit(heard, [keeps(heard, arm, rate) for arm in arms], named)
        return
    for arm in named:
        yield from keeps(heard, arm, rate)
        yield from stops(heard, arm, rate)
    yield from heard.accounts_for(_unknown(heard))


def _only(heard: Heard) -> Iterator[str]:
    named, rate = _named(heard), _rate(heard)
    if isinstance(named, int):
        arms = [arm.name for arm in heard.lab.rivals]
        yield from _fit(heard, [stops(heard, arm, rate) for arm in arms], named)
        return
    for arm in named:
        yield from keeps(heard, arm, rate)
        yield from stops(heard, arm, rate)


def _not_even(heard: Heard) -> Iterator[str]:
    named = _named(heard)
    if isinstance(named, int):
        arms = [arm.name for arm in heard.lab.rivals]
        yield from _fit(heard, [stops(heard, arm, 0.0) for arm in arms], named)
        return
    for arm in named:
        yield from stops(heard, arm, 0.0)


def _suspect(heard: Heard) -> Iterator[str]:
    """The number of suspect results of a chart, of those that have one."""
    number_of = {"latency": "p99", "spectrum": "p99"}
    number_of |= dict.fromkeys(("throughput", "rates", "timeline"), "throughput")
    doubted = number_of.get(heard.said.section, heard.said.section)
    if heard.said.section == "rates":
        doubted = next((of for word, of in _OF_RATES.items() if word in heard.said.whole), doubted)
    if heard.said.section in ("capacity", "ratio", "replay") or not heard.load:
        return  # several loads, or doubts that the search itself has
    counted = heard["m"] or heard["n"]
    total = int(counted) if counted else 2 if "both" in heard.said.text else 1
    count = int(heard["n"]) if heard["m"] else total
    points = [heard.point] if heard.point else [one.label for one in heard.at().points]
    if at := re.match(r"At ([0-9.,]+/s)", heard.said.whole):
        near = [p for p in heard.at().points if p.rate and abs(number(at[1]) / p.rate - 1) < 0.01]
        points = [one.label for one in near]
    keys = [(a.name, heard.load, point) for point in points for a in heard.lab.arms]
    known = [key for key in keys if heard.lab.values(key, "throughput")]
    suspect = sum(heard.lab.is_suspect(key, doubted) for key in known)
    if (suspect, len(known)) != (count, total):
        yield f"{suspect} of {len(known)} are suspect"


def _group(heard: Heard) -> Iterator[str]:
    """`a and b kept up with 2,000/s and fell behind at 4,000/s (not known at 500/s)`."""
    unknown = _rates(heard["u"])
    until = number(heard["v"]) if heard["v"] else None
    fell = number(heard["f"]) if heard["f"] else None
    arms = heard.arms() or [arm.name for arm in heard.lab.rivals]
    judged = [_of_arm(heard, arm, until, fell, unknown) for arm in arms]
    yield from _all_told(heard)
    if heard["n"]:
        yield from _fit(heard, judged, int(heard["n"]))
        return
    if until is not None:
        yield from in_trials(heard, arms, _until(heard, until))
    for one in judged:
        yield from one


def _all_told(heard: Heard) -> Iterator[str]:
    """Each arm is named in one part of the sentence, or counted."""
    told, counted = [], 0
    for part in heard.said.whole.split("; "):
        told += [
            arm.name for arm in heard.lab.rivals if named(part, arm.name, arm.spoken, arm.short)
        ]
        counted += sum(int(one) for one in re.findall(r"(?<![\w/])(\d+) arms ", part))
    lost = [arm.name for arm in heard.lab.rivals if arm.name not in told]
    if len(lost) != counted or len(set(told)) != len(told):
        yield f"{', '.join(told)} are told, and {counted} counted, of {len(heard.lab.rivals)} arms"


def _of_arm(
    heard: Heard, arm: str, until: float | None, fell: float | None, unknown: list[float]
) -> Iterator[str]:
    if until is not None:
        yield from keeps(heard, arm, until, unknown)
    rates = [one.rate or 0.0 for one in _points(heard)]
    said = {*unknown, *([until] if until else []), *([fell] if fell else [])}
    if missing := [one for one in said if one not in rates]:
        yield f"no load point has the rate {missing[0]:g}"
    above = [one for one in rates if one > max([0.0, *([until] if until else [])])]
    below_end = [one for one in above if fell is None or one < fell]
    # Of many groups only the best is told whole.
    in_short = until is None and heard.said.whole.count("; ") > 1
    if silent := [one for one in below_end if one not in unknown and not in_short]:
        yield f"nothing is said of {arm} at {silent[0]:g}/s"
    for point in _points(heard):
        key = (arm, heard.load, point.label)
        known = heard.lab.values(key, "throughput") and not heard.lab.is_disturbed(key)
        if point.rate == fell and (heard.lab.holds(key) or not known):
            yield f"{arm} is not known to have fallen behind at {point.label}"
        if point.rate in unknown and not heard.lab.is_unclear(key):
            yield f"it is known how {arm} did at {point.label}"


def _rates(text: str) -> list[float]:
    return [number(one) for one in re.split(r", | and ", text.removesuffix("/s")) if one]


def _fell(heard: Heard) -> Iterator[str]:
    """`4 arms fell behind at 1,000 to 4,000/s`."""
    low, high = number(heard["low"]), number(heard["high"] or heard["low"])
    count = 0
    for arm in heard.lab.rivals:
        keys = [
            (arm.name, heard.load, p.label) for p in _points(heard) if low <= (p.rate or 0) <= high
        ]
        count += any(_perhaps_fell(heard, key) for key in keys)
    yield from _all_told(heard)
    if count < (len(heard.arms()) or int(heard["n"])):
        yield f"{count} arms may have fallen behind there"


def _between(heard: Heard) -> Iterator[str]:
    """`2 arms kept up with 1,000 to 2,000/s (not known at some rates)`: none is known to fall."""
    low, high = number(heard["low"]), number(heard["high"] or heard["low"])
    fitting = []
    for arm in heard.lab.rivals:
        keys = {p.rate or 0.0: (arm.name, heard.load, p.label) for p in _points(heard)}
        kept = [rate for rate, key in keys.items() if heard.lab.holds(key) is not False]
        fell = [rate for rate, key in keys.items() if not _perhaps_kept(heard, key)]
        if any(low <= rate <= high for rate in kept) and not fell:
            fitting.append(arm.name)
    yield from _all_told(heard)
    if lost := [arm for arm in heard.arms() if arm not in fitting]:
        yield f"{lost[0]} is not known to have kept up there"
    if heard["n"] and len(fitting) < int(heard["n"]):
        yield f"{len(fitting)} arms kept up there"
    if heard["k"]:
        yield from in_trials(heard, heard.arms(), _until(heard, high))


def _perhaps_fell(heard: Heard, key: Key) -> bool:
    told = heard.lab.of(key) and not heard.lab.is_disturbed(key)
    return bool(told) and heard.lab.holds(key) is not True


def _perhaps_kept(heard: Heard, key: Key) -> bool:
    return heard.lab.holds(key) is not False or heard.lab.is_unclear(key)


def _unknown_how_far(heard: Heard) -> Iterator[str]:
    """`not known how far 4 arms kept up`: with no rate at all."""
    unclear = []
    for arm in heard.lab.rivals:
        keys = [(arm.name, heard.load, p.label) for p in _points(heard)]
        if not any(heard.lab.holds(key) and not heard.lab.is_unclear(key) for key in keys):
            unclear.append(arm.name)
    yield from _all_told(heard)
    if lost := [arm for arm in heard.arms() if arm not in unclear]:
        yield f"{lost[0]} is known to have kept up with a rate"
    if heard["n"] and len(unclear) < int(heard["n"]):
        yield f"it is known of all but {len(unclear)} arms"


def _not_known(heard: Heard) -> Iterator[str]:
    known = [arm.name for arm in heard.lab.rivals if arm.name not in _unknown(heard)]
    if known:
        yield f"{known[0]} has results"


def _of(rule: Rule) -> Rule:
    """`At 96.0/s, median: …`, of small multiples: the rule about its number."""
    return at_rate(lambda heard: rule(replace(heard, metric=_OF_RATES[heard["what"]])))


def _lost(heard: Heard) -> Iterator[str]:
    """`no result for c`, at the rate of such a title."""
    at = re.match(r"At ([0-9.,]+/s)", heard.said.whole)
    points = [p for p in heard.at().points if at and p.rate and is_printed(at[1], p.rate)]
    lost = [
        arm.name
        for arm in heard.lab.arms
        if points and not heard.lab.values((arm.name, heard.load, points[0].label), "p99")
    ]
    told = heard.arms()
    if (sorted(told) != sorted(lost)) if told else (int(heard["n"]) != len(lost)):
        yield f"{', '.join(lost) or 'no arm'} has no result"


def _nothing(heard: Heard) -> Iterator[str | Claim]:
    points = [one.label for one in heard.at().points]
    known = [p for p in points if heard.lab.known(heard.load, p, "throughput")]
    if known:
        yield f"there are results at {known[0]}"


_OF_RATES = {
    "median": "p50",
    "response time at p99": "p99",
    "failed requests": "errors",
}
_PER_S = "(?:/s| requests/s| connections/s)"
_LIST = r"[0-9][0-9.,]*(?:, [0-9][0-9.,]*)*(?: and [0-9][0-9.,]*)?"
_SOME = "(?:<a:arms>|<n:n> arms)"
IN_TRIALS = "(?: \\(in (?:at least )?<k:n> of <t:n> trials\\))?"
_AT = f"(?: \\(not known at (?P<u>{_LIST}){_PER_S}\\))?"
RATES_KEPT = (
    Form(
        f"{_SOME} kept up with <v:bare>{_PER_S}{IN_TRIALS}(?: and fell behind at <f:bare>{_PER_S})?"
        f"{_AT}",
        _group,
        "a and b kept up with 2,000/s and fell behind at 4,000/s (not known at 500/s)",
    ),
    Form(f"{_SOME} fell behind at <f:bare>{_PER_S}{_AT}", _group, "b fell behind at 1,000/s"),
    Form(
        f"{_SOME}: not known at (?P<u>{_LIST}){_PER_S}",
        _group,
        "c: not known at 1,000 and 2,000/s",
    ),
    Form(
        f"{_SOME} fell behind at <low:bare> to <high:bare>{_PER_S}",
        _fell,
        "4 arms fell behind at 1,000 to 4,000/s",
    ),
    Form(
        f"{_SOME} kept up with <low:bare>(?: to <high:bare>)?{_PER_S}{IN_TRIALS} "
        "\\(not known at some rates\\)",
        _between,
        "b and c kept up with 1,000 to 2,000/s (in at least 4 of 5 trials) (not known at some "
        "rates)",
    ),
    Form(
        f"not known how far {_SOME} kept up",
        _unknown_how_far,
        "not known how far c kept up",
    ),
    Form(
        "(?:Both arms|All <n:n> arms|<a:arm>) kept up with (?P<every>every rate, up to "
        f")?<v:bare>{_PER_S}{IN_TRIALS}",
        _every,
        "Both arms kept up with every rate, up to 3,256/s (in at least 4 of 5 trials)",
    ),
    Form("Not known how far the arms kept up", _not_known, "Not known how far the arms kept up"),
)
_UNIT = " (?:requests|connections)/s"
_WHO = "(?:<a:arms>|<n:n> arms)"
_NUMBERS = f"At <at:rate>, (?P<what>{'|'.join(_OF_RATES)})(?:, median of the trials)?: "
RATES = (
    *RATES_KEPT,
    Form(
        f"{_NUMBERS}<v:value> in (?:both|all <n:n>)",
        _of(same),
        "At 9/s, median: 1.00 ms in both",
    ),
    Form(
        f"{_NUMBERS}<v:value> \\(<a:cell>\\) to <high:value> \\(<b:cell>\\)",
        _of(span),
        "At 1,000/s, median: 4.82 ms (a) to 9.24 ms (b)",
        ("rates",),
    ),
    Form("no result for (?:<n:n> arms|<a:arms>)", _lost, "no result for c", ("rates",)),
    Form(
        f"(?:Both arms|All <n:n> arms|<a:arm>) keeps? up with every rate, to <v:bare>{_UNIT}",
        _every,
        "Both arms keep up with every rate, to 3,256 requests/s",
    ),
    Form(f"{_WHO} keeps? up with <v:bare>{_UNIT}", _with, "a keeps up with 2,000 requests/s"),
    Form(f"{_WHO} not even with the lowest rate", _not_even, "b not even with the lowest rate"),
    Form(f"{_WHO} only with <v:bare>", _only, "b only with 1,000"),
)
DOUBTS = (
    Form("this result is suspect", _suspect, "this result is suspect"),
    Form(
        "(?:both|all <n:n>) (?:results|points|ratios) are suspect",
        _suspect,
        "all 4 results are suspect",
    ),
    Form(
        "<n:n> of <m:n> (?:results|points|ratios) (?:is|are) suspect",
        _suspect,
        "1 of 4 results is suspect",
    ),
    Form("No result", _nothing, "No result"),
)
