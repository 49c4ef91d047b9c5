"""Reads commands of curl, such as browsers copy them (`Copy as cURL (bash)`).

Nothing is run, and files are read only where an option of curl names them.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote_plus

from httpdyno.sources.request import (
    Header,
    Source,
    SourceError,
    SourceRequest,
    kept_headers,
    server_and_path,
)
from httpdyno.sources.shell_words import Word, commands

__all__ = ["read_curl"]

MOST_COMMANDS = 10_000
MOST_BYTES = 1_000_000
"""The most that is read of a file whose content is a part of a body."""
_BINARY = "expected a text; --data-binary sends any file"
_FORM = "application/x-www-form-urlencoded"

_SHORT = {
    **{"X": "request", "H": "header", "d": "data", "u": "user", "b": "cookie", "A": "user-agent"},
    **{"e": "referer", "o": "output", "m": "max-time", "w": "write-out", "c": "cookie-jar"},
    **{"D": "dump-header", "x": "proxy", "F": "form", "T": "upload-file", "E": "cert"},
    **{"G": "get", "I": "head", "k": "insecure", "L": "location", "s": "silent", "S": "show-error"},
    **{
        "v": "verbose",
        "i": "include",
        "f": "fail",
        "N": "no-buffer",
        "0": "http1.0",
        "O": "remote-name",
    },
    **{"g": "globoff", "#": "progress-bar", "4": "ipv4", "6": "ipv6", "j": "junk-session-cookies"},
    **{"n": "netrc", "r": "range", "O": "remote-name"},
}
_NO_EFFECT = {
    *("output", "max-time", "write-out", "cookie-jar", "dump-header", "connect-timeout", "retry"),
    *("retry-delay", "retry-max-time", "keepalive-time", "max-redirs", "trace", "trace-ascii"),
    *("stderr", "limit-rate", "speed-time", "speed-limit"),
}
"""Options with a value that change no request."""
_QUIET = {
    *("silent", "show-error", "verbose", "include", "fail", "fail-with-body", "no-buffer"),
    *("globoff", "progress-bar", "ipv4", "ipv6", "http1.1", "no-progress-meter", "path-as-is"),
    *("remote-name", "junk-session-cookies", "tcp-nodelay", "no-keepalive", "no-sessionid"),
}
"""Options without a value that change no request."""
_TOLD = {
    "location": "redirects are not followed (-L)",
    "location-trusted": "redirects are not followed (--location-trusted)",
    "http3": "HTTP/1.1 is spoken (--http3)",
    "http1.0": 'HTTP/1.1 is spoken; a load with `http = "1.0"` speaks HTTP/1.0 (`-0`)',
}
_HTTP2 = {"http2", "http2-prior-knowledge"}
_SWITCHES = {*_QUIET, *_TOLD, *_HTTP2, "get", "head", "insecure", "compressed"}


@dataclass
class _Command:
    """A command as far as it is read."""

    url: Word | None = None
    method: str | None = None
    headers: list[Header] = field(default_factory=list)
    data: list[str] = field(default_factory=list)
    body_file: str | None = None
    media_type: str | None = None
    is_get: bool = False
    is_head: bool = False
    insecure: bool = False
    compressed: bool = False
    http2: bool = False
    notes: list[str] = field(default_factory=list)


def read_curl(text: str, folder: Path = Path()) -> Source:
    """The requests of one or several commands; files are relative to `folder`. Raises
    SourceError."""
    found: list[_Command] = []
    for words in commands(text):
        if len(found) == MOST_COMMANDS:
            raise SourceError(f"expected at most {MOST_COMMANDS:,} commands")
        found.append(_read(words, folder))
    if not found:
        raise SourceError("no command: expected `curl URL`")
    notes = list(dict.fromkeys(note for one in found for note in one.notes))
    requests = [_request(one) for one in found]
    return Source(
        requests,
        notes,
        insecure=any(one.insecure for one in found),
        http2=any(one.http2 for one in found),
    )


def _read(words: Sequence[Word], folder: Path) -> _Command:
    first, *rest = words
    if Path(first.text).name not in ("curl", "curl.exe"):
        raise SourceError(f"{first.place}: expected a command of curl")
    command, waiting = _Command(), list(reversed(rest))
    is_option = True
    while waiting:
        word = waiting.pop()
        if is_option and word.text == "--":
            is_option = False
        elif is_option and word.text.startswith("--"):
            _option(command, word.text[2:], word, waiting, folder)
        elif is_option and word.text.startswith("-") and len(word.text) > 1:
            _short_options(command, word, waiting, folder)
        else:
            _set_url(command, word)
    if command.url is None:
        raise SourceError(f"{first.place}: this command has no URL")
    return command


def _short_options(command: _Command, word: Word, waiting: list[Word], folder: Path) -> None:
    """The options of `-sSLX`; what follows one that takes a value is that value."""
    for at, letter in enumerate(word.text[1:], 1):
        name = _SHORT.get(letter)
        if name is None:
            raise SourceError(f"{word.place}: `-{letter}` is an option of curl that is not read")
        rest = word.text[at + 1 :]
        if name not in _SWITCHES and rest:
            waiting.append(Word(rest, word.place, word.has_variable))
        _option(command, name, word, waiting, folder, shown=f"-{letter}")
        if name not in _SWITCHES:
            return


def _option(
    command: _Command,
    name: str,
    word: Word,
    waiting: list[Word],
    folder: Path,
    shown: str | None = None,
) -> None:
    shown = shown or f"--{name[:40]}"
    if name in _SWITCHES:
        _switch(command, name)
        return
    if name not in _NO_EFFECT and name not in _VALUED:
        raise SourceError(f"{word.place}: `{shown}` is an option of curl that is not read")
    if not waiting:
        raise SourceError(f"{word.place}: `{shown}` has no value")
    value = waiting.pop()
    if "${" in value.text and not value.has_variable and name not in _OF_BODIES | _NO_EFFECT:
        raise _at(value, SourceError("`${NAME}` in single quotes is no variable of the shell"))
    if name in _OF_BODIES and value.has_variable:
        raise _at(value, SourceError("a variable in a body: expected its value"))
    if name in _VALUED:
        try:
            _VALUED[name](command, value, folder)
        except SourceError as error:
            raise error if str(error).startswith("line ") else _at(value, error) from None


def _at(word: Word, error: SourceError) -> SourceError:
    return SourceError(f"{word.place}: {error}")


def _switch(command: _Command, name: str) -> None:
    if name in _TOLD:
        command.notes.append(_TOLD[name])
    match name:
        case "get":
            command.is_get = True
        case "head":
            command.is_head = True
        case "insecure":
            command.insecure = True
        case "compressed":
            command.compressed = True
        case "http2" | "http2-prior-knowledge":
            command.http2 = True


def _set_url(command: _Command, word: Word) -> None:
    if command.url is not None:
        raise SourceError(f"{word.place}: a second URL: expected one in each command")
    if any(one in word.text for one in "{}[]") and not word.has_variable:
        raise SourceError(
            f"{word.place}: curl reads braces and brackets in a URL as a pattern: expected them"
            " percent-encoded (`%7B`, `%7D`, `%5B`, `%5D`)"
        )
    command.url = word


def _header(command: _Command, text: str) -> None:
    if text.startswith("@"):
        raise SourceError("headers of a file are not read: expected `-H 'NAME: VALUE'`")
    name, colon, value = text.partition(":")
    if colon and value.strip():
        command.headers.append((name.strip(), value.strip()))
    elif not colon and text.endswith(";"):
        command.headers.append((text[:-1].strip(), ""))
    elif not colon:
        raise SourceError("expected a header `NAME: VALUE`")


def _form_data(command: _Command, word: Word, folder: Path) -> None:
    text = word.text
    if text.startswith("@"):  # as curl does: without line ends
        text = _content(text[1:], folder).replace("\r", "").replace("\n", "")
    _data(command, text)


def _binary_data(command: _Command, word: Word, folder: Path) -> None:
    if not word.text.startswith("@"):
        _data(command, word.text)
    elif command.data or command.body_file is not None:
        raise SourceError("a file and other data: expected one of them")
    else:
        command.media_type = command.media_type or _FORM
        command.body_file = str((folder / word.text[1:]).absolute())
        if not Path(command.body_file).is_file():
            raise SourceError(f"`{word.text[1:]}` is not a file: expected that of a body")


def _encoded_data(command: _Command, word: Word, folder: Path) -> None:
    """`CONTENT`, `=CONTENT`, `NAME=CONTENT`, `@FILE` or `NAME@FILE`."""
    text = word.text
    cut = next((at for at, one in enumerate(text) if one in "=@"), None)
    name, content = ("", text) if cut is None else (text[:cut], text[cut + 1 :])
    if cut is not None and text[cut] == "@":
        content = _content(content, folder)
    _data(command, f"{name}={quote_plus(content)}" if name else quote_plus(content))


def _json(command: _Command, word: Word, folder: Path) -> None:
    text = _content(word.text[1:], folder) if word.text.startswith("@") else word.text
    before = command.data.pop() if command.data else ""
    command.data.append(before + text)
    command.media_type = "application/json"


def _data(command: _Command, text: str) -> None:
    if command.body_file is not None:
        raise SourceError("a file and other data: expected one of them")
    command.data.append(text)
    command.media_type = command.media_type or _FORM


def _content(name: str, folder: Path) -> str:
    try:
        with (folder / name).open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (OSError, ValueError):
        raise SourceError(f"`{name}` cannot be read: expected the file of a body") from None
    if len(content) > MOST_BYTES:
        raise SourceError(f"`{name}` has more than {MOST_BYTES:,} bytes: {_BINARY}")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise SourceError(f"`{name}` is not text in UTF-8: {_BINARY}") from None


def _cookie(command: _Command, text: str) -> None:
    if "=" not in text:
        raise SourceError("cookies of a file are not read: expected `-b 'NAME=VALUE'`")
    command.headers.append(("Cookie", text))


def _user(command: _Command, text: str) -> None:
    user, colon, password = text.partition(":")
    if not colon:
        raise SourceError("the password is missing: expected `-u USER:PASSWORD`")
    if "${" in text:
        raise SourceError("a variable in `-u` cannot be encoded: expected the password, or `-H`")
    token = b64encode(f"{user}:{password}".encode()).decode()
    command.headers.append(("Authorization", f"Basic {token}"))


def _method(command: _Command, text: str) -> None:
    command.method = text


_VALUED: dict[str, Callable[[_Command, Word, Path], None]] = {
    "request": lambda command, word, _: _method(command, word.text),
    "url": lambda command, word, _: _set_url(command, word),
    "header": lambda command, word, _: _header(command, word.text),
    "cookie": lambda command, word, _: _cookie(command, word.text),
    "user": lambda command, word, _: _user(command, word.text),
    "user-agent": lambda command, word, _: command.headers.append(("User-Agent", word.text)),
    "referer": lambda command, word, _: command.headers.append(("Referer", word.text)),
    "range": lambda command, word, _: command.headers.append(("Range", f"bytes={word.text}")),
    "data": _form_data,
    "data-ascii": _form_data,
    "data-raw": lambda command, word, _: _data(command, word.text),
    "data-binary": _binary_data,
    "data-urlencode": _encoded_data,
    "json": _json,
    "oauth2-bearer": lambda command, word, _: command.headers.append(
        ("Authorization", f"Bearer {word.text}")
    ),
}


_OF_BODIES = {"data", "data-ascii", "data-raw", "data-binary", "data-urlencode", "json"}


def _request(command: _Command) -> SourceRequest:
    word = command.url
    assert word is not None  # noqa: S101 - `_read` demands it
    body = "&".join(command.data) if command.data else None
    try:
        at, path = server_and_path(word.text)
        if command.is_get and body is not None:
            path += ("&" if "?" in path else "?") + body
            body = None
        headers = kept_headers(_headers(command, has_body=body is not None))
    except SourceError as error:
        raise _at(word, error) from None
    has_body = body is not None or command.body_file is not None
    method = "HEAD" if command.is_head else "POST" if has_body else "GET"
    return SourceRequest(
        at, path, command.method or method, headers, body=body, body_file=command.body_file
    )


def _headers(command: _Command, *, has_body: bool) -> list[Header]:
    """The headers, with those that curl adds for its options."""
    names = {name.lower() for name, _ in command.headers}
    added: list[Header] = []
    if (has_body or command.body_file) and command.media_type and "content-type" not in names:
        added.append(("Content-Type", command.media_type))
        if command.media_type == "application/json" and "accept" not in names:
            added.append(("Accept", "application/json"))
    if command.compressed and "accept-encoding" not in names:
        added.append(("Accept-Encoding", "deflate, gzip"))
    return [*command.headers, *added]
