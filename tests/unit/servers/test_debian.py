"""Debian packages: found missing, installed in one transaction, services kept down meanwhile.

`apt-get`, `dpkg-query` and `sudo` are stand-ins here that write down what they were asked; `make
catalogue` installs with the real ones.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest
from httpdyno.errors import EnvironmentFault
from httpdyno.servers import ServerFailure, install
from httpdyno.servers.installation import debian
from httpdyno.servers.installation.requirements import missing_packages

from .conftest import TOML, MakeServer

APT_GET = """\
#!/bin/sh
echo "apt-get $*" >> {asked}
test -x {policy} && echo "services are kept down" >> {asked}
{then}
"""


class Machine:
    """A machine whose Debian programs are stand-ins."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.programs = folder / "bin"
        self.programs.mkdir()
        self.policy = folder / "policy-rc.d"
        self.log = folder / "apt.log"
        self.has("dpkg-query", 'printf "there ii \\nhalf iF \\n"')
        self.has("dpkg", "true")
        self.apt_get("true")

    def has(self, program: str, script: str) -> None:
        file = self.programs / program
        file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        file.chmod(0o755)

    def apt_get(self, then: str) -> None:
        asked = self.folder / "asked"
        text = APT_GET.format(asked=asked, policy=self.policy, then=then)
        (self.programs / "apt-get").write_text(text, encoding="utf-8")
        (self.programs / "apt-get").chmod(0o755)

    def asked(self) -> list[str]:
        file = self.folder / "asked"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(tmp_path)
    monkeypatch.setenv("PATH", f"{made.programs}:{os.environ['PATH']}")
    monkeypatch.setattr(debian, "POLICY", made.policy)
    monkeypatch.setattr(debian, "LOCK", tmp_path / "apt.lock")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return made


INSTALL = "apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=600"


def test_a_package_is_missing_unless_it_is_installed_whole(machine: Machine) -> None:
    assert debian.missing(["there", "half", "nowhere", "there:amd64"]) == ["half", "nowhere"]
    assert debian.missing([]) == []


@pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="no dpkg-query here")
def test_the_real_dpkg_knows_what_is_installed() -> None:
    assert debian.missing(["dpkg", "no-such-package-httpdyno"]) == ["no-such-package-httpdyno"]


def test_packages_are_installed_in_one_transaction_with_services_kept_down(
    machine: Machine,
) -> None:
    debian.install_packages(["one", "two"], machine.log, lambda _: None)
    assert machine.asked() == [f"{INSTALL} one two", "services are kept down"]
    assert not machine.policy.exists()


def test_a_policy_that_the_machine_has_is_left_as_it_is(machine: Machine) -> None:
    machine.policy.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    debian.install_packages(["one"], machine.log, lambda _: None)
    assert machine.policy.read_text(encoding="utf-8") == "#!/bin/sh\nexit 0\n"


def test_a_policy_left_by_a_killed_installation_is_removed_by_the_next(machine: Machine) -> None:
    killed = "from httpdyno.servers.installation import debian\nimport os, pathlib\n"
    killed += f"debian.POLICY = pathlib.Path({str(machine.policy)!r})\nos.geteuid = lambda: 0\n"
    killed += "debian.LOCK = pathlib.Path('apt.lock').absolute()\n"
    killed += "log = pathlib.Path('apt.log')\ndebian.install_packages(['one'], log, print)\n"
    machine.apt_get(f"kill -9 $(cat {machine.folder}/runner)")
    script = f"import os; open('runner', 'w').write(str(os.getpid()))\n{killed}"
    done = subprocess.run([sys.executable, "-c", script], cwd=machine.folder, check=False)
    assert done.returncode == -9
    assert machine.policy.exists()
    machine.apt_get("true")
    debian.install_packages(["one"], machine.log, lambda _: None)
    assert not machine.policy.exists()


def wait_for(file: Path) -> None:
    deadline = monotonic() + 60
    while not file.exists():
        assert monotonic() < deadline
        sleep(0.02)


def test_an_interrupt_waits_until_apt_has_ended_safely(machine: Machine) -> None:
    begun, told, go, safe = (machine.folder / name for name in ("begun", "told", "go", "safe"))
    os.mkfifo(go)
    ends = f"sleep 100 & trap 'touch {told}; read x < {go}; kill $!; touch {safe}; exit 130' INT; "
    ends += f"touch {begun}; wait"
    machine.apt_get(ends)
    script = "from httpdyno.servers.installation import debian\nimport os, pathlib, sys\n"
    script += f"debian.POLICY = pathlib.Path({str(machine.policy)!r})\nos.geteuid = lambda: 0\n"
    script += "debian.LOCK = pathlib.Path('apt.lock').absolute()\n"
    script += "debian.install_packages(['one'], pathlib.Path('apt.log'), print)\n"
    program = subprocess.Popen(
        [sys.executable, "-uc", script],
        cwd=machine.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    wait_for(begun)
    program.send_signal(signal.SIGINT)
    wait_for(told)
    program.send_signal(signal.SIGINT)
    assert program.stdout is not None
    assert "still waiting" in program.stdout.readline() + program.stdout.readline()
    go.write_text("go on\n", encoding="utf-8")
    program.communicate(timeout=60)
    assert safe.exists()
    assert not machine.policy.exists()
    assert [line for line in machine.asked() if line.startswith("apt-get")] == [f"{INSTALL} one"]


def test_what_fails_is_tried_again_with_the_archives_newest_lists(machine: Machine) -> None:
    machine.apt_get(
        f'case "$*" in update*) touch {machine.folder}/new;; esac\ntest -e {machine.folder}/new'
    )
    debian.install_packages(["one"], machine.log, lambda _: None)
    asked = [line for line in machine.asked() if line.startswith("apt-get")]
    assert asked == [f"{INSTALL} one", "apt-get update -q", f"{INSTALL} one"]


def test_what_fails_twice_is_told_in_apts_words(machine: Machine) -> None:
    machine.apt_get("echo 'E: Unable to locate package one'; exit 100")
    with pytest.raises(ServerFailure) as failure:
        debian.install_packages(["one", "two", "three", "four"], machine.log, lambda _: None)
    assert failure.value.message == (
        "`apt-get install` of `one`, `two`, `three` and 1 more failed: "
        "E: Unable to locate package one / E: Unable to locate package one"
    )
    assert failure.value.log == machine.log
    assert not machine.policy.exists()


def test_without_root_sudo_does_it(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    machine.has("sudo", f'echo "sudo $2" >> {machine.folder}/asked; shift; exec "$@"')
    debian.install_packages(["one"], machine.log, lambda _: None)
    assert "sudo env" in machine.asked()
    assert f"{INSTALL} one" in machine.asked()


def test_without_root_and_sudo_the_one_command_is_told(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    machine.has("sudo", "exit 1")
    with pytest.raises(EnvironmentFault) as fault:
        debian.install_packages(["one", "two"], machine.log, lambda _: None)
    assert str(fault.value) == (
        "`one`, `two` cannot be installed: expected root, or `sudo` without a password\n"
        "hint: `sudo apt-get install -y --no-install-recommends one two`"
    )
    assert machine.asked() == []


PACKAGED = TOML.replace('kind = "none"', 'kind = "apt"\npackages = ["nowhere"]')


def test_only_an_installation_that_may_touch_the_system_does(
    make_server: MakeServer, machine: Machine
) -> None:
    server = make_server(toml=PACKAGED)
    with pytest.raises(EnvironmentFault) as fault:
        install(server)
    assert fault.value.message == "`nowhere` not installed: `mine` needs it"
    assert machine.asked() == []
    machine.has("dpkg-query.new", 'printf "nowhere ii \\n"')
    machine.apt_get(f"mv {machine.programs}/dpkg-query.new {machine.programs}/dpkg-query")
    assert install(server, system=True).version == "1.2.3"
    assert f"{INSTALL} nowhere" in machine.asked()


def test_a_package_that_apt_installs_and_dpkg_does_not_know_is_told(
    make_server: MakeServer, machine: Machine
) -> None:
    with pytest.raises(EnvironmentFault, match="`nowhere` not installed: `mine` needs it"):
        install(make_server(toml=PACKAGED), system=True)


def test_a_program_that_is_missing_brings_its_package_where_that_is_known(
    make_server: MakeServer, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(debian._PACKAGES_OF_PROGRAMS, "no-such-tool", "tool-package")
    toml = TOML.replace(
        'kind = "none"', 'kind = "none"\ntools = ["no-such-tool", "no-other", "sh"]'
    )
    assert missing_packages(make_server(toml=toml)) == ["tool-package"]


def test_a_dry_run_tells_the_packages_first(make_server: MakeServer, machine: Machine) -> None:
    told: list[str] = []
    toml = PACKAGED.replace("[version]", 'unpack = ["rabbitmq-server"]\n[version]')
    install(make_server(toml=toml), dry_run=True, report=told.append)
    assert told[0] == "sudo apt-get install -y --no-install-recommends nowhere"
    assert told[1].startswith("sh -c mkdir -p ")
    assert told[1].endswith("/unpacked rabbitmq-server")
    assert machine.asked() == []


def test_packages_are_unpacked_without_being_installed(
    make_server: MakeServer, machine: Machine
) -> None:
    machine.has("dpkg-deb", 'test -f "$2" && mkdir -p "$3/usr" && touch "$3/usr/$2.unpacked"')
    machine.apt_get('test "$1" = download && touch "$3_1.0_all.deb"')
    toml = TOML.replace('kind = "none"', 'kind = "none"\nunpack = ["rabbitmq-server"]')
    done = install(make_server(toml=toml))
    unpacked = sorted(file.name for file in done.unpacked.rglob("*") if file.is_file())
    assert unpacked == ["rabbitmq-server_1.0_all.deb.unpacked"]


def test_a_variable_that_is_not_set_is_one_clear_line(
    make_server: MakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MINE_LIBS", raising=False)
    toml = TOML.replace('kind = "none"', 'kind = "none"\nneeds = { MINE_LIBS = "the beams" }')
    server = make_server(toml=toml)
    with pytest.raises(EnvironmentFault) as fault:
        install(server)
    assert fault.value.message == (
        "`mine` needs an environment variable that is not set: `MINE_LIBS` must hold the beams"
    )
    monkeypatch.setenv("MINE_LIBS", "/one")
    first = install(server)
    monkeypatch.setenv("MINE_LIBS", "/two")
    assert install(server).prefix != first.prefix
