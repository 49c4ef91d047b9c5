"""Several machines on this one: network namespaces, joined by switches for load and for control.

Every machine has an address on each switch and no other way out. Links can be cut, restored and
slowed down. The namespaces' names carry the process that made them, so that those of a killed
process are found and taken down by the next one.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

COORDINATOR, GENERATOR_1, GENERATOR_2, SERVER = (
    "coordinator",
    "generator-1",
    "generator-2",
    "server",
)
NUMBERS = {COORDINATOR: 1, GENERATOR_1: 2, GENERATOR_2: 3, SERVER: 9}
"""The last number of a machine's addresses. They are those of the guides."""
LINKS = {"load": "10.0.0", "control": "10.0.1"}
IPV6 = {"load": "fd00", "control": "fd00:0:1"}
"""The network of each link."""
SLOW_WIRE = Path(__file__).with_name("slow_wire.py")
_PREFIX = "httpdyno-test-"
_NUMBERS = itertools.count()


class Namespaces:
    """A context manager: the machines exist inside it. Skips the test where they are forbidden."""

    def __init__(self, machines: Sequence[str] = tuple(NUMBERS)) -> None:
        self.machines = tuple(machines)
        self._name = f"{_PREFIX}{os.getpid()}-{next(_NUMBERS)}"
        self._switch = f"{self._name}-switch"
        self.cuts: set[str] = set()
        """The machines that have lost a link."""
        self._started: list[subprocess.Popen[str]] = []
        self._wires: dict[tuple[str, str], subprocess.Popen[str]] = {}

    def __enter__(self) -> Namespaces:
        if why := _forbidden():
            pytest.skip(why)
        take_down_stale()
        try:
            self._build()
        except subprocess.CalledProcessError as failed:
            self.__exit__(None, None, None)
            pytest.skip(f"network namespaces are forbidden here: {failed.stderr.strip()}")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _take_down([name for name in _namespaces() if name.startswith(f"{self._name}-")])
        for process in (*self._started, *self._wires.values()):
            _closed(process)

    def address(self, machine: str, link: str = "load") -> str:
        """The address of a machine on a link."""
        return f"{LINKS[link]}.{NUMBERS[machine]}"

    def ipv6_address(self, machine: str, link: str = "load") -> str:
        """The IPv6 address of a machine on a link. Skips the test where there is none."""
        if not Path("/proc/net/if_inet6").exists():
            pytest.skip("this machine has no IPv6")
        return f"{IPV6[link]}::{NUMBERS[machine]}"

    def command(self, machine: str, argv: Sequence[str]) -> list[str]:
        """The command that runs `argv` on a machine. The process of `ip` becomes that of `argv`."""
        return ["ip", "netns", "exec", self._namespace(machine), *argv]

    def run(
        self, machine: str, argv: Sequence[str], **options: Any
    ) -> subprocess.CompletedProcess[str]:
        """Run a program on a machine to its end."""
        command = self.command(machine, argv)
        options = {"capture_output": True, "text": True} | options
        return subprocess.run(command, check=False, **options)

    def start(self, machine: str, argv: Sequence[str], **options: Any) -> subprocess.Popen[str]:
        """Start a program on a machine; it is killed with the machine."""
        options = {"stdin": subprocess.DEVNULL, "text": True} | options
        process = subprocess.Popen(self.command(machine, argv), **options)
        self._started.append(process)
        return process

    def processes(self, machine: str) -> list[int]:
        """The processes that run on a machine."""
        return _processes(self._namespace(machine))

    def cut(self, machine: str, *links: str) -> None:
        """Cut links of a machine (default: all), as if their cables were pulled."""
        self.cuts.add(machine)
        for link in links or LINKS:
            self._in_switch(f"link set {self._port(machine, link)} down")

    def restore(self, machine: str, *links: str) -> None:
        """Restore links of a machine (default: all)."""
        self.cuts.discard(machine)
        for link in links or LINKS:
            self._in_switch(f"link set {self._port(machine, link)} up")

    def delay(
        self,
        machine: str,
        ms: float,
        loss: float = 0.0,
        link: str = "load",
        bits_per_s: float = 0.0,
    ) -> None:
        """Delay every packet from and to a machine, lose a share of them, and limit their rate in
        each direction; zeros end that.

        Many kernels are built without netem. A process that passes packets on later works on all.
        """
        if not Path("/dev/net/tun").exists():
            pytest.skip("this machine has no `/dev/net/tun`")
        port, wire = self._port(machine, link), f"w{self._port(machine, link)}"
        if (link_process := self._wires.pop((machine, link), None)) is not None:
            self._in_switch(f"link set {port} master {link}", f"link delete {wire}")
            link_process.kill()
            _closed(link_process)
        if not (ms or loss or bits_per_s):
            return
        taps = [f"a{wire}", f"b{wire}"]
        script = [sys.executable, str(SLOW_WIRE), *taps, str(ms), str(loss), str(bits_per_s)]
        process = subprocess.Popen(
            ["ip", "netns", "exec", self._switch, *script], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        self._wires[machine, link] = process
        self._in_switch(
            f"link add {wire} type bridge",
            f"link set {wire} up",
            f"link set {taps[0]} master {wire} up",
            f"link set {taps[1]} master {link} up",
            f"link set {port} master {wire}",
        )

    def _build(self) -> None:
        for name in (self._switch, *map(self._namespace, self.machines)):
            _ip("netns", "add", name)
        for link in LINKS:
            self._in_switch(f"link add {link} type bridge", f"link set {link} up")
        for machine in self.machines:
            inside = ["link set lo up"]
            for link in LINKS:
                port = self._port(machine, link)
                self._in_switch(
                    f"link add {port} type veth peer name {link} netns {self._namespace(machine)}",
                    f"link set {port} master {link} up",
                )
                inside += [
                    f"address add {self.address(machine, link)}/24 dev {link}",
                    f"link set {link} up",
                ]
                if Path("/proc/net/if_inet6").exists():
                    address = self.ipv6_address(machine, link)
                    inside.append(f"address add {address}/64 dev {link} nodad")
            _batch(self._namespace(machine), inside)

    def _in_switch(self, *lines: str) -> None:
        _batch(self._switch, lines)

    def _namespace(self, machine: str) -> str:
        return f"{self._name}-{machine}"

    def _port(self, machine: str, link: str) -> str:
        """The end of a link at the switch."""
        return f"{link}{NUMBERS[machine]}"


def take_down_stale() -> None:
    """Take down the machines of processes that exist no more."""
    stale = []
    for name in _namespaces():
        pid = name.removeprefix(_PREFIX).partition("-")[0]
        if name.startswith(_PREFIX) and pid.isdigit() and not Path("/proc", pid).exists():
            stale.append(name)
    _take_down(stale)


def _forbidden() -> str | None:
    if shutil.which("ip") is None:
        return "`ip` is not installed (apt-get install iproute2)"
    if os.geteuid() != 0:
        return "network namespaces need root"
    return None


def _take_down(names: Sequence[str]) -> None:
    """Kill what runs in these namespaces, and delete them."""
    for name in names:
        while living := _processes(name):
            for pid in living:
                _kill(pid)
            time.sleep(0.01)
        # Another process may be taking down the same stale one.
        subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)


def _processes(namespace: str) -> list[int]:
    """The processes of a namespace that have not ended."""
    listed = subprocess.run(
        ["ip", "netns", "pids", namespace], capture_output=True, text=True, check=False
    )
    return [pid for pid in map(int, listed.stdout.split()) if is_alive(pid)]


def is_alive(pid: int) -> bool:
    """True if a process has not ended. One that nobody has waited for yet has."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _closed(process: subprocess.Popen[str]) -> None:
    """Wait for a process that was killed, and close what is left of its pipes."""
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(BrokenPipeError):
                pipe.close()


def _namespaces() -> list[str]:
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=False)
    return [line.split()[0] for line in listed.stdout.splitlines() if line.strip()]


def _batch(namespace: str, lines: Sequence[str]) -> None:
    _ip("-n", namespace, "-batch", "-", text="\n".join(lines) + "\n")


def _ip(*arguments: str, text: str | None = None) -> None:
    subprocess.run(["ip", *arguments], input=text, capture_output=True, text=True, check=True)
