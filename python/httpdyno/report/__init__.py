"""The result of a study as one HTML file, as `result.json`, and as pictures of its charts.

Nothing is computed here. Importing this package is cheap: jinja2 and what draws are loaded when a
report is written.
"""

from __future__ import annotations

from httpdyno.report.write import (
    ReportPaths,
    sweep_picture,
    write_csv,
    write_files,
    write_history,
    write_picture,
    write_report,
    write_summary,
)

__all__ = [
    "ReportPaths",
    "sweep_picture",
    "write_csv",
    "write_files",
    "write_history",
    "write_picture",
    "write_report",
    "write_summary",
]
