"""`httpdyno doctor`: what this machine allows, the effect on results, and what allows more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from httpdyno.cli import shared_flags as shared
from httpdyno.errors import ExitCode
from httpdyno.host.machine import Machine
from httpdyno.output.printable import printable

if TYPE_CHECKING:
    from rich.text import Text

    from httpdyno.host.doctor import Finding

__all__ = ["doctor"]

_STATE, _NAME, _LEAST_TEXT = 9, 21, 40
"""The columns of a state, of a name, and the fewest of a text beside them."""
_NARROW = 4
"""The indent of a text below its name."""
_TONES = {"ok": "valid", "limited": "suspect", "fails": "invalid"}
_ABLE = "This machine can measure. What is `limited` makes results smaller or less certain."
_UNABLE = "This machine cannot measure: fix what fails."


def doctor(as_json: shared.AsJson = False) -> int:
    """Show what this machine allows, what that means for results, and what to do.

    It changes nothing. For half a second it watches what other programs use. The
    exit code is 0 if this machine can measure, else 4.

    \b
    Examples:
      httpdyno doctor
      httpdyno doctor --json
    """
    from httpdyno import engine
    from httpdyno.cli.text import paragraph, print_json, stdout_console
    from httpdyno.host.doctor import examine

    drivers = engine.probe()
    found = examine(Machine(), drivers.io_uring, drivers.epoll)
    able = all(one.state != "fails" for one in found)
    if as_json:
        document = {"ok": able, "driver": drivers.chosen, "findings": [*map(asdict, found)]}
        print_json(document)
    else:
        console = stdout_console()
        for one in found:
            for line in _lines(one, console.width):
                console.print(line, soft_wrap=True)
        console.print()
        paragraph(console, _ABLE if able else _UNABLE)
    return ExitCode.OK if able else ExitCode.ENVIRONMENT


def _lines(one: Finding, columns: int) -> Iterator[Text]:
    """A finding in lines: its text is beside its name, or below it where there is no room."""
    from rich.text import Text

    from httpdyno.cli.lines import lines_of
    from httpdyno.cli.text import DASH, WIDEST_TEXT
    from httpdyno.doubts import COLOURS

    beside = columns >= _STATE + _NAME + _LEAST_TEXT
    indent = " " * (_STATE + _NAME if beside else _NARROW)
    about = printable(f"{one.value} {DASH} {one.meaning}")
    lines = lines_of(about, min(columns, WIDEST_TEXT + len(indent)) - len(indent))
    state = f"{one.state:<{_STATE}}", COLOURS.get(_TONES.get(one.state, ""), "dim")
    first = f"{one.name:<{_NAME}}{lines.pop(0)}" if beside else one.name
    yield Text.assemble(state, first)
    yield from (Text(indent + line) for line in lines)
    if one.remedy:
        yield Text.assemble(f"{indent}fix: ", (one.remedy, "bold"))
    if one.where:
        first, others = (f"{indent}     ",) * 2 if one.remedy else (f"{indent}fix: ", indent)
        yield from map(Text, lines_of(one.where, columns, first=first, others=others))
