"""Titles of distributions and timelines, and of the curves of a capacity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import median

from oracle.raw import Key, Trial
from oracle.reading import Form, Heard, named

EVEN = 0.05
_LEAST = {"density": 200, "spectrum": 100}
"""Replies without which a trial is not drawn as a density, or has no p99 in its spectrum."""


def _typical(heard: Heard, key: Key) -> Trial | None:
    """The trial with the median p99 (of an even number, the lower of the two)."""
    usable = sorted(
        (one for one in heard.lab.of(key) if one.usable and one.ok), key=lambda one: one.p99_s
    )
    return usable[(len(usable) - 1) // 2] if usable else None


def _cells(heard: Heard, least: int = 1) -> dict[str, Trial]:
    """The trial that is drawn of each arm, if it has so many replies."""
    keys = {arm.name: (arm.name, heard.load, heard.point) for arm in heard.lab.arms}
    found = {arm: _typical(heard, key) for arm, key in keys.items()}
    return {arm: trial for arm, trial in found.items() if trial is not None and trial.ok >= least}


def _between(heard: Heard) -> Iterator[str]:
    """`p99 in the trials drawn: 1.00 ms (a) to 2.00 ms (b)`: the least and the greatest of all
    arms."""
    drawn = _cells(heard, _LEAST["density"])
    yield from _ends(heard, {arm: one.p99_s for arm, one in drawn.items()}, digits=3)


def _ends(heard: Heard, known: Mapping[str, float], digits: int) -> Iterator[str]:
    """The least and the greatest of some numbers of the trials that are drawn."""
    if not heard["a"] and int(heard["n"] or 2) != len(known):
        yield f"{len(known)} arms are drawn"
    if heard["a"] and not heard["high"] and set(known) != {heard.arm()}:
        yield f"{', '.join(known)} are drawn"
    if heard["high"] and heard.arm() == heard.arm("b"):
        yield f"{heard['a']} is at both ends"
    yield from heard.accounts_for(heard.lab.unknown(heard.load, heard.point, "p99"))
    for field, name, end in (("low", "a", min), ("high", "b", max)):
        if heard[field]:
            yield from heard.prints(field, end(known.values(), default=None), digits)
        if heard[name]:
            yield from heard.prints(field, known.get(heard.arm(name)), digits)
    if not heard["a"] and known:
        yield from heard.prints("low", max(known.values()), digits)


def _lost(heard: Heard) -> Iterator[str]:
    """`no result for b and c`: the arms without a p99, or their number."""
    lost = heard.lab.unknown(heard.load, heard.point, "p99")
    named = sorted(heard.arms()) if heard["a"] else []
    if (named or int(heard["n"] or 0)) != (sorted(lost) if named else len(lost)):
        yield f"{', '.join(lost) or 'no arm'} has no result"


def _short(heard: Heard) -> Iterator[str]:
    """`b and c had too few requests`, of the arms with a result."""
    least = _LEAST["density" if heard.said.whole.startswith("p99 ") else "spectrum"]
    short = sorted(_cells(heard).keys() - _cells(heard, least).keys())
    named = sorted(heard.arms()) if heard["a"] else []
    if (named or int(heard["n"] or len(_cells(heard)))) != (short if named else len(short)):
        yield f"{', '.join(short) or 'no arm'} had fewer than {least}"


def _tails(heard: Heard) -> Iterator[str]:
    """p99 ÷ p50 of the trials that are drawn."""
    drawn = _cells(heard, _LEAST["spectrum"])
    yield from _ends(heard, {arm: one.p99_s / one.p50_s for arm, one in drawn.items()}, digits=2)


def _is_even(trial: Trial) -> bool:
    seconds = trial.seconds[:-1]
    middle = sum(seconds) / len(seconds) if seconds else 0.0
    return middle > 0 and max(abs(one / middle - 1) for one in seconds) <= EVEN + 1e-9


def _evenly(heard: Heard) -> Iterator[str]:
    """One trial of each arm; of those that answer at all."""
    drawn = _cells(heard)
    for arm in [heard.arm()] if heard["a"] else list(drawn):
        whole = heard.said.whole
        told = "no right reply" in whole and named(whole, *heard.names_of(arm))
        if arm in drawn and not _is_even(drawn[arm]) and not told:
            yield f"{arm} does not answer evenly: {drawn[arm].seconds}"


def _silent(heard: Heard) -> Iterator[str]:
    arms = heard.arms() if heard["a"] else list(_cells(heard))
    for arm in arms:
        trials = [one for one in heard.lab.of((arm, heard.load, heard.point)) if one.usable]
        if all(any(one.seconds[:-1]) for one in trials):
            yield f"{arm} answered"


def _varies(heard: Heard) -> Iterator[str]:
    seconds = _cells(heard)[heard.arm()].seconds[:-1]
    yield from heard.prints("low", float(min(seconds)))
    yield from heard.prints("high", float(max(seconds)))


def _nothing(_: Heard) -> Iterator[str]:
    return iter(())


_SPECTRUM = ("spectrum",)
_LINE = ("timeline",)
_DRAWN = "In the trials? drawn,"
TIMES = (
    Form(
        f"{_DRAWN} (?:<a:arm> answers|every arm answers|all other arms answer) evenly: no "
        "second is more than 5 % from its mean",
        _evenly,
        "In the trials drawn, every arm answers evenly: no second is more than 5 % from its mean",
        _LINE,
    ),
    Form(
        f"{_DRAWN} <a:arm> varies(?: most)? from second to second: <low:bare> to <high:bare> "
        "replies",
        _varies,
        "In the trials drawn, a varies most from second to second: 90 to 120 replies",
        _LINE,
    ),
    Form(
        "(?:No right reply in any second of these trials|no right reply in any second of <a:arms>)",
        _silent,
        "no right reply in any second of a and b",
        _LINE,
    ),
    Form(
        "p99 in the trials drawn: <low:value> \\(<a:arm>\\) to <high:value> \\(<b:arm>\\)",
        _between,
        "p99 in the trials drawn: 1.00 ms (a) to 2.00 ms (b)",
        _SPECTRUM,
    ),
    Form(
        "p99 of <a:arm> in the trial drawn: <low:value>",
        _between,
        "p99 of a in the trial drawn: 1.00 ms",
        _SPECTRUM,
    ),
    Form(
        "p99 in the trials drawn: <low:value> in (?:both|all <n:n>)",
        _between,
        "p99 in the trials drawn: 1.00 ms in all 3",
        _SPECTRUM,
    ),
    Form(
        "(?:<n:n> arms|<a:arms>) had too few requests",
        _short,
        "b and c had too few requests",
        _SPECTRUM,
    ),
    Form("Too few requests for a p99", _short, "Too few requests for a p99", _SPECTRUM),
    Form("no result for (?:<n:n> arms|<a:arms>)", _lost, "no result for b and c", _SPECTRUM),
    Form(
        f"{_DRAWN} the p99 of <a:arm> is <low:ratio> its median",
        _tails,
        "In the trial drawn, the p99 of a is 2.0× its median",
        _SPECTRUM,
    ),
    Form(
        f"{_DRAWN} p99 is <low:ratio> the median in (?:both|all <n:n>) arms",
        _tails,
        "In the trials drawn, p99 is 2.0× the median in all 3 arms",
        _SPECTRUM,
    ),
    Form(
        f"{_DRAWN} p99 is <low:ratio> the median \\(<a:arm>\\) to <high:ratio> \\(<b:arm>\\)",
        _tails,
        "In the trials drawn, p99 is 2.0× the median (a) to 3.5× (b)",
        _SPECTRUM,
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
