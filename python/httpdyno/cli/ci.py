"""`httpdyno ci`: `compare` for the job of a pull request, with its answer where it is read."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.compare.flags import CompareFlags, Pair, without_credentials
from httpdyno.cli.compare.verb import Request, carry_out, exit_code, read_request
from httpdyno.cli.faults import Faults
from httpdyno.cli.flags import switch, text
from httpdyno.cli.run.flags import RunFlags
from httpdyno.cli.values import Values
from httpdyno.errors import EnvironmentFault, ExitCode, HttpdynoError
from httpdyno.host.pinning import available
from httpdyno.output.secrets import masked_text

if TYPE_CHECKING:
    from httpdyno.comparison.compare import CompareOutcome
    from httpdyno.result import StudyResult

__all__ = ["ci"]

HEADING = "CI"
FAILURES = ("regression", "undecided")
_PASSES = {"regression": {ExitCode.CANNOT_TELL}, "undecided": set[ExitCode]()}
"""The exit codes that `--fail-on` turns into 0."""
ACTION = "HTTPDYNO_INPUT_START"
"""A variable that the step of action.yml has."""


@dataclass(frozen=True)
class CiFlags:
    """The flags as they are typed."""

    base: str | None = text(
        "--base REV", "Revision to compare with (default: the pull request's target)", HEADING
    )
    head: str | None = text("--head REV", "The changed revision (default HEAD)", HEADING)
    fail_on: str = text(
        "--fail-on WHAT",
        "Answers that fail the job: regression (default), or undecided too",
        HEADING,
        default="regression",
        choices=FAILURES,
    )
    comment: bool = switch(
        "--comment",
        "Also comment on the pull request, and edit that comment later; the token is"
        " HTTPDYNO_GITHUB_TOKEN",
        HEADING,
    )


def ci(own: CiFlags, flags: CompareFlags, export: shared.Export = None, *, run: RunFlags) -> int:
    """Compare a pull request with its target, in a job of GitHub, GitLab or another CI.

    It is `httpdyno compare` with two revisions that it finds by itself: a pull request or a merge
    request, and its target. On GitHub the answer is in the job's summary, its annotations and the
    outputs verdict, ratio, interval (of requests/s) and report. Elsewhere it is Markdown on stdout.

    Exit code 0: no regression shown, or undecided (a warning). 8: regression. 6: no valid result.
    With --fail-on undecided, 9: cannot tell.

    \b
    Examples:
      httpdyno ci --start 'uvicorn app:app --port {port}'
      httpdyno ci --start './server {port}' --build make --margin 3% --blocks 20
      httpdyno ci --base v1.2 --start './server {port}' --fail-on undecided
      httpdyno ci --start './server {port}' --export junit=httpdyno.xml
    """
    from httpdyno.ci.github import annotate, failure_summary, without_commands
    from httpdyno.ci.summary import NO_OUTPUTS
    from httpdyno.output.echo import is_github

    faults = Faults("httpdyno ci --help")
    Values(faults).choice("--fail-on", own.fail_on, FAILURES)
    try:
        request, arguments = _request(faults, own, flags, export, run)
        with request.settings.open_page(), without_commands():
            found = carry_out(request, arguments, is_shown=is_github())
    except HttpdynoError as error:
        message, hint = masked_text(error.message), masked_text(error.hint or "")
        if is_github():
            annotate("error", message)
        heading = "httpdyno could not compare the two builds"
        _publish(NO_OUTPUTS, failure_summary(heading, message, hint), is_commented=own.comment)
        raise
    if found is None or found[1] is None:
        return ExitCode.OK if found is None else exit_code(found[0])
    return _tell(found[0], found[1], own)


def _request(
    faults: Faults,
    own: CiFlags,
    flags: CompareFlags,
    export: list[str] | None,
    run: RunFlags,
) -> tuple[Request, Sequence[str]]:
    """The comparison of the two revisions, and its command line."""
    from dataclasses import replace

    from httpdyno.ci.revisions import revisions

    found = revisions(own.base, own.head, os.environ, Path.cwd())
    pair = Pair(f"git:{found.base}", f"git:{found.head}")
    request = read_request(faults, pair, flags, export, run)
    settings = replace(request.settings, is_of_action=ACTION in os.environ)
    chosen = replace(request.chosen, names=found.names)
    return replace(request, chosen=chosen, settings=settings), without_credentials(sys.argv[1:])


def _tell(found: CompareOutcome, result: StudyResult, own: CiFlags) -> int:
    """Show the answer where it is read; the exit code of the job."""
    from httpdyno.ci.github import annotate
    from httpdyno.ci.summary import few_processors, outputs, summary

    processors = len(available())
    code = exit_code(found)
    level: Literal["error", "warning"] = "warning" if code is ExitCode.CANNOT_TELL else "error"
    if code is not ExitCode.OK:
        annotate(level, result.answer)
    if (few := few_processors(processors)) is not None:
        annotate("warning", few)
    is_written = _publish(
        outputs(found), summary(found, result, processors), is_commented=own.comment
    )
    if code is not ExitCode.OK and code not in _PASSES[own.fail_on]:
        return code
    return ExitCode.OK if is_written else ExitCode.ENVIRONMENT


def _publish(values: Mapping[str, str], markdown: str, *, is_commented: bool) -> bool:
    """Write the outputs, the summary, and the comment on the pull request, if there is to be one.

    False: a file could not be written, which a warning says.
    """
    from httpdyno.ci.comment import SkippedError, comment
    from httpdyno.ci.github import annotate, set_outputs, summarise, without_commands
    from httpdyno.output.echo import echo

    is_written, is_summarised = True, False
    try:
        set_outputs(values)
    except EnvironmentFault as fault:
        is_written = False
        annotate("warning", fault.message)
    try:
        is_summarised = summarise(markdown)
    except EnvironmentFault as fault:
        is_written = False
        annotate("warning", fault.message)
    if not is_summarised:
        with without_commands():
            echo(markdown, nl=False)
    if is_commented:
        try:
            echo(f"comment: {comment(markdown)}", err=True)
        except SkippedError as reason:
            annotate("warning", f"no comment was written: {reason}")
    return is_written
