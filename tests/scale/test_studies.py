"""A study on several machines: its servers on one of them, its load from others."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from loopback_cluster import ADDRESSES, LoopbackCluster
from small_server import GOOD
from study_place import Place, end, read_until

pytest.importorskip("distributed", reason="several machines need the extra `scale`")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

SHORT = """\
[loads.some]
kind = "requests"
rate = 300
connections = 4
duration = "500ms"
"""
LONG = SHORT.replace("500ms", "3s")
COUNTED_APP = """\
import http.server, json, os, sys

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65536
    count = 0

    def do_GET(self):
        Handler.count += 1
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"Hello")

    def log_message(self, *_):
        pass

host, port, report = sys.argv[1], int(sys.argv[2]), sys.argv[3]
http.server.ThreadingHTTPServer.request_queue_size = 128
server = http.server.ThreadingHTTPServer((host, port), Handler)
server.daemon_threads = True
import signal
def end(*_):
    with open(report, "a") as file:
        file.write(json.dumps([Handler.count, host, os.getcwd()]) + "\\n")
    os._exit(0)
signal.signal(signal.SIGTERM, end)
server.serve_forever()
"""
OWN = """\
title = "My app"
blocks = 2
warm_up = 0
[[arms]]
name = "mine"
start = "{{python}} app.py {host} {{port}} {report}"
cwd = "app"
[[workloads.page.requests]]
path = "/"
expect = {{ status = 200, body = "Hello" }}
[loads.some]
kind = "closed"
connections = 4
requests = 400
"""


@pytest.fixture(scope="module")
def joined(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoopbackCluster]:
    with LoopbackCluster(Place(tmp_path_factory.mktemp("cluster"))) as cluster:
        yield cluster


@pytest.fixture
def cluster(joined: LoopbackCluster) -> LoopbackCluster:
    """All machines, whatever the test before has done to them."""
    joined.join_all()
    return joined


def own_study(place: Place, host: str = "{host}") -> Path:
    (place.home / "app" / ".git").mkdir(parents=True)
    (place.home / "app" / ".git" / "config").write_text("secret")
    (place.home / "app" / "app.py").write_text(COUNTED_APP)
    report = place.home / "report"
    (place.home / "own.toml").write_text(OWN.format(host=host, report=report))
    return report


def test_a_study_measures_an_app_that_was_sent_to_a_machine_of_its_own(
    place: Place, cluster: LoopbackCluster
) -> None:
    report = own_study(place)
    run = place.call("run", "own.toml", "--on", cluster.hosts, "--results", str(place.results))
    assert run.returncode == 0, run.stderr
    result = place.result()
    assert {row.name: row.roles for row in result.machines} == {
        "coordinator": ["coordinator"],
        "a": ["generator"],
        "b": ["generator"],
        "s": ["server"],
    }
    assert [(path.generator, path.server) for path in result.paths] == [("a", "s"), ("b", "s")]
    assert all(path.round_trip_min_s <= path.round_trip_p50_s for path in result.paths)
    for trial in place.trials():
        assert trial.measurement is not None, trial.reasons
        assert trial.measurement.calls.ok == 400
        assert [node.ok for node in trial.measurement.nodes or []] == [200, 200]
        parts = [node.part for node in trial.measurement.nodes or []]
        assert [(part.index, part.connections, part.count) for part in parts if part] == [
            (0, 2, 200),
            (1, 2, 200),
        ]
        assert [use.name for use in trial.machines] == ["s", "a", "b"]
        assert trial.server is not None
        assert trial.server.rss_peak_bytes > 0
    starts = [json.loads(line) for line in report.read_text().splitlines()]
    ready, checked, preflights = 1, 1, 2
    assert starts[0][0] == ready + checked
    assert len(starts) == 3
    assert all(count - 400 - ready in range(preflights + 1) for count, _, _ in starts[1:])
    assert {host for _, host, _ in starts} == {ADDRESSES["s"]}
    (folder,) = {folder for _, _, folder in starts}
    assert Path(folder).is_relative_to(cluster.place.home / "CACHE" / "sent")
    assert [one.name for one in Path(folder).iterdir() if one.name != "__pycache__"] == ["app.py"]
    assert "mine: sending 1 file, " in run.stderr
    assert cluster.place.living() == []


def test_a_server_that_listens_on_every_address_is_left_out_with_the_reason(
    place: Place, cluster: LoopbackCluster
) -> None:
    own_study(place, host="0.0.0.0")
    run = place.call("run", "own.toml", "--on", cluster.hosts, "--results", str(place.results))
    assert run.returncode == 6, run.stderr
    assert f"listens on all addresses of its machine: expected only `{ADDRESSES['s']}`" in (
        " ".join(run.stderr.split())
    )


def test_a_command_that_cannot_know_its_address_is_refused_before_it_starts(
    place: Place, cluster: LoopbackCluster
) -> None:
    own_study(place, host="localhost")
    run = place.call("run", "own.toml", "--on", cluster.hosts, "--results", str(place.results))
    assert run.returncode == 6, run.stderr
    assert "`mine` starts without `{host}`: expected it in `start` or `env`" in " ".join(
        run.stderr.split()
    )


def test_a_lost_server_machine_makes_its_trial_invalid_and_the_study_goes_on(
    place: Place, cluster: LoopbackCluster
) -> None:
    place.study(blocks=2, loads=LONG, good=place.counted())
    run = place.spawn(place.command("--on", cluster.hosts))
    place.wait_for("server/loaded", run)
    cluster.kill("s")
    cluster.place.wait_for_no_server()
    cluster.join("s")
    _, said = run.communicate()
    assert run.returncode == 0, said
    first, second = place.trials()
    assert first.status == "invalid"
    assert first.reasons[0].code == "node_lost"
    assert "`s`" in first.reasons[0].text
    assert second.measurement is not None, second.reasons
    assert "all machines are back" in said


def test_a_run_ends_with_what_to_do_when_a_lost_machine_stays_away(
    place: Place, cluster: LoopbackCluster
) -> None:
    place.study(blocks=2, loads=LONG, good=place.counted())
    run = place.spawn(place.command("--on", cluster.hosts, "--node-wait", "3s"))
    place.wait_for("server/loaded", run)
    cluster.kill("b")
    _, said = run.communicate()
    assert run.returncode == 4, said
    assert "coordinator: coordinator" not in said
    assert said.count("`b`: it has not joined again") == len(["waiting", "error"]), said
    assert f"`httpdyno run {place.home / 'small.toml'}" in " ".join(said.split())
    assert "--resume` measures the others" in " ".join(said.split())
    assert [trial.reasons[0].code for trial in place.trials()] == ["node_lost"]
    cluster.place.wait_for_no_server()
    cluster.join("b")
    resumed = place.run("--on", cluster.hosts, "--node-wait", "1s", "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert place.trials()[1].measurement is not None


def test_a_killed_coordinator_leaves_no_server_and_resume_measures_the_rest(
    place: Place, cluster: LoopbackCluster
) -> None:
    place.study(blocks=2, loads=SHORT, good=place.counted())
    place.hold(3)  # once to be checked, then once for each trial
    run = place.spawn(place.command("--on", cluster.hosts))
    place.wait_for("server/held", run)
    assert cluster.place.living() != []
    end(run, signal.SIGKILL)
    cluster.place.wait_for_no_server()
    place.hold(None)
    kept = place.trials()
    assert len(kept) == 1
    alone = place.run("--resume")
    assert alone.returncode == 2
    assert "expected the same machines for all trials of a run" in " ".join(alone.stderr.split())
    resumed = place.run("--on", cluster.hosts, "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert place.trials()[0] == kept[0]
    assert place.result().complete


def test_without_a_machine_for_servers_they_run_where_the_command_does(
    place: Place, cluster: LoopbackCluster
) -> None:
    place.study(loads=SHORT, good=(GOOD, ""))
    run = place.run("--on", cluster.generators)
    assert run.returncode == 0, run.stderr
    (trial,) = place.trials()
    assert trial.measurement is not None, trial.reasons
    assert place.result().machines[0].roles == ["coordinator", "server"]
    assert [use.name for use in trial.machines] == ["coordinator", "a", "b"]


def test_the_dry_run_shows_which_files_are_sent_and_needs_no_machine(place: Place) -> None:
    own_study(place)
    run = place.call("run", "own.toml", "--on", "tcp://127.0.0.1:1", "--dry-run")
    assert run.returncode == 0, run.stderr
    assert "  send: 1 file, " in run.stdout
    assert "    app.py\n" in run.stdout
    assert ".git" not in run.stdout
    assert f"  start: {{python}} app.py {{host}} {{port}} {place.home / 'report'}" in run.stdout


def test_flags_of_several_machines_alone_are_refused(place: Place) -> None:
    own_study(place)
    run = place.call("run", "own.toml", "--node-wait", "5s", "--wait")
    assert run.returncode == 2
    assert "`--node-wait` applies only with `--on`" in run.stderr
    assert "`--wait` applies only with `--on`" in run.stderr


def test_a_comparison_builds_its_revisions_on_the_machine_of_the_server(
    place: Place, cluster: LoopbackCluster
) -> None:
    repository = place.home / "repository"
    repository.mkdir()
    (repository / "app.py").write_text(COUNTED_APP)
    commands = (["init", "-q"], ["add", "app.py"], ["commit", "-q", "-m", "an app"])
    for command in commands:
        words = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *command]
        subprocess.run(words, cwd=repository, check=True)
    (repository / "app.py").write_text(COUNTED_APP + "# changed\n")
    report = place.home / "report"
    build = f"sh -c 'mkdir target && cp app.py target/built.py && pwd >> {place.home}/built'"
    start = f"python3 target/built.py {{host}} {{port}} {report}"
    words = ["compare", "HEAD", ".", "--start", start, "--build", build, "--on", cluster.hosts]
    more = ["--blocks", "2", "--rate", "2000", "--duration", "300ms", "--warm-up", "0s"]
    place.home = repository
    run = place.call(*words, *more)
    assert run.returncode in (0, 6, 8, 9), run.stderr  # so short a comparison decides nothing
    assert "8/8 " in run.stderr
    folders = (report.parent / "built").read_text().splitlines()
    assert len(set(folders)) == 2
    sent = cluster.place.home / "CACHE" / "sent"
    assert all(Path(folder).is_relative_to(sent) for folder in folders)


def test_a_comparison_on_machines_has_no_canary(place: Place) -> None:
    run = place.call("compare", "a/1", "b/1", "--canary", "c/1", "--on", "hosts.toml")
    assert run.returncode == 2
    assert "`--canary` was given with `--on`" in run.stderr


def test_a_run_tells_the_cpu_and_the_memory_of_its_server_while_it_measures(
    place: Place, cluster: LoopbackCluster
) -> None:
    place.study(loads=SHORT.replace("500ms", "6s"), good=(GOOD, ""))
    run = place.run("--on", cluster.hosts)
    assert run.returncode == 0, run.stderr
    (journal,) = (place.home / "STATE" / "live").glob("*/events.jsonl")
    events = [json.loads(line) for line in journal.read_text().splitlines()]
    told = [event for event in events if event["kind"] == "sample" and "server_cpus" in event]
    assert told, run.stderr
    assert all(event["server_rss_bytes"] > 2**20 for event in told)
    assert all("lag_p99_ns" in event for event in told)
    (trial,) = place.trials()
    assert trial.machines[0].name == "s"
    assert trial.machines[0].sampling_cpu_s > 0


@pytest.mark.timeout(90)  # a build that does not end with its coordinator takes an hour
def test_a_killed_coordinator_leaves_no_build_on_the_machine_of_the_server(
    place: Place, cluster: LoopbackCluster
) -> None:
    sleeps = f"import pathlib, time; pathlib.Path({str(place.home / 'building')!r}).touch()"
    build = f'[build]\ncommand = ["{{python}}", "-c", "{sleeps}; time.sleep(3600)"]'
    place.study(loads=SHORT, good=(GOOD, build))
    run = place.spawn(place.command("--on", cluster.hosts))
    place.wait_for("building", run)
    assert cluster.place.living() != []
    end(run, signal.SIGKILL)
    cluster.place.wait_for_no_server()


HELD = """\
from httpdyno.running.machines.machine_lock import machine_lock
with machine_lock("httpdyno run nightly", print): print("held", flush=True); input()
"""


def test_a_machine_that_measures_for_itself_is_waited_for_or_named(
    place: Place, cluster: LoopbackCluster
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HELD],
        env=cluster.place.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as own:
        assert own.stdin is not None
        assert own.stdout is not None
        assert "held\n" in iter(own.stdout.readline, "")  # it may wait for the run of a test before
        place.study(loads=SHORT, good=(GOOD, ""))
        refused = place.run("--on", cluster.hosts)
        assert refused.returncode == 4, refused.stderr
        busy = f"`a`: it is busy: `httpdyno run nightly` (pid {own.pid}) uses it"
        assert busy in " ".join(refused.stderr.split())
        patient = place.spawn(place.command("--on", cluster.hosts, "--wait"))
        read_until(patient, f"waiting: {busy}")
        own.stdin.close()
    assert patient.communicate() is not None
    assert patient.returncode == 0


def test_a_run_on_machines_of_which_its_own_is_one_does_not_wait_for_itself(
    cluster: LoopbackCluster,
) -> None:
    own = cluster.place
    own.study(loads=SHORT, good=(GOOD, ""))
    run = own.run("--on", cluster.hosts)
    assert run.returncode == 0, run.stderr
    assert "two runs at once" not in run.stderr
