"""Runs httpdyno with something odd about its machine: `odd_worker.py ODD VALUE worker …`.

    clock SECONDS    its clock is ahead by so much
    version TEXT     it is another version of httpdyno
"""

from __future__ import annotations

import sys
import time
from types import SimpleNamespace
from typing import Any

import httpdyno


def ahead(seconds: float) -> None:
    """Let the agent read a clock that is ahead."""
    from httpdyno.scale import agent

    shifted: Any = SimpleNamespace(time_ns=lambda: time.time_ns() + round(seconds * 1e9))
    agent.time = shifted


if __name__ == "__main__":
    odd, value, *arguments = sys.argv[1:]
    sys.argv = ["httpdyno", *arguments]
    if odd == "clock":
        ahead(float(value))
    else:
        httpdyno.__version__ = value
    from httpdyno.__main__ import main

    sys.exit(main())
