"""Reads the command line of ab as its getopt does: short options first, then one URL."""

from __future__ import annotations

import getopt
import os
import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

from httpdyno.choices import TlsVersion
from httpdyno.compat.ab.options import LONGEST_S, Markup, Options
from httpdyno.compat.ab.url import Url, parse_url
from httpdyno.output.secrets import masked_url

__all__ = ["help_or_version", "parse"]

T = TypeVar("T")
Fault = Callable[[str], None]

_LETTERS = "n:c:t:s:b:T:p:u:v:lrkVhwiIx:y:z:C:H:P:A:g:X:de:SqB:m:Z:f:E:"
_FLAGS = {
    "k": ("keep_alive", True),
    "l": ("any_length", True),
    "r": ("goes_on", True),
    "d": ("percentiles", False),
    "S": ("deviations", False),
    "q": ("quiet", True),
    "I": ("names_server", False),
    "verdict": ("verdict", True),
}
_INSTEAD: dict[str, Literal["help", "version"]] = {"-h": "help", "-V": "version"}
_MARKUP = {"x": "table", "y": "row", "z": "cell"}
_METHODS = {"p": "POST", "u": "PUT", "i": "HEAD"}
TIMED_REQUESTS = 50_000
"""The number of requests that `-t` stands for."""
_NOWHERE = Url("", "", 0, "")
_MOST = 1 << 30
_MOST_CONNECTIONS = 1 << 22
_HIGHEST_PORT = 65535
_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # noqa: S105 - a token of HTTP (RFC 9110, 5.6.2)
_HEADER = re.compile(rf"{_TOKEN}:[^\x00-\x08\x0a-\x1f\x7f]*")
_CIPHERS = (
    "`-Z`: the TLS library of httpdyno chooses the cipher suite: remove it; -f TLS1.2 and"
    " -f TLS1.3 choose the version"
)


def parse(words: Sequence[str], fault: Fault) -> Options | None:
    """Read a command line. Each fault goes to `fault`; without a URL there are no options."""
    try:
        pairs, rest = getopt.getopt(words, _LETTERS, ["verdict"])
    except getopt.GetoptError as wrong:
        expected = "a value after it" if "argument" in wrong.msg else "an option of ab"
        if wrong.opt == "on":
            expected += "; `httpdyno load URL --on hosts.toml` sends from several machines"
        fault(f"`{'-' if len(wrong.opt) == 1 else '--'}{wrong.opt}`: expected {expected}")
        return None
    return _Reader([(flag.lstrip("-"), value) for flag, value in pairs], fault).options([*rest])


def help_or_version(words: Sequence[str]) -> Literal["help", "version"] | None:
    """Whichever of `-h` and `-V` comes first."""
    try:
        pairs, _ = getopt.getopt(words, _LETTERS, ["verdict"])
    except getopt.GetoptError:
        return None
    return next((_INSTEAD[flag] for flag, _ in pairs if flag in _INSTEAD), None)


class _Reader:
    """The values of a command line. The last of several counts, as in ab."""

    def __init__(self, pairs: list[tuple[str, str]], fault: Fault) -> None:
        self._pairs = pairs
        self._last = dict(pairs)
        self._fault = fault

    def options(self, rest: list[str]) -> Options | None:
        """All options."""
        if "Z" in self._last:
            self._fault(_CIPHERS)
        url = self._argument(rest)
        method, body = self._request()
        requests, concurrency = self._requests(), self._number("c", 1, 1, _MOST_CONNECTIONS)
        if concurrency > requests:
            self._fault(f"`-c {concurrency}`: expected at most as many as requests, {requests}")
        given: dict[str, Any] = {
            field: value for letter, (field, value) in _FLAGS.items() if letter in self._last
        }
        read = Options(
            url=url or _NOWHERE,
            requests=requests,
            concurrency=concurrency,
            time_limit_s=self._number("t", 0, 0, LONGEST_S) or None,
            timeout_s=self._number("s", 30, 1, LONGEST_S),
            window_bytes=self._number("b", 0, 0, _MOST) or None,
            source=self._read("B", _address),
            method=method,
            body=body,
            content_type=self._read("T", _line) or "text/plain",
            cookie=self._read("C", _line),
            credentials=self._each("AP", self._credentials),
            headers=self._each("H", self._header),
            proxy=self._read("X", _proxy),
            csv=self._last.get("e"),
            gnuplot=self._last.get("g"),
            markup=self._markup(),
            verbosity=self._number("v", 0, 0, _MOST),
            tls_version=self._tls_version(),
            certificate=self._read("E", _certificate),
            **given,
        )
        return None if url is None else read

    def _read(self, letter: str, parse: Callable[[str], T]) -> T | None:
        """Parse the last value of an option; a ValueError is a fault."""
        text = self._last.get(letter)
        return None if text is None else self._parse(f"-{letter} {text}", text, parse)

    def _parse(self, shown: str, text: str, parse: Callable[[str], T]) -> T | None:
        try:
            return parse(text)
        except ValueError as wrong:
            self._fault(f"`{shown}`: {wrong}")
            return None

    def _each(self, letters: str, read: Callable[[str, str], T | None]) -> tuple[T, ...]:
        """Every value of some options, in the order of the command line."""
        found = [read(letter, value) for letter, value in self._pairs if letter in letters]
        return tuple(one for one in found if one is not None)

    def _number(self, letter: str, default: int, least: int, most: int) -> int:
        def parse(text: str) -> int:
            if not re.fullmatch(r"[0-9]{1,10}", text) or not least <= int(text) <= most:
                raise ValueError(f"expected a whole number from {least} to {most}")
            return int(text)

        number = self._read(letter, parse)
        return default if number is None else number

    def _argument(self, rest: list[str]) -> Url | None:
        if len(rest) == 1:
            return self._parse(masked_url(rest[0]), rest[0], lambda text: parse_url(_text(text)))
        given = f"`{' '.join(map(masked_url, rest))}`" if rest else "no URL"
        self._fault(f"{given}: expected one URL, after the options")
        return None

    def _requests(self) -> int:
        """`-t` stands for 50,000 requests, unless `-n` follows it."""
        number = self._number("n", 1, 1, _MOST)
        order = [letter for letter, _ in self._pairs if letter in "nt"]
        return TIMED_REQUESTS if order[-1:] == ["t"] else number

    def _request(self) -> tuple[str, bytes | None]:
        """Method and body: `-p`, `-u` and `-i` exclude each other, `-m` goes with each."""
        given = [letter for letter, _ in self._pairs if letter in _METHODS]
        if len(given) > 1:
            flags = " and ".join(f"`-{letter}`" for letter in given)
            self._fault(f"{flags} exclude each other: expected one of -p, -u and -i")
        method = self._read("m", _method) or (_METHODS[given[0]] if given else "GET")
        body = next((self._read(letter, _content) for letter in given if letter != "i"), None)
        return method, body

    def _credentials(self, letter: str, value: str) -> tuple[str, str] | None:
        if ":" not in value:
            self._fault(f"`-{letter}`: expected a name and a password with `:` between them")
            return None
        name = "Authorization" if letter == "A" else "Proxy-Authorization"
        return name, "Basic " + b64encode(os.fsencode(value.lstrip())).decode("ascii")

    def _header(self, _letter: str, line: str) -> str | None:
        def parse(text: str) -> str:
            if _HEADER.fullmatch(_text(text)) is None:
                raise ValueError("expected a header `NAME: VALUE`")
            return text

        return self._parse(f"-H {line.partition(':')[0]}", line, parse)

    def _tls_version(self) -> TlsVersion | None:
        version = self._read("f", _tls_version)
        return None if version == "all" else version

    def _markup(self) -> Markup | None:
        """`-x`, `-y` and `-z` stand for `-w` too."""
        given = {_MARKUP[letter]: value for letter, value in self._pairs if letter in _MARKUP}
        return Markup(**given) if given or "w" in self._last else None


def _text(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("expected text in UTF-8") from None
    return text


def _line(text: str) -> str:
    if re.search(r"[\x00-\x08\x0a-\x1f\x7f]", _text(text)):
        raise ValueError("expected one line without control characters")
    return text


def _address(text: str) -> str:
    import ipaddress  # noqa: PLC0415 - on first use

    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        raise ValueError("expected an IP address of this machine") from None


def _method(text: str) -> str:
    if re.fullmatch(_TOKEN, text) is None:
        raise ValueError("expected a method such as `GET` or `PATCH`")
    return text


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib takes time to load
            return file.read()
    except OSError as wrong:
        raise ValueError(f"cannot be read: {wrong.strerror}") from None


def _certificate(path: str) -> str:
    if b"-----BEGIN " not in _content(path):
        raise ValueError("expected a PEM file with the certificate, its chain and its key")
    return os.path.abspath(path)  # noqa: PTH100 - likewise


def _proxy(text: str) -> tuple[str, int]:
    parts = re.fullmatch(r"([^\s:/@\[\]]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?", _text(text))
    port = int(parts[2] or 80) if parts else 0
    if parts is None or not 0 < port <= _HIGHEST_PORT:
        raise ValueError("expected a proxy such as `proxy.example:3128`")
    return parts[1].strip("[]"), port


def _tls_version(text: str) -> TlsVersion | Literal["all"]:
    known: dict[str, TlsVersion | Literal["all"]] = {"TLS1.2": "1.2", "TLS1.3": "1.3", "ALL": "all"}
    if text.upper() not in known:
        old = text.upper() in {"SSL2", "SSL3", "TLS1", "TLS1.1"}
        why = "the TLS library of httpdyno does not speak it any more: " if old else ""
        raise ValueError(f"{why}expected TLS1.2, TLS1.3 or ALL")
    return known[text.upper()]
