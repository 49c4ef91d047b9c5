"""Clocks that are not known well: where they matter, and by how much at most."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measured import Change, codes, fit, known_within, measurement

MS = 1_000_000
CLOSED: Change = {"load": "closed", "offered_per_s": None}


@pytest.mark.parametrize(
    ("why", "errors_ns", "changes"),
    [
        (
            "the call before has ended",
            (MS, MS),
            {"validity__arrivals": fit(due=400, scheduled=None)},
        ),
        ("random arrivals", (MS, MS), {"validity__arrivals": fit(spacing="exponential")}),
        ("a load without a schedule", (MS, MS), CLOSED | {"validity__arrivals": None}),
        (
            "the schedule repeats itself",
            (MS, MS),
            {"validity__arrivals": fit(due=100_001, scheduled=None)},
        ),
        ("one load generator", (MS,), {}),
    ],
)
def test_clocks_that_are_not_known_well_matter_only_where_calls_meet_by_a_schedule(
    why: str, errors_ns: tuple[int, ...], changes: Change
) -> None:
    assert "unsure_clocks" in codes(measurement(nodes=known_within(MS, MS))), why
    assert codes(measurement(nodes=known_within(*errors_ns), **changes)) == [], why


@given(st.data())
def test_calls_off_schedule_by_t_change_no_response_time_in_a_queue_by_more_than_t(
    data: st.DataObject,
) -> None:
    machines, apart, gap = data.draw(st.integers(2, 4)), data.draw(st.floats(0, 3)), 1.0
    off = data.draw(st.lists(st.floats(0, apart), min_size=machines, max_size=machines))
    work = data.draw(st.lists(st.floats(0, 4), min_size=1, max_size=40))
    servers = data.draw(st.integers(1, 3))
    due = [gap * n for n in range(len(work))]
    came = [at + off[n % machines] for n, at in enumerate(due)]
    planned, real = sorted(responses(due, work, servers)), responses(sorted(came), work, servers)
    differences = [abs(one - other) for one, other in zip(planned, sorted(real), strict=True)]
    assert max(differences) <= apart + 1e-9


def responses(came: list[float], work: list[float], servers: int) -> list[float]:
    """The response times of calls that are served in their order."""
    free = [0.0] * servers
    taken = []
    for at, seconds in zip(came, work, strict=True):
        free.sort()
        free[0] = max(at, free[0]) + seconds
        taken.append(free[0] - at)
    return taken
