"""The links, anchors, pictures and resources of a built site."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

__all__ = ["Page", "faults", "read"]

_RESOURCES = {"script": "src", "img": "src", "source": "srcset", "iframe": "src", "video": "src"}
_NO_RESOURCE = {"canonical", "prev", "next", "edit", "alternate"}
"""Kinds of `<link>` that load nothing."""
_IN_STYLE = re.compile(r"(?:@import\s+(?:url\()?|url\()[\"']?([^\"')\s;]+)")


@dataclass
class Page(HTMLParser):
    """The links, resources and anchors of a page."""

    links: list[str] = field(default_factory=list)
    resources: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element links or loads."""
        of = {name: value or "" for name, value in attrs}
        self.anchors |= {of[name] for name in ("id", "name") if of.get(name)}
        if tag == "a" and "href" in of:
            self.links.append(of["href"])
        elif tag == "link" and not _NO_RESOURCE & set(of.get("rel", "").split()):
            self.resources.append(of.get("href", ""))
        elif _RESOURCES.get(tag, "") in of:
            self.resources.append(of[_RESOURCES[tag]].split()[0])
        self.resources += _IN_STYLE.findall(of.get("style", ""))


def read(site: Path) -> dict[Path, Page]:
    """The pages of a site, but the one for missing pages: its addresses begin at the host."""
    pages = {}
    for file in sorted(site.rglob("*.html")):
        if file.name != "404.html":
            pages[file] = Page()
            pages[file].feed(file.read_text(encoding="utf-8"))
    return pages


def faults(site: Path, pages: Mapping[Path, Page]) -> Iterator[str]:
    """Each link, anchor or resource that does not resolve, and each resource of another host."""
    for file, page in pages.items():
        where = file.relative_to(site)
        for link in page.links:
            if not urlsplit(link).scheme and not _resolves(site, file, link, pages):
                yield f"{where}: {link} leads nowhere"
        for resource in page.resources:
            if resource.startswith("data:"):
                continue
            if urlsplit(resource).netloc:
                yield f"{where}: {resource} is of another host"
            elif not _resolves(site, file, resource, pages):
                yield f"{where}: {resource} is missing"
    for file in sorted(site.rglob("*.css")):
        for resource in _IN_STYLE.findall(file.read_text(encoding="utf-8")):
            if urlsplit(resource).netloc:
                yield f"{file.relative_to(site)}: {resource} is of another host"


def _resolves(site: Path, file: Path, link: str, pages: Mapping[Path, Page]) -> bool:
    path, anchor = urldefrag(link)
    target = (file.parent / unquote(path)).resolve() if path else file
    if target.is_dir():
        target /= "index.html"
    if not target.is_file() or not target.is_relative_to(site.resolve()):
        return False
    return not anchor or target not in pages or unquote(anchor) in pages[target].anchors
