"""Sentences that explain how to read a section; some of them claim something of its arms."""

from __future__ import annotations

from collections.abc import Iterator

from oracle.forms.prose.limits import fixed
from oracle.reading import Form, Heard


def _fresh(heard: Heard) -> Iterator[str]:
    running = [arm.name for arm in heard.study.arms if not arm.restarted]
    if running:
        yield f"{running[0]} ran already: it was not started for its trials"


def _none(heard: Heard) -> Iterator[str]:
    """`No cell has a CPU time`."""
    metric = {"CPU time": "cpu", "memory figure": "memory"}.get(heard["what"], "throughput")
    for key in heard.study.cells():
        if heard.study.load(key[1]).kind != "capacity" and heard.study.values(key, metric):
            yield f"{', '.join(key)} has one"


def _no_ratio(heard: Heard) -> Iterator[str]:
    for key, metric, found in heard.study.pairs_of("capacity", "cpu", "throughput"):
        searched = heard.study.load(key[1]).kind == "capacity"
        fits = (metric == "capacity") == searched
        if fits and found.n >= 5 and not _bound(heard, key[0]):
            yield f"{key[0]} has {found.n} blocks in common with the baseline"


def _bound(heard: Heard, arm: str) -> bool:
    cells = (key for key in heard.study.cells() if key[0] in (arm, heard.study.baseline))
    return any(map(heard.study.is_bound, cells))


EXPLANATIONS = (
    Form("Each is on a freshly started server", _fresh, "Each is on a freshly started server"),
    Form(
        "No cell has a <what:text>(?: to show)?",
        _none,
        "No cell has a CPU time",
    ),
    Form(
        "No two arms have enough trials under the same load for an interval of their ratio",
        _no_ratio,
        "No two arms have enough trials under the same load for an interval of their ratio",
    ),
    *fixed(
        "Each curve gives the response time that a share of the requests stayed under; rarer and "
        "slower requests are further to the right",
        "A curve that rises late and steeply belongs to a server that is usually fast and "
        "occasionally very slow",
        "It is drawn from the trial with the median p99, at the load point with the most valid "
        "arms",
        "One trial of each arm",
        "A level line is a server that answers evenly; dips and spikes are pauses, such as those "
        "of a garbage collector",
        "The lag of the load generator is recorded for each trial, but not for each second: it is "
        "with the trials of each arm",
        "CPU time of all processes of the server, divided by the number of right replies",
        "10,000 requests/s at 100 µs each keep one core busy",
        "Highest total memory of all processes of the server during the measurement",
        "Right replies per second",
        "Small dots are single trials: the further they spread, the less a single run tells",
        "Time from the moment a request was due to the last byte of its reply",
        "Half of the requests were faster than p50; 1 % were slower than p99",
        "A linear axis starts at zero",
        "A hill is high where many requests took that long; its two lines mark p50 and p99",
        "All hills are equally high: compare their places and widths",
        "An axis marked “log scale” does not start at zero; on it, equal distances are equal "
        "ratios",
        "Each row compares one arm with the baseline, which is the vertical line at 1×: 2× is "
        "twice as much, 0.5× half as much",
        "The large point is the estimate, and the bar its confidence interval (CI)",
        "Each small dot is the ratio of two trials from the same block: a round that measures "
        "everything once, in random order",
        "If a bar crosses the line, no difference is shown",
        "More requests/s is better; a longer response time or more CPU time is worse",
        "Right replies per second, response time and failed requests, one below the other",
        "On the dotted line, everything that was offered was answered",
        "Under an open loop, time spent waiting for a free connection counts, so a response time "
        "that rises steeply marks an overloaded server",
        "All decisions of a report are made together, so that at most 1 report in 20 claims any "
        "difference that is not there; the more decisions, the wider the bars",
        "Random arrivals offer a little more or less than their nominal rate",
        "A cross above the curves is a point without a result",
        "An arm above the dotted line also answered requests left over from the warm-up, or "
        "random arrivals offered more than their nominal rate",
        "Share of the requests that ended with a wrong status, a wrong body, a timeout or a "
        "connection error",
        "A cell with too many errors has no result",
    ),
)
