"""Numbers of stored runs over time, and the points where they changed: pure, no file is opened."""

from httpdyno.history.circumstances import Difference, machine_key, machine_words
from httpdyno.history.claims import (
    MARGIN,
    Change,
    ChangesShown,
    DisjointRuns,
    NoChangeShown,
    Others,
    SingleRun,
    TooFew,
    Verdict,
)
from httpdyno.history.observations import Gap, Observation, Place
from httpdyno.history.series import Series, follow
from httpdyno.history.steps import FEWEST, ChangePoint, change_points
from httpdyno.history.summary import Summary, summary

__all__ = [
    "FEWEST",
    "MARGIN",
    "Change",
    "ChangePoint",
    "ChangesShown",
    "Difference",
    "DisjointRuns",
    "Gap",
    "NoChangeShown",
    "Observation",
    "Others",
    "Place",
    "Series",
    "SingleRun",
    "Summary",
    "TooFew",
    "Verdict",
    "change_points",
    "follow",
    "machine_key",
    "machine_words",
    "summary",
]
