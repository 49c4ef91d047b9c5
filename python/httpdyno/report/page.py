"""The page: one HTML file that needs nothing else. The only module that knows jinja2.

Texts of a result come from programs under test and are never trusted: jinja2 escapes them, JSON is
escaped for <script>, and the page's Content-Security-Policy lets only the two scripts run whose
hashes it states.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup, escape

from httpdyno.report.charts.catalogue import Drawing
from httpdyno.report.charts.drawing import style
from httpdyno.report.charts.files.picture import javascript, page_svg
from httpdyno.report.context import context

_FOLDER = "httpdyno.report"


def render(result: Any, charts: Sequence[Drawing], *, images: bool) -> str:
    """The page of a StudyResult as text; `images`: whether it links to pictures beside it."""
    engine, starter = (javascript(), _read("static", "report.js")) if charts else ("", "")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(_FOLDER, "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["prose"] = prose
    return environment.get_template("report.html.j2").render(
        context(result, charts)
        | {
            "css": _read("static", "report.css"),
            "palette": style.palette_css(),
            "palette_dark": style.palette_css(dark=True),
            "svg": {chart.name: page_svg(chart) for chart in charts},
            "specs": script_json({chart.name: chart.spec for chart in charts}),
            "scripts": [script for script in (engine, starter) if script],
            "policy": _policy([engine, starter]),
            "images": images,
        }
    )


def prose(text: str) -> Markup:
    """A text for the page, escaped; what stands in backticks is shown as code."""
    plain_then_code = re.split(r"`([^`\n]+)`", text)
    return Markup().join(
        Markup("<code>{}</code>").format(part) if number % 2 else escape(part)
        for number, part in enumerate(plain_then_code)
    )


def script_json(value: Any) -> str:
    """JSON that cannot end or bend the <script> element it stands in."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _policy(scripts: Sequence[str]) -> str:
    hashes = [
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        for script in scripts
        if script
    ]
    allowed = " ".join(f"'sha256-{value}'" for value in hashes) or "'none'"
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {allowed}; "
        "base-uri 'none'; form-action 'none'"
    )


def _read(*path: str) -> str:
    return resources.files(_FOLDER).joinpath(*path).read_text(encoding="utf-8")
