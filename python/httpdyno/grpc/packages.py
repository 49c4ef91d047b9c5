"""The packages of the extra `grpc`, imported on first use."""

from __future__ import annotations

import importlib
import os
from typing import Any

from httpdyno.errors import EnvironmentFault
from httpdyno.extras import install_command

__all__ = ["package"]


def package(name: str) -> Any:
    """A module of these packages. Raises EnvironmentFault if it is not installed."""
    # The library logs each attempt to connect that fails.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    try:
        return importlib.import_module(name)
    except ImportError as absent:
        raise EnvironmentFault(
            f"gRPC needs the extra `grpc` of httpdyno: `{absent.name}` is not installed",
            hint=install_command("grpc"),
        ) from absent
