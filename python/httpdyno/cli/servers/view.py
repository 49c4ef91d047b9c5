"""Output of `httpdyno servers list` and `show`: tables, or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from httpdyno.cli.table import borderless_table, facts
from httpdyno.cli.text import DASH, escape_text, markup_console, print_json
from httpdyno.servers import Conformance, Deployment, Installation, Server

__all__ = ["show_list", "show_one"]


def show_list(rows: Sequence[tuple[Server, Installation | None]], *, as_json: bool) -> None:
    """Show the catalogue."""
    if as_json:
        print_json([_server_json(server, done) for server, done in rows])
        return
    lines = [
        (
            server.name,
            server.language or DASH,
            server.tier or DASH,
            _status(server, done),
            " ".join(server.deployments),
        )
        for server, done in rows
    ]
    paper = markup_console()
    paper.print(borderless_table(("name", "language", "tier", "status", "deployments"), lines))
    for server, _ in rows:
        if server.unavailable is not None:
            paper.print(f"\n{server.name} is unavailable: {escape_text(server.unavailable)}")


def _status(server: Server, done: Installation | None) -> str:
    """The installed version, and what keeps others from using the server."""
    found = []
    if done is not None:
        found.append(done.version.split()[0] if done.version else "installed")
    if server.unavailable is not None:
        found.append("unavailable")
    elif server.maintained is False:
        found.append("unmaintained")
    return "\n".join(found) or DASH


def _maintenance(server: Server) -> str:
    return {True: "yes", False: "no", None: DASH}[server.maintained]


def show_one(
    server: Server, done: Installation | None, checks: Sequence[Conformance], *, as_json: bool
) -> None:
    """Show everything about one server."""
    if as_json:
        checked = [{**one.model_dump(mode="json"), "ok": one.ok} for one in checks]
        print_json({**_server_json(server, done), "checks": checked})
        return
    paper = markup_console()
    title = "" if server.title == server.name else f": {escape_text(server.title)}"
    paper.print(f"[bold]{server.name}[/bold]{title}\n")
    known = dict(_facts(server))
    paper.print(facts(known.items()))
    width = max(map(len, known))
    for label, value in _places(server, done):
        _print_whole(paper, f"[dim]{label:<{width}}[/dim]  {escape_text(value)}")
    for block in (_deployments(server), _checks(checks)):
        if block is not None:
            paper.print()
            paper.print(block)
    _print_settings(paper, server)


def _print_whole(paper: Console, text: str) -> None:
    """Print a line with a path or an address in it, which must stay in one piece to be copied."""
    paper.print(text, soft_wrap=True)


def _places(server: Server, done: Installation | None) -> Iterator[tuple[str, str]]:
    if done is not None:
        yield "installed", f"{done.version} in {done.prefix}" if done.version else str(done.prefix)
    elif server.unavailable is None:
        yield "installed", "no"
    yield "declared in", str(server.folder / "server.toml")


def _facts(server: Server) -> Iterator[tuple[str, str]]:
    yield "language", server.language or DASH
    yield "homepage", server.homepage or DASH
    yield "licence", server.licence or DASH
    yield "maintained", _maintenance(server)
    yield "concurrency", server.concurrency or DASH
    yield "tier", server.tier or DASH
    yield "posts", ", ".join(server.posts) or DASH
    if server.unavailable is not None:
        yield "unavailable", server.unavailable
        return
    yield "workloads", " ".join(server.workloads)
    for variable, what in server.install.needs.items():
        yield f"needs {variable}", what
    for capability, reason in server.cannot.items():
        yield f"no {capability}", reason
    yield "memory limit", f"{server.limits.memory_mb:,} MiB"


def _deployments(server: Server) -> Table | None:
    rows = [(name, str(one.cores), _about(one)) for name, one in server.deployments.items()]
    return borderless_table(("deployment", "cores", "description"), rows) if rows else None


def _about(one: Deployment) -> str:
    lines = [one.description]
    if one.most_connections is not None:
        lines.append(f"serves at most {one.most_connections} connections at once")
    if one.workloads is not None:
        lines.append(f"only {' '.join(one.workloads)}")
    lines += [f"no {capability}: {reason}" for capability, reason in one.cannot.items()]
    return "\n".join(filter(None, lines))


def _checks(checks: Sequence[Conformance]) -> Table | None:
    rows = []
    for one in checks:
        lacking = [probe.name for probe in one.probes if probe.answer != "yes"]
        when = f"{one.deployment}, {one.checked_at.partition('T')[0]}"
        rows.append((when, "right" if one.ok else "wrong", "\n".join(lacking) or DASH))
    return (
        borderless_table(("last check", "answers", "HTTP probes not passed"), rows)
        if rows
        else None
    )


def _print_settings(paper: Console, server: Server) -> None:
    if server.settings:
        paper.print("\n[dim]settings that differ from the server's defaults[/dim]")
    for setting in server.settings:
        paper.print(escape_text(setting.what))
        paper.print(Padding(escape_text(setting.why), (0, 0, 0, 2)))
        _print_whole(paper, f"  {escape_text(setting.source)}")


def _server_json(server: Server, done: Installation | None) -> dict[str, object]:
    declared = server.model_dump(
        mode="json",
        include={
            *("name", "title", "language", "homepage", "licence", "maintained", "concurrency"),
            *("tier", "posts", "unavailable", "workloads", "settings", "cannot"),
        },
    )
    return {
        **declared,
        "installed": None if done is None else done.version,
        "deployments": {name: one.description for name, one in server.deployments.items()},
        "file": str(server.folder / "server.toml"),
    }
