"""The notes below the numbers of `load`: what they are, and what they are not."""

from __future__ import annotations

import pytest

from .measurements import measurement
from .plans import OPEN, plan
from .test_load_summary import shown


@pytest.mark.parametrize(("rates", "said"), [((500, 500), False), ((200, 2000), True)])
def test_the_times_of_a_rate_that_changed_are_said_to_be_of_all_rates(
    rates: tuple[int, int], said: bool
) -> None:
    segments = [{"from_per_s": rate, "to_per_s": rate, "seconds": 5} for rate in rates]
    load = OPEN | {"arrivals": {"spacing": "constant", "segments": segments}}
    text = " ".join(shown(plan(load=load), measurement()).split())
    assert ("the times of the whole load are those of all rates together." in text) == said


def test_a_load_that_got_only_redirects_says_where_they_lead() -> None:
    first = {"status": 302, "http": "1.1", "headers": [("Location", "https://h/\x1b[2J")]}
    first |= {"body_bytes": 0}
    text = " ".join(shown(plan(), measurement(statuses={"302": 500}, first_reply=first)).split())
    assert "Every reply is a redirect to `https://h/\\x1b[2J`, and redirects are not" in text
    some = shown(plan(), measurement(statuses={"302": 499, "200": 1}, first_reply=first))
    assert "redirect" not in some
