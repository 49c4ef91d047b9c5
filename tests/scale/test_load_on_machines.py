"""`httpdyno load --on`: two machines send the load, and it counts as one."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from httpdyno.host.pinning import available
from httpdyno.scale.cluster import client_of, place_of
from httpdyno.scale.joining.place import divide_cores
from machines import PROGRAM, Machines, program_environment, record_of
from neighbours import neighbours
from terminal import Terminal

if TYPE_CHECKING:
    from httpdyno import _engine

pytestmark = pytest.mark.slow

EXACT = ["--requests", "2001", "--connections", "5", "--quiet", "--json", "-"]


def url(server: _engine.Reference) -> str:
    return f"http://{server.address}/hello"


def test_two_machines_send_exactly_the_requests_of_one(
    machines: Machines, server: _engine.Reference
) -> None:
    ran = machines.run("load", url(server), "--on", str(machines.hosts), *EXACT)

    assert ran.returncode == 0, ran.stderr
    record = record_of(ran.stdout)
    nodes = record["measurement"]["nodes"]
    preflights = len(nodes)
    assert record["measurement"]["calls"]["ok"] == 2001
    assert server.requests - 2001 in range(preflights + 1)
    assert [node["name"] for node in nodes] == ["a", "b"]
    assert sum(node["ok"] for node in nodes) == 2001
    assert all(abs(node["offset_ns"]) < 1_000_000_000 for node in nodes)
    assert all(node["offset_error_ns"] > 0 for node in nodes)
    assert record["plan"]["load"]["connections"] == 5
    parts = [node["part"] for node in nodes]
    assert [(part["index"], part["of"]) for part in parts] == [(0, 2), (1, 2)]
    assert [part["count"] for part in parts] == [node["ok"] for node in nodes] == [1001, 1000]
    assert [part["connections"] for part in parts] == [3, 2]
    assert [(part["threads"], part["cpus"]) for part in parts] == [(1, [0]), (1, [0])]


def test_each_point_of_a_sweep_comes_from_all_machines(
    machines: Machines, server: _engine.Reference
) -> None:
    rates = ["--rate", "100..300/100", "-d", "500ms"]
    words = ["load", url(server), *rates, "--on", str(machines.hosts)]
    ran = machines.run("sweep", "--cool-down", "0s", "--json", "-", *words)

    assert ran.returncode == 0, ran.stderr
    points = record_of(ran.stdout)["points"]
    assert len(points) == 3
    for rate_per_s, point in zip((100, 200, 300), points, strict=True):
        nodes = point["measurement"]["nodes"]
        assert [node["name"] for node in nodes] == ["a", "b"]
        assert [node["part"]["rates_per_s"] for node in nodes] == [[rate_per_s / 2]] * 2
        assert [node["ok"] for node in nodes] == [rate_per_s / 4] * 2


def test_flags_of_one_run_are_refused_in_a_sweep_and_an_unreachable_server_is_told(
    machines: Machines,
) -> None:
    words = ["load", "http://127.0.0.1:1/", "--rate", "10..20/10"]
    served = machines.run("sweep", *words, "--serve")
    absent = machines.run("sweep", *words, "--on", str(machines.hosts))

    assert served.returncode == 2
    assert "`--serve` applies to a single run" in served.stderr
    assert absent.returncode == 3, absent.stderr
    assert "error: on `a`: " in absent.stderr


def test_the_summary_has_a_line_for_each_machine(
    machines: Machines, server: _engine.Reference
) -> None:
    rate = ["--rate", "400", "--duration", "1s"]
    ran = machines.run("load", url(server), "--on", str(machines.hosts), *rate)

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert re.search(r"^machines +a: 200 ok, p99 .* busy, lag p99 ", ran.stdout, re.M)
    assert re.search(r"^ +b: 200 ok, p99 ", ran.stdout, re.M)
    assert "400 due" in ran.stdout


def test_a_scheduler_that_someone_else_runs_is_used_by_its_address(
    machines: Machines, server: _engine.Reference
) -> None:
    body = machines.folder / "body.txt"
    body.write_text("x" * 100)
    folder = str(machines.certificates / "coordinator")
    words = ["--on", machines.address, "--certificates", folder, "--body", f"@{body}"]
    ran = machines.run("load", f"http://{server.address}/echo", *words, *EXACT)

    assert ran.returncode == 0, ran.stderr
    assert record_of(ran.stdout)["measurement"]["calls"]["sent"] == 2001


def test_a_server_of_this_machine_is_watched_as_by_a_load_from_here(
    machines: Machines, server: _engine.Reference
) -> None:
    words = ["--on", str(machines.hosts), "--rate", "100", "-d", "2s", "--quiet", "--json", "-"]
    with ExitStack() as loops:
        for cpu in available():
            loops.enter_context(neighbours(cpu, 2))
        ran = machines.run("load", url(server), *words)

    record = record_of(ran.stdout)
    assert "server_starved" in {reason["code"] for reason in record["reasons"]}


def test_the_call_logs_of_all_machines_are_one(
    machines: Machines, server: _engine.Reference
) -> None:
    log = ["--on", str(machines.hosts), "--requests", "300", "--quiet", "--call-log", "-"]
    ran = machines.run("load", url(server), *log)

    head, *rows = ran.stdout.splitlines()
    done = [int(row.split(",")[head.split(",").index("done_ns")]) for row in rows]
    assert ran.returncode == 0, ran.stderr
    assert len(rows) == 300
    assert done == sorted(done)


def test_what_only_one_machine_can_do_is_refused_at_once(machines: Machines) -> None:
    words = ["--on", str(machines.hosts), "--unix", "/x", "--cpus", "0", "--until", "p99±2%"]
    ran = machines.run("load", "http://127.0.0.1:1/", *words)

    assert ran.returncode == 2
    assert "expected it without `--unix`, `--cpus`, `--until`" in ran.stderr


def test_a_plan_with_too_few_connections_for_all_machines_is_refused(
    machines: Machines, server: _engine.Reference
) -> None:
    few = ["--on", str(machines.hosts), "--connections", "1", "--requests", "10"]
    ran = machines.run("load", url(server), *few)

    assert ran.returncode == 2, ran.stdout + ran.stderr
    assert server.requests == 0


def test_a_server_that_is_not_there_is_an_error_of_the_server(machines: Machines) -> None:
    words = ["--on", str(machines.hosts), "--requests", "10"]
    ran = machines.run("load", "http://127.0.0.1:1/", *words)

    assert ran.returncode == 3, ran.stdout + ran.stderr
    assert "on `a`: " in ran.stderr


def test_ctrl_c_stops_every_machine_and_keeps_what_was_measured(
    machines: Machines, server: _engine.Reference
) -> None:
    load = machines.load(url(server), "--rate", "200", "--duration", "60s")
    until_requests(server, 100)
    load.signal(signal.SIGINT)

    assert load.wait() == 130, load.text
    assert "(interrupted)" in load.text
    assert "machines" in load.text


def test_a_terminal_shows_the_load_of_all_machines_as_one(
    machines: Machines, server: _engine.Reference
) -> None:
    words = ["load", url(server), "--on", str(machines.hosts), "--rate", "200", "-d", "60s"]
    environment = program_environment(machines.folder) | {"TERM": "xterm"}
    with Terminal([*PROGRAM, *words], cwd=machines.folder, environment=environment) as shown:
        shown.until(lambda now: "╵" in now.text and " of 200/s" in now.text)
        shown.until(lambda now: re.search(r"p99 +[▁▂▃▄▅▆▇█]", now.text) is not None)
        assert re.search(r"replies +[0-9,]+ ok, none failed", shown.text)
        shown.press(b"\x03")
        assert "(interrupted)" in shown.end()
        assert "╵" not in shown.text
        assert shown.exit_code == 130


def test_a_second_load_is_told_who_uses_the_machines_or_waits(
    machines: Machines, server: _engine.Reference
) -> None:
    first = machines.load(url(server), "--rate", "100", "--duration", "60s")
    until_requests(server, 1)
    busy = machines.run("load", url(server), "--on", str(machines.hosts), *EXACT)

    assert busy.returncode == 4, busy.stdout
    assert "`a`: it is busy: `httpdyno load " in busy.stderr
    assert f"(process {first.pid} on `{os.uname().nodename}`, since " in busy.stderr
    assert "--wait" in busy.stderr
    check = machines.run("hosts", "check", str(machines.hosts))
    assert re.search(r"^a +generator +busy$", check.stdout, re.M), check.stdout
    assert "`a`: it is busy: `httpdyno load " in check.stdout
    assert "\n\n\n" not in check.stdout
    second = machines.load(url(server), "--wait", *EXACT)
    second.line("waiting: `a`: it is busy")
    first.signal(signal.SIGINT)
    assert first.wait() == 130
    assert second.wait() == 0, second.text


def test_a_worker_listens_on_its_one_address_and_nowhere_else(machines: Machines) -> None:
    for process in (*machines.workers.values(), machines.scheduler):
        found = psutil.Process(process.pid).net_connections()
        listening = {one.laddr for one in found if one.status == psutil.CONN_LISTEN}
        assert {address.ip for address in listening} == {"127.0.0.1"}
        assert len(listening) == 1
        assert not [one for one in found if one.type != 1]


def test_a_worker_has_no_nanny_one_thread_and_none_of_the_noise_of_dask(
    machines: Machines,
) -> None:
    def noise_of_worker(dask_worker: Any) -> dict[str, Any]:
        """The settings there: a function of a test is sent whole only from inside of it."""
        import os
        import threading

        import dask
        from dask.utils import parse_timedelta

        of = dask.config.get
        return {
            "profile": of("distributed.worker.profile.enabled"),
            "profiler runs": [one.name for one in threading.enumerate() if one.name == "Profile"],
            "tick_s": parse_timedelta(of("distributed.admin.tick.interval")),
            "system_monitor_s": parse_timedelta(of("distributed.admin.system-monitor.interval")),
            "memory limit": dask_worker.memory_manager.memory_limit,
            "cores": os.sched_getaffinity(0),
        }

    place = place_of(str(machines.hosts))
    client = client_of(place)
    try:
        workers = client.sync(client.scheduler.identity, n_workers=-1)["workers"].values()
        noise = client.run(noise_of_worker).values()
    finally:
        client.close(timeout=2)

    assert [(one["nanny"], one["nthreads"]) for one in workers] == [(None, 1)] * 2
    for found in noise:
        assert not found["profile"]
        assert not found["profiler runs"]
        assert found["tick_s"] >= 1
        assert found["system_monitor_s"] >= 10
        assert not found["memory limit"]
        assert found["cores"] == set(divide_cores(available(), [0]).agent)


def test_no_secret_is_in_a_command_line_or_an_environment(machines: Machines) -> None:
    keys = [file.read_text().split("\n")[1] for file in machines.certificates.rglob("key.pem")]
    for process in (*machines.workers.values(), machines.scheduler):
        of = psutil.Process(process.pid)
        shown = " ".join(of.cmdline()) + " ".join(of.environ().values()) + process.text
        assert not [key for key in keys if key in shown]
        assert "PRIVATE KEY" not in shown


def test_a_worker_says_in_one_line_who_runs_code_there(machines: Machines) -> None:
    said = machines.workers["a"].lines[0]

    assert said.startswith(f"who can reach {machines.address} with a certificate of its authority")
    assert "runs code on this machine as `" in said


def test_a_check_shows_the_machines_and_what_they_can_do(machines: Machines) -> None:
    ran = machines.run("hosts", "check", str(machines.hosts), "--ceiling")

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"scheduler {machines.address}, 2 machines joined" in ran.stdout
    assert re.search(r"^machine +roles +cores +clock +round trip .* ceiling", ran.stdout, re.M)
    assert re.search(r"^a +generator +0.*/s$", ran.stdout, re.M)
    assert re.search(r"^b +generator +0.*/s$", ran.stdout, re.M)
    assert "\n`a` and `b` run on one machine and share core 0\n  hint: " in ran.stdout
    doubts = [line.partition(": ")[2] for line in ran.stdout.splitlines() if line[:1] == "`"]
    assert not any(doubts.count(one) > 1 for one in doubts if "engine and agent" not in one)
    assert "at the start" not in ran.stdout


def test_a_check_names_the_machine_that_has_not_joined(machines: Machines) -> None:
    more = machines.folder / "more.toml"
    absent = '\n[[machines]]\nname = "c"\naddress = "127.0.0.1"\n'
    more.write_text(machines.hosts.read_text() + absent)
    ran = machines.run("hosts", "check", str(more))

    assert ran.returncode == 4
    joining = f"`httpdyno worker {machines.address} --name c --certificates certificates/c`"
    assert f"`c` has not joined\n  hint: there: {joining}, or" in ran.stdout
    load = machines.run("load", "http://127.0.0.1:1/", "--on", str(more))
    assert load.returncode == 4
    assert "`c`: it has not joined" in load.stderr
    assert joining in " ".join(load.stderr.split())


def until_requests(server: _engine.Reference, count: int) -> None:
    """Waits until the server has answered so many requests."""
    deadline = time.monotonic() + 60
    while server.requests < count:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_the_certificates_to_trust_are_sent_to_the_machines(machines: Machines) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("`openssl` is not installed (Debian package openssl)")
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    files = ["-out", "server.pem", "-keyout", "server.key"]
    words = ["openssl", *made.split(), *names, *files]
    subprocess.run(words, cwd=machines.folder, check=True, capture_output=True)
    with tls_server(machines.folder) as port:
        url = f"https://127.0.0.1:{port}/"
        count = ["--requests", "40", "--no-keep-alive", "--quiet", "--json", "-"]
        trusted = machines.run("load", url, "--ca", "server.pem", "--on", "hosts.toml", *count)
        unknown = machines.run("load", url, "--on", "hosts.toml", *count)

    assert trusted.returncode == 0, trusted.stderr
    assert record_of(trusted.stdout)["measurement"]["calls"]["ok"] == 40
    assert unknown.returncode == 3
    assert "error: on `a`: the TLS handshake" in unknown.stderr


@contextmanager
def tls_server(folder: Path) -> Iterator[int]:
    """A server that answers one connection after the other over TLS."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = int(one.getsockname()[1])
    words = (
        f"openssl s_server -accept 127.0.0.1:{port} -cert server.pem -key server.key -www -quiet"
    )
    quiet = subprocess.DEVNULL
    server = subprocess.Popen(words.split(), cwd=folder, stdout=quiet, stderr=quiet)
    try:
        until_listening(port)
        yield port
    finally:
        server.terminate()
        server.wait(30)


def until_listening(port: int) -> None:
    deadline = time.monotonic() + 60
    while True:
        with socket.socket() as way:
            if way.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert time.monotonic() < deadline
        time.sleep(0.05)
