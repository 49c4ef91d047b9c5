"""A fact is read from the machine, and doubts it where it makes numbers doubtful."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from httpdyno.host.activity import activity, load_average
from httpdyno.host.facts import machine_facts
from httpdyno.host.machine import Machine

QUIET = {
    "proc/cpuinfo": "processor : 0\nmodel name : Slide Rule 3000\nflags : fpu tsc\n",
    "proc/meminfo": "MemTotal:       8388608 kB\n",
    "proc/stat": "cpu  1000 0 1000 8000 0 0 0 0 0 0\ncpu0 1 1 1 1\n",
    "proc/loadavg": "0.01 0.02 0.03 1/100 1234\n",
    "proc/sys/net/ipv4/ip_local_port_range": "10000\t65535\n",
    "proc/sys/net/ipv4/tcp_tw_reuse": "2\n",
    "proc/sys/net/core/somaxconn": "4096\n",
    "etc/os-release": 'NAME="X"\nPRETTY_NAME="Exemplary GNU/Linux 1"\n',
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance\n",
    "sys/devices/system/cpu/intel_pstate/no_turbo": "1\n",
    "sys/devices/system/cpu/smt/active": "0\n",
    "sys/devices/system/cpu/cpuidle/current_driver": "intel_idle\n",
    "dev/cpu_dma_latency": "",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
}


def facts_of(root: Path, files: dict[str, str]) -> dict[str, tuple[str, str | None]]:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return {fact.label: (fact.value, fact.doubt) for fact in machine_facts(Machine(root))}


@pytest.mark.parametrize("garbage", ["garbage", "x y z " * 9, "-1 cpu0 \x00", "\n", "9" * 5000])
def test_a_file_that_no_kernel_wrote_has_no_facts(garbage: str, tmp_path: Path) -> None:
    facts_of(tmp_path, dict.fromkeys(QUIET, garbage))
    assert load_average(Machine(tmp_path)) in (None, -1.0, float("inf"))
    activity(Machine(tmp_path), "eth0")


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("processor", "Slide Rule 3000"),
        ("memory", "8.00 GiB"),
        ("operating system", "Exemplary GNU/Linux 1"),
        ("frequency governor", "performance"),
        ("turbo", "off"),
        ("idle driver", "intel_idle"),
        ("shallow idle states", "allowed"),
        ("transparent huge pages", "madvise"),
        ("clock source", "tsc"),
        ("time stolen by the host", "0.00% since boot"),
        ("local ports", "10000 to 65535"),
        ("TIME_WAIT reuse", "on for loopback"),
        ("accept queue limit", "4096"),
        ("load average at the start", "0.01 0.02 0.03"),
    ],
)
def test_a_quiet_machine_has_its_facts_and_no_doubts(
    label: str, value: str, tmp_path: Path
) -> None:
    assert facts_of(tmp_path, QUIET)[label] == (value, None)


@pytest.mark.parametrize(
    ("path", "text", "label", "doubt"),
    [
        ("sys/devices/system/cpu/smt/active", "1", "SMT", "share a physical one"),
        (
            "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
            "powersave",
            "frequency governor",
            "cpupower frequency-set -g performance",
        ),
        ("sys/devices/system/cpu/intel_pstate/no_turbo", "0", "turbo", "turn turbo off"),
        (
            "sys/devices/system/clocksource/clocksource0/current_clocksource",
            "hpet",
            "clock source",
            "reading `hpet` takes a system call",
        ),
        ("proc/cpuinfo", "flags : fpu hypervisor\n", "virtual machine", "results of the same run"),
        (
            "proc/stat",
            "cpu  1000 0 1000 7000 0 0 0 1000 0 0\n",
            "time stolen by the host",
            "the host took 10.0%, more than 1%",
        ),
        ("sys/fs/cgroup/cpu.max", "50000 100000", "CPU quota", "an exhausted quota pauses"),
        (
            "proc/sys/net/ipv4/ip_local_port_range",
            "50000 51000",
            "local ports",
            "1,001 local ports, expected at least 20,000",
        ),
        ("proc/sys/net/ipv4/tcp_tw_reuse", "0", "TIME_WAIT reuse", "tcp_tw_reuse=2"),
        ("proc/sys/net/core/somaxconn", "128", "accept queue limit", "holds 128 connections"),
        (
            "proc/loadavg",
            "99.00 1.00 1.00 1/1 1",
            "load average at the start",
            "other programs were running in the last minute, or still are",
        ),
    ],
)
def test_what_makes_results_less_reliable_raises_a_doubt_with_what_to_do(
    path: str, text: str, label: str, doubt: str, tmp_path: Path
) -> None:
    _, said = facts_of(tmp_path, {**QUIET, path: text})[label]
    assert said is not None
    assert doubt in said


def test_a_machine_without_readable_files_still_has_facts(tmp_path: Path) -> None:
    labels = [fact.label for fact in machine_facts(Machine(tmp_path))]
    always = {"processor", "cores", "kernel", "Python", "httpdyno", "open files"}
    assert set(labels) == always | {"shallow idle states", "real-time priority"}


def test_each_fact_of_this_machine_is_given_once() -> None:
    labels = [fact.label for fact in machine_facts()]
    assert len(labels) == len(set(labels))
    assert "memory" in labels


def test_a_machine_says_what_it_does_not_allow_against_late_wake_ups(tmp_path: Path) -> None:
    files = {path: text for path, text in QUIET.items() if "dma" not in path}
    value, doubt = facts_of(tmp_path, files)["shallow idle states"]
    assert value == "not allowed: No such file or directory (`/dev/cpu_dma_latency`)"
    assert doubt is None


def test_asking_for_real_time_priority_leaves_this_thread_as_it_is(tmp_path: Path) -> None:
    before = os.sched_getscheduler(0)
    value, _doubt = facts_of(tmp_path, QUIET)["real-time priority"]
    assert value in ("allowed", "not allowed: Operation not permitted")
    assert os.sched_getscheduler(0) == before
