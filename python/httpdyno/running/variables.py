"""`${NAME}` in the headers and paths of a study: variables of the environment, or of a file."""

from __future__ import annotations

import os
import re
from collections import ChainMap
from collections.abc import Callable, Mapping
from pathlib import Path

from httpdyno.engine_plan import literal
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.output.printable import printable

__all__ = ["Variables", "variables_of"]

Variables = Mapping[str, str]

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_LINE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)")
_MOST_BYTES = 1 << 20


def variables_of(file: str | None) -> Variables:
    """The variables of the environment, then those of a file with a line `NAME=VALUE` for each.

    Raises EnvironmentFault for a file that cannot be read, UsageError for a line that is none.
    """
    return os.environ if file is None else ChainMap(os.environ, _read(Path(file)))


def _read(file: Path) -> dict[str, str]:
    try:
        with file.open("rb") as opened:
            content = opened.read(_MOST_BYTES + 1)
    except OSError as error:
        raise EnvironmentFault(
            f"`env_file` is `{file}`, which cannot be read: {error.strerror}",
            hint="write it, with a line `NAME=VALUE` for each variable",
        ) from None
    if len(content) > _MOST_BYTES:
        raise UsageError(f"`{file}` is too large: expected at most {_MOST_BYTES:,} bytes")
    found = {}
    for number, line in enumerate(content.decode(errors="replace").split("\n"), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            match = _LINE.fullmatch(line.rstrip("\r"))
            if match is None:  # the line itself may be a credential
                raise UsageError(f"{file}:{number}: expected `NAME=VALUE`, no space before `=`")
            found[match[1]] = match[2]
    return found


def expanded(
    value: str, variables: Variables, where: str, write: Callable[[str], str] = literal
) -> str:
    """The value with each `${NAME}` replaced by a text as `write` writes it: without placeholders.

    Raises UsageError; `where` says what needs it.
    """
    if "${" not in value:
        return value
    for name in _VARIABLE.findall(value):
        if name not in variables:
            raise UsageError(
                f"`${{{name}}}` is not set: {where} needs it",
                hint=f"export {name}=…, then run the command again",
            )
    found = _VARIABLE.sub(lambda match: write(variables[match[1]]), value)
    if any(ord(one) < 32 and one != "\t" for one in found):
        raise UsageError(
            f"{where} has a control character: expected one line, not `{printable(value)}` with a"
            " line break in the variable"
        )
    return found
