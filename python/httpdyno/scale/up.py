"""`httpdyno hosts up` and `down`: the whole cluster of a hosts.toml, started by SSH and ended."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress

from httpdyno.errors import EnvironmentFault, NodeFault, UsageError
from httpdyno.scale.cluster import client_of, place_of, workers_of
from httpdyno.scale.hosts_file import Hosts, Machine
from httpdyno.scale.joining.certificates import SCHEDULER, Pems, read
from httpdyno.scale.joining.ssh import Remote, start_all
from httpdyno.scale.joining.versions import check
from httpdyno.scale.node import JoinedWorker, resolve_host

__all__ = ["down", "up"]

Say = Callable[[str], None]


def up(hosts: Hosts, say: Say) -> None:
    """Starts the scheduler and the worker of every machine, where they do not run yet.

    Raises NodeFault for the first machine that could not be started or has other versions; the
    others stay up.
    """
    scheduler = _scheduler(hosts)
    if _answers(hosts.scheduler):
        say(f"scheduler  {hosts.scheduler} runs already")
    else:
        _raise_first(start_all([scheduler]))
        say(f"scheduler  {hosts.scheduler} started by `ssh {scheduler.ssh}`")
    there = _joined_workers(hosts)
    absent = [machine for machine in hosts.machines if machine.name not in there]
    faults = start_all([_worker(hosts, machine) for machine in absent])
    others = _with_other_versions(_joined_workers(hosts))
    for machine in hosts.machines:
        state = "runs already" if machine.name in there else "joined"
        state += ", cannot be used" if machine.name in others else ""
        say(f"{machine.name}  {'not started' if machine.name in faults else state}")
    _raise_first(faults | others)


def _with_other_versions(there: dict[str, JoinedWorker]) -> dict[str, NodeFault]:
    """The faults of machines whose versions are not those of this one, by name."""
    faults = {}
    for name, one in there.items():
        try:
            if (
                one.versions is not None
            ):  # the versions of a plain worker of Dask are read when it is used
                check(name, one.versions)
        except NodeFault as fault:
            faults[name] = fault
    return faults


def down(hosts: Hosts, say: Say) -> None:
    """Ends the scheduler, and with it every worker and what they run."""
    client = client_of(place_of(str(hosts.file)))
    names = ", ".join(one.name for one in workers_of(client, None)) or "no machine"
    client.shutdown()
    with suppress(Exception):
        client.close(timeout=2)
    say(f"ended {hosts.scheduler} ({names})")


def _raise_first(faults: dict[str, NodeFault]) -> None:
    for fault in faults.values():
        raise fault


def _joined_workers(hosts: Hosts) -> dict[str, JoinedWorker]:
    client = client_of(place_of(str(hosts.file)))
    try:
        return {one.name: one for one in workers_of(client, hosts)}
    finally:
        client.close(timeout=2)


def _scheduler(hosts: Hosts) -> Remote:
    """The process of the scheduler, on the machine that has its address for control."""
    host = hosts.scheduler.rpartition("://")[2]
    address = host.rpartition(":")[0].strip("[]")
    machine = next((m for m in hosts.machines if m.control_address == address), None)
    pems = _pems(hosts, SCHEDULER)
    arguments = ["scheduler", "--listen", host, *(["--certificates", "-"] if pems else [])]
    return Remote(
        name=SCHEDULER,
        ssh=(machine.ssh if machine else None) or address,
        command=machine.command if machine else "httpdyno",
        arguments=tuple(arguments),
        ready="scheduler on ",
        pems=pems,
    )


def _worker(hosts: Hosts, machine: Machine) -> Remote:
    pems = _pems(hosts, machine.name)
    arguments = ["worker", hosts.scheduler, "--name", machine.name]
    arguments += ["--listen", resolve_host(machine.name, machine.control_address)]
    arguments += ["--address", resolve_host(machine.name, machine.address)]
    arguments += [word for role in machine.roles for word in ("--role", role)]
    if machine.cores:
        arguments += ["--cores", ",".join(map(str, machine.cores))]
    return Remote(
        name=machine.name,
        ssh=machine.ssh or machine.control_address,
        command=machine.command,
        arguments=(*arguments, *(["--certificates", "-"] if pems else [])),
        ready="joined ",
        pems=pems,
    )


def _pems(hosts: Hosts, name: str) -> Pems | None:
    return read(hosts.folder / name) if hosts.scheduler.startswith("tls://") else None


def _answers(scheduler: str) -> bool:
    """True if something listens at the scheduler's address."""
    host, _, port = scheduler.rpartition("://")[2].rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), 3.0).close()
    except ConnectionRefusedError:
        return False
    except socket.gaierror as error:
        raise UsageError(f"`scheduler = {scheduler}` has no address: {error.strerror}") from None
    except OSError as error:
        raise EnvironmentFault(
            f"`{scheduler}` cannot be reached: {error.strerror or error}"
        ) from None
    return True
