"""The versions that all machines of a cluster must share."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import Any

import httpdyno
from httpdyno.errors import NodeFault

__all__ = ["check", "versions"]

_TITLES = {"httpdyno": "httpdyno", "engine": "engine", "python": "Python", "dask": "distributed"}


def versions() -> dict[str, str]:
    """The versions here."""
    return {
        "httpdyno": httpdyno.__version__,
        "engine": _engine(),
        "python": ".".join(platform.python_version_tuple()[:2]),
        "dask": version("distributed"),
    }


def check(node: str, theirs: Any) -> None:
    """Raises NodeFault, naming every difference, unless the node has the versions of this one."""
    ours = versions()
    given = theirs if isinstance(theirs, dict) else {}
    different = [
        f"{title} {str(given.get(key, 'none'))[:40]} (here {ours[key]})"
        for key, title in _TITLES.items()
        if given.get(key) != ours[key]
    ]
    if different:
        raise NodeFault(
            node,
            f"it has {', '.join(different)}: expected the same versions on every machine",
            hint=f"on `{node}`: install this httpdyno ({ours['httpdyno']}) with Python"
            f" {ours['python']}, then `pip install 'distributed=={ours['dask']}'`, and start its"
            " worker again",
        )


def _engine() -> str:
    try:
        from httpdyno import _engine  # noqa: PLC0415 - a node without it is reported, not broken
    except ImportError:
        return "none"
    return str(getattr(_engine, "__version__", httpdyno.__version__))
