"""`httpdyno sweep VERB --rate FROM..TO/STEP`: where does a server stop keeping up?"""

from __future__ import annotations

from httpdyno.cli.command import command_of
from httpdyno.cli.sweep.flags import SweepFlags

__all__ = ["command"]


def sweep(flags: SweepFlags) -> int:
    """Measure a server at several rates: where does it stop keeping up?

    Each point is one run of the verb at one rate. A terminal shows the table and the charts while
    they grow. The answer, the whole table and the charts come at the end.

    \b
    Examples:
      httpdyno sweep load http://127.0.0.1:3000/ --rate 1000..20000/1000 -d 5s
      httpdyno sweep load http://127.0.0.1:3000/ --rate '100..12800*2' --chart sweep.png --log
      httpdyno sweep load http://127.0.0.1:3000/ --sessions 10..100/10 --calls 10 --csv -
      httpdyno sweep load http://127.0.0.1:3000 --workload shop.toml --rate 100..900/100
      httpdyno sweep httperf --port=3000 --rate=100..1200/100 --num-conns=6000 --timeout=5
      httpdyno sweep load http://10.0.0.9:8080/ --rate '1000..64000*2' --on hosts.toml

    \b
    Exit codes:
        0  done
        2  wrong flags
        3  the server cannot be reached
        4  this machine: a permission, a limit, a file that cannot be written
        6  every point is invalid
      130  stopped by Ctrl-C, SIGTERM or SIGHUP; what was measured is shown and written
    """

    from httpdyno.cli.sweep.run import run  # `--help` needs no engine

    return run(flags)


command = command_of(sweep, "sweep", context_settings={"ignore_unknown_options": True})
