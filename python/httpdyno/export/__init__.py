"""The result of a study as text for other programs; one file per format, and nothing is computed.

A number without a result is left out or marked as skipped, never written as zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from httpdyno.export.checks import Check
from httpdyno.export.junit import junit
from httpdyno.export.markdown import markdown
from httpdyno.result import StudyResult

__all__ = ["FORMATS", "Check", "Format"]


@dataclass(frozen=True)
class Format:
    """A format that a result can be written in."""

    name: str
    what: str
    """Who reads it, in a few words."""
    write: Callable[[StudyResult, Sequence[Check]], str]


_ALL = (
    Format("markdown", "a comment on a pull request", markdown),
    Format("junit", "test reports of CI servers", junit),
)
FORMATS = {form.name: form for form in _ALL}
"""By name, in the order of the help."""
