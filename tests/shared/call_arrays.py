"""The call log as NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from httpdyno.call_log import FIELDS

RECORD = np.dtype([(name, f"<{kind}") for name, (kind, _) in FIELDS.items()])
"""A record as the engine writes it."""
Calls = np.ndarray[Any, Any]
"""Records by the name of their fields: `calls["done_ns"]`."""


def calls_of(records: bytes) -> Calls:
    """The calls in the engine's records."""
    return np.frombuffer(records, dtype=RECORD)
