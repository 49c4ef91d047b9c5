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
    from httpdyno.report.charts.catalogue import Drawing
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

    `charts`: also write each chart as PNG and SVG, into `charts/`. That takes several times as long
    as the page. Raises EnvironmentFault if a file cannot be written.
    """
    from httpdyno.report.charts.catalogue import drawings  # noqa: PLC0415, Altair is slow to import
    from httpdyno.report.page import render  # noqa: PLC0415, so is vl-convert

    json = _write(folder / result_json.NAME, result_json.to_json(result))
    shown = safe(result)
    drawn = drawings(shown)
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
    from httpdyno.report.charts.catalogue import replay_drawings  # noqa: PLC0415, slow to import

    charts = replay_drawings(safe(result))
    return _write_pngs(charts, path, lambda chart: chart.name.removeprefix("replay"))


def write_curves(result: StudyResult, path: Path) -> list[Path]:
    """Write the curves of a replay as PNG: throughput, p99, errors and memory by rate.

    `curve-throughput-LOAD.png` and so on; a study without a load of several rates has none.
    """
    from httpdyno.report.charts.catalogue import drawings  # noqa: PLC0415, slow to import

    wanted = ("throughput", "latency", "errors", "memory")
    charts = [
        chart
        for chart in drawings(safe(result))
        if chart.section in wanted
        and chart.shape == "lines"
        and chart.load is not None
        and chart.load.kind == "sessions"
        and not chart.name.endswith("-p50")
    ]
    return _write_pngs(charts, path, lambda chart: f"-{chart.name}")


def write_history(series: Sequence[Series], path: Path) -> int:
    """Draw numbers over time as a PNG or SVG file, by the end of its name.

    Returns the number of series drawn: where there are many, those with changes. Raises
    EnvironmentFault if the file cannot be written.
    """
    from httpdyno.report.charts.drawing.style import finished_panels  # noqa: PLC0415, slow import
    from httpdyno.report.charts.figures import history  # noqa: PLC0415
    from httpdyno.report.charts.files.picture import png_of, svg_of  # noqa: PLC0415

    shown = history.chosen(series)
    title = "Numbers over time (value axes do not begin at zero)"
    spec = finished_panels(history.panels(shown), title=title)
    drawn = svg_of(spec, title) if path.suffix == ".svg" else png_of(spec, title)
    write_file(path, drawn)
    return len(shown)


def sweep_picture(record: SweepRecord, *, svg: bool, log: bool) -> str | bytes:
    """The charts of a sweep as SVG, or else as PNG. `log`: response times on a logarithmic axis."""
    from httpdyno.report.charts.drawing.style import finished_panels  # noqa: PLC0415, slow import
    from httpdyno.report.charts.figures import sweep  # noqa: PLC0415
    from httpdyno.report.charts.files.picture import png_of, svg_of  # noqa: PLC0415

    title = sweep.title(record)
    spec = finished_panels(sweep.panels(record, log=log), title=title)
    return svg_of(spec, title) if svg else png_of(spec, title)


def _write_pngs(
    charts: Iterable[Drawing], path: Path, suffix: Callable[[Drawing], str]
) -> list[Path]:
    from httpdyno.report.charts.files.picture import file_png  # noqa: PLC0415, slow to import

    return [_write(path.with_stem(path.stem + suffix(c)), file_png(c)) for c in charts]


def _write_charts(charts: Iterable[Drawing], folder: Path) -> Iterable[Path]:
    from httpdyno.report.charts.files.picture import file_png, file_svg  # noqa: PLC0415, slow to import

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
