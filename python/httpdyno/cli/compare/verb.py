"""`httpdyno compare A B`: is B slower than A, and how sure is that?"""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.compare import flags as given
from httpdyno.cli.exports import Export, check_exports, read_exports, write_exports
from httpdyno.cli.faults import Faults
from httpdyno.cli.run.machines import On, machines, read_on
from httpdyno.cli.serve.page import on_page, page_of
from httpdyno.cli.signals import stoppable
from httpdyno.cli.store import read_store
from httpdyno.cli.values import Values, plain_text
from httpdyno.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from httpdyno.comparison.compare import Compared
    from httpdyno.comparison.wanted import Wanted
    from httpdyno.result import StudyResult
    from httpdyno.running.options import RunOptions

__all__ = ["compare"]

MOST_BLOCKS = 1000
MOST_CORES = 8192
MOST_CONNECTIONS = 100_000
LEAST_RATE = 1.0
"""Of fewer requests per second, a measurement has too few for a p99."""
TITLE = "Comparison of two builds"
"""Of its page, until its study has one."""


def compare(  # noqa: PLR0913, PLR0917 - a flag each
    a: Annotated[str, typer.Argument(metavar="A", help="Baseline: what B is compared with")],
    b: Annotated[str, typer.Argument(metavar="B", help="The changed one")],
    start: given.Start = None,
    build: given.Build = None,
    ready: given.Ready = None,
    env: given.Env = None,
    cores: given.Cores = None,
    canary: given.CanaryFlag = None,
    path: given.PathFlag = None,
    any_body: given.AnyBody = False,
    workload: given.WorkloadFlag = None,
    connections: given.Connections = None,
    rate: given.Rate = None,
    duration: given.Duration = None,
    warm_up: given.WarmUp = None,
    margin: given.Margin = None,
    blocks: given.Blocks = None,
    seed: given.Seed = None,
    other_machine: given.OtherMachine = False,
    results: shared.Results = None,
    on: shared.On = None,
    certificates: shared.Certificates = None,
    wait: shared.Wait = False,
    node_wait: shared.NodeWait = None,
    export: shared.Export = None,
    database: shared.Store = None,
    resume: shared.Resume = False,
    dry_run: shared.DryRun = False,
    serve: shared.Serve = False,
    listen: shared.Listen = None,
    stay: shared.Stay = False,
) -> int:
    """Compare two builds of a server: is B slower than A, and how sure is that?

    Both are started anew for each measurement, in turn and in random order. Throughput is measured
    at full speed, p99 and CPU per request at a rate that both can hold. A 95 % interval over the
    restarts decides, against a margin.

    \b
    A and B are each one of these:
      main  HEAD~1  v1.2        git revision; with --start, or a server.toml
      .                         the uncommitted state of the work tree
      'cmd:CMD --port {port}'   command that starts a server
      mine/server.toml          server of your own; with :DEPLOYMENT, or its first
      starlette/1-worker        arm of the catalogue
      http://127.0.0.1:3000     server that is running already
      before.json               A only: a result measured earlier on this machine (not
                                with --on); with :ARM if it has several
    `git:` or `arm:` before a name says which it is.

    Exit code 0: no regression shown. 8: regression. 9: cannot tell. 6: no valid result.

    \b
    Examples:
      httpdyno compare main my-branch --start 'uvicorn app:app --port {port}'
      httpdyno compare main . --build 'npm ci' --start 'node server.js {port}'
      httpdyno compare 'cmd:./old {port}' 'cmd:./new {port}' --path /items
      httpdyno compare tornado/1-process starlette/1-worker --margin 5%
      httpdyno compare http://127.0.0.1:3000 http://127.0.0.1:3001
      httpdyno compare main . --start './server {port}' --export markdown=pr.md
      httpdyno compare main . --start './server {host} {port}' --on hosts.toml
    """
    faults = Faults("httpdyno compare --help")
    values = Values(faults)
    for name, words in (
        ("A", [a]),
        ("B", [b]),
        ("--start", start or []),
        ("--build", build or []),
        ("--ready", [ready]),
        ("--canary", [canary]),
        ("--path", [path]),
        ("--workload", [workload]),
        ("--results", [None if results is None else str(results)]),
    ):
        for word in words:
            values.read(name, word, plain_text)
    chosen = given.Flags(
        a=a,
        b=b,
        canary=canary,
        start=start or (),
        build=build or (),
        ready=values.read("--ready", ready, _path),
        env=given.read_variables(values, env or ()),
        cores=values.count("--cores", cores, MOST_CORES) or 1,
        path=values.read("--path", path, _path),
        any_body=any_body,
        workload=workload,
        connections=values.count("--connections", connections, MOST_CONNECTIONS),
        rate=values.rate("--rate", rate, LEAST_RATE),
        duration_s=values.seconds("--duration", duration),
        warm_up_s=values.seconds("--warm-up", warm_up, zero=True),
        margins=given.read_margins(values, margin or ()),
        blocks=values.count("--blocks", blocks, MOST_BLOCKS),
        seed=values.count("--seed", seed, 2**32 - 1, least=0),
        other_machine=other_machine,
    )
    used = read_on(values, on, certificates, wait=wait, node_wait=node_wait)
    if used is not None and canary is not None:
        faults.add(
            "`--canary` was given with `--on`: expected it without, because its earlier results are"
            " those of this machine"
        )
    exports = read_exports(values, export or ())
    store_url = read_store(values, database)
    page = page_of(values, serve and not dry_run, listen, stay)
    faults.raise_any()
    from httpdyno.running.options import RunOptions

    arguments = given.without_credentials(sys.argv[1:])
    options = RunOptions(arguments, results=results, resume=resume, store_url=store_url)
    with on_page(page, store_url):
        return _compare(chosen, options, exports, used, dry_run=dry_run)


def _compare(
    chosen: given.Flags,
    options: RunOptions,
    exports: list[Export],
    on: On | None,
    *,
    dry_run: bool,
) -> int:
    from httpdyno.cli.compare.view import show, show_plan
    from httpdyno.cli.compare.wanted import wanted_by
    from httpdyno.cli.run.measure import tell_interrupted
    from httpdyno.comparison.report import checks

    wanted = wanted_by(chosen)
    if on is not None and wanted.saved is not None:
        raise UsageError(
            "a saved baseline was given with `--on`: expected two arms, which are measured together"
        )
    show_plan(wanted, aside=not dry_run)
    if dry_run:
        return ExitCode.OK
    check_exports(exports)
    compared, result = _measured(wanted, options, on)
    if result is not None:
        show(compared, result)
        write_exports(result, exports, checks(compared), run=compared.ended.run)
    if compared.ended.interrupted:
        tell_interrupted(compared.ended, options)
        return ExitCode.INTERRUPTED
    return _EXIT[compared.decided]


def _measured(
    wanted: Wanted, options: RunOptions, on: On | None
) -> tuple[Compared, StudyResult | None]:
    """The comparison, and its result with the decision as its answer."""
    from httpdyno.cli.run.progress import showing
    from httpdyno.cli.serve.recording import end_of, recorded_study
    from httpdyno.comparison.compare import compare as measure
    from httpdyno.comparison.report import with_answer

    with (
        stoppable() as stop,
        recorded_study(options.command, TITLE) as events,
        showing(events, stop),
        machines(on, events) as site,
    ):
        heeded = replace(options, site=site, interrupted=lambda: stop.requested)
        compared = measure(wanted, heeded, events)
        result = with_answer(compared, options)
        events.send(end_of(replace(compared.ended, result=result)))
        return compared, result


def _path(text: str) -> str:
    if re.fullmatch("/[!-~]*", text) is None:
        raise ValueError("expected a path such as `/items?page=2`, in ASCII and without spaces")
    return text


_EXIT = {
    "no regression shown": ExitCode.OK,
    "regression": ExitCode.REGRESSION,
    "cannot tell": ExitCode.CANNOT_TELL,
    "no result": ExitCode.INVALID,
}
