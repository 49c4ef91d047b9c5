"""`httpdyno runs export`: stored runs as a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.faults import Faults
from httpdyno.cli.flags import argument, option
from httpdyno.cli.runs.options import chosen_runs
from httpdyno.cli.store import read_store
from httpdyno.cli.values import Values, plain_text
from httpdyno.errors import UsageError
from httpdyno.output.echo import echo
from httpdyno.output.files import check_file, write_file
from httpdyno.units import size

if TYPE_CHECKING:
    from httpdyno.store import Store, StoredRun

__all__ = ["export"]

OF_ENDINGS = ("csv", "json", "parquet")
FORMATS = (*OF_ENDINGS, "otava", "otava-config")
_HELP = "httpdyno runs export --help"


def export(
    to: Annotated[Path, option("--to FILE", "File to write")],
    what: Annotated[
        str | None,
        argument("WHAT", "Number of a run, or a study: all of its runs"),
    ] = None,
    every: Annotated[bool, option("--all", "Every stored run")] = False,
    since: shared.Since = None,
    database: shared.Store = None,
    form: Annotated[
        str | None,
        option(
            "--format FORMAT",
            f"One of {', '.join(FORMATS)} (default: by the end of the file's name)",
            choices=FORMATS,
        ),
    ] = None,
) -> None:
    """Write stored runs to a file.

    csv and parquet have a row per trial. json loses nothing, and `httpdyno runs import` reads it.
    otava has a row per run, for Apache Otava; otava-config is the otava.yaml beside it.

    \b
    Examples:
      httpdyno runs export 3 --to run-3.json
      httpdyno runs export demo --since 30d --to demo.csv
      httpdyno runs export --all --to runs.parquet
      httpdyno runs export demo --to demo.csv --format otava
    """
    from httpdyno.store import open_store

    chosen, url = _read_flags(to, what, form, database, every=every)
    check_file(to)
    store = open_store(url, reading=True)
    runs = _runs(store, what, since)
    if not runs:
        raise UsageError("no stored run to export: expected at least one", hint="httpdyno run demo")
    write_file(to, _content(store, runs, chosen, to))
    noun = "run" if len(runs) == 1 else "runs"
    echo(f"{len(runs):,} {noun}: {to}", err=True)


def _read_flags(
    to: Path, what: str | None, form: str | None, database: str | None, *, every: bool
) -> tuple[str, str | None]:
    """The format and the database. Raises UsageError with every fault of the command line."""
    faults = Faults(_HELP)
    values = Values(faults)
    values.read("--to", str(to), plain_text)
    values.read("WHAT", what, plain_text)
    if (what is None) != every:
        given = "both" if every else "neither"
        faults.add(f"{given} of WHAT and `--all` were given: expected one of them")
    if form is None:
        chosen = values.read("--to", str(to), _format_of)
    else:
        chosen = values.choice("--format", form, FORMATS)
    url = read_store(values, database)
    faults.raise_any()
    return chosen or "", url


def _format_of(name: str) -> str:
    """The format by the end of a file's name. Raises ValueError."""
    ending = Path(name).suffix.removeprefix(".")
    if ending not in OF_ENDINGS:
        known = ", ".join(f"`.{one}`" for one in OF_ENDINGS)
        raise ValueError(f"expected a name that ends in one of {known}; or use `--format`")
    return ending


def _runs(store: Store, what: str | None, since: str | None) -> list[StoredRun]:
    """The chosen runs, oldest first."""
    from httpdyno.running.projects.named_study import named_study
    from httpdyno.running.stored_result import find_run

    if what is not None and what.isdecimal() and named_study(store, what) is None:
        return [find_run(store, what)]
    summaries = chosen_runs(store, what, since, _HELP)
    return [run for one in summaries if (run := store.run(one.id)) is not None]


def _content(store: Store, runs: Sequence[StoredRun], form: str, to: Path) -> str | bytes:
    if form == "json":
        return _json(store, runs)
    from httpdyno.export.otava import otava
    from httpdyno.export.trials import Run, runs_csv, runs_parquet
    from httpdyno.running.stored_result import stored_result

    results = [Run(stored_result(store, run), run.id, run.origin or "") for run in runs]
    if form == "csv":
        return runs_csv(results)
    if form == "parquet":
        return runs_parquet(results)
    table = otava([one.result for one in results])
    if not table.rows:
        raise UsageError(
            f"none of {len(runs):,} runs has valid numbers that most of them have: expected some",
            hint="`httpdyno runs list` shows their verdicts",
        )
    if table.left_out:
        echo(f"left out: {table.left_out:,} runs that lack a number of the others", err=True)
    if form == "otava":
        return table.csv
    return table.config(runs[-1].study, to.with_suffix(".csv").name)


def _json(store: Store, runs: Sequence[StoredRun]) -> str:
    from httpdyno.running.archive.document import MOST_BYTES, document_of, to_json

    text = to_json(document_of(store, run) for run in runs)
    if len(text.encode()) > MOST_BYTES:
        raise UsageError(
            f"these {len(runs):,} runs have {size(len(text))}: expected {size(MOST_BYTES)} at most,"
            " since no larger file can be imported",
            hint="export fewer at a time, such as `httpdyno runs export 1 --to 1.json`",
        )
    return text
