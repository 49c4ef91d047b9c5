"""Facts about the machine, some with a doubt: a reason why it makes results less reliable.

A doubt gives the number, the threshold and what to do (as pyperf does). Nothing here changes the
machine.
"""

from __future__ import annotations

import os
import platform
import resource
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from httpdyno import __version__
from httpdyno.host.activity import load_average
from httpdyno.host.cgroups import cpu_quota
from httpdyno.host.machine import Machine
from httpdyno.result import Fact
from httpdyno.units import size

STEAL_SHARE = 0.01
LOAD_PER_CORE = 0.25
FEWEST_FILES = 4096
FEWEST_PORTS = 20_000
FEWEST_BACKLOG = 1024
FAST_CLOCKS = {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"}


LOAD_AT_START = "load average at the start"


def machine_facts(machine: Machine | None = None) -> list[Fact]:
    """Every fact that can be read here, in the order of the report's table."""
    read_from = machine or Machine()
    return [fact for question in QUESTIONS for fact in _answers(question, read_from)]


def _answers(question: Callable[[Machine], Iterator[Fact]], machine: Machine) -> Iterator[Fact]:
    """The facts before the first file that is not as the kernel writes it."""
    with suppress(ValueError, IndexError):
        yield from question(machine)


def _processor(machine: Machine) -> Iterator[Fact]:
    model = machine.field("proc/cpuinfo", "model name") or platform.processor()
    yield Fact(label="processor", value=model or platform.machine())
    available, total = len(os.sched_getaffinity(0)), os.cpu_count() or 1
    alone = (
        "server and generator share the only core: compare ratios only, or use two or more cores"
    )
    yield Fact(
        label="cores",
        value=f"{available} of {total} available",
        doubt=alone if available < 2 else None,
    )
    if machine.text("sys/devices/system/cpu/smt/active") == "1":
        yield Fact(
            label="SMT",
            value="on",
            doubt="two logical cores share a physical one: pin server and generator apart, "
            "or `echo off > /sys/devices/system/cpu/smt/control`",
        )


def _frequency(machine: Machine) -> Iterator[Fact]:
    governor = machine.text("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    if governor:
        slow = (
            "the clock speed follows the load: expected `performance`, which "
            "`cpupower frequency-set -g performance` sets"
        )
        doubt = None if governor == "performance" else slow
        yield Fact(label="frequency governor", value=governor, doubt=doubt)
    no_turbo = machine.text("sys/devices/system/cpu/intel_pstate/no_turbo")
    boost = machine.text("sys/devices/system/cpu/cpufreq/boost")
    if no_turbo is not None or boost is not None:
        on = no_turbo == "0" or boost == "1"
        hot = "the clock speed depends on the temperature: run more blocks, or turn turbo off"
        yield Fact(label="turbo", value="on" if on else "off", doubt=hot if on else None)


def _wake_ups(machine: Machine) -> Iterator[Fact]:
    """The engine's means against late wake-ups; each measurement records which ones it used."""
    driver = machine.text("sys/devices/system/cpu/cpuidle/current_driver")
    if driver:
        yield Fact(label="idle driver", value=driver)
    refused = machine.opens_for_writing("dev/cpu_dma_latency")
    yield Fact(label="shallow idle states", value=_permission(refused, "/dev/cpu_dma_latency"))
    yield Fact(label="real-time priority", value=_permission(_real_time_refused()))


def _real_time_refused() -> OSError | None:
    """Try it on a thread of its own, which ends with the trial."""
    with ThreadPoolExecutor(1) as pool:
        lowest = os.sched_param(os.sched_get_priority_min(os.SCHED_FIFO))
        error = pool.submit(os.sched_setscheduler, 0, os.SCHED_FIFO, lowest).exception()
    return error if isinstance(error, OSError) else None


def _permission(refused: OSError | None, path: str | None = None) -> str:
    if refused is None:
        return "allowed"
    subject = f" (`{path}`)" if path else ""
    return f"not allowed: {refused.strerror}{subject}"


def _memory(machine: Machine) -> Iterator[Fact]:
    kibibytes = (machine.field("proc/meminfo", "MemTotal") or "").split()
    if kibibytes:
        yield Fact(label="memory", value=size(int(kibibytes[0]) * 1024))
    pages = machine.text("sys/kernel/mm/transparent_hugepage/enabled")
    if pages:
        chosen = pages.partition("[")[2].partition("]")[0]
        yield Fact(label="transparent huge pages", value=chosen)


def _system(machine: Machine) -> Iterator[Fact]:
    yield Fact(label="kernel", value=f"{platform.system()} {platform.release()}")
    name = machine.field("etc/os-release", "PRETTY_NAME")
    if name:
        yield Fact(label="operating system", value=name)
    clock = machine.text("sys/devices/system/clocksource/clocksource0/current_clocksource")
    if clock:
        slow = f"reading `{clock}` takes a system call, which slows the generator: expected `tsc`"
        doubt = None if clock in FAST_CLOCKS else slow
        yield Fact(label="clock source", value=clock, doubt=doubt)
    yield Fact(label="Python", value=platform.python_version())
    yield Fact(label="httpdyno", value=__version__)


def _virtual(machine: Machine) -> Iterator[Fact]:
    flags = (machine.field("proc/cpuinfo", "flags") or "").split()
    product = machine.text("sys/class/dmi/id/product_name")
    if "hypervisor" in flags or machine.exists("sys/hypervisor/type"):
        yield Fact(
            label="virtual machine",
            value=product or "yes",
            doubt="other machines on the host take CPU time: compare only results of the same run",
        )
    first = (machine.text("proc/stat") or "").split("\n", 1)[0]
    times = [int(word) for word in first.split()[1:9]]
    total = sum(times)
    if len(times) == 8 and total:
        share = times[7] / total
        stolen = f"the host took {share:.1%}, more than {STEAL_SHARE:.0%}: use a quieter host"
        doubt = stolen if share > STEAL_SHARE else None
        yield Fact(label="time stolen by the host", value=f"{share:.2%} since boot", doubt=doubt)


def _limits(machine: Machine) -> Iterator[Fact]:
    if machine.exists(".dockerenv") or machine.exists("run/.containerenv"):
        yield Fact(label="container", value="yes")
    cores = cpu_quota(machine)
    if cores is not None:
        yield Fact(
            label="CPU quota",
            value=f"{cores:g} cores",
            doubt="an exhausted quota pauses every thread: use `docker run --cpuset-cpus` instead",
        )
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    few = f"{hard:,} open files, expected at least {FEWEST_FILES:,}: as root, `ulimit -Hn 65536`"
    yield Fact(
        label="open files",
        value=f"{soft:,} (at most {hard:,})",
        doubt=few if hard < FEWEST_FILES else None,
    )


def _network(machine: Machine) -> Iterator[Fact]:
    ports = (machine.text("proc/sys/net/ipv4/ip_local_port_range") or "").split()
    if len(ports) == 2:
        count = int(ports[1]) - int(ports[0]) + 1
        few = (
            f"{count:,} local ports, expected at least {FEWEST_PORTS:,}: loads without keep-alive "
            "run out; `sysctl net.ipv4.ip_local_port_range='10000 65535'`"
        )
        doubt = few if count < FEWEST_PORTS else None
        yield Fact(label="local ports", value=f"{ports[0]} to {ports[1]}", doubt=doubt)
    reuse = machine.text("proc/sys/net/ipv4/tcp_tw_reuse")
    if reuse is not None:
        meaning = {"0": "off", "1": "on", "2": "on for loopback"}
        off = "ports stay taken for 60 s after a connection: `sysctl net.ipv4.tcp_tw_reuse=2`"
        doubt = off if reuse == "0" else None
        yield Fact(label="TIME_WAIT reuse", value=meaning.get(reuse, reuse), doubt=doubt)
    backlog = machine.text("proc/sys/net/core/somaxconn")
    if backlog is not None:
        short = (
            f"an accept queue holds {backlog} connections, expected at least {FEWEST_BACKLOG}: "
            "`sysctl net.core.somaxconn=4096`"
        )
        doubt = short if int(backlog) < FEWEST_BACKLOG else None
        yield Fact(label="accept queue limit", value=backlog, doubt=doubt)


def _load_average(machine: Machine) -> Iterator[Fact]:
    load, average = (machine.text("proc/loadavg") or "").split(), load_average(machine)
    if average is None:
        return
    limit = LOAD_PER_CORE * len(os.sched_getaffinity(0))
    busy = (
        f"{load[0]}, expected at most {limit:g}: other programs were running in the last minute, or"
        " still are; `httpdyno doctor` names those"
    )
    doubt = busy if average > limit else None
    yield Fact(label=LOAD_AT_START, value=" ".join(load[:3]), doubt=doubt)


QUESTIONS: tuple[Callable[[Machine], Iterator[Fact]], ...] = (
    _processor,
    _frequency,
    _wake_ups,
    _memory,
    _system,
    _virtual,
    _limits,
    _network,
    _load_average,
)
