"""A result to files: the page, its JSON twin, and each chart as PNG and SVG."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from httpdyno.errors import EnvironmentFault
from httpdyno.report import result_json
from httpdyno.result import StudyResult

if TYPE_CHECKING:
    from httpdyno.report.charts.catalogue import Drawing

PAGE = "report.html"
CHARTS = "charts"


@dataclass(frozen=True)
class ReportPaths:
    """Where a report was written."""

    html: Path
    json: Path
    images: list[Path]


def write_report(result: StudyResult, folder: Path, *, images: bool = True) -> ReportPaths:
    """Write the report of a result into a folder, which is made if it is missing.

    A file is replaced only by a whole new one. Raises EnvironmentFault when the folder or the disk
    refuses.
    """
    from httpdyno.report.charts.catalogue import drawings  # noqa: PLC0415, Altair is slow to import
    from httpdyno.report.page import render  # noqa: PLC0415, so is vl-convert

    charts = drawings(result)
    page = render(result, charts, images=images)
    json = _write(folder / result_json.NAME, result_json.to_json(result).encode())
    html = _write(folder / PAGE, page.encode())
    pictures = list(_write_pictures(charts, folder / CHARTS)) if images else []
    return ReportPaths(html=html, json=json, images=pictures)


def write_summary(result: StudyResult, path: Path) -> Path:
    """Write a result without its single restarts. Raises EnvironmentFault like `write_report`."""
    return _write(path, result_json.to_short_json(result_json.summary(result)).encode())


def write_picture(result: StudyResult, path: Path) -> list[Path]:
    """Write the picture of a replay's three results as PNG, one for each workload that it has.

    `picture.png`, or `picture-pong.png` and `picture-file.png`. Without published numbers or
    without any result there is none.
    """
    from httpdyno.report.charts.catalogue import replay_drawings  # noqa: PLC0415, slow to import
    from httpdyno.report.charts.files.picture import file_png  # noqa: PLC0415, slow to import

    charts = replay_drawings(result)
    return [
        _write(path.with_stem(path.stem + chart.name.removeprefix("replay")), file_png(chart))
        for chart in charts
    ]


def write_curves(result: StudyResult, path: Path) -> list[Path]:
    """Write what a replay's rates show as PNG: answers, slowest 1 %, errors and memory by rate.

    `curve-throughput-LOAD.png` and so on; a study without a load of several rates has none.
    """
    from httpdyno.report.charts.catalogue import drawings  # noqa: PLC0415, slow to import
    from httpdyno.report.charts.files.picture import file_png  # noqa: PLC0415, slow to import

    wanted = ("throughput", "latency", "errors", "memory")
    charts = [
        chart
        for chart in drawings(result)
        if chart.section in wanted
        and chart.shape == "lines"
        and chart.load is not None
        and chart.load.kind == "sessions"
        and not chart.name.endswith("-p50")
    ]
    return [_write(path.with_stem(f"{path.stem}-{c.name}"), file_png(c)) for c in charts]


def _write_pictures(charts: Iterable[Drawing], folder: Path) -> Iterable[Path]:
    from httpdyno.report.charts.files.picture import file_png, file_svg  # noqa: PLC0415, slow to import

    for chart in charts:
        yield _write(folder / f"{chart.name}.svg", file_svg(chart).encode())
        yield _write(folder / f"{chart.name}.png", file_png(chart))


def _write(path: Path, content: bytes) -> Path:
    part = path.with_name(f"{path.name}.part{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content)
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise EnvironmentFault(
            f"`{path}` cannot be written: {error.strerror}",
            hint="choose another folder with `--out`",
        ) from error
    return path
