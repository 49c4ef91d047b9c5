"""CPU time of a server, which the kernel counts in steps."""

from __future__ import annotations

import pytest
from httpdyno.verdict import judge
from measured import measurement, plan


@pytest.mark.parametrize(
    ("used_s", "said"),
    [
        (0.04, "40.0 ms, is known in steps of 10.0 ms only (25.0 %, limit 5 %)"),
        (0.0, "under 10.0 ms, is known in steps of 10.0 ms only (limit 5 %)"),
    ],
)
def test_few_steps_of_cpu_time_are_a_doubt_about_it_alone(used_s: float, said: str) -> None:
    verdict = judge(measurement(), plan(), in_study=True, server_cpu_s=used_s)
    (reason,) = verdict.reasons
    assert reason.text == f"the server's CPU time, {said}"
    assert reason.doubts == ("cpu",)
    assert (verdict.status, verdict.status_of("p99")) == ("suspect", "valid")


def test_the_hint_is_the_length_at_which_the_steps_are_small() -> None:
    """Of 10 s in which the server used 40 ms; and of those in which it used too little to tell."""
    for used_s, seconds in ((0.04, 50), (0.0, 100)):
        (reason,) = judge(measurement(), plan(), in_study=True, server_cpu_s=used_s).reasons
        assert f'(`duration = "{seconds}s"`)' in reason.hint
    assert judge(measurement(), plan(), server_cpu_s=None).status == "valid"
