"""The comparison: tools in turn, shuffled in each round, so that drift affects all alike."""

from __future__ import annotations

import contextlib
import random
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from peers.generators.install import MissingError, install
from peers.generators.job import CannotError, Row
from peers.generators.tool import Tool
from peers.runs.rows import CEILING, NGINX_ROWS
from peers.runs.trial import FailedError, Place, Spent, trial

STARTS = 3
CEILING_ROUNDS = 3


@dataclass
class Cell:
    """One tool in one row: a trial per round, or why there is none."""

    trials: list[Spent | None] = field(default_factory=list)
    """None: the round failed."""
    reason: str | None = None

    @property
    def done(self) -> list[Spent]:
        """The trials that succeeded."""
        return [spent for spent in self.trials if spent is not None]

    def as_dict(self) -> dict[str, object]:
        """As plain values for JSON."""
        trials = [None if spent is None else spent.as_dict() for spent in self.trials]
        return {"reason": self.reason, "trials": trials}


@dataclass
class Bench:
    """The tools, rows and servers to compare, and the settings of their runs."""

    tools: Sequence[Tool]
    rows: Sequence[Row]
    servers: Sequence[str]
    pairs: int
    seconds: float
    server_cpu: int
    tool_cpu: int
    seed: int = 1
    subtract_starts: bool = True
    """Leave the cost of starting a tool out of its trials."""
    programs: dict[str, Path] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    starts: dict[str, Spent] = field(default_factory=dict)
    ceilings: dict[str, float] = field(default_factory=dict)

    def find(self) -> None:
        """Install missing tools. The table lists those that cannot be installed."""
        for tool in self.tools:
            try:
                self.programs[tool.name] = install(tool)
            except MissingError as why:
                self.missing[tool.name] = str(why)

    def run(self) -> dict[str, dict[str, dict[str, Cell]]]:
        """Server → row → tool → its trials."""
        self._measure_starts()
        results: dict[str, dict[str, dict[str, Cell]]] = {}
        for server in self.servers:
            results[server] = {}
            self.ceilings = {}
            for row in self._rows_of(server):
                if row.share is not None:
                    self._measure_ceilings(server, results[server].get(CEILING.name, {}))
                results[server][row.name] = self._row(server, row)
        return results

    def _rows_of(self, server: str) -> list[Row]:
        if server == "reference":
            return [row for row in self.rows if not row.tls]
        return [row for row in self.rows if row.name in NGINX_ROWS]

    def _here(self) -> list[Tool]:
        return [tool for tool in self.tools if tool.name in self.programs]

    def _measure_starts(self) -> None:
        """Measure what starting each tool costs, with its interpreter, by a single request."""
        for tool in self._here():
            if not tool.has_once:
                continue
            spent = []
            for _ in range(STARTS):
                try:
                    spent.append(self._trial("reference", tool, CEILING, once=True))
                except (CannotError, FailedError) as why:
                    say(f"start of {tool.name}: {why}")
            if spent:
                self.starts[tool.name] = min(spent, key=lambda one: one.user_s + one.system_s)

    def _row(self, server: str, row: Row) -> dict[str, Cell]:
        cells = {tool.name: Cell() for tool in self._here()}
        order = random.Random(f"{self.seed} {server} {row.name}")
        for round_ in range(self.pairs):
            tools = [tool for tool in self._here() if cells[tool.name].reason is None]
            order.shuffle(tools)
            for tool in tools:
                say(f"{server}, {row.name}: round {round_ + 1} of {self.pairs}, {tool.name}")
                self._cell(server, row, tool, cells[tool.name])
        return cells

    def _cell(self, server: str, row: Row, tool: Tool, cell: Cell) -> None:
        rate = None
        if row.share is not None:
            rate = row.share * self.ceilings.get(tool.name, 0.0)
            if not rate:
                cell.reason = "has no ceiling"
                return
        try:
            spent = self._trial(server, tool, row, rate=rate)
        except CannotError as why:
            cell.reason = str(why)
        except FailedError as why:
            say(f"{tool.name} failed: {why}")
            cell.trials.append(None)
            if not cell.done and len(cell.trials) == min(2, self.pairs):
                cell.reason = f"failed: {why}"
        else:
            start = self.starts.get(tool.name) if self.subtract_starts else None
            cell.trials.append(spent.without(start))

    def _measure_ceilings(self, server: str, known: dict[str, Cell]) -> None:
        """Measure each tool's own ceiling, or take it from its row."""
        for tool in self._here():
            if tool.name in self.ceilings:
                continue
            rates = [spent.rate_per_s for spent in known.get(tool.name, Cell()).done]
            with contextlib.suppress(CannotError, FailedError):
                while not known and len(rates) < min(CEILING_ROUNDS, self.pairs):
                    rates.append(self._trial(server, tool, CEILING).rate_per_s)
            self.ceilings[tool.name] = statistics.median(rates) if rates else 0.0

    def _trial(self, server: str, tool: Tool, row: Row, **how: float | bool | None) -> Spent:
        place = Place(server, self.server_cpu, self.tool_cpu)
        return trial(tool, self.programs[tool.name], row, place, self.seconds, **how)


def say(text: str) -> None:
    """Print progress; on a terminal over the previous line."""
    end = "\r" if sys.stderr.isatty() else "\n"
    print(f"{text:<78}"[:78] if end == "\r" else text, end=end, file=sys.stderr, flush=True)
