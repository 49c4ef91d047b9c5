"""Text from outside, such as a server's version, log or reply, made safe for a terminal."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["printable", "printable_lines", "printable_message"]

_QUOTED = re.compile(r"(?<![^\s(:])`[^`]*`")


def printable(text: str) -> str:
    """The text in one line, with each character that is not for showing as its escape: `\\x1b`.

    Those are control characters, which a terminal obeys, marks that reverse the direction of
    writing, and bytes that were no text. A space of any width or a tab becomes a plain space.
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else _escape(one) for one in text)


def printable_lines(text: str) -> str:
    """The text with each of its lines printable."""
    return "\n".join(map(printable, text.split("\n")))


def printable_message(text: str) -> str:
    """The text with each of its lines printable, and each value in backticks in one line."""
    return printable_lines(_QUOTED.sub(lambda found: printable(found[0]), text))


def _escape(character: str) -> str:
    if character == "\t" or unicodedata.category(character) == "Zs":
        return " "
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
