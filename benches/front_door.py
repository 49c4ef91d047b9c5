"""The processor time of each verb until its first request, or until its end without one.

    make bench-front-door
    python benches/front_door.py [--rounds N] [--write PAGE]

A server on this machine waits for the first bytes of a request, and then reads the processor time
of the process that sends it, all threads together. Each round starts every program once, in
shuffled order, `python -c pass` among them; a cell is the median over the rounds, of its time and
of its ratio to `python -c pass` in the same round. 20 rounds take half a minute.
"""

from __future__ import annotations

import argparse
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from httpdyno.host.facts import machine_facts
from peers.tables.marks import write

COMMAND = "make bench-front-door"
NOTHING = "python -c pass"
UNTIL_FIRST_REQUEST = ("load URL --requests 1", "load URL --requests 1 --quiet", "ab -n 1 URL")
UNTIL_END = ("load --help", "completion candidates -- load --re", "--version")
REPLY = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"


def processor_s(pid: int) -> float:
    """The processor time of a process so far: clock_getcpuclockid(3)."""
    return time.clock_gettime(~pid << 3 | 2)


def to_first_request(words: str, environment: dict[str, str]) -> float:
    """Processor seconds from the start of the program to its first request."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        door.settimeout(60)
        url = f"http://127.0.0.1:{door.getsockname()[1]}/"
        program = [sys.executable, "-m", "httpdyno", *words.replace("URL", url).split()]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        with subprocess.Popen(program, env=environment, **quiet) as running:
            while True:
                connection, _ = door.accept()
                with connection:
                    connection.settimeout(60)
                    if connection.recv(65536):  # else a connection that proves the server
                        used_s = processor_s(running.pid)
                        connection.sendall(REPLY)
                        return used_s


def to_end(argv: list[str], environment: dict[str, str]) -> float:
    """Processor seconds of a program from its start to its end."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    running = subprocess.Popen(argv, env=environment, **quiet)
    _, status, usage = os.wait4(running.pid, 0)
    running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode != 0:
        raise RuntimeError(f"`{' '.join(argv)}` failed")
    return usage.ru_utime + usage.ru_stime


def measured(rounds: int, folder: Path) -> dict[str, list[float]]:
    """The processor seconds of each program, round by round."""
    # Compiled modules in a folder of their own, as they are beside an installed package.
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder), "HTTPDYNO_STATE": str(folder)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    found: dict[str, list[float]] = {
        name: [] for name in (NOTHING, *UNTIL_FIRST_REQUEST, *UNTIL_END)
    }
    for number in range(rounds + 1):
        for name in random.sample(list(found), len(found)):
            if name in UNTIL_FIRST_REQUEST:
                used_s = to_first_request(name, environment)
            elif name == NOTHING:
                used_s = to_end([sys.executable, "-c", "pass"], environment)
            else:
                used_s = to_end([sys.executable, "-m", "httpdyno", *name.split()], environment)
            if number:  # the first round compiles the modules
                found[name].append(used_s)
    return found


def table(found: dict[str, list[float]]) -> str:
    """Rows of the page, with the least and the median time of each program."""
    facts = {fact.label: fact.value for fact in machine_facts()}
    lines = [
        f"`{COMMAND}`, {datetime.now(tz=UTC):%Y-%m-%d}: {len(found[NOTHING])} rounds,"
        f" {facts.get('processor')}, {facts.get('cores')} cores, {facts.get('kernel')},"
        f" CPython {sys.version.split()[0]}, load average"
        f" {facts.get('load average at the start')} before.",
        "",
        "| program | until | processor time, least | median | ratio to `python -c pass` |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, times in found.items():
        until = "its first request" if name in UNTIL_FIRST_REQUEST else "its end"
        ratio = statistics.median(a / b for a, b in zip(times, found[NOTHING], strict=True))
        shown = f"`{name}`" if name == NOTHING else f"`httpdyno {name}`"
        least, median = (f"{one * 1e3:.0f} ms" for one in (min(times), statistics.median(times)))
        lines.append(f"| {shown} | {until} | {least} | {median} | {ratio:.1f}× |")
    return "\n".join(lines)


def main() -> None:
    """Measure, and print the table or write it into a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--write", type=Path, metavar="PAGE")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        text = table(measured(given.rounds, Path(folder)))
    if given.write is None:
        print(text)
    else:
        write(given.write, COMMAND, text)


if __name__ == "__main__":
    main()
