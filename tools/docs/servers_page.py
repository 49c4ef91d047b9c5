"""Writes docs/reference/servers.md from the catalogue and docs/reference/conformance.json."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from httpdyno.servers import Server
from httpdyno.servers.check.record import Book, Entry, latest

__all__ = ["servers_page"]

_MARKS = {"yes": "yes", "no": "**no**", "partly": "*partly*"}
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
Every server that the five posts and their readers name, and some that people would pick today. Each
is one folder with a `server.toml` ([how to add one](../guides/add-a-server.md)); `httpdyno servers
show NAME` tells all about one. Production settings come from each server's own documentation;
nothing is tuned for the benchmark.
"""

_HABITS = """\
What `httpdyno servers check` saw each deployment do; no habit is right or wrong for a measurement
by itself, but a load that needs what a server cannot do is refused for it. What was seen, word for
word, is in [conformance.json](conformance.json).

- **keep-alive**: 50 requests on one connection. **closes**: ends it when asked to.
- **2 piped**, **10 piped**: so many requests in one packet, all answered.
- **1.0**, **1.0 k-a**: HTTP/1.0 without and with `Connection: keep-alive`; *partly* for one that
  keeps the connection open without saying so, which `ab -k` does not count.
- **HEAD**: no body. **404**: an unknown path. **split**: a request that comes byte by byte.
- **100**: `Expect: 100-continue` is answered at once, with 100 or with a final status.
- **oversized**: a header of 64 KiB is answered, or refused, or the connection closed: not hung.
- **absolute**: `GET http://host/path`, as proxies send it.
- **stop**: its processes end by themselves in the declared time; **no** for one that was killed.
"""


def servers_page(servers: Sequence[Server], book: Book | None, note: str) -> str:
    """The whole page."""
    parts = [
        "# The servers",
        note,
        _INTRODUCTION,
        _list(servers, book),
        *_absent(servers),
        *(_conformance(book) if book is not None else ()),
        *_answers(book),
        "## Settings\n\nEach that differs from the server's default, why, and where its own "
        "documentation describes it.",
        *_settings(servers),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _list(servers: Sequence[Server], book: Book | None) -> str:
    versions = {entry.server: entry.version for entry in book.entries} if book else {}
    rows = [
        _row(
            f"[{server.name}]({server.homepage})",
            server.title,
            versions.get(server.name, "–"),
            server.language,
            "yes" if server.maintained else "**no**",
            server.licence,
            server.concurrency,
            ", ".join(server.posts),
        )
        for server in servers
        if server.unavailable is None
    ]
    heads = ("name", "server", "version", "language", "maintained", "licence")
    return _table((*heads, "concurrency", "posts"), rows)


def _absent(servers: Sequence[Server]) -> Iterator[str]:
    rows = [
        _row(f"[{server.name}]({server.homepage})", ", ".join(server.posts), server.unavailable)
        for server in servers
        if server.unavailable is not None
    ]
    if rows:
        yield "## Servers that cannot be had\n\nNamed by a post or its readers; rows that say why."
        yield _table(("name", "posts", "why"), rows)


def _conformance(book: Book) -> Iterator[str]:
    yield "## How they speak HTTP"
    yield _HABITS
    yield f"Seen on {latest(book.entries)}, on {book.machine}."
    names = list(dict.fromkeys(name for entry in book.entries for name in entry.habits))
    heads = [_SHORT.get(name, name) for name in names]
    yield _table(("server", "deployments", *heads), list(_habits(book.entries, names)))
    if book.failures:
        yield "Not checked on that machine: " + "; ".join(
            f"`{name}` ({why})" for name, why in sorted(book.failures.items())
        )


def _habits(entries: Sequence[Entry], names: Sequence[str]) -> Iterator[str]:
    """A row for each server, or for each group of its deployments that are alike."""
    groups: dict[tuple[str, ...], list[str]] = {}
    deployments = Counter(entry.server for entry in entries)
    for entry in entries:
        seen = (_MARKS[entry.habits[name][0]] if name in entry.habits else "" for name in names)
        groups.setdefault((entry.server, *seen), []).append(entry.deployment)
    for (server, *marks), alike in groups.items():
        every = len(alike) == deployments[server]
        yield _row(server, "all" if every else ", ".join(alike), *marks)


def _answers(book: Book | None) -> Iterator[str]:
    """Answers that the contract records and does not require, where they were not the contract's:
    of the first deployment, for the others answer alike."""
    rows = []
    seen: set[tuple[str, str]] = set()
    for entry in book.entries if book else ():
        for row in entry.differs:
            if (entry.server, row.request) not in seen:
                seen.add((entry.server, row.request))
                rows.append(_row(entry.server, f"`{row.request}`", row.why, row.detail))
    if rows:
        yield (
            "## Hard values\n\nWhat a server answers to a harder value of the echo workload is "
            "recorded, not required: these answer otherwise than the contract says."
        )
        yield _table(("server", "request", "the contract", "what came"), rows)


def _settings(servers: Sequence[Server]) -> Iterator[str]:
    for server in servers:
        if server.settings:
            rows = [_row(f"`{one.what}`", one.why, one.source) for one in server.settings]
            yield f"### {server.name}"
            yield _table(("setting", "why", "source"), rows)


def _table(headings: Sequence[str], rows: Sequence[str]) -> str:
    return "\n".join([_row(*headings), "| " + " | ".join("---" for _ in headings) + " |", *rows])


def _row(*cells: str | None) -> str:
    return "| " + " | ".join((cell or "").replace("|", "\\|") for cell in cells) + " |"
