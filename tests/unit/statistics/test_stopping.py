"""Studies that stop at a precision: the rule, from the stored trials alone."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from httpdyno.errors import UsageError
from httpdyno.outcome import TrialOutcome
from httpdyno.plan import Plan, in_words
from httpdyno.result import StudyResult
from httpdyno.running.documents import ServersDocument, identity, study_document
from httpdyno.running.session import Session
from httpdyno.statistics.intervals import mean_interval, mean_sequence, median_estimate
from httpdyno.statistics.summarise import RunFacts, summarise
from httpdyno.store import NewRun, open_store
from httpdyno.study import Study, narrow
from httpdyno.study.precision import parse_precision, plus_minus
from httpdyno.study.read import parse_study
from trial_samples import outcome

STUDY = """\
title = "Two servers"
blocks = 30
until = "±3%"
[[arms]]
server = "tornado"
deployments = ["1-process"]
[[arms]]
server = "starlette"
deployments = ["1-worker"]
[loads.closed]
kind = "closed"
duration = "3s"
"""
FACTS = RunFacts(
    command="httpdyno run two",
    httpdyno_version="0.1.0",
    seed=1,
    started_at=0.0,
    ended_at=60.0,
    machine=[],
    failures=[],
    titles={},
    versions={},
)


def study(text: str = STUDY) -> Study:
    return parse_study(text, Path("two.toml"))


def trials(of: Study, blocks: int, spread: float, skip: int = 0) -> list[TrialOutcome]:
    """The trials of the first blocks, without the last `skip`; arms differ by `spread` or so."""
    rng = np.random.default_rng(4)
    every = [(block, cell) for block in range(blocks) for cell in Plan(of).cells]
    found = [
        outcome(index, block, cell.key, rate=1000 * float(np.exp(spread * rng.standard_normal())))
        for index, (block, cell) in enumerate(every)
    ]
    return found[: len(found) - skip]


def result(of: Study, found: list[TrialOutcome]) -> StudyResult:
    return summarise(Plan(of), found, FACTS, lambda hdr, shares: [1] * len(shares))


def test_a_study_stops_once_every_ratio_is_precise_and_says_so() -> None:
    found = result(study(), trials(study(), 10, 0.005))
    assert found.complete
    assert found.stopping is not None
    assert (found.stopping.stopped, found.stopping.blocks) == (True, 10)
    assert found.stopping.reached is not None
    assert found.stopping.reached <= 0.03
    assert found.stopping.text.startswith("Stopped after block 10 of at most 30: the widest")
    assert found.stopping.text in found.notes


def test_noise_keeps_a_study_going_and_the_report_says_what_it_would_take() -> None:
    found = result(study(), trials(study(), 12, 0.05))
    assert not found.complete
    assert found.stopping is not None
    assert not found.stopping.stopped
    assert "was not reached after 12 of at most 30 blocks: the widest interval is ±" in (
        found.stopping.text
    )
    assert "It would probably take about 135 blocks." in found.stopping.text


def test_more_blocks_than_anybody_measures_are_not_proposed() -> None:
    found = result(study(), trials(study(), 12, 0.5))
    assert found.stopping is not None
    assert found.stopping.text.endswith(
        " More blocks will not help: it would take more than 200. Make the trials longer or the"
        " machine quieter, or request a lower precision."
    )
    # A study that has more blocks goes on, and says how far.
    long = study(STUDY.replace("blocks = 30", "blocks = 1000"))
    found = result(long, trials(long, 12, 0.1))
    assert found.stopping is not None
    assert "It would probably take about" in found.stopping.text


def test_an_arm_that_was_never_measured_does_not_shorten_what_the_others_would_take() -> None:
    of = study(STUDY.replace('"1-worker"', '"1-worker", "4-workers"'))
    measured = [one for one in trials(of, 12, 0.02) if one.arm != "starlette/4-workers"]
    found = result(of, measured)
    assert found.stopping is not None
    assert found.blocks_done == 0
    guess = re.search(r"It would probably take about ([0-9,]+) blocks", found.stopping.text)
    assert guess is not None
    assert int(guess[1].replace(",", "")) > 12


def test_trials_without_any_spread_have_no_width_of_rounding_errors() -> None:
    found = result(study(), trials(study(), 10, 0.0))
    assert found.stopping is not None
    assert found.stopping.text.startswith(
        "Stopped after block 10 of at most 30: the widest interval is below ±0.0001 %"
    )


def test_an_interval_that_says_nothing_has_no_width() -> None:
    found = result(study(), trials(study(), 12, 2.0))
    assert found.stopping is not None
    assert "the widest interval is more than ±1,000 % (starlette" in found.stopping.text


def test_it_does_not_look_before_the_tenth_block_nor_within_a_block() -> None:
    assert not result(study(), trials(study(), 9, 0.0001)).complete
    within = result(study(), trials(study(), 11, 0.0001, skip=1))
    assert (within.complete, within.blocks_done) == (False, 10)


def test_two_modes_of_an_arm_keep_a_study_going_until_there_are_twenty_blocks() -> None:
    wide = study(STUDY.replace("±3%", "±20%"))
    stops = {}
    for blocks in (12, 19, 20):
        found = trials(wide, blocks, 0.005)
        slow = [one for one in found if one.cell[0] == "tornado/1-process" and one.block % 4 == 1]
        assert len(slow) == len(range(1, blocks, 4))
        found = [slower(one) if one in slow else one for one in found]
        stopping = result(wide, found).stopping
        assert stopping is not None
        stops[blocks] = stopping
    assert [one.stopped for one in stops.values()] == [False, False, True]
    assert (
        "It goes on to block 20, because of tornado/1-process: throughput has two modes: 9 of"
        in (stops[12].text)
    )


def slower(one: TrialOutcome) -> TrialOutcome:
    """The trial at 85 % of its throughput."""
    assert one.measurement is not None
    return outcome(0, one.block, one.cell, rate=0.85 * one.measurement.throughput_per_s)


def test_all_blocks_are_enough_even_if_the_precision_is_not_reached() -> None:
    found = result(study(), trials(study(), 30, 0.2))
    assert found.complete
    assert found.stopping is not None
    assert (found.stopping.stopped, found.stopping.blocks) == (False, 30)


def test_the_intervals_are_those_of_a_confidence_sequence() -> None:
    many = trials(study(), 10, 0.01)
    (ratio, _) = (one.ratio for one in result(study(), many).comparisons)
    assert ratio is not None
    assert ratio.low is not None
    fixed_study = study(STUDY.replace('until = "±3%"\n', ""))
    fixed = result(fixed_study, many).comparisons[0].ratio
    assert fixed is not None
    assert fixed.low is not None
    assert ratio.value == fixed.value
    assert ratio.low < fixed.low
    few = result(study(), trials(study(), 7, 0.01)).cells[0].throughput_per_s
    assert few is not None
    assert few.low is None


def test_a_single_arm_stops_by_the_interval_of_its_level() -> None:
    alone = study().model_copy(update={"arms": study().arms[:1]})
    assert result(alone, trials(alone, 12, 0.005)).complete
    assert not result(alone, trials(alone, 12, 0.2)).complete


def test_a_load_that_has_all_its_blocks_keeps_no_study_waiting() -> None:
    of = study(STUDY + '[loads.once]\nkind = "closed"\nduration = "1s"\nblocks = 2\n')
    every = Plan(of).trials
    found = [
        outcome(trial.index, trial.block, trial.cell.key, rate=1000.0 + trial.index % 3)
        for trial in every
        if trial.block < 11
    ]
    assert result(of, found).complete


def test_a_stopped_run_has_nothing_left_to_measure(tmp_path: Path) -> None:
    of, store = study(), open_store(f"sqlite:///{tmp_path / 'results.sqlite'}")
    run_id = store.begin_run(
        NewRun(
            study=of.name,
            identity=identity(of),
            study_text=of.text,
            seed=1,
            command="httpdyno run two.toml",
            httpdyno_version="0.1.0",
            started_at=1.0,
            facts=[],
            folder="results",
            study_document=study_document(of),
            servers_document=ServersDocument().model_dump_json(),
        )
    )
    session = Session(store, run_id, tmp_path, Plan(of), ServersDocument(), "httpdyno run two.toml")
    for trial in session.trials[:20]:
        assert session.stopped_after() is None
        assert len(session.remaining()) == 60 - trial.index
        row = outcome(trial.index, trial.block, trial.cell.key, rate=1000.0 + trial.index % 3)
        store.record(run_id, without_histogram(row))
    assert session.stopped_after() == 10
    assert session.remaining() == []


def without_histogram(row: TrialOutcome) -> TrialOutcome:
    """The trial without its latency spectrum, which only the engine could write."""
    assert row.measurement is not None
    times = row.measurement.times
    none = times.model_copy(update={"response": times.response.model_copy(update={"count": 0})})
    measurement = row.measurement.model_copy(update={"times": none})
    return row.model_copy(update={"measurement": measurement})


@pytest.mark.parametrize(
    ("text", "share"), [("±2%", 0.02), ("+-2 %", 0.02), (" 2.5% ", 0.025), ("+/-0.1%", 0.001)]
)
def test_a_precision_is_read_as_people_write_it(text: str, share: float) -> None:
    assert parse_precision(text) == share


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.02, "±2 %"),
        (0.03456, "±3.46 %"),
        (1e-6, "±0.0001 %"),
        (9.996, "±1,000 %"),
        (12.345, "±1,230 %"),
    ],
)
def test_a_precision_is_written_as_a_plain_number(share: float, text: str) -> None:
    assert plus_minus(share) == text


@pytest.mark.parametrize("text", ["2", "0.02", "-2%", "±0%", "±60%", "two", "±2", "1e1%", "%"])
def test_what_is_no_precision_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected a precision from `±0.1%` to `±50%`"):
        parse_precision(text)


def test_the_flag_sets_the_rule_and_the_most_blocks() -> None:
    plain = study(STUDY.replace('until = "±3%"\n', "").replace("30", "10"))
    assert (plain.until, plain.blocks) == (None, 10)
    narrowed = narrow(plain, until=0.05)
    assert (narrowed.until, narrowed.blocks) == (0.05, 30)
    assert narrow(plain, until=0.05, blocks=12).blocks == 12
    assert narrow(study(), quick=True).until is None
    with pytest.raises(UsageError, match="`blocks` is 7 and `until` ±5 %: expected 10 blocks"):
        narrow(plain, until=0.05, blocks=7)
    with pytest.raises(UsageError, match=r"two.toml:3: `blocks` is 5 and `until` ±3 %"):
        study(STUDY.replace("30", "5"))
    with pytest.raises(UsageError, match=r"`until` is `3`: expected a precision from .±0\.1%"):
        study(STUDY.replace('"±3%"', "3"))


def test_a_study_without_the_rule_is_identified_without_its_key() -> None:
    plain = study(STUDY.replace('until = "±3%"\n', ""))
    assert "until" not in identity(plain)
    assert '"until":0.03' in identity(study())


def test_what_it_takes_at_most_is_said_in_advance() -> None:
    said = in_words(Plan(study()).trials, study().until)
    assert said.startswith("at most 30 blocks (60 trials, about ")
    assert said.endswith("known to ±3 %, after block 10 at the earliest")


def test_a_sequence_is_wider_than_the_interval_of_a_fixed_number_and_narrows() -> None:
    rng = np.random.default_rng(2)
    widths = []
    for n in (10, 16, 32):
        rows = rng.standard_normal((500, n)).tolist()
        low, high = np.array([mean_sequence(row) for row in rows]).T
        inner, outer = np.array([mean_interval(row) for row in rows]).T
        assert np.all(high - low > outer - inner)
        widths.append(float(np.mean(high - low)))
    assert widths == sorted(widths, reverse=True)
    levels = [median_estimate([float(v) for v in range(n)], sequential=True) for n in (9, 10, 20)]
    assert [one and one.low for one in levels] == [None, 0.0, 3.0]
