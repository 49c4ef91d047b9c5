"""The latencies that each load generator reports: how to make it report them, and how to read them.

Each reporter runs one open-loop load (wrk knows only closed loops, so it gets one of the same rate)
and returns its p50, p90, p99, p99.9 and maximum in seconds, without those that it does not report.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from httpdyno.engine_plan import to_json

from peers.generators import modern, ours
from peers.generators.job import Command, Job

Reported = dict[str, float]
"""Quantile → seconds."""
AT = {"p50": 0.50, "p90": 0.90, "p99": 0.99, "p99.9": 0.999, "max": 1.0}
_K6 = """import http from 'k6/http';
export const options = {options};
export default function () {{ http.get('{url}'); }}
"""
_WRK = """done = function(summary, latency, requests)
  io.write(string.format("reported %d %d %d %d %d\\n", latency:percentile(50),
    latency:percentile(90), latency:percentile(99), latency:percentile(99.9), latency.max))
end
"""


@dataclass(frozen=True)
class Reporter:
    """A tool that reports latencies; `tool`: name under which it is installed."""

    name: str
    tool: str
    command: Callable[[str, Job], Command]
    read: Callable[[Path], dict[str, Reported]]
    """Reads the folder (standard output in `out`): kind of time → reported quantiles."""


def of_samples(seconds: Iterable[float]) -> Reported:
    """Quantiles of all single times."""
    times = np.fromiter(seconds, dtype=float)
    return dict(zip(AT, np.quantile(times, list(AT.values())).tolist(), strict=True))


def _engine(**changes: bool) -> Callable[[str, Job], Command]:
    def command(program: str, job: Job) -> Command:
        plan = replace(ours.plan(job), **changes)
        return Command([program], stdin=job.file("plan.json", to_json(plan)))

    return command


def _engine_reported(folder: Path) -> dict[str, Reported]:
    times = json.loads((folder / "out").read_text(encoding="utf-8"))["times"]
    names = {"p50": "p50_ns", "p90": "p90_ns", "p99": "p99_ns", "p99.9": "p999_ns", "max": "max_ns"}
    return {
        kind: {name: times[kind][key] / 1e9 for name, key in names.items()}
        for kind in ("service", "response", "kernel")
        if times.get(kind)
    }


def _wrk(program: str, job: Job) -> Command:
    """Closed loop; the caller chooses the connections to get about the rate."""
    script = job.file("wrk.lua", _WRK)
    shape = ["-t1", f"-c{job.connections}", f"-d{job.whole_seconds}s", "--timeout", "10s"]
    return Command([program, *shape, "-s", script, job.url])


def _wrk_reported(folder: Path) -> dict[str, Reported]:
    lines = (folder / "out").read_text(encoding="utf-8").splitlines()
    words = next(line for line in lines if line.startswith("reported")).split()[1:]
    return {"": {name: int(word) / 1e6 for name, word in zip(AT, words, strict=True)}}


def _vegeta(program: str, job: Job) -> Command:
    command = modern.vegeta(program, job)
    results = str(job.folder / "results.csv")
    attack = ["results.gob" if word == "/dev/null" else word for word in command.words]
    both = f'cd "$1"; shift; "$@" && "{program}" encode -to csv -output "{results}" results.gob'
    return Command(["sh", "-c", both, "sh", str(job.folder), *attack])


def _vegeta_reported(folder: Path) -> dict[str, Reported]:
    with (folder / "results.csv").open(newline="", encoding="utf-8") as lines:
        return {"": of_samples(int(line[2]) / 1e9 for line in csv.reader(lines))}


def _hey(program: str, job: Job) -> Command:
    words = modern.hey(program, job).words
    return Command([*words[:-1], "-o", "csv", words[-1]])


def _hey_reported(folder: Path) -> dict[str, Reported]:
    with (folder / "out").open(newline="", encoding="utf-8") as lines:
        return {"": of_samples(float(line["response-time"]) for line in csv.DictReader(lines))}


def _k6(program: str, job: Job) -> Command:
    load = {
        "executor": "constant-arrival-rate",
        "rate": round(job.rate or 1),
        "timeUnit": "1s",
        "duration": f"{job.whole_seconds}s",
        "preAllocatedVUs": job.connections,
    }
    options = json.dumps({"discardResponseBodies": True, "scenarios": {"load": load}})
    script = job.file("k6.js", _K6.format(options=options, url=job.url))
    stats = ["--summary-trend-stats", "p(50),p(90),p(99),p(99.9),max"]
    export = ["--summary-export", str(job.folder / "k6.json")]
    return Command([program, "run", "--quiet", "--no-usage-report", *stats, *export, script])


def _k6_reported(folder: Path) -> dict[str, Reported]:
    summary = json.loads((folder / "k6.json").read_text(encoding="utf-8"))
    times = summary["metrics"]["http_req_duration"]
    names = {"p50": "p(50)", "p90": "p(90)", "p99": "p(99)", "p99.9": "p(99.9)", "max": "max"}
    return {"": {name: times[key] / 1e3 for name, key in names.items()}}


def _oha(program: str, job: Job) -> Command:
    words = [program, "--no-tui", "--output-format", "json", "-c", str(job.connections)]
    words += ["-z", f"{int(job.seconds * 1000)}ms", "-q", f"{job.rate:.0f}"]
    return Command([*words, "--latency-correction", job.url])


def _oha_reported(folder: Path) -> dict[str, Reported]:
    report = json.loads((folder / "out").read_text(encoding="utf-8"))
    times = report["latencyPercentiles"]
    reported = {name: times[name] for name in ("p50", "p90", "p99", "p99.9")}
    return {"": {**reported, "max": report["summary"]["slowest"]}}


def _bombardier(program: str, job: Job) -> Command:
    words = modern.bombardier(program, job).words
    return Command([*words[:-1], "--latencies", words[-1]])


def _bombardier_reported(folder: Path) -> dict[str, Reported]:
    lines = (folder / "out").read_text(encoding="utf-8").splitlines()
    latency = json.loads(lines[-1])["result"]["latency"]
    reported = {f"p{key}": value / 1e6 for key, value in latency["percentiles"].items()}
    known = {name: reported[name] for name in ("p50", "p90", "p99")}
    return {"": {**known, "max": latency["max"] / 1e6}}


def _autocannon_reported(folder: Path) -> dict[str, Reported]:
    lines = (folder / "out").read_text(encoding="utf-8").splitlines()
    times = json.loads(next(line for line in lines if line.startswith("{")))["latency"]
    names = {"p50": "p50", "p90": "p90", "p99": "p99", "p99.9": "p99_9", "max": "max"}
    return {"": {name: times[key] / 1e3 for name, key in names.items()}}


REPORTERS = (
    Reporter("httpdyno", "httpdyno", _engine(), _engine_reported),
    Reporter("httpdyno --spin", "httpdyno", _engine(spin=True), _engine_reported),
    Reporter(
        "httpdyno --kernel-timestamps",
        "httpdyno",
        _engine(kernel_timestamps=True),
        _engine_reported,
    ),
    Reporter("wrk (closed)", "wrk", _wrk, _wrk_reported),
    Reporter("vegeta", "vegeta", _vegeta, _vegeta_reported),
    Reporter("k6", "k6", _k6, _k6_reported),
    Reporter("oha", "oha", _oha, _oha_reported),
    Reporter("hey", "hey", _hey, _hey_reported),
    Reporter("bombardier", "bombardier", _bombardier, _bombardier_reported),
    Reporter("autocannon", "autocannon", modern.autocannon, _autocannon_reported),
)
