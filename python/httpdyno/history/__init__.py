"""Numbers of stored runs over time, and the points where they changed: pure, no file is opened."""

from httpdyno.history.circumstances import Difference, machine_key, machine_words
from httpdyno.history.claims import (
    MARGIN,
    Apart,
    Change,
    Changed,
    NoneShown,
    Others,
    Single,
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
    "Apart",
    "Change",
    "ChangePoint",
    "Changed",
    "Difference",
    "Gap",
    "NoneShown",
    "Observation",
    "Others",
    "Place",
    "Series",
    "Single",
    "Summary",
    "TooFew",
    "Verdict",
    "change_points",
    "follow",
    "machine_key",
    "machine_words",
    "summary",
]
