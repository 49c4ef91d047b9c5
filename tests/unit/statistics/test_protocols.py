"""Versions of HTTP on the same arm: what is compared, and the sentence about it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from httpdyno.plan import Plan
from httpdyno.report.contents.page import page
from httpdyno.report.page import whole_page
from httpdyno.report.report_markdown import report_markdown
from httpdyno.result import Reason, StudyResult
from httpdyno.run import read_study
from httpdyno.running.abilities import plan_of
from httpdyno.servers import load_catalogue
from httpdyno.statistics.claims.family import between
from httpdyno.statistics.summarise import RunFacts, summarise
from httpdyno.study import Study, narrow
from httpdyno.study.abilities import Abilities
from httpdyno.study.read import parse_study
from trial_samples import outcome, reason

HEAD = 'title = "Protocols"\nquestion = "?"\nblocks = {blocks}\n'
ARMS = '[[arms]]\nserver = "nginx"\ndeployments = ["1-worker-tls"]\n'
OTHER = '[[arms]]\nserver = "go"\ndeployments = ["1-core-tls"]\n'
FIRST = '[loads.first]\nkind = "closed"\nconnections = 100\nduration = 3\n'
SECOND = """\
[loads.second]
kind = "closed"
connections = 10
duration = 3
http = "2"
streams = 10
"""
FACTS = RunFacts(
    command="httpdyno run protocols",
    httpdyno_version="0.1.0",
    seed=1,
    started_at=0.0,
    ended_at=60.0,
    machine=[],
    failures=[],
    titles={"nginx": "nginx", "go": "Go net/http"},
    versions={},
)
WOBBLE = (1.0, 1.02, 0.98, 1.01, 0.99, 1.03, 0.97, 1.0, 1.02, 0.99)
COST = 1.4


def study(text: str = ARMS + FIRST + SECOND, blocks: int = 10) -> Study:
    return parse_study(HEAD.format(blocks=blocks) + text, Path("protocols.toml"))


def measured(
    of: Study, cost: float = COST, doubts: Sequence[Reason] = (), plan: Plan | None = None
) -> StudyResult:
    """Each reply of HTTP/2 costs `cost` times as much CPU, and the machine drifts from block to
    block by a factor of 3."""
    plan = plan or Plan(of)
    every = [(block, cell) for block in range(of.blocks) for cell in plan.cells]
    trials = []
    for index, (block, cell) in enumerate(every):
        is_2 = cell.load.version == "2"
        slower = cost * WOBBLE[block % len(WOBBLE)] if is_2 else 1.0
        rate = 3000 * (1 + block * 0.2) / slower
        found = outcome(index, block, cell.key, rate=rate, reasons=doubts if is_2 else ())
        if cell.refused is None:
            trials.append(found)
    return summarise(plan, trials, FACTS, lambda hdr, shares: [int(hdr)] * len(shares))


def test_the_cost_of_a_newer_version_is_a_sentence_with_the_interval_of_paired_trials() -> None:
    found = measured(study())
    (one,) = found.protocols
    assert (one.older.http, one.older.load, one.older.point) == ("1.1", "first", "100 connections")
    assert (one.newer.http, one.newer.point) == ("2", "10 connections × 10 streams")
    assert one.work == "100 calls at once"
    ratio = one.compared.ratio
    assert ratio is not None
    # The drift of the machine is in both trials of a block: only the noise between them is left.
    assert 1.37 < (ratio.low or 0) < COST < (ratio.high or 9) < 1.43
    assert ratio.trials == 10
    assert (
        "HTTP/2 costs nginx (1 worker-tls) 1.40× the CPU of HTTP/1.1 per request: 95 % CI 1.38 to"
        " 1.42, from 10 trials each." in found.answer_lead
    )


def test_no_difference_is_called_one_and_a_doubt_is_said() -> None:
    same = measured(study(), cost=1.0)
    assert (
        "No difference shown between HTTP/2 and HTTP/1.1 in the CPU per request of nginx"
        " (1 worker-tls): 1.001×, 95 % CI" in same.answer
    )
    busy = Reason(
        code="busy",
        status="suspect",
        text="the server shared its processors",
        hint="",
        doubts=("cpu",),
    )
    doubted = measured(study(), doubts=[busy])
    assert "This result is suspect: the server shared its processors (in each" in doubted.answer


@pytest.mark.parametrize(
    "text",
    [
        # Other numbers of calls at once.
        ARMS + FIRST.replace("100", "99") + SECOND,
        ARMS + FIRST + SECOND.replace("streams = 10", "streams = 20"),
        # Another use of connections, another length, another kind.
        ARMS + FIRST + 'keep_alive = false\n' + SECOND,
        ARMS + FIRST.replace("duration = 3", "duration = 4") + SECOND,
        ARMS + FIRST.replace("closed", "requests") + "rate = 100\n" + SECOND,
        # The same version.
        ARMS + FIRST + SECOND.replace('http = "2"\nstreams = 10\n', ""),
        # Two arms with a version each.
        ARMS + OTHER + FIRST + 'arms = ["go/1-core-tls"]\n' + SECOND
        + 'arms = ["nginx/1-worker-tls"]\n',
    ],
)  # fmt: skip
def test_nothing_is_said_where_more_than_the_protocol_differs(text: str) -> None:
    found = measured(study(text))
    assert found.protocols == []
    assert "costs" not in found.answer
    assert "protocols" not in [part.id for part in page(found, []).parts]


def test_nothing_is_said_of_a_version_that_a_server_refused_or_of_too_few_trials() -> None:
    of = study()
    only_1 = Abilities(cannot={"http-2": "the deployment speaks HTTP/1 only"})
    plan = Plan(of, {"nginx/1-worker-tls": only_1})
    assert measured(of, plan=plan).protocols == []
    few = measured(study(blocks=2))
    assert "costs" not in few.answer
    invalid = measured(of, doubts=[reason("wrong", "invalid")])
    assert "costs" not in invalid.answer


def test_the_same_rate_over_two_versions_is_compared_with_any_number_of_streams_alike() -> None:
    paced = 'kind = "requests"\nrate = [100, 200]\nduration = 3\n'
    text = ARMS + f"[loads.first]\n{paced}connections = 20\n[loads.second]\n{paced}"
    found = measured(study(text + 'connections = 2\nhttp = "2"\nstreams = 10\n'))
    assert [one.work for one in found.protocols] == ["100/s", "200/s"]
    assert "the CPU of HTTP/1.1 per request at 100/s: " in found.answer


def test_the_bundled_study_compares_each_of_its_arms_at_full_speed_and_at_a_rate() -> None:
    of = narrow(read_study("protocols", load_catalogue()))
    assert plan_of(of, load_catalogue()).cells == Plan(of).cells
    found = [(one.of_arm.split("/")[0], one.work) for one in measured(of).protocols]
    works = ("100 calls at once", "1,000/s")
    assert found == [(name, work) for work in works for name in ("nginx", "go", "node")]


def test_several_servers_are_decided_together_and_shown_in_the_report() -> None:
    found = measured(study(ARMS + OTHER + FIRST + SECOND))
    assert [one.of_arm for one in found.protocols] == ["nginx/1-worker-tls", "go/1-core-tls"]
    (level,) = {one.compared.adjusted_with for one in found.protocols}
    assert level > 2
    assert "HTTP/2 costs Go net/http (1 core-tls) 1.40×" in found.answer
    # A ratio that a report does not show is decided together with all that it shows.
    cells = {(cell.arm, cell.load): cell for cell in found.cells}
    pair = cells["nginx/1-worker-tls", "first"], cells["go/1-core-tls", "first"]
    known = {one.arm: one.adjusted_with for one in between(found, [pair])}
    assert known == {"go/1-core-tls": level}
    parts = [part.id for part in page(found, []).parts]
    assert parts.index("protocols") < parts.index("numbers")
    (table,) = page(found, []).protocols
    assert [line.arm.name for line in table.lines] == ["nginx/1-worker-tls", "go/1-core-tls"]
    html = whole_page(found)
    assert '<section id="protocols"' in html
    assert "HTTP/2 ÷ HTTP/1.1" in html
    assert "## Versions of HTTP" in report_markdown(found, [])
