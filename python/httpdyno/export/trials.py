"""Tables with one row per trial, or one per trial and endpoint: as CSV, or as Parquet if pyarrow is
installed.

`docs/guides/history.md` documents the columns. Times are seconds, rates per second, sizes bytes.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from httpdyno.dates import iso
from httpdyno.errors import EnvironmentFault
from httpdyno.export.checks import Check
from httpdyno.extras import install_command
from httpdyno.output.printable import printable
from httpdyno.result import ArmInfo, CellRow, EndpointTrial, StudyResult, TrialRow

_FORMULA = ("=", "+", "-", "@")
_NOT_MEASURED = {"block", "status", "reasons", "pace", "endpoints"}
_MEASURED = tuple(name for name in TrialRow.model_fields if name not in _NOT_MEASURED)
_PLACE = (
    *("run", "origin", "study", "run_started_at", "httpdyno"),
    *("arm", "server", "deployment", "workload", "version"),
    *("load", "point", "rate_per_s", "block", "verdict", "reasons"),
)
COLUMNS = (*_PLACE, *_MEASURED)
_STEP = ("begins_s", "ends_s", "from_per_s", "to_per_s")
_OF_ENDPOINT = tuple(n for n in EndpointTrial.model_fields if n not in {"name", "steps"})
ENDPOINT_COLUMNS = (*_PLACE, "endpoint", *(f"step_{name}" for name in _STEP), *_OF_ENDPOINT)
_TEXTS = frozenset(COLUMNS[1:12]) | {"verdict", "reasons"}
_WHOLE = frozenset({"run", "block", "server_rss_bytes", "server_threads", "server_processes"})


@dataclass(frozen=True)
class Run:
    """A result with its number in the store, and where it came from."""

    result: StudyResult
    number: int | None = None
    origin: str = ""
    """Empty: measured on this machine."""


def trials_csv(result: StudyResult, checks: Sequence[Check] = ()) -> str:
    """The trials of one result as CSV."""
    return runs_csv([Run(result)])


def runs_csv(runs: Iterable[Run]) -> str:
    """The trials of several runs as CSV (RFC 4180, with line feeds).

    A text that a spreadsheet would read as a formula begins with an apostrophe (OWASP, "CSV
    Injection").
    """
    return _csv(COLUMNS, rows(runs))


def endpoints_csv(result: StudyResult, checks: Sequence[Check] = ()) -> str:
    """The endpoints of the trials of one result as CSV."""
    return runs_endpoints_csv([Run(result)])


def runs_endpoints_csv(runs: Iterable[Run]) -> str:
    """The endpoints of the trials of several runs as CSV: a row for each in each trial, and one for
    each step of its rate."""
    return _csv(ENDPOINT_COLUMNS, _endpoint_rows(runs))


def _csv(columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_field(row[name]) for name in columns])
    return text.getvalue()


def runs_parquet(runs: Iterable[Run]) -> bytes:
    """The trials of several runs as Parquet. Raises EnvironmentFault without pyarrow."""
    try:
        import pyarrow  # noqa: PLC0415, an optional dependency
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError:
        raise EnvironmentFault(
            "Parquet needs the package `pyarrow`, which is not installed",
            hint=f"run `{install_command('parquet')}`, or export to CSV",
        ) from None
    every = list(rows(runs))
    schema = pyarrow.schema([(name, _arrow_type(pyarrow, name)) for name in COLUMNS])
    columns = {name: [row[name] for row in every] for name in COLUMNS}
    sink = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns, schema=schema), sink)
    return sink.getvalue()


def rows(runs: Iterable[Run]) -> Iterator[dict[str, Any]]:
    """One row per trial, by column; a number without a result is None."""
    for place, trial in _trials(runs):
        yield {**place, **{name: getattr(trial, name) for name in _MEASURED}}


def _endpoint_rows(runs: Iterable[Run]) -> Iterator[dict[str, Any]]:
    for place, trial in _trials(runs):
        for one in trial.endpoints:
            for part in (one, *one.steps):
                yield {
                    **place,
                    "endpoint": printable(one.name),
                    **{f"step_{name}": getattr(part, name, None) for name in _STEP},
                    **{name: getattr(part, name) for name in _OF_ENDPOINT},
                }


def _trials(runs: Iterable[Run]) -> Iterator[tuple[dict[str, Any], TrialRow]]:
    """Each trial, with the columns that say which one it is."""
    for run in runs:
        arms = {arm.name: arm for arm in run.result.arms}
        for cell in run.result.cells:
            for trial in cell.trials:
                yield _place(run, arms.get(cell.arm), cell, trial), trial


def _place(run: Run, arm: ArmInfo | None, cell: CellRow, trial: TrialRow) -> dict[str, Any]:
    texts = {
        "origin": run.origin,
        "study": run.result.name,
        "run_started_at": iso(run.result.started_at),
        "httpdyno": run.result.httpdyno_version,
        "arm": cell.arm,
        "server": arm.server if arm else "",
        "deployment": arm.deployment if arm else "",
        "workload": arm.workload if arm else "",
        "version": arm.version if arm else "",
        "load": cell.load,
        "point": cell.point,
        "verdict": trial.status,
        "reasons": " ".join(reason.code for reason in trial.reasons),
    }
    return {
        "run": run.number,
        **{name: printable(text) for name, text in texts.items()},
        "rate_per_s": cell.rate_per_s,
        "block": trial.block,
    }


def _field(value: Any) -> Any:
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value


def _arrow_type(pyarrow: Any, name: str) -> Any:
    if name in _TEXTS:
        return pyarrow.string()
    return pyarrow.int64() if name in _WHOLE else pyarrow.float64()
