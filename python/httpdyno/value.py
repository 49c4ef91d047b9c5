"""The base of the values in documents."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A value in a document. It never changes, and fields that this version does not know are
    ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)
