"""Checks of the database beside the server: did it do the work of the replies, and is it the limit?

The counters are lower bounds: calls that never got a reply have done some work, too.
"""

from __future__ import annotations

import math

from httpdyno.measurement import Measurement
from httpdyno.outcome import DatabaseUse
from httpdyno.units import counted, percent
from httpdyno.verdict.checks.words import Words, at_most, beside
from httpdyno.verdict.context import Context
from httpdyno.workloads import Queries
from httpdyno.workloads.world import ROWS

FEWEST_CHANGED = 0.95
"""The least share of the rows that had to change: some are given the number that they had."""


def too_few_queries(_: Measurement, context: Context, limit: float) -> Words | None:
    """Each reply has its queries."""
    known = _known_work(context)
    if known is None:
        return None
    use, each = known
    return _missing(use.reads, each.reads * use.replies, known, limit, ("query", "queries"))


def rows_not_read(_: Measurement, context: Context, limit: float) -> Words | None:
    """Each reply has its rows."""
    known = _known_work(context)
    if known is None:
        return None
    use, each = known
    return _missing(use.rows_read, each.rows_read * use.replies, known, limit)


def updates_not_written(_: Measurement, context: Context, limit: float) -> Words | None:
    """Each reply has written its rows, and they are there after the load."""
    known = _known_work(context)
    if known is None or known[1].rows_written == 0:
        return None
    use, each = known
    written = each.rows_written * use.replies
    missing = _missing(use.rows_written, written, known, limit)
    if missing is not None:
        what = "{count} were written for {replies} (expected {expected})"
        return {"what": what.format(**missing)}
    return _check_unchanged(use, written)


def _check_unchanged(use: DatabaseUse, written: int) -> Words | None:
    """The rows that should have another number after so many writes at random, and have not."""
    expected = int(ROWS * -math.expm1(-written / ROWS))
    if use.rows_changed is None or use.rows_changed >= FEWEST_CHANGED * expected:
        return None
    return {
        "what": f"after the load, {counted(use.rows_changed, 'row')} of `world` had another number"
        f" (expected about {expected:,} of {ROWS:,})"
    }


def database_shares(_: Measurement, context: Context, limit: float) -> Words | None:
    """Where they share processors, those have time to spare, or the server takes most of it."""
    use, server = context.database, context.server_share
    if use is None or not use.shares_server or not use.cores or server is None:
        return None
    share = _share(use)
    together = share + server
    if together <= limit or share <= server:
        return None
    return {
        "share": percent(share),
        "server": percent(server),
        "together": beside(together, limit),
        "limit": at_most(limit),
    }


def database_limit(_: Measurement, context: Context, limit: float) -> Words | None:
    """The database has processors to spare, or the server has not either."""
    use, server = context.database, context.server_share
    if use is None or use.shares_server or not use.cores:
        return None
    share = _share(use)
    if share <= limit or (server is not None and server >= share):
        return None
    return {
        "share": beside(share, limit),
        "limit": at_most(limit),
        "server": "" if server is None else f", and the server {percent(server)} of its own",
    }


def _share(use: DatabaseUse) -> float:
    """The share of its processors that the database used."""
    used = use.cores_used
    return used / use.cores if used is not None and use.cores else 0.0


def _known_work(context: Context) -> tuple[DatabaseUse, Queries] | None:
    """The work that a database counted, and that of each reply."""
    use, each = context.database, context.queries
    return None if use is None or each is None or use.queries is None else (use, each)


def _missing(
    found: int | None,
    expected: int,
    known: tuple[DatabaseUse, Queries],
    limit: float,
    noun: tuple[str, str] = ("row", "rows"),
) -> Words | None:
    if found is None or found >= (1.0 - limit) * expected:
        return None
    use, each = known
    return {
        "count": f"{counted(found, *noun)} of `{each.tables[0]}`",
        "replies": counted(use.replies, "reply", "replies"),
        "expected": f"{expected:,}",
    }
