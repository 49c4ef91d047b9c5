"""`httpdyno compare A B`: is B slower than A, and how sure is that?"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.compare.flags import (
    CompareFlags,
    FlagValues,
    Pair,
    read_flags,
    without_credentials,
)
from httpdyno.cli.exports import Export, check_exports, read_exports, write_exports
from httpdyno.cli.faults import Faults
from httpdyno.cli.run.flags import ClusterSettings, RunFlags, RunSettings, read_run
from httpdyno.cli.values import Values
from httpdyno.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from httpdyno.comparison.compare import CompareOutcome
    from httpdyno.comparison.specification import Specification
    from httpdyno.result import StudyResult
    from httpdyno.running.options import RunOptions

__all__ = ["Request", "carry_out", "compare", "exit_code", "read_request"]

TITLE = "Comparison of two builds"
"""Of its page, until its study has one."""


def compare(pair: Pair, flags: CompareFlags, export: shared.Export = None, *, run: RunFlags) -> int:
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
      httpdyno compare main . --start './server {port}' --path /orders --json-body '{"item": 1}'
      httpdyno compare main . --start './server {port}' --grpc shop.Orders/Get --proto a.proto
      httpdyno compare main . --start './server {port}' --export markdown=pr.md
      httpdyno compare main . --start './server {host} {port}' --on hosts.toml
    """
    faults = Faults("httpdyno compare --help")
    request = read_request(faults, pair, flags, export, run)
    with request.settings.open_page():
        found = carry_out(request, without_credentials(sys.argv[1:]))
    return ExitCode.OK if found is None else exit_code(found[0])


@dataclass(frozen=True)
class Request:
    """The comparison that a command line asks for."""

    chosen: FlagValues
    settings: RunSettings
    exports: list[Export]


def read_request(
    faults: Faults, pair: Pair, flags: CompareFlags, export: list[str] | None, run: RunFlags
) -> Request:
    """Read the flags. Raises UsageError with all that is wrong with them."""
    values = Values(faults)
    chosen = read_flags(values, pair, flags)
    settings = read_run(values, run)
    if settings.on is not None and flags.canary is not None:
        faults.add(
            "`--canary` was given with `--on`: expected it without, because its earlier results are"
            " those of this machine"
        )
    exports = read_exports(values, export or ())
    faults.raise_any()
    return Request(chosen, settings, exports)


def carry_out(
    request: Request, arguments: Sequence[str], *, is_shown: bool = True
) -> tuple[CompareOutcome, StudyResult | None] | None:
    """Measure, show and export the comparison; None: a dry run.

    `arguments`: its command line, after `httpdyno`. Without `is_shown`, its
    result is not printed.
    """
    from httpdyno.cli.compare.specification import specification_of
    from httpdyno.cli.compare.view import show, show_plan
    from httpdyno.cli.run.measure import tell_interrupted
    from httpdyno.comparison.report import checks

    settings = request.settings
    options = settings.options(arguments)
    spec = specification_of(request.chosen)
    if settings.on is not None and spec.saved is not None:
        raise UsageError(
            "a saved baseline was given with `--on`: expected two arms, which are measured together"
        )
    show_plan(spec, aside=not settings.dry_run)
    if settings.dry_run:
        return None
    check_exports(request.exports)
    found, result = _measure(spec, options, settings.on)
    if result is not None:
        if is_shown:
            show(found, result)
        write_exports(result, request.exports, checks(found), run=found.ended.run)
    if found.ended.interrupted:
        tell_interrupted(found.ended, options)
    return found, result


def exit_code(found: CompareOutcome) -> ExitCode:
    """The exit code of a comparison."""
    return ExitCode.INTERRUPTED if found.ended.interrupted else _EXIT[found.decided]


def _measure(
    spec: Specification, options: RunOptions, on: ClusterSettings | None
) -> tuple[CompareOutcome, StudyResult | None]:
    """The comparison, and its result with the decision as its answer."""
    from httpdyno.cli.run.measure import measuring
    from httpdyno.cli.serve.study_end import end_of
    from httpdyno.comparison.compare import compare as measure
    from httpdyno.comparison.report import with_answer

    with measuring(options, TITLE, on) as (run_options, events):
        compared = measure(spec, run_options, events)
        result = with_answer(compared, options)
        events.send(end_of(replace(compared.ended, result=result)))
        return compared, result


_EXIT = {
    "no regression shown": ExitCode.OK,
    "regression": ExitCode.REGRESSION,
    "cannot tell": ExitCode.CANNOT_TELL,
    "no result": ExitCode.INVALID,
}
