"""`httpdyno run --dry-run`: the plan, and every command that the servers would run."""

from __future__ import annotations

from collections import Counter

import typer

from httpdyno.host import available, split
from httpdyno.plan import arms, estimate, plan
from httpdyno.servers import Catalogue, install
from httpdyno.study import Study
from httpdyno.study.model import describe

__all__ = ["show_plan"]


def show_plan(study: Study, catalogue: Catalogue) -> None:
    """Print what a run would do; install and start nothing."""
    trials = plan(study, study.seed)
    minutes = estimate(trials) / 60
    typer.echo(f"{study.title}\n{len(trials)} trials in {study.blocks} blocks, seed {study.seed},")
    typer.echo(f"about {minutes:.0f} min once the servers are installed\n")
    count = Counter(trial.cell.load_name for trial in trials)
    for name, load in study.loads.items():
        typer.echo(f"load {name} ({count[name]} trials): {describe(load)}")
    cpus = available()
    for arm in (one for one in arms(study) if one.control_of is None):
        server = catalogue.get(arm.server)
        deployment = server.deployment(arm.deployment)
        typer.echo(f"\narm {arm.name}: {split(cpus, deployment.cores).note}")
        install(server, dry_run=True, report=lambda command: typer.echo(f"  install: {command}"))
        typer.echo(f"  start: {' '.join(deployment.command)}")
