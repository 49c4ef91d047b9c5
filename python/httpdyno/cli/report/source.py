"""The result that an argument names: a folder, a `result.json`, or a stored run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from httpdyno.run import Named

__all__ = ["named_result"]


def named_result(source: str, store_url: str | None = None) -> Named:
    """The result with its folder. Raises UsageError if there is none, EnvironmentFault if it
    cannot be read."""
    from httpdyno.run import Named, stored_study_result

    path = Path(source)
    if path.exists() or path.suffix == ".json":
        from httpdyno.report.result_json import read
        from httpdyno.running.languages import with_languages

        return Named(with_languages(read(path)), path if path.is_dir() else path.parent)
    return stored_study_result(source, store_url)
