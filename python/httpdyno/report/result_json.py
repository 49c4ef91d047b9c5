"""The result as JSON: everything that a report shows, for programs and for writing it again.

A reader accepts its own version and older ones, ignores unknown fields, and refuses newer versions.
"""

from __future__ import annotations

import gc
import json
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.output.faults import parse_fault
from httpdyno.result import RESULT_VERSION, CellRow, Estimate, StudyResult
from httpdyno.result.ranges import impossible
from httpdyno.study import LOADS

NAME = "result.json"
MOST_BYTES = 2 * 1024**3
_GIVE = "give the result folder of a study, or the `result.json` in it"
_FORMAT = "httpdyno-result"
_FAULTS_SHOWN = 5
_NOT_IN_SUMMARY: dict[str, object] = {
    "trials": [],
    "latency_spectrum": [],
    "latency_density": [],
    "timeline": [],
}
_DIGITS = 5
"""Significant digits of a number in a summary: more than any interval is precise to."""
_UNSAFE = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""JSON allows these raw, terminals obey some of them."""
_HUGE = (re.compile(r"e\+?[0-9]{3}"), re.compile(r"E\+?[0-9]{3}"))
"""Exponents of numbers that may not be finite. Two patterns, each with one first letter, are six
times as fast as one."""
_ALL_ZEROS = str.maketrans("123456789", "0" * 9)
_HUGE_DIGITS = "0" * 309


def to_json(result: StudyResult) -> str:
    """The text of `result.json`."""
    return _escape(result.model_dump_json(indent=1)) + "\n"


def summary(result: StudyResult) -> StudyResult:
    """The result without its single trials: small enough to keep beside a text about it.

    It keeps the estimates with their intervals, the verdicts and the published numbers. A report
    written from it has no dots for single trials and no latency distributions.
    """
    cells = [cell.model_copy(update=_NOT_IN_SUMMARY | _endpoints(cell)) for cell in result.cells]
    comparisons = [row.model_copy(update={"dots": []}) for row in result.comparisons]
    return result.model_copy(update={"cells": cells, "comparisons": comparisons})


def _endpoints(cell: CellRow) -> dict[str, object]:
    return {"endpoints": [one.model_copy(update={"spectrum": []}) for one in cell.endpoints]}


def to_short_json(result: StudyResult) -> str:
    """The text of a summary: numbers to five digits, one line for each row of its tables."""
    raw = _round(result.model_dump(mode="json"))
    fields = []
    for name, value in raw.items():
        if isinstance(value, list) and value:
            rows = ",\n  ".join(_line(row) for row in value)
            fields.append(f"{json.dumps(name)}: [\n  {rows}\n ]")
        else:
            fields.append(f"{json.dumps(name)}: {_line(value)}")
    return _escape("{\n " + ",\n ".join(fields) + "\n}\n")


def _escape(text: str) -> str:
    if text.isascii() and "\x7f" not in text:  # most results, and much faster to see
        return text
    return _UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _round(value: Any) -> Any:
    if isinstance(value, float):
        rounded = float(f"{value:.{_DIGITS}g}")
        return rounded if math.isfinite(rounded) else None
    if isinstance(value, list):
        return [_round(each) for each in value]
    if isinstance(value, dict):
        return {key: each if key.endswith("_at") else _round(each) for key, each in value.items()}
    return value


def read(path: Path) -> StudyResult:
    """The result in a file, or in the `result.json` of a folder.

    Raises UsageError if it is no result that this version can read, EnvironmentFault if the file
    cannot be read.
    """
    file = path / NAME if path.is_dir() else path
    try:
        if file.exists() and not file.is_file():  # another kind may never end
            raise UsageError(
                f"`{file}` is not a regular file: expected the result of a study", hint=_GIVE
            )
        if file.exists() and (bytes_of := file.stat().st_size) > MOST_BYTES:
            raise UsageError(
                f"`{file}` has {bytes_of:,} bytes: expected the result of a study, with at most"
                f" {MOST_BYTES:,}",
                hint=_GIVE,
            )
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UsageError(
            f"`{file}` does not exist: expected the result of a study",
            hint=_GIVE,
        ) from None
    except UnicodeDecodeError:
        raise UsageError(
            f"`{file}` is not UTF-8 text: expected the JSON of a result",
            hint=_GIVE,
        ) from None
    except OSError as error:
        raise EnvironmentFault(f"`{file}` cannot be read: {error.strerror}") from error
    return parse(text, str(file))


def parse(text: str, name: str) -> StudyResult:
    """The result in the text of a `result.json`; `name` is its name in errors.

    Raises UsageError.
    """
    with _no_collection():
        result = _plain(text) or _mend(text, name)
        if faults := [*_unknown_loads(result), *_unknown_arms(result), *impossible(result)]:
            raise _incomplete(name, faults)
        return result


def _unknown_loads(result: StudyResult) -> Iterator[str]:
    for at, load in enumerate(result.loads):
        if load.kind not in LOADS:
            yield f"loads.{at}.kind: expected {', '.join(LOADS)}"


def _unknown_arms(result: StudyResult) -> Iterator[str]:
    arms = {arm.name for arm in result.arms}
    for at, cell in enumerate(result.cells):
        if cell.arm not in arms:
            yield f"cells.{at}.arm: expected the name of one of the arms"


@contextmanager
def _no_collection() -> Iterator[None]:
    """Without the collector of cyclic garbage: of millions of new objects, it looks at each several
    times, and a result has no cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _plain(text: str) -> StudyResult | None:
    """The result in a text as `to_json` writes it, read three times as fast; None: not one."""
    if _may_be_infinite(text):
        return None
    try:
        result = StudyResult.model_validate_json(text)
    except ValidationError:
        return None
    named = {"format", "version"} <= result.model_fields_set
    return result if named and result.version == RESULT_VERSION else None


def _may_be_infinite(text: str) -> bool:
    return (
        "NaN" in text
        or "Infinity" in text
        or any(huge.search(text) for huge in _HUGE)
        or _HUGE_DIGITS in text.translate(_ALL_ZEROS)
    )


def _mend(text: str, name: str) -> StudyResult:
    """The result in any JSON, without the numbers and characters in it that are none.

    Raises UsageError.
    """
    raw = _json(text, name)
    if not isinstance(raw, dict) or raw.get("format") != _FORMAT:
        raise UsageError(
            f'`{name}` is not a result: expected a JSON object with `"format": "{_FORMAT}"`',
            hint=_GIVE,
        )
    _check_version(raw.get("version"), name)
    try:
        return StudyResult.model_validate(raw)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        texts = [f"{'.'.join(map(str, one['loc']))}: {one['msg'].lower()}" for one in faults]
        raise _incomplete(name, texts) from None


def _json(text: str, name: str) -> Any:
    """The value of a JSON text; a number that is not finite counts as missing."""
    try:
        raw = json.loads(text, parse_float=_finite, parse_constant=lambda _: None)
        return _sound(raw)
    except (ValueError, RecursionError) as error:
        reason = parse_fault(error)
    raise UsageError(
        f"`{name}` is not valid JSON: {reason}", hint="restore the file, or run the study again"
    )


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


def _sound(value: Any) -> Any:
    """The value without estimates and pairs that lack a number, and without half characters."""
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, dict):
        if value.keys() == Estimate.model_fields.keys() and value["value"] is None:
            return None
        return {name: _sound(each) for name, each in value.items()}
    if isinstance(value, list):
        whole = [each for each in value if not (isinstance(each, list) and None in each)]
        return [_sound(each) for each in whole]
    return value


def _check_version(version: object, name: str) -> None:
    if version is True or version != RESULT_VERSION:
        raise UsageError(
            f"`{name}` has version {version!r:.40}: this httpdyno reads version {RESULT_VERSION}",
            hint="open it with the httpdyno that wrote it, or with a newer one",
        )


def _incomplete(name: str, faults: Sequence[str]) -> UsageError:
    more = len(faults) - _FAULTS_SHOWN
    rest = f"; and {more} more" if more > 0 else ""
    return UsageError(
        f"`{name}` is not a complete result: {'; '.join(faults[:_FAULTS_SHOWN])}{rest}",
        hint="restore the file, or run the study again",
    )
