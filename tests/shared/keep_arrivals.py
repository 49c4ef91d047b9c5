"""A reference server that writes when each request arrived: `keep_arrivals.py ADDRESS FILE`.

It prints its address, and ends when its stdin does.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from httpdyno import engine

PAGES = [("/hello", "text/plain", b"Hello, world!")]

if __name__ == "__main__":
    listen, file = sys.argv[1:]
    with engine.reference(listen, PAGES, keep_arrivals=True) as server:
        print(server.address, flush=True)  # noqa: T201
        sys.stdin.read()
        np.save(Path(file), np.array(server.take_arrivals(), dtype=np.int64))
