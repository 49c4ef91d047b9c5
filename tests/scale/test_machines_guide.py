"""The commands of the guide to several machines, as they are printed, over SSH in namespaces."""

from __future__ import annotations

import getpass
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpdyno
import pytest
from machine_cluster import PROGRAM, listening, read_until
from namespaces import COORDINATOR, GENERATOR_1, GENERATOR_2, SERVER, Namespaces
from small_server import APP

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

GUIDE = Path(httpdyno.__file__).parents[2] / "docs" / "guides" / "many-machines.md"
SSHD = Path("/usr/sbin/sshd")
SHORTER = {
    "--rate 200000 --duration 30s": "--rate 500 --duration 1s",
    "--connections 512": "--connections 8 --duration 1s",
    "/hello --on tls://": "/hello --duration 1s --on tls://",
    "/hello --on tcp://": "/hello --duration 1s --on tcp://",
}
STUDY = """\
title = "My app"
blocks = 1
warm_up = 0
[[arms]]
name = "mine"
start = "{python} app.py {port} Hello"
env = { HOST = "{host}" }
cwd = "app"
[[workloads.page.requests]]
path = "/hello"
expect = { status = 200, body = "Hello" }
[loads.some]
kind = "requests"
rate = 200
connections = 4
duration = "1s"
"""


def section(title: str) -> str:
    text = GUIDE.read_text(encoding="utf-8")
    return next(one for one in re.split(r"^## ", text, flags=re.MULTILINE) if one.startswith(title))


def blocks(title: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", section(title), re.DOTALL)


class Desk:
    """The coordinator, and machines that it reaches by SSH."""

    def __init__(self, machines: Namespaces, folder: Path) -> None:
        self.machines = machines
        self.folder = folder
        self.program = folder / "programs" / "httpdyno"
        self.program.parent.mkdir()
        paths = os.pathsep.join(sys.path)
        self.program.write_text(
            f'#!/bin/sh\nPYTHONPATH={shlex.quote(paths)} exec {shlex.join(PROGRAM)} "$@"\n'
        )
        self.program.chmod(0o755)
        keys = folder / "home" / ".ssh"
        keys.mkdir(parents=True, mode=0o700)
        for key in (keys / "id_ed25519", folder / "host_key"):
            words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)]
            subprocess.run(words, check=True)
        for machine in (GENERATOR_1, GENERATOR_2, SERVER):
            self._let_in(machine, keys)

    def _let_in(self, machine: str, keys: Path) -> None:
        """Start an SSH server on a machine, which lets the coordinator in."""
        address = self.machines.address(machine, "control")
        own = " ".join(
            f"HTTPDYNO_{name}={self.folder / machine / name}" for name in ("CACHE", "STATE", "DATA")
        )
        config = self.folder / f"{machine}.conf"
        config.write_text(
            f"Port 22\nListenAddress {address}\nHostKey {self.folder}/host_key\nPidFile none\n"
            f"UsePAM no\nStrictModes no\nPermitRootLogin yes\nPasswordAuthentication no\n"
            f"AuthorizedKeysFile {keys}/id_ed25519.pub\nSetEnv {own}\n"
        )
        with (keys / "known_hosts").open("a") as known:
            known.write(f"{address} {(self.folder / 'host_key.pub').read_text()}")
        Path("/run/sshd").mkdir(exist_ok=True)
        server = self.machines.start(
            machine, [str(SSHD), "-D", "-e", "-f", str(config)], stderr=subprocess.PIPE
        )
        read_until(server, "Server listening on ", server.stderr)

    def write(self, toml: str, mode: str = "w") -> None:
        """Write hosts.toml with the machines of the guide, as the user of this test."""
        text = toml.replace("bench@", f"{getpass.getuser()}@")
        text = re.sub(r"^ssh = .*$", rf'\g<0>\ncommand = "{self.program}"', text, flags=re.M)
        with (self.folder / "hosts.toml").open(mode) as file:
            file.write(f"\n{text}")

    def types(self, lines: str, machine: str = COORDINATOR) -> str:
        """The output of lines that someone types on a machine."""
        for long, short in SHORTER.items():
            lines = lines.replace(long, short)
        argv = ["bash", "-e", "-c", lines]
        done = self.machines.run(machine, argv, cwd=self.folder, env=self._environment)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def starts(self, line: str, machine: str, sign: str) -> subprocess.Popen[str]:
        """A program that someone starts in a terminal; it has printed a line that begins so."""
        argv = ["bash", "-c", f"exec {line}"]
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        process = self.machines.start(
            machine, argv, cwd=self.folder, env=self._environment, **streams
        )
        read_until(process, sign)
        return process

    @property
    def _environment(self) -> dict[str, str]:
        path = f"{self.program.parent}:/usr/bin:/bin"
        return {"HOME": str(self.folder / "home"), "PATH": path, "LANG": "C.UTF-8"}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    for module in ("distributed", "cryptography", "asyncssh"):
        pytest.importorskip(module, reason=f"`{module}` of the extra `scale` is not installed")
    if not SSHD.exists():
        pytest.skip("`sshd` is not installed (Debian package openssh-server)")
    with Namespaces() as machines:
        yield Desk(machines, tmp_path)


def test_two_machines_by_ssh_and_a_study_on_three_work_as_the_guide_prints_them(
    desk: Desk,
) -> None:
    reference = desk.machines.start(
        SERVER,
        [str(desk.program), "reference", "--listen", "10.0.0.9:8080"],
        stdout=subprocess.PIPE,
    )
    read_until(reference, "listening on ")
    init, begin, load, down = blocks("Two machines by SSH", "bash")
    desk.types(init)
    desk.write(blocks("Two machines by SSH", "toml")[0])
    said = desk.types(begin)
    assert "a  joined\nb  joined\n" in said
    assert "2 machines joined" in said
    load = "".join(line for line in load.splitlines(True) if " sweep " not in line)
    assert len(re.findall(r"^machines +a: ", desk.types(load), re.MULTILINE)) == 2
    assert "ended tls://10.0.1.2:8786 (a, b)" in desk.types(down)

    (more,) = blocks("Studies", "toml")
    (study,) = blocks("Studies", "bash")
    desk.write(more, "a")
    (desk.folder / "app").mkdir()
    (desk.folder / "app" / "app.py").write_text(APP)
    (desk.folder / "study.toml").write_text(STUDY)
    said = desk.types(study)
    assert "s  joined\n" in said
    assert "    app.py\n" in said
    assert "path b → s: round trip " in said
    assert "1/1 mine · some · 200/s" in said
    desk.types(down)
    addresses = {one.rpartition(":")[0] for one in listening(desk.machines, SERVER)}
    assert addresses == {"10.0.0.9", "10.0.1.9"}  # the reference server and sshd alone


def test_without_ssh_the_lines_of_the_guide_work_when_they_are_typed_on_each_machine(
    desk: Desk,
) -> None:
    _, begin, *_ = blocks("Two machines by SSH", "bash")
    by_hand, load, alone = blocks("Without SSH", "bash")
    desk.write(blocks("Two machines by SSH", "toml")[0])
    desk.types(begin.splitlines()[0])  # the certificates
    desk.starts("httpdyno reference --listen 10.0.0.9:8080", SERVER, "listening on ")
    scheduler, worker = by_hand.splitlines()
    running = desk.starts(scheduler, GENERATOR_1, "scheduler on ")
    desk.starts(worker, GENERATOR_1, "joined ")
    assert re.search(r"^machines +a: ", desk.types(load), re.MULTILINE)
    running.terminate()
    running.wait()

    scheduler, *workers, load = alone.splitlines()
    desk.starts("httpdyno reference --listen 127.0.0.1:8080", GENERATOR_2, "listening on ")
    desk.starts(scheduler, GENERATOR_2, "scheduler on ")
    for worker in workers:
        desk.starts(worker, GENERATOR_2, "joined ")
    said = desk.types(load, GENERATOR_2)
    assert re.search(r"^machines +a: .*\n +b: ", said, re.MULTILINE)
