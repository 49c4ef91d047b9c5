"""Markdown for a pull request leads with the answer, fits a comment, and obeys no text in it."""

from __future__ import annotations

import re

import large_sample
import pytest
import sample
from httpdyno.export import Check
from httpdyno.export.markdown import MOST_CHARACTERS, markdown
from httpdyno.output.markdown_text import code, row, table, text

HOSTILE = (
    "</details><script>alert(1)</script> ![x](https://evil.example/?who) @everyone #1 <!-- -->"
    " **bold** _it_ ~~no~~ [l](javascript:x) | cell | `open \x1b[31m\u202e\ud800"
    " www.evil.example $x$"
)


def outside_code(page: str) -> str:
    """The page without what is in code spans, which GitHub does not interpret."""
    return re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", page)


def test_the_answer_comes_before_every_table() -> None:
    result = sample.replay(5)
    page = markdown(result)
    assert page.index("With one process each") < page.index("| load |")
    assert page.startswith("<!-- httpdyno: tornado-vs-starlette -->\n\n### Tornado vs Starlette")


def test_each_number_stands_beside_its_interval_and_its_verdict() -> None:
    result = sample.replay(5)
    lines = [
        line
        for line in markdown(result).splitlines()
        if "`1,000/s`" in line or "· 1,000/s`" in line
    ]
    row_of = next(line for line in lines if "tornado/1-process" in line)
    assert re.search(r"\| 1,000 \(1,000 to 1,000\) \|", row_of)
    assert row_of.endswith("| valid |")
    assert any("invalid: no result" in line for line in markdown(result).splitlines())


def test_too_few_trials_have_no_interval_and_no_false_zero() -> None:
    page = markdown(sample.tiny())
    assert "(no interval)" in page
    assert "0 to 0" not in page


def test_equal_trials_do_not_claim_to_detect_a_difference_of_nothing() -> None:
    result = sample.tiny()
    rows = [
        one.model_copy(update={"outcome": "no difference shown", "smallest_detectable": least})
        for one in result.comparisons
        for least in (0.0, 0.021)
    ]
    page = markdown(result.model_copy(update={"comparisons": rows}))
    assert "| no difference shown |" in page
    assert "| no difference shown (detectable: 2.10 % or more) |" in page
    assert "from 0 %" not in page


def test_the_doubts_and_the_arms_left_out_are_folded_with_a_summary() -> None:
    page = markdown(sample.replay(5))
    summary = re.search(r"<summary>(.*?)</summary>", page)
    assert summary is not None
    assert summary[1] == (
        "1 of 24 results is suspect, 2 of 24 results are invalid, 1 arm was left out"
    )
    assert page.count("<details>") == page.count("</details>") == 2
    assert "`nginx/1-worker` was left out" in page


def test_checks_are_in_a_table_of_their_own() -> None:
    checks = [
        Check("p99 of mine", "failed", "p99 12 % higher, 95 % interval 8 to 16 %"),
        Check("throughput of mine", "no result", "too few trials"),
    ]
    page = markdown(sample.tiny(), checks)
    assert "❌ failed" in page
    assert "⚪ no result" in page
    assert "passed" not in page


def test_a_result_without_any_cell_is_still_a_page() -> None:
    page = markdown(sample.empty())
    assert "No result: no server could be started" in page
    assert "| load |" not in page


@pytest.mark.parametrize("name", ["replay", "snap"])
def test_the_page_fits_a_comment_and_says_what_it_left_out(name: str) -> None:
    result = sample.replay(5) if name == "replay" else large_sample.snap()
    long = result.model_copy(
        update={"cells": result.cells * 40, "answer": "a" * 100_000, "comparisons": []}
    )
    page = markdown(long)
    assert len(page) <= MOST_CHARACTERS
    assert re.search(r"… and [\d,]+ more: see the report", page)
    assert page.count("<details>") == page.count("</details>")


def test_no_text_from_outside_is_obeyed() -> None:
    result = sample.tiny()
    cells = [
        cell.model_copy(
            update={
                "arm": HOSTILE,
                "load": HOSTILE,
                "status": "suspect",
                "reasons": [sample.OVERLOAD.model_copy(update={"text": HOSTILE, "hint": HOSTILE})],
                "doubts": sample.doubted(sample.OVERLOAD.code),
            }
        )
        for cell in result.cells
    ]
    texts = {"title": HOSTILE, "answer": HOSTILE, "command": HOSTILE, "httpdyno_version": HOSTILE}
    page = markdown(result.model_copy(update={"cells": cells, "name": HOSTILE, **texts}))
    page.encode()
    bare = outside_code(page)
    for sign in (
        "<script",
        "![",
        "](",
        "@everyone",
        "**",
        "~~",
        "\x1b",
        "\u202e",
        "https://",
        "www.",
    ):
        assert sign not in bare, sign
    assert not re.search(r"#\d", bare.replace("&#", ""))
    assert bare.count("<details>") == bare.count("</details>") == 2
    for line in page.splitlines():
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) in (6, 8), "the number of columns stays"


def test_code_shows_any_text_as_it_is() -> None:
    assert code("a") == "`a`"
    assert code("a`b") == "``a`b``"
    assert code("`") == "`` ` ``"
    assert code("") == "` `"


def test_words_in_backticks_stay_code_and_a_lone_backtick_is_a_character() -> None:
    assert text("run `httpdyno run demo` *now*") == "run `httpdyno run demo` &#42;now&#42;"
    assert text("a ` b") == "a &#96; b"
    assert row(["`a|b`", "c"]) == "| `a\\|b` | c |"


def test_a_table_has_its_numbers_at_the_right() -> None:
    shown = table(["arm", "p|99"], [["a", "1 ms"]], numbers=1)
    assert shown == "| arm | p\\|99 |\n| --- | ---: |\n| a | 1 ms |"
    assert table(["a", "b"], []) == "| a | b |\n| --- | --- |"
