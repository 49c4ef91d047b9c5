"""The verdict on a test of `ab` or `httperf`, and on what other programs did beside it.

It is imported after a test that asks for it, because it takes longer to load than a short test.
"""

from __future__ import annotations

from httpdyno.cli.compat.processor_counters import Counters, is_disturbed, shares_between
from httpdyno.cli.load.output.outcome import judge_load
from httpdyno.engine_plan import EnginePlan
from httpdyno.errors import ExitCode
from httpdyno.measurement import Measurement
from httpdyno.outcome import CoreUse, MachineUse
from httpdyno.output.echo import echo
from httpdyno.running.machines.watch import LocalWatch
from httpdyno.running.measuring.processors import Processors
from httpdyno.servers.process.listening_process import listening_pid
from httpdyno.servers.process.processes import Process, family
from httpdyno.servers.process.usage import UsageMeter
from httpdyno.verdict import Context, judge
from httpdyno.verdict.contention import Contention

__all__ = ["find_contention", "judge_test"]


def judge_test(
    url: str, plan: EnginePlan, measured: str, before: Counters, after: Counters, *, verdict: bool
) -> int:
    """With `verdict`, prints httpdyno's own summary; the exit code of `load`. Without, says on
    stderr if others took too much of the server's processors."""
    measurement = Measurement.model_validate_json(measured)
    share = find_contention(before, after, plan, measurement.throughput_per_s)
    if verdict:
        outcome = judge_load(url, plan, measurement, [], settings="none", contention=share)
        echo("\n" + outcome.summary(80))
        return outcome.exit_code
    context = Context(plan, settings="none", contention=share)
    for reason in judge(measurement, context).reasons:
        if reason.code == "server_starved":
            echo(f"warning: {reason.text}: {reason.hint}", err=True)
    return ExitCode.OK


def find_contention(
    before: Counters, after: Counters, plan: EnginePlan, calls_per_s: float
) -> Contention | None:
    """The part of the server's processors that others took during a test that has just ended.

    None: it was too short, others took nothing, or the server's processes cannot be seen.
    """
    if not is_disturbed(before, after):
        return None
    pid = listening_pid(plan.target)
    if pid is None or pid not in after.processes:
        return None
    shares = shares_between(before, after)
    use = MachineUse(
        roles=("server", "generator"),
        window_s=after.at - before.at,
        cores=tuple(
            CoreUse(
                core=core,
                busy_share=one.busy,
                softirq_share=one.softirq,
                steal_share=one.steal,
            )
            for core, one in shares.items()
        ),
        memory_bytes=0,
        memory_total_bytes=0,
    )
    cores = sorted(shares)
    processors = Processors(cores, cores, LocalWatch, lambda: UsageMeter(pid))
    server_s, own_s = _cpu_s(before, after, pid), after.own_s - before.own_s
    return processors.share((use,), server_s, own_s, calls_per_s)


def _cpu_s(before: Counters, after: Counters, pid: int) -> float:
    """CPU time of a process and its descendants between two readings."""
    total = 0.0
    for member in family(after.processes, pid, after.processes[pid].started):
        now, then = after.processes[member], before.processes.get(member)
        total += _so_far(now)
        if then is not None and then.started == now.started:
            total -= _so_far(then)
    return total


def _so_far(one: Process) -> float:
    return one.cpu_s + one.reaped_s
