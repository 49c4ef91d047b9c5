"""Tables written into a page, between two comments that name the command which writes them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path


def between(page: str, command: str, text: str) -> str:
    """The page with `text` between the marks of `command`. Raises ValueError without them."""
    first, last = f"<!-- begin: {command} -->", f"<!-- end: {command} -->"
    head, begin, rest = page.partition(first)
    _, end, tail = rest.partition(last)
    if not begin or not end:
        raise ValueError(f"the page lacks the marks `{first}` and `{last}`")
    return f"{head}{first}\n{text}\n{last}{tail}"


def write(path: Path, command: str, text: str) -> None:
    """Replace what the page has between the marks of `command`."""
    page = path.read_text(encoding="utf-8")
    path.write_text(between(page, command, text), encoding="utf-8")


def write_section(path: Path, command: str, title: str, text: str) -> None:
    """Replace what the page has between the marks of `command`; without them, add a section."""
    page = path.read_text(encoding="utf-8")
    if f"<!-- begin: {command} -->" not in page:
        marks = f"<!-- begin: {command} -->\n<!-- end: {command} -->"
        page = f"{page.rstrip()}\n\n{title}\n\n{marks}\n"
    path.write_text(between(page, command, text), encoding="utf-8")


def main_of_page(
    page: Callable[[int], Iterable[str]], command: str, about: str | None, counted: str, count: int
) -> None:
    """Print the lines of a page of simulations, or with --write, put them into a page.

    `--{counted}` is how many are simulated for each number; `count` by default.
    """
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        f"--{counted}", dest="count", type=int, default=count, help=f"per number ({count:,})"
    )
    parser.add_argument("--write", type=Path, help="write the tables into this page")
    options = parser.parse_args()
    text = "\n".join(page(options.count))
    if options.write:
        write(options.write, command, text)
    else:
        print(text)
