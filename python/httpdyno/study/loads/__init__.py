"""The load shapes: a file for each. A new one is a copy of the nearest, and a row in `AnyLoad`."""

from __future__ import annotations

from typing import Annotated, get_args

from pydantic import Field

from httpdyno.study.loads.capacity import CapacityLoad
from httpdyno.study.loads.closed import ClosedLoad
from httpdyno.study.loads.requests import RequestsLoad
from httpdyno.study.loads.sessions import SessionsLoad
from httpdyno.study.loads.shape import LoadShape, Point

__all__ = [
    "LOADS",
    "AnyLoad",
    "CapacityLoad",
    "ClosedLoad",
    "Load",
    "LoadShape",
    "Point",
    "RequestsLoad",
    "SessionsLoad",
]

AnyLoad = ClosedLoad | RequestsLoad | SessionsLoad | CapacityLoad
Load = Annotated[AnyLoad, Field(discriminator="kind")]
LOADS: dict[str, type[LoadShape]] = {
    get_args(shape.model_fields["kind"].annotation)[0]: shape for shape in get_args(AnyLoad)
}
"""The shapes by their `kind`, in the order in which errors name them."""
