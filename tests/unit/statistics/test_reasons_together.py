"""The same reason of several trials: its numbers are those of all of them."""

from __future__ import annotations

import pytest
from httpdyno.doubts.together import in_trials
from httpdyno.limits.walk import Walk
from httpdyno.result import Reason
from walk_samples import result, row, study, with_walk

WAITED = "the load generator waited for a CPU for {} of the time (limit 10 %): calls were late"


@pytest.mark.parametrize(
    ("texts", "of", "said"),
    [
        (
            [WAITED.format(share) for share in ("11.9 %", "12.5 %", "41.2 %", "13.1 %")],
            10,
            WAITED.format("11.9 to 41.2 %") + " (in 4 of 10 trials)",
        ),
        (
            ["too few: 980 calls in 2.00 s", "too few: 664 calls in 2.00 s"],
            2,
            "too few: 664 to 980 calls in 2.00 s (in each of 2 trials)",
        ),
        (
            ["p99 is uncertain: 900 µs to 1.20 ms", "p99 is uncertain: 1.10 ms to 1,200 ms"],
            3,
            "p99 is uncertain: 900 µs to 1,200 ms (in 2 of 3 trials)",
        ),
        (
            ["10.1 to 10.4 µs", "9.00 to 11.0 µs"],
            2,
            "9.00 to 11.0 µs (in each of 2 trials)",
        ),
        (
            ["150/s of 200/s", "1,150/s of 1,200/s"],
            2,
            "150 to 1,150/s of 200 to 1,200/s (in each of 2 trials)",
        ),
        (
            ["the first of 5 replies had status 404", "the first of 5 replies had status 503"],
            2,
            "the first of 5 replies had status 404 (in each of 2 trials, 1 of them like this)",
        ),
        (
            ["it waited for 11.0 %", "it stood still for 20.0 %", "it waited for 12.0 %"],
            5,
            "it waited for 11.0 to 12.0 % (in 3 of 5 trials, 2 of them like this)",
        ),
    ],
)
def test_a_reason_of_several_trials_has_the_range_of_its_numbers(
    texts: list[str], of: int, said: str
) -> None:
    assert in_trials(texts, of) == said


def test_trials_that_were_not_searched_are_counted_apart() -> None:
    text = "the limits did not hold even at 12.5/s"
    assert in_trials([text, text], 2, 3) == (
        f"{text} (in each of 2 trials; 3 more were not searched)"
    )
    never = Reason(code="never_held", status="invalid", text=text, hint="")
    skipped = Reason(code="skipped", status="invalid", text="not searched", hint="")
    trials = [
        with_walk(n, n, "a/1-worker", Walk(task="climb", cores=1, ended=ended)).model_copy(
            update={"status": "invalid", "reasons": (reason,), "measurement": None}
        )
        for n, (ended, reason) in enumerate(
            [("never", never), ("never", never), *[("skipped", skipped)] * 3]
        )
    ]
    found = row(result(study(), trials))
    assert [one.text for one in found.reasons] == [
        f"{text} (in each of 2 trials; 3 more were not searched)"
    ]
    assert [one.reasons[0].code for one in found.trials] == ["never_held"] * 2 + ["skipped"] * 3
