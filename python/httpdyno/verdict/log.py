"""The same rules, held against the raw log of a run that somebody published.

A log of the time has counts, a length and samples, so the rules about replies, lost calls, length
and spread can judge it; those about the generator and the machine cannot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from httpdyno.result import Reason
from httpdyno.units import duration, percent, rate, significant
from httpdyno.verdict.judge import Verdict
from httpdyno.verdict.rules import RULES, Rule

FEWEST_SAMPLES = 2
"""A spread needs two: with fewer, no one can say what the rate would have been a moment later."""


@dataclass(frozen=True)
class Log:
    """What the log says: calls asked for, replies, replies that were wrong, seconds, samples."""

    asked: int
    replies: int
    wrong: int
    failed_connections: int
    seconds: float
    samples: int
    mean_per_s: float
    """The rate that was published."""
    stdev_per_s: float | None = None


def judge_log(log: Log) -> Verdict:
    """The reasons to doubt a published run, what spoils most first, by the limits of `RULES`."""
    reasons = [
        Reason(code=code, status=rule.status, text=text, hint=HINTS[code])
        for code, check in CHECKS.items()
        if (text := check(log, rule := RULES.get(code, SAMPLES))) is not None
    ]
    shares = {"errors": _lost(log) / log.asked, "wrong_replies": log.wrong / max(log.replies, 1)}
    reasons.sort(key=lambda one: (one.status != "invalid", -shares.get(one.code, 0.0)))
    return Verdict(reasons[0].status if reasons else "valid", tuple(reasons))


SAMPLES = Rule("suspect", FEWEST_SAMPLES, "", "")

HINTS = {
    "no_reply": "there is no number to publish",
    "wrong_replies": "an error page says nothing about the page: mend the server, then measure",
    "errors": "a server that drops calls does less work: lower the load, or find out why it drops",
    "some_errors": "find out why: the calls that were dropped are not in the rate",
    "too_short": "measure for longer: a run this short is mostly start-up",
    "not_steady": "find out what changes before averaging over it",
    "samples": "measure for several sampling periods, and restart the server between runs",
}


def _no_reply(log: Log, rule: Rule) -> str | None:
    if log.replies - log.wrong > rule.limit:
        return None
    return f"not one right reply in {duration(log.seconds)}"


def _wrong_replies(log: Log, rule: Rule) -> str | None:
    if log.wrong <= rule.limit:
        return None
    share = _share(log.wrong / log.replies)
    return f"{share} of the replies were wrong: {log.wrong:,} of {log.replies:,} (expected none)"


def _lost(log: Log) -> int:
    return max(0, log.asked - log.replies)


def _errors(log: Log, rule: Rule) -> str | None:
    """Calls that brought no reply at all; httperf gives up a connection's rest with it."""
    share = _lost(log) / log.asked
    if share <= rule.limit or log.replies == 0:
        return None
    failed = log.failed_connections
    because = f"; {failed:,} connections failed" if failed else ""
    return (
        f"{percent(share)} of the calls brought no reply (limit {percent(rule.limit)}):"
        f" {log.replies:,} replies to {log.asked:,} calls asked for{because}"
    )


def _some_errors(log: Log, rule: Rule) -> str | None:
    already_worse = _errors(log, RULES["errors"]) is not None
    return None if already_worse else _errors(log, rule)


def _too_short(log: Log, rule: Rule) -> str | None:
    if log.seconds >= rule.limit and log.replies >= 1000:
        return None
    return (
        f"only {log.replies:,} replies in {duration(log.seconds)} (expected at least 1,000 and 1 s)"
    )


def _not_steady(log: Log, rule: Rule) -> str | None:
    """httperf's samples of 5 s stand for the two halves that we would compare."""
    if log.stdev_per_s is None or log.mean_per_s <= 0 or log.samples < FEWEST_SAMPLES:
        return None
    spread = log.stdev_per_s / log.mean_per_s
    if spread <= rule.limit:
        return None
    return (
        f"not steady: {rate(log.mean_per_s)} with a standard deviation of"
        f" {rate(log.stdev_per_s)} between samples ({_share(spread)}, limit {percent(rule.limit)})"
    )


def _share(share: float) -> str:
    """With a digit more than elsewhere: what is 99.75 % must not be told as 99.8 %."""
    return f"{significant(share * 100, 4)} %"


def _samples(log: Log, rule: Rule) -> str | None:
    if log.samples >= rule.limit:
        return None
    what = "no sample" if log.samples == 0 else "one sample"
    return f"{what} of 5 s behind the number (expected at least {FEWEST_SAMPLES}): no spread"


CHECKS: dict[str, Callable[[Log, Rule], str | None]] = {
    "no_reply": _no_reply,
    "wrong_replies": _wrong_replies,
    "errors": _errors,
    "some_errors": _some_errors,
    "too_short": _too_short,
    "not_steady": _not_steady,
    "samples": _samples,
}
"""In the order in which the reasons are told."""
