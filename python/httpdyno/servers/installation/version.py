"""The version that a server reports."""

from __future__ import annotations

import subprocess

from httpdyno.output.printable import printable
from httpdyno.servers.declaration.placeholders import fill_all
from httpdyno.servers.failure import ServerFailure
from httpdyno.servers.installation.execute import read_output
from httpdyno.servers.installation.installation import Installation

VERSION_LIMIT_S = 30.0


def version_of(plan: Installation) -> str:
    """The first line of the version command from its first digit on: `1.22.1` of `nginx/1.22.1`.

    Empty for a server that declares no such command.
    """
    if plan.server.version is None:
        return ""
    command = fill_all(plan.server.version.command, plan.placeholders)
    try:
        code, text = read_output(
            command, cwd=plan.source, limit_s=VERSION_LIMIT_S, environment=plan.environment()
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _no_version(plan, command, str(error)) from None
    if code != 0 or not text:
        raise _no_version(plan, command, text)
    line = printable(text.splitlines()[0].strip())
    digit = next((place for place, sign in enumerate(line) if sign.isdigit()), 0)
    return line[digit:]


def _no_version(plan: Installation, command: list[str], text: str) -> ServerFailure:
    with plan.log.open("a", encoding="utf-8") as log:
        log.write(f"$ {' '.join(command)}\n{text}\n")
    last = printable(text.splitlines()[-1]) if text else "it printed nothing"
    message = f"the version command of `{plan.server.name}` failed: {last}"
    return ServerFailure(message, stage="install", log=plan.log)
