"""Studies are read whole, and every fault of a file is told at once, with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.plan import Plan
from httpdyno.study import (
    ClosedLoad,
    KnownNames,
    RequestsLoad,
    SessionsLoad,
    built_in_studies,
    load_study,
    narrow,
)
from httpdyno.study.model import Study
from httpdyno.study.read import parse_study
from httpdyno.toml_lines import key_lines, line_of
from hypothesis import given
from hypothesis import strategies as st

GOOD = """\
title = "Two servers"
workload = "pong"
blocks = 5
warm_up = "500ms"
baseline = "b/2-workers"

[[arms]]
server = "a"
deployments = ["1-process"]

[[arms]]
server = "b"
deployments = [
    "1-worker",   # [not a header]
    "2-workers",
]

[loads.as-published]
kind = "closed"
requests = 1000
http = "1.0"
keep_alive = false

[loads."open rates"]
kind = "requests"
rate = [500, 1000.5]
duration = "2m"
arms = ["a/1-process"]

[loads.visits]
kind = "sessions"
rate = 20
calls = 5
sessions = 400

[[published]]
arm = "a/1-process"
load = "as-published"
requests_per_s = 1900
"""

BAD = """\
titel = "No title"
blocks = 0
warm_up = "soon"
baseline = "a/2-process"

[[arms]]
server = "a"
deployments = ["1-process"]
[[arms]]
server = "a"
deployments = ["1-process"]

[loads.one]
kind = "closed"
conections = 10
duration = "2h"
[loads.two]
kind = "requests"
http = "3"
[loads.three]
kind = "open"
duration = 1
[loads.four]
duration = 1
[loads.five]
kind = "closed"
connections = [10, 200000]
duration = 1
arms = ["c/1"]

[[published]]
arm = "a/1-process"
load = "tow"
requests_per_s = -1
"""


def parse(text: str) -> Study:
    return parse_study(text, Path("mine.toml"))


def faults(text: str) -> list[str]:
    with pytest.raises(UsageError) as caught:
        parse(text)
    return caught.value.message.splitlines()


def test_a_study_says_what_its_file_says() -> None:
    study = parse(GOOD)
    assert (study.name, study.text, study.blocks, study.warm_up) == ("mine", GOOD, 5, 0.5)
    assert [group.deployments for group in study.arms] == [
        ("1-process",),
        ("1-worker", "2-workers"),
    ]
    published, rates, visits = study.loads.values()
    assert isinstance(published, ClosedLoad)
    assert (published.connections, published.requests, published.keep_alive) == ((10,), 1000, False)
    assert isinstance(rates, RequestsLoad)
    assert (rates.rate, rates.duration) == ((500.0, 1000.5), 120.0)
    assert isinstance(visits, SessionsLoad)
    assert (visits.rate, visits.sessions) == ((20.0,), 400)


def test_every_fault_is_told_at_once_with_its_line_and_what_was_expected() -> None:
    told = faults(BAD)
    expected = {
        1: "`titel` is not a key of a study: did you mean `title`?",
        2: "`blocks` is `0`: expected a whole number from 1 to 1,000",
        3: '`warm_up` is `"soon"`: expected a time up to 3,600 s, such as "15s"',
        4: "`a/2-process` is not an arm of this study: did you mean `a/1-process`?",
        11: "the arm `a/1-process` is there twice",
        15: "`conections` is not a key of [loads.one]: did you mean `connections`?",
        16: '`duration` is `"2h"`: expected a time from 1 ms to 3,600 s',
        17: "`rate` is missing in [loads.two]: expected a rate per second from 0.001 to 100,000,",
        19: '`http` is `"3"`: expected "1.0", "1.1" or "2"',
        21: '`kind` is `"open"`: expected "closed", "requests", "sessions" or "capacity"',
        23: '`kind` is missing in [loads.four]: expected "closed", "requests", ',
        27: "`connections[1]` is `200000`: expected a whole number from 1 to 100,000",
        29: "`c/1` is not an arm of this study: expected `a/1-process`",
        33: "`tow` is not a load of this study: did you mean `two`?",
        34: "`requests_per_s` is `-1`: expected a rate per second up to 1,000,000,000",
    }
    for line, text in expected.items():
        assert any(one.startswith(f"mine.toml:{line}: {text}") for one in told), (line, told)
    assert "mine.toml:1: `title` is missing in a study: expected a text" in told
    assert any(one.startswith("mine.toml:17: [loads.two] has no end") for one in told)
    assert len(told) == len(expected) + 2


@pytest.mark.parametrize(
    ("text", "line"), [("title = \n", 1), ('title = "a"\n\n[[arms]\n', 3), ('a = 1\nb = """x\n', 3)]
)
def test_what_is_not_toml_is_told_with_its_line(text: str, line: int) -> None:
    assert faults(text)[0].startswith(f"mine.toml:{line}: not TOML: ")


def test_a_number_with_too_many_digits_is_told_without_words_of_python() -> None:
    (fault,) = faults("seed = " + "9" * 5000)
    assert fault == "mine.toml:1: not TOML: it has a number of more than 4,300 digits"


@pytest.mark.parametrize(
    ("line", "change"),
    [
        (GOOD.index("requests = 1000"), "file = 'x'"),
        (GOOD.index("blocks"), "name = 'x'"),
        (GOOD.index("blocks"), "text = 'x'"),
    ],
)
def test_our_own_fields_are_not_keys_of_the_file(line: int, change: str) -> None:
    assert len(faults(GOOD[:line] + change + "\n" + GOOD[line:])) == 1


def test_lines_are_found_inside_arrays_of_tables_and_behind_long_strings() -> None:
    text = 'a = """\n[no]\nx = 1\n"""\n[[t]]\nk = 1\n[[t]]\nk = {\n  z = 1 }\n"q r".s = [\n1]\n'
    lines = key_lines(text)
    found = {("a",): 1, ("t", 0, "k"): 6, ("t", 1, "k"): 8, ("t", 1, "q r", "s"): 10}
    assert {path: lines[path] for path in found} == found
    assert ("no",) not in lines
    assert line_of(lines, ("t", 1, "k", "z")) == 8
    assert line_of(lines, ("nowhere", 3)) == 1


@given(st.text(alphabet="[]{}\"=#'ab.\n\\ 1,", max_size=80))
def test_any_text_is_a_study_or_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError):
        parse(text)


def test_a_misspelt_study_gets_the_nearest_name() -> None:
    with pytest.raises(UsageError) as caught:
        load_study("demmo")
    assert caught.value.hint == "did you mean `demo`?"


def test_a_missing_file_and_a_binary_file_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a file"):
        load_study(tmp_path / "none.toml")
    (tmp_path / "a.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="UTF-8"):
        load_study(tmp_path / "a.toml")


def test_a_file_that_cannot_be_read_is_the_machines_fault() -> None:
    with pytest.raises(EnvironmentFault, match="cannot be read"):
        load_study("/proc/self/mem")


@pytest.mark.parametrize("name", list(built_in_studies()))
def test_the_built_in_studies_are_sound_and_name_real_servers_and_workloads(name: str) -> None:
    from httpdyno.run import read_study
    from httpdyno.servers import load_catalogue

    assert read_study(name, load_catalogue()).name == name


def test_unknown_names_and_faults_of_form_come_together_with_their_lines() -> None:
    known = KnownNames({"a": ["1-proces"]}, ["hello", "ping"])
    text = GOOD.replace("blocks = 5", "blocks = 0")
    with pytest.raises(UsageError) as caught:
        parse_study(text, Path("mine.toml"), known)
    assert caught.value.message.splitlines() == [
        "mine.toml:2: `pong` is not a workload: did you mean `ping`?",
        "mine.toml:3: `blocks` is `0`: expected a whole number from 1 to 1,000",
        "mine.toml:9: `1-process` is not a deployment of `a`: did you mean `1-proces`?",
        "mine.toml:12: `b` is not a server of the catalogue: expected `a`; your own server is a"
        " file, such as `./mine/server.toml`",
    ]


def test_a_server_that_cannot_be_had_may_be_named_with_any_deployment() -> None:
    known = KnownNames({"a": ["1-process"], "b": []}, ["pong", "hello"])
    assert parse_study(GOOD, Path("mine.toml"), known).arms[1].server == "b"


def test_an_arm_that_states_the_default_workload_has_no_other_name() -> None:
    text = GOOD.replace('workload = "pong"\n', "").replace(
        'server = "a"', 'server = "a"\nworkload = "hello"'
    )
    assert text != GOOD
    assert parse(text).baseline == "b/2-workers"


def test_quick_shortens_durations_and_blocks_but_never_lengthens_them() -> None:
    quick = narrow(parse(GOOD + '[quick]\nduration = "2s"\n'), quick=True)
    assert quick.blocks == 3
    assert [load.duration for load in quick.loads.values()] == [None, 2.0, None]
    assert narrow(parse(GOOD.replace("blocks = 5", "blocks = 2")), quick=True).blocks == 2


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("burst = 20", "keep-alive, 20 calls pipelined, 9.00 s"),
        ("calls_per_connection = 5", "keep-alive, 5 requests per connection, 9.00 s"),
        ('think = "1s"', "keep-alive, 1.00 s think time, 9.00 s"),
    ],
)
def test_a_description_says_how_connections_are_used(keys: str, words: str) -> None:
    text = PUBLISHED + f"{keys}\n"
    assert parse(text).loads["long"].in_words().endswith(f"10 connections, HTTP/1.1, {words}")


def test_a_load_is_told_in_words() -> None:
    told = [load.in_words() for load in parse(GOOD).loads.values()]
    assert told[0] == (
        "closed: 10 connections, HTTP/1.0, one connection per request, 1,000 requests"
    )
    assert told[1] == (
        "open: 500/s, 1,000/s on at most 64 connections, constant spacing, HTTP/1.1, keep-alive,"
        " 120 s"
    )


PUBLISHED = """\
title = "t"
[[arms]]
server = "a"
deployments = ["1-process"]
[loads.one]
kind = "closed"
requests = 10
duration = "9s"
warm_up = "3s"
[loads.rates]
kind = "sessions"
rate = [1, 2, 3]
sessions = 100
[loads.long]
kind = "closed"
duration = "9s"
"""


def parsed(more: str) -> Study:
    return parse_study(PUBLISHED + more, Path("post.toml"))


def test_a_published_number_may_be_of_a_system_without_an_arm_or_a_bar_of_zero() -> None:
    (row,) = parsed(
        '[[published]]\nname = "Snap 0.3"\nload = "one"\nrequests_per_s = 0\n'
        "log = { asked = 10, replies = 9, seconds = 1.5, samples = 1 }\n"
    ).published
    assert (row.arm, row.name, row.requests_per_s) == (None, "Snap 0.3", 0)
    assert row.log is not None
    assert (row.log.asked, row.log.wrong, row.log.stdev_per_s) == (10, 0, None)


@pytest.mark.parametrize("names", ["", 'arm = "a/1-process"\nname = "A"\n'])
def test_a_published_number_is_of_an_arm_or_of_a_name_and_not_of_both(names: str) -> None:
    with pytest.raises(UsageError, match=r"post.toml:17: \[\[published\]\] needs either `arm`"):
        parsed(f'[[published]]\n{names}load = "one"\nrequests_per_s = 1\n')


def test_quick_does_what_the_study_says_of_it() -> None:
    study = narrow(
        parsed(
            '[quick]\nblocks = 2\nduration = "1s"\nwarm_up = "1s"\n'
            "[quick.loads.rates]\nsessions = 10\nrate = [2]\n"
            "[quick.loads.one]\nskip = true\n"
            '[quick.loads.long]\nduration = "4s"\n'
        ),
        quick=True,
    )
    assert study.blocks == 2
    assert list(study.loads) == ["rates", "long"]
    rates, long = study.loads["rates"], study.loads["long"]
    assert isinstance(rates, SessionsLoad)
    assert (rates.rate, rates.sessions) == ((2.0,), 10)
    assert long.duration == 4.0


def test_faults_of_quick_and_of_a_raw_log_have_their_line() -> None:
    with pytest.raises(UsageError) as caught:
        parsed(
            "[quick]\nblock = 3\n[quick.loads.nn]\nskip = true\n[quick.loads.one]\n"
            'sessions = 5\n[[published]]\nname = "A"\nload = "one"\nrequests_per_s = 1\n'
            "log = { asked = 0, replies = 1, samples = 2, seconds = 1 }\n"
        )
    assert caught.value.message.splitlines() == [
        "post.toml:18: `block` is not a key of [quick]: did you mean `blocks`?",
        "post.toml:19: `nn` is not a load of this study: expected `one`, `rates`, `long`",
        "post.toml:22: `sessions` does not apply to a load of kind `closed`: expected"
        " `connections`, `duration`, `requests`, `skip`",
        "post.toml:27: `asked` is `0`: expected a whole number from 1 to 1,000,000,000",
    ]


def test_how_a_name_alone_begins_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_study("tornado-vs-starlette").name == "tornado-vs-starlette-2019"
    with pytest.raises(UsageError, match="is short for `tornado-vs-starlette-2019` and"):
        load_study("tornado")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tornado-vs").write_text(GOOD)
    assert load_study("tornado-vs").title == "Two servers"


def test_an_arm_of_several_workloads_keeps_its_name_when_it_is_measured_alone() -> None:
    text = PUBLISHED.replace(
        "[loads.one]",
        '[[arms]]\nserver = "a"\ndeployments = ["1-process"]\nworkload = "file"\n[loads.one]\n'
        'arms = ["a/1-process file"]',
    )
    study = parse_study(text, Path("post.toml"))
    alone = narrow(study, only=["a/1-process file"])
    assert [arm.name for arm in Plan(alone).arms] == ["a/1-process file"]
    assert {cell.load_name for cell in Plan(alone).cells} == {"one", "rates", "long"}
    both = narrow(study, only=["a/1-process"])
    assert [arm.name for arm in Plan(both).arms] == ["a/1-process hello", "a/1-process file"]
    with pytest.raises(UsageError, match="`a/1-process pong` is not an arm of `post`"):
        narrow(study, only=["a/1-process pong"])


def test_a_mistyped_kind_hides_no_other_fault_of_its_load() -> None:
    text = GOOD + '[loads.more]\nkind = "request"\nrat = 10\nduration = "2h"\n'
    told = "\n".join(faults(text))
    assert '`kind` is `"request"`: expected "closed", "requests"' in told
    assert "`rat` is not a key of [loads.more]: did you mean `rate`?" in told
    assert '`duration` is `"2h"`: expected a time' in told
    assert "`rate` is missing in [loads.more]" in told
