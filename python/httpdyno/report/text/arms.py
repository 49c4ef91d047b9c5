"""Names of arms in the page and its charts."""

from __future__ import annotations

from httpdyno.result import CellRow, StudyResult


def by_workload(result: StudyResult) -> list[tuple[str | None, set[str]]]:
    """Each workload with its arms; (None, all arms) where there is only one."""
    workloads = list(dict.fromkeys(arm.workload for arm in result.arms))
    if len(workloads) < 2:
        return [(None, set(arm_names(result)))]
    return [(name, {a.name for a in result.arms if a.workload == name}) for name in workloads]


def arm_names(result: StudyResult) -> list[str]:
    """The full names of all arms, in the study's order."""
    names = [arm.name for arm in result.arms]
    return names + sorted({cell.arm for cell in result.cells} - set(names))


def short_names(result: StudyResult) -> dict[str, str]:
    """The short name of each arm: without its workload, which is in the title of the chart."""
    several = len({arm.workload for arm in result.arms}) > 1
    short = {arm.name: arm.name.removesuffix(f" {arm.workload}") for arm in result.arms}
    return {name: short.get(name, name) if several else name for name in arm_names(result)}


def coloured_names(result: StudyResult) -> list[str]:
    """The short names in the order of their colours: a deployment of a server has one colour."""
    return list(dict.fromkeys(short_names(result).values()))


def with_short_name(cell: CellRow, names: dict[str, str]) -> CellRow:
    """The cell under its arm's short name."""
    name = names.get(cell.arm, cell.arm)
    return cell if name == cell.arm else cell.model_copy(update={"arm": name})
