"""Starts the processes of a cluster on other machines by SSH.

The certificates go through the standard input of the remote shell, and stay in the memory of the
process: no command line and, on Linux, no file on a disk there has them.
"""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from httpdyno.errors import NodeFault
from httpdyno.output.printable import printable_lines
from httpdyno.scale.joining.certificates import Pems
from httpdyno.scale.joining.settings import extra_missing

__all__ = ["Remote", "pems_of_text", "start_all"]

CONNECT_S = 15.0
START_S = 20.0
_MOST_TEXT = 2000
_MOST_PEMS = 1 << 20

_SCRIPT = """\
log="${{HTTPDYNO_STATE:-${{XDG_STATE_HOME:-$HOME/.local/state}}/httpdyno}}/{name}.log"
mkdir -p "$(dirname "$log")" && given=$(cat) && : > "$log" || exit 1
printf '%s' "$given" | setsid nohup {command} >> "$log" 2>&1 &
started=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
  grep -q {ready} "$log" && exit 0
  kill -0 $started 2> /dev/null || break
  sleep 0.5
done
cat "$log" >&2
exit 1
"""
"""The shell's `printf` is no process of its own, so nobody sees its arguments."""


@dataclass(frozen=True)
class Remote:
    """A process to start on another machine."""

    name: str
    ssh: str
    command: str
    """The words that start httpdyno there."""
    arguments: tuple[str, ...]
    ready: str
    """The text in its log once it works."""
    pems: Pems | None


def pems_of_text(text: str) -> Pems:
    """Certificates as they come through the standard input. Raises ValueError."""
    given = json.loads(text[:_MOST_PEMS])
    if not isinstance(given, dict) or not all(isinstance(one, str) for one in given.values()):
        raise ValueError("expected the certificates of one machine")
    try:
        return Pems(**given)
    except TypeError:
        raise ValueError("expected the certificates of one machine") from None


def start_all(processes: list[Remote]) -> dict[str, NodeFault]:
    """Starts all at once; the faults of those that did not start, by name."""
    return asyncio.run(_start_all(processes))


async def _start_all(processes: list[Remote]) -> dict[str, NodeFault]:
    faults = await asyncio.gather(*(_start(one) for one in processes))
    return {fault.node: fault for fault in faults if fault is not None}


async def _start(process: Remote) -> NodeFault | None:
    try:
        import asyncssh  # noqa: PLC0415 - the extra `scale`
    except ImportError as absent:
        raise extra_missing(absent) from absent
    try:
        async with asyncio.timeout(CONNECT_S + START_S):
            async with asyncssh.connect(connect_timeout=CONNECT_S, **_place(process.ssh)) as way:
                done = await way.run(_script(process), input=_input(process), check=False)
    except (OSError, asyncssh.Error) as error:
        return NodeFault(
            process.name,
            f"SSH to `{process.ssh}` failed: {printable_lines(str(error))[:_MOST_TEXT]}",
            hint=f"`ssh {process.ssh} true` must work without a question",
        )
    if done.exit_status == 0:
        return None
    printed = printable_lines(str(done.stderr or done.stdout).strip())[-_MOST_TEXT:]
    return NodeFault(
        process.name,
        f"`{process.command}` did not start there"
        + (f":\n{printed}" if printed else f" (status {done.exit_status})"),
        hint="`command` in hosts.toml names httpdyno on that machine",
    )


def _script(process: Remote) -> str:
    command = shlex.join([*shlex.split(process.command), *process.arguments])
    return _SCRIPT.format(name=process.name, command=command, ready=shlex.quote(process.ready))


def _input(process: Remote) -> str:
    return json.dumps(asdict(process.pems)) if process.pems is not None else "{}"


def _place(ssh: str) -> Mapping[str, Any]:
    """The parts of `user@host:port`; what is missing is for the user's own SSH configuration."""
    user, at, rest = ssh.rpartition("@")
    host, colon, port = rest.rpartition(":")
    if not colon or rest.endswith("]"):
        host, port = rest, ""
    place: dict[str, Any] = {"host": host.strip("[]")}
    if at:
        place["username"] = user
    if port:
        place["port"] = int(port)
    return place
