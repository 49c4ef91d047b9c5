"""The same rules, applied to the raw log of a run that somebody published.

Logs of the time have counts, a length and samples. So the rules about replies, lost calls, length
and spread can judge them; those about the load generator and the machine cannot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from httpdyno.measurement import FEWEST_CALLS
from httpdyno.result import Reason, Status
from httpdyno.units import counted, duration, rate, significant
from httpdyno.verdict.checks.words import at_most, beside
from httpdyno.verdict.judge import Verdict
from httpdyno.verdict.rules import RULES

FEWEST_SAMPLES = 2
"""A spread needs two: with fewer, nobody can say what the rate would have been a moment later."""


@dataclass(frozen=True)
class Log:
    """The figures of a log: calls planned, replies, wrong replies, seconds, samples."""

    asked: int
    replies: int
    wrong: int
    failed_connections: int
    seconds: float
    samples: int
    mean_per_s: float
    """The rate that was published."""
    stdev_per_s: float | None = None


Check = Callable[[Log, float], str | None]
"""(log, limit) → the text of its reason, or None."""


class LogRule(NamedTuple):
    """A rule as a log can break it."""

    check: Check
    status: Status
    limit: float
    hint: str
    unless: tuple[str, ...] = ()
    """Reasons that name its cause, and make it redundant."""


def judge_log(log: Log) -> Verdict:
    """The reasons to doubt a published run by the limits of `RULES`, the gravest first."""
    found = {
        code: text
        for code, rule in LOG_RULES.items()
        if (text := rule.check(log, rule.limit)) is not None
    }
    reasons = [
        Reason(code=code, status=LOG_RULES[code].status, text=text, hint=LOG_RULES[code].hint)
        for code, text in found.items()
        if found.keys().isdisjoint(LOG_RULES[code].unless)
    ]
    shares = {"errors": _lost_share(log), "wrong_replies": _wrong_share(log)}
    reasons.sort(key=lambda one: (one.status != "invalid", -shares.get(one.code, 0.0)))
    return Verdict(reasons[0].status if reasons else "valid", tuple(reasons))


def _no_reply(log: Log, limit: float) -> str | None:
    if log.replies - log.wrong > limit:
        return None
    return f"no correct reply in {duration(log.seconds)}"


def _wrong_share(log: Log) -> float:
    return log.wrong / max(log.replies, log.wrong, 1)


def _wrong_replies(log: Log, limit: float) -> str | None:
    if log.wrong <= limit:
        return None
    share = _share(_wrong_share(log))
    return f"{share} of the replies were wrong: {log.wrong:,} of {log.replies:,} (expected none)"


def _lost_share(log: Log) -> float:
    return max(0, log.asked - log.replies) / max(log.asked, 1)


def _errors(log: Log, limit: float) -> str | None:
    """Calls without any reply; httperf gives up the rest of a connection with one of them."""
    share = _lost_share(log)
    if share <= limit:
        return None
    failed = log.failed_connections
    because = f"; {counted(failed, 'connection')} failed" if failed else ""
    return (
        f"{beside(share, limit)} of the calls got no reply (limit {at_most(limit)}):"
        f" {counted(log.replies, 'reply', 'replies')} to {counted(log.asked, 'call')}{because}"
    )


def _too_short(log: Log, limit: float) -> str | None:
    if log.seconds >= limit and log.replies >= FEWEST_CALLS:
        return None
    return (
        f"too short: {counted(log.replies, 'reply', 'replies')} in {duration(log.seconds)}"
        f" (expected at least {FEWEST_CALLS:,} and 1 s)"
    )


def _not_steady(log: Log, limit: float) -> str | None:
    """httperf's samples of 5 s stand for the two halves that we would compare."""
    if log.stdev_per_s is None or log.stdev_per_s <= limit * log.mean_per_s:
        return None
    spread = f"{_share(log.stdev_per_s / log.mean_per_s)}, " if log.mean_per_s > 0 else ""
    return (
        f"throughput was not steady: {rate(log.mean_per_s)} with a standard deviation of"
        f" {rate(log.stdev_per_s)} between samples ({spread}limit {at_most(limit)})"
    )


def _share(share: float) -> str:
    """With a digit more than elsewhere, so that 99.75 % does not become 99.8 %."""
    return f"{significant(share * 100, 4)} %"


def _samples(log: Log, limit: float) -> str | None:
    if log.samples >= limit:
        return None
    what = "no sample" if log.samples == 0 else "one sample"
    return f"{what} of 5 s (expected at least {FEWEST_SAMPLES}): no spread is known"


def _like(code: str, check: Check, hint: str) -> LogRule:
    """A rule with the limit of the same rule for a measurement."""
    rule = RULES[code]
    return LogRule(check, rule.status, rule.limit, hint, rule.unless)


LOG_RULES: dict[str, LogRule] = {
    "no_reply": _like("no_reply", _no_reply, "there is no number to publish"),
    "wrong_replies": _like(
        "wrong_replies",
        _wrong_replies,
        "the speed of error pages says nothing: fix the server, then measure again",
    ),
    "errors": _like(
        "errors",
        _errors,
        "a server that drops calls does less work: lower the load, or find out why it drops",
    ),
    "some_errors": _like(
        "some_errors", _errors, "find out why: the calls that were dropped are not in the rate"
    ),
    "too_short": _like(
        "too_short", _too_short, "measure for longer: a run this short is mostly start-up"
    ),
    "not_steady": _like(
        "not_steady", _not_steady, "find out what changes before averaging over it"
    ),
    "samples": LogRule(
        _samples,
        "suspect",
        FEWEST_SAMPLES,
        "measure for several sampling periods, and restart the server between runs",
    ),
}
"""In the order in which the reasons are shown."""
