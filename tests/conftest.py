"""Configuration for all tests."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """Restore SIGINT: background jobs of a shell ignore it, and the programs inherit that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
