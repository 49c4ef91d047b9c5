"""A decision in words: `8.2 % fewer requests/s`, its interval, and what it means."""

from __future__ import annotations

from httpdyno.metrics import COMPARED, ComparedBy
from httpdyno.result import Estimate
from httpdyno.statistics.claims.changes import at, change, interval
from httpdyno.statistics.decide import Decision
from httpdyno.statistics.intervals import FEWEST_TRIALS
from httpdyno.units import article, counted

_VERBS: dict[ComparedBy, str] = {
    "throughput": "serves",
    "p99": "has",
    "server CPU per request": "uses",
}


def sentence(one: Decision, baseline: str, arm: str) -> str:
    """The result of one metric, with its interval: `B serves 8.2 % fewer requests/s than A (…)`."""
    ratio = None if one.comparison is None else one.comparison.ratio
    if one.comparison is None or ratio is None or ratio.low is None:
        few = "" if ratio is None else f": {too_few(ratio)}"
        noun = COMPARED[one.metric].noun
        return f"No result for the {noun} of {arm} compared with {baseline}{few}"
    sure = f"95 % CI {interval(one.metric, ratio)}, {each(ratio)}"
    more = relative(one.metric, ratio.value, baseline)
    return f"{arm} {_VERBS[one.metric]} {more}{at(one.comparison.point)} ({sure})"


def begin_sentence(text: str) -> str:
    """A text that begins a sentence: `The pull request …`. Other names of arms stay as they are."""
    return f"T{text[1:]}" if text.startswith("the ") else text


def too_few(ratio: Estimate) -> str:
    """`3 trials each, 5 needed for an interval`."""
    return f"{each(ratio)}, {FEWEST_TRIALS} needed for an interval"


def each(ratio: Estimate) -> str:
    """`10 trials each`."""
    return f"{counted(ratio.trials, 'trial')} each"


def relative(metric: ComparedBy, ratio: float, baseline: str) -> str:
    """`8.2 % fewer requests/s than A`, or `3.50× the requests/s of A`."""
    noun, amount = COMPARED[metric].noun, change(metric, ratio)
    if "%" not in amount:
        return f"{amount} the {noun} of {baseline}"
    before = f"{article(amount)} " if metric == "p99" else ""
    return f"{before}{amount} {noun} than {baseline}"
