"""The response times so far of a progress, of one machine and of several."""

from __future__ import annotations

from typing import Any

import pytest
from httpdyno.engine import Progress
from httpdyno.running.live.recorder import so_far_of
from httpdyno.scale.generator import ClusterRun

ZERO: dict[str, Any] = {
    **dict.fromkeys(("due", "sent", "ok", "failed", "in_flight", "open_connections"), 0),
    **dict.fromkeys(("elapsed_s", "rate_per_s", "p50_ns", "p99_ns", "lag_p99_ns"), 0),
}


def progress(*so_far: tuple[int, int], **more: Any) -> Progress:
    return Progress(phase="measuring", errors={}, so_far=so_far, **{**ZERO, **more})


@pytest.mark.parametrize(
    ("at", "ns"), [(0.0, 100), (0.5, 100), (0.51, 200), (0.99, 200), (0.991, 900), (1.0, 900)]
)
def test_a_quantile_is_the_time_that_this_share_of_the_calls_did_not_exceed(
    at: float, ns: int
) -> None:
    assert progress((100, 500), (200, 490), (900, 10)).quantiles([at]) == [ns]


def test_without_a_whole_second_there_is_no_quantile() -> None:
    assert progress().calls_so_far == 0
    assert so_far_of(progress()) is None


def test_the_times_of_several_machines_are_those_of_all_their_calls() -> None:
    class Seen:
        def __init__(self, one: Progress) -> None:
            self.phase, self.progress = one.phase, one

    run = ClusterRun.__new__(ClusterRun)
    each = [progress((100, 3), (300, 1), window_s=1.0), progress((200, 5), (300, 2), window_s=2.0)]
    run._seen = [Seen(one) for one in each]  # type: ignore[misc]
    whole = run.progress()
    assert list(whole.so_far) == [(100, 3), (200, 5), (300, 3)]
    assert whole.window_s == 1.5
