"""Results of large studies to draw: many arms and workloads, and curves up to an overload.

The numbers are made by a seeded generator around plausible centres; they are material for the
report, not findings.
"""

from __future__ import annotations

import random

from httpdyno.result import (
    ArmInfo,
    CellRow,
    Comparison,
    ConformanceRow,
    Estimate,
    LoadInfo,
    LogFacts,
    LogVerdict,
    PublishedRow,
    Reason,
    StudyResult,
    TrialRow,
)
from httpdyno.statistics.claims.kept_up import kept_up
from httpdyno.statistics.pace import pace_of_trials
from sample import column, compare, doubted, estimate, invalid, replay

FRAMEWORKS = {
    "snap/no-access-log": 41_000.0,
    "snap/access-log": 29_500.0,
    "happstack/1-core": 17_300.0,
    "rails/puma-1-worker-5-threads": 900.0,
    "rails/webrick": 310.0,
    "grails/embedded-tomcat": 4_300.0,
    "apache-php/mod_php": 9_900.0,
    "apache-php/php-fpm": 8_700.0,
    "apache/static-file": 21_000.0,
    "node/1-process": 13_800.0,
    "nginx/1-worker": 58_000.0,
    "go/1-core": 33_000.0,
    "axum/1-thread": 66_000.0,
}
PUBLISHED = {
    "rails/webrick": (288, 450),
    "apache-php/mod_php": (9_769, 4_308),
    "happstack/1-core": (16_299, 7_554),
    "snap/access-log": (17_800, 6_152),
    "node/1-process": (22_733, 4_540),
    "snap/no-access-log": (35_316, 10_832),
}
OVERLOAD = Reason(
    code="overload",
    status="suspect",
    text="offered more than was answered: 61 % of it, limit 98 %",
    hint="Read the latency at lower rates; here it grows with the length of the run.",
)
STREAMS = {"tornado": 1_900, "node": 5_200, "mochiweb": 6_100, "cowboy": 9_000, "misultin": 9_600}
READERS = {
    "yaws": 5_500,
    "inets": 2_700,
    "netty": 11_000,
    "mina": 10_200,
    "grizzly": 9_900,
    "gevent": 3_600,
    "twisted": 1_500,
    "thin": 4_000,
    "starman": 4_800,
    "feersum": 11_500,
}
RATES = tuple(float(rate) for rate in range(100, 1300, 100))
CALLS = 10
PICTURE_BYTES = 50_990


LOGS = {
    "node/1-process file": LogVerdict(
        status="invalid",
        reasons=[
            Reason(
                code="wrong_replies",
                status="invalid",
                text="99.75 % of the replies were wrong: 997,483 of 1,000,000 (expected none)",
                hint="an error page says nothing about the page: mend the server, then measure",
            )
        ],
        facts=LogFacts(
            asked=1_000_000,
            replies=1_000_000,
            wrong=997_483,
            failed_connections=0,
            seconds=221.0,
            samples=44,
            stdev_per_s=514.0,
        ),
    ),
    "apache-php/mod_php pong": LogVerdict(
        status="suspect",
        reasons=[
            Reason(
                code="not_steady",
                status="suspect",
                text="the samples differ by 70 % of the rate (limit 10 %)",
                hint="find out what changes before averaging over it",
            )
        ],
        facts=LogFacts(
            asked=1_000_000,
            replies=101_000,
            wrong=0,
            failed_connections=1000,
            seconds=10.0,
            samples=2,
            stdev_per_s=6_819.0,
        ),
    ),
    "happstack/1-core pong": LogVerdict(
        status="valid",
        reasons=[],
        facts=LogFacts(
            asked=1_000_000,
            replies=1_000_000,
            wrong=0,
            failed_connections=0,
            seconds=61.0,
            samples=12,
            stdev_per_s=475.0,
        ),
    ),
}
UNMEASURED = PublishedRow(
    arm="Grails 1.2.2",
    load="as-published",
    requests_per_s=796,
    note="dropped from the later post",
    source="Snap 0.1, 23 May 2010",
    measured=False,
)
ONE = "it serves one a worker"
PROBES = (
    "keep-alive",
    "pipelining",
    "HTTP/1.0",
    "HTTP/1.0 keep-alive",
    "HEAD",
    "unknown path",
    "split request",
    "100-continue",
    "oversized header",
    "absolute-form URI",
    "graceful stop",
)


def conformance(arms: list[ArmInfo]) -> list[ConformanceRow]:
    """A row for each server and deployment; the answers are made up, the last probe was not run."""
    pairs = dict.fromkeys((arm.server, arm.deployment) for arm in arms)
    return [
        ConformanceRow.model_validate(
            {
                "server": server,
                "deployment": deployment,
                "arms": [a.name for a in arms if (a.server, a.deployment) == (server, deployment)],
                "version": "1.2.3",
                "checked_at": 1_790_000_000.0,
                "habits": [
                    {
                        "name": name,
                        "answer": ("no", "partly", "yes", "yes", "yes")[(row + place) % 5],
                        "detail": f"what {server} did for {name}",
                    }
                    for place, name in enumerate(PROBES[: len(PROBES) - row % 2])
                ],
            }
        )
        for row, (server, deployment) in enumerate(pairs)
    ]


def snap() -> StudyResult:
    """Thirteen arms, each with two workloads, under two loads; published bars, some of them bad."""
    rng = random.Random(11)
    loads = [
        _load(
            "as-published", "sessions", "as published: 1,000 connections of 1,000 calls, burst 20"
        ),
        _load("keep-alive", "closed", "corrected: keep-alive without pipelining, for 2 s"),
    ]
    arms = [_arm(name, work) for work in ("pong", "file") for name in FRAMEWORKS]
    cells = [
        _steady(
            rng, load.name, arm, "1,000/s sessions" if load.kind == "sessions" else "10 connections"
        )
        for load in loads
        for arm in arms
    ]
    bad = {"rails/webrick pong", "grails/embedded-tomcat file"}
    cells = [
        invalid(row) if row.arm in bad and row.load == "as-published" else row for row in cells
    ]
    limited = cells[-1].model_copy(update={"notes": ["given 2 connections instead of 10: " + ONE]})
    cells[-1] = limited
    return _result("snap-2010", loads, arms, cells).model_copy(
        update={
            "published": [*_published(), UNMEASURED],
            "comparisons": _comparisons(cells),
            "conformance": conformance(arms),
        }
    )


def curves(several: bool = False) -> StudyResult:
    """Sessions from 100 to 1,200 a second: five arms, or with `several` fifteen."""
    rng = random.Random(5)
    capacity = STREAMS | (READERS if several else {})
    load = _load("as-published", "sessions", "as published: 100 to 1,200 connections/s of 10 calls")
    arms = [_arm(f"{name}/1-core", "echo") for name in capacity]
    cells = [
        _offered(rng, f"{name}/1-core", float(most), rate)
        for rate in RATES
        for name, most in capacity.items()
    ]
    lost = {("node/1-core", 1200.0), ("tornado/1-core", 1100.0), ("tornado/1-core", 1200.0)}
    cells = [invalid(row) if (row.arm, row.rate_per_s) in lost else row for row in cells]
    published = [
        PublishedRow(arm=f"{name}/1-core", load=load.name, requests_per_s=rate, note="its most")
        for name, rate in zip(STREAMS, (1500, 3000, 4850, 8600, 9700), strict=True)
    ]
    whole = _result("erlang-python-node-2011", [load], arms, cells)
    return whole.model_copy(update={"published": published, "comparisons": _comparisons(cells)})


def _load(name: str, kind: str, title: str) -> LoadInfo:
    values = {
        "name": name,
        "kind": kind,
        "title": title,
        "description": f"{kind}: as its title",
        "as_published": name == "as-published",
        "calls_per_arrival": CALLS if kind == "sessions" else 1,
    }
    return LoadInfo.model_validate(values)


def _arm(name: str, workload: str) -> ArmInfo:
    server, deployment = name.split("/")
    shown = name if workload == "echo" else f"{name} {workload}"
    return ArmInfo(
        name=shown,
        server=server,
        deployment=deployment,
        workload=workload,
        description=f"{server} ({deployment})",
        version="1.2.3",
    )


def _trial(block: int, rate: float, p50: float, failed: float, status: str) -> TrialRow:
    return TrialRow.model_validate(
        {
            "block": block,
            "status": status,
            "reasons": [OVERLOAD] if status == "suspect" else [],
            "throughput_per_s": rate,
            "offered_per_s": None,
            "p50_s": p50,
            "p99_s": p50 * 3.5,
            "max_s": p50 * 9,
            "error_share": failed,
            "server_cpu_s_per_request": 0.9 / rate,
            "server_rss_bytes": 40 * 2**20,
            "server_threads": 4,
            "server_processes": 1,
            "generator_busy_share": 0.3,
            "generator_lag_p99_s": 4e-5,
            "pace": "fell behind" if status == "suspect" else "kept up",
        }
    )


def _cell(place: tuple[str, str, str, float | None], trials: list[TrialRow]) -> CellRow:
    arm, load, point, rate = place
    suspect = trials[0].status == "suspect"
    p50, p99 = column(trials, "p50_s"), column(trials, "p99_s")
    return CellRow(
        arm=arm,
        load=load,
        point=point,
        rate_per_s=rate,
        pace=pace_of_trials(trials) if rate else None,
        status="suspect" if suspect else "valid",
        reasons=[OVERLOAD] if suspect else [],
        doubts=doubted(OVERLOAD.code) if suspect else {},
        trials=trials,
        throughput_per_s=column(trials, "throughput_per_s"),
        p50_s=p50,
        p99_s=p99,
        error_share=column(trials, "error_share"),
        server_cpu_s_per_request=column(trials, "server_cpu_s_per_request"),
        server_rss_bytes=column(trials, "server_rss_bytes"),
        body_bytes_per_s=_bodies(arm, trials),
        ceiling_per_s=120_000.0,
        ceiling_share=0.4,
        latency_spectrum=[(50.0, p50.value), (90.0, p50.value * 2), (99.0, p99.value)],
    )


def _bodies(arm: str, trials: list[TrialRow]) -> Estimate:
    size = PICTURE_BYTES if arm.endswith(" file") else 4
    return estimate([float(trial.throughput_per_s or 0.0) * size for trial in trials])


def _steady(rng: random.Random, load: str, arm: ArmInfo, point: str) -> CellRow:
    most = FRAMEWORKS[f"{arm.server}/{arm.deployment}"] * (0.5 if arm.workload == "file" else 1)
    most *= 1.6 if load == "as-published" else 1
    trials = [
        _trial(block, most * rng.gauss(1, 0.03), 8 / most * rng.gauss(1, 0.05), 0.0, "valid")
        for block in range(5)
    ]
    return _cell((arm.name, load, point, None), trials)


def _offered(rng: random.Random, arm: str, most: float, rate: float) -> CellRow:
    asked = rate * CALLS
    over = asked > most
    reached = min(asked, most * rng.gauss(0.97, 0.02)) * (0.9 if over else 1)
    p50 = 2.5 if over else 0.0006 / max(0.05, 1.02 - asked / most)
    failed = max(0.0, 1 - most / asked) * 0.6 if over else 0.0
    trials = [
        _trial(
            block,
            reached * rng.gauss(1, 0.02),
            p50 * rng.gauss(1, 0.08),
            failed * rng.gauss(1, 0.1),
            "suspect" if over else "valid",
        )
        for block in range(5)
    ]
    return _cell((arm, "as-published", f"{rate:,.0f}/s sessions", rate), trials)


def _published() -> list[PublishedRow]:
    """The six frameworks' bars, for both workloads."""
    return [
        PublishedRow(
            arm=f"{arm} {work}",
            load="as-published",
            requests_per_s=rates[place],
            note="httperf, 1,000 × 1,000 calls, one run",
            source="Snap 0.3, 17 November 2010",
            verdict_of_log=LOGS.get(f"{arm} {work}"),
        )
        for place, work in enumerate(("pong", "file"))
        for arm, rates in PUBLISHED.items()
    ]


def _comparisons(cells: list[CellRow]) -> list[Comparison]:
    """Each cell against the first arm of its workload, at its point."""
    found = []
    for row in cells:
        kin = [c for c in cells if (c.load, c.point) == (row.load, row.point)]
        base = next(c for c in kin if c.arm.split(" ")[1:] == row.arm.split(" ")[1:])
        if row is not base:
            found += [compare(m, base, row) for m in ("throughput", "server CPU per request")]
    return found


def _result(
    name: str, loads: list[LoadInfo], arms: list[ArmInfo], cells: list[CellRow]
) -> StudyResult:
    return replay(1).model_copy(
        update={
            "name": name,
            "title": f"A large study: {name}",
            "question": "How do many arms look side by side?",
            "answer": "This is drawn to be looked at; its numbers come from a random generator.",
            "loads": loads,
            "arms": arms,
            "cells": cells,
            "kept_up": list(kept_up(cells)),
            "blocks_planned": 5,
            "blocks_done": 5,
            "failures": [],
            "notes": [],
        }
    )
