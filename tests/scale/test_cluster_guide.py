"""The commands of the guide to clusters, as they are printed, on a Slurm of two nodes."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import httpdyno
import pytest
from httpdyno.cli.frame.commands import command
from machine_cluster import PROGRAM, read_until
from namespaces import COORDINATOR, SERVER, Namespaces
from slurm_cluster import NODES, SlurmCluster

GUIDE = Path(httpdyno.__file__).parents[2] / "docs" / "guides" / "cluster.md"
WITHIN_S = 240
SHORTER = ("--rate 200000 --duration 30s", "--rate 500 --duration 0.5s")


def blocks(language: str) -> list[str]:
    text = GUIDE.read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


class Shared:
    """A folder that all nodes share, with the program and the files of the guide."""

    def __init__(self, machines: Namespaces, folder: Path, slurm_folder: Path) -> None:
        self.machines = machines
        self.folder = folder
        programs = folder / "programs"
        programs.mkdir()
        slurm = SlurmCluster(machines, slurm_folder)
        slurm.wait_until_idle()
        path = os.pathsep.join([str(programs), slurm.environment["PATH"]])
        own = {f"HTTPDYNO_{name}": str(folder / name) for name in ("CACHE", "STATE", "DATA")}
        paths = {"PATH": path, "PYTHONPATH": os.pathsep.join(sys.path), "NO_COLOR": "1"}
        self.environment = {**os.environ, **own, **slurm.environment, **paths}
        program = programs / "httpdyno"
        program.write_text(f'#!/bin/bash\nexec {shlex.join(PROGRAM)} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
        (folder / "hosts.toml").write_text(blocks("toml")[0], encoding="utf-8")
        script = next(block for block in blocks("sh") if "SBATCH" in block)
        (folder / "generators.sh").write_text(script, encoding="utf-8")

    def types(self, lines: str) -> subprocess.CompletedProcess[str]:
        """Lines that someone types on the coordinator."""
        file = self.folder / "typed"
        with file.open("w+") as output:
            done = self.machines.run(
                COORDINATOR,
                ["bash", "-e", "-c", lines],
                cwd=self.folder,
                env=self.environment,
                timeout=WITHIN_S,
                capture_output=False,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        done.stdout = file.read_text()
        return done


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Shared]:
    short = tempfile.TemporaryDirectory(prefix="httpdyno-slurm-")
    with short as slurm, Namespaces() as machines:
        made = Shared(machines, tmp_path, Path(slurm))
        listen = f"{machines.address(SERVER)}:8080"
        server = machines.start(
            SERVER,
            [*PROGRAM, "reference", "--listen", listen],
            env=made.environment,
            stdout=subprocess.PIPE,
        )
        read_until(server, "listening on ")
        yield made


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_two_nodes_of_slurm_become_one_load_generator(shared: Shared) -> None:
    make, start, load, end = blocks("bash")
    check = start.splitlines()[-1]
    assert check.startswith("httpdyno hosts check ")
    assert SHORTER[0] in load
    joined = " && ".join(f"grep -q '^{name} '" + ' <<< "$there"' for name in NODES)
    # The job takes a moment to start; the test's own time limit ends the wait.
    wait = f"until there=$({check} || true); {joined}; do sleep 0.2; done"
    gone = 'until [ -z "$(squeue --noheader)" ]; do sleep 0.2; done'
    typed = [make, start.replace(check, wait), check, load.replace(*SHORTER), end, gone, "wait"]
    done = shared.types("\n".join(typed))
    assert done.returncode == 0, done.stdout + (shared.folder / "slurm-1.out").read_text()
    assert "250 of 250" in done.stdout or ", none failed" in done.stdout
    for name in NODES:
        assert f"{name}: 125 ok" in done.stdout


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_workers_of_dask_jobqueue_become_one_load_generator(shared: Shared) -> None:
    (program,) = blocks("python")
    assert 'interface="eth0"' in program
    program = program.replace('interface="eth0"', 'interface="control"')
    (shared.folder / "cluster.py").write_text(program, encoding="utf-8")
    load = next(block for block in blocks("sh") if "SCHEDULER" in block)
    assert SHORTER[0].partition(" --duration")[0] in load
    load = load.replace("--rate 200000", "--rate 500 --duration 0.5s")
    load = load.replace("tls://SCHEDULER:8786", "$address")
    make = blocks("bash")[0]
    start = f"{make}mkfifo enter\n{shlex.quote(sys.executable)} cluster.py < enter > said &\n"
    hold = "exec 3> enter\n"
    scheduler = "until address=$(grep -o '^tls://.*' said); do sleep 0.2; done\n"
    check = "httpdyno hosts check $address --certificates certificates/nodes"
    joined = f"until there=$({check} || true); [ $(grep -c '^SLURM' <<< \"$there\") = 2 ]"
    wait = f"{joined}; do sleep 0.2; done\n"
    done = shared.types(f"{start}{hold}{scheduler}{wait}{check}\n{load}echo >&3\nwait\n")
    jobs = "".join(path.read_text() for path in shared.folder.glob("slurm-*.out"))
    assert done.returncode == 0, done.stdout + (shared.folder / "said").read_text() + jobs
    assert done.stdout.count(": 125 ok") == len(NODES), done.stdout


def test_the_deployment_for_kubernetes_runs_a_command_that_httpdyno_accepts() -> None:
    (text,) = blocks("yaml")
    (line,) = re.findall(r"command: \[(.*)\]", text)
    program, *words = [word.strip().strip('"') for word in line.split(",")]
    assert program == "httpdyno"
    context = click.Context(command(), info_name="httpdyno")
    group: Any = context.command
    verb = group.get_command(context, words[0])
    verb.make_context(words[0], words[1:])
