"""Requests to stop: one meaning for three signals, from the first import to the last line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from httpdyno.cli import signals
from httpdyno.cli.signals import SIGNALS, Stop, stoppable
from httpdyno.errors import ExitCode

from .conftest import environment

INTERRUPTED = 130


def _raise(number: signal.Signals) -> None:
    os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_request_says_what_is_waited_for_and_interrupts(number: signal.Signals) -> None:
    said: list[str] = []
    with pytest.raises(KeyboardInterrupt), stoppable("the server", say=said.append):
        _raise(number)
    assert said == ["stopping: waiting for the server (Ctrl-C again to give up)"]


def test_a_body_that_ends_by_itself_is_asked_twice_then_interrupted() -> None:
    said: list[str] = []
    asked: list[int] = []
    with stoppable("replies", say=said.append) as stop:
        stop.ask = lambda: asked.append(stop.requests)
        assert not stop.requested
        _raise(signal.SIGINT)
        _raise(signal.SIGTERM)
        assert stop.requested
        assert asked == [1, 2]
        assert said[1:] == ["stopping: not waiting any longer"]
        with pytest.raises(KeyboardInterrupt):
            _raise(signal.SIGHUP)


def test_what_is_waited_for_may_change_while_the_body_works() -> None:
    said: list[str] = []
    with stoppable(ask=lambda: None, say=said.append) as stop:
        stop.waiting_for = "the second trial"
        _raise(signal.SIGINT)
    assert said[0].startswith("stopping: waiting for the second trial")


def test_after_the_body_the_signals_go_where_they_went() -> None:
    outer: list[str] = []
    with stoppable(ask=lambda: None, say=outer.append):
        with stoppable(ask=lambda: None, say=lambda _: None) as inner:
            _raise(signal.SIGINT)
        assert (inner.requests, outer) == (1, [])
        _raise(signal.SIGINT)
        assert outer == ["stopping"]


def test_a_hangup_that_is_ignored_stays_ignored_and_an_interrupt_does_not() -> None:
    before = [signal.signal(one, signal.SIG_IGN) for one in (signal.SIGHUP, signal.SIGINT)]
    try:
        with stoppable(ask=lambda: None, say=lambda _: None) as stop:
            _raise(signal.SIGHUP)
            assert not stop.requested
            _raise(signal.SIGINT)
            assert stop.requested
    finally:
        for one, handler in zip((signal.SIGHUP, signal.SIGINT), before, strict=True):
            signal.signal(one, handler)


AT_THE_END = """
import os, signal, sys
from httpdyno.cli import signals

class Last:
    kill, own, number = os.kill, os.getpid(), int(sys.argv[1])


    def __del__(self):  # when the modules are cleared, after Python's handlers of signals
        self.kill(self.own, self.number)

signals.leave_at_once()
signal.last = Last()
sys.exit(5)
"""


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_at_the_very_end_leaves_the_exit_code_as_it_is(number: signal.Signals) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", AT_THE_END, str(int(number))], env=environment(), check=False
    )
    assert ended.returncode == 5


def test_two_signals_at_once_end_the_page_without_an_error(tmp_path: Path) -> None:
    for _ in range(5):
        page = subprocess.Popen(
            [sys.executable, "-m", "httpdyno", "serve", "--listen", "127.0.0.1:0"],
            env={**environment(), "HTTPDYNO_DATA": str(tmp_path), "HTTPDYNO_STATE": str(tmp_path)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert page.stdout is not None
        assert page.stdout.readline().startswith("serving on")
        page.send_signal(signal.SIGINT)
        page.send_signal(signal.SIGTERM)
        assert page.communicate(timeout=60)[1] == ""
        assert page.returncode in (0, INTERRUPTED)  # the second may come after the verb


def test_outside_of_the_main_thread_nothing_changes() -> None:
    seen: list[Stop] = []

    def work() -> None:
        with stoppable() as stop:
            seen.append(stop)

    before = [signal.getsignal(number) for number in SIGNALS]
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(seen) == 1
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_work_beside_gives_its_result_or_its_error() -> None:
    assert signals.beside(lambda: 42) == 42
    with pytest.raises(ZeroDivisionError):
        signals.beside(lambda: 1 // 0)


def test_work_beside_that_never_ends_can_be_interrupted() -> None:
    begun, never = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        os.kill(os.getpid(), signal.SIGINT)
        never.wait()

    with pytest.raises(KeyboardInterrupt), stoppable(say=lambda _: None):
        signals.beside(work)
    assert begun.is_set()
    never.set()


def test_its_exit_code_is_the_documented_one() -> None:
    assert signals.INTERRUPTED == ExitCode.INTERRUPTED


# Each program says where it is and waits to be asked.
_IMPORTING = """
import builtins, sys, time
real = builtins.__import__
def slow(name, *rest, **named):
    if name == "click":
        print("importing", flush=True)
        time.sleep(60)
    return real(name, *rest, **named)
builtins.__import__ = slow
from httpdyno.__main__ import main
main()
"""
_BEFORE_ITS_WORK = """
import sys, time
from httpdyno.cli.frame import commands as frame
def work(*_):
    print("working", flush=True)
    time.sleep(60)
frame.Verbs.invoke = work
from httpdyno.__main__ import main
main()
"""
_AT_WORK = """
import sys, time
from httpdyno.cli.frame import commands as frame
from httpdyno.cli.signals import stoppable
def work(*_):
    with stoppable("it"):
        print("working", flush=True)
        time.sleep(60)
frame.Verbs.invoke = work
from httpdyno.__main__ import main
main()
"""
_SAID = "stopping: waiting for it (Ctrl-C again to give up)\n"


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize(
    ("code", "said"), [(_IMPORTING, ""), (_BEFORE_ITS_WORK, ""), (_AT_WORK, _SAID)]
)
def test_each_signal_gives_exit_code_130_and_no_traceback(
    code: str, said: str, number: signal.Signals
) -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", code, "doctor"],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert program.stdout is not None
    assert program.stdout.readline()
    program.send_signal(number)
    _, errors = program.communicate(timeout=60)
    assert (program.returncode, errors) == (INTERRUPTED, said)


_IN_EVAL = """
import os, signal, sys
from httpdyno.cli.signals import stoppable
try:
    with stoppable("it"):
        eval("os.kill(os.getpid(), signal.SIGTERM) or [0 for _ in range(10_000_000)]")
except KeyboardInterrupt:
    print("caught", flush=True)
sys.exit(130)
"""


def test_a_request_in_the_midst_of_an_eval_does_not_kill_the_process(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(_IN_EVAL)
    command = [sys.executable, "-m", "program"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.returncode) == ("caught\n", INTERRUPTED)


def test_a_request_that_python_drops_is_repeated() -> None:
    class Interrupting:
        def __del__(self) -> None:
            _raise(signal.SIGTERM)
            for _ in range(1000):
                pass

    said: list[str] = []
    with stoppable("it", say=said.append) as stop:
        Interrupting()
        with pytest.raises(KeyboardInterrupt):
            threading.Event().wait(60)
    assert (stop.requests, said) == (1, [_SAID.rstrip()])
