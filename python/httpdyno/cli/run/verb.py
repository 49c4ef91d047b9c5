"""`httpdyno run STUDY`: measure a study and write its report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from httpdyno.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from httpdyno.cli.run.measure import Chosen

__all__ = ["run"]


def run(  # noqa: PLR0913, PLR0917 - a flag each
    study: Annotated[
        str | None, typer.Argument(metavar="STUDY", help="A built-in study, or a TOML file.")
    ] = None,
    all_replays: Annotated[
        bool, typer.Option("--all-replays", help="The five published comparisons, one by one.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the unfinished run of this study.")
    ] = False,
    blocks: Annotated[
        int | None, typer.Option("--blocks", min=1, max=1000, help="Restarts of each server.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, max=2**32 - 1, help="Decides the order.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="ARM", help="A server or an arm; repeatable."),
    ] = None,
    server: Annotated[
        list[Path] | None,
        typer.Option("--server", metavar="FILE", help="A server.toml of your own; repeatable."),
    ] = None,
    results: Annotated[
        Path | None, typer.Option("--results", metavar="DIR", help="Where the report goes.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Short trials, three blocks: to try, not to publish.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the plan and every command; run nothing.")
    ] = False,
) -> int:
    """Run a study: servers, workloads and loads, to a report.

    A built-in study's name may be cut short where no other begins so.

    Every trial is kept as soon as it is measured: Ctrl-C, or a crash, loses the running one at
    most, and --resume goes on, also with arms that were left out of a finished run. Exit code 6:
    nothing of the study is valid; 130: interrupted.

    \b
    httpdyno run demo
    httpdyno run tornado-vs-starlette --only tornado --blocks 5
    httpdyno run ./mine.toml --server ./mine/server.toml --results ./results
    httpdyno run ./mine.toml --resume
    httpdyno run --all-replays --quick
    """
    chosen: Chosen = {"only": only or (), "blocks": blocks, "seed": seed, "quick": quick}
    if all_replays:
        if study is not None or only:
            given = f"the study `{study}`" if study is not None else "`--only`"
            raise UsageError(f"--all-replays was given with {given}: expected it alone")
        from httpdyno.cli.run.replays import run_replays

        return run_replays(chosen, server or [], results, resume=resume, dry_run=dry_run)
    if study is None:
        raise UsageError(
            "no STUDY was given: expected a built-in study, a TOML file or --all-replays",
            hint="httpdyno run demo",
        )
    return _run_one(study, chosen, server or [], results, resume=resume, dry_run=dry_run)


def _run_one(
    name: str,
    chosen: Chosen,
    servers: list[Path],
    results: Path | None,
    *,
    resume: bool,
    dry_run: bool,
) -> int:
    from httpdyno.run import catalogue_of, read_study
    from httpdyno.servers import load_catalogue
    from httpdyno.study import narrow

    study = narrow(read_study(name, load_catalogue(servers)), **chosen)
    if dry_run:
        from httpdyno.cli.run.dry_run import show_plan

        show_plan(study, catalogue_of(study, servers))
        return ExitCode.OK
    from httpdyno.cli.run.measure import exit_code, measure, tell_interrupted
    from httpdyno.cli.run.table import show_result
    from httpdyno.running.options import RunOptions

    options = RunOptions(sys.argv[1:], results=results, resume=resume, servers=servers)
    ended = measure(study, options)
    if ended.result is not None:
        show_result(ended.result)
    if ended.report is not None:
        typer.echo(f"\nreport: {ended.report.html}\n  data: {ended.report.json}")
    if ended.interrupted:
        tell_interrupted(ended, options)
    return exit_code(ended)
