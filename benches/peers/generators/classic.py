"""The tools written in C: wrk, httperf, ab, h2load, siege; and those that must be built by hand."""

from __future__ import annotations

from peers.generators.job import (
    CannotError,
    Command,
    Job,
    closed_only,
    keep_alive_only,
    no_pipelining,
)
from peers.generators.tool import Tool

SELECT_LIMIT = 1000  # httperf uses select(2), which is limited to 1,024 descriptors
THREADS_LIMIT = 1000  # siege has a thread per connection

_PIPELINE = """init = function() bytes = string.rep(wrk.format(), {burst}) end
request = function() return bytes end
"""
_CLOSE_SOMETIMES = """init = function()
  keep = wrk.format()
  local headers = {{ ["Connection"] = "close", ["Host"] = wrk.headers["Host"] }}
  close = wrk.format("GET", nil, headers)
  count = 0
end
request = function()
  count = count + 1
  if count % {calls} == 0 then return close end
  return keep
end
"""


def wrk(program: str, job: Job) -> Command:
    """One thread; scripts for pipelining and for closing connections."""
    closed_only(job)
    words = [program, "-t1", f"-c{job.connections}", f"-d{job.whole_seconds}s"]
    note = None
    if job.row.burst > 1:
        words += ["-s", job.file("wrk.lua", _PIPELINE.format(burst=job.row.burst))]
    if job.closes:
        words += ["-H", "Connection: close"]
    elif job.row.calls and not job.server_closes:
        words += ["-s", job.file("wrk.lua", _CLOSE_SOMETIMES.format(calls=job.row.calls))]
        note = "10 calls per connection on average: a script closes after every tenth reply"
    return Command([*words, job.url], note=note)


def wrk2(program: str, job: Job) -> Command:
    """Like wrk, but always at a rate."""
    if job.rate is None:
        raise CannotError("needs a rate")
    shape = ["-t1", f"-c{job.connections}", f"-d{job.whole_seconds}s", f"-R{job.rate:.0f}"]
    return Command([program, *shape, job.url])


def zrk(program: str, job: Job) -> Command:
    """A successor of wrk2 with the same options."""
    return wrk2(program, job)


def gcannon(program: str, job: Job) -> Command:
    """A closed loop on io_uring."""
    closed_only(job)
    words = [program, job.url, "-c", str(job.connections), "-t", "1"]
    words += ["-d", f"{job.whole_seconds}s", "-p", str(job.row.burst)]
    if job.row.calls and not job.server_closes:
        words += ["-r", str(job.row.calls)]
    return Command(words)


def ab(program: str, job: Job) -> Command:
    """HTTP/1.0; `-k` for keep-alive."""
    closed_only(job)
    keep_alive_only(job)
    no_pipelining(job)
    keep = [] if job.closes else ["-k"]
    if job.once:
        return Command([program, "-q", "-n", "1", "-c", "1", job.url])
    # -t sets -n to 50,000, so a larger -n follows it
    until = ["-t", str(job.whole_seconds), "-n", str(1_000_000 * job.whole_seconds)]
    return Command([program, "-q", *keep, "-c", str(job.connections), *until, job.url])


def h2load(program: str, job: Job) -> Command:
    """With `--h1` unless the row is HTTP/2; its rate is per connection."""
    keep_alive_only(job)
    if job.closes:
        raise CannotError("ends when the server closes a connection")
    if job.server_closes:
        raise CannotError("does not reconnect")
    at_once = job.row.burst if job.row.streams is None else job.row.streams
    words = [program, *(["--h1"] if job.row.streams is None else [])]
    words += ["-t1", f"-c{job.connections}", f"-m{at_once}"]
    words += ["-n1"] if job.once else [f"-D{max(1, int(job.seconds * 1000))}ms"]
    note = None
    if job.rate is not None:
        words.append(f"--rps={job.rate / job.connections:.3f}")
        note = "the rate is per connection: requests leave together, with one wake-up for many"
    return Command([*words, job.url], note=note)


def httperf(program: str, job: Job) -> Command:
    """Connections at a rate, with a number of calls on each."""
    row = job.row
    if job.rate is not None:
        raise CannotError("paces connections, not requests on keep-alive connections")
    if row.calls is not None:
        raise CannotError("opens connections at a rate, not when one is closed")
    if job.connections > SELECT_LIMIT:
        raise CannotError("cannot use more than 1,024 descriptors")
    calls = str(max(row.burst, job.count // job.connections))
    words = [program, "--hog", f"--server={job.host}", f"--port={job.port}", f"--uri={row.path}"]
    words += ["--rate=10000"]
    if row.burst > 1:
        words += [f"--wsess={job.connections},{calls},0", f"--burst-length={row.burst}"]
    else:
        words += [f"--num-conns={job.connections}", f"--num-calls={calls}"]
    return Command(words)


def siege(program: str, job: Job) -> Command:
    """In benchmark mode, without pauses."""
    closed_only(job)
    keep_alive_only(job)
    no_pipelining(job)
    if job.connections > THREADS_LIMIT:
        raise CannotError("has a thread for each connection")
    kept = "close" if job.closes else "keep-alive"
    lines = [f"connection = {kept}", f"limit = {THREADS_LIMIT}", "parser = false", "quiet = true"]
    settings = job.file("siege.conf", "\n".join([*lines, "logging = false", ""]))
    until = ["-r", "1"] if job.once else ["-t", f"{job.whole_seconds}S"]
    words = [program, "-R", settings, "-b", "-q", "-c", str(job.connections), *until]
    return Command([*words, job.url])


CLASSIC = (
    Tool("wrk", "apt", "wrk", "wrk", wrk, version=("-v",), has_once=False, tls=True),
    Tool("ab", "apt", "apache2-utils", "ab", ab, version=("-V",), tls=True),
    Tool("httperf", "apt", "httperf", "httperf", httperf),
    Tool("h2load", "apt", "nghttp2-client", "h2load", h2load, tls=True, http2=True),
    Tool("siege", "apt", "siege", "siege", siege),
    Tool("gcannon", "path", "gcannon", "gcannon", gcannon, has_once=False),
    Tool("zrk", "path", "zrk", "zrk", zrk, has_once=False),
    Tool("wrk2", "path", "wrk2", "wrk2", wrk2, version=("-v",), has_once=False),
)
