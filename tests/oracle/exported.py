"""Files for other programs, read back: each number is one of the trials, and none is missing."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator

from httpdyno.export.bencher import bencher
from httpdyno.export.github_benchmark import github_bigger, github_smaller
from httpdyno.export.openmetrics import openmetrics
from httpdyno.export.otava import otava
from httpdyno.result import StudyResult

from oracle.raw import Key, Lab

Value = tuple[Key, str, float, str]
"""The cell, the metric, the number in base units, and a word: one of `_ENDS`, `suspect` or none."""
_ENDS = ("low", "high", "high_at_least")
_WORDS = (
    ("cpu", ("cpu", "CPU")),
    ("memory", ("memory",)),
    ("capacity", ("capacity", "limits")),
    ("p50", ("p50", "median")),
    ("p99", ("p99",)),
    ("throughput", ("throughput", "requests per second")),
)
"""The words of a metric in the names of a file; the first that fits."""
_UNITS = {"ms": 1e-3, "µs": 1e-6, "us": 1e-6, "MiB": 2.0**20, "mib": 2.0**20}
_OF_KIND = {
    "closed": ("throughput", "cpu", "memory"),
    "requests": ("p50", "p99", "cpu", "memory"),
    "sessions": ("p50", "p99", "cpu", "memory"),
    "capacity": ("capacity",),
}
_SAMPLE = re.compile(r"(?P<name>\w+)\{(?P<labels>.*)\} (?P<value>\S+)")


def faults(lab: Lab, result: StudyResult) -> Iterator[str]:
    """The faults in the numbers of each file."""
    files = {
        "github": [*_github(github_bigger(result)), *_github(github_smaller(result))],
        "bencher": list(_bencher(bencher(result))),
        "openmetrics": list(_openmetrics(openmetrics(result))),
    }
    for name, found in files.items():
        yield from (f"{name}: {why}" for one in found for why in _number(lab, one))
        yield from (f"{name}: {why}" for why in _missing(lab, found))
    for one in _otava(otava([result]).csv):
        yield from (f"otava: {why}" for why in _number(lab, one))


def _number(lab: Lab, found: Value) -> Iterator[str]:
    key, metric, value, word = found
    where = f"{', '.join(key)}: {metric} {value:.6g} {word}".strip()
    level = lab.level(key, metric)
    if level is None or metric not in _OF_KIND[lab.load(key[1]).kind]:
        yield f"{where}: there is no such result"
    elif word in _ENDS:
        is_bound = metric == "capacity" and lab.high_is_bound(key)
        if word != "low" and is_bound != (word == "high_at_least"):
            yield f"{where}: the upper end is {'' if is_bound else 'not '}only a bound"
        ends = lab.interval(key, metric)
        sign = 1 if word == "low" else -1
        # An interval may be wider, where one tail is longer or the trials drift.
        if ends is not None and sign * (value - ends[word != "low"]) > 1e-6 * level:
            yield f"{where}: the 95 % interval is {ends[0]:.6g} to {ends[1]:.6g}"
    elif not math.isclose(value, level, rel_tol=1e-6):
        yield f"{where}: the trials give {level:.6g}"
    elif metric != "capacity" and word and (word == "suspect") != lab.is_suspect(key, metric):
        yield f"{where}: that is not its verdict"


def _missing(lab: Lab, found: list[Value]) -> Iterator[str]:
    told = {(key, metric) for key, metric, _, word in found if word not in _ENDS}
    for key in lab.cells():
        for metric in _OF_KIND[lab.load(key[1]).kind]:
            known = lab.level(key, metric) is not None and not lab.is_bound(key)
            if known and (key, metric) not in told and metric != "capacity":
                yield f"{', '.join(key)}: {metric} is missing"
            if not known and (key, metric) in told:
                yield f"{', '.join(key)}: {metric} has no result"


def _metric(name: str) -> str:
    return next(metric for metric, words in _WORDS if any(word in name for word in words))


def _key(name: str) -> Key:
    """The cell in `study · arm · load · point`."""
    _, arm, load, point, *_ = name.split(" · ")
    return arm, load, point


def _github(text: str) -> Iterator[Value]:
    for entry in json.loads(text):
        word = re.search(r"verdict: (\w+)", str(entry["extra"]))
        value = entry["value"] * _UNITS.get(entry["unit"], 1.0)
        name = entry["name"].rpartition(" · ")[2]
        yield _key(entry["name"]), _metric(name), value, word[1] if word else ""


def _bencher(text: str) -> Iterator[Value]:
    ends = {"value": "", "lower_value": "low", "upper_value": "high"}
    for name, measures in json.loads(text).items():
        key = _key(name.removesuffix("-bencher-ignore"))
        for slug, fields in measures.items():
            scale = next((_UNITS[part] for part in slug.split("-") if part in _UNITS), 1.0)
            for field, value in fields.items():
                yield key, _metric(slug), value * scale, ends[field]


def _openmetrics(text: str) -> Iterator[Value]:
    for line in text.splitlines():
        match = _SAMPLE.fullmatch(line)
        labels = dict(re.findall(r'(\w+)="([^"]*)"', match["labels"])) if match else {}
        if match is None or "bound" not in labels:
            continue
        word = labels["verdict"] if labels["bound"] == "value" else labels["bound"]
        key = (labels["arm"], labels["load"], labels["point"])
        yield key, _metric(match["name"]), float(match["value"]), word


def _otava(text: str) -> Iterator[Value]:
    head, *lines = csv.reader(io.StringIO(text))
    for line in lines:
        for name, value in zip(head, line, strict=True):
            if match := re.fullmatch(r"(.+) · (\w+) \((.+)\)", name):
                scale = _UNITS.get(match[3], 1.0)
                yield _key(match[1]), _metric(match[2]), float(value) * scale, "valid"
