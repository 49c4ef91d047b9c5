"""The files of a report, and reading its JSON back."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import large_sample
import pytest
import sample
from httpdyno.cli.report.verb import report
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.report import write_report
from httpdyno.report.charts.catalogue import figures
from httpdyno.report.result_json import parse, read
from httpdyno.result import RESULT_VERSION
from httpdyno.running.languages import with_languages

TINY = sample.tiny()


def files(folder: Path) -> set[str]:
    """Every file in a folder."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_report_is_a_page_its_markdown_and_its_json_and_nothing_else(tmp_path: Path) -> None:
    paths = write_report(TINY, tmp_path / "new" / "folder")
    assert paths.html == tmp_path / "new" / "folder" / "report.html"
    assert files(tmp_path / "new" / "folder") == {"report.html", "report.md", "result.json"}
    assert 'href="charts/' not in paths.html.read_text()


def test_charts_are_files_in_the_formats_that_were_asked_for(tmp_path: Path) -> None:
    report(str(write_report(TINY, tmp_path).json), formats=["html,svg", "png"])
    names = [drawing.name for drawing in figures(TINY)]
    expected = {f"charts/{name}.{form}" for name in names for form in ("svg", "png")}
    assert files(tmp_path) == {"report.html", "report.md", "result.json", *expected}
    assert all((tmp_path / name).stat().st_size > 0 for name in expected)


def test_every_link_of_the_page_leads_to_a_file_that_was_written(tmp_path: Path) -> None:
    report(str(write_report(TINY, tmp_path).json), formats=["html,md,svg,csv"])
    for name, pattern in (("report.html", r'<a href="([^"#]+)"'), ("report.md", r"\]\(([^)]+)\)")):
        links = re.findall(pattern, (tmp_path / name).read_text())
        assert links
        assert all((tmp_path / link).is_file() for link in links)


def test_only_the_formats_that_were_asked_for_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = str(write_report(TINY, tmp_path / "first").json)
    report(source, tmp_path / "second", formats=["csv", "md"])
    assert files(tmp_path / "second") == {"trials.csv", "report.md"}
    assert len(capsys.readouterr().out.split()) == 2
    assert "arm,server" in (tmp_path / "second" / "trials.csv").read_text()


def test_every_unknown_format_is_named_at_once(tmp_path: Path) -> None:
    source = str(write_report(TINY, tmp_path).json)
    with pytest.raises(UsageError) as caught:
        report(source, formats=["docx,html", "gif"])
    assert "docx" in caught.value.message
    assert "gif" in caught.value.message
    assert "pdf" in caught.value.message


def test_a_pdf_without_chromium_is_an_error_that_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = str(write_report(TINY, tmp_path).json)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EnvironmentFault, match="needs Chromium") as caught:
        report(source, formats=["pdf"])
    assert "apt-get install chromium" in str(caught.value.hint)


def test_the_json_gives_back_the_whole_result(tmp_path: Path) -> None:
    result = sample.replay(2)
    paths = write_report(result, tmp_path)
    assert read(paths.json) == result
    assert read(tmp_path) == result


def test_the_json_of_a_later_httpdyno_with_unknown_fields_is_read() -> None:
    raw = json.loads(TINY.model_dump_json()) | {"a_field_of_tomorrow": 1}
    assert parse(json.dumps(raw), "x") == TINY


def test_a_result_is_the_same_whichever_way_it_is_read() -> None:
    """JSON with a number that is not finite, here in an unknown field, is read in another way."""
    for result in (TINY, sample.replay(5), large_sample.curves()):
        raw = json.loads(result.model_dump_json())
        plain = parse(json.dumps(raw), "x")
        assert parse(json.dumps(raw | {"a_field_of_tomorrow": math.nan}), "x") == plain == result


WHOLE = json.loads(TINY.model_dump_json())
BAD = {
    "not JSON at all": ("{", "`x` is not valid JSON"),
    "JSON of something else": (
        '{"format": "httpdyno-measurement", "version": 1}',
        "is not a result",
    ),
    "a list": ("[]", "is not a result"),
    "a newer version": (
        json.dumps(WHOLE | {"version": RESULT_VERSION + 1}),
        f"`x` has version {RESULT_VERSION + 1}: this httpdyno reads version {RESULT_VERSION}",
    ),
    "a version that is no number": (
        json.dumps(WHOLE | {"version": "one"}),
        "has version 'one'",
    ),
    "a version that is only almost a number": (
        json.dumps(WHOLE | {"version": "1"}),
        "has version '1'",
    ),
    "a version of yes": (json.dumps(WHOLE | {"version": True}), "has version True"),
    "no version": (
        json.dumps({name: each for name, each in WHOLE.items() if name != "version"}),
        "has version None",
    ),
    "no format": (
        json.dumps({name: each for name, each in WHOLE.items() if name != "format"}),
        "is not a result",
    ),
    "no seed": (json.dumps({**WHOLE, "seed": None}), "seed: input should be"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_rendered_is_refused_in_a_sentence(case: str) -> None:
    text, expected = BAD[case]
    with pytest.raises(UsageError) as caught:
        parse(text, "x")
    assert expected in caught.value.message
    assert "\n" not in caught.value.message


def test_all_faults_of_a_result_are_told_at_once() -> None:
    with pytest.raises(UsageError) as caught:
        parse(json.dumps(WHOLE | {"seed": "many", "complete": "perhaps"}), "x")
    assert "seed: " in caught.value.message
    assert "complete: " in caught.value.message


def test_a_missing_result_is_a_mistake_of_the_user(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        read(tmp_path)


def test_a_folder_that_cannot_be_written_is_the_machines_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(EnvironmentFault, match="cannot be created") as caught:
        write_report(TINY, tmp_path / "file" / "out")
    assert caught.value.hint is not None


def test_a_full_disk_leaves_the_report_that_was_there(tmp_path: Path) -> None:
    (tmp_path / "report.html").mkdir()
    (tmp_path / "report.html" / "keep").write_text("the old one")
    with pytest.raises(EnvironmentFault):
        write_report(TINY, tmp_path)
    assert (tmp_path / "report.html" / "keep").read_text() == "the old one"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_the_verb_renders_a_report_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = write_report(with_languages(TINY), tmp_path / "first")
    report(str(first.json.parent), tmp_path / "second")
    again = tmp_path / "second" / "report.html"
    assert capsys.readouterr().out.strip() == str(again)
    assert again.read_text() == first.html.read_text()


def test_importing_the_report_loads_nothing_heavy() -> None:
    code = "import sys, httpdyno.report, httpdyno.cli.report.verb; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"jinja2", "resvg_py"} & set(done.stdout.split())
