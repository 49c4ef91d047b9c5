"""Configuration for all tests."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from postgresql_server import postgresql

__all__ = ["postgresql"]

# How long an example takes says how busy the machine is, and nothing about the code.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")


def pytest_configure() -> None:
    """Restore SIGINT: background jobs of a shell ignore it, and the programs inherit that.

    The developer's own settings must not name the database that the tests write to, nor the width
    of what they print. In a job of GitHub, messages quote no log. Programs keep their compiled
    modules, as in the Makefile.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.pop("HTTPDYNO_STORE", None)
    os.environ.pop("COLUMNS", None)
    os.environ.pop("GITHUB_ACTIONS", None)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    os.environ["HTTPDYNO_CONFIG"] = os.devnull


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect no garbage meanwhile: 600,000 new objects stay until the end of the tests."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files of slow tests: no process has a long one left when the others are done.

    pytest-xdist hands out files in this order (`--no-loadscope-reorder`).
    """
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)
