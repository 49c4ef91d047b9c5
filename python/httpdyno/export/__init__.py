"""The result of a study as text for other programs; one file per format, and nothing is computed.

A number without a result is left out or marked as skipped, never written as zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from httpdyno.export.bencher import bencher
from httpdyno.export.checks import Check, Outcome
from httpdyno.export.github_benchmark import github_bigger, github_smaller
from httpdyno.export.junit import junit
from httpdyno.export.markdown import markdown
from httpdyno.export.openmetrics import openmetrics
from httpdyno.export.trials import endpoints_csv, trials_csv
from httpdyno.result import StudyResult

__all__ = ["FORMATS", "Check", "Format", "Outcome"]


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
    Format("bencher", "Bencher", bencher),
    Format("github-bigger", "github-action-benchmark: throughput", github_bigger),
    Format("github-smaller", "github-action-benchmark: latency, CPU, memory", github_smaller),
    Format("openmetrics", "Prometheus", openmetrics),
    Format("csv", "spreadsheets: a row per trial", trials_csv),
    Format("csv-endpoints", "spreadsheets: a row per trial and endpoint", endpoints_csv),
)
FORMATS = {form.name: form for form in _ALL}
"""By name, in the order of the help."""
