"""`--store URL`: the database of results, for every verb that stores or reads runs."""

from __future__ import annotations

import os
import re

from httpdyno.cli.faults import Faults
from httpdyno.cli.values import Values, plain_text
from httpdyno.output.echo import echo

__all__ = ["checked_store", "hand_on", "read_store"]

_PASSWORD = re.compile(r"postgres\S*?://[^:/@]*:.+@|postgres\S*[?&]password=", re.IGNORECASE)


def read_store(values: Values, url: str | None, flag: str = "--store") -> str | None:
    """The database that a flag names; faults are collected. A password in it gets a warning."""
    if url is not None and _PASSWORD.match(url):
        echo(
            f"warning: other users of this machine can see the password in `{flag}` while this"
            " command runs; put it into ~/.pgpass or PGPASSWORD",
            err=True,
        )
    return values.read(flag, url, plain_text)


def hand_on(url: str | None) -> None:
    """Lets the programs that this one starts use the same database; None: they use the user's."""
    if url is not None:
        os.environ["HTTPDYNO_STORE"] = url


def checked_store(url: str | None, help_command: str) -> str | None:
    """The value of `--store`. Raises UsageError when it is not UTF-8."""
    faults = Faults(help_command)
    read = read_store(Values(faults), url)
    faults.raise_any()
    return read
