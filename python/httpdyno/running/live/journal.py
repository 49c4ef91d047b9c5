"""The journal of a run: its events, one JSON object per line, for whoever watches.

It never ends or delays a run: what cannot be written is left out. It stays small: samples of past
trials are dropped, since the store has those trials, and the samples of a long trial are thinned.
Format history:
  1  first version.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from httpdyno.output.places import state_folder
from httpdyno.running.live.identity import Identity
from httpdyno.running.live.records import Record, line_of

VERSION = 1
EVENTS = "events.jsonl"
PAUSE = "pause"
CANCEL = "cancel"
MOST_BYTES = 4 << 20
"""A larger journal is written anew, with fewer samples."""
RECENT = 240
"""The samples at the end of a trial that are never thinned: its last two minutes."""
KEPT_RUNS = 20
"""Journals of this many ended runs are kept."""
MOST_TEXT = 2000


def live_folder() -> Path:
    """The folder of all journals."""
    return state_folder() / "live"


def folder_of(key: str) -> Path:
    """The folder of a run."""
    return live_folder() / key


class Journal:
    """Writes the events of this process."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / EVENTS
        self._kept: list[tuple[str, bytes]] = []
        self._bytes = 0
        self._most = MOST_BYTES
        self._descriptor: int | None = None
        with suppress(OSError):
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
            forget_ended()
            self._rewrite()

    @property
    def pause(self) -> Path:
        """While this file exists, the run waits before its next trial."""
        return self._file.with_name(PAUSE)

    def write(self, record: Record) -> None:
        """Append a record."""
        kind, values = line_of(record)
        self.add(kind, **values)

    def add(self, kind: str, **values: Any) -> None:
        """Append a line."""
        event = {"kind": kind, "at": round(time.time(), 3), **values}
        line = json.dumps(_bound(event), separators=(",", ":"), default=vars).encode()
        if kind == "trial":
            self._kept = [one for one in self._kept if one[0] != "sample"]
        self._kept.append((kind, line + b"\n"))
        if self._descriptor is None:
            return
        with suppress(OSError):
            self._bytes += os.write(self._descriptor, line + b"\n")
            if self._bytes > self._most:
                self._thin()
                self._rewrite()

    def close(self) -> None:
        """Close the file, which stays."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _thin(self) -> None:
        """Drop every other sample but the most recent ones."""
        places = [place for place, (kind, _) in enumerate(self._kept) if kind == "sample"]
        dropped = set(places[1:-RECENT:2])
        self._kept = [one for place, one in enumerate(self._kept) if place not in dropped]

    def _rewrite(self) -> None:
        """Replace the file by one with the kept events; readers see that it is another file."""
        scratch = self._file.with_suffix(".new")
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC
        descriptor = os.open(scratch, flags, 0o600)
        whole = b"".join(line for _, line in self._kept)
        with suppress(OSError):
            os.write(descriptor, whole)
        scratch.replace(self._file)
        self.close()
        self._descriptor, self._bytes = descriptor, len(whole)
        self._most = max(MOST_BYTES, 2 * len(whole))


def forget_ended(keep: int = KEPT_RUNS) -> None:
    """Remove the journals of ended runs, but for the newest."""
    ended = [
        (folder.stat().st_mtime, folder)
        for folder in live_folder().iterdir()
        if (identity := Identity.from_key(folder.name)) is not None and not identity.alive()
    ]
    for _, folder in sorted(ended, reverse=True)[keep:]:
        shutil.rmtree(folder, ignore_errors=True)


def _bound(value: Any) -> Any:
    """The value with its texts cut: names and messages may come from anywhere."""
    if isinstance(value, str):
        return value if len(value) <= MOST_TEXT else value[:MOST_TEXT] + "…"
    if isinstance(value, dict):
        return {key: _bound(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_bound(one) for one in value[:100]]
    return value
