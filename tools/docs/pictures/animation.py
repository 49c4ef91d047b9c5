"""The frames of a terminal as one SVG that moves: CSS alone, no script, nothing from elsewhere.

Where a reader prefers no motion, and where CSS is not applied, it shows the last frame.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyte

CELL, LINE, EDGE = 8.4, 17, 16
"""The width of a character, the height of a line, and the margin, in pixels."""
_BARS = "▁▂▃▄▅▆▇█"
_OVERLAP = 0.5
"""Pixels by which bars reach below their line: a scaled picture shows no gap between two lines."""
THEMES: Mapping[str, Mapping[str, str]] = {
    "dark": {
        "paper": "#0d1117",
        "edge": "#30363d",
        "ink": "#e6edf3",
        "black": "#484f58",
        "red": "#ff7b72",
        "green": "#3fb950",
        "brown": "#d29922",
        "blue": "#58a6ff",
        "magenta": "#bc8cff",
        "cyan": "#39c5cf",
        "white": "#b1bac4",
    },
    "light": {
        "paper": "#ffffff",
        "edge": "#d0d7de",
        "ink": "#1f2328",
        "black": "#6e7781",
        "red": "#cf222e",
        "green": "#116329",
        "brown": "#7d4e00",
        "blue": "#0550ae",
        "magenta": "#6639ba",
        "cyan": "#1b7c83",
        "white": "#57606a",
    },
}
COLOURS = ("black", "red", "green", "brown", "blue", "magenta", "cyan", "white")
_HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" \
width="{width:g}" height="{height:g}" role="img" aria-labelledby="title">
<title id="title">{title}</title>
<style>
text {{ font: 14px ui-monospace, "SFMono-Regular", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  white-space: pre; fill: {ink} }}
.bold {{ font-weight: 700 }}
{colours}
.strip {{ transform: translateY(-{last:g}px) }}
@media (prefers-reduced-motion: no-preference) {{
  .strip {{ animation: play {seconds:g}s step-end infinite }}
}}
@keyframes play {{
{steps}
}}
</style>
<rect x=".5" y=".5" width="{inner:g}" height="{tall:g}" rx="8" fill="{paper}" stroke="{edge}"/>
<svg x="0" y="{margin}" width="{width:g}" height="{window:g}" overflow="hidden">
<g class="strip">
"""


@dataclass(frozen=True)
class Run:
    """Characters beside each other that have one style."""

    column: int
    text: str
    style: str = ""
    """Classes of the SVG's style sheet."""


@dataclass(frozen=True)
class Frame:
    """The lines of a terminal, and how long they are shown."""

    seconds: float
    lines: Sequence[Sequence[Run]]


def typed(command: str, seconds: float) -> Frame:
    """A prompt with a command."""
    return Frame(seconds, [_prompt(command)])


def frame_of(screen: pyte.Screen, command: str, seconds: float) -> Frame:
    """The screen below the command that was typed."""
    texts = [line.rstrip() for line in screen.display]
    count = max((number + 1 for number, text in enumerate(texts) if text), default=0)
    lines = [_runs(screen.buffer[number], len(texts[number])) for number in range(count)]
    return Frame(seconds, [_prompt(command), [], *lines])


def svg(frames: Sequence[Frame], theme: Mapping[str, str], title: str) -> str:
    """The frames one after the other, for ever."""
    runs = [run for frame in frames for line in frame.lines for run in line]
    rows = max(len(frame.lines) for frame in frames)
    width = round(max(run.column + len(run.text) for run in runs) * CELL) + 2 * EDGE
    window = rows * LINE
    head = _HEAD.format(
        title=escape(title),
        width=width,
        inner=width - 1,
        height=window + 2 * EDGE,
        tall=window + 2 * EDGE - 1,
        window=window,
        margin=EDGE,
        last=(len(frames) - 1) * window,
        seconds=sum(frame.seconds for frame in frames),
        steps="\n".join(_steps(frames, window)),
        colours="\n".join(f".{name} {{ fill: {theme[name]} }}" for name in COLOURS),
        **{name: theme[name] for name in ("ink", "paper", "edge")},
    )
    strip = [
        _drawn(run, number * rows + row)
        for number, frame in enumerate(frames)
        for row, line in enumerate(frame.lines)
        for run in line
        if run.text.strip()
    ]
    return "".join([head, *strip, "</g>\n</svg>\n</svg>\n"])


def _steps(frames: Sequence[Frame], window: int) -> Iterator[str]:
    """The moment of each frame, as a share of the whole, with its place in the strip."""
    whole, before = sum(frame.seconds for frame in frames), 0.0
    for number, frame in enumerate(frames):
        share = 100 * before / whole
        yield f"  {share:.3f}% {{ transform: translateY(-{number * window}px) }}"
        before += frame.seconds


def _drawn(run: Run, row: int) -> str:
    """A run in a row of the strip: bars as shapes, which need no font that has them."""
    text = run.text.strip()
    column = run.column + len(run.text) - len(run.text.lstrip())
    style = f' class="{run.style}"' if run.style else ""
    x, bottom = EDGE + column * CELL, (row + 1) * LINE
    if not set(text) - {*_BARS, " "}:
        return f'<path{style} d="{_bars(text, x, bottom)}"/>\n'
    # The length is given, because a reader's font may be wider or narrower.
    place = f'x="{x:.5g}" y="{bottom - 4}" textLength="{len(text) * CELL:.5g}"'
    shown = escape(text, quote=False)
    return f'<text {place} lengthAdjust="spacingAndGlyphs"{style}>{shown}</text>\n'


def _bars(text: str, x: float, bottom: int) -> str:
    """The path of bars beside each other."""
    parts = []
    for character, group in groupby(text):
        width = len(list(group)) * CELL
        if character in _BARS:
            height = LINE * (_BARS.index(character) + 1) / len(_BARS)
            tall = height + _OVERLAP
            parts.append(f"M{x:.5g} {bottom + _OVERLAP}v-{tall:.4g}h{width:.4g}v{tall:.4g}z")
        x += width
    return "".join(parts)


def _prompt(command: str) -> list[Run]:
    return [Run(0, "$", "green bold"), Run(2, command)]


def _runs(row: Any, end: int) -> list[Run]:
    found, column = [], 0
    for style, group in groupby((row[place] for place in range(end)), key=_style):
        text = "".join(one.data for one in group)
        found.append(Run(column, text, style))
        column += len(text)
    return found


def _style(char: Any) -> str:
    colour = char.fg.removeprefix("bright")
    named = [colour] if colour in COLOURS else []
    return " ".join([*named, *(["bold"] if char.bold else [])])
