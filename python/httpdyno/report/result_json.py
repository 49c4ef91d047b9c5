"""The JSON twin: everything that a report shows, for programs, and for rendering it again.

A reader accepts its own version and older ones, ignores fields it does not know, and refuses newer
versions.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.result import RESULT_VERSION, StudyResult

NAME = "result.json"
_FORMAT = "httpdyno-result"
_FAULTS_SHOWN = 5
_DIGITS = 5
"""Of a number in a summary: more than any interval leaves in doubt."""


def to_json(result: StudyResult) -> str:
    """The twin's text."""
    return result.model_dump_json(indent=1) + "\n"


def summary(result: StudyResult) -> StudyResult:
    """The result without its single restarts: small enough to keep beside a text about it.

    What is left are the estimates with their intervals, the verdicts and what was published; a
    report can be written from it, without the dots of the restarts and without the spectra.
    """
    cells = [
        cell.model_copy(update={"trials": [], "latency_spectrum": []}) for cell in result.cells
    ]
    comparisons = [row.model_copy(update={"dots": []}) for row in result.comparisons]
    return result.model_copy(update={"cells": cells, "comparisons": comparisons})


def to_short_json(result: StudyResult) -> str:
    """The text of a summary: numbers to five digits, a line for each row of its tables."""
    raw = _rounded(result.model_dump(mode="json"))
    fields = []
    for name, value in raw.items():
        if isinstance(value, list) and value:
            rows = ",\n  ".join(_line(row) for row in value)
            fields.append(f"{json.dumps(name)}: [\n  {rows}\n ]")
        else:
            fields.append(f"{json.dumps(name)}: {_line(value)}")
    return "{\n " + ",\n ".join(fields) + "\n}\n"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    if isinstance(value, dict):
        return {key: each if key.endswith("_at") else _rounded(each) for key, each in value.items()}
    return value


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
