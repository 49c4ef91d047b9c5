"""A package index in a folder (PEP 503): with a server of static files, it stands in for PyPI."""

from __future__ import annotations

import hashlib
import html
import re
import shutil
import sys
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from release.place import Place, run
from release.platforms import PLATFORMS

__all__ = ["pages", "publish"]

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


@cache
def publish(place: Place) -> Path:
    """The folder of an index with the built wheels and all that this machine's systems need."""
    folder = place.work / "index"
    shutil.rmtree(folder, ignore_errors=True)
    files = folder / "files"
    files.mkdir(parents=True)
    _download(place, files)
    for wheel in place.out.glob("*.whl"):
        shutil.copy(wheel, files)
    digests = {it.name: hashlib.sha256(it.read_bytes()).hexdigest() for it in files.iterdir()}
    for path, content in pages(digests, digests).items():
        page = folder / "simple" / path
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(content, encoding="utf-8")
    return folder


def _download(place: Place, files: Path) -> None:
    """The wheels of the dependencies, the installers and the demo's servers, as PyPI has them."""
    catalogue = place.root / "python" / "httpdyno" / "servers" / "catalogue"
    locks = [catalogue / server / "requirements.txt" for server in DEMO]
    needs = [INSTALLERS, *(("-r", lock) for lock in (place.root / "requirements/run.txt", *locks))]
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check")
    kinds = (
        "--only-binary",
        ":all:",
        *(w for tag in PLATFORMS[0].tags for w in ("--platform", tag)),
    )
    for python in PYTHONS:
        for what in needs:
            run(*pip, "--dest", files, "--python-version", python, *kinds, *what, cwd=files)
