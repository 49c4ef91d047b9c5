"""The commands of the arms of a comparison, for `--dry-run`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from httpdyno.comparison.arms.sides import OWN_FILE
from httpdyno.comparison.specification import Named
from httpdyno.servers import load_catalogue, load_server

__all__ = ["commands"]


def commands(arm: Named) -> Iterator[str]:
    """The arm, then its build and its start, a line each. A revision builds nothing without
    `--start`."""
    subject, given = arm.subject, arm.commands
    yield f"arm {arm.name}"
    if subject.kind == "url":
        yield f"  runs already: {subject.text}"
    elif subject.kind == "command":
        yield f"  start: {subject.text}"
    elif subject.kind == "revision" and not given.start:
        yield f"  start: as its {OWN_FILE} says"
    elif subject.kind == "revision":
        if given.build:
            yield f"  build: {given.build}"
        yield f"  start: {given.start}"
    else:
        yield f"  start: {_declared(arm)}"


def _declared(arm: Named) -> str:
    """The start of a server with a server.toml, or of one of the catalogue."""
    subject = arm.subject
    server = load_server(subject.file) if subject.file else load_catalogue().get(subject.text)
    return shlex.join(server.deployment(subject.part or server.default_deployment).command)
