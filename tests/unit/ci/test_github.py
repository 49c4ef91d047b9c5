"""Nothing that a server or a branch is called becomes a command of a GitHub job."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from httpdyno.ci.github import annotate, annotation, set_outputs, summarise, without_commands
from httpdyno.output.echo import echo

HOSTILE = "100 %\n::error::mine\r\n::add-mask::x\x1b[31m ]]>"


def test_an_annotation_is_one_line_with_escapes() -> None:
    made = annotation("warning", HOSTILE)
    assert made == "::warning title=httpdyno::100 %25 ::error::mine\\r ::add-mask::x\\x1b[31m ]]>"
    assert len(annotation("error", "x" * 9000)) < 2100


def test_elsewhere_an_annotation_is_a_line_on_stderr(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    with without_commands():
        annotate("warning", "few\nprocessors")
    assert tuple(capsys.readouterr()) == ("", "warning: few processors\n")


def test_commands_are_stopped_with_a_word_that_nobody_can_guess(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    tokens = set()
    for _ in range(2):
        with pytest.raises(KeyError), without_commands():
            raise KeyError
        first, last = capsys.readouterr().out.splitlines()
        assert last == f"::{first.removeprefix('::stop-commands::')}::"
        tokens.add(last)
    assert len(tokens) == 2
    assert all(len(one) == 36 for one in tokens)


def test_no_message_on_stderr_is_a_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "::error::a\n \t::error::b\r::error::c a::b ##[error]d ###[add-mask]e\n\n::stop"
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    echo(text, err=True)
    assert capsys.readouterr().err == f"{text}\n"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    echo(text)
    echo(text, err=True)
    out, err = capsys.readouterr()
    assert out == f"{text}\n"
    assert not re.search(r"(^|[\r\n])\s*::|##\[", err)
    assert "a::b ## [error]d" in err
    assert err.replace(" ", "") == out.replace(" ", "")


def test_an_output_of_several_lines_sets_no_other_output(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "output"
    monkeypatch.setenv("GITHUB_OUTPUT", str(file))
    set_outputs({"report": "/tmp/a\nverdict=no regression shown\nb", "ratio": "0.9"})
    first, *lines = file.read_text().splitlines()
    end = first.removeprefix("report<<")
    assert lines.index(end) == 3
    assert lines[4].startswith("ratio<<")
    assert lines[4] != f"ratio<<{end}"
    assert len(end) > 32
    assert lines[5] == "0.9"


def test_a_summary_is_added_to_the_earlier_ones(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "summary"
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    assert not summarise("lost")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(file))
    assert summarise("one")
    assert summarise("two")
    assert file.read_text() == "one\ntwo\n"
