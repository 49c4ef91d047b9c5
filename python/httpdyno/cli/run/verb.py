"""`httpdyno run STUDY`: measure a study and write its report."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.exports import Export, check_exports, read_exports, write_exports
from httpdyno.cli.faults import Faults
from httpdyno.cli.flags import argument, option
from httpdyno.cli.run.flags import RunFlags, RunSettings, read_run
from httpdyno.cli.values import Values, plain_text
from httpdyno.output.echo import echo
from httpdyno.output.printable import printable

if TYPE_CHECKING:
    from httpdyno.cli.run.measure import NarrowingFlags
    from httpdyno.running.options import RunOptions

__all__ = ["run"]


def run(  # noqa: PLR0913, PLR0917 - a flag each
    study: Annotated[
        str | None,
        argument(
            "STUDY",
            "A built-in study, by its name or the beginning of it; or a TOML file",
        ),
    ] = None,
    all_replays: Annotated[
        bool, option("--all-replays", "Run the five published comparisons in turn")
    ] = False,
    blocks: Annotated[str | None, shared.blocks("default: the study's")] = None,
    until: Annotated[
        str | None,
        option(
            "--until ±2%",
            "Stop once each difference is known this precisely, after --blocks at most (default"
            " 30)",
        ),
    ] = None,
    seed: Annotated[str | None, shared.shuffle_seed("default: the study's")] = None,
    only: Annotated[
        list[str] | None,
        option("--only ARM", "Measure only this server, arm or group (`python,node`); repeatable"),
    ] = None,
    server: shared.OwnServers = None,
    quick: Annotated[
        bool, option("--quick", "Three blocks of short trials: to try, not to publish")
    ] = False,
    export: shared.Export = None,
    *,
    flags: RunFlags,
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
    httpdyno run today-db --only python,node
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
    ):
        for text in texts:
            values.read(flag, None if text is None else str(text), plain_text)
    chosen: NarrowingFlags = {
        "only": only or (),
        "blocks": values.blocks(blocks),
        "seed": values.seed(seed),
        "until": values.read("--until", until, _precision),
        "quick": quick,
    }
    if all_replays and (study is not None or only):
        given = f"`{study}`" if study is not None else "`--only`"
        faults.add(f"`--all-replays` was given with {given}: expected one of them")
    settings = read_run(values, flags)
    exports = read_exports(values, export or ())
    if all_replays and exports:
        faults.add("`--export` was given with `--all-replays`: expected one study")
    if not all_replays and study is None:
        faults.add("STUDY is missing: expected a built-in study, a TOML file or `--all-replays`")
    faults.raise_any()
    options = settings.options(sys.argv[1:], servers=server or [])
    with settings.open_page():
        if study is None:
            from httpdyno.cli.run.replays import run_replays

            return run_replays(chosen, options, settings.on, dry_run=settings.dry_run)
        return _run_one(study, chosen, options, settings, exports)


def _precision(text: str) -> float:
    from httpdyno.study.precision import parse_precision

    return parse_precision(text)


def _run_one(
    name: str,
    chosen: NarrowingFlags,
    options: RunOptions,
    settings: RunSettings,
    exports: list[Export],
) -> int:
    from httpdyno.run import catalogue_of, read_study
    from httpdyno.running.own import port_warnings
    from httpdyno.servers import load_catalogue
    from httpdyno.study import narrow

    study = narrow(read_study(name, load_catalogue(options.servers)), **chosen)
    for warning in port_warnings(study):
        echo(f"warning: {printable(warning)}", err=True)
    if settings.dry_run:
        from httpdyno.cli.run.dry_run import show_plan

        catalogue = catalogue_of(study, options.servers)
        return show_plan(study, catalogue, elsewhere=settings.on is not None)
    from httpdyno.cli.run.measure import measure_and_show

    check_exports(exports)
    return measure_and_show(
        study, options, settings.on, lambda result, run: write_exports(result, exports, run=run)
    )
