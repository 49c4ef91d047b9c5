"""A measurement of one rate: did the limits hold, and if not, whose fault was it?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from httpdyno.capacity.limits import parse_limits, why_never
from httpdyno.capacity.step import judge_step
from httpdyno.measurement import Measurement
from httpdyno.result import Reason
from trial_samples import measurement, reason

LIMITS = parse_limits(["p99<20ms", "errors<1%"])


def quantiles(hdr: str, at: Sequence[float]) -> list[int]:
    """The sample has its p99 as text in place of a histogram."""
    return [int(hdr)] * len(at)


def with_times(p99_s: float, lag_s: float = 0.0) -> Measurement:
    found = measurement(p99_s=p99_s, load="requests")
    lag = found.times.lag.model_copy(update={"p99_ns": int(lag_s * 1e9)})
    return found.model_copy(update={"times": found.times.model_copy(update={"lag": lag})})


def outcome(p99_s: float, lag_s: float = 0.0, reasons: Sequence[Reason] = ()) -> Any:
    return judge_step(with_times(p99_s, lag_s), reasons, LIMITS, quantiles)


def test_a_step_within_all_limits_held() -> None:
    assert outcome(0.010) == ("held", 0.5, "")


def test_a_limit_that_does_not_hold_fails_the_step_and_is_named() -> None:
    found, use, why = outcome(0.030)
    assert (found, use) == ("failed", 1.5)
    assert "p99" in why
    assert "20 ms" in why


def test_a_value_of_exactly_the_limit_holds_and_one_above_it_is_said_to_be_above() -> None:
    assert outcome(0.020) == ("held", 1.0, "")
    assert outcome(0.0201)[2] == "p99 20.1 ms > 20 ms"
    never = why_never(LIMITS, with_times(0.030), quantiles)
    assert never == "p99 30.0 ms > 20 ms"


def test_the_largest_use_of_several_limits_counts() -> None:
    many = judge_step(with_times(0.010), (), parse_limits(["p99<20ms", "p50<2ms"]), quantiles)
    assert many[0] == "failed"
    assert many[1] == 5.0


def test_a_server_that_falls_behind_fails_although_its_limits_still_hold() -> None:
    found, use, why = outcome(0.010, reasons=[reason("overload", "suspect")])
    assert (found, use, why) == ("failed", None, "it was overload")


def test_an_invalid_measurement_fails() -> None:
    assert outcome(0.010, reasons=[reason("wrong_replies", "invalid")])[0] == "failed"


def test_a_failure_that_the_generators_lag_explains_is_a_disturbance() -> None:
    found, _, why = outcome(0.030, lag_s=0.015)
    assert found == "disturbed"
    assert "p99 30.0 ms > 20 ms" in why
    assert "sent calls late by 15.0 ms at the 99th percentile" in why


def test_a_lag_of_a_small_part_of_the_limit_is_no_excuse() -> None:
    assert outcome(0.0203, lag_s=0.0005)[0] == "failed"


def test_on_shared_cores_a_late_generator_is_the_servers_doing() -> None:
    shared = [reason("shared_cores", "suspect")]
    assert outcome(0.030, lag_s=0.015, reasons=shared)[0] == "failed"


def test_a_generator_that_was_kept_from_its_processor_disturbs_and_has_no_limit() -> None:
    assert outcome(0.030, reasons=[reason("generator_stopped", "suspect")])[0] == "disturbed"


def test_a_failure_that_the_lag_does_not_explain_is_the_servers() -> None:
    assert outcome(0.030, lag_s=0.005)[0] == "failed"


def test_a_generator_at_its_own_limit_blames_no_server() -> None:
    found, _, why = outcome(0.030, reasons=[reason("generator_busy", "suspect")])
    assert found == "generator"
    assert "it was generator_busy" in why


def test_a_late_generator_does_not_spoil_a_step_that_held() -> None:
    assert outcome(0.010, lag_s=0.009, reasons=[reason("generator_late", "suspect")])[0] == "held"


def test_a_failure_while_others_took_the_servers_processors_is_a_disturbance() -> None:
    found = judge_step(with_times(0.030), (), LIMITS, quantiles, "others took 31 %")
    assert found.outcome == "disturbed"
    assert found.why.endswith("others took 31 %")


def test_a_step_that_held_beside_others_held() -> None:
    assert (
        judge_step(with_times(0.010), (), LIMITS, quantiles, "others took 31 %").outcome == "held"
    )
