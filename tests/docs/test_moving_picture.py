"""The picture that moves: it stands by itself, and shows the words that the program shows today."""

from __future__ import annotations

import os
import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from pathlib import Path

import pytest
from httpdyno import engine
from httpdyno.cli.reference import served_pages
from pictures.animation import LINE, THEMES, Frame, Run, svg
from pictures.scenes import FIRST, first_frames
from terminal import Terminal

ROOT = Path(__file__).parents[2]
FILES = [ROOT / "docs" / "images" / f"first-{theme}.svg" for theme in THEMES]
SPACE = "{http://www.w3.org/2000/svg}"
DOUBTS = ("?", "≥", "suspect", "invalid", "note", "VALID", "SUSPECT", "INVALID", "unsent")
"""Words of a verdict, which depend on the machine."""


def shown(lines: Iterable[str]) -> set[str]:
    """The words at the beginning of the lines, without what differs from run to run."""
    first = {re.split(r"\s{2,}|: ", line, maxsplit=1)[0].removesuffix(":") for line in lines}
    plain = {re.sub(r"http://\S+|[\d.,]+", "#", one) for one in first}
    return {one for one in plain if one[:1].isalpha() and not one.startswith(DOUBTS)}


def lines_of(file: Path) -> list[str]:
    """The texts at the beginning of the lines of a picture."""
    texts = ET.parse(file).iter(f"{SPACE}text")
    left = min(float(one.get("x", "0")) for one in ET.parse(file).iter(f"{SPACE}text"))
    return [one.text or "" for one in texts if float(one.get("x", "0")) == left]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_picture_shows_what_the_program_shows(file: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "TERM": "xterm-256color", "PYTHONPATH": str(ROOT / "python")}
    for name in ("NO_COLOR", "COLUMNS", "LINES"):
        environment.pop(name, None)
    with engine.reference(pages=served_pages()) as server:
        url = f"http://{server.address}/hello"
        words = [sys.executable, "-m", "httpdyno", "load", url, "--rate", "200", "-d", "3s"]
        with Terminal(words, 80, 200, cwd=tmp_path, environment=environment) as terminal:
            frames = first_frames(terminal)
    now = ["".join(run.text for run in line) for frame in frames for line in frame.lines if line]
    assert shown(lines_of(file)) == shown(line for line in now if not line.startswith(" "))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_picture_is_small_and_needs_nothing_from_elsewhere(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert len(text.encode()) < 200_000
    assert FIRST.removeprefix("httpdyno ") in text
    for word in ("<script", "url(", "@import", "href", "<image", "foreignObject"):
        assert word not in text
    assert not (set(re.findall(r"https?://[^\s\"<]+", text)) - {"http://www.w3.org/2000/svg"}) - {
        "http://localhost:8080/hello"
    }


def test_both_pictures_have_the_same_words_in_other_colours() -> None:
    dark, light = FILES
    assert lines_of(dark) == lines_of(light)
    assert dark.read_bytes() != light.read_bytes()


def test_each_frame_has_its_time_and_the_last_one_is_shown_to_those_who_want_no_motion() -> None:
    frames = [Frame(1.0, [[Run(0, "a")]]), Frame(3.0, [[Run(0, "b")], [Run(2, "▂▂█", "cyan")]])]
    made = svg(frames, THEMES["dark"], "<two & frames>")
    assert "play 4s step-end infinite" in made
    assert "0.000% { transform: translateY(-0px) }" in made
    assert f"25.000% {{ transform: translateY(-{2 * LINE}px) }}" in made
    assert f".strip {{ transform: translateY(-{2 * LINE}px) }}" in made
    assert "prefers-reduced-motion: no-preference" in made
    assert "&lt;two &amp; frames&gt;" in made
    assert made.count("<path") == 1
    assert 'class="cyan" d="M' in made
