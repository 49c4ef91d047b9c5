"""Credentials are not written down: this is where they are recognised and masked.

They are recognised by name: of a header (`Authorization`, `Cookie`, `X-Api-Key`), of a parameter in
a URL's query (`token`), of a flag (`--body`, `--user`), and by their place before the `@` of an
address. The user in the URL of a database is none: only its password is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

__all__ = [
    "MASK",
    "is_secret",
    "masked_command",
    "masked_cookie",
    "masked_database",
    "masked_header",
    "masked_headers",
    "masked_proxy",
    "masked_text",
    "masked_url",
    "masked_user",
]

MASK = "***"

_BODIES = ("--body", "--data", "--json-body")


class _Pattern:
    """A pattern that is compiled on first use: that takes longer than a short program has."""

    def __init__(self, text: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        self._given = text, flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(*self._given)


_SECRET = _Pattern(
    r"authoriz|authentic|(^|[-_])auth([-_]|$)|cookie|token|secret|passw|credential|signature"
    r"|session|jwt|bearer|(api|access|private|secret|subscription)[-_]?key",
    re.IGNORECASE,
)
_USER = _Pattern(r"^(?:([a-z][a-z0-9+.-]*://)[^/?#]*|[^/?#:@\s]+:[^/?#\s]*)@", re.IGNORECASE)
_USER_OF_PROXY = _Pattern(r"^([a-z][a-z0-9+.-]*://)?.*@", re.IGNORECASE | re.DOTALL)
_USER_IN_TEXT = _Pattern(r"([a-z][a-z0-9+.-]*://)[^/?#\s]*@", re.IGNORECASE)
_DATABASE = _Pattern(r"(postgres(?:ql)?(?:\+\w+)?://[^:/@\s]*)(:\S*)?@", re.IGNORECASE)
_MISTYPED = _Pattern(r"[:=?&;,\s]")
_PARAMETER = _Pattern(r"([?&])([^=&#\s]+)=([^&#\s]*?)(?=[:`]*([&#\s]|$))")
_SHORT_USER = _Pattern(r"-[kq]*u")
_HEADER = _Pattern(r"(-\w*H|--header=)?\s*([^:\s]+)(\s*:\s*|\s+)(.+)", re.DOTALL)


def is_secret(name: str) -> bool:
    """True if a header or parameter of this name usually carries a credential."""
    return _SECRET.compiled.search(name) is not None


def masked_headers(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Mask the values of the headers that carry credentials."""
    return [(name, MASK if is_secret(name) else value) for name, value in headers]


def masked_header(text: str) -> str:
    """Mask the value of `NAME: VALUE`, also where the colon is missing, and after its flag."""
    match = _HEADER.compiled.fullmatch(text)
    if match is None or not is_secret(match[2]):
        return text
    return text[: match.start(4)] + MASK


def masked_url(text: str) -> str:
    """Mask user and password, and the parameters of the query that carry credentials."""
    if _DATABASE.compiled.match(text):
        return masked_text(text)
    return _without_parameters(_USER.compiled.sub(lambda found: f"{found[1] or ''}{MASK}@", text))


def masked_text(text: str) -> str:
    """Mask what `masked_url` masks, in the URLs and paths of a text."""
    if "@" not in text and "=" not in text:
        return text
    text = _DATABASE.compiled.sub(
        lambda found: f"{found[1]}:{MASK}@" if found[2] else found[0], text
    )
    return _without_parameters(_USER_IN_TEXT.compiled.sub(_user_in_text, text))


def masked_database(text: str) -> str:
    """Mask all of a mistyped address of a database in which its password may be."""
    scheme, slashes, rest = text.rpartition("://")
    if ":" in scheme or "@" in scheme:
        scheme, slashes, rest = "", "", text
    before, at, rest = rest.rpartition("@")
    shown = _MISTYPED.compiled.split(rest, maxsplit=1)
    begin = f"{MASK}@" if at or before else ""
    end = "" if len(shown) == 1 else f"{rest[len(shown[0])]}{MASK}"
    return f"{scheme}{slashes}{begin}{shown[0]}{end}"


def masked_proxy(text: str) -> str:
    """Mask all before the last `@`: a mistyped password may contain `@` and `/`."""
    return _USER_OF_PROXY.compiled.sub(rf"\1{MASK}@", text)


def masked_user(text: str) -> str:
    """Mask the password of `NAME:PASSWORD`."""
    name, colon, _ = text.partition(":")
    return f"{name}:{MASK}" if colon else text


def masked_cookie(text: str) -> str:
    """Mask the value of `NAME=VALUE`, or all where the name is missing."""
    name, equals, _ = text.partition("=")
    return f"{name}={MASK}" if equals else MASK


def masked_command(words: Sequence[str]) -> list[str]:
    """Mask the credentials and bodies among the words of a command line."""
    masked = []
    for before, word in zip(["", *words], words, strict=False):
        flag, equals, value = word.partition("=")
        if not equals or not flag.startswith("--"):
            flag, equals, value = before, "", word
        value = _masked_value(flag, value)
        masked.append(f"{flag}={value}" if equals else value)
    return masked


def _masked_value(flag: str, value: str) -> str:
    """Mask the value of a flag; a short flag may be in one word with its value."""
    if flag == "--proxy":
        return masked_proxy(value)
    if flag in _BODIES:
        return value if value.startswith("@") else MASK
    if flag == "--cookie":
        return masked_cookie(value)
    if flag == "--user" or _SHORT_USER.compiled.fullmatch(flag):
        return masked_user(value)
    if joined := _SHORT_USER.compiled.match(value):
        return joined[0] + masked_user(value[joined.end() :])
    return masked_header(masked_url(value))


def _password_of_database(found: re.Match[str]) -> str:
    return f"{found[1]}:{MASK}@" if found[2] else found[0]


def _user_in_text(found: re.Match[str]) -> str:
    return found[0] if _DATABASE.compiled.match(found[0]) else f"{found[1]}{MASK}@"


def _without_parameters(text: str) -> str:
    return _PARAMETER.compiled.sub(
        lambda found: f"{found[1]}{found[2]}={MASK if is_secret(found[2]) else found[3]}", text
    )
