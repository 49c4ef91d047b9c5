"""Servers that speak HTTP/2 only are started and checked over HTTP/2: nghttpd, which the tests
install."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from httpdyno.servers import Installation, check_workloads, install, load_catalogue, start
from httpdyno.servers.check.examine import examine
from httpdyno.workloads import Exchange, get

pytestmark = pytest.mark.skipif(shutil.which("nghttpd") is None, reason="needs nghttpd")
FILE = get("file")
(PNG,) = FILE.exchanges


@pytest.fixture(scope="module")
def nghttpd() -> Installation:
    found = install(load_catalogue().get("nghttpd"))
    patient = found.server.ready.model_copy(update={"timeout_s": 300})
    return replace(found, server=found.server.model_copy(update={"ready": patient}))


@pytest.mark.parametrize("deployment", ["h2c", "http2"])
def test_its_answers_are_checked_over_http2_with_and_without_tls(
    nghttpd: Installation, deployment: str, tmp_path: Path
) -> None:
    found = examine(nghttpd, deployment, tmp_path / "log")
    (row,) = found.workloads
    assert (row.http, row.agrees, row.ok) == ("2", True, True)
    assert row.named == "GET /file.png over HTTP/2"
    assert row.detail == "200, 50,990 bytes"
    assert [probe.answer for probe in found.probes if probe.name == "graceful stop"] == ["yes"]
    # Probes of HTTP/1 say nothing about it.
    assert "keep-alive" not in {probe.name for probe in found.probes}
    assert found.contradictions == ()


@pytest.mark.parametrize(
    ("expected", "fault"),
    [
        (replace(PNG, answer=PNG.answer[:-1] + b"?"), "a body of 50990 bytes that is not"),
        (replace(PNG, answer=PNG.answer + b"?"), "that is not the expected 50991 bytes"),
        (replace(PNG, path="/none.png"), "status 404"),
        (replace(PNG, content_type="text/plain"), "type `image/png`, expected `text/plain`"),
        (replace(PNG, right="same"), ""),
    ],
    ids=["another byte", "too short", "no such file", "another type", "twice the same"],
)
def test_a_wrong_answer_over_http2_is_found(
    nghttpd: Installation, expected: Exchange, fault: str, tmp_path: Path
) -> None:
    workload = replace(FILE, measured=(expected,))
    with start(nghttpd, "h2c", cpus=None, log=tmp_path / "log") as running:
        assert running.http == "2"
        at = running.target
        (row,) = check_workloads(at.host, at.port, [workload], target=at, http="2")
        assert fault in row.detail
        assert row.agrees == (not fault)
        # A server of HTTP/2 answers no request of HTTP/1.
        (other,) = check_workloads(at.host, at.port, [FILE], target=at)
    assert not other.agrees
