"""Reads exported runs, which come from anywhere: everything is checked before anything is stored.

A file is refused whole, in one sentence that says what is wrong with it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from pydantic import ValidationError

from httpdyno.errors import EnvironmentFault, HttpdynoError, UsageError
from httpdyno.outcome import TrialOutcome
from httpdyno.output.faults import first_fault, parse_fault
from httpdyno.plan import Plan
from httpdyno.running.archive.document import (
    FORMAT,
    MOST_BYTES,
    MOST_TRIALS,
    VERSION,
    RunDocument,
    RunsDocument,
)
from httpdyno.running.documents import ServersDocument, study_of
from httpdyno.running.stored_result import Conclusion, result_of
from httpdyno.store import StoredRun
from httpdyno.study.size import too_many_trials
from httpdyno.units import size

_CHECK = (
    "check the path; on the other machine `httpdyno runs export 1 --to 1.json` writes such a file"
)
_HINT = "export it again: `httpdyno runs export 1 --to 1.json`"


@dataclass(frozen=True)
class FileRun:
    """A run from a file, known to be readable."""

    document: RunDocument
    run: StoredRun
    trials: tuple[TrialOutcome, ...]
    file: Path


def read_runs(file: Path) -> list[FileRun]:
    """The runs in a file. Raises UsageError if one of them is not whole, or of a newer version;
    EnvironmentFault if the file cannot be read."""
    raw = _json(_text(file), file)
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        _refuse(file, f'it is no export of runs: expected an object with `"format": "{FORMAT}"`')
    version = raw.get("version")
    if version is True or version != VERSION:
        raise UsageError(
            f"`{file}` has version {version!r:.40}: this httpdyno reads version {VERSION}",
            hint="import it with the httpdyno that wrote it, or with a newer one",
        )
    try:
        document = RunsDocument.model_validate(raw)
    except ValidationError as error:
        _refuse(file, first_fault(error))
    return [_check(file, at, run) for at, run in enumerate(document.runs, start=1)]


def _text(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            data = opened.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise UsageError(f"`{file}` does not exist: expected exported runs", hint=_CHECK) from None
    except OSError as error:
        raise EnvironmentFault(f"`{file}` cannot be read: {error.strerror}") from None
    if len(data) > MOST_BYTES:
        raise UsageError(
            f"`{file}` has more than {size(MOST_BYTES)}: expected fewer runs in one file",
            hint="export them in several files: `httpdyno runs export 1 --to 1.json`",
        )
    try:
        return data.decode()
    except UnicodeDecodeError:
        _refuse(file, "it is not UTF-8 text")


def _json(text: str, file: Path) -> Any:
    try:
        raw = json.loads(text, parse_constant=_not_finite)
        json.dumps(raw, ensure_ascii=False, allow_nan=False).encode()
    except RecursionError as error:
        _refuse(file, parse_fault(error))
    except UnicodeEncodeError:
        _refuse(file, "it has half a character (a lone surrogate) in a text")
    except ValueError as error:
        _refuse(file, f"it is not valid JSON: {parse_fault(error)}")
    return raw


def _not_finite(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _check(file: Path, at: int, document: RunDocument) -> FileRun:
    """The run with its trials, once its result could be computed as a report would."""
    run = StoredRun(
        id=at,
        folder=None,
        facts=tuple(document.facts),
        **document.model_dump(
            exclude={"facts", "trials", "failures", "ceilings"},
        ),
    )
    try:
        trials = tuple(_trial(each) for each in document.trials)
        _check_keys(document, trials)
        servers = ServersDocument.model_validate_json(run.servers_document)
        if run.conclusion is not None:
            Conclusion.model_validate_json(run.conclusion)
        study = study_of(run)
        if (large := too_many_trials(study)) is not None:
            raise ValueError(large)
        plan = Plan(study, servers.abilities)
        result_of(run, plan, servers, trials, document.failures).model_dump_json()
    except ValidationError as error:
        _refuse(file, f"run {at} of it: {first_fault(error)}")
    except HttpdynoError as error:
        _refuse(file, f"run {at} of it: {error.message.splitlines()[0]}")
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        _refuse(file, f"run {at} of it has no result: {error}")
    return FileRun(document, run, trials, file)


def _trial(document: dict[str, Any]) -> TrialOutcome:
    return TrialOutcome.model_validate(document)


def _check_keys(document: RunDocument, trials: tuple[TrialOutcome, ...]) -> None:
    """Raises ValueError for what the tables would refuse."""
    numbers = [trial.index for trial in trials]
    if len(set(numbers)) < len(numbers):
        raise ValueError("two of its trials have the same index")
    numbers += [trial.block for trial in trials]
    if not all(0 <= number < MOST_TRIALS for number in numbers):
        raise ValueError(f"the index of a trial is not between 0 and {MOST_TRIALS:,}")
    failed = [(failure.arm, failure.stage) for failure in document.failures]
    if len(set(failed)) < len(failed):
        raise ValueError("an arm failed twice at the same stage")


def _refuse(file: Path, why: str) -> NoReturn:
    raise UsageError(f"`{file}` was not imported: {why[:500]}", hint=_HINT) from None
