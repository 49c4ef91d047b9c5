"""Configuration for all tests."""

from __future__ import annotations

import signal

from hypothesis import HealthCheck, settings

# How long an example takes says how busy the machine is, and nothing about the code.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")


def pytest_configure() -> None:
    """Restore SIGINT: background jobs of a shell ignore it, and the programs inherit that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
