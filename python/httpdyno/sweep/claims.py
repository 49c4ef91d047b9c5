"""The claims of a sweep, each with the points that carry it. Charts and answers only word them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from httpdyno.sweep.point import Point

__all__ = ["Claims", "claims"]


@dataclass(frozen=True)
class Claims:
    """The rates that a server kept up with, or not. Points are in the order of their rates."""

    kept_up: tuple[Point, ...]
    """The points below `fell_behind` at which the server kept up."""
    unknown: tuple[Point, ...]
    """Those below `fell_behind` that do not show it: they have no result, lack calls that the load
    generator never sent, or fell behind while something else was disturbed."""
    fell_behind: Point | None
    """The lowest rate at which the server fell behind."""
    kept_up_again: Point | None
    """The highest rate above `fell_behind` at which it kept up: one of the two was disturbed."""
    most_replies: Point | None
    """The highest rate of replies; a point without a result has none."""
    measured: int
    planned: int
    """Rates of the sweep; more than were measured if it ended early."""

    @property
    def ended_early(self) -> bool:
        """True if some rates were not measured."""
        return self.measured < self.planned


def claims(points: Sequence[Point], planned: int | None = None) -> Claims | None:
    """The claims that the complete points carry; None without any."""
    ranked = sorted((one for one in points if not one.interrupted), key=lambda p: p.rate_per_s)
    if not ranked:
        return None
    first = next((n for n, one in enumerate(ranked) if one.pace == "fell behind"), len(ranked))
    below, above = ranked[:first], ranked[first + 1 :]
    again = [one for one in above if one.pace == "kept up"]
    results = [one for one in ranked if one.verdict != "invalid"]
    return Claims(
        kept_up=tuple(one for one in below if one.pace == "kept up"),
        unknown=tuple(one for one in below if one.pace == "unknown"),
        fell_behind=ranked[first] if first < len(ranked) else None,
        kept_up_again=again[-1] if again else None,
        most_replies=max(results, key=lambda one: one.replies_per_s, default=None),
        measured=len(ranked),
        planned=max(len(ranked), planned or 0),
    )
