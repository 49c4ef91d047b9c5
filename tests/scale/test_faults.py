"""Machines whose links are cut, a full disk, a dead server: each ends a load, and is named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from httpdyno.errors import ExitCode
from machine_cluster import GENERATORS, MachineCluster, listening
from namespaces import COORDINATOR, GENERATOR_1, GENERATOR_2, SERVER, Namespaces

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

pytest.importorskip("distributed", reason="`distributed` of the extra `scale` is not installed")
pytest.importorskip("cryptography", reason="`cryptography` of the extra `scale` is not installed")

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


def test_each_process_listens_on_the_one_address_that_it_was_given(
    cluster: MachineCluster,
) -> None:
    for name in (COORDINATOR, *GENERATORS):
        (only,) = listening(cluster.machines, name)
        assert only.startswith(f"{cluster.machines.address(name, 'control')}:")
        assert listening(cluster.machines, name, "u") == []


def test_a_machine_cut_off_before_the_load_is_named_and_nothing_is_sent(
    cluster: MachineCluster,
) -> None:
    cluster.machines.cut(GENERATOR_2, "control")
    done = cluster.load(*SHORT)
    assert done.returncode == ExitCode.ENVIRONMENT
    assert f"`{GENERATOR_2}`: " in done.stderr
    assert not any(cluster.connections(name) for name in GENERATORS)


def test_a_machine_cut_off_in_the_window_ends_the_load_of_all_without_a_result(
    cluster: MachineCluster, tmp_path: Path
) -> None:
    file = tmp_path / "result.json"
    run = cluster.start_load(*LONG, "--json", str(file))
    cluster.wait_for_connections(run)
    cluster.machines.cut(GENERATOR_2, "control")
    out, err = run.communicate()
    assert run.returncode == ExitCode.ENVIRONMENT, out + err
    assert f"`{GENERATOR_2}`: " in err
    assert "hint: " in err
    assert not file.exists() or not file.read_text()
    cluster.wait_for_silence(GENERATOR_1)
    cluster.wait_for_silence(GENERATOR_2)  # which nobody could tell to stop


def test_a_machine_cut_off_after_the_window_leaves_no_result(cluster: MachineCluster) -> None:
    held = ("--duration", "300ms", "--rate", "40", "--connections", "20", "--timeout", "60s")
    run = cluster.start_load(*held, "--drain", "60s", url=f"{cluster.url}?delay=3s")
    cluster.wait_for_connections(run, most=12)  # every request is under way
    cluster.machines.cut(GENERATOR_2, "control")
    _, err = run.communicate()
    assert run.returncode == ExitCode.ENVIRONMENT
    assert f"`{GENERATOR_2}`: " in err


def test_machines_whose_coordinator_is_cut_off_end_their_load_by_themselves(
    cluster: MachineCluster,
) -> None:
    run = cluster.start_load(*LONG)
    cluster.wait_for_connections(run)
    cluster.machines.cut(COORDINATOR)
    cluster.wait_for_silence(*GENERATORS)
    assert run.wait() == ExitCode.ENVIRONMENT
    run.communicate()


def test_calls_that_fail_on_the_cut_link_of_one_machine_are_counted_for_that_machine(
    cluster: MachineCluster, tmp_path: Path
) -> None:
    file = tmp_path / "result.json"
    limits = ("--connect-timeout", "300ms", "--timeout", "300ms", "--drain", "1s")
    run = cluster.start_load("--duration", "3s", "--rate", "100", *limits, "--json", str(file))
    cluster.wait_for_connections(run)
    cluster.machines.cut(GENERATOR_2, "load")
    run.communicate()
    measured = json.loads(file.read_text())["measurement"]
    good, bad = measured["nodes"]
    assert (good["name"], bad["name"]) == GENERATORS
    assert good["ok"] == 150
    assert bad["ok"] < 150
    assert good["ok"] + bad["ok"] == measured["calls"]["ok"]
    assert measured["calls"]["errors"]


def test_a_server_that_dies_in_the_window_is_failures_and_the_counts_add_up(
    cluster: MachineCluster, tmp_path: Path
) -> None:
    file = tmp_path / "result.json"
    limits = ("--connect-timeout", "300ms", "--timeout", "300ms", "--drain", "1s")
    run = cluster.start_load("--duration", "3s", "--rate", "100", *limits, "--json", str(file))
    cluster.wait_for_connections(run)
    cluster.machines.cut(SERVER)
    run.communicate()
    calls = json.loads(file.read_text())["measurement"]["calls"]
    assert calls["due"] == calls["sent"] + calls["unsent"] == 300
    assert calls["errors"]
    failed = calls["wrong_status"] + calls["wrong_body"] + sum(calls["errors"].values())
    assert calls["sent"] == calls["ok"] + failed + calls["in_flight"]


def test_a_slow_and_lossy_way_to_one_machine_changes_nothing_but_the_wait(
    cluster: MachineCluster, tmp_path: Path
) -> None:
    file = tmp_path / "result.json"
    cluster.machines.delay(GENERATOR_2, 25, loss=0.02, link="control")
    # A count: at the end of a time, a busy machine may not have sent its last call yet.
    done = cluster.load("--requests", "60", "--rate", "200", "--json", str(file))
    cluster.machines.delay(GENERATOR_2, 0, link="control")
    assert done.returncode == ExitCode.OK, done.stdout + done.stderr
    nodes = json.loads(file.read_text())["measurement"]["nodes"]
    assert [node["ok"] for node in nodes] == [30, 30]
    assert nodes[1]["offset_error_ns"] >= 25_000_000  # half a round trip of 50 ms


def test_a_full_disk_does_not_matter_until_a_file_is_needed_there(
    cluster: MachineCluster, tmp_path: Path
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    cluster.leave(GENERATOR_2)
    mount = 'mount -t tmpfs -o size=1m tmpfs "$0" && export TMPDIR="$0" && exec "$@"'
    cluster.join(GENERATOR_2, before=("sh", "-c", mount, str(disk)))
    full = Path(f"/proc/{cluster.workers[GENERATOR_2].pid}/root{disk}/full")
    with pytest.raises(OSError, match="No space left"):
        full.write_bytes(b"x" * (2 << 20))
    assert cluster.load(*SHORT).returncode == ExitCode.OK
    authority = str(cluster.home / "certificates" / "ca.pem")
    secure = cluster.url.replace("http://", "https://")
    done = cluster.load(*SHORT, "--ca", authority, url=secure)
    cluster.leave(GENERATOR_2)
    assert done.returncode == ExitCode.ENVIRONMENT
    assert f"`{GENERATOR_2}`: " in done.stderr
    assert "No space left on device" in done.stderr
