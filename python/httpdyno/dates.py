"""Dates and times of day, always UTC: for people, and in the forms of other programs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def date(unix_s: float) -> str:
    """`2026-11-21`."""
    return format_time(unix_s, "%Y-%m-%d", "unknown date")


def moment(unix_s: float, zone: str = " UTC") -> str:
    """`2026-11-21 08:10 UTC`; `zone` is empty where a heading says it."""
    return format_time(unix_s, f"%Y-%m-%d %H:%M{zone}", "unknown time")


def iso(unix_s: float) -> str:
    """`2026-11-21T08:10:30+00:00`; empty: no calendar has this time."""
    return format_time(unix_s, "%Y-%m-%dT%H:%M:%S+00:00", "")


def format_time(unix_s: float, form: str, unknown: str) -> str:
    """A time in a form of `strftime`; `unknown`: one that no calendar has."""
    try:
        return (_EPOCH + timedelta(seconds=unix_s)).strftime(form)
    except (OverflowError, ValueError):
        return unknown
