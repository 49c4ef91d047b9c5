"""What goes wrong on one of several machines ends the load on all, and is named."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic

import pytest
from httpdyno.errors import ExitCode
from machine_cluster import GENERATORS, PROGRAM, MachineCluster, listening, read_until
from namespaces import COORDINATOR, GENERATOR_1, GENERATOR_2, SERVER, Namespaces

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

LONG = ("--duration", "300s", "--rate", "200")
SHORT = ("--duration", "300ms", "--rate", "200")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MachineCluster]:
    with (
        Namespaces() as machines,
        MachineCluster(machines, tmp_path_factory.mktemp("cluster")) as made,
    ):
        yield made


@pytest.fixture
def cluster(whole: MachineCluster) -> Iterator[MachineCluster]:
    yield whole
    whole.repair()


def kill(cluster: MachineCluster) -> None:
    cluster.workers[GENERATOR_2].kill()


def stop(cluster: MachineCluster) -> None:
    cluster.workers[GENERATOR_2].send_signal(signal.SIGSTOP)


def cut(cluster: MachineCluster) -> None:
    cluster.machines.cut(GENERATOR_2, "control")


LOSSES = [kill, stop, cut]


@pytest.mark.parametrize("lose", LOSSES)
def test_a_machine_lost_in_the_window_ends_the_load_of_all_without_a_result(
    lose: Callable[[MachineCluster], None], cluster: MachineCluster, tmp_path: Path
) -> None:
    file = tmp_path / "result.json"
    run = cluster.start_load(*LONG, "--json", str(file))
    cluster.wait_for_connections(run)
    lose(cluster)
    out, err = run.communicate()
    assert run.returncode == ExitCode.ENVIRONMENT, out + err
    assert f"`{GENERATOR_2}`" in err
    assert "hint: " in err
    assert not file.exists() or not file.read_text()
    cluster.wait_for_silence(GENERATOR_1)


def test_a_machine_cut_off_from_its_coordinator_ends_its_own_load(cluster: MachineCluster) -> None:
    run = cluster.start_load(*LONG)
    cluster.wait_for_connections(run)
    cut(cluster)
    run.communicate()
    cluster.wait_for_silence(GENERATOR_2)


def test_a_machine_cut_off_before_the_load_is_named_and_nothing_is_sent(
    cluster: MachineCluster,
) -> None:
    cut(cluster)
    done = cluster.load(*SHORT)
    assert done.returncode == ExitCode.ENVIRONMENT
    assert f"`{GENERATOR_2}`" in done.stderr
    assert cluster.connections(GENERATOR_1) == 0


def test_a_machine_cut_off_after_the_window_leaves_no_result(cluster: MachineCluster) -> None:
    held = ("--duration", "300ms", "--rate", "40", "--connections", "20", "--timeout", "60s")
    run = cluster.start_load(*held, "--drain", "60s", url=f"{cluster.url}?delay=3s")
    cluster.wait_for_connections(run, most=12)  # every request is under way
    cut(cluster)
    _, err = run.communicate()
    assert run.returncode == ExitCode.ENVIRONMENT
    assert f"`{GENERATOR_2}`" in err


def test_after_a_loss_the_machines_can_be_used_again(cluster: MachineCluster) -> None:
    kill(cluster)
    cluster.repair()
    done = cluster.load(*SHORT)
    assert done.returncode == ExitCode.OK, done.stdout + done.stderr
    assert ", none failed" in done.stdout


def test_calls_that_fail_on_the_cut_link_of_one_machine_are_counted_for_that_machine(
    cluster: MachineCluster, tmp_path: Path
) -> None:
    file = tmp_path / "result.json"
    limits = ("--connect-timeout", "300ms", "--timeout", "300ms", "--drain", "1s")
    cluster.machines.cut(GENERATOR_2, "load")
    cluster.load(*SHORT, *limits, "--json", str(file))
    measured = json.loads(file.read_text())["measurement"]
    good, bad = measured["nodes"]
    assert (good["name"], bad["name"]) == GENERATORS
    assert good["ok"] == measured["calls"]["ok"] == 30
    assert bad["ok"] == 0
    assert sum(measured["calls"]["errors"].values()) == 30


@pytest.mark.parametrize("seconds", ["10", "-10"])
def test_a_clock_that_is_ten_seconds_off_is_refused_before_the_load(
    seconds: str, cluster: MachineCluster
) -> None:
    cluster.leave(GENERATOR_2)
    cluster.join(GENERATOR_2, odd=("clock", seconds))
    done = cluster.load(*SHORT)
    cluster.leave(GENERATOR_2)
    assert done.returncode == ExitCode.ENVIRONMENT
    assert f"`{GENERATOR_2}`: its clock is 10.0 s" in done.stderr
    assert ("ahead of" if seconds == "10" else "behind") in done.stderr


def test_an_old_httpdyno_on_one_machine_is_named_with_both_versions(
    cluster: MachineCluster,
) -> None:
    cluster.leave(GENERATOR_2)
    cluster.join(GENERATOR_2, odd=("version", "0.0.9"))
    done = cluster.load(*SHORT)
    cluster.leave(GENERATOR_2)
    assert done.returncode == ExitCode.ENVIRONMENT
    assert f"`{GENERATOR_2}`" in done.stderr
    assert "httpdyno 0.0.9 (here " in done.stderr


def test_a_second_coordinator_is_told_who_has_the_machines(cluster: MachineCluster) -> None:
    first = cluster.start_load(*LONG)
    cluster.wait_for_connections(first)
    second = cluster.load(*SHORT)
    assert second.returncode == ExitCode.ENVIRONMENT
    assert f"process {first.pid} on " in second.stderr
    assert all(cluster.connections(name) for name in GENERATORS)
    first.send_signal(signal.SIGINT)
    out, err = first.communicate()
    assert first.returncode == ExitCode.INTERRUPTED, err
    assert "none failed" in out


def test_a_second_coordinator_can_wait_for_the_first(cluster: MachineCluster) -> None:
    first = cluster.start_load(*LONG)
    cluster.wait_for_connections(first)
    second = cluster.start_load(*SHORT, "--wait")
    assert second.stderr is not None
    for line in second.stderr:
        if line.startswith("waiting: "):
            break
    else:
        pytest.fail("it did not wait")
    first.send_signal(signal.SIGINT)
    first.communicate()
    out, err = second.communicate()
    assert second.returncode == ExitCode.OK, err
    assert ", none failed" in out


def test_the_load_of_a_killed_coordinator_ends_by_itself(cluster: MachineCluster) -> None:
    run = cluster.start_load(*LONG)
    cluster.wait_for_connections(run)
    began = monotonic()
    run.kill()
    run.communicate()
    cluster.wait_for_silence(*GENERATORS)
    assert monotonic() - began < 100  # of 300 seconds of load; 8 on an idle machine
    done = cluster.load(*SHORT)
    assert done.returncode == ExitCode.OK, done.stdout + done.stderr


def test_a_full_disk_does_not_matter_until_a_file_is_needed_there(
    cluster: MachineCluster, tmp_path: Path
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    cluster.leave(GENERATOR_2)
    mount = 'mount -t tmpfs -o size=1m tmpfs "$0" && export TMPDIR="$0" && exec "$@"'
    cluster.join(GENERATOR_2, before=("sh", "-c", mount, str(disk)))
    full = Path(f"/proc/{cluster.workers[GENERATOR_2].pid}/root{disk}/full")
    with full.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space left"):
        while True:
            file.write(b"x" * 65536)
    assert cluster.load(*SHORT).returncode == ExitCode.OK
    authority = str(cluster.home / "certificates" / "ca.pem")
    secure = cluster.url.replace("http://", "https://")
    done = cluster.load(*SHORT, "--ca", authority, url=secure)
    cluster.leave(GENERATOR_2)
    assert done.returncode == ExitCode.ENVIRONMENT
    assert f"`{GENERATOR_2}`" in done.stderr
    assert "No space left on device" in done.stderr


def test_a_server_host_that_dies_in_the_window_is_failures_and_the_load_ends(
    cluster: MachineCluster, tmp_path: Path
) -> None:
    file = tmp_path / "result.json"
    limits = ("--connect-timeout", "500ms", "--timeout", "500ms", "--drain", "2s")
    rate = ("--duration", "3s", "--rate", "100")
    run = cluster.start_load(*rate, *limits, "--json", str(file))
    cluster.wait_for_connections(run)
    cluster.machines.cut(SERVER)
    run.communicate()
    calls = json.loads(file.read_text())["measurement"]["calls"]
    assert calls["due"] == 300
    assert calls["errors"]
    failed = calls["wrong_status"] + calls["wrong_body"] + sum(calls["errors"].values())
    assert calls["sent"] == calls["ok"] + failed + calls["in_flight"]


def test_certificates_of_another_authority_are_refused(
    cluster: MachineCluster, tmp_path: Path
) -> None:
    foreign = tmp_path / "hosts.toml"
    foreign.write_text(cluster.hosts.read_text())
    cluster.httpdyno("hosts", "certificates", str(foreign), check=True)
    done = cluster.httpdyno("load", cluster.url, "--on", str(foreign), *SHORT)
    assert done.returncode == ExitCode.ENVIRONMENT
    assert "authority" in done.stderr
    argv = cluster.worker(GENERATOR_2, tmp_path / "certificates" / GENERATOR_2)
    cluster.leave(GENERATOR_2)
    refused = cluster.httpdyno(*argv, "--rejoin", "0s", machine=GENERATOR_2)
    assert refused.returncode == ExitCode.ENVIRONMENT
    assert "authority" in refused.stderr


def test_each_process_listens_on_the_one_address_that_it_was_given(
    cluster: MachineCluster,
) -> None:
    for name in (COORDINATOR, *GENERATORS):
        own = f"{cluster.machines.address(name, 'control')}:"
        ((only),) = [listening(cluster.machines, name)]
        assert len(only) == 1, only
        assert only[0].startswith(own)
        assert listening(cluster.machines, name, "u") == []


def test_no_key_and_no_certificate_is_in_a_process_list_or_an_environment(
    cluster: MachineCluster,
) -> None:
    for process in cluster.workers.values():
        for file in ("cmdline", "environ"):
            text = Path(f"/proc/{process.pid}/{file}").read_bytes()
            assert b"BEGIN" not in text
    for key in cluster.home.rglob("*.key"):
        assert key.stat().st_mode & 0o777 == 0o600
