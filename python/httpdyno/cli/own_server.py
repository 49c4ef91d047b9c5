"""A server of the user's own without a server.toml: `--url`, or `--command` with other flags."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from httpdyno.address import parse_url
from httpdyno.cli.values import Values, url_path
from httpdyno.output.echo import echo
from httpdyno.output.printable import printable

__all__ = ["check_commands", "read_own_server"]


def read_own_server(
    values: Values,
    url: str | None,
    command: str | None,
    path: str | None,
    *,
    build: str | None = None,
    arms: Collection[str] = (),
) -> dict[str, Any]:
    """The keys of its study: one arm, and a page of which any 200 is a right reply. Empty without
    these flags. Faults are collected. `arms`: the other servers that are named."""
    chosen = {"arms": arms, "`--url`": url, "`--command`": command}
    given = [name for name, value in chosen.items() if value]
    if len(given) > 1:
        values.faults.add(f"{' and '.join(given)} exclude each other: expected one of them")
    if build is not None and command is None:
        values.faults.add("`--build` applies only to `--command`: expected both")
    if path is not None and command is None:
        values.faults.add("`--path` applies only to `--command`: a URL has its own")
    address = values.read("--url", url, parse_url)
    path = values.read("--path", path, url_path) or "/"
    arm: dict[str, str | None] = {"start": command, "build": build}
    if address is not None:
        arm, path = {"url": address.origin}, address.path
    elif command is None:
        return {}
    page = {"requests": [{"path": path, "expect": {"status": 200}}]}
    return {"arms": [{"name": "mine", **arm}], "workloads": {"page": page}}


def check_commands(arm: Mapping[str, str | None]) -> None:
    """Warns of a command without `{port}`. Raises UsageError for one that needs a shell, or has a
    placeholder that there is not."""
    from httpdyno.servers.declaration.own import server_from_command, without_port, words

    start, build = arm.get("start"), arm.get("build")
    if start is not None:
        words("--command", start)
    if build is not None:
        words("--build", build)
    if start is not None:
        server_from_command("--command", start, build=build)
        if (warning := without_port("--command", start, {})) is not None:
            echo(f"warning: {printable(warning)}", err=True)
