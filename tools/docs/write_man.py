"""Writes a man page for each command from the program's own help: `make man`.

The same help is the source of docs/reference/cli.md. The format is that of man(7).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from httpdyno import __version__
from httpdyno.cli.command import by_heading
from httpdyno.cli.frame.verbs import VERBS
from write_reference import commands

__all__ = ["man_pages"]

SECTION = "1"


def man_pages() -> dict[str, str]:
    """The content of each page by its file name: `httpdyno-run.1`."""
    every = list(commands())
    names = [path.replace(" ", "-") for path, _ in every]
    return {
        f"{name}.{SECTION}": "\n".join(_page(path, context, names)) + "\n"
        for name, (path, context) in zip(names, every, strict=True)
    }


def _page(path: str, context: Any, names: list[str]) -> Iterator[str]:
    name, verb = path.replace(" ", "-"), context.command
    about = (verb.help or "").strip()
    first = re.split(r"\n\s*\n", about)[0]
    yield f'.TH "{name.upper()}" "{SECTION}" "" "httpdyno {__version__}" "httpdyno"'
    yield from (".SH NAME", f"{_text(name)} \\- {_text(_line(first).rstrip('.'))}")
    yield from (".SH SYNOPSIS", f".B {_text(path)}")
    yield from (_text(piece) for piece in verb.collect_usage_pieces(context))
    yield ".SH DESCRIPTION"
    yield from _paragraphs(about)
    if path == "httpdyno":
        yield ".SH VERBS"
        for verb_name, row in VERBS.items():
            yield from (".TP", f".B {_text(verb_name)}", _text(row.summary))
    yield from _options(verb, context)
    near = [one for one in names if one != name and _are_near(one, name)]
    yield from (".SH SEE ALSO", ",\n".join(f".BR {_text(one)} ({SECTION})" for one in near))


def _are_near(one: str, name: str) -> bool:
    return name.startswith(f"{one}-") or (one.startswith(f"{name}-") and name != "httpdyno")


def _paragraphs(about: str) -> Iterator[str]:
    """The help: filled paragraphs, and those that begin with `\\b` line by line."""
    for paragraph in re.split(r"\n\s*\n", about):
        lines = paragraph.strip("\n").splitlines()
        if lines and lines[0].strip() == "\b":
            yield from (".PP", ".nf", *map(_text, lines[1:]), ".fi")
        elif lines:
            yield from (".PP", _text(_line(paragraph)))


def _options(verb: Any, context: Any) -> Iterator[str]:
    """The arguments and flags under their headings, as `--help` has them."""
    for heading, records in by_heading(verb, context).items():
        yield f".SH {heading.upper()}"
        for flags, about in records:
            yield from (".TP", f".B {_text(flags)}", _text(_line(about)))


def _line(text: str) -> str:
    return " ".join(text.split())


def _text(text: str) -> str:
    """Text without any meaning to troff."""
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain


def main() -> None:
    """Write every page into the folder named on the command line."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in man_pages().items():
        (folder / name).write_text(text, encoding="utf-8")
    print(f"{len(man_pages())} pages: {folder}\ntry: man -l {folder}/httpdyno-run.1")


if __name__ == "__main__":
    main()
