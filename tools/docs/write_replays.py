"""Writes docs/replays/ from finished replays: `make replay-docs RESULTS="FOLDER..."`.

A result is a folder of `httpdyno run --all-replays` or of one replay, or a `result.json`. Each
replay gets `docs/replays/NAME/summary.json`, its pictures, and the results part of its page; the
text around that part stays. Without a result, the pages are written from the stored summaries.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from httpdyno.errors import UsageError
from httpdyno.output.files import write_file
from httpdyno.report import write_curves, write_picture, write_summary
from httpdyno.report.markdown import prose, results_markdown
from httpdyno.report.result_json import NAME, read
from httpdyno.report.text.words import date
from httpdyno.result import StudyResult
from httpdyno.study.replays import REPLAYS

__all__ = ["index", "page", "write"]

SUMMARY = "summary.json"
_BEGIN = "<!-- Results: written by `make replay-docs`; edits are lost. -->"
_END = "<!-- End of the results. -->"
_NOT_YET = "Not measured yet."


def write(results: Iterable[Path], docs: Path) -> list[Path]:
    """Write the files of these results, then every page. Returns the paths.

    Raises UsageError for a result that is not a replay, or has no page.
    """
    written = []
    for path in results:
        for found in _results(path):
            result = read(found)
            folder = _folder(result, docs)
            for old in folder.glob("*.png"):
                old.unlink()
            written += write_picture(result, folder / "picture.png")
            written += write_curves(result, folder / "curve.png")
            written.append(write_summary(result, folder / SUMMARY))
    for name in REPLAYS:
        written.append(_write(docs / name / "README.md", page(docs / name)))
    return [*written, _write(docs / "README.md", index(docs))]


def _write(file: Path, text: str) -> Path:
    write_file(file, text)
    return file


def page(folder: Path) -> str:
    """The page of one replay: its text, with the results of its summary."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    summary = folder / SUMMARY
    if not summary.is_file():
        return _between(text, _NOT_YET, folder / "README.md")
    pictures = sorted(path.name for path in folder.glob("*.png"))
    first = [name for name in pictures if name.startswith("picture")]
    others = [name for name in pictures if name not in first]
    return _between(text, results_markdown(read(summary), [*first, *others]), folder / "README.md")


def index(docs: Path) -> str:
    """The page of all replays."""
    lines = ["| replay | question | measured | answer |", "| --- | --- | --- | --- |"]
    for name in REPLAYS:
        summary = docs / name / SUMMARY
        lines.append(_row(name, read(summary) if summary.is_file() else None))
    text = (docs / "README.md").read_text(encoding="utf-8")
    return _between(text, "\n".join(lines), docs / "README.md")


def _row(name: str, result: StudyResult | None) -> str:
    if result is None:
        return f"| [{name}]({name}/README.md) | | {_NOT_YET} | |"
    question, answer = prose(result.question), prose(result.answer).replace("|", "\\|")
    return f"| [{name}]({name}/README.md) | {question} | {date(result.started_at)} | {answer} |"


def _between(text: str, content: str, file: Path) -> str:
    before, begin, rest = text.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise UsageError(f"`{file}` has no place for results: expected `{_BEGIN}` and `{_END}`")
    return f"{before}{_BEGIN}\n\n{content}\n\n{_END}{after}"


def _results(path: Path) -> list[Path]:
    """The result at a path, or the results in the folders of a path."""
    if path.is_file() or (path / NAME).is_file():
        return [path]
    found = [path / name for name in REPLAYS if (path / name / NAME).is_file()]
    if not found:
        raise UsageError(
            f"`{path}` has no results of replays: expected a result.json, or folders with one",
            hint="`httpdyno run --all-replays` writes them",
        )
    return found


def _folder(result: StudyResult, docs: Path) -> Path:
    folder = docs / result.name
    if result.name not in REPLAYS or not (folder / "README.md").is_file():
        known = ", ".join(f"`{name}`" for name in REPLAYS)
        raise UsageError(f"`{result.name}` has no page in `{docs}`: expected one of {known}")
    return folder


def main(arguments: Sequence[str]) -> None:
    """Write docs/replays/ in the working directory."""
    for path in write([Path(each) for each in arguments], Path("docs/replays")):
        print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
