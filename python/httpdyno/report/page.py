"""The page: one HTML file that needs no other file. The only module that imports jinja2.

Texts of a result come from programs under test and are not trusted: jinja2 escapes them, JSON is
escaped for <script>, and the page's Content-Security-Policy allows only its own script, by its
hash.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup, escape

from httpdyno.report.charts.drawing import style
from httpdyno.report.charts.figure import Figure
from httpdyno.report.contents.page import page
from httpdyno.result import StudyResult

_FOLDER = "httpdyno.report"


@dataclass(frozen=True)
class Assets:
    """Style and scripts of the page."""

    css: str
    palette: str
    palette_dark: str
    scripts: Sequence[str]
    policy: str
    links: bool
    """True if the page links to a PNG and an SVG file of each chart."""


def render(result: StudyResult, charts: Sequence[Figure], *, links: bool = False) -> str:
    """The page of a result as text. `links`: link to the chart files beside it."""
    template = environment().get_template("report.html.j2")
    return template.render(page=page(result, charts), assets=_assets(charts, links=links))


def environment() -> jinja2.Environment:
    """The templates: texts are escaped, and a name that does not exist is an error."""
    found = jinja2.Environment(
        loader=jinja2.PackageLoader(_FOLDER, "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["prose"] = prose
    return found


def _assets(charts: Sequence[Figure], *, links: bool) -> Assets:
    scripts = [_read("static", "report.js")]
    return Assets(
        css=_read("static", "report.css") + style.css(),
        palette=style.palette_css(),
        palette_dark=style.palette_css(dark=True),
        scripts=scripts,
        policy=_policy(scripts),
        links=links,
    )


def prose(text: str) -> Markup:
    """A text for the page, escaped; words in backticks become code."""
    plain_then_code = re.split(r"`([^`\n]+)`", text)
    return Markup().join(
        Markup("<code>{}</code>").format(part) if number % 2 else escape(part)
        for number, part in enumerate(plain_then_code)
    )


def script_json(value: Any) -> str:
    """JSON that is safe inside a <script> element."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _policy(scripts: Sequence[str]) -> str:
    hashes = [
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts
    ]
    allowed = " ".join(f"'sha256-{value}'" for value in hashes) or "'none'"
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {allowed}; "
        "base-uri 'none'; form-action 'none'"
    )


def _read(*path: str) -> str:
    return resources.files(_FOLDER).joinpath(*path).read_text(encoding="utf-8")
