"""Each finding says what it means, and proposes only what helps this user on this machine."""

from __future__ import annotations

import os
import re
import resource
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from httpdyno.host.doctor import Finding, examine, other_programs
from httpdyno.host.doctor.place import Container, Place, place_of
from httpdyno.host.doctor.sending import loopback
from httpdyno.host.machine import Machine

DENIED = "io_uring: Operation not permitted (os error 1)"
SYSCTL = "proc/sys/kernel"
NEW = {f"{SYSCTL}/osrelease": "6.12.1-generic\n"}
Files = Mapping[str, str]


def examined(root: Path, files: Files, uring: str | None = None) -> dict[str, Finding]:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return {one.name: one for one in examine(Machine(root), uring, None)}


@pytest.fixture(autouse=True)
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("httpdyno.host.doctor.other_programs.SAMPLE_S", 0.0)


@pytest.fixture
def user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)


@pytest.fixture
def root_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)


@pytest.mark.usefixtures("user")
@pytest.mark.parametrize(
    ("files", "value", "remedy"),
    [
        (
            {f"{SYSCTL}/io_uring_disabled": "2\n"},
            "turned off for all users",
            "sudo sysctl kernel.io_uring_disabled=0",
        ),
        (
            {f"{SYSCTL}/io_uring_disabled": "1\n"},
            "for root only",
            "sudo sysctl kernel.io_uring_disabled=0",
        ),
        ({f"{SYSCTL}/osrelease": "5.15.0-91-generic"}, "Linux 5.15.0-91-generic is too old", None),
        (
            {**NEW, "proc/self/status": "Name: x\nSeccomp:\t2\n", ".dockerenv": ""},
            "seccomp filter",
            "docker run --security-opt seccomp=unconfined",
        ),
        (
            {**NEW, "proc/self/status": "Name: x\nSeccomp:\t2\n", "run/.containerenv": ""},
            "seccomp filter",
            "podman run --security-opt seccomp=unconfined",
        ),
        ({**NEW, "proc/self/status": "Seccomp:\t2\n"}, "seccomp filter", None),
        ({**NEW, "proc/self/status": "Seccomp:\t0\n"}, f"unavailable ({DENIED})", None),
    ],
)
def test_a_refusal_of_io_uring_has_its_cause(
    files: Files, value: str, remedy: str | None, tmp_path: Path
) -> None:
    found = examined(tmp_path, files, DENIED)["io_uring"]
    assert found.state == "limited"
    assert value in found.value
    assert found.remedy == remedy
    assert "ceiling is lower" in found.meaning


def test_no_driver_at_all_fails(tmp_path: Path) -> None:
    found = next(iter(examine(Machine(tmp_path), DENIED, "epoll: too old")))
    assert (found.name, found.state) == ("io_uring", "fails")
    assert "epoll: too old" in found.value


POOR = {
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave",
    "sys/devices/system/cpu/cpuidle/current_driver": "intel_idle",
    "dev/cpu_dma_latency": "",
    "proc/sys/net/ipv4/ip_local_port_range": "50000 51000",
    "proc/sys/net/ipv4/tcp_tw_reuse": "0",
    "proc/sys/net/core/somaxconn": "128",
    f"{SYSCTL}/perf_event_paranoid": "3",
    f"{SYSCTL}/io_uring_disabled": "2",
    "sys/fs/cgroup/cpu.max": "150000 100000",
    "proc/stat": "cpu  1 0 1 7 0 0 0 1\n",
}


def remedies(root: Path, monkeypatch: pytest.MonkeyPatch, files: Files) -> dict[str, str | None]:
    refused = PermissionError(1, "Operation not permitted")
    monkeypatch.setattr("httpdyno.host.facts._real_time_refused", lambda: refused)
    monkeypatch.setattr("httpdyno.host.facts.FEWEST_FILES", 1 << 40)
    monkeypatch.setattr(Machine, "opens_for_writing", lambda *_: refused)
    found = examined(root, files, DENIED)
    poor = {name for name, one in found.items() if one.state == "limited"}
    assert poor >= {*ALL, "container"}
    return {name: one.remedy for name, one in found.items()}


ALL = {
    "TIME_WAIT reuse": "sysctl net.ipv4.tcp_tw_reuse=2",
    "accept queue limit": "sysctl net.core.somaxconn=4096",
    "frequency governor": "cpupower frequency-set -g performance",
    "io_uring": "sysctl kernel.io_uring_disabled=0",
    "local ports": "sysctl net.ipv4.ip_local_port_range='10000 65535'",
    "open files": "prlimit --nofile=65536:65536 --pid $$",
    "perf": "sysctl kernel.perf_event_paranoid=2",
    "real-time priority": "prlimit --rtprio=1:1 --pid $$",
    "shallow idle states": 'chown "$USER" /dev/cpu_dma_latency',
}
"""The command for each finding."""


@pytest.mark.usefixtures("user")
def test_a_user_gets_each_command_with_sudo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = remedies(tmp_path, monkeypatch, POOR)
    assert {name: found[name] for name in ALL} == {k: f"sudo {v}" for k, v in ALL.items()}
    assert found["container"] is None


@pytest.mark.usefixtures("root_user")
def test_root_gets_them_without_and_none_that_root_does_not_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = PermissionError(1, "Operation not permitted")
    monkeypatch.setattr("httpdyno.host.facts._real_time_refused", lambda: refused)
    found = examined(tmp_path, POOR, DENIED)
    assert found["local ports"].remedy == ALL["local ports"]
    assert found["real-time priority"].remedy is None
    assert found["perf"].state == "ok"


@pytest.mark.usefixtures("user")
def test_in_docker_a_limit_is_a_flag_of_its_start_and_a_setting_is_one_of_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = remedies(tmp_path, monkeypatch, {**POOR, ".dockerenv": ""})
    assert found["open files"] == "docker run --ulimit nofile=65536:65536"
    assert found["real-time priority"] == "docker run --ulimit rtprio=1"
    assert found["shallow idle states"] == "docker run --user root --device /dev/cpu_dma_latency"
    assert found["container"] == "docker run --cpuset-cpus 0,1"
    setting = "net.ipv4.ip_local_port_range='10000 65535'"
    assert found["local ports"] == f"docker run --sysctl {setting}"
    governor = examined(tmp_path, POOR)["frequency governor"]
    assert governor.where == "on the host of this container"


@pytest.mark.usefixtures("user")
def test_in_another_container_no_command_is_made_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {**POOR, "proc/1/cgroup": "0::/kubepods/pod1\n"}
    found = remedies(tmp_path, monkeypatch, files)
    assert found["open files"] is None
    where = examined(tmp_path, files)["real-time priority"].where
    assert where == "when you start this container, set what `docker run --ulimit rtprio=1` sets"


def test_the_settings_are_those_of_the_kernel_and_the_programs_take_the_options() -> None:
    for command in ALL.values():
        program, *words = shlex.split(command)
        if program == "sysctl":
            assert Path("/proc/sys", *words[0].partition("=")[0].split(".")).exists(), command
        elif program == "prlimit" and shutil.which("prlimit"):
            limit = {"nofile": resource.RLIMIT_NOFILE, "rtprio": resource.RLIMIT_RTPRIO}
            kind = words[0].removeprefix("--").partition("=")[0]
            as_it_is = "{}:{}".format(*resource.getrlimit(limit[kind])).replace("-1", "unlimited")
            harmless = re.sub(r"=\S+", f"={as_it_is}", command, count=1)
            subprocess.run(["bash", "-c", harmless], check=True)
        else:
            subprocess.run(["bash", "-n", "-c", command], check=True)


def test_a_machine_without_any_file_still_has_findings_and_none_fails(tmp_path: Path) -> None:
    found = examined(tmp_path, {})
    assert {one.state for one in found.values()} <= {"ok", "limited", "unknown"}
    assert found["neighbours"].state == found["local ports"].state == "unknown"


def test_nonsense_in_the_files_of_the_kernel_stops_nothing(tmp_path: Path) -> None:
    nonsense = "\x1b]0;x\x07 -1 \u202e é ( ) 9\n" * 3
    outside = ("proc/sys/net", "proc/stat")  # numbers that only the kernel writes
    files = {path: nonsense for path in POOR if not path.startswith(outside)}
    named = {f"proc/{name}": nonsense for name in ("self/status", "self/cgroup", "12/stat")}
    found = examined(tmp_path, {**files, **named}, DENIED)
    assert found["perf"].state == "unknown"


def test_other_programs_are_named_with_the_processors_they_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def clock(ticks: int, name: str) -> None:
        (tmp_path / "proc" / "77").mkdir(parents=True, exist_ok=True)
        idle = 1000 - ticks
        stat = f"cpu  0 0 0 0 0 0 0 0\ncpu0 {ticks} 0 0 {idle + ticks} 0 0 0 {ticks // 5}\n"
        (tmp_path / "proc" / "stat").write_text(stat, encoding="utf-8")
        used = f"77 ({name}) R 1 1 1 0 -1 0 0 0 0 0 {ticks} 0 0 0"
        (tmp_path / "proc" / "77" / "stat").write_text(used, encoding="utf-8")

    clock(0, "a) (b")
    monkeypatch.setattr(other_programs, "sleep", lambda _: clock(100, "a) (b"))
    monkeypatch.setattr(other_programs, "available", lambda: [0])
    monkeypatch.setattr("httpdyno.host.activity.monotonic", iter([0.0, 1.0]).__next__)
    busy, stolen = other_programs.neighbours(Machine(tmp_path))
    assert busy.state == stolen.state == "limited"
    assert busy.value == "1.00 of 1 processor in use (a) (b[77] 1.00)"


def test_the_place_is_that_of_this_process(tmp_path: Path) -> None:
    assert place_of(Machine(tmp_path)) == Place(os.geteuid() == 0)


@pytest.mark.parametrize(
    ("container", "where"),
    [
        (None, None),
        ("docker", "in a container that was started with `docker run --cap-add NET_ADMIN`"),
    ],
)
def test_a_loopback_device_that_is_down_is_set_up_where_it_is(
    container: Container | None, where: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(_: object) -> None:
        raise OSError(101, "Network is unreachable")

    monkeypatch.setattr("socket.create_server", unreachable)
    found = loopback(Place(root=True, container=container))
    assert (found.state, found.remedy, found.where) == ("fails", "ip link set lo up", where)


def test_what_is_allowed_is_said_to_help_only_the_runs_that_ask_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("httpdyno.host.facts._real_time_refused", lambda: None)
    monkeypatch.setattr(Machine, "opens_for_writing", lambda *_: None)
    found = examined(tmp_path, {})
    for name in ("real-time priority", "shallow idle states"):
        assert found[name].state == "ok"
        assert found[name].meaning.startswith("`load --low-latency` and studies use it: ")
