"""The check of a server's stop: the signal arrives while a request of HTTP/1 is half sent."""

from __future__ import annotations

import threading
from time import sleep

from httpdyno.engine_plan import Target
from httpdyno.servers.check.client import Conversation, ReplyError
from httpdyno.servers.check.probes import Answer, ProbeResult
from httpdyno.servers.process.running_server import RunningServer

NAME = "graceful stop"
_SIGNAL_FIRST_S = 0.1
"""Pause between the signal and the rest of the request."""

_ANSWER_WITHIN_S = 1.0


def check_stop(running: RunningServer) -> ProbeResult:
    """Stop the server with half a request on a connection, if it speaks HTTP/1.

    `yes`: its processes exited by themselves within the declared grace. `partly`: its first process
    did, others had to be killed. `no`: the first process had to be killed. The detail also says
    what became of the half request, which is not judged.
    """
    reply: list[str] = []
    path = running.installation.server.ready.path
    half_sent, signalled = threading.Event(), threading.Event()
    client = threading.Thread(
        target=lambda: reply.append(_half(running.target, path, half_sent, signalled))
    )
    if running.http == "1.1":
        client.start()
        half_sent.wait()
    try:
        stopped = running.stop(on_signal=signalled.set)
    finally:
        signalled.set()
        if client.ident is not None:
            client.join()
    answer: Answer = "yes"
    if stopped.killed:
        answer = "no" if running.pid in stopped.killed else "partly"
    details = [_how(stopped.exit_code), f"{stopped.took_s:.2f} s", *reply]
    if stopped.killed:
        details.append(f"{len(stopped.killed)} of its processes had to be killed")
    return ProbeResult(name=NAME, answer=answer, detail=", ".join(details))


def _how(exit_code: int) -> str:
    return f"ended by signal {-exit_code}" if exit_code < 0 else f"exit code {exit_code}"


def _half(target: Target, path: str, half_sent: threading.Event, signalled: threading.Event) -> str:
    """Send half a request, and the rest shortly after the signal; the outcome in words."""
    try:
        at = (target.host, target.port)
        with Conversation(*at, _ANSWER_WITHIN_S, target=target) as conversation:
            conversation.send(f"GET {path} HTTP/1.1\r\n".encode())
            half_sent.set()
            signalled.wait()
            sleep(_SIGNAL_FIRST_S)
            conversation.send(f"Host: {target.host}:{target.port}\r\n\r\n".encode())
            return f"the half request was answered ({conversation.receive().status})"
    except ReplyError:
        return "the half request was dropped"
    finally:
        half_sent.set()
