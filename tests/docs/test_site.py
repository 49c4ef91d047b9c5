"""The documentation as a site: complete, without a dead link or anything from elsewhere."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import httpdyno
import pytest
from browser import CHROMIUM, needs_browser
from website import staging
from website.check import faults, read
from website.navigation import configuration, entries, llms

ROOT = Path(__file__).parents[2]
FORGE = "https://forge.example/x"


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """All pages as the builder gets them."""
    folder = tmp_path_factory.mktemp("pages")
    return folder, staging.stage(folder, FORGE)


Staged = tuple[Path, dict[str, str]]


def test_each_page_is_in_the_navigation_once(staged: Staged) -> None:
    named = Counter(one.page for one in entries(configuration(staged[1])))
    assert named == Counter(staged[1].keys()), "add a new page to mkdocs.yml"


def test_a_link_leads_to_a_page_of_the_site_or_to_the_forge(staged: Staged) -> None:
    folder, pages = staged
    contributing = pages["contributing.md"]
    assert "](guides/add-a-server.md)" in contributing
    assert "](decisions/layout.md)" in contributing
    assert f"]({FORGE}/tree/main/docs/decisions)" in pages["index.md"]
    assert 'src="images/first-light.svg#only-light"' in pages["index.md"]
    assert 'src="images/first-dark.svg#only-dark"' in pages["index.md"]
    assert "](../index.md#beside-other-load-generators)" not in pages["index.md"]
    assert "](index.md#beside-other-load-generators)" in pages["other-load-generators.md"]
    assert (folder / "images" / "first-dark.svg").is_file()


@pytest.mark.parametrize(
    ("text", "spaced"),
    [
        ("one\n- two\n", "one\n\n- two\n"),
        ("one\n| a |\n| - |\n", "one\n\n| a |\n| - |\n"),
        ("- a\n  - b\n    more\n- c\n", "- a\n    - b\n        more\n- c\n"),
        ("1. a\n   more\n", "1. a\n    more\n"),
        ("```\none\n- two\n  - x\n```\n", "```\none\n- two\n  - x\n```\n"),
        ("- a\n  ```\n  b\n  ```\n\ntext\n", "- a\n    ```\n    b\n    ```\n\ntext\n"),
    ],
)
def test_lists_and_tables_get_the_space_that_the_builder_needs(text: str, spaced: str) -> None:
    assert staging._spaced(text) == spaced


def test_llms_txt_lists_each_page_with_its_first_sentence() -> None:
    pages = {
        "a.md": "# A page\n\n## Part\nIt says [this](b.md). And that.\n",
        "b.md": "# B\n\nSo:\n",
    }
    listed = llms(
        pages, entries("x\nnav:\n  - Why?:\n      - a.md\n      - Named: b.md\n"), "About."
    )
    assert listed.startswith("# httpdyno\n\n> About.\n\n## Why?\n\n")
    assert listed.endswith("\n- [A page](a.md): It says this.\n- [Named](b.md): So\n")


def test_the_check_finds_each_kind_of_fault(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "index.html").write_text('<a id="here">', encoding="utf-8")
    (tmp_path / "style.css").write_text("@import url(https://a.example/b.css)", encoding="utf-8")
    (tmp_path / "index.html").write_text(
        '<link rel="stylesheet" href="https://fonts.example/a.css"><link rel="next" href="zz/">'
        '<script src="gone.js"></script><img src="//b.example/p.png"><a href="sub/#here">'
        '<a href="sub/#there"><a href="none/"><a href="https://c.example/"><a href="../out.html">'
        '<div style="background: url(https://d.example/p.png)">',
        encoding="utf-8",
    )
    assert list(faults(tmp_path, read(tmp_path))) == [
        "index.html: sub/#there leads nowhere",
        "index.html: none/ leads nowhere",
        "index.html: ../out.html leads nowhere",
        "index.html: https://fonts.example/a.css is of another host",
        "index.html: gone.js is missing",
        "index.html: //b.example/p.png is of another host",
        "index.html: https://d.example/p.png is of another host",
        "style.css: https://a.example/b.css is of another host",
    ]


needs_builder = pytest.mark.skipif(
    importlib.util.find_spec("zensical") is None,
    reason="zensical is not installed: `make test` installs it",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `make docs` builds it, beside an older version."""
    folder = tmp_path_factory.mktemp("docs")
    (folder / "site" / "0.0.9").mkdir(parents=True)
    (folder / "site" / "0.0.9" / "index.html").write_text("old", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "website", str(folder)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "tools/docs"), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder / "site"


@needs_builder
def test_every_link_anchor_and_picture_of_the_site_resolves(site: Path, staged: Staged) -> None:
    pages = read(site / httpdyno.__version__)
    assert len(pages) == len(staged[1])
    assert sum(len(page.links) for page in pages.values()) > 1000
    assert list(faults(site, pages)) == []


@needs_builder
def test_the_site_has_versions_a_search_and_a_list_for_language_models(
    site: Path, staged: Staged
) -> None:
    here = site / httpdyno.__version__
    versions = json.loads((site / "versions.json").read_text(encoding="utf-8"))
    assert [one["version"] for one in versions] == [httpdyno.__version__, "0.0.9"]
    assert [one["aliases"] for one in versions] == [["latest"], []]
    assert f"url={httpdyno.__version__}/" in (site / "index.html").read_text(encoding="utf-8")
    canonical = f'rel="canonical" href="https://httpdyno.github.io/httpdyno/{here.name}/tour/"'
    assert canonical in (here / "tour" / "index.html").read_text(encoding="utf-8")
    assert f"/{here.name}/assets/" in (site / "404.html").read_text(encoding="utf-8")
    assert "capacity" in (here / "search.json").read_text(encoding="utf-8")
    listed = (here / "llms.txt").read_text(encoding="utf-8")
    for page in staged[1]:
        assert f"]({page})" in listed
        assert (here / page).is_file()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@needs_builder
@needs_browser
def test_a_page_asks_no_other_host_and_fits_a_phone(address: str) -> None:
    from playwright.sync_api import sync_playwright

    hosts, wrong = set(), []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme="dark")
        page.on("request", lambda request: hosts.add(urlsplit(request.url).hostname))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(f"{address}{httpdyno.__version__}/", wait_until="networkidle")
        wide = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        shown = page.locator("img[src*='first-']:visible").all()
        sources = [one.get_attribute("src") for one in shown]
        browser.close()
    assert hosts == {"127.0.0.1"}
    assert (wrong, wide) == ([], True)
    assert sources == ["images/first-dark.svg#only-dark"]
