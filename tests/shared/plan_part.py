"""Runs one part of a plan on its machine: `plan_part.py PLAN FOLDER`.

It prints `ready`, reads the instant of the start (nanoseconds since 1970) from stdin, and writes
its results into the folder: `whole` and `calls`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from httpdyno import engine
from httpdyno.engine_plan.reading import read_json


def main(plan: Path, folder: Path) -> None:
    """Run the part, and write its results."""
    part = read_json(plan.read_text(encoding="utf-8"))
    engine.probe()  # the engine is loaded now
    print("ready", flush=True)  # noqa: T201
    with engine.start(part, at=int(sys.stdin.readline())) as running:
        running.follow("done")
        folder.mkdir()
        (folder / "whole").write_bytes(running.whole())
        (folder / "calls").write_bytes(running.call_log().records)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
