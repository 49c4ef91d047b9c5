"""`httpdyno publish`: a static site of several studies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote, urlsplit

import typer

from httpdyno.cli.faults import Faults
from httpdyno.cli.report.source import named_result
from httpdyno.cli.store import StoreOption, read_store
from httpdyno.cli.values import Values, plain_text
from httpdyno.errors import UsageError

if TYPE_CHECKING:
    from httpdyno.result import StudyResult

_HELP = "httpdyno publish --help"


def publish(
    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="Folder to write the site to: new, empty, or a site."),
    ],
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN",
            help="Results folders or their result.json; or studies or run numbers in the store"
            " [default: the newest run of every stored study].",
        ),
    ] = None,
    title: Annotated[
        str, typer.Option(metavar="TEXT", help="Title of the site.")
    ] = "Benchmarks of web servers",
    base_url: Annotated[
        str | None,
        typer.Option(
            "--base-url",
            metavar="URL",
            help="Address of the site, for previews of links and for a sitemap.",
        ),
    ] = None,
    opened: Annotated[bool, typer.Option("--open", help="Open the site in a browser.")] = False,
    database: StoreOption = None,
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
    results = _results(runs or (), store_url)
    from httpdyno.export.trials import trials_csv
    from httpdyno.report.site import SiteOptions, write_site

    options = SiteOptions(title=title, base_url=url, csv=trials_csv)
    count = sum(1 for _ in write_site(results, folder, options))
    noun = "study" if len(results) == 1 else "studies"
    typer.echo(folder / "index.html")
    typer.echo(f"{len(results):,} {noun}, {count:,} files", err=True)
    if opened:
        from httpdyno.cli.report.browser import open_page

        open_page(folder / "index.html")


def _results(runs: Sequence[str], store_url: str | None) -> list[StudyResult]:
    """The results that were named, or else the newest of each stored study."""
    if runs:
        return [named_result(run, store_url)[0] for run in dict.fromkeys(runs)]
    from httpdyno.running.stored_result import find_run, stored_result
    from httpdyno.store import open_store

    store = open_store(store_url)
    found = [stored_result(store, find_run(store, name)) for name in store.studies()]
    if not found:
        raise UsageError(
            "no stored run to publish: expected at least one, or the folder of a result",
            hint="`httpdyno run demo` measures one",
        )
    return found


def _address(text: str) -> str:
    """The address of a site, with a slash at its end. Raises ValueError."""
    plain_text(text)
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError("expected the address of a folder, such as `https://example.org/bench/`")
    path = quote(parts.path.rstrip("/"), safe="/%~")
    return f"{parts.scheme}://{parts.netloc}{path}/"
