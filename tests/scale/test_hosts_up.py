"""`httpdyno hosts up` and `down`, over a real SSH server on loopback."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest
from machines import PYTHON_SOURCES, program_environment, record_of

if TYPE_CHECKING:
    from httpdyno import _engine

pytestmark = pytest.mark.slow

SSHD = "/usr/sbin/sshd"


@dataclass(frozen=True)
class Place:
    """A folder with a hosts.toml, whose machines are reached by SSH."""

    folder: Path
    environment: dict[str, str]

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "httpdyno", *words],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def started(self) -> list[psutil.Process]:
        """The processes that SSH has started for this place."""
        found = []
        for process in psutil.process_iter():
            try:
                environment = process.environ()
            except psutil.Error:
                continue
            by_ssh = environment.get("HTTPDYNO_STATE") == str(self.folder / "remote")
            if by_ssh and "httpdyno" in process.cmdline():
                found.append(process)
        return found


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    for module in ("distributed", "cryptography", "asyncssh"):
        pytest.importorskip(module, reason=f"`{module}` of the extra `scale` is not installed")
    if not Path(SSHD).exists() or shutil.which("ssh-keygen") is None:
        pytest.skip("`sshd` is not installed (Debian package openssh-server)")
    port = free_port()
    sshd = ssh_server(tmp_path, port)
    home = tmp_path / "home"
    environment = dict(program_environment(tmp_path)) | {"HOME": str(home)}
    python = f"env PYTHONPATH={PYTHON_SOURCES} {sys.executable} -m httpdyno"
    (tmp_path / "hosts.toml").write_text(hosts_toml(free_port(), port, python))
    found = Place(tmp_path, environment)
    try:
        yield found
    finally:
        for process in found.started():
            process.kill()
        sshd.terminate()
        sshd.wait(30)


def ssh_server(folder: Path, port: int) -> subprocess.Popen[bytes]:
    """An SSH server that lets this user in by a key of its own."""
    home = folder / "home" / ".ssh"
    home.mkdir(parents=True, mode=0o700)
    for key in (folder / "host_key", home / "id_ed25519"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)]
        subprocess.run(words, check=True, capture_output=True)
    shutil.copy(home / "id_ed25519.pub", folder / "authorized_keys")
    host_key = (folder / "host_key.pub").read_text()
    (home / "known_hosts").write_text(f"[127.0.0.1]:{port} {host_key}")
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host_key\nPidFile none\n"
        f"AuthorizedKeysFile {folder}/authorized_keys\nStrictModes no\nUsePAM no\n"
        f"PasswordAuthentication no\nPermitRootLogin yes\nSetEnv HTTPDYNO_STATE={folder}/remote\n"
    )
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    server = subprocess.Popen(
        [SSHD, "-D", "-e", "-f", str(folder / "sshd_config")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    for _ in range(200):
        with socket.socket() as way:
            if way.connect_ex(("127.0.0.1", port)) == 0:
                return server
        if server.poll() is not None:
            break
        import time

        time.sleep(0.05)
    server.kill()
    pytest.skip("this user may not start `sshd` here")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def hosts_toml(scheduler: int, ssh: int, command: str) -> str:
    machine = "\n[[machines]]\nname = {!r}\naddress = {!r}\ncores = [0]\n"
    machine += f"ssh = '{getpass.getuser()}@127.0.0.1:{ssh}'\ncommand = '{command}'\n"
    return f"scheduler = 'tls://127.0.0.1:{scheduler}'\n" + "".join(
        machine.format(*one) for one in (("a", "127.0.0.1"), ("b", "localhost"))
    )


def test_a_cluster_is_started_used_and_ended_over_ssh(
    place: Place, server: _engine.Reference
) -> None:
    assert place.run("hosts", "certificates", "hosts.toml").returncode == 0
    up = place.run("hosts", "up", "hosts.toml")
    shown = " ".join(" ".join([*one.cmdline(), *one.environ().values()]) for one in place.started())
    again = place.run("hosts", "up", "hosts.toml")
    load = ["--on", "hosts.toml", "--requests", "1000", "--quiet", "--json", "-"]
    loaded = place.run("load", f"http://{server.address}/hello", *load)
    down = place.run("hosts", "down", "hosts.toml")

    assert up.returncode == 0, up.stdout + up.stderr
    assert "a  joined\nb  joined\n" in up.stdout
    assert len(shown) > 100
    assert "PRIVATE KEY" not in shown
    assert again.returncode == 0, again.stderr
    assert again.stdout.count("runs already") == 3
    assert loaded.returncode == 0, loaded.stderr
    assert record_of(loaded.stdout)["measurement"]["calls"]["ok"] == 1000
    assert down.returncode == 0, down.stderr
    assert psutil.wait_procs(place.started(), timeout=60)[1] == []
    files = [file for file in (place.folder / "remote").rglob("*") if file.is_file()]
    assert not [file for file in files if "PRIVATE KEY" in file.read_text(errors="replace")]


def test_a_machine_where_httpdyno_is_not_installed_is_named(place: Place) -> None:
    file = place.folder / "hosts.toml"
    before = file.read_text()
    first, _, second = before.rpartition("[[machines]]")
    broken = second.replace("-m httpdyno", "-m no_such_module")
    file.write_text(f"{first}[[machines]]{broken}")
    place.run("hosts", "certificates", "hosts.toml")
    up = place.run("hosts", "up", "hosts.toml")
    down = place.run("hosts", "down", "hosts.toml")

    assert up.returncode == 4
    assert "a  joined\nb  not started\n" in up.stdout
    assert "error: `b`: " in up.stderr
    assert "No module named no_such_module" in up.stderr
    assert down.returncode == 0, down.stderr
