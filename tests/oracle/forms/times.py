"""Titles of distributions and timelines, and of the curves of a capacity."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from oracle.forms.ratios import contains
from oracle.numbers import is_printed
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


def _between(heard: Heard) -> Iterator[str]:
    """`p99: 1.00 ms (a) to 2.00 ms (b)`: the least and the greatest level of all arms."""
    known = heard.lab.known(heard.load, heard.point, "p99")
    if not heard["a"] and int(heard["n"] or 2) != len(known):
        yield f"{len(known)} arms have a p99"
    if heard["a"] and not heard["high"] and set(known) != {heard.arm()}:
        yield f"{', '.join(known)} have a p99"
    for field, name, end in (("low", "a", min), ("high", "b", max)):
        if heard[field]:
            yield from heard.prints(field, end(known.values(), default=None))
        if heard[name]:
            yield from heard.prints(field, known.get(heard.arm(name)))
    if heard["high"] and heard.arm() == heard.arm("b"):
        yield f"{heard['a']} is at both ends"
    if not heard["a"] and known:
        yield from heard.prints("low", max(known.values()))
    yield from heard.accounts_for(heard.lab.unknown(heard.load, heard.point, "p99"))
    if heard["from"]:
        sure = heard.lab.interval(heard.key(), "p99")
        unit = heard["to"].lstrip("0123456789.,")
        low = heard["from"] if heard["from"].endswith("s") else f"{heard['from']}{unit}"
        if sure is None or not contains((low, heard["to"]), sure, digits=3):
            yield f"{heard['from']} to {heard['to']}: the 95 % interval is {sure}"


def _lost(heard: Heard) -> Iterator[str]:
    """`no result for b and c`: the arms without a p99, or their number."""
    lost = heard.lab.unknown(heard.load, heard.point, "p99")
    named = sorted(heard.arms()) if heard["a"] else []
    if (named or int(heard["n"] or 0)) != (sorted(lost) if named else len(lost)):
        yield f"{', '.join(lost) or 'no arm'} has no result"


def _tails(heard: Heard) -> Iterator[str]:
    """p99 ÷ p50 of the levels."""
    tails = {}
    for arm in heard.lab.arms:
        key = (arm.name, heard.load, heard.point)
        p50, p99 = (heard.lab.level(key, metric) for metric in ("p50", "p99"))
        if p50 and p99:
            tails[arm.name] = p99 / p50
    if not heard["a"] and int(heard["n"] or 2) != len(tails):
        yield f"{len(tails)} arms have both times"
    yield from heard.accounts_for(heard.lab.unknown(heard.load, heard.point, "p99"))
    ends = {heard.arm(n): heard[f] for n, f in (("a", "low"), ("b", "high")) if heard[n]}
    for name, text in (ends or dict.fromkeys(tails, heard["low"])).items():
        if name not in tails or not is_printed(text, tails[name], 2):
            yield f"p99 is {tails.get(name)}× the median in {name}"
    if heard["high"]:
        for field, end in (("low", min), ("high", max)):
            yield from heard.prints(field, end(tails.values(), default=None), 2)


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
        whole = heard.said.whole
        told = "no right reply" in whole and named(whole, *heard.names_of(arm))
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
        "(?:The trial of <a:arm> answers|Every trial answers|All other trials answer) evenly: no "
        "second is more than 5 % from its mean",
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
        "p99: <low:value> \\(<a:arm>\\) to <high:value> \\(<b:arm>\\)",
        _between,
        "p99: 1.00 ms (a) to 2.00 ms (b)",
        _SPECTRUM,
    ),
    Form(
        "p99 of <a:arm>: <low:value>(?: \\((?P<from>[0-9.,]+(?: [a-zµ]+)?) to <to:value>\\))?",
        _between,
        "p99 of a: 1.00 ms (0.98 to 1.02 ms)",
        _SPECTRUM,
    ),
    Form("p99: <low:value> in (?:both|all <n:n>)", _between, "p99: 1.00 ms in all 3", _SPECTRUM),
    Form("no result for (?:<n:n> arms|<a:arms>)", _lost, "no result for b and c", _SPECTRUM),
    Form(
        "The p99 of <a:arm> is <low:ratio> its median",
        _tails,
        "The p99 of a is 2.0× its median",
        _SPECTRUM,
    ),
    Form(
        "In (?:both|all <n:n>) arms, p99 is <low:ratio> the median",
        _tails,
        "In all 3 arms, p99 is 2.0× the median",
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
