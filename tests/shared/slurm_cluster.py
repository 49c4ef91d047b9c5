"""Slurm on the machines of a test: a controller, and a node on each load generator."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from time import sleep

import pytest
from namespaces import COORDINATOR, GENERATOR_1, GENERATOR_2, Namespaces

PROGRAMS = ("slurmctld", "slurmd", "munged", "sbatch", "srun", "scancel")
NODES = (GENERATOR_1, GENERATOR_2)
CONFIGURATION = """\
ClusterName=test
SlurmctldHost={coordinator}({address})
SlurmUser=root
SlurmdUser=root
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
MpiDefault=none
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=2
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdSpoolDir={folder}/%n
SlurmdPidFile={folder}/%n.pid
SlurmdLogFile={folder}/%n.log
PartitionName=all Nodes=ALL Default=YES State=UP
"""


class SlurmCluster:
    """Slurm, until the machines are taken down. Skips the test where it is not installed.

    Its programs find it by `environment`. The path of its folder must be short: Slurm makes
    sockets below it, and their paths may have 108 bytes.
    """

    def __init__(self, machines: Namespaces, folder: Path) -> None:
        path = os.pathsep.join([os.environ["PATH"], "/usr/sbin"])
        missing = [name for name in PROGRAMS if shutil.which(name, path=path) is None]
        if missing:
            packages = "apt-get install slurmctld slurmd slurm-client munge"
            pytest.skip(f"Slurm is not installed ({', '.join(missing)}): {packages}")
        self._machines = machines
        self._folder = folder
        (folder / "state").mkdir(parents=True)
        folder.chmod(0o755)
        configuration = folder / "slurm.conf"
        configuration.write_text(self._configuration(), encoding="utf-8")
        # `ip netns exec` hides the control groups, of which this configuration uses none.
        (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n", encoding="utf-8")
        self.environment = {"PATH": path, "SLURM_CONF": str(configuration)}
        key = folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        files = {"socket": "socket", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
        named = [f"--{option}={folder}/munge.{name}" for option, name in files.items()]
        self._start(COORDINATOR, "munged", "--foreground", "--force", f"--key-file={key}", *named)
        while not (folder / "munge.socket").exists():
            sleep(0.05)
        self._start(COORDINATOR, "slurmctld", "-D", "-i")
        for node in NODES:
            (folder / node).mkdir()
            self._start(node, "slurmd", "-D", "-N", node)

    def wait_until_idle(self) -> None:
        """Wait until both nodes take jobs; the test's own time limit ends the wait."""
        while self._states() != ["idle"] * len(NODES):
            sleep(0.2)

    def _states(self) -> list[str]:
        words = ["sinfo", "--noheader", "--Node", "--format=%t"]
        shown = self._machines.run(COORDINATOR, words, env={**os.environ, **self.environment})
        return shown.stdout.split()

    def _start(self, machine: str, *argv: str) -> None:
        """Start a program on a machine that has its name as the host's, as nodes have."""
        named = ["unshare", "--uts", "sh", "-c", 'hostname "$0"; exec "$@"', machine, *argv]
        self._machines.start(
            machine,
            named,
            env={**os.environ, **self.environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def _configuration(self) -> str:
        address = self._machines.address(COORDINATOR, "control")
        text = CONFIGURATION.format(coordinator=COORDINATOR, address=address, folder=self._folder)
        cpus = os.cpu_count() or 1
        for node in NODES:
            address = self._machines.address(node, "control")
            text += f"NodeName={node} NodeAddr={address} CPUs={cpus} RealMemory=2000\n"
        return text
