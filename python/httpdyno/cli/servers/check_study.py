"""`httpdyno servers check --study`: the arms of a study, with the study's own workloads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from httpdyno.cli.servers.work import end_leftovers, log_of, report

if TYPE_CHECKING:
    from httpdyno.servers import Conformance

__all__ = ["check_study"]


def check_study(file: Path, only: Sequence[str], *, found: Callable[[Conformance], None]) -> bool:
    """Check each arm, or those in `only`. True when every required answer was right.

    `found` gets the result of each as it is ready.
    """
    from httpdyno.plan import Plan
    from httpdyno.run import catalogue_of, read_study
    from httpdyno.running.beside import database_of
    from httpdyno.running.own import context_of
    from httpdyno.servers import examine, install, load_catalogue
    from httpdyno.servers.folders import cache_folder
    from httpdyno.study import narrow

    study = narrow(read_study(file, load_catalogue()), only=only)
    catalogue, workloads = catalogue_of(study, ()), context_of(study).workloads
    end_leftovers()
    right = True
    with database_of(study, None, cache_folder(), report) as (_, database):
        for arm in (one for one in Plan(study).arms if one.control_of is None):
            server = catalogue.get(arm.server)
            installation = install(server, report=report)
            if database is not None:
                database.reset()
                installation = database.serving(installation)
            log = log_of(server, arm.deployment)
            one = examine(installation, arm.deployment, log, [workloads[arm.workload]])
            found(one)
            right = right and one.ok
    return right
