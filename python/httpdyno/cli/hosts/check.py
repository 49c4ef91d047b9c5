"""`httpdyno hosts check`: the table of the machines, and what stands in the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from operator import itemgetter
from pathlib import Path

from httpdyno import units
from httpdyno.cli.serve.recording import own_command
from httpdyno.cli.text import room_for_tables, stdout_console
from httpdyno.cli.text_table import TextTable
from httpdyno.errors import EnvironmentFault, ExitCode, HttpdynoError, NodeFault, UsageError
from httpdyno.host.facts import LOAD_AT_START
from httpdyno.measurement.nodes import UNSURE_CLOCK_NS
from httpdyno.output.echo import echo
from httpdyno.output.places import quoted_path
from httpdyno.output.printable import printable
from httpdyno.output.table import TextColumn
from httpdyno.running.measuring.ceiling import Ceiling
from httpdyno.scale.cluster import PINGS, BusyFault, Cluster, client_of, place_of, workers_of
from httpdyno.scale.joining.place import Place
from httpdyno.scale.node import Clock, JoinedWorker, Node

__all__ = ["check_and_print", "table"]

CEILING_WITHIN_S = 15.0
COLUMNS = {
    "machine": 0,
    "roles": 0,
    "cores": 0,
    "clock": 2,
    "round trip": 3,
    "open files": 4,
    "driver": 1,
    "ceiling": 0,
}
"""The headings; on a narrow terminal, the columns with the greatest number go first."""


def check_and_print(on: str, certificates: Path | None, *, ceiling: bool) -> int:
    """Prints the table; the exit code."""
    place = place_of(on, certificates)
    cluster = Cluster(place, client_of(place), lambda text: echo(text, err=True), own_command())
    with cluster:
        there = workers_of(cluster.client, place.hosts)
        names = {one.name for one in there}
        busy: list[JoinedWorker] = []
        problems = _absent(cluster, names)
        if not there and not problems:
            problems.append(f"no machine has joined\nhint: on each: `{place.worker_command()}`")
        for one in there:
            try:
                cluster.take_one(one)
            except HttpdynoError as fault:
                problems.append(str(fault))
                busy += [one] if isinstance(fault, BusyFault) else []
        rows, faults, doubts = _rows(cluster, ceiling=ceiling)
        problems += faults
    columns = len(COLUMNS) if ceiling else len(COLUMNS) - 1
    rows = sorted([*rows, *(_busy_row(one, columns) for one in busy)])
    blocks = [f"scheduler {place.scheduler}, {_machines(len(there))} joined"]
    blocks += table(rows) if rows else []
    blocks += [printable_block(one) for one in [*problems, *doubts]] or [
        "nothing stands in the way"
    ]
    echo("\n\n".join(blocks))
    return ExitCode.ENVIRONMENT if problems or not rows else ExitCode.OK


def printable_block(text: str) -> str:
    """A problem, with what to do on an indented line."""
    return "\n  ".join(printable(line) for line in text.split("\n"))


def _absent(cluster: Cluster, names: set[str]) -> list[str]:
    place, hosts = cluster.place, cluster.place.hosts
    if hosts is None:
        return []
    return [
        f"`{machine.name}` has not joined\nhint: there: `{place.worker_command(machine.name)}`, or"
        f" `httpdyno hosts up {quoted_path(hosts.file)}` here"
        for machine in hosts.machines
        if machine.name not in names
    ]


def _rows(cluster: Cluster, *, ceiling: bool) -> tuple[list[tuple[str, ...]], list[str], list[str]]:
    """A row for each machine that was taken, what keeps some from use, and doubts about others."""
    rows, doubts = [], []
    faults = [str(fault) for fault in cluster.faults_of_clocks(PINGS)]
    for node in cluster.nodes:
        try:
            reached = _ceiling(node) if ceiling else None
            rows.append((*_row(node), *(() if reached is None else (reached,))))
            doubts += _doubts(node)
        except (NodeFault, EnvironmentFault, UsageError) as fault:
            faults.append(str(fault))
    return rows, list(dict.fromkeys(faults)), [*doubts, *_doubts_of_machines(cluster.nodes)]


def _row(node: Node) -> tuple[str, ...]:
    place = node.place
    facts = node.facts
    files = f"{facts.open_files[1]:,}" if facts else ""
    return (
        node.name,
        ", ".join(node.roles),
        _cores(place),
        *_clock(node.clock),
        files,
        facts.driver.partition(" (")[0] if facts else "",
    )


def _clock(clock: Clock) -> tuple[str, str]:
    """Its offset with what it may be wrong by, and the round trip; dashes if it was not read."""
    if not clock.round_trip_ns:
        return "–", "–"
    sign = "+" if clock.offset_ns >= 0 else "-"
    offset = f"{sign}{units.duration(abs(clock.offset_ns) * 1e-9)}"
    wrong_by = units.duration(clock.error_ns * 1e-9)
    return f"{offset} ±{wrong_by}", units.duration(clock.round_trip_ns * 1e-9)


def _busy_row(one: JoinedWorker, columns: int) -> tuple[str, ...]:
    """A machine that another run uses: only its name and roles are known."""
    return (one.name, ", ".join(one.roles), "busy", *[""] * (columns - 3))


def _cores(place: Place) -> str:
    shared = (
        ", shared with the agent" if place.shared else f"; agent on {_core_ranges(place.agent)}"
    )
    return _core_ranges(place.engine) + shared


def _core_ranges(cores: Sequence[int]) -> str:
    """`1-3` of 1, 2 and 3."""
    spans: list[list[int]] = []
    for core in sorted(cores):
        if spans and core == spans[-1][-1] + 1:
            spans[-1].append(core)
        else:
            spans.append([core])
    return ",".join(f"{s[0]}-{s[-1]}" if len(s) > 1 else str(s[0]) for s in spans)


def _ceiling(node: Node) -> str:
    found: Ceiling = node.call("ceiling", within_s=CEILING_WITHIN_S)
    shown = units.rate(found.per_s)
    return f"at least {shown}" if found.is_bound else shown


def _doubts(node: Node) -> list[str]:
    found = []
    place = node.place
    if place.shared:
        found.append(
            f"`{node.name}`: engine and agent share core {_core_ranges(place.agent)}\nhint: leave"
            " one core out of `cores`"
        )
    if node.clock.error_ns > UNSURE_CLOCK_NS:
        found.append(
            f"`{node.name}`: its clock is known within {units.duration(node.clock.error_ns * 1e-9)}"
            " only, expected 1 ms: the seconds of its series are shifted by as much"
        )
    return found


def _doubts_of_machines(nodes: Sequence[Node]) -> Iterator[str]:
    """The doubts about machines, listed once where several workers run on one."""
    machines: dict[str, list[Node]] = {}
    for node in nodes:
        if node.facts is not None:
            machines.setdefault(node.facts.boot or node.name, []).append(node)
    for workers in machines.values():
        names = " and ".join(f"`{node.name}`" for node in workers)
        counted = Counter(core for node in workers for core in node.cores)
        shared = [core for core, count in counted.items() if count > 1]
        if shared:
            yield (
                f"{names} run on one machine and share core {_core_ranges(shared)}\nhint: give each"
                " its own `cores`, or use one worker per machine"
            )
        doubts = (_now(doubt) for node in workers if node.facts for doubt in node.facts.doubts)
        yield from (f"{names}: {doubt}" for doubt in dict.fromkeys(doubts))


def _now(doubt: str) -> str:
    """A doubt about a machine on which nothing has been started."""
    return doubt.replace(LOAD_AT_START, "load average now", 1)


def _machines(count: int) -> str:
    return "1 machine" if count == 1 else f"{count} machines"


def table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """The table, and the columns that do not fit on this terminal."""
    columns = [
        TextColumn(heading, itemgetter(at), drop=drop)
        for at, (heading, drop) in enumerate(COLUMNS.items())
        if at < len(rows[0])
    ]
    made = TextTable(columns, rows, room_for_tables(stdout_console()))
    yield from filter(None, ["\n".join(made.lines()), made.not_shown])
