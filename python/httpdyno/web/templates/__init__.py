"""The templates of the pages. All texts are escaped: names and messages come from anywhere."""

from __future__ import annotations

from functools import cache
from typing import Any

import jinja2
from markupsafe import Markup

from httpdyno import units
from httpdyno.dates import moment
from httpdyno.output.printable import printable_lines
from httpdyno.report.page import prose

__all__ = ["compile_all", "fragment", "page"]


def page(name: str, **values: Any) -> str:
    """A whole page."""
    return _environment().get_template(f"{name}.html.j2").render(**values)


def fragment(name: str, **values: Any) -> str:
    """A part of the live page, which changes while the page is open."""
    return _environment().get_template(f"live/{name}.html.j2").render(**values).strip()


def compile_all() -> None:
    """Compile every template now, rather than while somebody waits and a run is measured."""
    for name in _environment().list_templates(extensions=["j2"]):
        _environment().get_template(name)


@cache
def _environment() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("httpdyno.web", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printable,
    )
    made.filters |= {
        "counted": units.counted,
        "duration": units.duration,
        "moment": lambda at: moment(at, zone=""),
        "ms": lambda ns: "–" if ns is None else units.duration(ns * 1e-9),
        "percent": units.percent,
        "prose": lambda text: prose(printable_lines(text)),
        "rate": lambda value: "–" if value is None else units.rate(value),
        "size": units.size,
    }
    return made


def _printable(value: Any) -> Any:
    """A text without characters that could deceive the reader: marks that turn the direction."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return printable_lines(value)
    return value
