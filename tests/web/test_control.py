"""A run on the page: followed, paused, cancelled, resumed and started, by requests alone."""

from __future__ import annotations

import re
import signal
import subprocess
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
from page_server import Served, live_keys, served
from small_server import GOOD
from study_place import Place, read_until

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


def test_a_run_of_another_process_is_followed_and_cancelled(place: Place) -> None:
    run = started(place)
    with served(place) as site:
        (key,) = live_keys(place)
        front = site.wait_for("/", "Small servers")
        assert f'href="/live/{key}"' in front
        page = site.wait_for(f"/live/{key}", "achieved")
        for words in ("good/1-process · steady · 100/s", "planned 100/s", "lag p99", "memory"):
            assert words in page
        told = events(site, key, "event: parts")
        assert "part" in told
        assert site.send(f"/live/{key}/cancel").status == 303
        assert re.search(">(cancelling|interrupted)<", site.ask(f"/live/{key}").text)
        run.communicate()
        assert run.returncode == 130
        assert "interrupted" in events(site, key, "event: end")
        assert "Resume" in site.ask(f"/live/{key}").text


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
        site.send(f"/live/{key}/continue")
        run.communicate()
        assert run.returncode == 0
        assert len(place.trials()) == 4
        assert "complete" in site.ask(f"/live/{key}").text
        assert "no-store" in site.ask("/runs/1").headers["cache-control"]


def test_a_paused_run_can_be_interrupted(place: Place) -> None:
    place.study(blocks=2, good=place.counted())
    place.hold(2)
    run = place.start()
    place.wait_for("server/held", run)
    with served(place) as site:
        (key,) = live_keys(place)
        site.send(f"/live/{key}/pause")
        place.hold(None)
        site.wait_for(f"/live/{key}", "Paused before the next trial")
        site.send(f"/live/{key}/cancel")
        run.communicate()
        assert run.returncode == 130
        assert len(place.trials()) == 1


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
        assert runner.nice() == 0
    _, alive = psutil.wait_procs([runner], timeout=300)
    assert alive == []
    with served(place) as again:
        page = again.ask(f"/live/{key}").text
        assert "complete" in page
        assert len(place.trials()) == 2


def test_a_run_that_cannot_start_shows_its_output(place: Place) -> None:
    (place.home / "wrong.toml").write_text('title = "no loads"\narms = []\n')
    with served(place) as site:
        answer = site.send("/start/study", study="file: wrong.toml")
        address = answer.headers["location"]
        assert "wrong.toml" in site.wait_for(address, "error:")
        assert "killed" not in site.wait_for(address, ">failed<")
        told = events(site, address.removeprefix("/live/"), "event: end")
        assert "error:" in told


def test_only_files_with_the_parts_of_a_study_can_be_started(place: Place) -> None:
    (place.home / "mine.toml").write_text('[loads.full]\nkind = "wrong"\n')
    (place.home / "broken.toml").write_text("[loads\n")
    (place.home / "machines.toml").write_text('[[machines]]\nname = "a"\n')
    with served(place) as site:
        page = site.ask("/start").text
        assert "file: mine.toml" in page
        assert "broken.toml" not in page
        assert "machines.toml" not in page


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
    assert "interrupted" in (told := events(site, key, "event: end\ndata: "))
    assert told.endswith("data: true\n")
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


def test_a_load_is_shown_with_its_result_and_without_its_credentials(
    place: Place, tmp_path: Path
) -> None:
    with served(place) as target:
        command = [
            "load",
            f"{target.url}/static/icon.svg?token=hunter2",
            "--requests",
            "20",
            "-H",
            "Authorization: hunter3",
            "--rate",
            "200",
        ]
        done = place.call(*command)
        assert done.returncode == 0, done.stderr
        with served(place) as site:
            (key,) = live_keys(place)
            page = site.ask(f"/live/{key}").text
            assert "complete" in page
            assert re.search(r"httpdyno load", page)
            kept = (tmp_path / "STATE" / "live" / key / "events.jsonl").read_text()
            assert "hunter" not in page + kept


@pytest.mark.parametrize("viewers", [12])
def test_a_viewer_that_reads_nothing_delays_no_other(place: Place, viewers: int) -> None:
    run = started(place)
    with served(place) as site:
        (key,) = live_keys(place)
        host, _, port = site.address.rpartition(":")
        silent = [HTTPConnection(host, int(port)) for _ in range(viewers)]
        for connection in silent:
            connection.request("GET", f"/live/{key}/events")
        for _ in range(3):
            events(site, key, "event: parts")
        site.send(f"/live/{key}/cancel")
        run.communicate()
        events(site, key, "event: end")
        for connection in silent:
            connection.close()


def test_a_page_that_stays_is_there_after_the_run_until_ctrl_c(place: Place) -> None:
    with served(place) as target:
        url = f"{target.url}/static/icon.svg"
        flags = ["--requests", "5", "--listen", "127.0.0.1:0", "--stay"]
        run = place.spawn(place.program("load", url, *flags))
        site = Served(read_until(run, "the page stays at").split()[4])
        (key,) = live_keys(place)
        assert "complete" in site.ask(f"/live/{key}").text
        run.send_signal(signal.SIGINT)
        run.communicate()
        assert run.returncode == 0
