"""What stands beside each group of charts: its heading, and how to read it, for a newcomer."""

from __future__ import annotations

from dataclasses import dataclass

from httpdyno.result import LoadInfo


@dataclass(frozen=True)
class SectionText:
    """A heading of the page and its explanation."""

    section: str
    heading: str
    how_to_read: str
    without: str
    """What to say when there is no chart."""


SECTIONS = (
    SectionText(
        "ratio",
        "How the arms compare",
        "Each row compares one arm with the baseline: 2× is twice as much, 0.5× half as much, and "
        "on the upright line at 1× they are the same. The big point is the estimate, the bar "
        "through it its 95 % interval, each small dot beneath one pair of restarts. A bar that "
        "crosses the line shows no difference. More requests a second is better; more time and "
        "more processor time are worse.",
        "No two arms have enough restarts with results under the same load to be compared.",
    ),
    SectionText(
        "throughput",
        "Throughput",
        "How many requests a second came back right. The axis starts at zero. Small dots are "
        "single restarts of the server: the further they spread, the less one run alone would "
        "tell. Where the load offers requests at a rate, the dotted line is where every one is "
        "answered: an arm that falls below it has reached its limit; its points are hollow from "
        "there on. A cross above the curves is a point without a result. Lines that lie on one "
        "another did the same. Many rows stand in the order of their values, best first.",
        "No cell has a valid or suspect throughput.",
    ),
    SectionText(
        "latency",
        "Response time",
        "How long a request took, from the moment it was due to the last byte of its reply. Half "
        "of all requests were faster than p50; one in a hundred was slower than p99. On a log "
        "scale each step upwards is a multiple. With an open load, time spent waiting for a free "
        "connection counts, so a curve that shoots up marks an overloaded server.",
        "No cell has a valid or suspect response time.",
    ),
    SectionText(
        "spectrum",
        "The slowest requests",
        "Read to the right for rarer requests: at 99 % you see the time that 99 of 100 requests "
        "stayed under. A curve that climbs late and steeply belongs to a server that is mostly "
        "quick and now and then very slow. It is drawn from the restart with the median p99, at "
        "the load point that most arms served well.",
        "No cell has a distribution to show.",
    ),
    SectionText(
        "errors",
        "Errors",
        "The share of requests that ended in a wrong status, a wrong body, a timeout or a broken "
        "connection. Fast wrong answers are not answers: a cell with too many has no result at "
        "all.",
        "No request failed in any cell that has a result.",
    ),
    SectionText(
        "cpu",
        "What an answer costs the processor",
        "Processor time of all the server's processes, divided by the requests answered. Less is "
        "cheaper. Ten thousand requests a second at 100 µs each keep one core busy.",
        "No cell has a processor time.",
    ),
    SectionText(
        "memory",
        "What the server keeps in memory",
        "The most memory that all the server's processes held together during the measurement.",
        "No cell has a memory figure.",
    ),
)

_KINDS = {
    "closed": (
        "closed load: each connection waits for its reply before it asks again, "
        "so a slow server is asked less"
    ),
    "requests": "open load: requests fall due at a rate, whatever the server does",
    "sessions": "open load: connections arrive at a rate, whatever the server does",
}


def kind_words(load: LoadInfo) -> str:
    """What kind of load it is, in a sentence."""
    return _KINDS[load.kind]
