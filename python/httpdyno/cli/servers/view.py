"""What `httpdyno servers list` and `show` print: tables for people, JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.markup import escape
from rich.table import Table

from httpdyno.cli.servers.tables import console, print_json, table
from httpdyno.servers import Conformance, Installation, Server

__all__ = ["show_list", "show_one"]

_NONE = "–"  # the dash of an empty cell


def show_list(rows: Sequence[tuple[Server, Installation | None]], *, as_json: bool) -> None:
    """The catalogue."""
    if as_json:
        print_json([_server_json(server, done) for server, done in rows])
        return
    shown = table("name", "language", "maintained", "installed", "deployments")
    for server, done in rows:
        absent = server.unavailable
        shown.add_row(
            server.name,
            server.language or _NONE,
            _maintained(server),
            _installed(done),
            " ".join(server.deployments) if absent is None else _cannot_be_had(absent),
        )
    console().print(shown)


def _maintained(server: Server) -> str:
    return {True: "yes", False: "no", None: _NONE}[server.maintained]


def _installed(done: Installation | None) -> str:
    """The first word of its version; `yes` for a server that declares none."""
    if done is None:
        return _NONE
    return escape(done.version.split()[0]) if done.version else "yes"


def _cannot_be_had(why: str) -> str:
    return f"[dim]cannot be had: {escape(why)}[/dim]"


def show_one(
    server: Server, done: Installation | None, checks: Sequence[Conformance], *, as_json: bool
) -> None:
    """All about one server."""
    if as_json:
        checked = [{**one.model_dump(mode="json"), "ok": one.ok} for one in checks]
        print_json({**_server_json(server, done), "checks": checked})
        return
    paper = console()
    paper.print(f"[bold]{server.name}[/bold]: {escape(server.title)}")
    facts = table("", "")
    facts.show_header = False
    for label, value in _facts(server, done):
        facts.add_row(f"[dim]{label}[/dim]", escape(value))
    paper.print(facts)
    for block in (_deployments(server), _settings(server), _checks(checks)):
        if block is not None:
            paper.print()
            paper.print(block)


def _facts(server: Server, done: Installation | None) -> Iterator[tuple[str, str]]:
    yield "language", server.language or _NONE
    yield "homepage", server.homepage or _NONE
    yield "licence", server.licence or _NONE
    yield "maintained", _maintained(server)
    yield "concurrency", server.concurrency or _NONE
    yield "posts", ", ".join(server.posts) or _NONE
    if server.unavailable is not None:
        yield "cannot be had", server.unavailable
        return
    yield "workloads", " ".join(server.workloads)
    for variable, what in server.install.needs.items():
        yield "needs", f"{variable}: {what}"
    for capability, reason in server.cannot.items():
        yield f"no {capability}", reason
    yield "memory cap", f"{server.limits.memory_mb:,} MiB"
    yield "installed", f"{done.version or 'yes,'} in {done.prefix}" if done else "no"
    yield "described in", str(server.folder / "server.toml")


def _deployments(server: Server) -> Table | None:
    if not server.deployments:
        return None
    shown = table("deployment", "cores", "what it is")
    for name, one in server.deployments.items():
        lines = [one.description]
        if one.most_connections is not None:
            lines.append(f"serves at most {one.most_connections} connections at once")
        if one.workloads is not None:
            lines.append(f"only {' '.join(one.workloads)}")
        lines += [f"no {capability}: {reason}" for capability, reason in one.cannot.items()]
        shown.add_row(name, str(one.cores), escape("\n".join(lines)))
    return shown


def _settings(server: Server) -> Table | None:
    if not server.settings:
        return None
    shown = table("setting", "why, and where it is described")
    for setting in server.settings:
        shown.add_row(escape(setting.what), escape(f"{setting.why}\n{setting.source}"))
    return shown


def _checks(checks: Sequence[Conformance]) -> Table | None:
    if not checks:
        return None
    shown = table("last check", "answers", "habits it lacks")
    for one in checks:
        lacking = [habit.name for habit in one.behaviour if habit.answer != "yes"]
        when = one.checked_at.partition("T")[0]
        answers = "right" if one.ok else "wrong"
        shown.add_row(f"{one.deployment}, {when}", answers, escape(", ".join(lacking)) or _NONE)
    return shown


def _server_json(server: Server, done: Installation | None) -> dict[str, object]:
    declared = server.model_dump(
        mode="json",
        include={
            *("name", "title", "language", "homepage", "licence", "maintained", "concurrency"),
            *("posts", "unavailable", "workloads", "settings", "cannot"),
        },
    )
    return {
        **declared,
        "installed": None if done is None else done.version,
        "deployments": {name: one.description for name, one in server.deployments.items()},
        "file": str(server.folder / "server.toml"),
    }
