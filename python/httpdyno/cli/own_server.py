"""A server of the user's own without a server.toml: `--url`, or `--command` with other flags."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from httpdyno.address import parse_server
from httpdyno.cli.load.arguments.own_workload import StudyWorkload, read_workload
from httpdyno.cli.load.arguments.request_flags import StudyRequestFlags
from httpdyno.cli.values import Values
from httpdyno.output.echo import echo
from httpdyno.output.printable import printable

__all__ = ["PAGE", "OwnServer", "check_commands", "read_own_server"]

PAGE = "page"
"""The workload of one path."""


@dataclass(frozen=True)
class OwnServer:
    """The server of a study's only arm, and what it is asked."""

    arms: list[dict[str, Any]]
    """The keys of its arm; empty: no flag names a server."""
    workload: StudyWorkload


def read_own_server(
    values: Values,
    requests: StudyRequestFlags,
    url: str | None,
    command: str | None,
    *,
    build: str | None = None,
    arms: Collection[str] = (),
    elsewhere: StudyWorkload | None = None,
) -> OwnServer:
    """The server of `--url` or `--command`, else that of the URLs of a list. Faults are collected.
    `arms`: the other servers that are named; `elsewhere`: requests that are not of the flags."""
    from httpdyno.study.own.arms import own_arm

    chosen = {"arms": arms, "`--url`": url, "`--command`": command}
    given = [name for name, value in chosen.items() if value]
    if len(given) > 1:
        values.faults.add(f"{' and '.join(given)} exclude each other: expected one of them")
    if build is not None and command is None:
        values.faults.add("`--build` applies only to `--command`: expected both")
    if requests.path is not None and url is not None:
        values.faults.add("`--path` and `--url` exclude each other: a URL has its own path")
    address = values.read("--url", url, parse_server)
    workload = elsewhere or read_workload(requests, values, address)
    if elsewhere is not None:
        if address is not None and address.path != "/":
            values.faults.add(f"`--url {url}` has a path, but the requests have their own")
    elif workload.requests and not workload.has_grpc and not set(requests.given) - {"--path"}:
        workload = _page(workload.requests[0]["path"])
    at = None if arms else address or workload.server
    if command is not None:
        return OwnServer([own_arm("mine", start=command, build=build)], workload)
    return OwnServer([] if at is None else [own_arm("mine", url=at.origin)], workload)


def _page(path: str) -> StudyWorkload:
    """A page of which any reply with status 200 is right, as it is written into a study."""
    return StudyWorkload(PAGE, {"requests": [{"path": path, "expect": {"status": 200}}]})


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
