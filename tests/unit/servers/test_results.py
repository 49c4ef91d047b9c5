"""The checks of many servers in one file, and the reference page that is made of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno.errors import UsageError
from httpdyno.servers import AnswerRow, Conformance, ProbeResult, load_server
from httpdyno.servers.check import results
from servers_page import servers_page

from .conftest import TOML, MakeServer

RIGHT = AnswerRow(
    workload="pong",
    request="GET /pong",
    why="smallest",
    required=True,
    agrees=True,
    ok=True,
    detail="200, 4 bytes",
)
DIFFERS = AnswerRow(
    workload="echo",
    request="GET /echo?value=%26",
    why="what XML reserves is escaped",
    required=False,
    agrees=False,
    ok=True,
    detail="body: got '&'",
)
FOUND = Conformance(
    server="mine",
    version="1.2.3",
    deployment="plain",
    checked_at="2026-01-31T12:00:00+00:00",
    workloads=(RIGHT, DIFFERS),
    probes=(
        ProbeResult(name="keep-alive", answer="yes", detail="50 requests"),
        ProbeResult(name="pipelining, 2", answer="no", detail="1 of 2 replies"),
    ),
    probed_path="/",
)
RESULTS = results.CheckResults(
    machine="a machine", entries=(results.result_of(FOUND),), failures={"other": "not installed"}
)


def test_the_file_is_read_as_it_was_written_with_an_entry_a_line(tmp_path: Path) -> None:
    file = tmp_path / "conformance.json"
    assert results.read(file) is None
    results.write(RESULTS, file)
    assert results.read(file) == RESULTS
    assert len(file.read_text(encoding="utf-8").splitlines()) == 3


def test_an_entry_names_what_agrees_and_keeps_what_differs() -> None:
    (entry,) = RESULTS.entries
    assert entry.workloads == ("pong", "echo")
    assert entry.differs == (DIFFERS,)
    assert entry.probes["pipelining, 2"] == ("no", "1 of 2 replies")
    assert entry.ok


def test_deployments_that_are_alike_share_a_row(make_server: MakeServer) -> None:
    good = (*FOUND.probes[:1], ProbeResult(name="pipelining, 2", answer="yes", detail="2"))
    others = [
        FOUND.model_copy(update={"deployment": "two"}),
        FOUND.model_copy(update={"deployment": "good", "probes": good}),
    ]
    entries = tuple(results.result_of(one) for one in (FOUND, *others))
    page = servers_page([make_server()], RESULTS.model_copy(update={"entries": entries}), "")
    assert "| mine | plain, two | yes | **no** |" in page
    assert "| mine | good | yes | yes |" in page


SETTING = """
[[settings]]
what   = "a|b"
why    = "default: a"
source = "https://example.org/b"
"""


def test_the_page_tells_versions_probes_hard_values_settings_and_who_is_missing(
    make_server: MakeServer,
) -> None:
    mine = make_server(toml=TOML + SETTING)
    page = servers_page([mine], RESULTS, "<!-- note -->")
    assert "| [mine](https://example.org) | Mine | 1.2.3 | Python | yes | MIT |" in page
    assert "| server | deployments | keep-alive | 2 piped |" in page
    assert "| mine | all | yes | **no** |" in page
    assert "Checked on 2026-01-31, on a machine." in page
    assert "Not checked on that machine: `other` (not installed)" in page
    assert "| mine | `GET /echo?value=%26` | what XML reserves is escaped | body: got '&' |" in page
    assert "| `a\\|b` | default: a | https://example.org/b |" in page
    assert "Unavailable" not in page


def test_an_unavailable_server_is_on_the_page_with_its_reason(tmp_path: Path) -> None:
    kept = "\n".join(line for line in TOML.splitlines()[:7])
    (tmp_path / "server.toml").write_text(f'{kept}\nunavailable = "it is gone"\n', "utf-8")
    page = servers_page([load_server(tmp_path / "server.toml")], None, "")
    assert "## Unavailable servers" in page
    assert "| it is gone |" in page
    assert "HTTP conformance" not in page


def test_a_file_of_a_newer_format_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "conformance.json"
    results.write(RESULTS.model_copy(update={"format": 2}), file)
    with pytest.raises(UsageError, match="has format 2: expected 1"):
        results.read(file)
