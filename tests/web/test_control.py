"""A run on the page: followed, paused, cancelled, resumed and started, by requests alone."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from html import unescape
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
from httpdyno.report.contents.answer import answer
from httpdyno.report.contents.rows.arms import labels
from httpdyno.running.live.identity import Identity
from httpdyno.running.live.state import RunState
from httpdyno.web.live.view import parts
from page_server import Served, live_keys, served
from small_server import GOOD
from study_place import Place, read_until

CPUS = sorted(os.sched_getaffinity(0))
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

STEADY = """\
[loads.steady]
kind = "requests"
rate = 100
connections = 4
duration = "3600s"
warm_up = 0
"""


def started(place: Place, *more: str, loads: str = STEADY) -> subprocess.Popen[str]:
    """A study under load."""
    place.study(loads=loads, good=place.counted())
    run = place.start(*more)
    place.wait_for("server/loaded", run)
    return run


def events(site: Served, key: str, until: str) -> str:
    """The stream of a run up to a text."""
    host, _, port = site.address.rpartition(":")
    connection = HTTPConnection(host, int(port))
    connection.request("GET", f"/live/{key}/events")
    answer = connection.getresponse()
    assert answer.getheader("content-type", "").startswith("text/event-stream")
    told = b""
    while until.encode() not in told:
        line = answer.readline()
        assert line, f"the stream ended without {until}: {told[-500:]!r}"
        told += line
    connection.close()
    return told.decode()


def test_a_paused_run_waits_before_its_next_trial_and_goes_on(place: Place) -> None:
    place.study(blocks=2, good=place.counted())
    place.hold(2)
    run = place.start()
    place.wait_for("server/held", run)
    with served(place) as site:
        (key,) = live_keys(place)
        site.send(f"/live/{key}/pause")
        assert "pauses after this trial" in site.ask(f"/live/{key}").text
        place.hold(None)
        assert read_until(run, "paused, until")
        paused = site.wait_for(f"/live/{key}", "Paused before the next trial")
        assert "Continue" in paused
        assert len(place.trials()) == 1
        so_far = site.ask("/runs/1").text
        assert "The run is under way" in so_far
        assert "Resume it with" not in so_far
        site.send(f"/live/{key}/continue")
        run.communicate()
        assert run.returncode == 0
        assert len(place.trials()) == 4
        ended = site.ask(f"/live/{key}").text
        assert "complete" in ended
        result = place.result()
        lead = answer(result, labels(result)).lead
        shown = unescape(ended).replace("\N{NO-BREAK SPACE}", " ")
        assert lead in shown.partition('aria-label="State"')[0], "first, as in the report"
        assert "no-store" in site.ask("/runs/1").headers["cache-control"]


def test_a_killed_run_is_shown_as_killed_and_resumed_from_the_page(place: Place) -> None:
    place.study(blocks=2, good=place.counted())
    place.hold(3)
    run = place.start()
    place.wait_for("server/held", run)
    run.kill()
    run.communicate()
    place.wait_for_no_server()
    place.hold(None)
    with served(place) as site:
        (key,) = live_keys(place)
        assert "killed" in site.ask(f"/live/{key}").text
        assert "Resume it with" in site.ask("/runs/1").text
        answer = site.send("/runs/1/resume")
        assert answer.status == 303
        site.wait_for(answer.headers["location"], ">complete<")
        assert len(place.trials()) == 4


def test_a_study_of_the_folder_is_started_and_outlives_the_page(place: Place) -> None:
    place.study(good=(GOOD, ""))
    (server,) = place.servers
    study = (
        (place.home / "small.toml").read_text().replace('server = "good"', f'server = "{server}"')
    )
    (place.home / "small.toml").write_text(study)
    with served(place) as site:
        assert "file: small.toml" in site.ask("/start").text
        answer = site.send("/start/study", study="file: small.toml", blocks="1")
        assert answer.status == 303
        key = answer.headers["location"].removeprefix("/live/")
        runner = psutil.Process(int(key.partition("-")[0]))
        assert runner.nice() == psutil.Process().nice()
    _, alive = psutil.wait_procs([runner], timeout=300)
    assert alive == []
    with served(place) as again:
        page = again.ask(f"/live/{key}").text
        assert "complete" in page
        assert len(place.trials()) == 2


def test_serve_shows_the_run_that_it_belongs_to_and_ends_with_it(place: Place) -> None:
    place.study(loads=STEADY, good=place.counted())
    run = place.start("--listen", "127.0.0.1:0")
    link = read_until(run, "live page: ").split()[-1]
    site = Served(link)
    place.wait_for("server/loaded", run)
    (page,) = [one for one in psutil.Process(run.pid).children() if "httpdyno.web" in one.cmdline()]
    site.wait_for(urlsplit(link).path, "achieved")
    threads = {psutil.Process(thread.id).nice() for thread in page.threads()}
    assert 19 in threads
    assert site.send(f"{urlsplit(link).path}/cancel").status == 303
    (key,) = live_keys(place)
    assert "cancelled" in (told := events(site, key, "event: end\ndata: "))
    assert told.endswith("data: true\n")
    assert "Report so far" not in told, "no trial has ended"
    _, rest = run.communicate()
    assert run.returncode == 130, rest
    assert not page.is_running()
    assert "--listen" not in rest.splitlines()[-1]


def test_the_page_ends_with_a_run_that_is_killed(place: Place) -> None:
    run = started(place, "--listen", "127.0.0.1:0")
    (page,) = [one for one in psutil.Process(run.pid).children() if "httpdyno.web" in one.cmdline()]
    run.kill()
    run.communicate()
    _, alive = psutil.wait_procs([page], timeout=300)
    assert alive == []
    place.wait_for_no_server()


def test_a_run_is_followed_by_many_viewers_of_whom_some_read_nothing_and_cancelled(
    place: Place,
) -> None:
    run = started(place)
    with served(place) as site:
        (key,) = live_keys(place)
        assert f'href="/live/{key}"' in site.wait_for("/", "Small servers")
        page = site.wait_for(f"/live/{key}", "achieved")
        for words in ("good/1-process · steady · 100/s", "planned 100/s", "lag p99", "memory"):
            assert words in page
        streams = [viewer(site, key) for _ in range(60)]
        silent, watching = streams[:20], streams[20:]
        for _ in range(2):
            assert all(json.loads(one.partition(b": ")[2]) for one in map(next_parts, watching))
        assert site.send(f"/live/{key}/cancel").status == 303
        assert re.search(">(cancelling|cancelled)<", site.ask(f"/live/{key}").text)
        run.communicate()
        assert run.returncode == 130
        assert all(b"event: end" in rest for rest in map(read_to_end, watching))
        assert "Resume" in site.ask(f"/live/{key}").text
        for stream in silent:
            stream.close()


def test_a_study_that_cannot_start_shows_its_output_and_other_files_cannot_be_started(
    place: Place,
) -> None:
    (place.home / "wrong.toml").write_text('title = "no loads"\narms = []\n')
    (place.home / "mine.toml").write_text('[loads.full]\nkind = "wrong"\n')
    (place.home / "broken.toml").write_text("[loads\n")
    (place.home / "machines.toml").write_text('[[machines]]\nname = "a"\n')
    with served(place) as site:
        page = site.ask("/start").text
        assert "file: mine.toml" in page
        assert "broken.toml" not in page
        assert "machines.toml" not in page
        answer = site.send("/start/study", study="file: wrong.toml")
        address = answer.headers["location"]
        assert "wrong.toml" in site.wait_for(address, "error:")
        assert "killed" not in site.wait_for(address, ">failed<")
        told = events(site, address.removeprefix("/live/"), "event: end")
        assert "error:" in told


def test_a_load_shows_its_server_and_its_result_and_its_page_stays_until_ctrl_c(
    place: Place, site: Served, tmp_path: Path
) -> None:
    url = f"{site.url}/static/icon.svg?token=hunter2"
    flags = ["--duration", "4s", "--rate", "50", "-H", "Authorization: hunter3"]
    run = place.spawn(place.program("load", url, *flags, "--listen", "127.0.0.1:0", "--stay"))
    page = Served(link := read_until(run, "live page: ").split()[-1])
    told = page.wait_for(urlsplit(link).path, "p99 so far")
    assert "CPUs" in page.wait_for(urlsplit(link).path, "<dt>memory</dt>")
    read_until(run, "the page stays at")
    (key,) = live_keys(place)
    told += page.ask(f"/live/{key}").text
    assert "complete" in told
    assert "right replies, p50" in told
    assert "httpdyno load" in told
    kept = (tmp_path / "STATE" / "live" / key / "events.jsonl").read_text()
    assert "hunter" not in told + kept
    run.send_signal(signal.SIGINT)
    run.communicate()
    assert run.returncode == 0


@pytest.mark.skipif(len(CPUS) < 2, reason="the server needs a processor of its own")
def test_a_watched_page_stays_off_the_server_s_processors_while_a_load_is_measured(
    place: Place,
) -> None:
    with served(place) as site:
        assert site.process is not None
        url, page = f"{site.url}/static/icon.svg", site.process.pid
        flags = ["--duration", "60s", "--rate", "50", "--cpus", f"{CPUS[-1]}"]
        run = place.spawn(place.program("load", url, *flags))
        while not live_keys(place):
            pass
        stream = viewer(site, live_keys(place)[0])
        while {CPUS[-1]} not in processors(page):
            next_parts(stream)
        run.send_signal(signal.SIGINT)
        read_to_end(stream)
        while processors(page) != [set(CPUS)]:
            pass
        run.communicate()


def processors(pid: int) -> list[set[int]]:
    """Where the threads of a process may run, without repetitions."""
    found: list[set[int]] = []
    for thread in Path(f"/proc/{pid}/task").iterdir():
        where = os.sched_getaffinity(int(thread.name))
        if where not in found:
            found.append(where)
    return found


def test_a_sweep_is_shown_point_by_point(place: Place, site: Served, tmp_path: Path) -> None:
    url = f"{site.url}/static/icon.svg?token=hunter2"
    flags = ("--rate", "20,40", "--requests", "20", "--cool-down", "0s")
    done = place.finish(place.program("sweep", "load", url, *flags))
    assert done.returncode == 0, done.stderr
    (key,) = live_keys(place)
    kept = (tmp_path / "STATE" / "live" / key / "events.jsonl").read_text()
    assert "hunter" not in kept
    state = RunState(key)
    state.add(json.loads(line) for line in kept.splitlines())
    assert [one.point for one in state.results] == ["20/s", "40/s"]
    shown = parts(state, False, "secret")
    assert "kept up with every rate, up to" in shown["answer"]
    assert "2 points. " in shown["results"]
    assert ">complete<" in shown["status"]
    assert "block" not in shown["results"]


def test_a_search_is_offered_installed_servers_first_and_the_others_say_what_happens(
    place: Place,
) -> None:
    assert place.call("servers", "install", "reference").returncode == 0
    with served(place) as site:
        page = site.ask("/start").text
        first, _, others = page.partition('<optgroup label="Not installed">')
        assert '<optgroup label="Installed"><option value="reference/' in first
        assert "nginx/1-worker" not in first
        assert "nginx/1-worker (will be installed)" in others
        assert "httpdyno capacity --command" in page


def test_the_link_of_a_run_can_be_opened_before_the_run_reports_anything(site: Served) -> None:
    answer = site.ask(f"/live/{Identity.own().key}")
    assert answer.status == 200
    assert 'http-equiv="refresh"' in answer.text
    assert site.ask(f"/live/{Identity.own().key}0").status == 404


def viewer(site: Served, key: str) -> HTTPConnection:
    """A browser's request for the stream of a run."""
    host, _, port = site.address.rpartition(":")
    connection = HTTPConnection(host, int(port))
    connection.request("GET", f"/live/{key}/events")
    return connection


def next_parts(stream: HTTPConnection) -> bytes:
    """The next update."""
    answer = answer_of(stream)
    while not answer.readline().startswith((b"event: parts", b"event: now")):
        pass
    return answer.readline()


def read_to_end(stream: HTTPConnection) -> bytes:
    """Everything up to the end of the stream."""
    rest = answer_of(stream).read()
    stream.close()
    return rest


def answer_of(stream: HTTPConnection) -> HTTPResponse:
    """The answer, which was begun before or is begun now."""
    if not hasattr(stream, "answer"):
        stream.answer = stream.getresponse()  # type: ignore[attr-defined]
    answer: HTTPResponse = stream.answer  # type: ignore[attr-defined]
    return answer
