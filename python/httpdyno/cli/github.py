"""`--github` of verbs that measure without a study: their result in the job's summary, and
annotations of what fails the job."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from httpdyno.errors import EnvironmentFault, ExitCode, HttpdynoError
from httpdyno.output.echo import echo
from httpdyno.output.secrets import masked_mistyped

__all__ = ["NO_STDOUT", "tell", "telling_errors"]

NO_STDOUT = "`--github` writes annotations to stdout: expected the name of a file in place of `-`"
_NO_JOB = "`--github`: no summary was written: GITHUB_STEP_SUMMARY is not set"


def tell(code: int, markdown: str, failure: str | None) -> int:
    """Write the summary of the job, and annotate a failure; the exit code, which `code` would be
    if the summary could be written."""
    from httpdyno.ci.github import annotate

    if failure is not None:
        annotate("error", failure)
    return code if _is_summarised(markdown) else code or ExitCode.ENVIRONMENT


@contextmanager
def telling_errors(*, enabled: bool) -> Iterator[None]:
    """An error within the body is annotated, and is the summary of the job."""
    try:
        yield
    except HttpdynoError as error:
        if enabled:
            from httpdyno.ci.github import annotate, failure_summary
            from httpdyno.output.echo import is_github

            message, hint = masked_mistyped(error.message), masked_mistyped(error.hint or "")
            if is_github():  # elsewhere the error is on stderr anyway
                annotate("error", message)
            _is_summarised(failure_summary("httpdyno could not measure", message, hint))
        raise


def _is_summarised(markdown: str) -> bool:
    """True unless the summary cannot be written, which a warning says."""
    from httpdyno.ci.github import annotate, summarise

    try:
        if not summarise(markdown):
            echo(_NO_JOB, err=True)
    except EnvironmentFault as fault:
        annotate("warning", fault.message)
        return False
    return True
