"""Sentences of `compare` and of `load`, and of the page that compares two runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from oracle.forms.ratios import contains
from oracle.numbers import FEWEST, Pairs, is_printed, number
from oracle.raw import Key
from oracle.reading import Form, Heard

_NOUNS = (("requests/s", "throughput"), ("p99", "p99"), ("CPU", "cpu"))


def _metric(heard: Heard) -> str:
    return next((metric for word, metric in _NOUNS if word in heard.said.text), "throughput")


def _places(heard: Heard) -> Iterator[tuple[str, str]]:
    """Throughput is compared at full speed, the rest at one rate for all where there is one."""
    loads = heard.lab.loads
    paced = [one for one in loads if one.kind != "closed"]
    first = loads[0] if _metric(heard) == "throughput" or not paced else paced[0]
    yield first.name, first.points[0].label


def _pair(heard: Heard) -> Pairs | None:
    lab = heard.lab
    load, point = next(_places(heard))
    return lab.pairs(lab.arms[1].name, lab.baseline, load, point, _metric(heard))


def _worse(heard: Heard, ratio: float) -> bool:
    return ratio < 1 if _metric(heard) == "throughput" else ratio > 1


def _numbers(heard: Heard, found: Pairs) -> Iterator[str]:
    if heard["r"]:
        if not is_printed(heard["r"], found.ratio, 2):
            yield f"{heard['r']}: the ratio is {found.ratio:.4g}"
        texts = (heard["rlow"].removesuffix("×"), heard["rhigh"].removesuffix("×"))
        if not contains(texts, (found.low, found.high)):
            yield f"{texts[0]} to {texts[1]}: it is {found.low:.4g} to {found.high:.4g}"
        return
    sign = -1 if heard["way"] in ("fewer", "shorter", "less") else 1
    value = 1 + sign * number(heard["p"])
    if abs(value - found.ratio) > 0.06 * abs(found.ratio - 1) + 1e-6:
        yield f"{heard['p']} {heard['way']}: the ratio is {found.ratio:.4g}"
    if heard["low"] and not heard["way2"]:
        ends = sorted(1 + sign * number(f"{heard[one]} %") for one in ("low", "high"))
        low, high = (0.06 * abs(one - 1) + 1e-6 for one in (found.low, found.high))
        if ends[0] > found.low + low or ends[1] < found.high - high:
            yield f"{heard['low']} to {heard['high']} %: it is {found.low:.4g} to {found.high:.4g}"


def _cannot_tell(heard: Heard) -> Iterator[str]:
    """Only the margin may be in doubt of an arm that is shown to be slower."""
    found = _pair(heard)
    if found is None:
        yield "nothing can be compared"
        return
    yield from _numbers(heard, found)
    low, high = found.low, found.high
    if (
        (high < 1 or low > 1)
        and _worse(heard, found.ratio)
        and "more than" not in heard["question"]
    ):
        yield f"it is slower ({low:.3g} to {high:.3g}): only the margin is in doubt"
    if _metric(heard) == "cpu" and "slower" in heard["question"]:
        yield "more CPU time is not slower"


def _beyond(heard: Heard) -> Iterator[str]:
    found, margin = _pair(heard), number(heard["margin"])
    if found is None:
        yield "nothing can be compared"
        return
    yield from _numbers(heard, found)
    is_beyond = (
        found.high < 1 - margin if _metric(heard) == "throughput" else found.low > 1 + margin
    )
    if not is_beyond:
        yield f"the interval is {found.low:.4g} to {found.high:.4g}, not beyond the margin"


def _within(heard: Heard) -> Iterator[str]:
    found, margin = _pair(heard), number(heard["margin"])
    if found is None:
        yield "nothing can be compared"
        return
    yield from _numbers(heard, found)
    least, most = 1 - margin - 1e-9, 1 + margin + 1e-9
    if found.low < least if _metric(heard) == "throughput" else found.high > most:
        yield f"the interval is {found.low:.4g} to {found.high:.4g}, not within the margin"


def _says(heard: Heard) -> Iterator[str]:
    found = _pair(heard)
    if found is None:
        yield "nothing can be compared"
        return
    yield from _numbers(heard, found)


def _few(heard: Heard) -> Iterator[str]:
    found = _pair(heard)
    if found is not None and (found.n >= FEWEST or found.n != int(heard["n"])):
        yield f"there are {found.n} pairs"


def _not_held(heard: Heard) -> Iterator[str]:
    """An overload leaves p99 without a result."""
    keys = [key for key in heard.lab.cells() if key[0] == heard.arm("b")]
    if all(heard.lab.holds(key) for key in keys if heard.lab.load(key[1]).kind != "closed"):
        yield f"{heard['b']} kept up with every rate"


def _fine(_: Heard) -> Iterator[str]:
    return iter(())


def _overloaded(heard: Heard) -> Iterator[str]:
    """The p99 of a server that did not keep up grows with the length of the run."""
    for load in heard.lab.loads:
        for point in load.points:
            for arm in heard.lab.arms:
                if heard.lab.holds((arm.name, load.name, point.label)) is False:
                    yield f"{arm.name} did not keep up with {point.label}: its p99 has no meaning"


def _only_trial(heard: Heard) -> Key:
    return next(iter(heard.lab.trials))


def _unfinished(heard: Heard) -> Iterator[str]:
    """A percentile beyond which calls were given up is a lower bound, and has no interval."""
    trial = heard.lab.of(_only_trial(heard))[0]
    lost = (trial.due or 0) - trial.ok - trial.failed
    if heard["low"] and lost > 0.01 * (trial.due or 1):
        yield f"{lost} of {trial.due} calls never finished: no interval of their p99 is known"
    if (
        not heard["v"].startswith("≥")
        and "≥" not in heard.said.text
        and lost > 0.01 * (trial.due or 1)
    ):
        yield "it is a lower bound"


def _row(heard: Heard) -> Iterator[str]:
    """`min p50 p95 p99 max` of one kind of time, in milliseconds."""
    fields = [one for one in ("min", "p50", "p95", "p99", "max") if heard[one]]
    values = [number(heard[one].lstrip("≥")) for one in fields]
    for at, (one, other) in enumerate(pairwise(values)):
        if one > other * 1.0001:
            yield f"{fields[at]} is above {fields[at + 1]}"
    if heard["min"].startswith("≥") or not heard["service"]:
        return
    if values[0] < number(heard["service"]) * 0.999:
        yield f"a response within {heard['min']} ms, where no service took less: it was never sent"


def _never_sent(heard: Heard) -> Iterator[str]:
    """`no connection was free` is the cause only of calls that waited for one."""
    trials = [one for trials in heard.lab.trials.values() for one in trials if one.unsent]
    if not any(one.waited for one in trials):
        yield "no call waited for a connection: that is not the cause"


def _never_sent_late(heard: Heard) -> Iterator[str]:
    """That the load generator was late is the cause only where no call waited."""
    trials = [one for trials in heard.lab.trials.values() for one in trials if one.unsent]
    if all(one.waited >= one.unsent for one in trials):
        yield "every call waited for a connection: that is the cause"


_WAY = "<way:text>"
_CI = "\\(95 % CI <low:bare>(?: % <way2:text>)? to <high:bare> % <way3:text>, .+?\\)"
_NOUN = "(?:requests/s|p99|CPU time per request)"
_AT = "(?: at [\\d,.]+/s)?"
_SAYS = (
    f"<b:arm> (?:serves|has|uses) (?:(?:a )?<p:percent> {_WAY} {_NOUN} than <a:arm>{_AT} {_CI}"
    f"|<r:ratio> the {_NOUN} of <a2:arm>{_AT} \\(95 % CI <rlow:ratio> to <rhigh:ratio>, .+?\\))"
)
COMPARES = (
    Form(
        ".+: the interval is within the margin, but <n:n> (?:restarts|trials) each may have missed "
        ".+",
        _fine,
        "requests/s: the interval is within the margin, but 10 restarts each may have missed rare "
        "bad ones that would bring the mean beyond it",
    ),
    Form(
        f"Cannot tell if <c:arm> is <question:text>: {_SAYS}(?:, and your margin is "
        "<margin:percent>)?",
        _cannot_tell,
        "Cannot tell if b is slower: b serves 5.0 % fewer requests/s than a (95 % CI 3.3 to 6.7 % "
        "fewer, 10 restarts each), and your margin is 5 %",
    ),
    Form(
        f"{_SAYS}: a regression beyond your margin of <margin:percent>",
        _beyond,
        "b serves 8.2 % fewer requests/s than a (95 % CI 6.9 to 9.4 % fewer, 10 restarts each): a "
        "regression beyond your margin of 3 %",
    ),
    Form(
        f"No regression shown: {_SAYS}, within your margin of <margin:percent>",
        _within,
        "No regression shown: b serves 0.2 % fewer requests/s than a (95 % CI 0.5 % fewer to 0.1 % "
        "more, 10 restarts each), within your margin of 3 %",
    ),
    Form(
        _SAYS,
        _says,
        "b uses 7.0 % more CPU time per request than a at 500/s (95 % CI 5.5 to 8.6 % more, 20 "
        "trials each)",
    ),
    Form(
        "No valid result for .+: <n:n> (?:trials?|restarts?) each, 5 needed for an interval",
        _few,
        "No valid result for p99: 3 trials each, 5 needed for an interval",
    ),
    Form(
        "No valid result for .+: <b:arm>: overload: .+",
        _not_held,
        "No valid result for p99: b: overload: less achieved than offered",
    ),
    Form(
        "(?:About <n:n> blocks would probably tell|With <m:n> blocks the interval is half as "
        "wide|A lower rate may give one).*: `.+`",
        _fine,
        "About 23 blocks would probably tell (6 min): `httpdyno compare A B --blocks 23`",
    ),
    Form(
        "The estimate is about at the margin, so no number of blocks is sure to tell",
        _fine,
        "The estimate is about at the margin, so no number of blocks is sure to tell",
    ),
    Form(
        "The comparison of .+ is suspect: .+",
        _fine,
        "The comparison of p99 is suspect: a: it was late",
    ),
    Form(
        "p99 (?:<r:ratio>|<p:percent> (?:longer|shorter)), <outcome:text>",
        _overloaded,
        "p99 599×, worse",
    ),
)
LOADS = (
    Form(
        "<u:n> of <d:n> calls (?:was|were) never sent(?: \\([^)]+\\))?",
        _fine,
        "4 of 1,487 calls were never sent (0.269 %, limit 0.1 %)",
    ),
    Form(
        "p99 ≥?<v:value>(?: \\(|, )95 % CI <low:bare> to <high:value>.*",
        _unfinished,
        "p99 ≥1.51 s, 95 % CI 1.51 to 1.52 s (± 0.277 %)",
    ),
    Form(
        "response min <min:text>(?: p50 <p50:text>)?(?: p95 <p95:text>)?(?: p99 <p99:text>)?(?: "
        "max <max:text>)?(?:; service min <service:bare>)?",
        _row,
        "response min 4.03 p95 6.50 p99 6.56 max 6.56",
    ),
    Form(
        "<u:n> of <d:n> calls (?:was|were) never sent(?: \\(.+\\))?: no connection was free",
        _never_sent,
        "4 of 1,487 calls were never sent: no connection was free",
    ),
    Form(
        "<u:n> of <d:n> calls (?:was|were) never sent(?: \\(.+\\))?: the load generator was "
        "(?:late|behind).*",
        _never_sent_late,
        "4 of 1,487 calls were never sent: the load generator was late",
    ),
)
