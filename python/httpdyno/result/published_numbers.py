"""The published numbers that a study replays, and the verdicts on their logs."""

from __future__ import annotations

from httpdyno.doubts import Reason, Status
from httpdyno.value import Value


class LogFacts(Value):
    """Counts from the raw log of a published run, by the load generator of the time."""

    asked: int
    """Requests that the run was configured to send."""
    replies: int
    wrong: int
    """Replies with a status other than 200."""
    failed_connections: int
    seconds: float
    samples: int
    """Samples behind the published rate: httperf takes one every 5 s."""
    stdev_per_s: float | None = None
    """Spread of those samples; None: not in the log."""


class LogVerdict(Value):
    """The verdict on a published run by the rules of this httpdyno."""

    status: Status
    reasons: list[Reason]
    """Worst first."""
    facts: LogFacts


class PublishedRow(Value):
    """A number from the post that a study replays: history, not compared with the trials."""

    arm: str
    """The arm that corresponds to it, or the post's own name when `measured` is False."""
    load: str
    requests_per_s: float
    """0: the post shows no number."""
    note: str
    source: str = ""
    """The post or log it is from; empty: the study's source."""
    point: str | None = None
    """The load point it belongs to, as in `CellRow`; None: the load as a whole."""
    measured: bool = True
    """False: no arm of this study corresponds to it."""
    verdict_of_log: LogVerdict | None = None
    """The verdict on the raw log behind the number; None: the log is not known."""
