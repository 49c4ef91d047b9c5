"""Versions of HTTP compared on the same arm: the CPU time of its server per request.

Two cells are compared if nothing but the protocol differs: the same arm, the same load with as
many calls at once (over HTTP/1.1 on as many connections, over HTTP/2 on fewer with streams), and
the same rate if it has one. Their trials are paired by block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from httpdyno.choices import HTTP_VERSIONS
from httpdyno.metrics import ComparedBy
from httpdyno.outcome import CellKey
from httpdyno.plan import Cell, Plan
from httpdyno.result import CellRow, ProtocolComparison, VersionPlace
from httpdyno.statistics.claims.comparisons import values_of
from httpdyno.statistics.compare import compare
from httpdyno.units import counted

CPU: ComparedBy = "server CPU per request"
_OF_THE_PROTOCOL = {"title", "arms", "blocks", "http", "streams", "connections", "rate"}
"""Keys of a load that may differ; its point has the rate and the connections."""

_Work = tuple[str, str, float | None, int | None]


def protocol_comparisons(
    plan: Plan, rows: Mapping[CellKey, CellRow]
) -> Iterator[ProtocolComparison]:
    """Each newer version with the oldest one of the same work, as if it were alone; none without
    trials of both."""
    for cells in _alike(plan).values():
        oldest, *newer = sorted(cells, key=HTTP_VERSIONS.index)
        for version in newer:
            base, cell = cells[oldest], cells[version]
            name = cell.arm.name
            compared = compare(
                values_of(rows[base.key], CPU),
                values_of(rows[cell.key], CPU),
                names=(f"{name} over HTTP/{oldest}", f"{name} over HTTP/{version}"),
                at=(cell.load_name, cell.point.label),
                metric=CPU,
                sequential=plan.sequential,
            )
            if compared.ratio is not None:
                yield ProtocolComparison(
                    of_arm=name,
                    older=_place(base),
                    newer=_place(cell),
                    work=_in_words(cell),
                    compared=compared,
                )


def _alike(plan: Plan) -> dict[_Work, dict[str, Cell]]:
    """The cells that do the same work on the same arm, the first of each version."""
    found: dict[_Work, dict[str, Cell]] = {}
    for cell in plan.cells:
        if cell.refused is None and cell.arm.control_of is None:
            found.setdefault(_work(cell), {}).setdefault(cell.load.version, cell)
    return {work: cells for work, cells in found.items() if len(cells) > 1}


def _work(cell: Cell) -> _Work:
    keys = cell.load.model_dump_json(exclude=_OF_THE_PROTOCOL)
    return cell.arm.name, keys, cell.point.rate_per_s, _at_once(cell)


def _at_once(cell: Cell) -> int | None:
    connections = cell.point.connections
    return None if connections is None else connections * cell.load.streams


def _place(cell: Cell) -> VersionPlace:
    return VersionPlace(http=cell.load.version, load=cell.load_name, point=cell.point.label)


def _in_words(cell: Cell) -> str:
    """`100 calls at once`, or `2,000/s`."""
    at_once = _at_once(cell)
    if cell.point.rate_per_s is not None or at_once is None:
        return cell.point.label
    return f"{counted(at_once, 'call')} at once"
