"""The module that Rust is compiled to, imported on first use, and its errors as ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from httpdyno.errors import (
    EnvironmentFault,
    HttpdynoError,
    InternalFault,
    TargetError,
    UsageError,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["call", "compiled", "quantiles"]

_FAULTS: dict[str, type[HttpdynoError]] = {
    "usage": UsageError,
    "target": TargetError,
    "environment": EnvironmentFault,
    "internal": InternalFault,
}


def quantiles(hdr: str, at: Sequence[float]) -> list[int]:
    """The values (ns) at the quantiles `at` (0 to 1) of a measurement's histogram."""
    return list(call(compiled().quantiles, hdr, list(at)))


def compiled() -> Any:
    """The module that Rust is compiled to. Raises EnvironmentFault if it cannot be loaded."""
    try:
        from httpdyno import _engine  # noqa: PLC0415 - on first use
    except ImportError as absent:
        raise EnvironmentFault(
            f"the compiled engine `httpdyno._engine` cannot be loaded: {absent}", hint="make setup"
        ) from absent
    return _engine


def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls the engine, and raises its error as one of ours."""
    module = compiled()
    try:
        return function(*arguments)
    except module.EngineError as error:
        kind, message, hint = error.args
        raise _FAULTS.get(kind, InternalFault)(message, hint=hint) from error
