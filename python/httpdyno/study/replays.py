"""The five published comparisons that httpdyno reruns."""

from __future__ import annotations

REPLAYS = (
    "tornado-warp-yesod-2012",
    "erlang-python-node-2011",
    "tornado-vs-starlette-2019",
    "bigtable-2010",
    "snap-2010",
)
"""In the order in which `httpdyno run --all-replays` runs them."""
