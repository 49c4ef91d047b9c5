"""`httpdyno init`: a study of one's own to begin with, written out with comments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from httpdyno.errors import EnvironmentFault, UsageError

__all__ = ["init"]

TEMPLATE = Path(__file__).parent.parent / "study" / "template.toml"
NAME = "study.toml"


def init(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")] = Path(NAME),
) -> None:
    """Write a study of your own to begin with: it runs as it is, and says what each line is for.

    A file that is there is never written over.

    \b
    httpdyno init
    httpdyno init mine.toml
    """
    if file.suffix != ".toml":
        raise UsageError(f"`{file}` is not the name of a study: expected one that ends in .toml")
    text = TEMPLATE.read_text(encoding="utf-8").replace(NAME, str(file))
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(text)
    except FileExistsError:
        raise UsageError(
            f"`{file}` is there already: expected the name of a new file",
            hint=f"httpdyno run {file} --dry-run shows what is in it",
        ) from None
    except OSError as error:
        raise EnvironmentFault(f"`{file}` cannot be written: {error.strerror}") from None
    typer.echo(f"wrote {file}\nhttpdyno run {file} --dry-run shows its plan")
