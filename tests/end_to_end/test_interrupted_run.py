"""INT, TERM and HUP end a run in each of its phases: said at once, nothing left over, exit 130."""

from __future__ import annotations

import fcntl
import re
import signal
import subprocess
from collections.abc import Callable
from time import sleep

import psutil
import pytest
from small_server import GOOD
from study_place import Place, read_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

ENDLESS = """\
[loads.endless]
kind = "closed"
connections = 2
duration = "3600s"
warm_up = {warm_up}
"""
MANY_SHAPES = f"""\
[loads.many]
kind = "closed"
connections = {list(range(1, 51))}
duration = "200ms"
"""
BLOCKED = """[build]
command = ["{python}", "-c", "open('blocked', 'w'); import time; time.sleep(3600)"]
"""


def waiting(place: Place) -> subprocess.Popen[str]:
    """Another run has the machine."""
    place.study(good=(GOOD, ""))
    (place.home / "STATE").mkdir()
    place.lock = (place.home / "STATE" / "run.lock").open("a")
    fcntl.flock(place.lock, fcntl.LOCK_EX)
    run = place.start()
    read_until(run, "waiting for")
    return run


def installing(place: Place) -> subprocess.Popen[str]:
    place.study(good=(GOOD, BLOCKED))
    run = place.start()
    while not any((place.home / "CACHE").rglob("blocked")):
        assert run.poll() is None
        sleep(0.05)
    return run


def checking(place: Place) -> subprocess.Popen[str]:
    """The server that is to be checked does not answer yet."""
    place.study(good=place.counted())
    place.hold(1)
    run = place.start()
    place.wait_for("server/held", run)
    return run


def starting(place: Place) -> subprocess.Popen[str]:
    """The second trial's server does not answer yet."""
    place.study(good=place.counted())
    place.hold(3)
    run = place.start()
    place.wait_for("server/held", run)
    return run


def warming_up(place: Place) -> subprocess.Popen[str]:
    place.study(loads=ENDLESS.format(warm_up='"3600s"'), good=place.counted())
    run = place.start()
    place.wait_for("server/loaded", run)
    return run


def measuring(place: Place) -> subprocess.Popen[str]:
    place.study(loads=ENDLESS.format(warm_up="0"), good=place.counted())
    run = place.start()
    place.wait_for("server/loaded", run)
    return run


def reporting(place: Place) -> subprocess.Popen[str]:
    place.study(good=(GOOD, ""))
    run = place.spawn(place.at_event("hold", 1, "result.json", *place.arguments()))
    place.wait_for("held", run)
    return run


SERVER = "stopping: waiting for the server to stop"
PHASES: list[tuple[Callable[[Place], subprocess.Popen[str]], signal.Signals, str, str]] = [
    (waiting, signal.SIGHUP, "stopping", ""),
    (installing, signal.SIGTERM, "stopping: waiting for the installation", "0 of 2 trials"),
    (checking, signal.SIGHUP, SERVER, "0 of 2 trials"),
    (starting, signal.SIGTERM, SERVER, "1 of 2 trials"),
    (warming_up, signal.SIGINT, SERVER, "0 of 1 trials"),
    (measuring, signal.SIGINT, SERVER, "0 of 1 trials"),
    (measuring, signal.SIGTERM, SERVER, "0 of 1 trials"),
    (measuring, signal.SIGHUP, SERVER, "0 of 1 trials"),
    (reporting, signal.SIGINT, "stopping", "2 of 2 trials"),
]


@pytest.mark.parametrize(
    ("phase", "number", "said", "stored"),
    PHASES,
    ids=[f"{phase.__name__} {number.name}" for phase, number, *_ in PHASES],
)
def test_a_signal_ends_each_phase(
    place: Place,
    phase: Callable[[Place], subprocess.Popen[str]],
    number: signal.Signals,
    said: str,
    stored: str,
) -> None:
    run = phase(place)
    run.send_signal(number)
    stdout, stderr = run.communicate()
    assert run.returncode == 130, stderr
    assert any(line.startswith(said) for line in stderr.splitlines()), stderr
    assert place.living() == []
    assert not stored or f"interrupted: {stored} are stored" in stderr
    if not stored or stored.startswith("0"):
        assert stdout == ""
        assert not (place.results / "result.json").exists()
    if stored:
        assert stderr.splitlines()[-1].endswith(" --resume")


def test_a_signal_during_a_ceiling_ends_the_run_and_stores_nothing_of_it(place: Place) -> None:
    place.study(loads=MANY_SHAPES, good=(GOOD, ""))
    run = place.start()
    first = read_until(run, "measuring the generator's ceiling")
    while not any(one.status == "ESTABLISHED" for one in psutil.Process(run.pid).net_connections()):
        assert run.poll() is None
    run.send_signal(signal.SIGTERM)
    _, rest = run.communicate()
    assert run.returncode == 130, rest
    lines = {first, *rest.splitlines(keepends=True)}
    begun = sum(line.startswith("measuring the generator's ceiling") for line in lines)
    ended = [line for line in lines if line.startswith("generator ceiling on this machine")]
    assert len(ended) == begun - 1
    # A lower bound is measured again.
    assert len(place.store.ceilings(1)) == sum("at least" not in line for line in ended)
    assert place.trials() == []


def test_an_interrupted_run_is_reported_so_far_and_its_hint_resumes_it(place: Place) -> None:
    place.study(good=place.counted())
    place.hold(3)
    run = place.start()
    place.wait_for("server/held", run)
    run.send_signal(signal.SIGINT)
    stdout, stderr = run.communicate()
    assert run.returncode == 130
    assert not place.result().complete
    assert str(place.results / "report.html") in stdout
    kept = place.trials()
    assert len(kept) == 1
    place.hold(None)
    hint = re.fullmatch(r"  httpdyno (run .* --resume)", stderr.splitlines()[-1])
    assert hint is not None
    assert place.call(*hint[1].split()).returncode == 0
    assert place.result().complete
    assert place.trials()[0] == kept[0]
    assert len(place.trials()) == 2


@pytest.mark.parametrize("signals", [1, 2])
def test_a_server_that_ignores_its_stop_signal_is_not_waited_for(
    place: Place, signals: int
) -> None:
    ignoring = (
        '["{{python}}", "-c", "import os, signal, sys;'
        " os.path.exists('{folder}/starts') and signal.signal(15, signal.SIG_IGN);"
        " sys.argv = ['app.py', '{{port}}', 'Hello, world!', '{folder}'];"
        " exec(open('app.py').read())\"]"
    )
    command, _ = place.counted()
    place.study(loads=ENDLESS.format(warm_up="0"), good=(command, ""))
    (file,) = place.servers
    text = file.read_text().replace(command, ignoring.format(folder=place.home / "server"))
    file.write_text(text.replace("grace_s = 2", "grace_s = 120"))
    run = place.start()
    place.wait_for("server/loaded", run)
    for _ in range(signals):
        run.send_signal(signal.SIGTERM)
        read_until(run, "stopping: ")
    _, rest = run.communicate()
    assert run.returncode == 130, rest
    assert place.living() == []
