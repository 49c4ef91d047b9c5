"""The choices in the plans and results of the engine, each with all of them in order."""

from __future__ import annotations

from typing import Literal, get_args

Phase = Literal["connecting", "warm_up", "measuring", "draining", "done"]
PHASES: tuple[Phase, ...] = get_args(Phase)
"""The phases of a run."""
Spacing = Literal["constant", "uniform", "exponential"]
SPACINGS: tuple[Spacing, ...] = get_args(Spacing)
"""The spacing of arrivals."""
HttpVersion = Literal["1.0", "1.1", "2", "3"]
HTTP_VERSIONS: tuple[HttpVersion, ...] = get_args(HttpVersion)
STUDY_HTTP_VERSIONS: tuple[HttpVersion, ...] = ("1.0", "1.1", "2")
"""Those of the loads of studies."""
WITH_STREAMS: tuple[HttpVersion, ...] = ("2", "3")
"""The versions in which a connection carries several calls at once."""
SpokenVersion = Literal["1.1", "2"]
"""A version of HTTP that a server speaks; 1.1 includes 1.0."""
TlsVersion = Literal["1.2", "1.3"]
TLS_VERSIONS: tuple[TlsVersion, ...] = get_args(TlsVersion)
Driver = Literal["io_uring", "epoll"]
DriverChoice = Literal["auto", "io_uring", "epoll"]
DRIVERS: tuple[DriverChoice, ...] = get_args(DriverChoice)
"""The drivers that can be chosen."""
