"""Numbers of stored runs over time, and the points where they changed: pure, no file is opened."""

from httpdyno.history.change_points import FEWEST, ChangePoint, change_points
from httpdyno.history.circumstances import Difference, machine_key, machine_words
from httpdyno.history.series import Change, Observation, Place, Series, follow

__all__ = [
    "FEWEST",
    "Change",
    "ChangePoint",
    "Difference",
    "Observation",
    "Place",
    "Series",
    "change_points",
    "follow",
    "machine_key",
    "machine_words",
]
