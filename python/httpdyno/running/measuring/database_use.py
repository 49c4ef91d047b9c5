"""The work of the database beside the server during one load."""

from __future__ import annotations

from httpdyno.measurement import Measurement
from httpdyno.outcome import DatabaseUse
from httpdyno.running.beside import DatabaseBeside
from httpdyno.servers import Usage
from httpdyno.services.database import Counters
from httpdyno.workloads import Queries, world

__all__ = ["DatabaseWatch"]


class DatabaseWatch:
    """Reads the counters of a database: its CPU time at the edges of the window, its statements
    from the first call to the last."""

    def __init__(self, beside: DatabaseBeside, queries: Queries | None) -> None:
        """The load is about to begin."""
        self._beside = beside
        self._queries = queries
        self._before = self._after = self._usage()
        self._connections = 0
        beside.database.reset_counters()

    def begin(self) -> None:
        """The measured window begins."""
        self._before = self._usage()
        self._connections = self._beside.database.connections()

    def end(self) -> None:
        """The measured window has ended."""
        self._after = self._usage()
        now = self._beside.database.connections()
        self._connections = max(self._connections, now)

    def use(self, measurement: Measurement) -> DatabaseUse:
        """The work of the load, which has ended."""
        one, queries = self._beside, self._queries
        found = one.database.counters(queries.tables if queries else ())
        counted = found or Counters()
        writes = queries is not None and queries.rows_written > 0
        before, after = self._before, self._after
        return DatabaseUse(
            name=one.name,
            window_s=after.at - before.at if before and after else 0.0,
            cpu_s=max(0.0, after.cpu_s - before.cpu_s) if before and after else None,
            cores=len(one.cores),
            shares_server=one.shares_server,
            connections=self._connections,
            replies=measurement.calls.ok + measurement.warm_up_calls.ok,
            queries=found and counted.queries,
            reads=found and counted.reads,
            rows_read=found and counted.rows_read,
            rows_written=found and counted.rows_written,
            rows_changed=one.database.number(world.CHANGED) if writes else None,
        )

    def _usage(self) -> Usage | None:
        return None if self._beside.meter is None else self._beside.meter.snapshot()
