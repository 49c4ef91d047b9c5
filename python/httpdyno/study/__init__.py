"""Studies: arms, loads and repeats, as a user declares them in TOML."""

from httpdyno.study.loads import (
    LOADS,
    AnyLoad,
    CapacityLoad,
    ClosedLoad,
    Load,
    RequestsLoad,
    SessionsLoad,
)
from httpdyno.study.model import ArmGroup, PublishedNumber, Study
from httpdyno.study.names import KnownNames
from httpdyno.study.narrow import narrow
from httpdyno.study.read import built_in_studies, load_study

__all__ = [
    "LOADS",
    "AnyLoad",
    "ArmGroup",
    "CapacityLoad",
    "ClosedLoad",
    "KnownNames",
    "Load",
    "PublishedNumber",
    "RequestsLoad",
    "SessionsLoad",
    "Study",
    "built_in_studies",
    "load_study",
    "narrow",
]
