"""The navigation of the site, from mkdocs.yml."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from website.staging import ROOT

__all__ = ["Entry", "configuration", "entries", "llms"]

_SECTION = re.compile(r"  - (.+):$")
_PAGE = re.compile(r"      - (?:(.+): )?(\S+\.md)$")


class Entry(NamedTuple):
    """A page in the navigation."""

    section: str
    title: str | None
    """None: that of the page."""
    page: str


def configuration(pages: Iterable[str]) -> str:
    """The text of mkdocs.yml, with each page of a folder in place of `FOLDER/*.md`."""
    listed = sorted(pages)

    def each(found: re.Match[str]) -> str:
        return "\n".join(f"{found[1]}{page}" for page in listed if page.startswith(found[2]))

    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    return re.sub(r"(?m)^( *- )(\w+/)\*\.md$", each, text)


def entries(text: str) -> list[Entry]:
    """The pages in the order of the navigation. `text`: of mkdocs.yml."""
    found, section = [], ""
    for line in text.partition("\nnav:\n")[2].splitlines():
        if page := _PAGE.match(line):
            found.append(Entry(section, page[1], page[2]))
        elif heading := _SECTION.match(line):
            section = heading[1]
    return found


def llms(pages: Mapping[str, str], navigation: list[Entry], about: str) -> str:
    """The pages for language models (llmstxt.org): each as Markdown, with its first sentence."""
    lines = ["# httpdyno", "", f"> {about}"]
    section = ""
    for entry in navigation:
        if entry.section != section:
            section = entry.section
            lines += ["", f"## {section}", ""]
        text = pages[entry.page]
        title = entry.title or text.partition("\n")[0].removeprefix("# ")
        lines.append(f"- [{title}]({entry.page}): {_summary(text)}")
    return "\n".join(lines) + "\n"


def _summary(text: str) -> str:
    """The first sentence of a page, without links and styles."""
    parts = re.split(r"\n\s*\n", text.partition("\n")[2])
    bodies = (re.sub(r"(?m)^#.*\n?", "", part) for part in parts)
    first = next((body for body in bodies if re.match(r"\s*[\w*`\[]", body)), "")
    plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)|\*\*", r"\1", " ".join(first.split()))
    return re.split(r"(?<=[.:?])\s", plain, maxsplit=1)[0].removesuffix(":")
