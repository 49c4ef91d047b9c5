"""The commands of the guide to clusters, as they are printed; Slurm's own are stand-ins."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpdyno
import pytest
import typer
from httpdyno.cli.frame.commands import command
from machine_cluster import PROGRAM, read_until
from namespaces import COORDINATOR, GENERATOR_1, GENERATOR_2, SERVER, Namespaces

GUIDE = Path(httpdyno.__file__).parents[2] / "docs" / "guides" / "cluster.md"
SHORTER = ("--rate 200000 --duration 30s", "--rate 500 --duration 0.5s")


def blocks(language: str) -> list[str]:
    text = GUIDE.read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


class Slurm:
    """A folder that all nodes share, with programs: httpdyno, and stand-ins for Slurm's."""

    def __init__(self, machines: Namespaces, folder: Path) -> None:
        self.machines = machines
        self.folder = folder
        programs = folder / "programs"
        programs.mkdir()
        path = os.pathsep.join([str(programs), os.environ["PATH"]])
        own = {f"HTTPDYNO_{name}": str(folder / name) for name in ("CACHE", "STATE", "DATA")}
        paths = {"PATH": path, "PYTHONPATH": os.pathsep.join(sys.path), "NO_COLOR": "1"}
        self.environment = {**os.environ, **own, **paths}
        self._write("httpdyno", f'exec {shlex.join(PROGRAM)} "$@"')
        self._write("sbatch", 'bash "$1" > job.log 2>&1 &')
        # One task on each node, without options of its own. A node has a host name.
        named = ['unshare --uts sh -c \'hostname "$0"; exec "$@"\' ']
        tasks = [
            f'{shlex.join(machines.command(node, []))} {named[0]}{node} "${{@:2}}" &'
            for node in (GENERATOR_1, GENERATOR_2)
        ]
        self._write("srun", "\n".join([*tasks, "wait"]))
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
                capture_output=False,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        done.stdout = file.read_text()
        return done

    def _write(self, name: str, text: str) -> None:
        program = self.folder / "programs" / name
        program.write_text(f"#!/bin/bash\n{text}\n", encoding="utf-8")
        program.chmod(0o755)


@pytest.fixture
def slurm(tmp_path: Path) -> Iterator[Slurm]:
    with Namespaces() as machines:
        made = Slurm(machines, tmp_path)
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
@pytest.mark.timeout(900)
def test_two_nodes_of_slurm_become_one_load_generator(slurm: Slurm) -> None:
    make, start, load, end = blocks("bash")
    assert slurm.types(make).returncode == 0
    check = start.splitlines()[-1]
    assert check.startswith("httpdyno hosts check ")
    begun = slurm.types(start.replace(check, ""))
    assert begun.returncode == 0, begun.stdout
    while not all(f"\n{name} " in slurm.types(check).stdout for name in (GENERATOR_1, GENERATOR_2)):
        pass  # the job is starting; the test's own time limit ends the wait
    assert SHORTER[0] in load
    done = slurm.types(load.replace(*SHORTER))
    assert done.returncode == 0, done.stdout
    assert "250 of 250" in done.stdout or ", none failed" in done.stdout
    assert f"{GENERATOR_1}: 125 ok" in done.stdout
    assert "scancel --name=httpdyno" in end


def test_the_deployment_for_kubernetes_runs_a_command_that_httpdyno_accepts() -> None:
    (text,) = blocks("yaml")
    (line,) = re.findall(r"command: \[(.*)\]", text)
    program, *words = [word.strip().strip('"') for word in line.split(",")]
    assert program == "httpdyno"
    context = typer.Context(command(), info_name="httpdyno")
    group: Any = context.command
    verb = group.get_command(context, words[0])
    verb.make_context(words[0], words[1:])
