"""A real terminal of a given size, its screen as HTML."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shlex
import struct
import subprocess
import termios
import time
from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

import pyte

_COLOURS = {
    "black": "#484f58",
    "red": "#ff7b72",
    "green": "#3fb950",
    "brown": "#d29922",
    "blue": "#58a6ff",
    "magenta": "#bc8cff",
    "cyan": "#39c5cf",
    "white": "#b1bac4",
}
_PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; background: #0d1117; width: max-content }}
pre {{ margin: 0; padding: 14px 18px; color: #e6edf3;
  font: 15px/1.25 "DejaVu Sans Mono", monospace; min-width: {columns}ch }}
</style><pre>{lines}</pre>"""


class Terminal:
    """A terminal in which one command runs."""

    def __init__(self, columns: int, rows: int) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)

    def watch(
        self,
        words: Sequence[str],
        *,
        folder: Path,
        environment: dict[str, str],
        seconds: float,
    ) -> Iterator[float]:
        """Run a command, and give the time that has passed whenever it may have drawn.

        It is ended after so many seconds, or when nobody watches any more.
        """
        own, its = pty.openpty()
        size = struct.pack("HHHH", self.screen.lines, self.screen.columns, 0, 0)
        fcntl.ioctl(its, termios.TIOCSWINSZ, size)
        plain = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        environment = {k: v for k, v in environment.items() if k not in ("NO_COLOR", "COLUMNS")}
        process = subprocess.Popen(
            words, cwd=folder, env={**environment, **plain}, stdin=its, stdout=its, stderr=its
        )
        os.close(its)
        begun = time.monotonic()
        try:
            while (passed := time.monotonic() - begun) < seconds and self._read(own):
                yield passed
        finally:
            process.terminate()
            process.wait(60)
            os.close(own)

    def _read(self, source: int) -> bool:
        """Draw what has come within a tenth of a second; False at the end."""
        if not select.select([source], [], [], 0.1)[0]:
            return True
        try:
            drawn = os.read(source, 65536)
        except OSError:  # Linux reports the end of a terminal so
            return False
        self._stream.feed(drawn)
        return bool(drawn)

    def text(self) -> str:
        """The screen as plain text, without empty lines at its end."""
        return "\n".join(line.rstrip() for line in self.screen.display).rstrip()

    def html(self, words: Sequence[str]) -> str:
        """The screen as a page, below the command line that was typed."""
        count = self.text().count("\n") + 1
        typed = escape(_wrapped(words, self.screen.columns - 4), quote=False)
        lines = [f'<b style="color:#3fb950">$</b> {typed}', ""]
        lines += [self._line(number) for number in range(count)]
        return _PAGE.format(columns=self.screen.columns, lines="\n".join(lines))

    def _line(self, number: int) -> str:
        row, end = self.screen.buffer[number], len(self.screen.display[number].rstrip())
        runs = groupby((row[column] for column in range(end)), key=_style)
        return "".join(_span(style, "".join(one.data for one in run)) for style, run in runs)


def _wrapped(words: Sequence[str], width: int) -> str:
    """A command line that can be pasted, on several lines if it is long."""
    lines = [""]
    for word in map(shlex.quote, words):
        longer = f"{lines[-1]} {word}".strip()
        if len(longer) > width and lines[-1]:
            lines.append(f"  {word}")
        else:
            lines[-1] = longer if len(lines) == 1 else f"{lines[-1]} {word}"
    return " \\\n".join(lines)


def _span(style: str, text: str) -> str:
    shown = escape(text, quote=False)
    return f'<span style="{style}">{shown}</span>' if style else shown


def _style(char: Any) -> str:
    """The style of a character in CSS; empty: the default."""
    colour, paper = _colour(char.fg), _colour(char.bg)
    if char.reverse:
        colour, paper = paper or "#0d1117", colour or "#e6edf3"
    style = f"color:{colour};" if colour else ""
    style += f"background:{paper};" if paper else ""
    return style + ("font-weight:bold;" if char.bold else "")


def _colour(name: str) -> str:
    """A colour of CSS; empty: the default."""
    if name == "default":
        return ""
    bare = name.removeprefix("bright")
    return _COLOURS.get(bare) or f"#{name}"
