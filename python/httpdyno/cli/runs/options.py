"""The stored runs that `--study` and `--since` choose."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from httpdyno.cli.faults import Faults
from httpdyno.cli.values import Values, plain_text
from httpdyno.errors import UsageError

if TYPE_CHECKING:
    from httpdyno.store import RunSummary, Store

__all__ = [
    "checked_text",
    "chosen_runs",
    "since_moment",
]

DAY_S = 86_400.0
_DAYS = re.compile(r"([0-9]{1,5})d")


def chosen_runs(
    store: Store, study: str | None, since: str | None, help_command: str
) -> list[RunSummary]:
    """The runs of a study from a day on. Raises UsageError for a study without any run."""
    from httpdyno.running.projects.named_study import known_names, named_study
    from httpdyno.store import summaries

    faults = Faults(help_command)
    values = Values(faults)
    values.read("--study", study, plain_text)
    moment = values.read("--since", since, since_moment)
    faults.raise_any()
    if study is None:
        return summaries(store, since=moment)
    found = named_study(store, study)
    if found is None:
        raise _no_such_study(known_names(store), study)
    return summaries(store, study=found, since=moment)


def _no_such_study(known: str, study: str) -> UsageError:
    """The error for a name that no stored run has."""
    return UsageError(
        f"`{study}` has no stored run: expected a study with one ({known or 'none yet'})",
        hint="`httpdyno runs list` shows all runs" if known else "httpdyno run demo",
    )


def since_moment(text: str) -> float:
    """Unix time of a date, or of so many days ago. Raises ValueError."""
    if (days := _DAYS.fullmatch(text)) is not None:
        return time.time() - int(days[1]) * DAY_S
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).timestamp()
    except ValueError:
        raise ValueError("expected a date such as `2026-11-01`, or days such as `30d`") from None


def checked_text(argument: str, text: str | None, help_command: str) -> None:
    """Raises UsageError for an argument that is not UTF-8."""
    faults = Faults(help_command)
    Values(faults).read(argument, text, plain_text)
    faults.raise_any()
