"""A saved baseline: an arm of a result that was measured earlier, on this machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from httpdyno.comparison.loads import Loads
from httpdyno.errors import UsageError
from httpdyno.metrics import COMPARED, ComparedBy
from httpdyno.report import result_json
from httpdyno.result import ArmInfo, CellRow, Comparison, LoadInfo, StudyResult
from httpdyno.servers.subjects import Subject
from httpdyno.statistics.unpaired_comparison import compare_unpaired
from httpdyno.study import ClosedLoad, Load, RequestsLoad, SessionsLoad
from httpdyno.study.loads import LOADS

_LOAD: TypeAdapter[Load] = TypeAdapter(Load)


@dataclass(frozen=True)
class SavedArm:
    """One arm of an earlier result."""

    result: StudyResult
    arm: str
    source: Path

    @property
    def workload(self) -> str:
        """The name of its workload."""
        return self._info.workload

    @property
    def pauses(self) -> list[float]:
        """The think times (s) behind the requests of its session; empty: it had none."""
        return self._info.pauses

    def loads(self) -> Loads:
        """Its first closed and its first open load, each at the first point that has a result.

        Raises UsageError when the result does not say what its loads were.
        """
        found: Loads = {}
        for purpose in ("closed", "open"):
            kinds = [kind for kind, shape in LOADS.items() if shape.purpose == purpose]
            of_kind = [info for info in self.result.loads if info.kind in kinds]
            for info in of_kind[:1]:
                found[info.name] = self._one_point(info)
        if not found:
            raise UsageError(
                f"`{self.source}` has no load that can be measured again: expected one of kind"
                " `closed`, `requests` or `sessions`",
                hint="use the result of a comparison, or of a study with such loads",
            )
        return found

    @property
    def _info(self) -> ArmInfo:
        return next(info for info in self.result.arms if info.name == self.arm)

    def cell(self, load: str) -> CellRow | None:
        """The first point of a load that has a result; None: there is none."""
        rows = [row for row in self.result.cells if (row.arm, row.load) == (self.arm, load)]
        return next((row for row in rows if row.throughput_per_s is not None), None)

    def _one_point(self, info: LoadInfo) -> Load:
        row = self.cell(info.name)
        if row is None:
            raise UsageError(f"`{self.source}` has no result of `{self.arm}` under `{info.name}`")
        try:
            load = _LOAD.validate_python(info.declared)
        except ValidationError:
            raise UsageError(
                f"`{self.source}` does not say what its load `{info.name}` is",
                hint="measure the baseline again",
            ) from None
        if isinstance(load, ClosedLoad):
            given = next(n for n in load.connections if row.point.startswith(f"{n:,} connection"))
            return load.model_copy(update={"connections": (given,), "arms": None, "blocks": None})
        if isinstance(load, RequestsLoad | SessionsLoad) and row.rate_per_s is not None:
            update = {"rate": (row.rate_per_s,), "arms": None, "blocks": None}
            return load.model_copy(update=update)
        return load


def saved_baseline(subject: Subject) -> SavedArm | None:
    """The arm of a result that the subject names; None: it is no result.

    Raises UsageError when the result cannot be read, or has several arms and none is named.
    """
    if subject.kind != "result" or subject.file is None:
        return None
    result = result_json.read(subject.file)
    names = [arm.name for arm in result.arms]
    if subject.part is None and len(names) == 1:
        return SavedArm(result, names[0], subject.file)
    if subject.part not in names:
        file = subject.given.removesuffix(f":{subject.part}")
        listed = ", ".join(f"`{file}:{name}`" for name in names)
        raise UsageError(f"`{subject.given}` does not name one of its arms: expected {listed}")
    return SavedArm(result, subject.part, subject.file)


def compared_with(
    saved: SavedArm, now: StudyResult, arm: str, judged: Mapping[ComparedBy, str]
) -> list[Comparison]:
    """The arm compared with the saved one, for each metric that is judged."""
    rows = []
    for metric, load in judged.items():
        before = saved.cell(load)
        after = next((row for row in now.cells if (row.arm, row.load) == (arm, load)), None)
        if before is None or after is None:
            continue
        if metric == "p99" and not before.pace == after.pace == "kept up":
            continue  # the latency of an overloaded server grows with the length of the run
        rows.append(
            compare_unpaired(
                values(before, COMPARED[metric].column),
                values(after, COMPARED[metric].column),
                names=(saved.arm, arm),
                at=(load, after.point),
                metric=metric,
            )
        )
    return rows


def values(row: CellRow, column: str) -> Sequence[float]:
    """One field of the trials that have it."""
    found = [getattr(trial, column) for trial in row.trials]
    return [float(value) for value in found if value is not None]
