"""What a server does when it is asked to end while a request is half sent."""

from __future__ import annotations

import threading
from time import sleep

from httpdyno.servers.check.client import Conversation, ReplyError
from httpdyno.servers.check.probes import Answer, BehaviourRow
from httpdyno.servers.process.running import HOST, RunningServer

NAME = "graceful stop"
_SIGNAL_FIRST_S = 0.1
"""How long after the signal the rest of the request is sent."""

_ANSWER_WITHIN_S = 1.0


def check_ending(running: RunningServer) -> BehaviourRow:
    """Stop the server with half a request on a connection; the row says how it ended.

    `yes`: its processes ended by themselves in the declared time. `partly`: its first process did,
    and others had to be killed. `no`: it had to be killed. Whether the half request was still
    answered is told, not judged.
    """
    came: list[str] = []
    path = running.installation.server.ready.path
    rest = threading.Thread(target=lambda: came.append(_half(running.port, path, half_sent)))
    half_sent = threading.Event()
    rest.start()
    half_sent.wait()
    ending = running.stop()
    rest.join()
    answer: Answer = "yes"
    if ending.killed:
        answer = "no" if running.pid in ending.killed else "partly"
    told = [_how(ending.exit_code), f"{ending.took_s:.2f} s", *came]
    if ending.killed:
        told.append(f"{len(ending.killed)} of its processes had to be killed")
    return BehaviourRow(NAME, answer, ", ".join(told))


def _how(exit_code: int) -> str:
    return f"ended by signal {-exit_code}" if exit_code < 0 else f"exit code {exit_code}"


def _half(port: int, path: str, half_sent: threading.Event) -> str:
    """Send half a request, and the rest of it a little after the signal; what came of it."""
    try:
        with Conversation(HOST, port, _ANSWER_WITHIN_S) as conversation:
            conversation.send(f"GET {path} HTTP/1.1\r\n".encode())
            half_sent.set()
            sleep(_SIGNAL_FIRST_S)
            conversation.send(f"Host: {HOST}:{port}\r\n\r\n".encode())
            return f"half a request still answered ({conversation.receive().status})"
    except ReplyError:
        return "half a request cut off"
    finally:
        half_sent.set()
