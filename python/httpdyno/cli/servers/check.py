"""`httpdyno servers check`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.faults import given_flags
from httpdyno.cli.flags import option
from httpdyno.cli.servers.choice import All, Names, choose_servers, own_words
from httpdyno.cli.servers.many import Outcome, exit_code, left_out, run_each
from httpdyno.cli.servers.work import check_deployments
from httpdyno.cli.signals import stoppable
from httpdyno.errors import ExitCode, UsageError
from httpdyno.output.files import check_file

if TYPE_CHECKING:
    from httpdyno.servers import Conformance, Server

__all__ = ["check"]


def check(
    names: Names = None,
    server: shared.OwnServers = None,
    every: All = False,
    deployment: Annotated[
        str | None,
        option("--deployment NAME", "Deployment to check, or `all` (default: the first)"),
    ] = None,
    system: Annotated[
        bool, option("--install", "Install missing Debian packages too, as root")
    ] = False,
    as_json: shared.AsJson = False,
    save: Annotated[Path | None, option("--save FILE", "Write all results to FILE")] = None,
    study: Annotated[
        Path | None, option("--study FILE", "Check the arms of a study; NAME is then an arm")
    ] = None,
) -> int:
    """Compare a server's answers with the contract byte for byte, and test how it speaks HTTP.

    The results are kept with the installation, and reports show them. Exit code 3 when an answer
    is wrong or a server fails.

    \b
    Examples:
      httpdyno servers check tornado
      httpdyno servers check nginx --deployment all
      httpdyno servers check --all --json
      httpdyno servers check --server ./mine/server.toml
      httpdyno servers check --study ./study.toml
    """
    from httpdyno.cli.servers.check_view import show_check, show_json
    from httpdyno.cli.servers.many_view import show_outcomes
    from httpdyno.cli.servers.save import save_checks

    if study is not None:
        others = {"--server": server, "--all": every, "--deployment": deployment, "--save": save}
        return _check_study(study, names or [], others, as_json=as_json)
    servers = choose_servers(names, server, every=every)
    if save is not None:
        check_file(save)
    found: list[Conformance] = []
    if len(servers) == 1:
        show: Callable[[Conformance], None] = found.append if as_json else show_check
        with stoppable(f"`{servers[0].name}` to stop"):
            right = check_deployments(servers[0], deployment, system=system, found=show)
        code = ExitCode.OK if right else ExitCode.TARGET
    else:
        outcomes = _check_many(servers, server, deployment, system=system)
        found = _results(outcomes)
        if not as_json:
            show_outcomes(outcomes, found)
        code = ExitCode(exit_code(outcomes))
    if save is not None:
        save_checks(servers, save)
    if as_json:
        show_json(found)
    return code


def _check_study(
    study: Path, names: list[str], others: Mapping[str, object], *, as_json: bool
) -> int:
    from httpdyno.cli.servers.check_study import check_study
    from httpdyno.cli.servers.check_view import show_check, show_json

    given = given_flags(others)
    if given:
        raise UsageError(f"`--study` and {given[0]} exclude each other: expected one of them")
    found: list[Conformance] = []
    with stoppable("the server to stop"):
        right = check_study(study, names, found=found.append if as_json else show_check)
    if as_json:
        show_json(found)
    return ExitCode.OK if right else ExitCode.TARGET


def _check_many(
    servers: list[Server], own: list[Path] | None, deployment: str | None, *, system: bool
) -> list[Outcome]:
    from httpdyno.cli.servers.many_view import showing
    from httpdyno.running.live.events import Events

    tried, rows = left_out(servers)
    words = [*own_words(own), "--json"]
    if deployment is not None:
        words += ["--deployment", deployment]
    if system:
        words += ["--install"]
    events = Events()
    with showing(events, "checking", len(tried)) as say:
        outcomes = run_each(tried, lambda one: ["check", one.name, *words], events, say)
    return [*outcomes, *rows]


def _results(outcomes: list[Outcome]) -> list[Conformance]:
    from httpdyno.servers import Conformance

    rows = [row for outcome in outcomes if outcome.stdout for row in json.loads(outcome.stdout)]
    return [Conformance.model_validate(row) for row in rows]
