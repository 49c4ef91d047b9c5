"""`httpdyno run --dry-run`: the plan, and every command that the servers would run."""

from __future__ import annotations

import re
import shlex
from collections import Counter

from httpdyno.errors import ExitCode, HttpdynoError
from httpdyno.host.pinning import available, beside, cores_in_words, split
from httpdyno.output.echo import echo
from httpdyno.output.printable import printable_lines
from httpdyno.plan import Arm, Plan, Trial, in_words
from httpdyno.running.abilities import plan_of
from httpdyno.running.beside import statements_of
from httpdyno.running.own import context_of
from httpdyno.servers import Catalogue, Server, find_installation, install
from httpdyno.servers.declaration.load import CATALOGUE
from httpdyno.servers.process.attached_server import address_of
from httpdyno.study import Study
from httpdyno.study.own.service import Service
from httpdyno.units import counted

__all__ = ["planned_trials", "show_plan"]

MOST_NAMES = 50


def planned_trials(study: Study, catalogue: Catalogue) -> list[Trial]:
    """The trials that a run would measure: no refused cells, no unavailable servers."""
    return _measurable(plan_of(study, catalogue), catalogue)


def show_plan(study: Study, catalogue: Catalogue, *, elsewhere: bool = False) -> int:
    """Print the plan of a run; install and start nothing. The exit code.

    `elsewhere`: the servers run on another machine. Then a server that cannot be sent is an error.
    Raises UsageError or EnvironmentFault when a workload cannot be made, as the run does.
    """
    context_of(study)
    plan = plan_of(study, catalogue)
    trials = _measurable(plan, catalogue)
    for service in study.services.values():
        statements_of(study, service)
    _print(f"{study.title}\n{_before(plan, catalogue, elsewhere)}{in_words(trials, study.until)}")
    _print(f"{counted(study.blocks, 'block')}, seed {study.seed}\n")
    for name, service in study.services.items():
        _print(f"database {name}: {_database(service)}\n")
    count = Counter(trial.cell.load_name for trial in trials)
    for name, load in study.loads.items():
        _print(f"load {name} ({counted(count[name], 'trial')}): {load.in_words()}")
    _show_exceptions(plan)
    code = int(ExitCode.OK)
    for arm in (one for one in plan.arms if one.control_of is None):
        where = "on the server's machine" if elsewhere else _cores(arm, catalogue, study)
        _print(f"\narm {arm.name}: {where}")
        if elsewhere:
            code = max(code, _show_files(catalogue.get(arm.server)))
        _show_commands(arm, catalogue)
    return code


def _database(service: Service) -> str:
    tables = f"the tables of `{service.schema_ or service.setup}`"
    if service.url is not None:
        return f"PostgreSQL at {service.url}, with {tables}"
    own, left = beside(available(), service.cores)
    shared = ", shared with the server" if set(own) & set(left) else ""
    return f"PostgreSQL {service.version or '18'} on {cores_in_words(own)}{shared}, with {tables}"


def _before(plan: Plan, catalogue: Catalogue, elsewhere: bool) -> str:
    """The steps before the trials, which the estimated time does not cover."""
    names = {arm.server for arm in plan.arms}
    servers = [server for server in map(catalogue.get, names) if server.unavailable is None]
    from_catalogue = [server for server in servers if not server.in_place]
    if any(elsewhere or find_installation(server) is None for server in from_catalogue):
        return "once the servers are installed: "
    return "once the servers are built: " if any(group.build for group in plan.study.arms) else ""


def _print(text: str) -> None:
    echo(printable_lines(text))


def _measurable(plan: Plan, catalogue: Catalogue) -> list[Trial]:
    return [
        trial for trial in plan.measured if catalogue.get(trial.cell.arm.server).unavailable is None
    ]


def _show_exceptions(plan: Plan) -> None:
    """The cells that are not measured, or not as the load says, each with the reason."""
    lines: dict[str, None] = {}
    for cell in (trial.cell for trial in plan.trials):
        where = f"{cell.arm.name} · {cell.load_name}"
        for text in (f"refused: {cell.refused}",) if cell.refused else cell.notes:
            lines[f"{where}: {text}"] = None
    if lines:
        _print("\n" + "\n".join(lines))


def _cores(arm: Arm, catalogue: Catalogue, study: Study) -> str:
    server = catalogue.get(arm.server)
    if arm.deployment not in server.deployments:
        return "left out"
    cpus = available()
    for service in study.services.values():
        cpus = cpus if service.url is not None else beside(cpus, service.cores)[1]
    pinning = split(cpus, server.deployments[arm.deployment].cores)
    if server.running_at is not None:
        return f"server not pinned, generator on CPU {', '.join(map(str, pinning.generator))}"
    return pinning.note


def _show_files(server: Server) -> int:
    """Print the files that are sent to the server's machine; the exit code if they cannot be."""
    from httpdyno.scale.server.parcel import is_sent, pack

    if not is_sent(server, CATALOGUE):
        return ExitCode.OK
    try:
        parcel = pack(server)
    except HttpdynoError as error:
        _print(f"  cannot be sent: {error.message}")
        return error.exit_code
    _print(f"  send: {parcel.text}")
    more = len(parcel.names) - MOST_NAMES
    listed = [*parcel.names[:MOST_NAMES], *([f"… and {more:,} more"] if more > 0 else [])]
    for name in listed:
        _print(f"    {name}")
    return ExitCode.OK


def _show_commands(arm: Arm, catalogue: Catalogue) -> None:
    server = catalogue.get(arm.server)
    if server.running_at is not None:
        _print(f"  runs already: {address_of(server.running_at)}")
        return
    try:
        install(server, dry_run=True, report=lambda command: _print(f"  install: {command}"))
        _print(f"  start: {' '.join(map(_word, server.deployment(arm.deployment).command))}")
    except HttpdynoError as error:
        _print(f"  cannot be measured: {error.message}")


def _word(word: str) -> str:
    """A word of a command, quoted where a shell needs it; placeholders such as `{port}` stay."""
    return word if re.fullmatch(r"[\w{}./:=,@%+-]+", word) else shlex.quote(word)
