"""Titles of a chart with a row for each arm: who has the most, the range, or that none is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from oracle.numbers import is_printed, number
from oracle.raw import Key, better
from oracle.reading import Claim, Form, Heard, Rule, named

METRICS = {
    "throughput": "throughput",
    "latency": "p99",
    "cpu": "cpu",
    "memory": "memory",
    "errors": "errors",
    "capacity": "capacity",
}
ABOUT = 0.1
"""A number that is said to be about another is within this share of it."""
CLEAR = 1e-5
"""With so small a p value, a difference is shown whatever else was tested."""


def metric_of(heard: Heard) -> str:
    """The metric of the chart."""
    return heard.metric or METRICS.get(heard.said.section, "throughput")


def cells(heard: Heard) -> dict[Key, float]:
    """The estimates of the cells of a chart."""
    lab, metric = heard.lab, metric_of(heard)
    points = [heard.point] if heard.point else [one.label for one in heard.at().points]
    keys = [(arm.name, heard.load, point) for point in points for arm in lab.arms]
    if metric == "capacity":  # lower bounds are named one by one
        whole = heard.said.whole
        keys = [k for k in keys if not (lab.is_bound(k) and named(whole, *heard.names_of(k[0])))]
    found = {key: lab.level(key, metric) for key in keys}
    return {key: value for key, value in found.items() if value is not None}


def ahead(heard: Heard, arm: str, other: str) -> Iterator[str | Claim]:
    """`arm` is shown to be better than `other`."""
    metric = metric_of(heard)
    found = heard.lab.pairs(arm, other, heard.load, heard.point, metric)
    if found is None or not found.is_shown or not better(metric, found.ratio):
        sure = "no block in common" if found is None else f"{found.ratio:.4g}×, p {found.p:.3g}"
        yield f"{arm} is not shown to be better than {other} ({sure})"
    yield Claim("order", (arm, other), heard.load, heard.point, metric)


def leads(heard: Heard, arm: str, other: str) -> Iterator[str | Claim]:
    """`arm` is shown to be better; or the two have too few blocks in common, and another arm is."""
    found = heard.lab.pairs(arm, other, heard.load, heard.point, metric_of(heard))
    if (found is None or found.n < heard.lab.fewest) and behind_one(heard, other):
        return
    yield from ahead(heard, arm, other)


def behind_one(heard: Heard, other: str) -> bool:
    """True if any arm may be ahead of this one: only a leader that all are tied with is first."""
    metric = metric_of(heard)
    for one in heard.lab.rivals:
        found = heard.lab.pairs(one.name, other, heard.load, heard.point, metric)
        if found is not None and found.is_shown and better(metric, found.ratio):
            return True
    return False


def alike(heard: Heard, arm: str, other: str) -> Iterator[str | Claim]:
    """No difference between the two is shown."""
    metric = metric_of(heard)
    found = heard.lab.pairs(arm, other, heard.load, heard.point, metric)
    if found is not None and found.n >= heard.lab.fewest and found.p < CLEAR:
        yield f"{arm} and {other} differ: {found.ratio:.4g}×, p {found.p:.3g}"
    yield Claim("tie", (arm, other), heard.load, heard.point, metric)


def _first(heard: Heard) -> Iterator[str | Claim]:
    arm, metric = heard.arm(), metric_of(heard)
    yield from heard.prints("v", heard.lab.level(heard.key(), metric))
    yield from heard.accounts_for(heard.lab.unknown(heard.load, heard.point, metric))
    for other in heard.lab.known(heard.load, heard.point, metric):
        if other != arm:
            yield from ahead(heard, arm, other)
    yield from lower_bounds(heard)


def _last(heard: Heard) -> Iterator[str | Claim]:
    arm, metric = heard.arm(), metric_of(heard)
    yield from heard.prints("v", heard.lab.level(heard.key(), metric))
    yield from heard.accounts_for(heard.lab.unknown(heard.load, heard.point, metric))
    for other in heard.lab.known(heard.load, heard.point, metric):
        if other != arm:
            yield from ahead(heard, other, arm)
    first = heard.said.whole.partition("; ")[0].rpartition(", ")[2]
    if first == heard["v"] and "; " in heard.said.whole:
        yield f"the first and the last are both printed as {first}"


def lower_bounds(heard: Heard) -> Iterator[str]:
    """A capacity that is only known to be at least so much may be the highest."""
    if metric_of(heard) != "capacity":
        return
    for arm in heard.lab.arms:
        key = (arm.name, heard.load, heard.point)
        if arm.name != heard.arm() and heard.lab.is_bound(key):
            yield f"{arm.name} has only a lower bound, and may have more"


def _two_alike(heard: Heard) -> Iterator[str | Claim]:
    metric = metric_of(heard)
    yield from alike(heard, heard.arm("a"), heard.arm("b"))
    yield from heard.accounts_for(heard.lab.unknown(heard.load, heard.point, metric))
    for arm in (heard.arm("a"), heard.arm("b")):
        yield from about(heard, arm)


def about(heard: Heard, arm: str) -> Iterator[str]:
    """The level of an arm is about the number of the sentence."""
    value = heard.lab.level((arm, heard.load, heard.point), metric_of(heard))
    shown = number(heard["v"])
    if value is None or not abs(value / shown - 1) <= ABOUT:
        yield f"{arm} has {value}, which is not about {heard['v']}"


def _some_first(heard: Heard) -> Iterator[str]:
    metric = metric_of(heard)
    known = heard.lab.known(heard.load, heard.point, metric)
    if int(heard["m"]) != len(known):
        yield f"{len(known)} arms have a result"
    best = sorted(known, key=lambda arm: known[arm], reverse=better(metric, 2.0))
    for arm in best[: int(heard["n"])]:
        yield from about(heard, arm)


def ends(heard: Heard, values: Iterable[float]) -> Iterator[str]:
    """The lowest and the highest value, whose unit may be given once."""
    found = list(values)
    high = heard["high"] or heard["v"]
    low = heard["v"]
    unit = high.lstrip("0123456789.,")
    low = low if low.lstrip("0123456789.,") else f"{low}{unit}"
    for text, value in ((low, min(found)), (high, max(found))):
        if not is_printed(text, value):
            yield f"{text}: the trials give {value:.6g}"


def _overlap(heard: Heard) -> Iterator[str]:
    found = cells(heard)
    if len(found) != int(heard["n"] or 2):
        yield f"{len(found)} have a result"
    yield from ends(heard, found.values())
    known = [one for key in found if (one := heard.lab.interval(key, metric_of(heard))) is not None]
    if len(known) == len(found) and max(a for a, _ in known) > min(b for _, b in known) * 1.001:
        yield "the intervals do not overlap"


def same(heard: Heard) -> Iterator[str]:
    """`Peak memory: 47.7 MiB in all 4`."""
    found = cells(heard)
    if len(found) != int(heard["n"] or 2):
        yield f"{len(found)} have a result"
    yield from ends(heard, found.values())


def span(heard: Heard) -> Iterator[str]:
    found = cells(heard)
    for name, field, end in (("a", "v", min), ("b", "high", max)):
        yield from heard.prints(field, end(found.values()))
        key = heard.key(name)
        if key not in found or not is_printed(heard[field], found[key]):
            yield f"{heard[name]} has {found.get(key)}, not {heard[field]}"


def one_arm(heard: Heard) -> Iterator[str]:
    key, metric = heard.key(), metric_of(heard)
    yield from heard.prints("v", heard.lab.level(key, metric))
    others = [one for one in cells(heard) if one != key]
    if lost := [one[0] for one in others if not named(heard.said.whole, *heard.names_of(one[0]))]:
        yield f"{lost[0]} has a result too"
    known = heard.lab.interval(key, metric_of(heard))
    if heard["low"] and known is not None and metric != "capacity":
        unit = heard["top"].lstrip("0123456789.,")
        low = heard["low"] if heard["low"].lstrip("0123456789.,") else f"{heard['low']}{unit}"
        if number(low) > known[0] and not is_printed(low, known[0]):
            yield f"{low}: the 95 % interval begins at {known[0]:.6g}"
        if number(heard["top"]) < known[1] and not is_printed(heard["top"], known[1]):
            yield f"{heard['top']}: the 95 % interval ends at {known[1]:.6g}"


def at_rate(rule: Rule) -> Rule:
    """The rule at the load point of a rate, printed with three digits."""

    def at(heard: Heard) -> Iterator[str | Claim]:
        points = [p for p in heard.at().points if p.rate and is_printed(heard["at"], p.rate)]
        if not points:
            yield f"no load point has the rate {heard['at']}"
        for point in points[:1]:
            yield from rule(replace(heard, point=point.label))

    return at


_SURE = r"(?: \((?:<low:value> to <top:value>|\d+ trials?: too few for an interval)\))?"
RANGES = (
    "(?:Right replies per second|Response time at p99|CPU time per request|Peak memory"
    "|Failed requests(?:, median of the trials)?|Capacity|Reply bodies)"
)
ONES = (
    (f"<a:cell> answers <v:rate>{_SURE}", "a answers 820/s"),
    (
        f"<a:cell> answers 99 % of the requests within <v:value>{_SURE}",
        "a answers 99 % of the requests within 2.00 ms",
    ),
    (
        f"<a:cell>: <v:value>{_SURE} of the requests failed(?: in the median trial)?",
        "a: 0.12 % of the requests failed",
    ),
    (f"<a:cell> needs <v:value>{_SURE} of CPU per request", "a needs 58.4 µs of CPU per request"),
    (f"<a:cell> uses <v:value>{_SURE}", "a uses 47.7 MiB"),
    (f"<a:cell> holds the limits up to <v:rate>{_SURE}", "a holds the limits up to 820/s"),
)
_BEST = (
    "<a:cell> (?:answers most|has the shortest p99|has the highest capacity), <v:value>",
    "a answers most, 820/s",
)
_WORST = ("<a:cell> (?:answers least|the longest|the lowest), <v:value>", "b answers least, 700/s")
_OVERLAPS = (
    f"{RANGES}: the intervals of (?:both|all <n:n>) overlap, about <v:value>(?: to <high:value>)?",
    "Peak memory: the intervals of both overlap, about 47.7 MiB",
)
_FROM = (
    f"{RANGES}: from <v:value> \\(<a:cell>\\) to <high:value> \\(<b:cell>\\)",
    "Peak memory: from 47.7 MiB (a) to 48.0 MiB (b)",
)
SECTIONS = tuple(METRICS)
_PLAIN: tuple[tuple[tuple[str, str], Rule], ...] = (
    *((one, one_arm) for one in ONES),
    (_OVERLAPS, _overlap),
    (_FROM, span),
)


ORDERS = (
    Form(_BEST[0], _first, _BEST[1], SECTIONS),
    Form(_WORST[0], _last, _WORST[1], SECTIONS),
    Form(
        "No difference shown between <a:arm> and <b:arm>, about <v:value>",
        _two_alike,
        "No difference shown between a and b, about 3.95 ms",
        SECTIONS,
    ),
    Form(
        "<n:n> of <m:n> arms can be first, with about <v:value>: the trials do not tell which",
        _some_first,
        "2 of 3 arms can be first, with about 951/s: the trials do not tell which",
        SECTIONS,
    ),
    *(Form(pattern, rule, example, SECTIONS) for (pattern, example), rule in _PLAIN),
    *(
        Form(f"At <at:rate>, (?i:{pattern})", at_rate(rule), f"At 500/s, {example}", SECTIONS)
        for (pattern, example), rule in _PLAIN
    ),
)
