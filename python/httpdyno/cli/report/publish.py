"""`httpdyno publish`: a static site of several studies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote, urlsplit

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.faults import Faults
from httpdyno.cli.flags import argument, option
from httpdyno.cli.report.source import named_result
from httpdyno.cli.store import read_store
from httpdyno.cli.values import Values, plain_text
from httpdyno.errors import UsageError
from httpdyno.output.echo import echo
from httpdyno.output.printable import printable
from httpdyno.units import counted

if TYPE_CHECKING:
    from httpdyno.result import StudyResult
    from httpdyno.store import RunSummary

_HELP = "httpdyno publish --help"


def publish(
    folder: Annotated[
        Path,
        argument("DIR", "Folder to write the site to: new, empty, or a site"),
    ],
    runs: Annotated[
        list[str] | None,
        argument(
            "RUN",
            "Results folders or their result.json; or studies or run numbers in the store"
            " (default: the newest run of every stored study)",
        ),
    ] = None,
    title: Annotated[
        str, option("--title TEXT", "Title of the site (default: Benchmarks of web servers)")
    ] = "Benchmarks of web servers",
    base_url: Annotated[
        str | None,
        option("--base-url URL", "Address of the site, for previews of links and for a sitemap"),
    ] = None,
    opened: shared.Open = False,
    database: shared.Store = None,
) -> None:
    """Write a static site of several studies: for GitHub Pages, any web server, or a USB stick.

    It has an index with filters, a page for each study and each arm, and all data as JSON and CSV.
    It loads nothing from elsewhere. Writing it again replaces it.

    Example: httpdyno publish site

    Example: httpdyno publish site demo results/monday results/friday

    Example: httpdyno publish site --base-url https://example.org/bench/
    """
    faults = Faults(_HELP)
    values = Values(faults)
    values.read("--title", title, plain_text)
    url = values.read("--base-url", base_url, _address) or ""
    store_url = read_store(values, database)
    faults.raise_any()
    results = _with_results(_named_results(runs, store_url) if runs else _stored_results(store_url))
    from httpdyno.export.trials import trials_csv
    from httpdyno.report.site import SiteOptions, write_site

    options = SiteOptions(title=title, base_url=url, csv=trials_csv)
    count = sum(1 for _ in write_site(results, folder, options))
    echo(str(folder / "index.html"))
    _tell(results, count)
    if opened:
        from httpdyno.cli.report.browser import open_page

        open_page(folder / "index.html")


def _named_results(runs: Sequence[str], store_url: str | None) -> Iterator[tuple[str, StudyResult]]:
    """The results that were named, with their names."""
    for run in dict.fromkeys(runs):
        yield run, named_result(run, store_url).result


def _stored_results(store_url: str | None) -> Iterator[tuple[str, StudyResult]]:
    """The newest run of each stored study; one that has measured nothing yet only where no other
    has."""
    from httpdyno.running.stored_result import stored_result
    from httpdyno.store import open_store, study_labels, summaries

    store = open_store(store_url, reading=True)
    runs = summaries(store)
    labels = study_labels(runs)
    newest: dict[str, RunSummary] = {}
    skipped: dict[str, RunSummary] = {}
    for run in runs:
        study = labels[run.id]
        if run.trials or study not in newest:
            newest[study] = run
            skipped.pop(study, None)
        else:
            skipped[study] = run
    for study, one in skipped.items():
        _leave_out(f"run {one.id}, {study}")
    for study, one in newest.items():
        if (stored := store.run(one.id)) is not None:
            yield f"run {one.id}, {study}", stored_result(store, stored)


def _leave_out(name: str) -> None:
    echo(f"left out: {printable(name)}: nothing was measured", err=True)


def _with_results(found: Iterable[tuple[str, StudyResult]]) -> list[StudyResult]:
    """Those of which anything was measured; the others are named on stderr."""
    from httpdyno.report.text.words import is_empty

    kept = []
    for name, result in found:
        if is_empty(result):
            _leave_out(name)
        else:
            kept.append(result)
    if not kept:
        raise UsageError(
            "nothing to publish: expected a stored run with a trial, or the folder of a result",
            hint="`httpdyno run demo` measures one",
        )
    return kept


def _tell(results: Sequence[StudyResult], files: int) -> None:
    """Say on stderr what is in the site, and what of it is not finished."""
    from httpdyno.report.text.words import blocks_done

    for result in results:
        if not result.complete:
            begin = f"not finished: {printable(result.name)}: {blocks_done(result)}"
            echo(f"{begin}; the site says so", err=True)
    echo(f"{counted(len(results), 'study', 'studies')}, {counted(files, 'file')}", err=True)


def _address(text: str) -> str:
    """The address of a site, with a slash at its end. Raises ValueError."""
    plain_text(text)
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError("expected the address of a folder, such as `https://example.org/bench/`")
    path = quote(parts.path.rstrip("/"), safe="/%~")
    return f"{parts.scheme}://{parts.netloc}{path}/"
