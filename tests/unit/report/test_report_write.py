"""The files of a report, and reading its JSON back."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import sample
from httpdyno.cli.report import report
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.report import write_report
from httpdyno.report.charts.catalogue import figures
from httpdyno.report.result_json import parse, read
from httpdyno.result import RESULT_VERSION

TINY = sample.tiny()


def test_a_report_with_charts_is_a_page_its_json_and_two_pictures_per_chart(tmp_path: Path) -> None:
    paths = write_report(TINY, tmp_path / "new" / "folder", charts=True)
    assert paths.html == tmp_path / "new" / "folder" / "report.html"
    assert {path.suffix for path in paths.charts} == {".png", ".svg"}
    assert len(paths.charts) == 2 * len(figures(TINY))
    assert all(path.stat().st_size > 0 for path in (paths.html, paths.json, *paths.charts))
    written = {path for path in (tmp_path / "new" / "folder").rglob("*") if path.is_file()}
    assert written == {paths.html, paths.json, *paths.charts}, "nothing half-written stays behind"


def test_every_link_of_the_page_leads_to_a_file_that_was_written(tmp_path: Path) -> None:
    page = write_report(TINY, tmp_path, charts=True).html.read_text()
    links = [part.split('"')[0] for part in page.split('<a href="')[1:]]
    files = [link for link in links if not link.startswith("#")]
    assert len(files) == 2 * len(figures(TINY)) + 1
    assert all((tmp_path / link).is_file() for link in files)


def test_unless_asked_for_no_chart_is_written_or_linked(tmp_path: Path) -> None:
    paths = write_report(TINY, tmp_path)
    assert paths.charts == []
    assert not (tmp_path / "charts").exists()
    assert 'href="charts/' not in paths.html.read_text()


def test_the_json_gives_back_the_whole_result(tmp_path: Path) -> None:
    result = sample.replay(2)
    paths = write_report(result, tmp_path)
    assert read(paths.json) == result
    assert read(tmp_path) == result


def test_the_json_of_a_later_httpdyno_with_unknown_fields_is_read() -> None:
    raw = json.loads(TINY.model_dump_json()) | {"a_field_of_tomorrow": 1}
    assert parse(json.dumps(raw), "x") == TINY


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
        f"`x` has version {RESULT_VERSION + 1}: this httpdyno reads versions up to ",
    ),
    "a version that is no number": (
        json.dumps(WHOLE | {"version": "one"}),
        "has the version 'one'",
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
    first = write_report(TINY, tmp_path / "first")
    report(str(first.json.parent), tmp_path / "second")
    again = tmp_path / "second" / "report.html"
    assert capsys.readouterr().out.strip() == str(again)
    assert again.read_text() == first.html.read_text()


def test_importing_the_report_loads_nothing_heavy() -> None:
    code = "import sys, httpdyno.report, httpdyno.cli.report; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"jinja2", "resvg_py"} & set(done.stdout.split())
