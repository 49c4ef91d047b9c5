"""Sentences of a terminal, and the numbers of a test case of JUnit."""

from __future__ import annotations

from collections.abc import Iterator

from oracle.forms.answers import ANSWERS
from oracle.forms.few import is_few
from oracle.forms.prose.limits import count_cells, fixed, is_known, is_suspect
from oracle.reading import Form, Heard

_METRICS = {
    "throughput_per_s": "throughput",
    "p50_s": "p50",
    "p99_s": "p99",
    "server_cpu_s_per_request": "cpu",
    "capacity_per_s": "capacity",
}


def _results(heard: Heard) -> Iterator[str]:
    """`Of 12 results, 1 is invalid and 2 are suspect`: of the cells that were measured."""
    measured = [key for key in heard.study.cells() if heard.study.of(key)]
    if int(heard["m"]) != len(measured):
        yield f"{len(measured)} cells were measured"
    invalid = [key for key in measured if not is_known(heard, key)]
    if int(heard["i"] or 0) != len(invalid):
        yield f"{len(invalid)} are invalid"
    if any(load.kind == "capacity" for load in heard.study.loads):
        return  # a search has doubts of its own
    suspect = [key for key in measured if is_known(heard, key) and is_suspect(heard, key)]
    if int(heard["s"] or 0) != len(suspect):
        yield f"{len(suspect)} are suspect"


def _fine(_: Heard) -> Iterator[str]:
    return iter(())


def _number(heard: Heard) -> Iterator[str]:
    """`throughput_per_s: 522.285, 95 % interval 521 to 524`."""
    yield from heard.prints("v", heard.lab.level(heard.key(), _METRICS[heard["m"]]), 6)
    ends = (heard["low"], heard["high"])
    if "None" in ends:
        yield "an interval from None to None is none"
    elif max(len(one.replace(".", "").lstrip("0")) for one in ends) > 9:
        yield f"{ends[0]} to {ends[1]} is not rounded"


def _status(heard: Heard) -> Iterator[str]:
    if (heard["status"] != "invalid") != is_known(heard, heard.key()):
        yield f"{heard['a']} {'has' if is_known(heard, heard.key()) else 'has no'} usable trial"


def _reason(heard: Heard) -> Iterator[str]:
    """A reason of a trial of this cell; a search has others."""
    doubts = [doubt.text for one in heard.lab.of(heard.key()) for doubt in one.doubts]
    if is_few(heard.study, [heard.key()], heard["why"]):
        return
    if heard.at().kind != "capacity" and not any(map(heard["why"].startswith, doubts)):
        yield f"{heard['why']}: the doubts are {', '.join(sorted(set(doubts))) or 'none'}"


_FLOAT = r"[0-9.e+-]+"
TERMINAL = (
    *ANSWERS,
    Form(
        "Of <m:n> results?, (?:<i:n> (?:is|are) invalid)?(?:, | and )?"
        "(?:<s:n> (?:is|are) suspect)?(?:, | and )?"
        "(?:<p:n> (?:is|are) valid except for single numbers)?",
        _results,
        "Of 12 results, 1 is invalid and 2 are suspect",
    ),
    Form("Each kind of reason once:", count_cells, "Each kind of reason once:"),
    Form("rank: by .+", _fine, "rank: by requests/s, or by capacity"),
    Form(
        "l\\d: about .+, the published size; httpdyno would choose more",
        _fine,
        "l0: about 5 calls in 2.00 s per trial, the published size; httpdyno would choose more",
    ),
    *fixed(
        "A made study",
        "? marks a suspect number",
        "All true ranks of a report are within these limits at once, with 95 % confidence",
    ),
)
_MEASURED = (
    ("throughput", "throughput"),
    ("p50", "p50"),
    ("p99", "p99"),
    ("server CPU per request", "cpu"),
    ("capacity", "capacity"),
)


def _measured(heard: Heard) -> Iterator[str]:
    """`throughput: 522/s (95 % CI 521/s to 524/s)`."""
    metric = dict(_MEASURED)[heard["metric"]]
    yield from heard.prints("v", heard.lab.level(heard.key(), metric))
    values = heard.lab.values(heard.key(), metric)
    if heard["n"] and metric != "capacity" and int(heard["n"]) != len(values):
        yield f"{len(values)} trials have a result"


JUNIT = (
    Form(
        f"<a:arm>: (?P<metric>{'|'.join(name for name, _ in _MEASURED)}): (?:at least |≥ "
        "?)?<v:value>"
        "(?: \\((?:95 % CI <low:value> to (?:at least )?<high:value>"
        "|<n:n> trials?: too few for an interval|.+)\\))?(?:, within .+)?",
        _measured,
        "a: throughput: 522/s (95 % CI 521/s to 524/s)",
    ),
    Form("<a:arm>: verdict: <status:text>", _status, "a: verdict: valid"),
    Form(
        f"<a:arm>: (?P<m>throughput_per_s|p50_s|p99_s|server_cpu_s_per_request|capacity_per_s): "
        f"(?P<v>{_FLOAT}), 95 % interval (?P<low>None|{_FLOAT}) to (?P<high>None|{_FLOAT})"
        "(?:, within .+)?",
        _number,
        "a: throughput_per_s: 522.285, 95 % interval 521.4 to 523.1",
    ),
    Form(
        "<a:arm>: (?:suspect|invalid): <why:text>; hint: .*",
        _reason,
        "a: suspect: it was late; hint: wait",
    ),
)
