"""The README as PyPI shows it: links and pictures are absolute, and of the released version.

PyPI renders the file outside the repository, and without the pictures of a dark theme.
"""

from __future__ import annotations

import re
from collections.abc import Container
from posixpath import normpath

__all__ = ["absolute"]

_PICTURE = re.compile(r"<picture>.*?(<img [^>]*>).*?</picture>", re.DOTALL)
_MARKDOWN = re.compile(
    r"(?P<before>(?P<image>!?)\[[^\]\[]*(?:\[[^\]]*\][^\]\[]*)*\]\()(?P<to>[^)\s]+)\)"
)
_SOURCE = re.compile(r'(?P<before><img [^>]*?src=")(?P<to>[^"]+)"')
_DEFINITION = re.compile(r"(?P<before>^\[[^\]]+\]: +)(?P<to>\S+)", re.MULTILINE)
_LOCAL = re.compile(r"(?![a-z]+:|#)")


def absolute(text: str, repository: str, tag: str, folders: Container[str]) -> str:
    """Rewrites the Markdown of a README at the top of a GitHub repository.

    `folders` are the repository's, because GitHub shows a folder at another address than a file.
    """
    raw = repository.replace("//github.com/", "//raw.githubusercontent.com/")

    def picture(path: str) -> str:
        return f"{raw}/{tag}/{path}" if _LOCAL.match(path) else path

    def page(path: str) -> str:
        if not _LOCAL.match(path):
            return path
        kind = "tree" if normpath(path.partition("#")[0]) in folders else "blob"
        return f"{repository}/{kind}/{tag}/{path}"

    def link(found: re.Match[str]) -> str:
        before = _MARKDOWN.sub(link, found["before"][:-2]) + "]("
        return before + (picture if found["image"] else page)(found["to"]) + ")"

    text = _PICTURE.sub(r"\1", text)
    text = _SOURCE.sub(lambda found: f'{found["before"]}{picture(found["to"])}"', text)
    text = _DEFINITION.sub(lambda found: found["before"] + page(found["to"]), text)
    return _MARKDOWN.sub(link, text)
