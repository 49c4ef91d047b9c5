"""`httpdyno run STUDY`: measure a study and write its report."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.exports import (
    Export,
    check_exports,
    read_exports,
    write_exports,
)
from httpdyno.cli.faults import Faults
from httpdyno.cli.run.machines import On, read_on
from httpdyno.cli.serve.page import on_page, page_of
from httpdyno.cli.store import read_store
from httpdyno.cli.values import Values, plain_text

if TYPE_CHECKING:
    from httpdyno.cli.run.measure import Chosen
    from httpdyno.running.options import RunOptions

__all__ = ["run"]

MOST_BLOCKS = 1000


def run(  # noqa: PLR0913, PLR0917 - a flag each
    study: Annotated[
        str | None,
        typer.Argument(
            metavar="STUDY",
            help="A built-in study, by its name or the beginning of it; or a TOML file",
        ),
    ] = None,
    all_replays: Annotated[
        bool, typer.Option("--all-replays", help="Run the five published comparisons in turn")
    ] = False,
    resume: shared.Resume = False,
    blocks: Annotated[str | None, shared.blocks("default: the study's")] = None,
    until: Annotated[
        str | None,
        typer.Option(
            "--until",
            metavar="±2%",
            help="Stop once each difference is known this precisely, after --blocks at most"
            " (default 30)",
        ),
    ] = None,
    seed: Annotated[str | None, shared.shuffle_seed("default: the study's")] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="ARM", help="Measure only this server or arm; repeatable"),
    ] = None,
    server: shared.OwnServers = None,
    results: shared.Results = None,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Three blocks of short trials: to try, not to publish"),
    ] = False,
    on: shared.On = None,
    certificates: shared.Certificates = None,
    wait: shared.Wait = False,
    node_wait: shared.NodeWait = None,
    export: shared.Export = None,
    database: shared.Store = None,
    dry_run: shared.DryRun = False,
    serve: shared.Serve = False,
    listen: shared.Listen = None,
    stay: shared.Stay = False,
) -> int:
    """Run a study: servers, workloads and loads, to a report.

    Each trial is stored as soon as it is measured. After Ctrl-C or a crash, the same command with
    --resume measures the remaining trials; so it does for arms that could not be measured. Two runs
    on one machine take turns: the second waits for the first.

    With --until, the intervals hold after every block at once, so they are about 1.7 times as wide
    as those of a fixed number of blocks.

    With --on, the load comes from the machines of the role generator, and the servers run on the
    one of the role server, else on this one. Servers of your own are sent there; --dry-run shows
    which files, and every command.

    Exit code 6: no result is valid. 130: interrupted.

    \b
    httpdyno run demo
    httpdyno run demo --resume
    httpdyno run demo --serve
    httpdyno run tornado-vs-starlette --only tornado --blocks 5
    httpdyno run demo --until ±5% --blocks 40
    httpdyno run ./mine.toml --server ./mine/server.toml --results ./results
    httpdyno run demo --export markdown=pr.md --export junit=junit.xml
    httpdyno run --all-replays --quick
    httpdyno run ./mine.toml --store postgresql://httpdyno@db/bench
    httpdyno run study.toml --on hosts.toml
    """
    faults = Faults("httpdyno run --help")
    values = Values(faults)
    for flag, texts in (
        ("STUDY", [study]),
        ("--only", only or []),
        ("--server", server or []),
        ("--results", [results]),
    ):
        for text in texts:
            values.read(flag, None if text is None else str(text), plain_text)
    chosen: Chosen = {
        "only": only or (),
        "blocks": values.count("--blocks", blocks, MOST_BLOCKS),
        "seed": values.count("--seed", seed, 2**32 - 1, least=0),
        "until": values.read("--until", until, _precision),
        "quick": quick,
    }
    if all_replays and (study is not None or only):
        given = f"`{study}`" if study is not None else "`--only`"
        faults.add(f"`--all-replays` was given with {given}: expected one of them")
    used = read_on(values, on, certificates, wait=wait, node_wait=node_wait)
    exports = read_exports(values, export or ())
    store_url = read_store(values, database)
    if all_replays and exports:
        faults.add("`--export` was given with `--all-replays`: expected one study")
    if not all_replays and study is None:
        faults.add("STUDY is missing: expected a built-in study, a TOML file or `--all-replays`")
    page = page_of(values, serve and not dry_run, listen, stay)
    faults.raise_any()
    from httpdyno.running.options import RunOptions

    options = RunOptions(
        sys.argv[1:], results=results, resume=resume, servers=server or [], store_url=store_url
    )
    with on_page(page, store_url):
        if study is None:
            from httpdyno.cli.run.replays import run_replays

            return run_replays(chosen, options, used, dry_run=dry_run)
        return _run_one(study, chosen, options, exports, used, dry_run=dry_run)


def _precision(text: str) -> float:
    from httpdyno.study.precision import parse_precision

    return parse_precision(text)


def _run_one(
    name: str,
    chosen: Chosen,
    options: RunOptions,
    exports: list[Export],
    used: On | None,
    *,
    dry_run: bool,
) -> int:
    from httpdyno.output.printable import printable
    from httpdyno.run import catalogue_of, read_study
    from httpdyno.running.own import port_warnings
    from httpdyno.servers import load_catalogue
    from httpdyno.study import narrow

    study = narrow(read_study(name, load_catalogue(options.servers)), **chosen)
    for warning in port_warnings(study):
        typer.echo(f"warning: {printable(warning)}", err=True)
    if dry_run:
        from httpdyno.cli.run.dry_run import show_plan

        return show_plan(study, catalogue_of(study, options.servers), elsewhere=used is not None)
    from httpdyno.cli.run.measure import exit_code, measure, tell_interrupted
    from httpdyno.cli.run.table import show_result

    check_exports(exports)
    ended = measure(study, options, used)
    if ended.result is not None:
        show_result(ended.result, "" if ended.report is None else str(ended.report.html))
    if ended.report is not None:
        typer.echo(f"\nreport: {ended.report.html}\n  data: {ended.report.json}")
    if ended.result is not None:
        write_exports(ended.result, exports, run=ended.run)
    if ended.interrupted:
        tell_interrupted(ended, options)
    return exit_code(ended)
