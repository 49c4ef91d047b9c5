"""Sweeps along offered rates: the rates, the points that were measured, and the answer. Pure."""

from httpdyno.sweep.answer import answer, headline
from httpdyno.sweep.claims import Claims, claims
from httpdyno.sweep.point import Point, TimeKind, point_of
from httpdyno.sweep.rates import MOST_POINTS, Rates, parse_rates, rate_text, shown
from httpdyno.sweep.record import SweepRecord, to_csv

__all__ = [
    "MOST_POINTS",
    "Claims",
    "Point",
    "Rates",
    "SweepRecord",
    "TimeKind",
    "answer",
    "claims",
    "headline",
    "parse_rates",
    "point_of",
    "rate_text",
    "shown",
    "to_csv",
]
