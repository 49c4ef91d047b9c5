"""The heading of each section of charts, and sentences that explain how to read it."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Literal

from httpdyno.result import ArmInfo, LoadInfo
from httpdyno.study import LOADS

Feature = Literal[
    "always",
    "trials",
    "restarts",
    "curves",
    "linear",
    "log",
    "above",
    "density",
    "together",
    "apart",
]
"""A property of the charts of a section: a sentence about it is shown only where it applies.

`trials`: single trials are drawn. `restarts`: each of them on a freshly started server. `above`: an
arm answered more than was offered to it. `density`: distributions are drawn as hills. `together`:
all decisions about differences are made together; `apart`: each stands for itself.
"""


@dataclass(frozen=True)
class Explanation:
    """A heading of the page and the sentences beneath it."""

    section: str
    heading: str
    sentences: tuple[tuple[Feature, str], ...]
    without: str
    """The sentence that stands in place of charts where there are none; empty: the section is left
    out."""

    def text(self, features: Set[Feature]) -> str:
        """The sentences that apply to charts with these features."""
        return " ".join(
            text for feature, text in self.sentences if feature in features or feature == "always"
        )


_LINEAR: tuple[Feature, str] = ("linear", "A linear axis starts at zero.")
_LOG: tuple[Feature, str] = (
    "log",
    "An axis marked “log scale” does not start at zero; on it, equal distances are equal ratios.",
)

EXPLANATIONS = (
    Explanation(
        "ratio",
        "How the arms compare",
        (
            (
                "always",
                "Each row compares one arm with the baseline, which is the vertical line at 1×: "
                "2× is twice as much, 0.5× half as much. The large point is the estimate, and the "
                "bar its confidence interval (CI).",
            ),
            (
                "trials",
                "Each small dot is the ratio of two trials from the same block: a round that "
                "measures everything once, in random order.",
            ),
            (
                "always",
                "If a bar crosses the line, no difference is shown. More requests/s is better; a "
                "longer response time or more CPU time is worse.",
            ),
            (
                "together",
                "All decisions of a report are made together, so that at most 1 report in 20 "
                "claims any difference that is not there; the more decisions, the wider the bars.",
            ),
            (
                "apart",
                "Each ratio stands for itself, with the same interval as in the decision against "
                "its margin: of 20 ratios of equal arms, about one shows a difference.",
            ),
        ),
        "No two arms have enough trials under the same load for an interval of their ratio.",
    ),
    Explanation(
        "rates",
        "Along the offered rate",
        (
            (
                "always",
                "Right replies per second, response time and failed requests, one below the other. "
                "On the dotted line, everything that was offered was answered. Random arrivals "
                "offer a little more or less than their nominal rate. Under an open loop, time "
                "spent waiting for a free connection counts, so a response time that rises "
                "steeply marks an overloaded server.",
            ),
            (
                "above",
                "An arm above the dotted line also answered requests left over from the warm-up, "
                "or random arrivals offered more than their nominal rate.",
            ),
            _LOG,
        ),
        "",
    ),
    Explanation(
        "throughput",
        "Throughput",
        (
            ("always", "Right replies per second."),
            _LINEAR,
            _LOG,
            (
                "trials",
                "Small dots are single trials: the further they spread, the less a single run "
                "tells.",
            ),
            ("restarts", "Each is on a freshly started server."),
            (
                "curves",
                "On the dotted line, everything that was offered was answered. A cross above the "
                "curves is a point without a result.",
            ),
            (
                "above",
                "An arm above the dotted line also answered requests left over from the warm-up, "
                "or random arrivals offered more than their nominal rate.",
            ),
        ),
        "No cell has a throughput to show.",
    ),
    Explanation(
        "latency",
        "Response time",
        (
            (
                "always",
                "Time from the moment a request was due to the last byte of its reply. Half of the "
                "requests were faster than p50; 1 % were slower than p99.",
            ),
            _LOG,
            (
                "curves",
                "Under an open loop, time spent waiting for a free connection counts, so a curve "
                "that rises steeply marks an overloaded server.",
            ),
        ),
        "No cell has a response time to show.",
    ),
    Explanation(
        "spectrum",
        "Latency distribution",
        (
            (
                "density",
                "A hill is high where many requests took that long; its two lines mark p50 and "
                "p99. All hills are equally high: compare their places and widths.",
            ),
            (
                "always",
                "Each curve gives the response time that a share of the requests stayed under; "
                "rarer and slower requests are further to the right. A curve that rises late and "
                "steeply belongs to a server that is usually fast and occasionally very slow. It "
                "is drawn from the trial with the median p99, at the load point with the most "
                "valid arms.",
            ),
        ),
        "No cell has a latency distribution.",
    ),
    Explanation(
        "errors",
        "Errors",
        (
            (
                "always",
                "Share of the requests that ended with a wrong status, a wrong body, a timeout or "
                "a connection error. A cell with too many errors has no result.",
            ),
        ),
        "No request failed under these loads.",
    ),
    Explanation(
        "cpu",
        "CPU time per request",
        (
            (
                "always",
                "CPU time of all processes of the server, divided by the number of right replies. "
                "10,000 requests/s at 100 µs each keep one core busy.",
            ),
            _LOG,
        ),
        "No cell has a CPU time.",
    ),
    Explanation(
        "memory",
        "Peak memory",
        (
            (
                "always",
                "Highest total memory of all processes of the server during the measurement.",
            ),
            _LOG,
        ),
        "No cell has a memory figure.",
    ),
    Explanation(
        "timeline",
        "Second by second",
        (
            (
                "always",
                "One trial of each arm. A level line is a server that answers evenly; dips and "
                "spikes are pauses, such as those of a garbage collector. The lag of the load "
                "generator is recorded for each trial, but not for each second: it is with the "
                "trials of each arm.",
            ),
        ),
        "",
    ),
)


def kind_words(load: LoadInfo) -> str:
    """The kind of a load, in a sentence."""
    return LOADS[load.kind].sentence


def restart_words(arms: Sequence[ArmInfo]) -> str:
    """The servers that each trial starts anew, in a sentence."""
    running = [arm.name for arm in arms if not arm.restarted]
    if not running:
        return "Every trial starts its server anew."
    if len(running) == len(arms):
        which = "The server" if len(arms) == 1 else "The servers"
        return f"{which} ran already; no trial restarts a server."
    names = ", ".join(running)
    return f"Every trial starts its server anew, except for servers that ran already: {names}."
