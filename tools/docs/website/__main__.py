"""make docs: the documentation of this version as a site, beside that of others."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from website.check import faults, read
from website.navigation import configuration, entries, llms
from website.staging import ROOT, stage

_FIRST = """<!doctype html>
<meta charset="utf-8">
<title>httpdyno</title>
<meta http-equiv="refresh" content="0; url={version}/">
<a href="{version}/">The documentation of httpdyno {version}</a>
"""


def build(folder: Path) -> list[str]:
    """Build the site in `folder`/site; the faults of this version's pages.

    `folder`/site may have other versions, which stay: the newest is the first.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    version = cargo["workspace"]["package"]["version"]
    for name in ("pages", "built"):
        shutil.rmtree(folder / name, ignore_errors=True)
    (folder / "pages").mkdir(parents=True)
    pages = stage(folder / "pages", project["urls"]["Repository"])
    settings = re.sub(r"(?m)^(site_url: .*/)$", rf"\g<1>{version}/", configuration(pages))
    (folder / "mkdocs.yml").write_text(settings, encoding="utf-8")
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    subprocess.run(command, cwd=folder, check=True)
    for name, text in pages.items():
        (folder / "built" / name).write_text(text, encoding="utf-8")
    listed = llms(pages, entries(settings), project["description"])
    (folder / "built" / "llms.txt").write_text(listed, encoding="utf-8")
    site = folder / "site"
    shutil.rmtree(site / version, ignore_errors=True)
    shutil.copytree(folder / "built", site / version)
    _write_versions(site, version)
    return list(faults(site / version, read(site / version)))


def _write_versions(site: Path, newest: str) -> None:
    """The list that the pages read, and the way to the newest version."""
    others = [one.name for one in site.iterdir() if (one / "index.html").is_file()]
    in_order = sorted({newest, *others}, key=_numbers, reverse=True)
    listed = [
        {"version": one, "title": one, "aliases": ["latest"] if one == in_order[0] else []}
        for one in in_order
    ]
    (site / "versions.json").write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
    first = _FIRST.format(version=in_order[0])
    (site / "index.html").write_text(first, encoding="utf-8")
    missing = site / in_order[0] / "404.html"
    if missing.is_file():
        shutil.copyfile(missing, site / "404.html")


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]


def main() -> int:
    """Build the site; say where it is, or what is wrong."""
    folder = Path(sys.argv[1])
    found = build(folder.resolve())
    for fault in found:
        print(f"error: {fault}", file=sys.stderr)
    print(f"{folder}/site/index.html")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
