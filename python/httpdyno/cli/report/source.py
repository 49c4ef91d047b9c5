"""The result that an argument names: a folder, a `result.json`, or a stored run."""

from __future__ import annotations

import gc
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from httpdyno.errors import UsageError

if TYPE_CHECKING:
    from httpdyno.run import NamedResult

__all__ = ["named_result"]


def named_result(source: str, store_url: str | None = None) -> NamedResult:
    """The result with its folder. Raises UsageError if there is none, EnvironmentFault if it
    cannot be read."""
    from httpdyno.report.result_json import NAME, read
    from httpdyno.run import NamedResult, stored_study_result
    from httpdyno.running.languages import with_languages

    path = Path(source)
    if path.is_dir() and path.name == source and not (path / NAME).exists():
        # A folder beside a study is often named like it: the folder of its server, for example.
        with suppress(UsageError):
            return stored_study_result(source, store_url)
    if path.suffix != ".toml" and (path.exists() or path.suffix == ".json"):
        result = with_languages(read(path))
        gc.freeze()  # a result has millions of objects, and all are needed to the end
        return NamedResult(result, path if path.is_dir() else path.parent)
    return stored_study_result(source, store_url)
