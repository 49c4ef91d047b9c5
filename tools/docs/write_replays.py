"""Writes docs/replays/ from finished replays: `make replay-docs RESULT...`.

RESULT is a folder of `httpdyno run --all-replays`, of one replay, or its `result.json`. Each replay
gets `docs/replays/NAME/summary.json`, its pictures, and the results part of its page; what people
wrote around that part stays. Without a RESULT the pages are written anew from the summaries.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from httpdyno.errors import UsageError
from httpdyno.report import write_curves, write_picture, write_summary
from httpdyno.report.markdown import results_markdown
from httpdyno.report.result_json import NAME, read
from httpdyno.result import StudyResult
from httpdyno.study.replays import REPLAYS

__all__ = ["index", "page", "write"]

SUMMARY = "summary.json"
_BEGIN = "<!-- Results: written by `make replay-docs`; edits are lost. -->"
_END = "<!-- End of the results. -->"
_NOT_YET = "Not measured yet."


def write(results: Iterable[Path], docs: Path) -> list[Path]:
    """Write all that belongs to these results, then every page. Returns what was written.

    Raises UsageError when a result is none of the replays or has no page.
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
        file = docs / name / "README.md"
        file.write_text(page(docs / name), encoding="utf-8")
        written.append(file)
    file = docs / "README.md"
    file.write_text(index(docs), encoding="utf-8")
    return [*written, file]


def page(folder: Path) -> str:
    """The page of one replay as it should be: its text, with the results of its summary."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    summary = folder / SUMMARY
    if not summary.is_file():
        return _between(text, _NOT_YET, folder / "README.md")
    pictures = sorted(path.name for path in folder.glob("*.png"))
    first = [name for name in pictures if name.startswith("picture")]
    others = [name for name in pictures if name not in first]
    return _between(text, results_markdown(read(summary), [*first, *others]), folder / "README.md")


def index(docs: Path) -> str:
    """The page of all replays as it should be."""
    lines = ["| replay | what it asks | measured | the answer |", "| --- | --- | --- | --- |"]
    for name in REPLAYS:
        summary = docs / name / SUMMARY
        lines.append(_row(name, read(summary) if summary.is_file() else None))
    text = (docs / "README.md").read_text(encoding="utf-8")
    return _between(text, "\n".join(lines), docs / "README.md")


def _row(name: str, result: StudyResult | None) -> str:
    if result is None:
        return f"| [{name}]({name}/README.md) | | {_NOT_YET} | |"
    day = datetime.fromtimestamp(result.started_at, tz=UTC).strftime("%Y-%m-%d")
    answer = result.answer.replace("|", "\\|")
    return f"| [{name}]({name}/README.md) | {result.question} | {day} | {answer} |"


def _between(text: str, content: str, file: Path) -> str:
    before, begin, rest = text.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise UsageError(f"`{file}` has no place for results: expected `{_BEGIN}` and `{_END}`")
    return f"{before}{_BEGIN}\n\n{content}\n\n{_END}{after}"


def _results(path: Path) -> list[Path]:
    """A result itself, or those of a folder of several."""
    if path.is_file() or (path / NAME).is_file():
        return [path]
    found = [path / name for name in REPLAYS if (path / name / NAME).is_file()]
    if not found:
        raise UsageError(
            f"`{path}` has no results of replays: expected a result.json, or folders that have one",
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
    """Write docs/replays/ of the folder that this is called in."""
    for path in write([Path(each) for each in arguments], Path("docs/replays")):
        print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
