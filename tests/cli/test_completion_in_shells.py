"""A person presses Tab in bash, zsh and fish, on a real terminal."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from httpdyno.choices import SPACINGS
from httpdyno.cli.report.verb import FORMATS
from terminal import Terminal

from .conftest import PROGRAM, environment

PROMPT = "go>"
START = {
    "bash": (
        ["--norc", "--noprofile", "-i"],
        f"bind 'set show-all-if-ambiguous on'; PS1='{PROMPT} '; source <(httpdyno completion bash)",
    ),
    "zsh": (
        ["-f", "-i"],
        f"PS1='{PROMPT} '; autoload -Uz compinit; compinit -u -D;"
        " source <(httpdyno completion zsh)",
    ),
    "fish": (
        ["--no-config", "-i"],
        f"function fish_prompt; echo '{PROMPT} '; end; httpdyno completion fish | source",
    ),
}


class Typing:
    """A shell in a folder with the files `study.toml`, `notes.txt` and `constant.txt`."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    def tab(self, typed: str, *, until: str) -> str:
        """Type this on an empty line and press Tab: the whole screen, once it shows `until`."""
        self._terminal.press(b"\x15\x0c")  # clears the line, then the screen
        self._terminal.until(lambda now: [line for line in now.lines if line] == [PROMPT])
        self._terminal.press(f"{typed}\t".encode())
        self._terminal.until(lambda now: until in "\n".join(now.lines))
        self._terminal.settle()
        return "\n".join(self._terminal.lines)


@pytest.fixture(scope="module", params=["bash", "zsh", "fish"])
def shell(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Typing]:
    program = shutil.which(request.param)
    if program is None:
        pytest.skip(f"{request.param} is not installed")
    home = tmp_path_factory.mktemp(request.param)
    (home / "httpdyno").write_text(f'#!/bin/sh\nexec {" ".join(PROGRAM)} "$@"\n')
    (home / "httpdyno").chmod(0o755)
    folder = home / "work"
    folder.mkdir()
    for name in ("study.toml", "notes.txt", "constant.txt"):
        (folder / name).touch()
    own = environment() | {"HOME": str(home), "TERM": "xterm", "LC_ALL": "C.UTF-8"}
    own["PATH"] = f"{home}{os.pathsep}{own['PATH']}"
    own |= {f"XDG_{name}_HOME": str(home / name) for name in ("CONFIG", "DATA", "CACHE")}
    flags, first = START[request.param]
    with Terminal([program, *flags], 100, 40, cwd=folder, environment=own) as terminal:
        terminal.press(f"{first}\n".encode())
        terminal.until(lambda now: any(line.startswith(PROMPT) for line in now.lines))
        yield Typing(terminal)


def test_a_flag_with_fixed_values_offers_these_and_no_file(shell: Typing) -> None:
    shown = shell.tab("httpdyno load --arrivals ", until="exponential")
    assert all(spacing in shown for spacing in SPACINGS)
    assert "constant.txt" not in shown
    shown = shell.tab("httpdyno report --format ", until="html")
    assert all(form in shown.split() for form in FORMATS)
    assert "notes.txt" not in shown


def test_a_value_behind_an_equals_sign_is_completed(shell: Typing) -> None:
    assert "--format=html" in shell.tab("httpdyno report --format=h", until="=html")
    assert "--json=notes.txt" in shell.tab("httpdyno sweep --json=no", until="=notes.txt")


def test_a_study_is_a_built_in_one_or_a_toml_file(shell: Typing) -> None:
    shown = shell.tab("httpdyno run ", until="snap-2010")
    assert {"demo", "snap-2010", "study.toml"} <= set(shown.split())
    assert "notes.txt" not in shown


def test_an_arm_of_a_study_is_no_file(shell: Typing) -> None:
    shown = shell.tab("httpdyno run demo --only ", until="tornado")
    assert "tornado/1-process" in shown.split()
    assert "study.toml" not in shown


def test_the_shell_completes_files_where_a_file_is_expected(shell: Typing) -> None:
    shell.tab("httpdyno runs import no", until="import notes.txt")
