"""The phases of a run of the engine."""

from __future__ import annotations

from typing import Literal, get_args

Phase = Literal["connecting", "warm_up", "measuring", "draining", "done"]
PHASES: tuple[Phase, ...] = get_args(Phase)
"""In their order."""
