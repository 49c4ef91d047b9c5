"""Writes docs/replays/ from finished replays: `make replay-docs RESULTS="FOLDER..."`.

A result is a folder of `httpdyno run --all-replays` or of one replay, a `result.json`, or a
`summary.json`. Each replay gets `docs/replays/NAME/summary.json`, its pictures, and the results
part of its page; the text around that part stays. Without a result, the pages are written from the
stored summaries, and the pictures stay.

A summary may be older than the sentences of today: its title, its question, the titles of its
loads, the verdicts on published logs and its answer are written anew, from its own numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from httpdyno.dates import date
from httpdyno.errors import UsageError
from httpdyno.output.files import write_file
from httpdyno.output.markdown_text import table
from httpdyno.plan import Plan
from httpdyno.report import write_summary
from httpdyno.report.charts.catalogue import figures
from httpdyno.report.charts.figure import Figure
from httpdyno.report.charts.picture import file_png
from httpdyno.report.contents.answer import answer as shown_answer
from httpdyno.report.contents.rows.arms import labels
from httpdyno.report.markdown import prose
from httpdyno.report.report_markdown import replay_markdown
from httpdyno.report.result_json import NAME, parse, read
from httpdyno.report.text.replay import corrected_loads, replay_groups
from httpdyno.report.text.safe_texts import make_safe
from httpdyno.result import StudyResult
from httpdyno.run import read_study
from httpdyno.running.published_rows import published_rows
from httpdyno.servers import load_catalogue
from httpdyno.statistics.claims.answer import answer
from httpdyno.statistics.claims.family import Claims
from httpdyno.study.replays import REPLAYS
from small_pngs import smaller

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
            result = _retold(read(found))
            folder = _folder(result, docs)
            for old in folder.glob("*.png"):
                old.unlink()
            for file, chart in _charts(result):
                written.append(folder / file)
                write_file(folder / file, smaller(file_png(chart)))
            written.append(write_summary(result, folder / SUMMARY))
    for name in REPLAYS:
        written.append(_write(docs / name / "README.md", page(docs / name)))
    return [*written, _write(docs / "README.md", index(docs))]


def _write(file: Path, text: str) -> Path:
    write_file(file, text)
    return file


def _retold(result: StudyResult) -> StudyResult:
    """The result in the words of today: those of its study, and the answer from its own numbers. A
    result of another state of the study stays as it is."""
    if result.name not in REPLAYS:
        return result
    catalogue = load_catalogue()
    study = read_study(result.name, catalogue)
    plan = Plan(study)
    if {one.name for one in plan.arms} != {one.name for one in result.arms}:
        return result
    if study.loads.keys() != {one.name for one in result.loads}:
        return result
    cells = {(one.arm, one.load, one.point): one for one in result.cells}
    titles = {server.name: server.title for server in catalogue}
    claims = Claims(result.comparisons, result.rankings, result.kept_up)
    told = answer(plan, cells, claims, titles)
    own = {
        name: {"title": load.title or name, "description": load.in_words()}
        for name, load in study.loads.items()
    }
    return result.model_copy(
        update={
            "answer": told.text,
            "answer_lead": told.lead,
            "answer_load": told.load,
            "answer_point": told.point,
            "title": study.title,
            "question": study.question or study.title,
            "published": published_rows(study),
            "loads": [load.model_copy(update=own[load.name]) for load in result.loads],
        }
    )


def _charts(result: StudyResult) -> list[tuple[str, Figure]]:
    """The charts of a page with their files: the columns of the replay, the ratios under the
    corrected loads, and the curves of the post's own loads."""
    shown = make_safe(result)
    groups = replay_groups(shown)
    corrected = {load.name for _, rows in groups for load in corrected_loads(rows)}
    every = [(f"{chart.name}.png", chart) for chart in figures(shown)]
    return [
        (file, chart)
        for file, chart in every
        if chart.section == "replay"
        or (file.startswith("ratio-throughput-") and chart.load and chart.load.name in corrected)
        or (chart.section == "rates" and chart.load and chart.load.kind == "sessions")
    ]


def page(folder: Path) -> str:
    """The page of one replay: its text, with the results of its summary."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    summary = folder / SUMMARY
    results = _of_text(summary.read_text(encoding="utf-8")) if summary.is_file() else _NOT_YET
    return _between(text, results, folder / "README.md")


@cache
def _of_text(summary: str) -> str:
    """The results part of a page. Its charts are drawn for their titles."""
    result = parse(summary, SUMMARY)
    return replay_markdown(make_safe(result), _charts(result))


def index(docs: Path) -> str:
    """The page of all replays."""
    rows = [_row(name, docs / name / SUMMARY) for name in REPLAYS]
    text = (docs / "README.md").read_text(encoding="utf-8")
    found = table(("replay", "question", "measured", "answer"), rows)
    return _between(text, found, docs / "README.md")


def _row(name: str, summary: Path) -> Sequence[str]:
    link = f"[{name}]({name}/README.md)"
    if not summary.is_file():
        return link, "", _NOT_YET, ""
    result = read(summary)
    lead = shown_answer(make_safe(result), labels(result)).lead
    return link, prose(result.question), date(result.started_at), prose(lead)


def _between(text: str, content: str, file: Path) -> str:
    before, begin, rest = text.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise UsageError(f"`{file}` has no place for results: expected `{_BEGIN}` and `{_END}`")
    return f"{before}{_BEGIN}\n\n{content}\n\n{_END}{after}"


def _results(path: Path) -> Iterator[Path]:
    """The result at a path, or the results in the folders of a path."""
    if path.is_file() or (path / NAME).is_file():
        yield path
        return
    found = [path / name for name in REPLAYS if (path / name / NAME).is_file()]
    if not found:
        raise UsageError(
            f"`{path}` has no results of replays: expected a result.json, or folders with one",
            hint="`httpdyno run --all-replays` writes them",
        )
    yield from found


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
