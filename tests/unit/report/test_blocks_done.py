"""An unfinished result says how far it came, in words that fit."""

from __future__ import annotations

import pytest
import sample
from httpdyno.report.text.words import blocks_done


@pytest.mark.parametrize(
    ("done", "planned", "words"),
    [
        (3, 10, "3 of 10 blocks were measured"),
        (1, 10, "1 of 10 blocks was measured"),
        (0, 1, "no block was measured whole"),
        (1, 1, "some loads or arms were not measured in every block"),
    ],
)
def test_blocks_are_counted_only_where_some_lack(done: int, planned: int, words: str) -> None:
    update = {"blocks_done": done, "blocks_planned": planned, "complete": False}
    assert blocks_done(sample.tiny().model_copy(update=update)) == words
