"""The page: one HTML file that needs no other file. The only module that imports jinja2.

Texts of a result come from programs under test and are not trusted: jinja2 escapes them, and the
page's Content-Security-Policy allows only its own style and script, by their hashes. No element has
a style of its own, so that a server can be as strict.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup, escape

from httpdyno.report.charts.catalogue import figures
from httpdyno.report.charts.drawing import style
from httpdyno.report.charts.figure import Figure
from httpdyno.report.charts.room import fit_charts
from httpdyno.report.contents.arm_pages import TRIAL_COLUMNS
from httpdyno.report.contents.load import LoadPage
from httpdyno.report.contents.page import Page, Part, page
from httpdyno.report.contents.rows.tables import NUMBERS
from httpdyno.report.text.safe_texts import make_safe
from httpdyno.result import StudyResult

_FOLDER = "httpdyno.report"
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=(?:%|[nµm]?s|min|h|[KMGT]?i?B(?:/s)?)(?!\w))")
"""The space between a number and its unit."""


@dataclass(frozen=True)
class Place:
    """The files beside a page, and the site around it. By default it stands alone."""

    data: Sequence[tuple[str, str]] = (("result.json", "result.json"),)
    """The files of its data: (words, link)."""
    chart_files: Sequence[str] = ()
    """The formats in which its charts are files in `charts/`: `svg`, `png`."""
    home: str = ""
    """The page of all studies."""
    home_words: str = "All studies"
    arms: Mapping[str, str] = field(default_factory=dict)
    """The page of each arm, by its name."""
    url: str = ""
    """Its own address, for those who share it."""
    picture: str = ""
    """The address of its preview picture."""
    under_way: bool = False
    """True if its run goes on: then there is nothing to resume."""
    paper: str = ""
    """The size of its paper, such as `A4`; empty: that of the reader's printer."""


ALONE = Place()


@dataclass(frozen=True)
class Section:
    """One part of the page, as HTML."""

    id: str
    heading: str
    html: Markup


def whole_page(result: StudyResult, place: Place = ALONE) -> str:
    """The page of any result, with all its charts, as text."""
    clean = make_safe(result)
    return render(clean, figures(clean), place=place)


def render(result: StudyResult, charts: Sequence[Figure], *, place: Place = ALONE) -> str:
    """The page of a result that is safe to show, with these charts, as text."""
    return render_report(page(result, fit_charts(charts), under_way=place.under_way), place)


def render_report(whole: Page, place: Place) -> str:
    """A page as text."""
    return fill_template("report.html.j2", place.paper, page=whole, place=place)


def load_page(page: LoadPage) -> str:
    """The page of a single load, as text."""
    return fill_template("load.html.j2", page=page, place=ALONE)


def sections(
    result: StudyResult, charts: Sequence[Figure], *, place: Place = ALONE
) -> list[Section]:
    """The parts of the page one by one, without the frame around them."""
    whole = page(result, fit_charts(charts))
    return [_section(part, whole, place) for part in whole.parts]


def fill_template(template: str, paper: str = "", **values: Any) -> str:
    """A template with the frame's style, script and policy, and these values."""
    return environment().get_template(template).render(frame=frame(paper), **values)


@dataclass(frozen=True)
class Frame:
    """The style and the script of every page, and the policy that allows only them."""

    css: str
    script: str
    policy: str


@cache
def frame(paper: str = "") -> Frame:
    """The frame of every page, printed on this paper."""
    sheet = f"{css()}@page {{ size: {paper} }}\n" if paper else css()
    policy = (
        f"default-src 'none'; style-src {_hash(sheet)}; script-src {_hash(script())}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return Frame(sheet, script(), policy)


@cache
def css() -> str:
    """The style of every page."""
    colours = "\n".join(f".c{n} {{ --arm: var(--arm-{n}); }}" for n in range(style.COLOURS))
    return (
        f":root {{ {style.palette_css()} }}\n"
        "@media screen and (prefers-color-scheme: dark) { "
        f":root {{ {style.palette_css(dark=True)} }} }}\n"
        f"{colours}\n{style.css()}{_read('static', 'page.css')}{_read('static', 'tables.css')}"
    )


@cache
def script() -> str:
    """The script of every page."""
    return _read("static", "page.js")


@cache
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
    found.globals |= {
        "embed_chart": embed_chart,
        "columns": NUMBERS,
        "trial_columns": TRIAL_COLUMNS,
    }
    return found


def prose(text: str) -> Markup:
    """A text for the page, escaped; words in backticks become code, and no line ends between a
    number and its unit."""
    plain_then_code = re.split(r"`([^`\n]+)`", text)
    return Markup().join(
        Markup("<code>{}</code>").format(part) if number % 2 else escape(_whole_numbers(part))
        for number, part in enumerate(plain_then_code)
    )


def _whole_numbers(text: str) -> str:
    return _BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", text)


def embed_chart(chart: Figure, place: Place) -> str:
    """The HTML that shows a chart in another page."""
    source = f"{place.url}charts/{chart.name}.{place.chart_files[0]}"
    template = '<figure><img src="{}" alt="{}"><figcaption>{}</figcaption></figure>'
    return str(Markup(template).format(source, chart.title, chart.title))  # noqa: S704, escapes


def _section(part: Part, whole: Page, place: Place) -> Section:
    template = environment().get_template(f"sections/{part.template}.html.j2")
    html = template.render(page=whole, part=part, place=place)
    return Section(part.id, part.heading, Markup(html))  # noqa: S704, jinja2 has escaped it


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _read(*path: str) -> str:
    return resources.files(_FOLDER).joinpath(*path).read_text(encoding="utf-8")
