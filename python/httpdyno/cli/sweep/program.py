"""The swept program: its command line with the rates taken out, as an engine plan for each rate."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from httpdyno.address import Address
from httpdyno.cli.faults import Faults
from httpdyno.cli.load.arguments.flags import LoadFlags, flags_of
from httpdyno.cli.load.arguments.plan import plan_of
from httpdyno.cli.signals import beside
from httpdyno.cli.values import Values
from httpdyno.compat.httperf import plan as httperf_plan
from httpdyno.compat.httperf.options import OptionsError, read_options
from httpdyno.compat.httperf.workload import workload
from httpdyno.engine_plan import Arrivals, ClosedLoad, EnginePlan
from httpdyno.output.secrets import masked_url
from httpdyno.sweep import Rates, TimeKind, parse_rates, rate_text, shown
from httpdyno.units import counted
from httpdyno.verdict.context import Settings

__all__ = ["PROGRAMS", "Program", "program_of"]

Unit = Literal["requests", "sessions", "connections"]


@dataclass(frozen=True)
class Program:
    """A command line as a plan at the first rate, and what to show of its points."""

    plan: EnginePlan
    rates: Rates
    unit: Unit
    times: TimeKind
    settings: Settings
    """The names of settings in hints."""
    quiet: bool = False
    keep_secrets: bool = False
    flags: LoadFlags | None = None
    """Those of `load`, which may name other machines."""

    def at(self, rate_per_s: float) -> EnginePlan:
        """The plan at another rate."""
        load = self.plan.load
        assert not isinstance(load, ClosedLoad)  # noqa: S101 - a rate makes an open load
        spacing = load.schedule.spacing if load.schedule else "constant"
        arrivals = Arrivals.steady(rate_per_s, spacing)
        return replace(self.plan, load=replace(load, arrivals=arrivals))

    def seconds(self, begin_per_s: float | None = None) -> float:
        """The expected time of all points, or of those from a rate on, without the pauses."""
        stop = self.plan.stop
        rates = self.rates.per_s
        rates = rates if begin_per_s is None else rates[rates.index(begin_per_s) :]
        each = (
            min(stop.duration_s or float("inf"), (stop.count or float("inf")) / rate)
            for rate in rates
        )
        return sum(each) + self.plan.warm_up_s * len(rates)

    @property
    def span(self) -> str:
        """The rates in words: `20 rates, 1,000 to 20,000 requests/s`."""
        rates = self.rates.per_s
        ends = f"{shown(rates[0])} to {shown(rates[-1])} {self.unit}/s"
        return f"{counted(len(rates), 'rate')}, {ends}"

    @property
    def url(self) -> str:
        """The URL of the requests, without a path if they have several; a Unix socket's path stands
        before it."""
        target, paths = self.plan.target, {request.path for request in self.plan.requests}
        path = paths.pop() if len(paths) == 1 else ""
        unix = f"{target.unix}: " if target.unix is not None else ""
        server = Address(target.host, target.port, path, target.tls is not None)
        return f"{unix}{server.origin}{path}"

    @property
    def title(self) -> str:
        """The URL without credentials, and the number of requests if they have several paths."""
        paths = len({request.path for request in self.plan.requests})
        return masked_url(self.url) + (f" ({paths:,} paths)" if paths > 1 else "")


def program_of(words: Sequence[str], values: Values) -> Program:
    """The program that these words call. Raises UsageError with every fault of the command line."""
    name, *rest = words or [""]
    if name not in PROGRAMS:
        given = f"`{name}` cannot be swept" if name else "nothing to sweep"
        expected = " or ".join(f"`{one}`" for one in PROGRAMS)
        values.faults.add(f"{given}: expected {expected}, followed by its arguments")
        values.faults.raise_any()
    flags, compiled = PROGRAMS[name]
    rates = _take_rates(rest, flags, values)
    return compiled(rest, rates or Rates((1.0,)), values.faults)


def _take_rates(words: list[str], flags: re.Pattern[str], values: Values) -> Rates | None:
    """The rates behind the last of these flags; in `words`, the first rate takes their place."""
    found: tuple[int, str] | None = None
    for at, word in enumerate(words):
        if (match := flags.match(word)) is None:
            continue
        if match.end() < len(word):
            found = at, match[0]
        elif at + 1 < len(words):
            found = at + 1, ""
    if found is None:
        values.faults.add(
            "`--rate` is missing: expected the rates to measure, such as `--rate 100..1200/100`"
        )
        return None
    at, before = found
    flag = before.rstrip("=") or words[at - 1]
    rates = values.read(flag, words[at][len(before) :], parse_rates)
    words[at] = before + rate_text(rates.per_s[0] if rates else 1.0)
    return rates


def _load(words: Sequence[str], rates: Rates, faults: Faults) -> Program:
    flags = flags_of(words)
    of_one_run = {
        "--hdr": flags.hdr,
        "--intervals": flags.intervals,
        "--call-log": flags.call_log,
        "--fail-if": flags.fail_if,
        "--serve": flags.serve,
        "--listen": flags.listen,
        "--stay": flags.stay,
    }
    for flag in (flag for flag, given in of_one_run.items() if given):
        faults.add(
            f"`{flag}` applies to a single run: leave it out; `--json` has all of each point"
        )
    plan = plan_of(flags, faults)
    return Program(
        plan,
        rates,
        "sessions" if plan.load.in_sessions else "requests",
        "response",
        "flags",
        quiet=flags.quiet,
        keep_secrets=flags.keep_secrets,
        flags=flags,
    )


def _httperf(words: Sequence[str], rates: Rates, faults: Faults) -> Program:
    try:
        options = read_options(words)
        if options.help or options.version:
            faults.add("`-h` and `-V` run no test: leave them out")
        if options.print_request or options.print_reply:
            faults.add(
                "`--print-request` and `--print-reply` apply to a single run: leave them out"
            )
        work = workload(options)
    except OptionsError as wrong:
        for sentence in wrong.faults:
            faults.add(sentence)
    except ValueError as wrong:
        faults.add(str(wrong))
    faults.raise_any()
    plan = httperf_plan.plan_of(
        options, work, beside(lambda: httperf_plan.resolve_host(options.server))
    )
    # A server that is not there ends the sweep: httperf would count what it refuses.
    plan = replace(plan, trace=None, call_log=None, preflight=True)
    unit: Unit = "sessions" if options.has_sessions else "connections"
    return Program(plan, rates, unit, "first_byte", "none")


_ProgramMaker = Callable[[Sequence[str], Rates, Faults], Program]
PROGRAMS: dict[str, tuple[re.Pattern[str], _ProgramMaker]] = {
    "load": (re.compile(r"--rate(?:=|$)|--sessions(?:=|$)|-r"), _load),
    "httperf": (re.compile(r"--ra(?:te?)?(?:=|$)"), _httperf),
}
"""The programs that can be swept: the flags before their rates, and the reader of their words."""
