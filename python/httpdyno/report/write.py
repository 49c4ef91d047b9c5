"""A result as files: the page, `result.json`, and charts as PNG and SVG."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from httpdyno.errors import EnvironmentFault
from httpdyno.output.files import write_file
from httpdyno.report import result_json
from httpdyno.report.text.safe_texts import make_safe
from httpdyno.result import StudyResult

if TYPE_CHECKING:
    from httpdyno.history import Series
    from httpdyno.report.charts.figure import Figure
    from httpdyno.sweep import SweepRecord

PAGE = "report.html"
MARKDOWN = "report.md"
PDF = "report.pdf"
CSV = "trials.csv"
CHARTS = "charts"
PICTURES = ("svg", "png")
"""The formats of chart files, in the order in which the page links to them."""


@dataclass(frozen=True)
class ReportPaths:
    """The files of a report."""

    html: Path
    markdown: Path
    json: Path


def write_report(result: StudyResult, folder: Path) -> ReportPaths:
    """Write the page, `report.md` and `result.json` into a folder, which is made if it is missing.

    Raises EnvironmentFault if a file cannot be written.
    """
    found = dict(write_files(result, folder, ("json", "html", "md")))
    return ReportPaths(html=found["html"], markdown=found["md"], json=found["json"])


def write_files(
    result: StudyResult, folder: Path, formats: Sequence[str]
) -> Iterator[tuple[str, Path]]:
    """Write a report in these formats: html, md, json, pdf, and the charts as svg or png.

    Gives each file with its format; charts are in `charts/`, which stands for them. Raises
    EnvironmentFault if a file cannot be written.
    """
    from httpdyno.report.charts.catalogue import figures  # noqa: PLC0415, slow to import
    from httpdyno.report.charts.room import fit_charts  # noqa: PLC0415
    from httpdyno.report.contents.page import page  # noqa: PLC0415
    from httpdyno.report.page import Place, render_report  # noqa: PLC0415, so is jinja2

    if "json" in formats:
        yield "json", _write(folder / result_json.NAME, result_json.to_json(result))
    shown = make_safe(result)
    drawn = figures(shown) if set(formats) - {"json", "csv"} else []
    pictures = [one for one in PICTURES if one in formats]
    made = None
    if {"html", "pdf"} & set(formats):
        place = Place(data=_data(folder, formats), chart_files=pictures)
        made = page(shown, fit_charts(drawn))
        if "html" in formats:
            yield "html", _write(folder / PAGE, render_report(made, place))
        if "pdf" in formats:
            from httpdyno.report.pdf import paper, pdf_of  # noqa: PLC0415, on request

            text = render_report(made, replace(place, paper=paper(os.environ)))
            yield "pdf", _write(folder / PDF, pdf_of(text))
    if "md" in formats:
        from httpdyno.report.report_markdown import report_markdown  # noqa: PLC0415

        linked = [
            (f"{CHARTS}/{one.name}.{form}", one.title) for form in pictures[:1] for one in drawn
        ]
        yield "md", _write(folder / MARKDOWN, report_markdown(shown, linked, made=made))
    for form in pictures:
        write_charts(drawn, folder / CHARTS, form)
        yield form, folder / CHARTS


def _data(folder: Path, formats: Sequence[str]) -> list[tuple[str, str]]:
    """The data files that are beside the page, or will be."""
    named = {"json": result_json.NAME, "csv": CSV}
    return [
        (name, name) for form, name in named.items() if form in formats or (folder / name).is_file()
    ]


def write_csv(text: str, folder: Path) -> Path:
    """Write the trials of a report as CSV, into `trials.csv`."""
    return _write(folder / CSV, text)


def write_summary(result: StudyResult, path: Path) -> Path:
    """Write a result without its single trials. Raises EnvironmentFault like `write_report`."""
    write_file(path, result_json.to_short_json(result_json.summary(result)))
    return path


def write_picture(result: StudyResult, path: Path) -> list[Path]:
    """Write the picture of a replay as PNG: published, rerun and corrected side by side.

    `picture.png`, or one for each workload: `picture-pong.png` and `picture-file.png`. None without
    published numbers or without any result.
    """
    from httpdyno.report.charts.catalogue import replay_figures  # noqa: PLC0415, on request

    charts = replay_figures(make_safe(result))
    return _write_pngs(charts, path, lambda chart: chart.name.removeprefix("replay"))


def write_history(series: Sequence[Series], path: Path) -> int:
    """Draw numbers over time as a PNG or SVG file, by the end of its name.

    Returns the number of series drawn: where there are many, those with changes. Raises
    EnvironmentFault if the file cannot be written.
    """
    from httpdyno.report.charts.drawing.sheet import make_figure  # noqa: PLC0415, on request
    from httpdyno.report.charts.figures.history import choose_charted, history  # noqa: PLC0415

    shown = choose_charted(series)
    figure = make_figure(history(shown, series), "history")
    write_file(path, _draw(figure, svg=path.suffix == ".svg"))
    return len(shown)


def sweep_picture(record: SweepRecord, *, svg: bool, log: bool) -> str | bytes:
    """The charts of a sweep as SVG, or else as PNG. `log`: response times on a logarithmic axis."""
    from httpdyno.report.charts.drawing.sheet import make_figure  # noqa: PLC0415, on request
    from httpdyno.report.charts.figures.sweep import sweep  # noqa: PLC0415

    return _draw(make_figure(sweep(record, log=log), "sweep"), svg=svg)


def _draw(figure: Figure, *, svg: bool) -> str | bytes:
    from httpdyno.report.charts.picture import file_png, file_svg  # noqa: PLC0415, on request

    return file_svg(figure) if svg else file_png(figure)


def _write_pngs(
    charts: Iterable[Figure], path: Path, suffix: Callable[[Figure], str]
) -> list[Path]:
    from httpdyno.report.charts.picture import file_png  # noqa: PLC0415, on request

    drawn = [(path.with_stem(path.stem + suffix(chart)), chart) for chart in charts]
    for file, chart in drawn:
        write_file(file, file_png(chart))
    return [file for file, _ in drawn]


def write_charts(charts: Iterable[Figure], folder: Path, form: str) -> list[Path]:
    """Write each chart as a file, in the format `svg` or `png`."""
    from httpdyno.report.charts.picture import file_png, file_svg  # noqa: PLC0415, slow to import

    drawn = file_svg if form == "svg" else file_png
    return [_write(folder / f"{chart.name}.{form}", drawn(chart)) for chart in charts]


def _write(path: Path, content: str | bytes) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EnvironmentFault(
            f"`{path.parent}` cannot be created: {error.strerror}",
            hint="choose another folder with `--out`",
        ) from error
    write_file(path, content)
    return path
