"""Lasting steps of a series: found, tested, and how large one must be to be found."""

from httpdyno.history.steps.change_points import ChangePoint, change_points, level, points_at
from httpdyno.history.steps.power import detectable
from httpdyno.history.steps.scan import FEWEST, LEAST, ORDERED_FROM, ScaledSeries, Scan, scan

__all__ = [
    "FEWEST",
    "LEAST",
    "ORDERED_FROM",
    "ChangePoint",
    "ScaledSeries",
    "Scan",
    "change_points",
    "detectable",
    "level",
    "points_at",
    "scan",
]
