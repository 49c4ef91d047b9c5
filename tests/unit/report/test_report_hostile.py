"""Results from a hostile or broken file: any number, any text, any JSON."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import drawn
import large_sample
import pytest
import sample
from httpdyno.cli.report.verb import report
from httpdyno.errors import ExitCode, UsageError
from httpdyno.output.printable import printable
from httpdyno.report import write_report, write_summary
from httpdyno.report.charts.catalogue import figures
from httpdyno.report.page import render
from httpdyno.report.report_markdown import replay_markdown, report_markdown
from httpdyno.report.result_json import MOST_BYTES, parse, read, to_json, to_short_json
from httpdyno.report.text.safe_texts import make_safe
from httpdyno.result import StudyResult

RESULTS = {
    "replay": sample.replay(5),
    "too few trials": sample.tiny(),
    "many arms": large_sample.snap(),
    "curves": large_sample.curves(),
}


def changed(value: Any, change: Callable[[Any], Any]) -> Any:
    """JSON with another value at each of its leaves."""
    if isinstance(value, dict):
        return {name: changed(each, change) for name, each in value.items()}
    if isinstance(value, list):
        return [changed(each, change) for each in value]
    return change(value)


def with_floats(result: StudyResult, text: str) -> StudyResult:
    """The result in which each number that is not an integer is `text`."""
    raw = json.loads(result.model_dump_json())
    marked = json.dumps(changed(raw, lambda leaf: "@" if isinstance(leaf, float) else leaf))
    return StudyResult.model_validate_json(marked.replace('"@"', text))


def strict(text: str) -> Any:
    """JSON as a browser reads it."""

    def refuse(constant: str) -> Any:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize(
    "number", ["1e308", "-1e308", "1.7976931348623157e308", "5e-324", "-1.5", "0.0", "1e15"]
)
def test_any_stored_number_can_be_shown(name: str, number: str) -> None:
    result = with_floats(RESULTS[name], number)
    shown = figures(result)
    assert render(result, shown)
    assert report_markdown(result)
    assert replay_markdown(result, [])
    for figure in shown:
        drawn.tree(figure.svg)
        assert not re.search(r' (?:d|cx|cy|x|y|viewBox)="[^"]*(?:nan|inf)', figure.svg)
    assert StudyResult.model_validate_json(to_json(result)) == result
    strict(to_short_json(result))


def test_one_huge_number_leaves_the_others_on_their_axes() -> None:
    small = sample.replay(5)
    raw = json.loads(small.model_dump_json())
    raw["published"][0]["requests_per_s"] = 1e308
    raw["cells"][0]["throughput_per_s"]["value"] = 1e308
    result = StudyResult.model_validate(raw)
    figure = next(f for f in figures(result) if f.name == "throughput-as-published")
    ticks = [one.text for one in drawn.words(figure.svg) if "m" in one.classes]
    assert len(ticks) > 2
    assert all(float(tick.replace(",", "")) < 1e6 for tick in ticks)
    assert "1.00e+308/s" in render(result, [])


@pytest.mark.parametrize("number", [-1, 1e300], ids=["negative", "large"])
@pytest.mark.parametrize(
    "place",
    [
        "started_at",
        "published.0.requests_per_s",
        "cells.0.p99_s.value",
        "cells.1.throughput_per_s.low",
        "cells.0.trials.0.server_rss_bytes",
        "cells.0.latency_spectrum.0",
    ],
)
def test_a_number_that_nothing_measured_is_refused_with_its_place(
    number: float, place: str
) -> None:
    raw = json.loads(sample.replay(5).model_dump_json())
    *above, last = [int(key) if key.isdigit() else key for key in place.split(".")]
    inside: Any = raw
    for key in above:
        inside = inside[key]
    inside[last] = [50.0, number] if last == 0 else number
    said = f"`x` is not a complete result: {place}"
    with pytest.raises(UsageError, match=said):
        parse(json.dumps(raw), "x")


@pytest.mark.parametrize(
    "number", ["1e999", "1E+999", f"{'9' * 400}.5", "Infinity", "NaN", "-Infinity"]
)
def test_a_number_that_is_not_finite_counts_as_missing(number: str) -> None:
    raw = json.loads(sample.replay(5).model_dump_json())
    for cell in raw["cells"]:
        for name in ("throughput_per_s", "p99_s"):
            if cell[name]:
                cell[name]["value"] = "@"
        cell["latency_spectrum"] = [[50.0, "@"], *cell["latency_spectrum"]]
        cell["trials"][0]["p50_s"] = "@"
        cell["ceiling_per_s"] = "@"
    for row in raw["comparisons"]:
        row["dots"] = [[1, "@"], *row["dots"]]
    result = parse(json.dumps(raw).replace('"@"', number), "x")
    assert {cell.throughput_per_s for cell in result.cells} == {None}
    assert {cell.trials[0].p50_s for cell in result.cells} == {None}
    for figure in figures(result):
        drawn.tree(figure.svg)
    assert "no result" in render(result, [])


def test_half_a_character_is_shown_as_its_escape(tmp_path: Path) -> None:
    raw = json.loads(sample.tiny().model_dump_json()) | {"title": "\ud800"}
    paths = write_report(parse(json.dumps(raw), "x"), tmp_path)
    assert "<h1>\\ud800</h1>" in paths.html.read_text(encoding="utf-8")


def test_huge_whole_numbers_can_be_shown() -> None:
    raw = json.loads(large_sample.curves().model_dump_json())
    huge = changed(raw, lambda leaf: 10**400 if type(leaf) is int else leaf) | {"version": 1}
    result = StudyResult.model_validate(huge)
    shown = figures(result)
    assert render(result, shown)
    assert all(drawn.tree(figure.svg).get("role") for figure in shown)


HOSTILE = "\x1b[31m\x9b1m\u202e</script><img src=x onerror=1>\"'`{{ 7*7 }}"
KEPT = {
    "format",
    "status",
    "pace",
    "outcome",
    "metric",
    "kind",
    "stage",
    "answer of a probe",
    "code",
} | {"doubts"}


def hostile(result: StudyResult) -> StudyResult:
    """The result with escape sequences and HTML in every text that is free."""
    raw = json.loads(result.model_dump_json())

    def spoil(name: str, value: Any) -> Any:
        if isinstance(value, dict):
            probe = value.keys() == {"name", "answer", "detail"}
            return {
                key: each if probe and key == "answer" else spoil(key, each)
                for key, each in value.items()
            }
        if isinstance(value, list):
            return [spoil(name, each) for each in value]
        if isinstance(value, str) and name not in KEPT:
            return f"{value}{HOSTILE}"
        return value

    return StudyResult.model_validate(spoil("", raw))


class Tags(HTMLParser):
    """The tags of a page with their attributes' names."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: dict[str, int] = {}
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name in (tag, *(attribute for attribute, _ in attrs)):
            self.found[name] = self.found.get(name, 0) + 1


def raw_controls(text: str) -> list[str]:
    return re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


@pytest.mark.parametrize("whole", [sample.replay(2), large_sample.snap()], ids=lambda r: r.name)
def test_a_hostile_text_in_any_field_never_reaches_the_page_raw(
    whole: StudyResult, tmp_path: Path
) -> None:
    # One load of the large study draws every kind of chart that the small one does not have.
    result = hostile(whole.model_copy(update={"loads": whole.loads[:1]}))
    html = write_report(result, tmp_path).html.read_text(encoding="utf-8")
    assert raw_controls(html) == []
    assert HOSTILE not in html
    tags = Tags(html).found
    assert "img" not in tags
    assert "onerror" not in tags
    assert html.count("\\x1b[31m\\x9b1m\\u202e&lt;/script&gt;&lt;img") > 100
    assert "{{ 7*7 }}" in html, "a template never runs what a result says"


@pytest.mark.parametrize("name", ["replay", "many arms"])
def test_a_hostile_text_never_reaches_markdown_or_json_raw(name: str, tmp_path: Path) -> None:
    result = hostile(RESULTS[name])
    shown = make_safe(result)
    texts = [replay_markdown(shown, []), to_json(result), report_markdown(shown)]
    texts.append(write_summary(result, tmp_path / "summary.json").read_text(encoding="utf-8"))
    for text in texts:
        assert raw_controls(text) == []
    for markdown in (texts[0], texts[2]):
        assert "<img" not in re.sub(r"(`+)[^`].*?\1(?!`)", "", markdown)
    assert parse(texts[1], "x") == result, "the JSON keeps what it was given"


def broken() -> Iterator[tuple[str, str, str]]:
    whole = json.loads(sample.tiny().model_dump_json())
    yield "deep list", "[" * 100_000, "nested too deeply"
    yield "deep objects", '{"a":' * 100_000, "nested too deeply"
    deep = json.dumps(whole | {"extra": "@"}).replace('"@"', "[" * 990 + "]" * 990)
    yield "deep field", deep, "nested too deeply"
    yield "empty", "", "not valid JSON"
    yield "half", json.dumps(whole)[:-40], "not valid JSON"
    yield "long number", '{"seed": ' + "9" * 5000 + "}", "not valid JSON: it has a number of more"
    yield "no version", json.dumps({**whole, "version": None}), "has version None"
    yield "escape", json.dumps(whole | {"version": "\x1b[31m"}), "has version '\\x1b[31m'"
    lost = [{**cell, "arm": "nobody"} for cell in whole["cells"]]
    yield "lost arm", json.dumps(whole | {"cells": lost}), "cells.0.arm: expected the name of one"
    yield "later version", json.dumps(whole | {"version": 99}), "has version 99"


@pytest.mark.parametrize(
    ("text", "expected"), [b[1:] for b in broken()], ids=[b[0] for b in broken()]
)
def test_a_broken_result_is_one_error_of_the_user(text: str, expected: str, tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        report(str(tmp_path))
    assert expected in caught.value.message
    assert caught.value.exit_code == ExitCode.USAGE
    assert caught.value.hint
    assert printable(caught.value.message) == caught.value.message
    assert list(tmp_path.iterdir()) == [file], "nothing is written"


def test_a_result_that_may_never_end_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for file in (tmp_path / "fifo", Path("/dev/zero")):
        with pytest.raises(UsageError, match="is not a regular file"):
            read(file)
    huge = tmp_path / "huge.json"
    with huge.open("wb") as opened:
        opened.truncate(MOST_BYTES + 1)
    with pytest.raises(UsageError, match="with at most"):
        read(huge)
