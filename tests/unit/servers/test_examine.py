"""A whole check: kept beside the installation, and held against what the server declares."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from httpdyno.cli.servers.check_view import show_check
from httpdyno.servers import ProbeResult, conformance, install, start
from httpdyno.servers.check import stopping
from httpdyno.servers.check.examine import contradictions, examine
from httpdyno.servers.check.stopping import check_stop
from httpdyno.servers.declaration.own import server_from_command
from httpdyno.workloads import get

from .conftest import APP, TOML, MakeServer

DEAF = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + APP


def test_what_a_check_found_is_kept_and_found_again_for_the_same_version(
    make_server: MakeServer, tmp_path: Path
) -> None:
    installation = install(make_server())
    assert conformance(installation, "plain") is None
    found = examine(installation, "plain", tmp_path / "log")
    assert found.ok
    assert (found.server, found.version, found.deployment) == ("mine", "1.2.3", "plain")
    assert conformance(installation, "plain") == found
    assert conformance(installation, "other") is None
    newer = install(make_server(toml=TOML.replace("1.2.3", "1.2.4")))
    assert conformance(newer, "plain") is None


def test_a_check_says_which_path_it_probed(
    make_server: MakeServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    toml = TOML.replace("[ready]\n", '[ready]\npath = "/ready?token=s3cret"\n')
    found = examine(install(make_server(toml=toml)), "plain", tmp_path / "log")
    show_check(found)
    assert "HTTP probes, with requests for /ready?token=***:" in capsys.readouterr().out


def test_a_check_in_the_format_of_a_newer_httpdyno_is_no_check(
    make_server: MakeServer, tmp_path: Path
) -> None:
    installation = install(make_server())
    examine(installation, "plain", tmp_path / "log")
    (file,) = (installation.prefix / "checks").iterdir()
    values = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(values | {"format": 2}), encoding="utf-8")
    assert conformance(installation, "plain") is None


def test_a_wrong_answer_is_kept_as_wrong(make_server: MakeServer, tmp_path: Path) -> None:
    found = examine(
        install(make_server(app=APP.replace("PONG", "PING"))), "plain", tmp_path / "log"
    )
    assert not found.ok
    assert [row.agrees for row in found.workloads] == [False]


def test_a_server_that_stops_when_asked_and_one_that_does_not_are_told_apart(
    make_server: MakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stops = examine(install(make_server()), "plain", tmp_path / "log").probes[-1]
    assert (stops.name, stops.answer) == ("graceful stop", "yes")
    assert re.fullmatch(r"ended by signal 15, [\d.]+ s, the half request was dropped", stops.detail)
    monkeypatch.setattr(stopping, "_ANSWER_WITHIN_S", 60.0)
    deaf = install(make_server(app=DEAF, toml=TOML.replace("grace_s = 30", "grace_s = 5")))
    with start(deaf, "plain", cpus=None, log=tmp_path / "log") as running:
        killed = check_stop(running)
    assert killed.answer == "no"
    assert re.fullmatch(
        r"ended by signal 9, [\d.]+ s, the half request was answered \(200\), "
        r"1 of its processes had to be killed",
        killed.detail,
    )


GOES_DEAF = APP.replace(
    "        self.send_response(200)",
    "        if 'HTTP/1.0' in self.requestline:\n"
    "            self.server.socket.close()\n"
    "        self.send_response(200)",
)


def test_a_server_that_a_probe_leaves_deaf_is_started_anew_for_the_next(
    make_server: MakeServer, tmp_path: Path
) -> None:
    app = GOES_DEAF.replace(
        "    def do_GET(self):", "    def do_HEAD(self):\n        pass\n\n    def do_GET(self):"
    )
    found = examine(install(make_server(app=app)), "plain", tmp_path / "log")
    probes = {probe.name: probe for probe in found.probes}
    assert probes["HTTP/1.0 keep-alive"].answer == "no"
    assert probes["HTTP/1.0 keep-alive"].detail.endswith("; afterwards it answers no request")
    assert probes["request in single bytes"].answer == "yes"


def test_a_declared_inability_that_is_none_and_an_undeclared_one_are_told() -> None:
    piped = [
        ProbeResult(name="keep-alive", answer="no", detail="closes after 1 of 50 requests"),
        ProbeResult(name="pipelining, 2", answer="yes", detail="2 replies"),
        ProbeResult(name="pipelining, 10", answer="yes", detail="10 replies"),
        ProbeResult(name="HTTP/1.0 keep-alive", answer="no", detail="closes after the reply"),
    ]
    assert contradictions({"pipelining": "drops them"}, piped) == [
        "`cannot.keep-alive` is not declared, but the probe says no: closes after 1 of 50 requests",
        "`cannot.pipelining` is declared, but the probe says yes: 10 replies",
    ]
    assert contradictions({"keep-alive": "closes"}, piped) == []


def test_a_page_that_is_not_answered_with_200_says_nothing_about_how_the_server_speaks_http(
    tmp_path: Path,
) -> None:
    app = APP.replace("send_response(200)", "send_response(404)").replace(
        'b"PONG")', 'b"PONG" if self.command != "HEAD" else b"")\n\n    do_HEAD = do_GET', 1
    )
    (tmp_path / "app.py").write_text(app, encoding="utf-8")
    server = server_from_command("mine", "{python} app.py {port}", cwd=tmp_path)
    found = examine(install(server), "command", tmp_path / "log", [get("pong")])
    probes = {one.name: one for one in found.probes}
    assert found.probed_path == get("pong").measured[0].path
    for name in ("HTTP/1.0", "HEAD", "request in single bytes", "absolute-form URI"):
        assert probes[name].answer == "yes", probes[name]
        assert "404" in probes[name].detail
    assert not any("answers no request" in one.detail for one in found.probes)
