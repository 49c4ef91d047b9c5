"""The bare limit, the engine alone, and the whole command."""

from __future__ import annotations

from httpdyno.engine_plan import EnginePlan, to_json
from httpdyno.engine_plan.reading import read

from peers.generators.job import CannotError, Command, Job
from peers.generators.tool import Tool


def limit(program: str, job: Job) -> Command:
    """The bare limit on `io_uring`: `benches/limit`."""
    row = job.row
    if job.server_closes:
        raise CannotError("only counts bytes, but the last reply of a connection is longer")
    seconds = 0.001 if job.once else job.seconds
    numbers = [str(job.connections), str(row.burst), f"{seconds:g}"]
    if row.calls is not None and not job.once:
        numbers.append(str(row.calls))
    if job.rate is not None:
        numbers += ["--rate", f"{job.rate:.0f}"]
    return Command([program, job.address, row.path, *numbers])


def engine(program: str, job: Job) -> Command:
    """The compiled engine, its plan on standard input."""
    return Command([program], stdin=job.file("plan.json", to_json(plan(job))))


def plan(job: Job) -> EnginePlan:
    """The job as a plan of the engine."""
    load: dict[str, object] = {"kind": "closed", "connections": job.connections}
    if job.rate is not None:
        segment = {"from_per_s": job.rate, "to_per_s": job.rate}
        load |= {"kind": "requests", "arrivals": {"segments": [segment]}}
    stop = {"count": 1} if job.once else {"duration_s": job.seconds}
    # Like the other tools: accept any certificate.
    tls = {"insecure": True, "resume": False} if job.row.tls else None
    return read(
        {
            "target": {"host": job.host, "port": int(job.port), "tls": tls},
            "http": "1.1" if job.row.streams is None else "2",
            "http2": None if job.row.streams is None else {"streams": job.row.streams},
            "requests": [{"path": job.row.path}],
            "load": load,
            "calls_per_connection": None if job.server_closes else job.row.calls,
            "burst": job.row.burst,
            "stop": stop,
        }
    )


def whole_command(program: str, job: Job) -> Command:
    """`httpdyno load`, with its interpreter."""
    row = job.row
    words = [program, "load", job.url, "--connections", str(job.connections), "--quiet"]
    words += ["--requests", "1"] if job.once else ["--duration", f"{job.seconds:g}s"]
    if row.calls is not None and not job.server_closes:
        words += ["--calls-per-connection", str(row.calls)]
    if row.burst > 1:
        words += ["--burst", str(row.burst)]
    if job.rate is not None:
        words += ["--rate", f"{job.rate:.0f}"]
    if row.streams is not None:
        words += ["--http", "2", "--streams", str(row.streams)]
    if row.tls:
        words += ["--insecure", "--no-resume"]
    return Command(words)


OURS = (
    Tool("limit", "ours", "limit", "limit", limit, version=()),
    Tool("httpdyno", "ours", "engine", "run_plan", engine, version=(), tls=True, http2=True),
    Tool("httpdyno-load", "ours", "httpdyno", "httpdyno", whole_command, tls=True, http2=True),
)
