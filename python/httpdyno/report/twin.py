"""The JSON twin: everything that a report shows, for programs, and for rendering it again.

A reader accepts its own version and older ones, ignores fields it does not know, and refuses newer
versions.
"""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.statistics.result import RESULT_VERSION, StudyResult

NAME = "result.json"
_FORMAT = "httpdyno-result"
_FAULTS_SHOWN = 5


def to_json(result: StudyResult) -> str:
    """The twin's text."""
    return result.model_dump_json(indent=1) + "\n"


def read(path: Path) -> StudyResult:
    """The result in a twin, or in the `result.json` of a folder.

    Raises UsageError if it is no result that this version can read, EnvironmentFault if it cannot
    be read at all.
    """
    file = path / NAME if path.is_dir() else path
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UsageError(
            f"`{file}` does not exist: expected a result of a study",
            hint="give its folder or its `result.json`",
        ) from None
    except UnicodeDecodeError:
        raise UsageError(f"`{file}` is not text: expected the JSON of a result") from None
    except OSError as error:
        raise EnvironmentFault(f"`{file}` cannot be read: {error.strerror}") from error
    return parse(text, str(file))


def parse(text: str, name: str) -> StudyResult:
    """The result in a twin's text; `name` is what to call it in an error. Raises UsageError."""
    try:
        raw = json.loads(text)
    except ValueError as error:
        raise UsageError(f"`{name}` is not JSON: {error}") from None
    if not isinstance(raw, dict) or raw.get("format") != _FORMAT:
        raise UsageError(
            f'`{name}` is not a result: expected a JSON object with `"format": "{_FORMAT}"`'
        )
    version = raw.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise UsageError(f"`{name}` has the version {version!r}: expected 1 to {RESULT_VERSION}")
    if version > RESULT_VERSION:
        raise UsageError(
            f"`{name}` has version {version}: this httpdyno reads versions up to {RESULT_VERSION}",
            hint="render it with the httpdyno that wrote it, or a newer one",
        )
    try:
        return StudyResult.model_validate_json(text)
    except ValidationError as error:
        raise UsageError(f"`{name}` is not a whole result: {_faults(error)}") from None


def _faults(error: ValidationError) -> str:
    faults = [
        f"{'.'.join(map(str, fault['loc']))}: {fault['msg'].lower()}" for fault in error.errors()
    ]
    more = len(faults) - _FAULTS_SHOWN
    return "; ".join(faults[:_FAULTS_SHOWN]) + (f"; and {more} more" if more > 0 else "")
