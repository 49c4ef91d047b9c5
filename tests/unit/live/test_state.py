"""The state that viewers see, from the events of a journal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from httpdyno.running.live.journal import CANCEL, folder_of
from httpdyno.running.live.reading import Line
from httpdyno.running.live.state import RunState
from httpdyno.web.live.timelines import charts
from httpdyno.web.live.view import figure_groups, parts

BEGIN: Line = {"kind": "begin", "at": 100.0, "verb": "run", "command": "httpdyno run demo"}


RESULT: Line = {"kind": "result", "arm": "alpha", "load": "full", "status": "valid"}


def trial(number: int, at: float, left_s: float, of: int = 10) -> Line:
    names = {"arm": "alpha", "load": "full", "point": "10 connections", "block": 0}
    told = {"number": number, "of": of, "left_s": left_s, "task": "measure"}
    return {"kind": "trial", "at": at, **names, **told}


def sample(at: float, due: int = 0, **more: Any) -> Line:
    told = {"phase": "measuring", "window_s": at - 200, "due": due, "rate_per_s": 50.0}
    told["elapsed_s"] = at - 200
    return {"kind": "sample", "at": at, "p50_ns": 1000, "p99_ns": 2000, **told, **more}


def state(*events: Line) -> RunState:
    made = RunState("1-1")
    made.add([BEGIN, *events])
    return made


def test_the_time_left_follows_how_long_the_trials_really_took() -> None:
    first = state(trial(1, 100, 60, of=3))
    assert first.left_s(110) == pytest.approx(50)
    second = state(trial(1, 100, 60, of=3), RESULT | {"at": 130.0}, trial(2, 131, 40, of=3))
    assert second.left_s(131) == pytest.approx(40 + 2 * 10 / 2)
    assert second.left_s(141) == pytest.approx(40)


def test_the_pauses_of_a_sweep_are_planned_and_counted() -> None:
    made = RunState("1-1")
    point = trial(1, 100, 3 * 10 + 2 * 5, of=3)
    made.add([{**BEGIN, "verb": "sweep"}, point, RESULT | {"at": 110.0}])
    assert made.left_s(112) == pytest.approx(28)
    made.add([trial(2, 117, 2 * 10 + 5, of=3)])
    assert made.left_s(117) == pytest.approx(25 + 2 * 2 / 2)


def test_a_pause_is_not_counted_as_work() -> None:
    paused = [{"kind": "paused", "at": 130.0}, {"kind": "continued", "at": 1130.0}]
    ended = RESULT | {"at": 130.0}
    assert state(trial(1, 100, 60), ended, paused[0]).left_s(900) == pytest.approx(30)
    resumed = state(trial(1, 100, 60), ended, *paused, trial(6, 1130, 30))
    assert resumed.left_s(1130) == pytest.approx(30)


def test_the_time_left_of_a_load_is_that_of_its_duration() -> None:
    load = {"kind": "plan", "at": 100.0, "load": "closed", "warm_up_s": 5, "duration_s": 20}
    made = RunState("1-1")
    made.add([{**BEGIN, "verb": "load"}, load])
    assert made.left_s(110) == pytest.approx(15)


def test_the_time_left_of_a_load_of_a_number_of_requests_follows_from_those_so_far() -> None:
    load = {"kind": "plan", "at": 200.0, "load": "requests", "count": 1000}
    made = RunState("1-1")
    made.add([{**BEGIN, "verb": "load"}, load, sample(202, 250)])
    assert made.left_s(202) == pytest.approx(6)


def test_the_offered_rate_is_that_of_the_requests_due_in_the_last_second() -> None:
    samples = [sample(200 + number / 2, 1000 * number) for number in range(1, 8)]
    late = [*samples, sample(204, 7100)]
    made = state(trial(1, 200, 60), {"kind": "plan", "load": "requests"}, *late)
    assert {one.offered_per_s for one in made.samples[:-1]} == {2000.0}
    assert made.samples[-1].offered_per_s == pytest.approx(1100)


def test_two_samples_close_to_each_other_have_the_offered_rate_of_a_second() -> None:
    samples = [sample(200.9, 900), sample(201.25, 1390), sample(202.25, 2390)]
    made = state(trial(1, 200, 60), {"kind": "plan", "load": "requests"}, *samples)
    assert [one.offered_per_s for one in made.samples] == pytest.approx([1000, 1112, 1000])


def test_a_trial_of_a_second_has_an_offered_and_an_achieved_rate() -> None:
    plan = {"kind": "plan", "load": "requests", "rates": [[500, 500, 1]]}
    early = sample(200.25, 125, ok=100, rate_per_s=0.0)
    shown = parts(state(trial(1, 200, 60), plan, early), True, "secret")["now"]
    assert "500/s" in shown
    assert "400/s" in shown
    warm_up = sample(200, rate_per_s=0.0, phase="warm_up")
    assert state(trial(1, 200, 60), plan, warm_up).samples[0].rate_per_s is None
    silent = sample(203, rate_per_s=0.0)
    assert state(trial(1, 200, 60), plan, silent).samples[0].rate_per_s == 0


def test_the_worst_second_leaves_the_warm_up_and_the_trial_before_out() -> None:
    warm_up = sample(200.5, p99_ns=90_000, phase="warm_up")
    made = state(trial(1, 200, 60), warm_up, sample(201), sample(202, p99_ns=7000))
    assert made.worst_p99_ns == 7000
    made.add([trial(2, 210, 50), sample(211)])
    assert made.worst_p99_ns == 2000


def test_percentiles_so_far_are_those_that_the_journal_has() -> None:
    so_far = {"calls": 1234, "p50_ns": 1_500_000, "p90_ns": 2_500_000, "p99_ns": 9_500_000}
    shown = parts(state(trial(1, 200, 60), sample(203, so_far=so_far)), True, "secret")["now"]
    for words in ("1.50 ms", "2.50 ms", "9.50 ms", "of 1,234 requests"):
        assert words in shown
    early = parts(state(trial(1, 200, 60), sample(200.5)), True, "secret")["now"]
    assert "after the first whole second" in early


def test_only_what_has_changed_is_drawn_again() -> None:
    made = state(trial(1, 200, 60), *(sample(200 + number / 2) for number in range(1, 30)))
    before = parts(made, True, "secret")
    made.add([{"kind": "result", "arm": "alpha", "status": "valid"}])
    after = parts(made, True, "secret")
    assert after["results"] != before["results"]
    assert after["charts"] is before["charts"]
    made.add([sample(215), sample(216)])
    assert parts(made, True, "secret")["charts"] != before["charts"]


def test_a_new_trial_begins_without_the_samples_of_the_last_one() -> None:
    made = state(trial(1, 200, 60), sample(201), trial(2, 210, 50))
    assert made.samples == []


@pytest.mark.parametrize(
    ("events", "alive", "condition"),
    [
        ([], True, "running"),
        ([{"kind": "paused"}], True, "paused"),
        ([{"kind": "paused"}, {"kind": "continued"}], True, "running"),
        ([], False, "lost"),
        ([{"kind": "end", "outcome": "complete"}], False, "complete"),
        ([{"kind": "end", "outcome": "interrupted"}], True, "interrupted"),
        ([{"kind": "end", "outcome": "of a later version"}], False, "failed"),
    ],
)
def test_the_condition_follows_from_the_events_and_the_process(
    events: list[Line], alive: bool, condition: str
) -> None:
    assert state(*events).condition(alive=alive) == condition


def test_a_process_that_ends_before_its_run_begins_has_failed() -> None:
    assert RunState("1-1").condition(alive=True) == "running"
    assert RunState("1-1").condition(alive=False) == "failed"


def test_a_paused_run_shows_how_far_it_is_and_no_old_numbers() -> None:
    result = {"kind": "result", "arm": "alpha", "load": "full", "status": "valid"}
    events = [trial(1, 100, 6), sample(201), sample(202), result, {"kind": "paused", "at": 203.0}]
    shown = parts(state(*events), True, "secret")
    assert "1 of 10 trials ended" in shown["status"]
    assert 'value="1"' in shown["status"]
    assert "Paused before the next trial" in shown["now"]
    assert "achieved" not in shown["now"] + shown["charts"]


def test_the_server_is_shown_while_the_next_step_of_a_search_begins() -> None:
    known = sample(201, server_cpus=0.5, server_rss_bytes=1 << 20)
    (cpus, _) = dict(figure_groups(state(trial(1, 200, 60), known, sample(202))))["Server"]
    assert cpus.value == "0.50 CPUs"


def test_the_numbers_of_a_trial_end_with_the_trials() -> None:
    writing = {"kind": "stage", "text": "writing the report"}
    shown = parts(state(trial(1, 200, 60), sample(201), sample(202), writing), True, "secret")
    assert "After the trials" in shown["now"]
    assert "writing the report" in shown["now"]
    assert "achieved" not in shown["now"]
    assert shown["charts"] == ""


def test_a_resumed_run_tells_the_trials_that_were_stored_before() -> None:
    result = {"kind": "result", "arm": "alpha", "load": "full", "status": "valid"}
    end = {"kind": "end", "outcome": "complete", "stored": 10, "planned": 10}
    shown = parts(state(trial(9, 100, 6), result, trial(10, 103, 3), result, end), False, "secret")
    assert "2 trials since the run was resumed; the 8 stored before" in shown["results"]
    assert "10 of 10 trials stored" in shown["status"]


COMPLETE: Line = {"kind": "end", "outcome": "complete", "stored": 2, "planned": 2}


def test_a_finished_run_begins_with_its_answer_and_what_limits_it() -> None:
    told = {
        "answer": "Alpha served 3.01× the requests/s of `beta`.",
        "limits": [["suspect", "1 of 2 results is suspect.", "verdicts"], ["wrong"], 7],
    }
    made = state({"kind": "stored", "run": 7, "title": "Demo"}, RESULT)
    running = parts(made, True, "secret")
    assert running["answer"] == ""
    assert "Verdicts so far" in running["results"]
    made.add([{**COMPLETE, **told}])
    shown = parts(made, False, "secret")
    assert "3.01× the requests/s of <code>beta</code>" in shown["answer"]
    assert '1 of 2 results is suspect. <a href="/runs/7#verdicts">' in shown["answer"]
    assert "so far" not in shown["answer"] + shown["results"]
    assert "trial 1" not in shown["status"]


def test_the_answer_of_a_cancelled_run_is_one_so_far() -> None:
    end = {"kind": "end", "outcome": "interrupted", "answer": "Alpha served 9/s."}
    assert "Answer so far" in parts(state(RESULT, end), False, "secret")["answer"]


def test_a_suspect_number_has_its_mark() -> None:
    doubtful = {**RESULT, "status": "suspect", "suspect": ["p99"], "p50_ns": 1e6, "p99_ns": 2e6}
    shown = parts(state({**doubtful, "throughput_per_s": 900.0}), True, "secret")["results"]
    assert shown.count(">?<") == 1
    assert "2.00 ms<b" in shown
    assert "900/s</span>" in shown
    assert "A number marked ? is suspect" in shown
    assert "marked ?" not in parts(state(RESULT), True, "secret")["results"]


def test_a_number_of_an_invalid_load_is_marked_as_no_result() -> None:
    seen = RESULT | {"status": "invalid", "throughput_per_s": 500.0, "p99_ns": 3_620_000}
    shown = parts(state(seen), True, "secret")["results"]
    assert shown.count("not a result") == 2
    assert "not a result" not in parts(state(RESULT), True, "secret")["results"]


def test_a_report_is_offered_only_of_a_run_with_a_trial() -> None:
    begun = {"kind": "stored", "run": 7, "title": "Demo"}
    cancelled = {"kind": "end", "outcome": "interrupted", "stored": 0, "planned": 10}
    for events in ([begun], [begun, trial(1, 200, 60)], [begun, cancelled]):
        assert "Report" not in parts(state(*events), True, "secret")["actions"]
    for end in ([], [{**cancelled, "stored": 1}]):
        assert "Report so far" in parts(state(begun, RESULT, *end), True, "secret")["actions"]
    resumed = state(begun, {**cancelled, "stored": 3})
    assert "Report so far" in parts(resumed, False, "secret")["actions"]
    assert ">Report<" in parts(state(begun, RESULT, COMPLETE), False, "secret")["actions"]


def test_a_run_that_its_viewers_cancelled_is_called_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPDYNO_STATE", str(tmp_path))
    made = state(RESULT)
    folder_of(made.key).mkdir(parents=True)
    (folder_of(made.key) / CANCEL).touch()
    assert ">cancelling<" in parts(made, True, "secret")["status"]
    made.add([{"kind": "end", "outcome": "interrupted", "stored": 1, "planned": 10}])
    ended = parts(made, False, "secret")
    assert ">cancelled<" in ended["status"]
    early = parts(RunState(made.key), False, "secret")
    assert ">cancelled<" in early["status"], "before it could say anything"
    (folder_of(made.key) / CANCEL).unlink()
    assert ">interrupted<" in parts(made, False, "secret")["status"]


def test_between_two_steps_of_a_search_the_times_before_stay_and_are_called_so() -> None:
    so_far = {"calls": 500, "p50_ns": 1_500_000, "p90_ns": 2_500_000, "p99_ns": 9_500_000}
    plan = {"kind": "plan", "load": "requests"}
    before = [trial(1, 200, 60), plan, sample(202, so_far=so_far, p99_ns=7_000_000)]
    next_step = [plan, sample(203, window_s=0.5, p50_ns=0, p99_ns=0, rate_per_s=0.0)]
    times = dict(figure_groups(state(*before, *next_step)))["Response time"]
    assert [one.value for one in times if one.label == "p99"] == ["7.00 ms"]
    assert [one.value for one in times if one.label == "p99 so far"] == ["9.50 ms"]
    assert "of the step before" in times[2].about
    silent = sample(205, window_s=2.5, p50_ns=0, p99_ns=0)
    now = dict(figure_groups(state(*before, *next_step, silent)))["Response time"]
    assert now[1].value == "–", "a whole second without a reply has no times"


def test_the_charts_of_a_trial_have_the_same_ends() -> None:
    known = sample(203, busy=0.5, server_cpus=0.5, server_rss_bytes=1 << 20)
    made = state(trial(1, 200, 60), sample(201), sample(202), known, sample(207))
    assert {(one.left, one.right) for one in charts(made)} == {("0 s", "6 s")}


def test_the_title_and_the_command_are_shown_as_soon_as_they_are_known() -> None:
    early = parts(RunState("1-1"), True, "secret")
    assert early["title"] == "A run"
    shown = parts(state({"kind": "stored", "run": 7, "title": "Demo"}), True, "secret")
    assert shown["title"] == "Demo"
    assert "httpdyno run demo" in shown["about"]
    assert "<dd>7</dd>" in shown["about"]


@pytest.mark.parametrize("value", [None, "text", [], {}, -1, 1e308, True])
@pytest.mark.parametrize("kind", ["begin", "trial", "plan", "sample", "result", "end", "stored"])
def test_events_with_wrong_types_are_shown_without_an_error(kind: str, value: object) -> None:
    names = (*trial(1, 1, 1), *sample(1), "rates", "errors", "reasons", "duration_s", "connections")
    names += ("so_far", "ok", "count")
    wrong: Line = {**dict.fromkeys(names, value), "kind": kind}
    made = state(wrong, {**wrong, "rates": [[value, value], value]}, trial(1, 200, 60), wrong)
    for alive in (True, False):
        assert parts(made, alive, "secret")["status"]


def test_the_charts_of_a_study_end_with_it_and_those_of_a_load_stay() -> None:
    end = {"kind": "end", "outcome": "complete"}
    events = [trial(1, 200, 60), sample(201), sample(202), end]
    assert parts(state(*events), False, "secret")["charts"] == ""
    load = RunState("1-1")
    load.add([{**BEGIN, "verb": "load"}, *events])
    assert "<svg" in parts(load, False, "secret")["charts"]


def test_markup_in_names_stays_text() -> None:
    evil = "<script>alert(1)</script>\u202e"
    result = {"kind": "result", "arm": evil, "reasons": [evil], "status": evil, "load": evil}
    end = {"kind": "end", "outcome": "failed", "text": evil}
    made = state({"kind": "note", "text": evil}, {**trial(1, 200, 60), "arm": evil}, result)
    shown = "".join(parts(made, True, "secret").values())
    made.add([end])
    shown += "".join(parts(made, True, "secret").values())
    assert "<script" not in shown
    assert "\u202e" not in shown
    assert "&lt;script&gt;" in shown


def test_a_late_generator_is_marked_beside_the_server() -> None:
    late = sample(201, lag_p99_ns=5_000_000, busy=0.99, server_cpus=0.5, server_rss_bytes=1 << 20)
    groups = dict(figure_groups(state(trial(1, 200, 60), late)))
    assert [figure.doubtful for figure in groups["Load generator"]] == [True, True]
    assert [figure.value for figure in groups["Server"]] == ["0.50 CPUs", "1.00 MiB"]
    unknown = RunState("1-1")
    unknown.add([{**BEGIN, "verb": "load"}, sample(201)])
    (server,) = dict(figure_groups(unknown))["Server"]
    assert (server.value, "--serve" in server.about) == ("–", True)


def test_a_measurement_of_two_seconds_has_no_charts_until_it_takes_longer() -> None:
    short = {"kind": "plan", "load": "requests", "warm_up_s": 0.0, "duration_s": 2.0}
    made = state(trial(1, 200, 60), short, *(sample(200 + number / 2) for number in range(4)))
    assert parts(made, True, "secret")["charts"] == ""
    made.add([short, sample(204), short, sample(206)])  # the steps of a search go on
    assert "<svg" in parts(made, True, "secret")["charts"]


def test_no_line_of_a_logarithmic_chart_lies_on_its_axis() -> None:
    made = state(trial(1, 200, 60), *(sample(200 + number) for number in range(1, 8)))
    (times,) = [one for one in charts(made) if one.slug == "times"]
    assert "120.0" not in times.svg, "the height of the drawing"


def test_a_chart_without_any_value_is_not_shown() -> None:
    silent = (sample(200 + number, p50_ns=0, p99_ns=0, lag_p99_ns=9) for number in range(1, 8))
    assert {one.slug for one in charts(state(trial(1, 200, 60), *silent))} == {"rate", "lag"}
