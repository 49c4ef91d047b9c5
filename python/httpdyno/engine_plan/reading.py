"""Reads plans that another program wrote, by the types and limits of their parts."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from httpdyno.engine_plan import EnginePlan

__all__ = ["read", "read_json"]

_PLANS: TypeAdapter[EnginePlan] = TypeAdapter(EnginePlan)


def read(values: Any) -> EnginePlan:
    """The plan with these values. Raises ValidationError of pydantic with all that is wrong."""
    return _PLANS.validate_python(values)


def read_json(text: str) -> EnginePlan:
    """The plan in a document. Raises ValidationError of pydantic with all that is wrong."""
    return _PLANS.validate_json(text)
