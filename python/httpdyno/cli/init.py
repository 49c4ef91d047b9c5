"""`httpdyno init`: write a commented study to begin with."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from httpdyno.errors import EnvironmentFault, UsageError

__all__ = ["init"]

TEMPLATE = Path(__file__).parent.parent / "study" / "template.toml"
NAME = "study.toml"


def init(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File to write")] = Path(NAME),
) -> None:
    """Write a study to begin with: it runs as it is, and explains each line.

    An existing file is never overwritten.

    \b
    httpdyno init
    httpdyno init mine.toml
    """
    if file.suffix != ".toml":
        raise UsageError(
            f"`{file}` is not the name of a study: expected a name that ends in `.toml`"
        )
    run = f"httpdyno run {shlex.quote(str(file))}"
    text = TEMPLATE.read_text(encoding="utf-8").replace(NAME, str(file))
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(text)
    except FileExistsError:
        raise UsageError(
            f"`{file}` exists already: expected the name of a new file",
            hint=f"`{run} --dry-run` shows what it contains",
        ) from None
    except OSError as error:
        raise EnvironmentFault(f"`{file}` cannot be written: {error.strerror}") from None
    typer.echo(f"wrote {file}\n`{run} --dry-run` shows its plan, `{run}` runs it")
