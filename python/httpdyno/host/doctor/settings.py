"""The processors, and the limits and settings of this machine, from its facts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from httpdyno.host.cgroups import cpu_quota, memory_limit
from httpdyno.host.doctor.finding import Finding
from httpdyno.host.doctor.place import Place, Remedy
from httpdyno.host.facts import LOAD_AT_START
from httpdyno.host.machine import Machine
from httpdyno.host.pinning import available, split
from httpdyno.result import Fact
from httpdyno.units import size

__all__ = ["container", "other_doubts", "processors", "settings"]

_ELSEWHERE = {"cores", "CPU quota", "time stolen by the host", LOAD_AT_START}
"""Facts with a doubt that a finding of its own states: of now, or with more detail."""


def processors(place: Place) -> Finding:
    """The processors of this process, and their split between server and generator."""
    cores, total = available(), os.cpu_count() or 1
    value = f"{len(cores)} of {total}"
    if len(cores) > 1:
        return Finding("processors", value, "ok", split(cores, 1).note)
    shared = "server and generator share the only processor: compare ratios only"
    if total == 1:
        return Finding("processors", value, "limited", f"{shared}, or use a larger machine")
    remedy = (
        place.start("--cpuset-cpus 0,1")
        if place.container
        else Remedy("taskset --cpu-list 0,1 httpdyno run demo", "on two processors")
    )
    return Finding("processors", value, "limited", shared, *remedy)


def settings(facts: Mapping[str, Fact], place: Place) -> Iterator[Finding]:
    """The governor, open files and local ports. `facts`: those of the machine, by label."""
    yield _governor(facts.get("frequency governor"), place)
    yield _open_files(facts["open files"], place)
    yield _local_ports(facts.get("local ports"), place)


def _governor(fact: Fact | None, place: Place) -> Finding:
    name = "frequency governor"
    if fact is None:
        return Finding(name, "not shown", "unknown", "usual in virtual machines: the host decides")
    if fact.doubt is None:
        return Finding(name, fact.value, "ok", "the clock speed does not follow the load")
    slow = "the clock speed follows the load: times at low rates are longer, and vary"
    remedy = place.setting("cpupower frequency-set -g performance")
    return Finding(name, fact.value, "limited", slow, *remedy)


def _open_files(fact: Fact, place: Place) -> Finding:
    raised = "each connection takes one; the engine raises the limit as far as it may"
    if fact.doubt is None:
        return Finding("open files", fact.value, "ok", raised)
    few = "each connection takes one: loads with many connections do not start"
    command = "prlimit --nofile=65536:65536 --pid $$"
    remedy = place.limit(command, "--ulimit nofile=65536:65536", "for this shell")
    return Finding("open files", fact.value, "limited", few, *remedy)


def _local_ports(fact: Fact | None, place: Place) -> Finding:
    if fact is None:
        unread = "`/proc/sys/net/ipv4/ip_local_port_range` cannot be read"
        return Finding("local ports", "unknown", "unknown", unread)
    first, last = fact.value.split(" to ")
    count = f"{int(last) - int(first) + 1:,} connections at a time to one address"
    if fact.doubt is None:
        return Finding("local ports", fact.value, "ok", count)
    setting = "net.ipv4.ip_local_port_range='10000 65535'"
    remedy = place.limit(f"sysctl {setting}", f"--sysctl {setting}")
    few = f"{count}: loads without keep-alive run out"
    return Finding("local ports", fact.value, "limited", few, *remedy)


def container(machine: Machine, place: Place) -> Finding:
    """The container of this process, and the limits of its control groups."""
    quota, memory = cpu_quota(machine), memory_limit(machine)
    limits = [] if memory is None else [f"{size(memory)} of memory"]
    if quota is not None:
        limits.insert(0, f"a quota of {quota:g} processors")
    value = ", ".join([place.container or "none", *limits])
    if quota is None:
        meaning = "no quota pauses the threads"
        return Finding("container", value, "ok", meaning)
    paused = "an exhausted quota pauses every thread, and the times of requests show it"
    remedy = place.start("--cpuset-cpus 0,1") if place.container else Remedy(None)
    return Finding("container", value, "limited", paused, *remedy)


def other_doubts(facts: Mapping[str, Fact], known: set[str], place: Place) -> Iterator[Finding]:
    """The facts with a doubt that no finding of the names `known` states."""
    kept = {
        "TIME_WAIT reuse": "net.ipv4.tcp_tw_reuse=2",
        "accept queue limit": "net.core.somaxconn=4096",
    }
    for label, fact in facts.items():
        if fact.doubt is None or label in known | _ELSEWHERE:
            continue
        setting = kept.get(label)
        remedy = place.limit(f"sysctl {setting}", f"--sysctl {setting}") if setting else ()
        meaning = fact.doubt.partition(": `sysctl ")[0]
        yield Finding(label, fact.value, "limited", meaning, *remedy)
