"""`httpdyno history`: what changed over the stored runs, when, and what changed with it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.faults import Faults
from httpdyno.cli.flags import argument, option
from httpdyno.cli.runs.options import chosen_runs
from httpdyno.cli.store import read_store
from httpdyno.cli.values import Values, picture_file, plain_text
from httpdyno.errors import UsageError
from httpdyno.metrics import EXPORTED
from httpdyno.output.echo import echo
from httpdyno.units import counted, parse_share

if TYPE_CHECKING:
    from httpdyno.history import Gap, Series
    from httpdyno.running.archive.histories import RunNumbers, Selection
    from httpdyno.store import RunSummary, Store

__all__ = ["history"]

METRICS = tuple(metric.name for metric in EXPORTED)
_HELP = "httpdyno history --help"


def history(  # noqa: PLR0913, PLR0917 - a flag each
    arm: Annotated[
        str | None,
        argument("ARM", "An arm, or a server: all of its arms (default: all)"),
    ] = None,
    study: shared.OfStudy = None,
    load: Annotated[str | None, option("--load NAME", "Only this load")] = None,
    metric: Annotated[
        list[str] | None,
        option(
            "--metric NAME", f"Only this metric: {', '.join(METRICS)}; repeatable", choices=METRICS
        ),
    ] = None,
    since: shared.Since = None,
    margin: Annotated[
        str,
        option(
            "--margin SHARE",
            "Largest change that does not matter (default 5%); smaller ones are marked",
        ),
    ] = "5%",
    valid_only: Annotated[
        bool, option("--valid-only", "Leave out suspect numbers (default: they are marked)")
    ] = False,
    all_machines: Annotated[
        bool, option("--all-machines", "Put the runs of all machines into one series")
    ] = False,
    points: Annotated[bool, option("--points", "Show the number of each run")] = False,
    chart: shared.Chart = None,
    database: shared.Store = None,
    as_json: shared.AsJson = False,
) -> None:
    """Show how the numbers of stored runs changed over time, and what changed with them.

    Each arm, load, metric and machine has a series with a point per run. A change is a lasting step
    of its mean. If runs are independent, at most 1 of 20 histories without a change claims one.
    Beside a change stands what differs between the runs before and after it: versions and facts
    about the machine.

    A series needs 4 runs or more.
    https://httpdyno.github.io/httpdyno/guides/history/ explains the output.

    \b
    httpdyno history
    httpdyno history nginx --metric p99 --since 90d
    httpdyno history --study demo --margin 3% --chart demo.png
    httpdyno history nginx/1-worker --points
    httpdyno history --study demo --store postgresql://httpdyno@db/bench
    """
    from httpdyno.cli.history.view import show, show_json
    from httpdyno.history import follow
    from httpdyno.running.archive.histories import Selection, is_of
    from httpdyno.store import open_store

    faults = Faults(_HELP)
    values = Values(faults)
    for flag, text in (("ARM", arm), ("--load", load)):
        values.read(flag, text, plain_text)
    drawing = values.read("--chart", chart, picture_file)
    for name in metric or ():
        values.choice("--metric", name, METRICS)
    smallest = values.read("--margin", margin, _share)
    url = read_store(values, database)
    faults.raise_any()
    store = open_store(url, reading=True)
    runs = chosen_runs(store, study, since, _HELP)
    selection = Selection(
        load, tuple(metric or ()), valid_only=valid_only, all_machines=all_machines
    )
    found = _collect(store, runs, selection)
    every = follow(found.observations, found.gaps, margin=smallest or 0.0)
    series = [one for one in every if is_of(arm, one.place.arm, one.latest.server)]
    left_out, without = found.suspect_of(arm), found.without(arm)
    if not series:
        raise _nothing(runs, arm, left_out, without)
    if as_json:
        show_json(series, left_out, without)
    else:
        show(series, left_out, without, points=points)
    if drawing is not None:
        _draw(series, Path(drawing))


def _collect(store: Store, runs: list[RunSummary], selection: Selection) -> RunNumbers:
    """The numbers of these runs; its progress is shown on a terminal."""
    from httpdyno.running.archive.histories import collect

    def tell(count: int) -> None:
        if sys.stderr.isatty() and count % 10 == 0:
            echo(f"\rread {count:,} of {len(runs):,} runs", nl=False, err=True)

    found = collect(store, runs, selection, tell)
    if sys.stderr.isatty() and len(runs) >= 10:
        echo("\r\x1b[K", nl=False, err=True)
    for sentence in found.unreadable:
        echo(sentence, err=True)
    return found


def _nothing(
    runs: list[RunSummary], arm: str | None, suspect: int, without: list[Gap]
) -> UsageError:
    """The error for a history without any number."""
    if not runs:
        return UsageError("no run is stored: expected at least one", hint="httpdyno run demo")
    if suspect:
        return UsageError(
            f"all {suspect:,} numbers of {len(runs):,} runs are suspect: expected valid ones",
            hint="without `--valid-only` they are used and marked",
        )
    if without:
        last = without[-1]
        return UsageError(
            f"no run has a number of `{last.place.arm}` under {last.place.load} · "
            f"{last.place.point}: run {last.run} is invalid ({last.reason or 'no reason'})",
            hint="`httpdyno runs list` shows the runs with their verdicts",
        )
    arms = sorted({arm for run in runs for arm in run.arms})
    known = ", ".join(f"`{arm}`" for arm in arms[:12])
    of_arm = f" of `{arm}`" if arm else ""
    return UsageError(
        f"no number{of_arm} here in {counted(len(runs), 'stored run')}: "
        + (f"expected one of the measured arms ({known})" if known else "no arm was measured"),
        hint="`httpdyno runs list` shows all runs",
    )


def _draw(series: list[Series], chart: Path) -> None:
    from httpdyno.report import write_history

    drawn = write_history(series, chart)
    more = f" ({drawn} of {len(series)} series: choose fewer to see others)"
    echo(f"chart: {chart}{more if drawn < len(series) else ''}", err=True)


def _share(text: str) -> float:
    """A share below 10, or 1,000 %. Raises ValueError."""
    share = parse_share(text)
    if share >= 10:
        raise ValueError("expected a share below 1000 %, such as `3%` or `0.03`")
    return share
