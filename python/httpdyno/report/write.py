"""A result as files: the page, `result.json`, and charts as PNG and SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from httpdyno.errors import EnvironmentFault
from httpdyno.output.files import write_file
from httpdyno.report import result_json
from httpdyno.report.text.safe import safe
from httpdyno.result import StudyResult

if TYPE_CHECKING:
    from httpdyno.history import Series
    from httpdyno.report.charts.figure import Figure
    from httpdyno.sweep import SweepRecord

PAGE = "report.html"
CHARTS = "charts"


@dataclass(frozen=True)
class ReportPaths:
    """The files of a report."""

    html: Path
    json: Path
    charts: list[Path]


def write_report(result: StudyResult, folder: Path, *, charts: bool = False) -> ReportPaths:
    """Write the page and `result.json` into a folder, which is made if it is missing.

    `charts`: also write each chart as PNG and SVG, into `charts/`.
    Raises EnvironmentFault if a file cannot be written.
    """
    from httpdyno.report.charts.catalogue import figures  # noqa: PLC0415, not needed by other verbs
    from httpdyno.report.page import render  # noqa: PLC0415, jinja2 is slow to import

    json = _write(folder / result_json.NAME, result_json.to_json(result))
    shown = safe(result)
    drawn = figures(shown)
    html = _write(folder / PAGE, render(shown, drawn, links=charts))
    files = list(_write_charts(drawn, folder / CHARTS)) if charts else []
    return ReportPaths(html=html, json=json, charts=files)


def write_summary(result: StudyResult, path: Path) -> Path:
    """Write a result without its single trials. Raises EnvironmentFault like `write_report`."""
    return _write(path, result_json.to_short_json(result_json.summary(result)))


def write_picture(result: StudyResult, path: Path) -> list[Path]:
    """Write the picture of a replay as PNG: published, rerun and corrected side by side.

    `picture.png`, or one for each workload: `picture-pong.png` and `picture-file.png`. None without
    published numbers or without any result.
    """
    from httpdyno.report.charts.catalogue import replay_figures  # noqa: PLC0415, only what is asked for

    charts = replay_figures(safe(result))
    return _write_pngs(charts, path, lambda chart: chart.name.removeprefix("replay"))


def write_curves(result: StudyResult, path: Path) -> list[Path]:
    """Write the curves of a replay as PNG: throughput, latency and errors by rate, and memory.

    `curve-rates-LOAD.png` and `curve-memory-LOAD.png`; a study without sessions at several rates
    has none.
    """
    from httpdyno.report.charts.catalogue import figures  # noqa: PLC0415, only what is asked for

    every = figures(safe(result))
    along = {chart.load.name for chart in every if chart.section == "rates" and chart.load}
    charts = [
        chart
        for chart in every
        if chart.section in ("rates", "memory")
        and chart.load is not None
        and chart.load.kind == "sessions"
        and chart.load.name in along
    ]
    return _write_pngs(charts, path, lambda chart: f"-{chart.name}")


def write_history(series: Sequence[Series], path: Path) -> int:
    """Draw numbers over time as a PNG or SVG file, by the end of its name.

    Returns the number of series drawn: where there are many, those with changes. Raises
    EnvironmentFault if the file cannot be written.
    """
    from httpdyno.report.charts.drawing.sheet import finished  # noqa: PLC0415, only what is asked for
    from httpdyno.report.charts.figures.history import chosen, history  # noqa: PLC0415

    shown = chosen(series)
    figure = finished(history(shown), "history", narrow=False)
    write_file(path, _drawn(figure, svg=path.suffix == ".svg"))
    return len(shown)


def sweep_picture(record: SweepRecord, *, svg: bool, log: bool) -> str | bytes:
    """The charts of a sweep as SVG, or else as PNG. `log`: response times on a logarithmic axis."""
    from httpdyno.report.charts.drawing.sheet import finished  # noqa: PLC0415, only what is asked for
    from httpdyno.report.charts.figures.sweep import sweep  # noqa: PLC0415

    return _drawn(finished(sweep(record, log=log), "sweep", narrow=False), svg=svg)


def _drawn(figure: Figure, *, svg: bool) -> str | bytes:
    from httpdyno.report.charts.files.picture import file_png, file_svg  # noqa: PLC0415, only what is asked for

    return file_svg(figure) if svg else file_png(figure)


def _write_pngs(
    charts: Iterable[Figure], path: Path, suffix: Callable[[Figure], str]
) -> list[Path]:
    from httpdyno.report.charts.files.picture import file_png  # noqa: PLC0415, only what is asked for

    return [_write(path.with_stem(path.stem + suffix(c)), file_png(c)) for c in charts]


def _write_charts(charts: Iterable[Figure], folder: Path) -> Iterable[Path]:
    from httpdyno.report.charts.files.picture import file_png, file_svg  # noqa: PLC0415, only what is asked for

    for chart in charts:
        yield _write(folder / f"{chart.name}.svg", file_svg(chart))
        yield _write(folder / f"{chart.name}.png", file_png(chart))


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
