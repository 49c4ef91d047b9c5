"""The means of the engine and of its user that need a permission."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from httpdyno.host.doctor.finding import Finding
from httpdyno.host.doctor.place import Place, Remedy
from httpdyno.host.machine import Machine
from httpdyno.result import Fact

__all__ = ["permissions"]

_LATENCY_FILE = "/dev/cpu_dma_latency"
_PARANOID = "sys/kernel/perf_event_paranoid"
_USERS = "`load --low-latency` and studies use it"
_OWN_PROCESSES = 2
"""The highest value of the setting at which a user may sample the own processes."""


def permissions(machine: Machine, facts: Mapping[str, Fact], place: Place) -> Iterator[Finding]:
    """Real-time priority, shallow idle states and perf. `facts`: those of the machine, by label."""
    yield _real_time(facts["real-time priority"].value, place)
    yield _shallow_idle(facts["shallow idle states"].value, machine, place)
    yield _perf(machine, place)


def _real_time(value: str, place: Place) -> Finding:
    name = "real-time priority"
    if value == "allowed":
        return Finding(name, value, "ok", f"{_USERS}: other programs then do not delay what is due")
    late = "a busy processor sends requests late, by up to some milliseconds"
    if place.container:
        remedy = place.start("--ulimit rtprio=1")
    elif place.root:
        remedy = Remedy(None)
    else:
        remedy = Remedy("sudo prlimit --rtprio=1:1 --pid $$", "for this shell")
    return Finding(name, value, "limited", late, *remedy)


def _shallow_idle(value: str, machine: Machine, place: Place) -> Finding:
    name = "shallow idle states"
    if value == "allowed":
        awake = f"{_USERS}: no processor then sleeps deeply while a load is paced"
        return Finding(name, value, "ok", awake)
    driver = machine.text("sys/devices/system/cpu/cpuidle/current_driver")
    if driver in (None, "none"):
        return Finding(name, value, "ok", "no effect here: this machine has no idle states")
    late = "an idle processor wakes up late, by up to some hundred microseconds"
    if place.container:
        user = "" if place.root else "--user root "  # the device is root's there, too
        remedy = place.start(f"{user}--device {_LATENCY_FILE}")
    elif place.root or not machine.exists(_LATENCY_FILE[1:]):
        remedy = Remedy(None)
    else:
        remedy = Remedy(f'sudo chown "$USER" {_LATENCY_FILE}', "until the next boot")
    return Finding(name, value, "limited", late, *remedy)


def _perf(machine: Machine, place: Place) -> Finding:
    setting = machine.text(f"proc/{_PARANOID}") or ""
    if not setting.lstrip("-").isdecimal():
        no_file = f"`/proc/{_PARANOID}` cannot be read"
        return Finding("perf", "unknown", "unknown", f"{no_file}; no effect on results")
    value = f"perf_event_paranoid is {setting}"
    if place.root or int(setting) <= _OWN_PROCESSES:
        profile = "`perf record` can show where a server spends its time"
        return Finding("perf", value, "ok", profile)
    blind = "results are the same; `perf record` cannot show where a server spends its time"
    remedy = place.setting(f"sysctl kernel.perf_event_paranoid={_OWN_PROCESSES}")
    return Finding("perf", value, "limited", blind, *remedy)
