"""The environment that servers, their builds and git inherit from httpdyno."""

from __future__ import annotations

import os

__all__ = ["inherited"]

_OWN = "HTTPDYNO_"


def inherited() -> dict[str, str]:
    """The environment of this process without httpdyno's own variables.

    `HTTPDYNO_STORE` may contain the password of the database of results, which is no business of a
    server under test.
    """
    return {name: value for name, value in os.environ.items() if not name.startswith(_OWN)}
