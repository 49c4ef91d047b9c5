"""The Markdown of the repository as the site's builder needs it.

In the repository, links lead from file to file, also to sources. GitHub's Markdown needs fewer
blank lines and spaces than the builder's. Otherwise, the pages are the same.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from posixpath import dirname, join, normpath, relpath

__all__ = ["ROOT", "stage"]

ROOT = Path(__file__).parents[3]
_AT_TOP = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "STYLE.md": "style.md",
    "CHANGELOG.md": "changelog.md",
}
"""The pages outside of docs/, and their names on the site."""
_COPIED = {
    "python/httpdyno/web/static/icon.svg": "images/icon.svg",
    "tools/docs/website/site.css": "site.css",
}
_PICTURE = re.compile(
    r'<picture>\s*<source media="[^"]*dark[^"]*" srcset="([^"]+)">\s*'
    r'(<img [^>]*)src="([^"]+)">\s*</picture>'
)
_BY_THEME = r'\2src="\3#only-light">\2src="\1#only-dark">'
"""A reader of the site can choose another theme than that of the system."""
_LINK = re.compile(r"(\]\(|(?:src|srcset|href)=\")(?![a-z]+:|#)([^)\"\s#]*)(#[^)\"\s]*)?")
_ITEM = re.compile(r"( *)(?:[-*]|\d+\.) ")


def stage(folder: Path, repository: str, ref: str = "main") -> dict[str, str]:
    """Write all pages and their pictures into an empty folder; the text of each page by its name.

    `repository`: the address of the files that are not on the site, at `ref`.
    """
    places = dict(_places())
    pages = {}
    for source, target in places.items():
        (folder / target).parent.mkdir(parents=True, exist_ok=True)
        if not source.endswith(".md"):
            shutil.copyfile(ROOT / source, folder / target)
            continue
        text = (ROOT / source).read_text(encoding="utf-8")
        linked = _linked(text, source, places, f"{repository}/%s/{ref}")
        pages[target] = _spaced(_PICTURE.sub(_BY_THEME, linked))
        (folder / target).write_text(pages[target], encoding="utf-8")
    return pages


def _places() -> Iterator[tuple[str, str]]:
    """The files of the site in the repository, and where they are on the site."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "docs", *_AT_TOP, *_COPIED],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in listed.stdout.decode().split("\0"):
        if name and (ROOT / name).is_file():
            inside = name.removeprefix("docs/")
            yield (
                name,
                {**_AT_TOP, **_COPIED}.get(
                    name, re.sub(r"(^|/)README\.md$", r"\1index.md", inside)
                ),
            )


def _linked(text: str, source: str, places: Mapping[str, str], elsewhere: str) -> str:
    """The text with its links as they are on the site. `elsewhere` has a place for blob or tree."""

    def link(found: re.Match[str]) -> str:
        before, path, anchor = found[1], found[2], found[3] or ""
        if not path:
            return found[0]
        named = normpath(join(dirname(source), path))
        target = places.get(named) or places.get(f"{named}/README.md")
        if target is None:
            kind = "tree" if (ROOT / named).is_dir() else "blob"
            return f"{before}{elsewhere % kind}/{named}{anchor}"
        return f"{before}{relpath(target, dirname(places[source]) or '.')}{anchor}"

    return _outside_code(text, lambda part: _LINK.sub(link, part))


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    parts = re.split(r"(^ *```.*?^ *```$|`[^`\n]*`)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if number % 2 else change(part) for number, part in enumerate(parts))


def _spaced(text: str) -> str:
    """The text with blank lines before lists and tables, and four spaces per level of a list."""
    lines: list[str] = []
    in_list = in_code = False
    for line in text.splitlines():
        before = lines[-1] if lines else ""
        item = _ITEM.match(line)
        if not in_code and before.strip():
            starts_list = item is not None and not in_list
            starts_table = line.startswith("|") and not before.startswith("|")
            lines += [""] * (starts_list or starts_table)
        if not in_code and line.strip() and not line.startswith(" "):
            in_list = item is not None
        spaces = len(line) - len(line.lstrip(" "))
        level = round(spaces / 2.5) if in_list else 0
        lines.append(" " * 4 * level + line.lstrip(" ") if level else line)
        in_code ^= line.lstrip().startswith("```")
    return "\n".join(lines) + "\n"
