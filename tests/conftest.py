"""For all tests."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """Let Ctrl-C reach the programs under test: background jobs of a shell inherit it ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
