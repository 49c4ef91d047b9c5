"""The numbers of a study: their names, units, direction and words, and how a trial gives them.

Results, comparisons, tables, charts, exports and histories derive from `METRICS`: a number that is
added here is in all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from httpdyno import units

if TYPE_CHECKING:
    from httpdyno.measurement import Measurement

Number = Literal["throughput", "p50", "p99", "errors", "cpu", "memory"]
"""A number of a measurement that a reason can doubt; `p99` stands for the whole tail."""
Purpose = Literal["closed", "open", "capacity"]
"""The use of a load: the most at full speed, the latency at a rate, or the highest rate that holds
limits. Each is for other numbers: see `docs/concepts/loads.md`."""
ComparedBy = Literal["throughput", "p99", "errors", "server CPU per request", "capacity"]
"""A metric by which arms are compared, as results name it."""
RankedBy = Literal["throughput", "p99", "capacity"]
"""A metric by which arms are ranked."""
Section = Literal["throughput", "latency", "errors", "cpu", "memory", "capacity"]
"""A section of charts, one for each metric or for several."""
Format = Callable[[float], str]


class Trial(Protocol):
    """The part of a trial's outcome that metrics are read from, without its database."""

    @property
    def measurement(self) -> Measurement | None:
        """The measurement of the load generator."""

    @property
    def cpu_s_per_request(self) -> float | None:
        """CPU seconds of the server per right reply."""

    @property
    def memory_bytes(self) -> int | None:
        """Peak memory of the server's processes."""


Read = Callable[[Trial], float | None]


def _of_measurement(value: Callable[[Measurement], float]) -> Read:
    """Reads a number of the measurement of a trial; None without one."""
    return lambda trial: None if trial.measurement is None else value(trial.measurement)


@dataclass(frozen=True)
class Unit:
    """The unit of a metric outside of this program: `exported = stored × factor`."""

    name: str
    factor: float
    words: Format
    """A stored value with its unit, for people."""
    in_report: Format
    """The same in a report, whose columns and axes have one unit each."""
    base: str = ""
    """The unit of stored values, as OpenMetrics names it."""
    measure: str = ""
    """The end of the name of a measure of Bencher; empty: requests per second."""


_RATE = Unit("requests/s", 1.0, units.rate, units.rate, "requests_per_second")
_BODIES = Unit("MB/s", 1e-6, units.bytes_per_s, units.bytes_per_s)
_TIME = Unit("ms", 1e3, units.duration, units.duration, "seconds", "-ms")
_COST = Unit("µs", 1e6, units.duration, units.microseconds, "seconds", "-us-per-request")
_SIZE = Unit("MiB", 2.0**-20, units.size, units.size, "bytes", "-mib")
_SHARE = Unit("%", 100.0, units.percent, units.percent)
_NUMBER = Unit("", 1.0, units.significant, units.significant)


@dataclass(frozen=True)
class Chart:
    """The words of a metric in charts. Metrics of one section and suffix share a chart."""

    section: Section
    axis: str
    about: str
    """The beginning of the subtitle; of a metric that shares a chart, its part of that."""
    range: str
    """`Requests per second`"""
    one: str = ""
    """`{arm} answers {value}`"""
    best: str = ""
    """`{arm} answers most`"""
    last: str = ""
    """`{arm} answers least`"""
    suffix: str = ""


@dataclass(frozen=True, eq=False)
class Metric:
    """A number of a cell and of its trials."""

    name: str
    """On the command line, and in the names of exported numbers."""
    column: str
    """The field of a cell and of its trials."""
    number: Number | None
    """The number that a reason doubts with it; None: a capacity, which rests on all of them."""
    unit: Unit
    more_is_better: bool
    title: str
    """In exports and histories, where a changed name would begin a new series."""
    in_full: str
    """In a sentence of a report."""
    chart: Chart
    read: Read | None = None
    """Reads it from a trial; None: a search finds it."""
    heading: str = ""
    """Of its column in a table; empty: it has none."""
    place: int = 0
    """The place of its column where there is room for a few only: on a narrow terminal, the last
    ones go first. 0: it has none."""
    loads: tuple[Purpose, ...] = ()
    """The loads under which it answers a question, and is exported and followed over time."""
    gauge: str = ""
    """Its name in OpenMetrics, without the unit."""
    of_database: bool = False
    """Only trials with a database beside the server have it."""
    compared: ComparedBy | None = None
    """Its name in comparisons; None: arms are not compared by it."""
    noun: str = ""
    """In a sentence that compares arms."""
    more: str = "more"
    less: str = "less"
    """Comparatives that go with the noun."""

    @property
    def factor(self) -> float:
        """`exported = stored × factor`."""
        return self.unit.factor

    @property
    def words(self) -> Format:
        """A stored value with its unit, for people."""
        return self.unit.words

    @property
    def short(self) -> str:
        """The heading on a terminal."""
        return self.heading.replace(" per ", "/")

    @property
    def in_column(self) -> Format:
        """A stored value below its heading, without the unit that the heading has."""
        return units.significant if self.heading == self.unit.name else self.unit.words

    @property
    def label(self) -> str:
        """Its name in a comparison, or on the command line."""
        return self.compared or self.name


def _of_database(
    name: str, column: str, in_full: str, heading: str = "", place: int = 0, one: str = ""
) -> Metric:
    """A number of the database beside the server; with the words of `one`, it has a chart."""
    unit = _COST if one else _NUMBER
    axis = f"{in_full} ({unit.name})" if unit.name else in_full
    return Metric(
        name,
        column,
        "cpu",
        unit,
        more_is_better=False,
        title=in_full,
        in_full=in_full,
        chart=Chart("cpu", axis, about=in_full, range=in_full, one=one, suffix=name),
        read=lambda trial: getattr(trial, column),
        heading=heading or in_full,
        place=place,
        of_database=True,
    )


METRICS = (
    Metric(
        "throughput",
        "throughput_per_s",
        "throughput",
        _RATE,
        more_is_better=True,
        title="requests per second",
        in_full="requests per second",
        chart=Chart(
            "throughput",
            axis="right replies per second",
            about="Right replies per second",
            range="Right replies per second",
            one="{arm} answers {value}",
            best="{arm} answers most",
            last="{arm} answers least",
        ),
        read=_of_measurement(lambda m: m.throughput_per_s),
        heading="requests/s",
        place=1,
        loads=("closed",),
        gauge="throughput",
        compared="throughput",
        noun="requests/s",
        less="fewer",
    ),
    Metric(
        "bodies",
        "body_bytes_per_s",
        "throughput",
        _BODIES,
        more_is_better=True,
        title="bytes of reply bodies per second",
        in_full="bytes of reply bodies per second",
        chart=Chart(
            "throughput",
            axis="reply bodies (MB/s)",
            about="Bytes of reply bodies per second",
            range="Reply bodies",
            one="{arm} sends {value} of bodies",
            suffix="bodies",
        ),
        read=_of_measurement(lambda m: m.body_bytes / m.window_s if m.window_s else 0.0),
    ),
    Metric(
        "p50",
        "p50_s",
        "p50",
        _TIME,
        more_is_better=False,
        title="response time, median",
        in_full="median response time",
        chart=Chart("latency", "response time, p50 (ms)", about="median (p50)", range="Median"),
        read=_of_measurement(lambda m: m.times.response.p50_ns * 1e-9),
        heading="p50",
        place=40,
        loads=("open",),
        gauge="response_time_p50",
    ),
    Metric(
        "p99",
        "p99_s",
        "p99",
        _TIME,
        more_is_better=False,
        title="response time, p99",
        in_full="response time at p99",
        chart=Chart(
            "latency",
            axis="response time, p99 (ms)",
            about="p99",
            range="Response time at p99",
            one="{arm} answers 99 % of the requests within {value}",
            best="{arm} has the shortest p99",
            last="{arm} has the longest",
        ),
        read=_of_measurement(lambda m: m.times.response.p99_ns * 1e-9),
        heading="p99",
        place=10,
        loads=("open",),
        gauge="response_time_p99",
        compared="p99",
        noun="p99",
        more="longer",
        less="shorter",
    ),
    Metric(
        "errors",
        "error_share",
        "errors",
        _SHARE,
        more_is_better=False,
        title="share of failed requests",
        in_full="share of failed requests",
        chart=Chart(
            "errors",
            axis="requests that failed (%)",
            about="Share of the requests that failed",
            range="Failed requests, median of the trials",
            one="{arm}: {value} of the requests failed in the median trial",
        ),
        read=_of_measurement(lambda m: m.error_share),
        heading="errors",
        compared="errors",
        noun="errors",
    ),
    Metric(
        "cpu",
        "server_cpu_s_per_request",
        "cpu",
        _COST,
        more_is_better=False,
        title="server CPU time per request",
        in_full="CPU time per request",
        chart=Chart(
            "cpu",
            axis="CPU time per request (µs)",
            about="CPU time per request, of all processes of the server",
            range="CPU time per request",
            one="{arm} needs {value} of CPU per request",
        ),
        read=lambda trial: trial.cpu_s_per_request,
        heading="CPU per request",
        place=50,
        loads=("closed", "open"),
        gauge="server_cpu_per_request",
        compared="server CPU per request",
        noun="CPU time per request",
    ),
    Metric(
        "memory",
        "server_rss_bytes",
        "memory",
        _SIZE,
        more_is_better=False,
        title="server memory at its peak",
        in_full="peak memory",
        chart=Chart(
            "memory",
            axis="peak memory of all processes (MiB)",
            about="Peak memory of all processes of the server",
            range="Peak memory",
            one="{arm} uses {value}",
        ),
        read=lambda trial: trial.memory_bytes,
        heading="peak memory",
        loads=("closed", "open"),
        gauge="server_memory_peak",
    ),
    _of_database(
        "database-cpu",
        "database_cpu_s_per_request",
        "CPU time of the database per request",
        heading="database CPU per request",
        place=60,
        one="{arm} needs {value} of the database's CPU per request",
    ),
    _of_database("queries", "queries_per_request", "queries per request", place=61),
    _of_database("connections", "database_connections", "database connections"),
    Metric(
        "capacity",
        "capacity_per_s",
        None,
        _RATE,
        more_is_better=True,
        title="highest requests per second within the limits",
        in_full="capacity",
        chart=Chart(
            "capacity",
            axis="capacity, requests per second",
            about="Capacity",
            range="Capacity",
            one="{arm} holds the limits up to {value}",
            best="{arm} has the highest capacity",
            last="{arm} has the lowest",
        ),
        heading="capacity",
        loads=("capacity",),
        gauge="capacity",
        compared="capacity",
        noun="capacity",
    ),
)
MEASURED = tuple(one for one in METRICS if one.read)
"""Those that each trial has; the other one is a capacity."""
EXPORTED = tuple(one for one in METRICS if one.loads)
"""Those that other programs get, and that a history follows."""
COLUMNS = tuple(one for one in MEASURED if one.heading and not one.of_database)
"""The columns of a table of all numbers."""
OF_DATABASE = tuple(one for one in MEASURED if one.of_database)
"""More columns, where there is a database."""
FEW = tuple(one for one in COLUMNS if one.place)
"""The columns of a table of a few numbers."""
BY_NAME: Mapping[str, Metric] = {one.name: one for one in METRICS}
OF_ENDPOINTS = tuple(BY_NAME[name] for name in ("throughput", "p50", "p99", "errors"))
"""The numbers that each endpoint of a cell has, too."""
COMPARED: Mapping[ComparedBy, Metric] = {one.compared: one for one in METRICS if one.compared}
