"""A package index in a folder (PEP 503): with a server of static files, it stands in for PyPI."""

from __future__ import annotations

import hashlib
import html
import re
import shutil
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from release.place import Place, run
from release.platforms import PLATFORMS

__all__ = ["download", "pages", "publish"]

PYTHONS = ("3.11", "3.13")
"""Those of Debian 12 and 13."""
INSTALLERS = ("pip", "pipx", "uv")
DEMO = ("starlette", "tornado")
"""The servers of `run demo`."""


def pages(names: Iterable[str], digests: dict[str, str]) -> dict[str, str]:
    """The content of each page by its path below `simple/`, for files beside it."""
    projects: dict[str, list[str]] = defaultdict(list)
    for name in sorted(names):
        project = re.sub(r"[-_.]+", "-", name.partition("-")[0]).lower()
        projects[project].append(
            f'<a href="../../files/{html.escape(name)}#sha256={digests[name]}">{name}</a>'
        )
    written = {f"{project}/index.html": _page(links) for project, links in projects.items()}
    roots = [f'<a href="{project}/">{project}</a>' for project in projects]
    return {"index.html": _page(roots), **written}


def _page(links: Iterable[str]) -> str:
    return "<!DOCTYPE html>\n<title>index</title>\n" + "<br>\n".join(links) + "\n"


def publish(place: Place) -> Path:
    """The folder of an index with the built wheels and all that they need."""
    folder = place.work / "index"
    shutil.rmtree(folder, ignore_errors=True)
    files = folder / "files"
    files.mkdir(parents=True)
    for file in (*download(place), *place.out.glob("*.whl")):
        shutil.copy(file, files)
    digests = {it.name: hashlib.sha256(it.read_bytes()).hexdigest() for it in files.iterdir()}
    for path, content in pages(digests, digests).items():
        page = folder / "simple" / path
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(content, encoding="utf-8")
    return folder


def download(place: Place) -> list[Path]:
    """The wheels of the dependencies, the installers and the demo's servers, as PyPI has them."""
    folder = place.work / "downloads"
    catalogue = place.root / "python" / "httpdyno" / "servers" / "catalogue"
    for python in PYTHONS:
        for platform in PLATFORMS:
            _download(folder, python, platform.tags, "-r", place.root / "requirements" / "run.txt")
        tags = PLATFORMS[0].tags
        _download(folder, python, tags, *INSTALLERS)
        for server in DEMO:
            _download(folder, python, tags, "-r", catalogue / server / "requirements.txt")
    return sorted(folder.glob("*.whl"))


def _download(folder: Path, python: str, tags: Iterable[str], *what: str | Path) -> None:
    platforms = [word for tag in tags for word in ("--platform", tag)]
    run(
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
        *("--dest", folder, "--only-binary", ":all:", "--python-version", python),
        *platforms,
        *what,
        cwd=folder.parent,
    )
