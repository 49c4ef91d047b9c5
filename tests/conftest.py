"""Configuration for all tests."""

from __future__ import annotations

import os
import signal

from hypothesis import HealthCheck, settings
from postgresql_server import postgresql

__all__ = ["postgresql"]

# How long an example takes says how busy the machine is, and nothing about the code.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")


def pytest_configure() -> None:
    """Restore SIGINT: background jobs of a shell ignore it, and the programs inherit that.

    The developer's own settings must not name the database that the tests write to.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.pop("HTTPDYNO_STORE", None)
    os.environ["HTTPDYNO_CONFIG"] = os.devnull
