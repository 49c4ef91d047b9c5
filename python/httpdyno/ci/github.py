"""The files and commands by which a job talks to GitHub: annotations, outputs, the job's summary.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands

A line of the log that begins with `::` or contains `##[` is a command, whoever wrote it. While
servers are built and measured, their words are in the log, so commands are stopped there
(`without_commands`); `echo` lets no message on stderr be one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Literal

from httpdyno.errors import EnvironmentFault
from httpdyno.output.echo import echo, is_github
from httpdyno.output.markdown_text import clip, text
from httpdyno.output.printable import printable

__all__ = [
    "Level",
    "annotate",
    "annotation",
    "failure_summary",
    "set_outputs",
    "summarise",
    "without_commands",
]

Level = Literal["error", "warning", "notice"]
TITLE = "httpdyno"
MOST_CHARACTERS = 2000
"""Of an annotation; GitHub cuts longer ones."""
_IN_TEXT = {"%": "%25", "\r": "%0D", "\n": "%0A"}


def annotation(level: Level, text: str) -> str:
    """The command that shows a text on the page of the run and of the pull request."""
    line = clip(text, MOST_CHARACTERS)
    escaped = "".join(_IN_TEXT.get(one, one) for one in line)
    return f"::{level} title={TITLE}::{escaped}"


def annotate(level: Level, text: str) -> None:
    """Shows a text to whoever reads the job: as an annotation on GitHub, elsewhere on stderr."""
    if is_github():
        echo(annotation(level, text))
    else:
        echo(f"{level}: {printable(' '.join(text.split()))}", err=True)


@contextmanager
def without_commands() -> Iterator[None]:
    """Within the body, no line of the log is a command for GitHub."""
    if not is_github():
        yield
        return
    token = token_hex(16)
    echo(f"::stop-commands::{token}")
    try:
        yield
    finally:
        # stderr is read apart from stdout unless the step joins them, as action.yml does.
        echo(f"::{token}::")


def set_outputs(values: Mapping[str, str]) -> None:
    """Sets the outputs of the step; elsewhere than on GitHub, nothing."""
    if not (file := os.environ.get("GITHUB_OUTPUT")):
        return
    lines = []
    for name, value in values.items():
        end = f"end-{token_hex(16)}"
        lines += [f"{name}<<{end}", value, end]
    _append(file, "\n".join(lines) + "\n")


def summarise(markdown: str) -> bool:
    """Appends to the summary of the job; False: there is none to append to."""
    if not (file := os.environ.get("GITHUB_STEP_SUMMARY")):
        return False
    _append(file, f"{markdown}\n")
    return True


def failure_summary(heading: str, message: str, hint: str) -> str:
    """The summary of a measurement that could not be made."""
    parts = [f"### {heading}", text(message, None)]
    return "\n\n".join([*parts, *([f"Hint: {text(hint)}"] if hint else [])]) + "\n"


def _append(file: str, text: str) -> None:
    try:
        with Path(file).open("a", encoding="utf-8", errors="backslashreplace") as opened:
            opened.write(text)
    except OSError as error:
        raise EnvironmentFault(f"`{file}` cannot be written: {error.strerror or error}") from error
