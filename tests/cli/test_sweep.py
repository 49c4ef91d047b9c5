"""`sweep`, the whole program, against the reference server."""

from __future__ import annotations

import csv
import io
import os
import pty
import re
import shlex
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from httpdyno import engine
from httpdyno.cli.faults import Faults
from httpdyno.cli.reference import served_pages
from httpdyno.cli.sweep.program import program_of
from httpdyno.cli.sweep.verb import command
from httpdyno.cli.values import Values
from httpdyno.doubts.pace import disturbance
from httpdyno.sweep import SweepRecord
from httpdyno.sweep.answer import answer

from .conftest import CLOSED_AT, PROGRAM, Program, environment, started

if TYPE_CHECKING:
    from httpdyno import _engine

OK, USAGE, TARGET, INVALID, INTERRUPTED = 0, 2, 3, 6, 130
AT_ONCE = ["--cool-down", "0s"]


def _read(file: Path) -> SweepRecord:
    return SweepRecord.model_validate_json(file.read_text(encoding="utf-8"))


def test_each_rate_is_measured_and_the_server_got_what_was_counted(
    httpdyno: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello"
    given = ["--rate", "1000..3000/1000", "-n", "200", "--json", "out.json", "--csv", "out.csv"]
    answer = httpdyno("sweep", *AT_ONCE, "load", url, *given)
    assert answer.returncode == OK, answer.stderr
    record = _read(tmp_path / "out.json")
    assert [point.rate_per_s for point in record.points] == [1000, 2000, 3000]
    assert [point.measurement.calls.ok for point in record.points] == [200] * 3
    assert server.requests == 600
    assert (record.unit, record.times, record.complete) == ("requests", "response", True)
    assert record.url == url
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text())))
    assert [row["ok"] for row in rows] == ["200"] * 3
    said = answer.stderr.splitlines()
    assert said[0].startswith(f"{url}: 3 rates, 1,000 to 3,000 requests/s, about ")
    assert [line.split(":")[0] for line in said[1:]] == [
        "1/3 1,000/s",
        "2/3 2,000/s",
        "3/3 3,000/s",
    ]
    assert answer.stdout.startswith("The server ")
    assert "requests/s   replies/s" in answer.stdout
    assert "\x1b" not in answer.stdout + answer.stderr


def test_it_says_where_the_server_stops_keeping_up(
    httpdyno: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    # One connection and a reply after 50 ms: 20 replies per second at most.
    url = f"http://{server.address}/hello?delay=50ms"
    given = ["--rate", "4,80", "-d", "1s", "-c", "1", "--drain", "1s", "--json", "out.json"]
    shown = httpdyno("sweep", *AT_ONCE, "load", url, *given)
    points = _read(tmp_path / "out.json").points
    assert points[1].replies_per_s < 25
    for point, pace in zip(points, ("kept up", "fell behind"), strict=True):
        # On a busy machine, a pace may be unknown, and then it says why.
        disturbed = point.pace == "unknown" and disturbance(point.reasons) is not None
        assert point.pace == pace or disturbed, point
    said = " ".join(shown.stdout.split())
    assert said.startswith(answer(points, "response"))
    assert re.search("(At|Unknown at) 80/s: ", said)
    assert "suspect at 80/s: " in shown.stdout + shown.stdout.replace("invalid", "suspect")


@pytest.mark.parametrize(
    "given",
    [["-r", "500,1000"], ["-r500,1000"], ["--rate=500,1000"], ["-c", "5", "--rate", "500..1000*2"]],
)
def test_the_rates_stand_where_load_has_its_rate(
    given: list[str], httpdyno: Program, server: _engine.Reference
) -> None:
    url = f"http://{server.address}/hello"
    answer = httpdyno("sweep", "load", *given, url, "-n50", *AT_ONCE, "--csv", "-")
    rows = list(csv.DictReader(io.StringIO(answer.stdout)))
    assert [(row["rate_per_s"], row["ok"]) for row in rows] == [("500", "50"), ("1000", "50")]
    assert "replies/s" in answer.stderr


def test_sessions_are_swept_by_their_rate(
    httpdyno: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello"
    given = ["--sessions", "100..200/100", "--calls", "5", "-n", "10", "--json", "out.json"]
    answer = httpdyno("sweep", *AT_ONCE, "load", url, *given)
    assert answer.returncode == OK, answer.stderr
    record = _read(tmp_path / "out.json")
    assert record.unit == "sessions"
    assert [point.measurement.calls.ok for point in record.points] == [50, 50]
    assert record.points[1].offered_per_s > record.points[1].rate_per_s


@pytest.mark.parametrize("given", [["--rate=200,400"], ["--ra", "200..400*2"]])
def test_httperf_is_swept_by_its_rate_of_connections(
    given: list[str], httpdyno: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    port = server.address.rpartition(":")[2]
    there = ["--server=127.0.0.1", f"--port={port}", "--uri=/hello", "--timeout=30"]
    work = ["--num-conns=20", "--num-calls=5", "--json", "out.json"]
    answer = httpdyno("sweep", *AT_ONCE, "httperf", *there, *given, *work)
    assert answer.returncode == OK, answer.stderr
    record = _read(tmp_path / "out.json")
    assert (record.unit, record.times) == ("connections", "first_byte")
    assert [point.rate_per_s for point in record.points] == [200, 400]
    assert [point.measurement.calls.ok for point in record.points] == [100, 100]
    assert server.requests == 200
    assert "connections/s   replies/s" in answer.stdout
    for point in record.points:
        assert point.mean_s == pytest.approx(point.measurement.times.first_byte.mean_ns * 1e-9)


@pytest.mark.slow
def test_the_picture_is_written_as_png_or_svg(
    httpdyno: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello"
    for name in ("out.svg", "out.png"):
        given = ["--rate", "500..1000*2", "-n", "50", "--chart", name, "--log"]
        answer = httpdyno("sweep", *AT_ONCE, "load", url, *given)
        assert answer.returncode == OK, answer.stderr
    assert f"{url}: 500 to 1,000 requests/s" in (tmp_path / "out.svg").read_text(encoding="utf-8")
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_request_to_stop_keeps_the_points_that_were_measured(
    number: signal.Signals, server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello"
    given = ["--rate", "2000,10", "-n", "2000", "--json", "out.json", *AT_ONCE]
    program = started(tmp_path, "sweep", "load", url, *given)
    assert program.stderr is not None
    while not (line := program.stderr.readline()).startswith("1/2 2,000/s"):
        assert line, "the first point was never measured"
    program.send_signal(number)
    shown, _ = program.communicate(timeout=60)
    record = _read(tmp_path / "out.json")
    assert program.returncode == INTERRUPTED
    assert record.points[0].measurement.calls.ok == 2000
    assert not record.points[0].interrupted
    assert all(point.interrupted for point in record.points[1:])
    assert not record.complete
    assert "\n     2,000 " in shown


def test_a_request_to_stop_ends_the_pause_between_points(
    server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello"
    given = ["--rate", "2000,4000", "-n", "200", "--json", "out.json", "--cool-down", "1h"]
    program = started(tmp_path, "sweep", "load", url, *given)
    assert program.stderr is not None
    while not program.stderr.readline().startswith("1/2 2,000/s"):
        assert program.poll() is None
    program.send_signal(signal.SIGINT)
    program.communicate(timeout=60)
    assert program.returncode == INTERRUPTED
    assert len(_read(tmp_path / "out.json").points) == 1


@pytest.mark.slow
def test_a_server_that_goes_away_costs_only_the_points_after_it(tmp_path: Path) -> None:
    with engine.reference(pages=served_pages()) as server:
        url = f"http://{server.address}/hello"
        given = ["--rate", "2000,4000", "-n", "200", "--json", "out.json", "--cool-down", "5s"]
        program = started(tmp_path, "sweep", "load", url, *given)
        assert program.stderr is not None
        while not program.stderr.readline().startswith("1/2 2,000/s"):
            assert program.poll() is None
    shown, _ = program.communicate(timeout=60)
    record = _read(tmp_path / "out.json")
    assert record.points[0].measurement.calls.ok == 200
    assert [point.verdict for point in record.points[1:]] in ([], ["invalid"])
    assert "\n     2,000 " in shown


def test_a_quiet_sweep_only_writes_its_files(
    httpdyno: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello"
    given = ["--rate", "500,1000", "-n", "20", "-q", "--json", "out.json"]
    answer = httpdyno("sweep", *AT_ONCE, "load", url, *given)
    assert (answer.returncode, answer.stdout, answer.stderr) == (OK, "", "")
    assert len(_read(tmp_path / "out.json").points) == 2


def test_until_errors_ends_after_the_first_point_with_failed_calls(
    httpdyno: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello?fault=status:503"
    given = ["--rate", "500..5000/500", "-n", "20", "--json", "out.json", "--until-errors"]
    answer = httpdyno("sweep", *AT_ONCE, "load", url, *given)
    record = _read(tmp_path / "out.json")
    assert answer.returncode == INVALID
    assert [point.verdict for point in record.points] == ["invalid"]
    assert record.complete
    assert "No rate shows if the server keeps up. Unknown at 500/s: no result" in answer.stdout


def test_credentials_are_in_no_output(
    httpdyno: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello?token=s3cret"
    given = ["--rate", "500,1000", "-n", "20", "--json", "out.json", "--chart", "out.svg"]
    own = ["--user", "me:s3cret", "--cookie", "id=s3cret", "-H", "X-Api-Key: s3cret"]
    answer = httpdyno("sweep", *AT_ONCE, "load", url, *own, *given)
    assert answer.returncode == OK, answer.stderr
    written = [file.read_text(encoding="utf-8") for file in tmp_path.iterdir()]
    assert "s3cret" not in "".join([answer.stdout, answer.stderr, *written])
    assert "***" in written[0]


def test_credentials_of_httperf_are_in_no_output(
    httpdyno: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    port = server.address.rpartition(":")[2]
    there = ["--server=127.0.0.1", f"--port={port}", "--uri=/hello?token=s3cret"]
    given = ["--rate=50,100", "--num-conns=10", "--json", "out.json"]
    header = r"--add-header=Authorization: Bearer s3cret\n"
    answer = httpdyno("sweep", *AT_ONCE, "httperf", *there, header, *given)
    assert answer.returncode == OK, answer.stderr
    assert "s3cret" not in answer.stdout + answer.stderr + (tmp_path / "out.json").read_text()


FAULTS = {
    "nothing": ([], ["nothing to sweep: expected `load`"]),
    "another verb": (["run", "demo"], ["`run` cannot be swept: expected `load`"]),
    "no rate": (["load", "http://h/"], ["`--rate` is missing: expected the rates to measure"]),
    "a single rate": (
        ["load", "http://h/", "--rate", "100"],
        ["`--rate 100`: expected several rates per second, such as `100..1200/100`"],
    ),
    "all at once": (
        [
            *("load", "http://h/", "--sessions=5..1/1", "--chart", "a.gif", "--cool-down", "x"),
            *("-c", "many", "--hdr", "a.hdr"),
        ],
        [
            "5 problems",
            "`--sessions 5..1/1`: expected the lower rate first",
            "`--chart a.gif`: expected a file that ends in `.png` or `.svg`",
            "`--cool-down x`: expected a time",
            "`--connections many`: expected a whole number",
            "`--hdr` applies to a single run",
        ],
    ),
    "httperf's own faults": (
        ["httperf", "--rate=1..5/1", "--bogus", "--port=x", "--csv", "a/b", "--cool-down=-1"],
        ["3 problems", "`--cool-down -1`", "`--bogus` is not an option of httperf", "`--port=x`"],
    ),
    "httperf's help": (["httperf", "--rate=1,2", "-h"], ["`-h` and `-V` run no test"]),
    "an unknown flag": (
        ["load", "http://h/", "--rate", "1,2", "--rat"],
        ["`--rat` is not a flag of `httpdyno load`: did you mean `--rate`?"],
    ),
}


@pytest.mark.parametrize("case", FAULTS)
def test_a_wrong_command_line_is_explained_all_at_once(case: str, called: Program) -> None:
    words, expected = FAULTS[case]
    answer = called("sweep", *words)
    assert answer.returncode == USAGE
    assert answer.stdout == ""
    for sentence in expected:
        assert sentence in answer.stderr


def test_load_says_how_several_rates_are_measured(called: Program) -> None:
    answer = called("load", "http://h/", "--rate", "100..500/100")
    assert answer.returncode == USAGE
    assert "`--rate 100..500/100`: expected one rate; `httpdyno sweep` measures" in answer.stderr


def _shown() -> list[str]:
    """Every command of a sweep in the pages and in the help."""
    root = Path(__file__).parents[2]
    pages = [root / "README.md", *sorted((root / "docs").glob("*/*.md"))]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    return sorted(set(re.findall(r"httpdyno (sweep (?:load|httperf) [^`\n]+)", text)))


@pytest.mark.parametrize("line", _shown())
def test_each_sweep_that_a_page_shows_is_understood_by_its_program(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shop.txt").write_text("/items\n", encoding="utf-8")
    (tmp_path / "shop.toml").write_text('[[requests]]\npath = "/items"\n', encoding="utf-8")
    for name in ("user.toml", "visit.toml"):
        session = 'session = true\n[[requests]]\npath = "/items"\n'
        (tmp_path / name).write_text(session, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    words = re.sub(r"\bURL\b", "http://127.0.0.1:9/", line)
    context = command.make_context("sweep", shlex.split(words)[1:])
    program = program_of(context.params["words"], Values(Faults("")))
    assert len(program.rates.per_s) > 1


def test_a_sweep_of_a_list_is_titled_by_the_server_and_the_number_of_paths(tmp_path: Path) -> None:
    (tmp_path / "urls").write_text("/a\n/b\n/a\n")
    words = ["load", "http://h:81", "--urls", str(tmp_path / "urls"), "--rate", "1,2"]
    program = program_of(words, Values(Faults("")))
    assert (program.url, program.title) == ("http://h:81", "http://h:81 (2 paths)")
    (tmp_path / "urls").write_text("/a?token=s3cret\n")
    assert program_of(words, Values(Faults(""))).title == "http://h:81/a?token=***"


def test_a_server_that_is_not_there_costs_one_sentence(called: Program) -> None:
    answer = called("sweep", "load", f"http://{CLOSED_AT}/", "--rate", "1..5/1")
    assert answer.returncode == TARGET
    assert answer.stderr.count("error: ") == 1
    assert answer.stdout == ""


def test_a_file_that_cannot_be_written_is_told_before_the_sweep(called: Program) -> None:
    answer = called("sweep", "load", f"http://{CLOSED_AT}/", "--rate", "1,2", "--csv", "no/out.csv")
    assert answer.returncode == 4
    assert "--csv no/out.csv` cannot be written" in answer.stderr


def test_a_terminal_shows_the_table_and_the_charts_while_they_grow(
    server: _engine.Reference, tmp_path: Path
) -> None:
    ours, theirs = pty.openpty()
    url = f"http://{server.address}/hello"
    given = ["--rate", "500..1500/500", "-n", "400", *AT_ONCE]
    program = subprocess.Popen(
        [*PROGRAM, "sweep", "load", url, *given],
        cwd=tmp_path,
        env=environment() | {"LINES": "40", "TERM": "xterm"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    )
    os.close(theirs)
    seen = b""
    while True:
        try:
            chunk = os.read(ours, 65536)
        except OSError:  # the program closed its end
            break
        if not chunk:
            break
        seen += chunk
    shown, _ = program.communicate(timeout=60)
    assert program.returncode == OK
    os.close(ours)
    drawn = seen.decode()
    assert "  1 of 3 rates" in drawn
    assert "now         1,000/s: " in drawn
    assert "replies/s (· due)" in drawn
    assert "requests/s" in drawn
    assert "The server " in shown
