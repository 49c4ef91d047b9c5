"""Writes docs/reference/servers.md from the catalogue and docs/reference/conformance.json."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from httpdyno.output.markdown_text import table
from httpdyno.servers import Server
from httpdyno.servers.check.results import CheckResults, DeploymentResult, latest

__all__ = ["servers_page"]

_MARKS = {"yes": "yes", "no": "**no**", "partly": "*partly*"}
_MAINTAINED = {True: "yes", False: "**no**", None: "–"}
_SHORT = {
    "keep-alive": "keep-alive",
    "closes when asked": "closes",
    "pipelining, 2": "2 piped",
    "pipelining, 10": "10 piped",
    "HTTP/1.0": "1.0",
    "HTTP/1.0 keep-alive": "1.0 k-a",
    "HEAD": "HEAD",
    "404": "404",
    "request in single bytes": "split",
    "100-continue": "100",
    "oversized header": "oversized",
    "absolute-form URI": "absolute",
    "graceful stop": "stop",
}

_INTRODUCTION = """\
Servers that people choose today, and all that the five replayed posts and their readers name. The
tier says who chooses one for something new: `today` many, `niche` few, `history` nobody. Each is a
folder with a `server.toml` ([how to add one](../guides/add-a-server.md)), which
`httpdyno servers show NAME` shows. Production settings come from each server's own documentation;
nothing is tuned for the benchmark.
"""

_PROBES = """\
Results of the HTTP probes of `httpdyno servers check`. A server that fails one can be measured,
except with a load that needs the missing feature. [conformance.json](conformance.json) has the
details of each result.

- **keep-alive**: 50 requests on one connection. **closes**: `Connection: close` is obeyed.
- **2 piped**, **10 piped**: 2 and 10 pipelined requests in one packet are all answered.
- **1.0**, **1.0 k-a**: HTTP/1.0 without and with `Connection: keep-alive`; *partly* for a server
  that keeps the connection open without announcing it, which `ab -k` does not count.
- **HEAD**: no body. **404**: an unknown path. **split**: a request that arrives byte by byte.
- **100**: `Expect: 100-continue` is answered at once, with 100 or with a final status.
- **oversized**: a header of 64 KiB is answered or refused, or the connection is closed.
- **absolute**: `GET http://host/path`, the absolute form of proxies, is answered.
- **stop**: all processes exit by themselves within the declared grace period; **no**: killed.
"""


def servers_page(servers: Sequence[Server], results: CheckResults | None, note: str) -> str:
    """The whole page."""
    parts = [
        "# The servers",
        note,
        _INTRODUCTION,
        _list(servers, results),
        *_needing(servers),
        *_absent(servers),
        *(_conformance(results) if results is not None else ()),
        *_answers(results),
        "## Settings\n\nSettings that differ from the server's defaults, with the reason and the "
        "documentation.",
        *_settings(servers),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _list(servers: Sequence[Server], results: CheckResults | None) -> str:
    versions = {entry.server: entry.version for entry in results.entries} if results else {}
    rows = [
        (
            f"[{server.name}]({server.homepage})",
            server.title,
            versions.get(server.name, "–"),
            server.language,
            _MAINTAINED[server.maintained],
            server.licence,
            server.concurrency,
            server.tier or "–",
            ", ".join(server.posts),
        )
        for server in servers
        if server.unavailable is None
    ]
    heads = ("name", "server", "version", "language", "maintained", "licence")
    return table((*heads, "concurrency", "tier", "posts"), rows)


def _needing(servers: Sequence[Server]) -> Iterator[str]:
    rows = [
        (f"`{server.name}`", f"`{variable}`", f"{what[0].upper()}{what[1:]}")
        for server in servers
        for variable, what in server.install.needs.items()
    ]
    if rows:
        yield (
            "## Servers that need your own copy\n\nIn no package registry of the catalogue. The "
            "variable must be set when the server is installed, checked or measured."
        )
        yield table(("name", "variable", "value"), rows)


def _absent(servers: Sequence[Server]) -> Iterator[str]:
    rows = [
        (f"[{server.name}]({server.homepage})", ", ".join(server.posts), server.unavailable)
        for server in servers
        if server.unavailable is not None
    ]
    if rows:
        yield "## Unavailable servers\n\nNamed by a post or its readers, but not installable here."
        yield table(("name", "posts", "why"), rows)


def _conformance(results: CheckResults) -> Iterator[str]:
    yield "## HTTP conformance"
    yield _PROBES
    yield f"Checked on {latest(results.entries)}, on {results.machine}."
    names = list(dict.fromkeys(name for entry in results.entries for name in entry.probes))
    over_2 = [name for name in names if name.startswith("HTTP/2 ")]
    for those in ([name for name in names if name not in over_2], over_2):
        entries = [entry for entry in results.entries if entry.probes.keys() & those]
        heads = [_SHORT.get(name, name) for name in those]
        if those:
            yield table(("server", "deployments", *heads), _conformance_rows(entries, those))
    if results.failures:
        yield "Not checked on that machine: " + "; ".join(
            f"`{name}` ({why})" for name, why in sorted(results.failures.items())
        )


def _conformance_rows(
    entries: Sequence[DeploymentResult], names: Sequence[str]
) -> Iterator[Sequence[str]]:
    """One row per server, or per group of its deployments with equal results."""
    groups: dict[tuple[str, ...], list[str]] = {}
    deployments = Counter(entry.server for entry in entries)
    for entry in entries:
        seen = (_MARKS[entry.probes[name][0]] if name in entry.probes else "" for name in names)
        groups.setdefault((entry.server, *seen), []).append(entry.deployment)
    for (server, *marks), alike in groups.items():
        every = len(alike) == deployments[server]
        yield server, "all" if every else ", ".join(alike), *marks


def _answers(results: CheckResults | None) -> Iterator[str]:
    """Answers that differ from the contract where it only records them; of the first deployment,
    because the others answer alike."""
    rows = []
    seen: set[tuple[str, str]] = set()
    for entry in results.entries if results else ():
        for row in entry.differs:
            if (entry.server, row.request) not in seen:
                seen.add((entry.server, row.request))
                rows.append((entry.server, f"`{row.request}`", row.why, row.detail))
    if rows:
        yield (
            "## Hard values\n\nThe contract only records the answers to unusual values of the echo "
            "workload. These answers differ from it."
        )
        yield table(("server", "request", "contract", "answer"), rows)


def _settings(servers: Sequence[Server]) -> Iterator[str]:
    for server in servers:
        if server.settings:
            rows = [(f"`{one.what}`", one.why, one.source) for one in server.settings]
            yield f"### {server.name}"
            yield table(("setting", "why", "source"), rows)
