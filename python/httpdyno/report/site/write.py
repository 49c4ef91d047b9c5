"""The files of a site: an index, a page for each study and each arm, and their data.

Every link is relative, so that the site works from a folder, and on any host under any path. Only
what a preview of a link needs is absolute, and there only if the address is known.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from httpdyno.output.files import write_file
from httpdyno.report import result_json
from httpdyno.report.site.manifest import Manifest
from httpdyno.report.site.studies import SiteArm, SiteStudy, site_arms, site_studies
from httpdyno.report.text.safe_texts import make_safe
from httpdyno.result import StudyResult

Content = str | bytes


@dataclass(frozen=True)
class SiteOptions:
    """The title of a site, and the address at which it will be, if that is known."""

    title: str = "Benchmarks of web servers"
    base_url: str = ""
    """Ends with a slash, or is empty."""
    csv: Callable[[StudyResult], str] = lambda result: ""
    """Writes the trials of a result as CSV."""


def write_site(
    results: Sequence[StudyResult], folder: Path, options: SiteOptions
) -> Generator[Path, None, None]:
    """Write a site; gives each file. Files of the site that was there and are not in this one are
    deleted. Raises UsageError for a folder with other files, EnvironmentFault if it cannot be
    written."""
    manifest = Manifest.begin(folder)
    written: list[str] = []
    try:
        for name, content in _files([make_safe(one) for one in results], options):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, content)
            written.append(name)
            yield path
    except BaseException:
        manifest.store(written)
        raise
    manifest.end(written)


def _files(results: Sequence[StudyResult], options: SiteOptions) -> Iterator[tuple[str, Content]]:
    from httpdyno.report.page import fill_template  # noqa: PLC0415, slow to import

    studies = site_studies(results)
    arms = site_arms(studies)
    files: dict[str, dict[str, str]] = {study.slug: {} for study in studies}
    for arm in arms:
        for study, page in arm.found:
            files[study.slug][page.label.name] = f"../../{quote(arm.file)}"
    url = options.base_url
    yield (
        "index.html",
        fill_template("site/index.html.j2", studies=studies, arms=arms, site=options),
    )
    for study in studies:
        yield from _study(study, files[study.slug], options)
    for arm in arms:
        yield arm.file, _arm(arm, options)
    if url:
        yield "sitemap.xml", _sitemap(url, studies, arms)


def _study(
    study: SiteStudy, arms: dict[str, str], options: SiteOptions
) -> Iterator[tuple[str, Content]]:
    from httpdyno.report.charts.catalogue import figures  # noqa: PLC0415, slow to import
    from httpdyno.report.charts.picture import file_svg  # noqa: PLC0415
    from httpdyno.report.page import Place, render  # noqa: PLC0415
    from httpdyno.report.report_markdown import report_markdown  # noqa: PLC0415
    from httpdyno.report.site.preview import preview  # noqa: PLC0415

    charts = figures(study.result)
    url = f"{options.base_url}{study.folder}/" if options.base_url else ""
    place = Place(
        data=(
            ("result.json", "result.json"),
            ("trials.csv", "trials.csv"),
            ("Markdown", "report.md"),
        ),
        chart_files=("svg",),
        home="../../index.html",
        arms=arms,
        url=url,
        picture=f"{url}preview.png" if url else "",
    )
    yield f"{study.folder}/index.html", render(study.result, charts, place=place)
    yield f"{study.folder}/result.json", result_json.to_json(study.result)
    yield f"{study.folder}/trials.csv", options.csv(study.result)
    linked = [(f"charts/{chart.name}.svg", chart.title) for chart in charts]
    yield f"{study.folder}/report.md", report_markdown(study.result, linked)
    yield (
        f"{study.folder}/preview.png",
        preview(study.result.title, f"{'Not finished. ' if study.unfinished else ''}{study.lead}"),
    )
    for chart in charts:
        yield f"{study.folder}/charts/{chart.name}.svg", file_svg(chart)


def _arm(arm: SiteArm, options: SiteOptions) -> str:
    from httpdyno.report.charts.catalogue import figures_of_arm  # noqa: PLC0415, slow to import
    from httpdyno.report.charts.room import fit_charts  # noqa: PLC0415
    from httpdyno.report.page import ALONE, fill_template  # noqa: PLC0415

    found = [
        (study, page, fit_charts(figures_of_arm(study.result, page.label.name, f"{study.slug}-")))
        for study, page in arm.found
    ]
    return fill_template("site/arm.html.j2", arm=arm, found=found, site=options, place=ALONE)


def _sitemap(url: str, studies: Sequence[SiteStudy], arms: Sequence[SiteArm]) -> str:
    pages = ["", *(f"{one.folder}/" for one in studies), *(quote(one.file) for one in arms)]
    entries = "".join(f"  <url><loc>{url}{page}</loc></url>\n" for page in pages)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        f"{entries}</urlset>\n"
    )
