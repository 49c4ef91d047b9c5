"""`httpdyno capacity ARM`: find the highest rate that holds limits."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from httpdyno.cli.capacity.flags import CapacityFlags, read_keys, with_url
from httpdyno.cli.faults import Faults
from httpdyno.cli.run.flags import RunFlags, RunSettings, read_run
from httpdyno.cli.values import Values
from httpdyno.output.echo import echo
from httpdyno.output.files import check_file, write_file
from httpdyno.output.secrets import masked_flags

if TYPE_CHECKING:
    from httpdyno.result import StudyResult
    from httpdyno.running.options import RunOptions
    from httpdyno.study import Study

__all__ = ["capacity"]


def capacity(flags: CapacityFlags, run: RunFlags) -> int:
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
      httpdyno capacity --url http://127.0.0.1:3000 --urls shop.txt --limit 'p99<50ms'
      httpdyno capacity nginx --limit 'p99<20ms' --on hosts.toml
      httpdyno capacity grpc://127.0.0.1:50051/shop.Orders/Get --proto orders.proto
        --message '{"id": 7}' --limit 'p99<20ms'

    \b
    Exit codes:
        0  done
        2  a wrong flag, file or name
        3  no server can be reached or started, or the replies are wrong
        4  this machine: permission, disk, port
        6  no arm has a valid capacity
      130  interrupted; --resume measures the rest
    """
    faults = Faults("httpdyno capacity --help")
    values, flags = Values(faults), with_url(flags)
    keys = read_keys(values, flags)
    settings = read_run(values, run)
    faults.raise_any()
    from httpdyno.cli.capacity.study import capacity_study

    study = capacity_study(flags, keys)
    options = settings.options(masked_flags(sys.argv[1:]), needs_an_arm=True)
    with settings.open_page():
        return _run(study, flags.json, options, settings)


def _run(study: Study, json: Path | None, options: RunOptions, settings: RunSettings) -> int:
    from httpdyno.report import result_json

    if settings.dry_run:
        from httpdyno.cli.run.dry_run import show_plan
        from httpdyno.run import catalogue_of

        echo(f"{study.text}\n")
        return show_plan(study, catalogue_of(study, []), elsewhere=settings.on is not None)
    from httpdyno.cli.run.measure import measure_and_show

    def write(result: StudyResult, _: int | None) -> None:
        if json is not None:
            write_file(json, result_json.to_json(result))

    if json is not None:
        check_file(json)
    return measure_and_show(study, options, settings.on, write)
