"""Dates and times of day for people, always UTC. Files for other programs have their own forms."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def date(unix_s: float) -> str:
    """`2026-11-21`."""
    return _formatted(unix_s, "%Y-%m-%d", "unknown date")


def moment(unix_s: float, zone: str = " UTC") -> str:
    """`2026-11-21 08:10 UTC`; `zone` is empty where a heading says it."""
    return _formatted(unix_s, f"%Y-%m-%d %H:%M{zone}", "unknown time")


def _formatted(unix_s: float, form: str, unknown: str) -> str:
    try:
        return (_EPOCH + timedelta(seconds=unix_s)).strftime(form)
    except (OverflowError, ValueError):
        return unknown
