"""`httpdyno capacity ARM`: find the highest rate that holds limits."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.faults import Faults
from httpdyno.cli.run.machines import On, read_on
from httpdyno.cli.serve.page import on_page, page_of
from httpdyno.cli.store import read_store
from httpdyno.cli.values import Values, plain_text
from httpdyno.warm_up import CAPACITY_S

if TYPE_CHECKING:
    from httpdyno.cli.capacity.study import OwnArm, Wanted
    from httpdyno.running.options import RunOptions
    from httpdyno.study import Study

__all__ = ["capacity"]

MOST_RESTARTS = 1000
MOST_CONNECTIONS = 100_000


def capacity(  # noqa: PLR0913, PLR0917 - a flag each
    arms: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ARM...",
            show_default=False,
            help="Server and deployment of the catalogue, such as starlette/1-worker; or a"
            " server.toml, with :DEPLOYMENT or its first",
        ),
    ] = None,
    url: shared.Url = None,
    command: shared.Command = None,
    path: shared.PathOfCommand = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            "--limit",
            metavar="LIMIT",
            help="Limit to hold, such as p99<20ms, p50<5ms or errors<0.1%; repeatable",
        ),
    ] = None,
    workload: Annotated[
        str,
        typer.Option(
            "--workload",
            metavar="NAME",
            show_default=False,
            help="Built-in workload: the request and its correct reply (default hello)",
        ),
    ] = "hello",
    restarts: Annotated[
        str | None,
        typer.Option("--restarts", metavar="N", help="Starts that are searched (default 5)"),
    ] = None,
    confirm: Annotated[
        str | None,
        typer.Option("--confirm", metavar="N", help="Fresh starts that confirm it (default 5)"),
    ] = None,
    for_rate: Annotated[
        str | None,
        typer.Option("--for", metavar="RATE", help="Also say how many cores this rate needs"),
    ] = None,
    rate_max: Annotated[
        str | None,
        typer.Option(
            "--rate-max",
            metavar="RATE",
            help="End of the search (default: the generator's ceiling)",
        ),
    ] = None,
    connections: Annotated[
        str | None,
        typer.Option(
            "--connections",
            metavar="N",
            help="Most connections at once (default: as many as the limits allow to be busy)",
        ),
    ] = None,
    arrivals: Annotated[str | None, shared.arrivals()] = None,
    step: Annotated[
        str | None,
        typer.Option(
            "--step",
            metavar="TIME",
            help="Least time of each rate (default 1s; 5s with random arrivals)",
        ),
    ] = None,
    warm_up: Annotated[str | None, shared.warm_up(CAPACITY_S)] = None,
    profile: Annotated[
        bool,
        typer.Option(
            "--profile/--no-profile",
            show_default=False,
            help="Also measure the cost at 25, 50 and 80 % of it, and an overload (default: yes)",
        ),
    ] = True,
    seed: Annotated[str | None, shared.shuffle_seed("default 1")] = None,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the result as JSON")
    ] = None,
    results: shared.Results = None,
    database: shared.Store = None,
    resume: shared.Resume = False,
    on: shared.On = None,
    certificates: shared.Certificates = None,
    wait: shared.Wait = False,
    node_wait: shared.NodeWait = None,
    dry_run: shared.DryRun = False,
    serve: shared.Serve = False,
    listen: shared.Listen = None,
    stay: shared.Stay = False,
) -> int:
    """Find the highest rate at which servers hold limits, with its interval.

    Each restart climbs in steps of 5 % until the limits fail twice at one rate. The capacity is the
    median over restarts. Fresh starts then have to hold the lower end of its interval.

    \b
    Examples:
      httpdyno capacity starlette/1-worker --limit 'p99<20ms'
      httpdyno capacity nginx go node starlette --limit 'p99<20ms' --for 3000
      httpdyno capacity ./mine/server.toml --limit 'p99<50ms' --limit 'errors<0.1%'
      httpdyno capacity --command 'uvicorn app:app --port {port}' --limit 'p99<20ms'
      httpdyno capacity --url http://127.0.0.1:3000/items --limit 'p99<20ms'
      httpdyno capacity nginx --limit 'p99<20ms' --on hosts.toml

    \b
    Exit codes:
        0  done
        2  a wrong flag, file or name
        3  no server can be reached or started, or the replies are wrong
        4  this machine: permission, disk, port
        6  no arm has a valid capacity
      130  interrupted; --resume measures the rest
    """
    from httpdyno.cli.capacity.study import OwnArm

    faults = Faults("httpdyno capacity --help")
    values = Values(faults)
    wanted = _wanted(
        values,
        workload=workload,
        limits=limit or [],
        counts={
            "--restarts": (restarts, 5, MOST_RESTARTS, 1),
            "--confirm": (confirm, 5, MOST_RESTARTS, 0),
            "--connections": (connections, 0, MOST_CONNECTIONS, 1),
            "--seed": (seed, 1, 2**32 - 1, 0),
        },
        times={"--step": step, "--warm-up": warm_up},
        rates={"--rate-max": rate_max, "--for": for_rate},
        arrivals=arrivals or shared.SPACINGS[0],
        profile=profile,
    )
    for flag, text in (("--json", json), ("--results", results)):
        values.read(flag, None if text is None else str(text), plain_text)
    values.read("--path", path, _path)
    chosen = {"arms": arms, "`--url`": url, "`--command`": command}
    given = [name for name, value in chosen.items() if value]
    if not given:
        faults.add(
            "no server is given: expected arms such as `starlette/1-worker`, `--url` or `--command`"
        )
    elif len(given) > 1:
        faults.add(f"{' and '.join(given)} exclude each other: expected one of them")
    store_url = read_store(values, database)
    page = page_of(values, serve and not dry_run, listen, stay)
    address = values.read("--url", url, _address)
    own = address
    used = read_on(values, on, certificates, wait=wait, node_wait=node_wait)
    faults.raise_any()
    if command is not None:
        own = OwnArm("start", command, path or "/")
        _warn_without_port(command)
    study = _study(arms or [], wanted, own)
    from httpdyno.running.options import RunOptions

    options = RunOptions(
        sys.argv[1:], results=results, resume=resume, store_url=store_url, needs_an_arm=True
    )
    with on_page(page, store_url):
        return _run(study, json, options, used, dry_run=dry_run)


def _wanted(
    values: Values,
    *,
    workload: str,
    limits: list[str],
    counts: dict[str, tuple[str | None, int, int, int]],
    times: dict[str, str | None],
    rates: dict[str, str | None],
    arrivals: str,
    profile: bool,
) -> Wanted:
    """The values of the flags; faults are collected."""
    from httpdyno.cli.capacity.study import Wanted
    from httpdyno.limits.thresholds import parse_limit
    from httpdyno.workloads import WORKLOADS

    if not limits:
        values.faults.add("`--limit` is missing: expected a limit such as `--limit 'p99<20ms'`")
    for text in limits:
        values.read("--limit", text, parse_limit)
    whole = {
        flag: default if (found := values.count(flag, text, most, least)) is None else found
        for flag, (text, default, most, least) in counts.items()
    }
    seconds = {flag: _time(values, flag, text) for flag, text in times.items()}
    per_s = {flag: values.rate(flag, text) for flag, text in rates.items()}
    return Wanted(
        workload=values.choice("--workload", workload, WORKLOADS) or workload,
        limits=limits,
        restarts=whole["--restarts"],
        confirm=whole["--confirm"],
        connections=whole["--connections"] or None,
        arrivals=values.choice("--arrivals", arrivals, shared.SPACINGS) or arrivals,
        step_s=seconds["--step"],
        warm_up_s=CAPACITY_S if seconds["--warm-up"] is None else seconds["--warm-up"],
        seed=whole["--seed"],
        rate_max=per_s["--rate-max"],
        for_rate=per_s["--for"],
        profile=profile,
    )


def _time(values: Values, flag: str, text: str | None) -> float | None:
    return values.seconds(flag, text, zero=flag == "--warm-up")


def _warn_without_port(command: str) -> None:
    from httpdyno.output.printable import printable
    from httpdyno.servers.declaration.own import without_port

    if (warning := without_port("--command", command, {})) is not None:
        typer.echo(f"warning: {printable(warning)}", err=True)


def _address(text: str) -> OwnArm:
    from httpdyno.address import parse_url
    from httpdyno.cli.capacity.study import OwnArm

    address = parse_url(text)
    base = f"{'https' if address.tls else 'http'}://{address.authority}"
    return OwnArm("url", base, address.path)


def _path(text: str) -> str:
    if not text.startswith("/"):
        raise ValueError("expected a path such as `/items?page=2`")
    return text


def _study(texts: list[str], wanted: Wanted, own: OwnArm | None) -> Study:
    from httpdyno.cli.capacity.study import NAME, arm_of, study_text
    from httpdyno.errors import UsageError
    from httpdyno.run import study_of_text
    from httpdyno.servers import load_catalogue

    catalogue = load_catalogue()
    arms = [arm_of(text, catalogue) for text in texts]
    for text, arm in zip(texts, arms, strict=True):
        if wanted.workload not in arm.workloads:
            listed = ", ".join(f"`{one}`" for one in arm.workloads)
            raise UsageError(
                f"`{text}` does not serve `{wanted.workload}`: expected one of {listed}",
                hint="`--workload` names another one",
            )
    return study_of_text(study_text(arms, wanted, own), NAME, catalogue)


def _run(
    study: Study, json: Path | None, options: RunOptions, on: On | None, *, dry_run: bool
) -> int:
    from httpdyno.cli.run.measure import exit_code, measure, tell_interrupted
    from httpdyno.cli.run.table import show_result
    from httpdyno.output.files import check_file, write_file
    from httpdyno.report import result_json

    if dry_run:
        from httpdyno.cli.run.dry_run import show_plan
        from httpdyno.run import catalogue_of

        typer.echo(f"{study.text}\n")
        return show_plan(study, catalogue_of(study, []), elsewhere=on is not None)
    if json is not None:
        check_file(json)
    ended = measure(study, options, on)
    if ended.result is not None:
        show_result(ended.result, "" if ended.report is None else str(ended.report.html))
        if json is not None:
            write_file(json, result_json.to_json(ended.result))
    if ended.report is not None:
        typer.echo(f"\nreport: {ended.report.html}\n  data: {ended.report.json}")
    if ended.interrupted:
        tell_interrupted(ended, options)
    return exit_code(ended)
