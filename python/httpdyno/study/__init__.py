"""What the user declares: arms, loads and how often; read from TOML, every fault at once."""

from httpdyno.study.model import (
    ArmGroup,
    ClosedLoad,
    Load,
    PublishedNumber,
    RequestsLoad,
    SessionsLoad,
    Study,
)
from httpdyno.study.names import check_names
from httpdyno.study.narrow import narrow
from httpdyno.study.read import built_in_studies, load_study

__all__ = [
    "ArmGroup",
    "ClosedLoad",
    "Load",
    "PublishedNumber",
    "RequestsLoad",
    "SessionsLoad",
    "Study",
    "built_in_studies",
    "check_names",
    "load_study",
    "narrow",
]
