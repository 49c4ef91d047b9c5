"""Titles of a chart by its ranking: the arms that may be first, those without a rank."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from oracle.forms.orders import (
    RANGES,
    SECTIONS,
    about,
    ahead,
    alike,
    at_rate,
    behind_one,
    ends,
    leads,
    lower_bounds,
    metric_of,
    same,
    span,
)
from oracle.raw import better
from oracle.reading import Claim, Form, Heard, Rule


def _best_of(heard: Heard) -> Iterator[str | Claim]:
    """`b or c answers most, 190 to 200/s, with no difference shown between them`."""
    arms, metric = heard.arms(), metric_of(heard)
    known = heard.lab.known(heard.load, heard.point, metric)
    if not arms:  # so many that they are counted
        ordered = sorted(known, key=lambda arm: known[arm], reverse=better(metric, 2.0))
        arms = ordered[: int(heard["n"])]
    yield from _all_ranked(heard)
    if heard["a"] and (values := [known[arm] for arm in arms if arm in known]):
        yield from ends(heard, values)
    for one, other in combinations(arms, 2) if heard["a"] else ():
        yield from alike(heard, one, other)
    for other in _ranked(heard):
        if heard["a"] and other not in arms and not behind_one(heard, other):
            yield f"{other} is not shown to be behind one of them"


def _ranked(heard: Heard) -> list[str]:
    """The arms with enough trials for a rank."""
    lab, metric = heard.lab, metric_of(heard)
    keys = {arm.name: (arm.name, heard.load, heard.point) for arm in lab.rivals}
    return [
        arm
        for arm, key in keys.items()
        if len(lab.values(key, metric)) >= heard.lab.fewest
        and not (metric == "capacity" and (lab.is_bound(key) or lab.high_is_bound(key)))
    ]


def _all_ranked(heard: Heard) -> Iterator[str]:
    """The title says how many arms are ranked, and which are not."""
    ranked = _ranked(heard)
    if heard["of"] and int(heard["of"]) != len(ranked):
        yield f"{len(ranked)} arms are ranked"
    yield from heard.accounts_for([a.name for a in heard.lab.rivals if a.name not in ranked])


def _alone_first(heard: Heard) -> Iterator[str | Claim]:
    """`b answers most, 200/s`: of the arms that are ranked."""
    arm, metric = heard.arm(), metric_of(heard)
    yield from heard.prints("v", heard.lab.level(heard.key(), metric))
    yield from _all_ranked(heard)
    for other in _ranked(heard):
        if other != arm:
            yield from leads(heard, arm, other)
    found = "capacities found" in heard.said.whole
    if metric == "capacity" and not heard["of"] and not found:
        yield from lower_bounds(heard)


def _alone_last(heard: Heard) -> Iterator[str | Claim]:
    arm, metric = heard.arm(), metric_of(heard)
    yield from heard.prints("v", heard.lab.level(heard.key(), metric))
    yield from _all_ranked(heard)
    for other in _ranked(heard):
        if other != arm:
            yield from ahead(heard, other, arm)
    first = heard.said.whole.partition("; ")[0].rpartition(", ")[2]
    if first == heard["v"] and "; " in heard.said.whole:
        yield f"the first and the last are both printed as {first}"


def _tied(heard: Heard) -> Iterator[str | Claim]:
    """`No difference shown between a, b and c, 10.1 to 10.4 µs`."""
    arms = heard.arms() or _ranked(heard)
    if heard["n"] and int(heard["n"]) != len(arms):
        yield f"{len(arms)} arms are ranked"
    yield from _all_ranked(heard)
    known = heard.lab.known(heard.load, heard.point, metric_of(heard))
    values = [known[arm] for arm in arms if arm in known]
    if len(values) < len(arms):
        yield "one of them has no result"
    elif heard["about"]:
        for arm in arms:
            yield from about(heard, arm)
    else:
        yield from ends(heard, values)
    for one, other in combinations(arms, 2):
        yield from alike(heard, one, other)


def _without(heard: Heard) -> Iterator[str]:
    """`no result for c`: of this chart's number, at its point or at all of its points."""
    lab, metric = heard.lab, metric_of(heard)
    points = [heard.point] if heard.point else [one.label for one in heard.at().points]
    lost = [
        arm.name
        for arm in lab.arms
        for point in points
        if lab.level((arm.name, heard.load, point), metric) is None
    ]
    if heard["n"]:
        if int(heard["n"]) != len(lost):
            yield f"{len(lost)} have no result"
        return
    named = re.split(r", | and ", heard["list"])
    for one in named:
        if lab.names.get(one.partition(" · ")[0], one) not in lost:
            yield f"{one} has a result"


def _few_trials(heard: Heard) -> Iterator[str]:
    """`too few trials to rank c`."""
    few = [arm for arm in heard.arms() if _has_enough(heard, arm)]
    if few:
        yield f"{few[0]} has enough trials"


def _only_bounds(heard: Heard) -> Iterator[str]:
    """`no rank for c: some starts gave only a lower bound`."""
    for arm in heard.arms():
        if not _has_enough(heard, arm) or arm in _ranked(heard):
            yield f"it is not the bounds that {arm} has no rank for"
        if not heard.lab.has_bounds((arm, heard.load, heard.point)):
            yield f"each start of {arm} has its capacity"


def _has_enough(heard: Heard, arm: str) -> bool:
    """True if an arm has as many usable trials as a rank needs."""
    usable = [one for one in heard.lab.of((arm, heard.load, heard.point)) if one.usable]
    return len(usable) >= heard.lab.fewest


def _like_the_baseline(heard: Heard) -> Iterator[str | Claim]:
    """`no difference from a shown for b and c`: of a metric without ranks."""
    base = heard.arm()
    if base != heard.lab.baseline:
        yield f"the baseline is {heard.lab.baseline}"
    others = [arm.name for arm in heard.lab.arms if arm.name != base]
    for other in heard.arms("b") if heard["b"] else [] if heard["n"] else others:
        if heard.lab.pairs(base, other, heard.load, heard.point, metric_of(heard)) is None:
            continue  # nothing is known of this arm
        yield from alike(heard, base, other)


_OF = "(?:Of <of:n> ranked arms, |Of the \\d+ capacities found, )?"
_MOST = "(?:answers most|has the shortest p99|has the highest capacity)"
_LEAST = "(?:answers least|has the longest|has the lowest)"
_AMONG = ", with no difference shown between them"
_NEW: tuple[tuple[str, Rule, str], ...] = (
    (f"{_OF}<a:cell> {_MOST}, <v:value>", _alone_first, "Of 3 ranked arms, b answers most, 820/s"),
    (
        f"{_OF}(?:<a:either>|one of <n:n> arms) {_MOST}, "
        f"(?:about )?<v:value>(?: to <high:value>)?{_AMONG}",
        _best_of,
        "b or c answers most, 190 to 200/s, with no difference shown between them",
    ),
    (f"<a:cell> {_LEAST}, <v:value>", _alone_last, "b has the longest, 5.00 ms"),
    (
        "No difference shown between (?:<a:arms>|<n:n> arms), "
        "(?P<about>about )?<v:value>(?: to <high:value>)?",
        _tied,
        "No difference shown between a, b and c, 10.1 to 10.4 µs",
    ),
    (
        "no difference shown between <a:arm> and <b:arm>",
        _like_the_baseline,
        "no difference shown between a and b",
    ),
    (
        "no difference from <a:arm> shown for (?:any other arm|<n:n> arms|<b:arms>)",
        _like_the_baseline,
        "no difference from a shown for b and c",
    ),
    ("no result for (?:<n:n> arms|<list:text>)", _without, "no result for c"),
    ("too few trials to rank (?:<n:n> arms|<a:arms>)", _few_trials, "too few trials to rank c"),
    (
        "no rank for (?:<n:n> arms|<a:arms>): some starts gave only a lower bound",
        _only_bounds,
        "no rank for c: some starts gave only a lower bound",
    ),
    (f"{RANGES}: <v:value> in (?:both|all <n:n>)", same, "Peak memory: 47.7 MiB in all 4"),
    (
        f"{RANGES}: <v:value> \\(<a:cell>\\) to <high:value> \\(<b:cell>\\)",
        span,
        "Peak memory: 21.0 MiB (a) to 48.2 MiB (b)",
    ),
    ("No capacity was reached", lambda _: (), "No capacity was reached"),
)
RANKS = (
    *(Form(pattern, rule, example, SECTIONS) for pattern, rule, example in _NEW),
    *(
        Form(f"At <at:rate>, (?i:{pattern})", at_rate(rule), f"At 500/s, {example}", SECTIONS)
        for pattern, rule, example in _NEW
    ),
)
