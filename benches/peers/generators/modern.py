"""The tools written in Rust, Go, JavaScript and Python."""

from __future__ import annotations

from peers.generators.job import (
    CannotError,
    Command,
    Job,
    as_json,
    closed_only,
    keep_alive_only,
    no_pipelining,
)
from peers.generators.tool import Tool

USERS_LIMIT = (
    1000  # an interpreter or client object each: starting more takes longer than the measurement
)

_K6 = """import http from 'k6/http';
export const options = {options};
export default function () {{ http.get('{url}'); }}
"""
_LOCUST = """from locust import FastHttpUser, constant, constant_throughput, task


class Reader(FastHttpUser):
    wait_time = {wait}

    @task
    def read(self):
        self.client.get("{path}", headers={headers})
        {after}
"""


def _plain(job: Job) -> None:
    """Most of these tools: no pipelining, no number of calls per connection but 1."""
    keep_alive_only(job)
    no_pipelining(job)


def oha(program: str, job: Job) -> Command:
    """Without its display."""
    _plain(job)
    words = [program, "--no-tui", "--output-format", "quiet", "-c", str(job.connections)]
    words += ["-n", "1"] if job.once else ["-z", f"{int(job.seconds * 1000)}ms"]
    words += ["--disable-keepalive"] if job.closes else []
    words += [] if job.row.streams is None else ["--http2", "-p", str(job.row.streams)]
    words += [] if job.rate is None else ["-q", f"{job.rate:.0f}"]
    return Command([*words, job.url])


def rewrk(program: str, job: Job) -> Command:
    """One thread."""
    _plain(job)
    closed_only(job)
    words = [program, "-t1", "-c", str(job.connections), "-d", f"{job.whole_seconds}s"]
    words += ["-H", "Connection: close"] if job.closes else []
    return Command([*words, "-h", job.url])


def vegeta(program: str, job: Job) -> Command:
    """Its results go to /dev/null."""
    _plain(job)
    targets = job.file("vegeta.txt", f"GET {job.url}\n")
    some = str(job.connections)
    words = [program, "attack", "-targets", targets, "-output", "/dev/null", "-connections", some]
    if job.once:
        words += ["-rate", "1/s", "-duration", "1s"]
    elif job.rate is None:
        words += ["-rate", "0", "-max-workers", some, "-duration", f"{job.seconds:g}s"]
    else:
        words += ["-rate", f"{job.rate:.0f}/s", "-duration", f"{job.seconds:g}s"]
    return Command([*words, f"-keepalive={'false' if job.closes else 'true'}"])


def bombardier(program: str, job: Job) -> Command:
    """With its default client, fasthttp."""
    _plain(job)
    words = [program, "-p", "r", "-o", "j", "-c", str(job.connections)]
    words += ["-n", "1"] if job.once else ["-d", f"{job.whole_seconds}s"]
    words += ["-H", "Connection: close"] if job.closes else []
    words += [] if job.rate is None else ["-r", f"{job.rate:.0f}"]
    return Command([*words, job.url])


def hey(program: str, job: Job) -> Command:
    """Its rate is per worker."""
    _plain(job)
    words = [program, "-c", str(job.connections)]
    words += ["-n", "1"] if job.once else ["-z", f"{int(job.seconds * 1000)}ms"]
    words += ["-disable-keepalive"] if job.closes else []
    if job.rate is None:
        return Command([*words, job.url])
    words += ["-q", f"{job.rate / job.connections:.3f}"]
    return Command([*words, job.url], note="the rate is per connection, not of the whole load")


def k6(program: str, job: Job) -> Command:
    """A virtual user per connection, or arrivals at a rate."""
    _plain(job)
    if job.connections > USERS_LIMIT:
        raise CannotError("too many connections for a script engine each")
    length = f"{job.whole_seconds}s"
    users = {"executor": "constant-vus", "vus": job.connections, "duration": length}
    if job.once:
        users = {"executor": "shared-iterations", "vus": 1, "iterations": 1}
    elif job.rate is not None:
        users = {
            "executor": "constant-arrival-rate",
            "rate": max(1, round(job.rate)),
            "timeUnit": "1s",
            "duration": length,
            "preAllocatedVUs": job.connections,
        }
    options = as_json(
        {
            "discardResponseBodies": True,
            "noConnectionReuse": job.closes,
            "scenarios": {"load": {"gracefulStop": "1s", **users}},
        }
    )
    script = job.file("k6.js", _K6.format(options=options, url=job.url))
    quiet = ["--quiet", "--no-usage-report", "--summary-mode=disabled", "--log-format=raw"]
    return Command([program, "run", *quiet, script])


def autocannon(program: str, job: Job) -> Command:
    """One thread, no display."""
    words = [program, "--json", "--connections", str(job.connections)]
    words += ["--pipelining", str(job.row.burst)]
    words += ["--amount", "1"] if job.once else ["--duration", str(job.whole_seconds)]
    if job.row.calls and not job.server_closes:
        words += ["--reconnectRate", str(job.row.calls)]
    words += [] if job.rate is None else ["--overallRate", f"{job.rate:.0f}"]
    return Command([*words, job.url])


def locust(program: str, job: Job) -> Command:
    """Its fast client, one process."""
    _plain(job)
    if job.connections > USERS_LIMIT:
        raise CannotError("too many connections for a user object each")
    wait, note = "constant(0)", None
    if job.rate is not None:
        wait = f"constant_throughput({job.rate / job.connections:.3f})"
        note = "the rate is per connection, not of the whole load"
    script = _LOCUST.format(
        wait=wait,
        path=job.row.path,
        headers={"Connection": "close"} if job.closes else {},
        after="self.environment.runner.quit()" if job.once else "",
    )
    count = str(job.connections)
    words = [program, "-f", job.file("locustfile.py", script), "--headless", "--only-summary"]
    words += ["--host", f"http://{job.address}", "-u", count, "-r", count]
    words += ["-t", f"{job.whole_seconds}s", "--skip-log", "--loglevel", "CRITICAL"]
    return Command(words, note=note)


MODERN = (
    Tool("oha", "cargo", "oha", "oha", oha, http2=True),
    Tool("rewrk", "cargo", "rewrk", "rewrk", rewrk, has_once=False),
    Tool("vegeta", "go", "github.com/tsenart/vegeta/v12@v12.13.0", "vegeta", vegeta, version=()),
    Tool(
        "bombardier",
        "go",
        "github.com/codesenberg/bombardier@v1.2.6",
        "bombardier",
        bombardier,
        version=(),
    ),
    Tool("hey", "go", "github.com/rakyll/hey@v0.1.5", "hey", hey, version=()),
    Tool("k6", "go", "go.k6.io/k6@v1.8.1", "k6", k6, version=("version",)),
    Tool("autocannon", "npm", "autocannon@8.0.0", "autocannon", autocannon),
    Tool("locust", "pip", "locust==2.47.0", "locust", locust),
)
