"""The words of shell commands, as bash splits them, and where each begins.

It knows quotes, `$'…'`, line continuations and variables, and runs nothing: an operator other than
one that ends a command is a fault.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from httpdyno.sources.request import SourceError

__all__ = ["Word", "commands"]

_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "f": "\f",
    "v": "\v",
}
_VARIABLE = re.compile(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})", re.ASCII)
_NUMBER = re.compile(r"x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
"""A character outside of the first 65,536, as browsers write it: two escapes of UTF-16."""
_BYTE = 0xDC00
"""Bytes of UTF-8 are kept above this, as Python does with `surrogateescape`."""
_ENDS = ";&\n"
_FORBIDDEN = "|<>()`"


@dataclass(frozen=True)
class Word:
    """A word of a command, without its quotes."""

    text: str
    place: str
    """`line 1, column 6`."""
    has_variable: bool = False


def commands(text: str) -> list[list[Word]]:
    """The commands of a text, each as its words. Raises SourceError with the place of the fault."""
    reader = _Reader(text.replace("\r\n", "\n"))
    return reader.read()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.word: list[str] | None = None
        self.began = 0
        self.has_variable = False
        self.found: list[list[Word]] = [[]]

    def read(self) -> list[list[Word]]:
        while self.at < len(self.text):
            self._step(self.text[self.at])
        self._end_word()
        return [words for words in self.found if words]

    def _step(self, one: str) -> None:
        """Read what begins at this character."""
        if one in " \t":
            self._end_word()
            self.at += 1
        elif one in _ENDS:
            self._end_word()
            self.found.append([])
            self.at += 1
        elif one == "#" and self.word is None:
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end
        elif self.text.startswith("$'", self.at):
            self._dollar_quotes()
        elif one in "'\"\\$":
            {"'": self._single, '"': self._double, "\\": self._escape, "$": self._variable}[one]()
        elif self.text.startswith('^"', self.at):
            raise self._fault("this is the form for Windows: expected that for bash")
        elif one in _FORBIDDEN:
            raise self._fault(f"`{one}` is an operator of the shell: expected only the command")
        else:
            self._add(one)
            self.at += 1

    def _escape(self) -> None:
        following = self.text[self.at + 1 : self.at + 2]
        if following not in ("\n", ""):
            self._add(following)
        self.at += 2

    def _single(self) -> None:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise self._fault("this quotation mark is never closed")
        self._add(self.text[self.at + 1 : end])
        self.at = end + 1

    def _double(self) -> None:
        began = self.at
        self._add("")
        self.at += 1
        while self.at < len(self.text):
            one = self.text[self.at]
            if one == '"':
                self.at += 1
                return
            if one == "\\" and self.text[self.at + 1 : self.at + 2] in ('"', "\\", "$", "`", "\n"):
                self._escape()
            elif one == "$":
                self._variable()
            elif one == "`":
                raise self._fault("a command in backticks cannot be run here")
            else:
                self._add(one)
                self.at += 1
        raise self._fault("this quotation mark is never closed", began)

    def _dollar_quotes(self) -> None:
        began = self.at
        self._add("")
        self.at += 2
        pieces: list[str] = []
        while self.at < len(self.text):
            one = self.text[self.at]
            if one == "'":
                self.at += 1
                return self._add(self._join(pieces, began))
            self.at += 1
            if one != "\\":
                pieces.append(one)
            elif (number := _NUMBER.match(self.text, self.at)) is not None:
                pieces.append(self._character(number))
                self.at = number.end()
            else:
                following = self.text[self.at : self.at + 1]
                pieces.append(_ESCAPES.get(following, following))
                self.at += 1
        raise self._fault("this quotation mark is never closed", began)

    def _character(self, number: re.Match[str]) -> str:
        digits = next(part for part in number.groups() if part is not None)
        code = int(digits, 8 if number[4] else 16)
        if number[1] or number[4]:
            code &= 0xFF
            return chr(code if code < 0x80 else _BYTE + code)
        if code > 0x10FFFF:
            raise self._fault("this escape is not a character")
        return chr(code)

    def _join(self, pieces: list[str], began: int) -> str:
        text = _PAIR.sub(
            lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), "".join(pieces)
        )
        try:
            return text.encode("utf-8", "surrogateescape").decode()
        except UnicodeError:
            raise self._fault("its escapes are not text in UTF-8", began) from None

    def _variable(self) -> None:
        """`$NAME` is written as studies have it: `${NAME}`."""
        if self.text.startswith("$(", self.at):
            raise self._fault("a command in `$(…)` cannot be run here")
        match = _VARIABLE.match(self.text, self.at)
        if match is None:
            self._add("$")
            self.at += 1
        else:
            self._add(f"${{{match[1] or match[2]}}}")
            self.has_variable = True
            self.at = match.end()

    def _add(self, text: str) -> None:
        if self.word is None:
            self.word, self.began = [], self.at
        self.word.append(text)

    def _end_word(self) -> None:
        if self.word is not None:
            place = self._place(self.began)
            self.found[-1].append(Word("".join(self.word), place, self.has_variable))
        self.word, self.has_variable = None, False

    def _place(self, at: int) -> str:
        line = self.text.count("\n", 0, at) + 1
        return f"line {line}, column {at - self.text.rfind(chr(10), 0, at)}"

    def _fault(self, text: str, at: int | None = None) -> SourceError:
        return SourceError(f"{self._place(self.at if at is None else at)}: {text}")
