"""The results of each endpoint: of the requests of one name."""

from __future__ import annotations

from httpdyno.measurement.calls import EndpointCalls
from httpdyno.measurement.times import Time
from httpdyno.measurement.validity import Percentile
from httpdyno.value import Value


class EndpointStep(Value):
    """An endpoint in a step or ramp of the rate: its measured calls that ended in the whole seconds
    of it. Of a run that is so long that its seconds are counted together, those of 2, 4 … that lie
    in the step."""

    begins_s: float
    """From the start of the window; negative: in the warm-up."""
    ends_s: float | None
    """Null: without end."""
    from_per_s: float
    to_per_s: float
    """The rates of all endpoints together at its begin and at its end."""
    seconds: int
    """Its whole seconds. Without one, it has no counts and no times."""
    ok: int
    failed: int
    body_bytes: int
    percentiles: list[Percentile]
    """Of the response time, within 0.8 %. Calls that timed out are in it at their age. Empty: no
    call has one."""
    throughput_per_s: float | None
    """ok ÷ seconds. Null: there is no whole second."""

    @property
    def error_share(self) -> float:
        """Share of the ended calls that did not come back right, 0 to 1."""
        ended = self.ok + self.failed
        return self.failed / ended if ended else 0.0

    def percentile(self, quantile: float) -> Percentile | None:
        """The percentile of the response time at `quantile`, 0 to 1."""
        return next((one for one in self.percentiles if one.quantile == quantile), None)


class Endpoint(Value):
    """The measured calls of one endpoint, of a plan that has several."""

    name: str
    """Of its requests; without one, their method and path without the query."""
    calls: EndpointCalls
    completed_in_window: int
    """Right replies whose last byte came inside the window, whenever they were due."""
    throughput_per_s: float
    """completed_in_window ÷ window_s."""
    statuses: dict[str, int]
    """Replies by status; `other` are those outside 100 to 599."""
    body_bytes: int
    """Bytes of the bodies of replies that were complete in the window."""
    response: Time
    """due → last byte; calls that never came back are in it at their age."""
    service: Time
    """sent → last byte, of calls that came back right."""
    percentiles: list[Percentile]
    """Of the response time, with the intervals of this endpoint alone."""
    steps: tuple[EndpointStep, ...] = ()
    """Its part of each step of the rate that the window reaches. Empty: the rate does not change,
    or is that of sessions."""

    @property
    def error_share(self) -> float:
        """Share of the ended and abandoned calls that did not come back right, 0 to 1."""
        lost = self.calls.failed + self.calls.in_flight
        total = lost + self.calls.ok
        return lost / total if total else 0.0

    def time(self, name: str) -> Time | None:
        """The response time or the service time; None: another one, not measured by endpoint."""
        return {"response": self.response, "service": self.service}.get(name)

    def percentile(self, quantile: float) -> Percentile | None:
        """The percentile of the response time at `quantile`, 0 to 1, if it has an interval."""
        found = next((one for one in self.percentiles if one.quantile == quantile), None)
        return found and found.bounded_by(self.response)
