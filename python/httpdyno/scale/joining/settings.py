"""Dask's settings on a machine that generates load: quiet, and no task ever runs twice."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any, Literal

from httpdyno.errors import EnvironmentFault
from httpdyno.extras import install_command

__all__ = ["SETTINGS", "distributed_module", "extra_missing"]

SETTINGS: dict[str, Any] = {
    # Wakes the process up 100 and 50 times a second by default.
    "distributed.worker.profile.enabled": False,
    "distributed.worker.profile.low-level": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.tick.limit": "60s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.admin.system-monitor.disk": False,
    "distributed.diagnostics.nvml": False,
    "distributed.scheduler.active-memory-manager.start": False,
    # A load that was lost is never sent again by itself.
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.no-workers-timeout": "30s",
    "distributed.comm.retry.count": 0,
    # A machine that is gone is noticed soon.
    "distributed.scheduler.worker-ttl": "30s",
    "distributed.comm.timeouts.connect": "5s",
    "distributed.comm.timeouts.tcp": "15s",
    # Nothing that a configuration of the user adds.
    "distributed.worker.preload": [],
    "distributed.scheduler.preload": [],
    "distributed.client.preload": [],
    "distributed.worker.http.routes": [],
    "distributed.scheduler.http.routes": [],
    "distributed.worker.lifetime.duration": None,
}
"""The configuration of every process that joins, whatever files and variables say."""

_SERVING = {"distributed": "error", "distributed.comm.tcp": "warning"}
_NAMES = ("distributed", "distributed.client", "distributed.comm", "tornado", "asyncio")
_SILENT = dict.fromkeys(_NAMES, "critical")


def distributed_module(use: Literal["serve", "use"]) -> Any:
    """The module `distributed`, with our settings. `serve`: it may log refused connections."""
    dask = _import("dask")
    dask.config.set({"logging": _SERVING if use == "serve" else _SILENT})  # read on import
    module = _import("distributed")
    dask.config.set(SETTINGS)
    return module


def extra_missing(absent: ImportError) -> EnvironmentFault:
    """The error without the extra `scale`."""
    return EnvironmentFault(
        f"several machines need the extra `scale` of httpdyno: `{absent.name}` is not installed",
        hint=install_command("scale"),
    )


def _import(name: str) -> ModuleType | Any:
    try:
        return importlib.import_module(name)
    except ImportError as absent:
        raise extra_missing(absent) from absent
