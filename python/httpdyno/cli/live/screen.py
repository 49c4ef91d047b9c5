"""Lines at the end of a terminal that are drawn over themselves; messages scroll by above them.

The terminal keeps its cursor, its echo and its scrollback: nothing has to be restored, so that a
process that is killed leaves a terminal that works. The cursor waits in the line below the lines.

A drawing is one write, and the progress of a measurement is drawn once a second at most: whatever
draws takes time from what is measured. A signal may want a drawing in the midst of another one.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from httpdyno.cli.lines import lines_of
from httpdyno.cli.live.text import cells, crop, plain, with_style
from httpdyno.output.printable import printable_lines

__all__ = ["Render", "Screen", "usable"]

Render = Callable[[int, int], Sequence[str]]
"""The lines for a width and a height: untrusted text in them is printable already."""

_DUMB = ("", "dumb", "unknown")
_STDERR = 2
EVERY_S = 1.4
"""After this time, a progress is drawn even if it has no second that was not drawn."""


def usable() -> bool:
    """True if lines on stderr can be drawn over themselves."""
    return os.isatty(_STDERR) and os.environ.get("TERM", "") not in _DUMB


class Screen:
    """Draws lines on stderr; at the end of its block, they disappear."""

    def __init__(self, render: Render) -> None:
        self._render = render
        self._coloured = not os.environ.get("NO_COLOR")
        self._encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
        self._errors = getattr(sys.stderr, "errors", None) or "backslashreplace"
        self._shown: list[int] = []
        """The width of each line of the last drawing."""
        self._drawn_at = -EVERY_S
        self._messages: list[tuple[str, str | None]] = []
        self._drawing = False

    def __enter__(self) -> Screen:
        self.refresh()
        return self

    def __exit__(self, *_: object) -> None:
        self._render = lambda *_: ()
        self.refresh()

    def say(self, text: str, style: str | None = None) -> None:
        """Show lines above, which stay, in a style such as `dim`."""
        self._messages += [(line, style) for line in printable_lines(text).split("\n")]
        self.refresh()

    def follow(self, *, another_second: bool) -> None:
        """Draw a progress that has another second, or that nothing was drawn of for a while."""
        if another_second or time.monotonic() - self._drawn_at >= EVERY_S:
            self.refresh()

    def refresh(self) -> None:
        """Draw, unless a drawing is under way: then the messages since follow that one."""
        if self._drawing:
            return
        while True:
            self._drawing = True
            try:
                self._draw()
            finally:
                self._drawing = False
            if not self._messages:
                break

    def _draw(self) -> None:
        columns, rows = _size()
        messages, self._messages = self._messages, []
        # The last column stays free: some terminals wrap a line that is full.
        lines = [self._fit(one, columns - 1) for one in self._render(columns - 1, rows - 1)]
        lines = lines[: max(0, rows - 1)]
        # A terminal that became narrower has wrapped the lines that it showed.
        up = sum(max(1, -(-width // columns)) for width in self._shown)
        parts = ["\r", f"\x1b[{up}A" if up else ""]
        if messages or not lines:
            # Not from here to the end at once: tmux would keep the lines in its history.
            parts.append("\x1b[2K\x1b[B" * up + (f"\x1b[{up}A" if up else ""))
        for text, style in messages:
            for one in lines_of(text, columns - 1) or [""]:
                parts.append(self._displayable(with_style(one, style) if style else one) + "\r\n")
        parts += [f"{one}\x1b[K\r\n" for one in lines]
        self._write("".join(parts) + "\x1b[J")
        self._shown, self._drawn_at = [cells(one) for one in lines], time.monotonic()

    def _fit(self, line: str, width: int) -> str:
        shown = self._displayable(crop(line, width))
        # In another encoding, a character may have become three.
        return shown if cells(shown) <= width else plain(shown)[:width]

    def _displayable(self, line: str) -> str:
        """The line without colours that nobody wants, and with characters that the terminal has."""
        shown = line if self._coloured else plain(line)
        if self._encoding.lower() in ("utf-8", "utf8") or shown.isascii():
            return shown
        return shown.encode(self._encoding, self._errors).decode(self._encoding)

    def _write(self, text: str) -> None:
        """Write past Python's buffers, which a signal may have interrupted."""
        left = memoryview(text.encode(self._encoding, self._errors))
        with suppress(OSError):  # after SIGHUP the terminal may be gone
            while left:
                left = left[os.write(_STDERR, left) :]


def _size() -> tuple[int, int]:
    """Columns and rows of the terminal as it is now."""
    try:
        size = os.get_terminal_size(_STDERR)
    except OSError:
        return 80, 24
    return size.columns or 80, size.lines or 24
