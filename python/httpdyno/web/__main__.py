"""The process of `child.py`. Its first line on stdin says what to serve; it ends with stdin."""

from __future__ import annotations

import json
import os
import select
import socket
import sys
from pathlib import Path

from httpdyno.web.child import READY
from httpdyno.web.listener import Listener
from httpdyno.web.server import serving, until


def main() -> None:
    """Serve until stdin ends."""
    settings = json.loads(sys.stdin.buffer.readline())
    opened = socket.socket(fileno=settings["descriptor"])
    listening = Listener(opened, settings["host"], settings["token"], settings["any_address"])
    with serving(listening, Path(settings["studies"]), fleeting=settings["fleeting"]) as launcher:
        os.write(1, READY)
        until(_stdin_has_ended, launcher)


def _stdin_has_ended() -> bool:
    readable, _, _ = select.select([0], [], [], 0)
    return bool(readable) and not os.read(0, 1)


if __name__ == "__main__":
    main()
