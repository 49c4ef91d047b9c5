"""A study's result as one HTML file, its JSON twin and pictures of its charts.

Nothing is computed here: the result is formatted and picked from. Importing this package is cheap;
Altair, jinja2 and vl-convert load when a report is written.
"""

from __future__ import annotations

from httpdyno.report.write import (
    ReportPaths,
    write_curves,
    write_picture,
    write_report,
    write_summary,
)

__all__ = ["ReportPaths", "write_curves", "write_picture", "write_report", "write_summary"]
