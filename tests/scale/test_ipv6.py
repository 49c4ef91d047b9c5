"""Machines with IPv6 addresses for load: `load --on`, and a study whose server runs on one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from httpdyno.host.activity import interface_of
from httpdyno.servers.declaration.placeholders import fill
from machine_cluster import PROGRAM, MachineCluster, read_until
from namespaces import GENERATOR_1, SERVER, Namespaces

from .test_studies_in_namespaces import APP, arguments, reasons, result

pytest.importorskip("distributed", reason="`distributed` of the extra `scale` is not installed")
pytest.importorskip("cryptography", reason="`cryptography` of the extra `scale` is not installed")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MachineCluster]:
    home = tmp_path_factory.mktemp("cluster")
    with Namespaces() as machines, MachineCluster(machines, home, studies=True, ipv6=True) as made:
        (made.home / "app").mkdir()
        (made.home / "app" / "app.py").write_text(APP)
        yield made


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_load_from_two_machines_reaches_an_ipv6_address(
    cluster: MachineCluster, tmp_path: Path
) -> None:
    argv = [*PROGRAM, "reference", "--listen", f"[{cluster.address(SERVER)}]:0"]
    url = read_until(cluster.start(SERVER, argv), "listening on ").split()[2]
    file = tmp_path / "record.json"
    done = cluster.load("--requests", "200", "--json", str(file), url=f"{url}hello")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"[{cluster.address(SERVER)}]" in url
    assert json.loads(file.read_text())["measurement"]["calls"]["ok"] == 200


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_study_runs_its_server_on_the_ipv6_address_of_its_machine(
    cluster: MachineCluster, tmp_path: Path
) -> None:
    results = tmp_path / "results"
    done = cluster.httpdyno(*arguments(cluster, results, 1, "1s"))
    assert done.returncode == 0, done.stdout + done.stderr
    found = result(results)
    assert {path.generator for path in found.paths} == {"generator-1", "generator-2"}
    assert all(path.mtu == 1500 for path in found.paths)
    addresses = {row.name: row.address for row in found.machines}
    assert addresses[GENERATOR_1] == cluster.address(GENERATOR_1)
    assert "node_lost" not in {code for codes in reasons(cluster, results) for code in codes}
    assert [len(cell.trials) for cell in found.cells] == [1]


def test_an_ipv6_address_gets_its_brackets_only_before_a_port() -> None:
    values = {"host": "fd00::9", "port": "80"}
    assert fill("--bind={host}:{port}", values) == "--bind=[fd00::9]:80"
    assert fill("{host} {port}", values) == "fd00::9 80"
    assert fill("{host}:{port}", values | {"host": "10.0.0.9"}) == "10.0.0.9:80"


def test_the_interface_of_an_ipv6_address_is_found() -> None:
    if not Path("/proc/net/if_inet6").exists():
        pytest.skip("this machine has no IPv6")
    assert interface_of("::1") == "lo"
    assert interface_of("fd00:dead::1") is None
