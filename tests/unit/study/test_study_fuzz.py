"""Whatever a study file holds, reading it gives a study, or every fault with a line of the file.

`make fuzz` runs this with many more examples (HTTPDYNO_FUZZ_EXAMPLES).
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from httpdyno.errors import UsageError
from httpdyno.running.own import server_of
from httpdyno.study import KnownNames, Study, built_in_studies
from httpdyno.study.read import parse_study
from httpdyno.workloads import WORKLOADS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

SEEDS = Path(__file__).parents[3] / "fuzz" / "corpus" / "study_reader"
FINDINGS = SEEDS.parent.parent / "findings" / "study_reader"
FILE = Path("mine.toml")
KNOWN = KnownNames({"tornado": ("1-process",)}, tuple(WORKLOADS), arm=server_of)
"""With it, a study's own arms and workloads are read too."""

many = settings(
    max_examples=int(os.environ.get("HTTPDYNO_FUZZ_EXAMPLES", "150")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


def seeds() -> list[str]:
    """The seed corpus, and every study that comes with httpdyno."""
    files = [*sorted(SEEDS.glob("*.toml")), *built_in_studies().values()]
    return [file.read_text(encoding="utf-8") for file in files]


def findings() -> list[Path]:
    """Files that once broke the sentence above."""
    return sorted(FINDINGS.glob("*.toml"))


def holds(text: str) -> None:
    """The sentence above, for one file."""
    last_line = text.count("\n") + 1
    for known in (None, KNOWN):
        try:
            assert isinstance(parse_study(text, FILE, known), Study)
        except UsageError as told:
            check_lines(told.message, last_line)


def check_lines(message: str, last_line: int) -> None:
    """Each line of an error names a line of the file."""
    for fault in message.split("\n"):
        place = re.match(r"mine\.toml:(\d+): (?=\S)", fault)
        assert place, f"no place: {fault!r}"
        assert 1 <= int(place[1]) <= last_line, f"not a line of {last_line}: {fault!r}"
        assert fault.isprintable(), f"would spoil the terminal: {fault!r}"


values = st.one_of(
    st.sampled_from(
        [
            *("0", "-1", "1", "65536", "1_000_000_001", "0.0", "-0.0", "1e308", "inf", "nan"),
            *("9" * 400, "true", '""', '"15s"', '"1.5m"', '"soon"', '"\\u001b[31m"', '"a\\nb"'),
            *("[]", "{}", "[1, 2]", "[[]]", "[{}]", "{a = 1}", "1979-05-27", "07:32:00"),
            *('"constant"', '"exponential"', '"1.0"', '"1.1"', '"""a\nb"""', "'''a\nb'''"),
        ]
    ),
    st.integers().map(str),
    st.floats().map(str),
    st.text(max_size=20).map(lambda text: '"' + re.sub(r'["\\\x00-\x1f\x7f]', "", text) + '"'),
)
keys = st.sampled_from(
    [
        "title",
        "source",
        "workload",
        "blocks",
        "baseline",
        "kind",
        "connections",
        "requests",
        "rate",
        "calls",
        "sessions",
        "duration",
        "warm_up",
        "http",
        "keep_alive",
        "burst",
        "think",
        "timeout",
        "arms",
        "server",
        "deployments",
        "published",
        "arm",
        "load",
        "requests_per_s",
        "quick",
        "loads",
        "name",
        "text",
        "file",
        "max_open",
        "arrivals",
        "start",
        "url",
        "unix",
        "env",
        "cwd",
        "cores",
        "ready",
        "workloads",
        "path",
        "headers",
        "weight",
        "expect",
        "body_file",
    ]
) | st.text(max_size=8).map(lambda text: '"' + re.sub(r'["\\\x00-\x1f\x7f]', "", text) + '"')
headers = st.sampled_from(
    [
        "[[arms]]",
        "[loads.x]",
        "[loads]",
        "[[published]]",
        "[quick]",
        "[quick.loads.x]",
        "[[loads]]",
        "[workloads.x]",
        "[[workloads.x.requests]]",
    ]
)
lines = st.one_of(
    st.tuples(keys, values).map(" = ".join),
    headers,
    st.text(max_size=30),
    st.sampled_from(["#", "", '"""', "'''", "[", "]", "\\", "\r", "\x85", "\u2028", "\x0c"]),
)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A seed with some of its lines dropped, doubled, given other values, or others put between."""
    text = draw(st.sampled_from(seeds())).split("\n")
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(text)))
        match draw(st.sampled_from(["drop", "double", "value", "insert", "cut", "glue"])):
            case "drop":
                del text[at : at + draw(st.integers(1, 3))]
            case "double":
                text[at:at] = text[at : at + draw(st.integers(1, 4))]
            case "value" if at < len(text) and "=" in text[at]:
                text[at] = text[at].split("=")[0] + "= " + draw(values)
            case "cut" if at < len(text):
                text[at] = text[at][: draw(st.integers(0, 20))]
            case "glue" if at + 1 < len(text):
                text[at : at + 2] = [text[at] + text[at + 1]]
            case _:
                text.insert(at, draw(lines))
    return "\n".join(text)


@many
@given(mutated())
def test_a_study_with_faults_tells_each_with_its_line(text: str) -> None:
    holds(text)


@many
@given(st.lists(lines, max_size=20).map("\n".join))
def test_lines_thrown_together_are_a_study_or_faults(text: str) -> None:
    holds(text)


@many
@given(st.text())
def test_any_text_is_a_study_or_a_fault(text: str) -> None:
    holds(text)


@pytest.mark.parametrize("file", findings(), ids=lambda file: str(file.stem))
def test_what_once_was_read_wrong_is_not_again(file: Path) -> None:
    holds(file.read_bytes().decode())


@pytest.mark.parametrize("text", seeds())
def test_seeds_are_studies_before_they_are_mutated(text: str) -> None:
    assert isinstance(parse_study(text, FILE), Study)


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 5000,
        "a = " + "[" * 5000 + "]" * 5000,
        "title = " + "9" * 5000,
        "[loads.x]\nkind = 'closed'\nduration = " + "9" * 400,
        "blocks = 1e999",
    ],
    ids=["open", "nested", "digits", "beyond a float", "infinite"],
)
def test_what_is_too_much_for_a_parser_is_a_fault_with_its_line(text: str) -> None:
    with pytest.raises(UsageError):
        parse_study(text, FILE)
    holds(text)
