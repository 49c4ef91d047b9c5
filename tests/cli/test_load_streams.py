"""Output that cannot be written: the files are written all the same, and the exit code is kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from httpdyno.cli.load.output.record import LoadRecord

from .conftest import Program, started

if TYPE_CHECKING:
    from httpdyno import _engine

OK, ENVIRONMENT, THRESHOLD = 0, 4, 5
LOAD = "$httpdyno load $url -n 200 --fail-if 'p99>0ns' --json o.json"


@pytest.mark.parametrize(
    ("redirected", "said"),
    [
        ("| true; exit ${PIPESTATUS[0]}", ""),
        ("> /dev/full", "error: stdout could not be written: No space left on device"),
        (">&-", "error: stdout could not be written: Bad file descriptor"),
        ("2>&-", ""),
        ("2> /dev/full", ""),
        ("> /dev/full 2>&1", ""),
    ],
)
def test_neither_file_nor_exit_code_is_lost_with_the_output(
    redirected: str, said: str, shell: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    answer = shell(f"{LOAD} {redirected}", url=f"http://{server.address}/hello")
    assert answer.returncode == THRESHOLD, answer.stderr
    assert said in answer.stderr
    assert "Traceback" not in answer.stderr
    record = LoadRecord.model_validate_json((tmp_path / "o.json").read_text())
    assert record.measurement.calls.ok == 200


def test_output_that_is_lost_is_an_error_where_all_else_went_well(
    shell: Program, server: _engine.Reference
) -> None:
    url = f"http://{server.address}/hello"
    for output in ("", "-q --json -"):
        answer = shell(f"$httpdyno load $url -n 200 {output} > /dev/full", url=url)
        assert answer.returncode == ENVIRONMENT
        assert "cannot be written" in answer.stderr or "could not be written" in answer.stderr


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_characters_that_the_output_lacks_are_written_in_ascii(
    encoding: str, shell: Program, server: _engine.Reference
) -> None:
    line = "$httpdyno load $url -n 200 -c 1 --fail-if 'p99>1h'"
    answer = shell(line, url=f"http://{server.address}/hello", PYTHONIOENCODING=encoding)
    assert answer.returncode == OK, answer.stderr
    assert "threshold    passed: p99 " in answer.stdout


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "ascii"])
@pytest.mark.parametrize("verb", ["--help", "load --help", "servers list", "doctor"])
def test_no_verb_fails_on_an_output_of_another_encoding(
    verb: str, encoding: str, shell: Program
) -> None:
    answer = shell(f"$httpdyno {verb} | cat; exit ${{PIPESTATUS[0]}}", PYTHONIOENCODING=encoding)
    assert (answer.returncode, answer.stderr) == (OK, "")


def test_json_on_stdout_is_utf_8_whatever_the_encoding_of_stdout(
    shell: Program, server: _engine.Reference
) -> None:
    line = "$httpdyno load $url -n 200 -q -H 'Accept: µ' --json -"
    answer = shell(line, url=f"http://{server.address}/hello", PYTHONIOENCODING="latin-1")
    record = LoadRecord.model_validate_json(answer.stdout)
    assert ("Accept", "µ") in record.plan.requests[0].headers


def test_data_for_a_reader_that_has_gone_is_no_error(
    server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello"
    program = started(tmp_path, "load", url, "-n", "200", "-q", "--json", "-")
    assert program.stdout is not None
    program.stdout.close()
    _, errors = program.communicate(timeout=60)
    assert (errors, program.returncode) == ("", OK)
