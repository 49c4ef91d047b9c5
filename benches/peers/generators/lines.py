"""Command lines of httperf and ab, each run by the real tool and by httpdyno's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from peers.generators.job import CannotError, Command, Job, Row
from peers.generators.tool import Tool

LONG = 50_000
"""With fewer requests a run is too short for a rate."""


@dataclass(frozen=True)
class Line(Row):
    """A command line, which makes a known number of requests."""

    connections: int = 1
    tool: str = "ab"
    words: tuple[str, ...] = ()
    """`{host}`, `{port}` and `{address}` are the server's."""
    requests: int = 0
    paced: bool = False
    """The line offers a rate: what it reaches says nothing about the tool."""

    @property
    def shown(self) -> str:
        """The line as in a shell, on port 8080."""
        return f"{self.tool} {' '.join(_filled(self.words, 'localhost', '8080'))}"

    @property
    def has_rate(self) -> bool:
        """True if the line goes as fast as it can, and for long enough."""
        return not self.paced and self.requests >= LONG


def httperf(name: str, title: str, words: str, requests: int, paced: bool = False) -> Line:
    """A line of httperf against the bench's server."""
    given = (*words.split(), "--server={host}", "--port={port}")
    return Line(name, title, tool="httperf", words=given, requests=requests, paced=paced)


def ab(name: str, title: str, words: str, requests: int) -> Line:
    """A line of ab against the bench's server."""
    return Line(name, title, words=(*words.split(), "http://{address}/"), requests=requests)


_BUFFERS = "--send-buffer=4096 --recv-buffer=16384"
LINES = (
    httperf(
        "httperf-2012",
        "the line of 2012 (Tornado vs. Warp vs. Yesod)",
        f"--hog --client=0/1 --uri=/ --rate=1000 {_BUFFERS}"
        " --num-conns=100 --num-calls=100 --burst-length=20",
        10_000,
        paced=True,
    ),
    httperf(
        "httperf-2011",
        "the line of 2011 (Misultin, Mochiweb, Cowboy, NodeJS and Tornadoweb), its highest rate",
        f"--timeout=5 --client=0/1 --uri=/?value=benchmarks --rate=1200 {_BUFFERS}"
        " --num-conns=5000 --num-calls=10",
        50_000,
        paced=True,
    ),
    httperf(
        "httperf-2010",
        "the line of 2010 (Snap): a million requests, pipelined",
        "--hog --num-conns 1000 --num-calls 1000 --burst-length 20 --rate 1000 --uri=/pong",
        1_000_000,
    ),
    httperf(
        "httperf-2010-file",
        "the line of 2010 for Happstack: a connection per request of 50 KB",
        "--hog --num-conns 100000 --num-calls 1 --burst-length 1 --rate 10000"
        " --uri=/FiringGeometry.png",
        100_000,
        paced=True,
    ),
    ab("ab-2019", "the line of 2019 (Tornado vs. Starlette)", "-n 1000 -c 10", 1_000),
    ab("ab-close", "a connection per request, 10 at once", "-n 100000 -c 10", 100_000),
    ab("ab-keep", "keep-alive, 10 at once", "-k -n 400000 -c 10", 400_000),
    ab("ab-close-1000", "a connection per request, 1,000 at once", "-n 100000 -c 1000", 100_000),
    ab("ab-keep-1000", "keep-alive, 1,000 at once", "-k -n 400000 -c 1000", 400_000),
)
CLIMB_S = 2


def climbing(rate: int) -> Line:
    """The line of 2011 for a while at a rate of connections."""
    conns = CLIMB_S * rate
    words = f"--hog --timeout=5 --uri=/?value=benchmarks {_BUFFERS}"
    words += f" --rate={rate} --num-conns={conns} --num-calls=10"
    return httperf("climb", "", words, 10 * conns)


def _filled(words: tuple[str, ...], host: str, port: str) -> list[str]:
    places = {"{host}": host, "{port}": port, "{address}": f"{host}:{port}"}
    filled = []
    for given in words:
        word = given
        for place, value in places.items():
            word = word.replace(place, value)
        filled.append(word)
    return filled


_ONCE = {
    "httperf": httperf("once", "", "--num-conns=1 --num-calls=1 --uri=/pong", 1),
    "ab": ab("once", "", "-n 1 -c 1", 1),
}


def _command(kind: str, *before: str) -> Callable[[str, Job], Command]:
    def of(program: str, job: Job) -> Command:
        line = _ONCE[kind] if job.once else job.row
        if not isinstance(line, Line) or line.tool != kind:
            raise CannotError(f"a line of {getattr(line, 'tool', 'another tool')}")
        return Command([program, *before, *_filled(line.words, job.host, job.port)])

    return of


OURS = {"httperf": "httpdyno httperf", "ab": "httpdyno ab"}
"""The real tool's name → the name of ours."""
TOOLS = (
    Tool("httperf", "apt", "httperf", "httperf", _command("httperf")),
    Tool("httpdyno httperf", "ours", "httpdyno", "httpdyno", _command("httperf", "httperf")),
    Tool("ab", "apt", "apache2-utils", "ab", _command("ab"), version=("-V",)),
    Tool("httpdyno ab", "ours", "httpdyno", "httpdyno", _command("ab", "ab")),
)
