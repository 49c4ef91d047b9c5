"""The numbers of a post, judged by the raw log that it left."""

from __future__ import annotations

from pathlib import Path

from httpdyno.running.published_rows import published_rows
from httpdyno.study.read import parse_study

STUDY = """\
title = "A post"
source = "the post"
[[arms]]
server = "node"
deployments = ["1-process"]
[loads.one]
kind = "closed"
requests = 10
[[published]]
arm = "node/1-process"
load = "one"
requests_per_s = 4540
note = "charted"
log = { asked = 1_000_000, replies = 1_000_000, wrong = 997_500, seconds = 221, samples = 44 }
[[published]]
name = "Play 1.1"
load = "one"
requests_per_s = 0
source = "its second part"
"""


def test_a_bar_with_a_log_is_judged_and_one_without_is_not() -> None:
    charted, other = published_rows(parse_study(STUDY, Path("post.toml")))
    assert charted.verdict_of_log is not None
    assert charted.verdict_of_log.status == "invalid"
    assert charted.verdict_of_log.reasons[0].code == "wrong_replies"
    assert charted.verdict_of_log.facts.samples == 44
    assert (other.arm, other.measured, other.source) == ("Play 1.1", False, "its second part")
    assert other.verdict_of_log is None
