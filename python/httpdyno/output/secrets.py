"""Credentials are not written down: this is where they are recognised and masked.

Of headers, only the values of those are shown whose names are known to carry no credential. Other
credentials are recognised by name: of a parameter in a URL's query or of a variable (`token`), of a
flag (`--body`, `--user`, `--password`), and by their place before the `@` of an address. The user
in the URL of a database is none: only its password is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

__all__ = [
    "MASK",
    "hidden_headers",
    "is_secret",
    "is_shown",
    "masked_body",
    "masked_command",
    "masked_cookie",
    "masked_database",
    "masked_flags",
    "masked_header",
    "masked_headers",
    "masked_line",
    "masked_mistyped",
    "masked_proxy",
    "masked_text",
    "masked_url",
    "masked_user",
]

MASK = "***"

_NAMES_SHOWN = """
    accept accept-charset accept-encoding accept-language accept-ranges age allow alt-svc
    cache-control connection content-encoding content-language content-length content-range
    content-type date dnt etag expect expires host if-match if-modified-since if-none-match
    if-range if-unmodified-since keep-alive last-modified location max-forwards origin pragma
    priority proxy-connection range referer retry-after save-data sec-ch-ua sec-ch-ua-mobile
    sec-ch-ua-platform sec-fetch-dest sec-fetch-mode sec-fetch-site sec-fetch-user sec-gpc server te
    trailer transfer-encoding upgrade
    upgrade-insecure-requests user-agent vary via warning x-cache x-content-type-options
    x-frame-options x-powered-by x-requested-with
"""
_SHOWN = frozenset(_NAMES_SHOWN.split())
"""Headers that carry no credential, unless it is in a URL."""


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
_MISTYPED_USER_IN_TEXT = _Pattern(
    r"(?:([a-z][a-z0-9+.-]*://)[^/?#@:`\s]*:|(?<![^\s`'\"(=])[^/?#@:`'\"(=\s]+:(?!//)(?=\S))"
    r"(?!@[^@`\n]*(?:[`\n]|$))[^`\n]*@(?!\{)",
    re.IGNORECASE,
)
"""A user and a password before an `@`, with or without a scheme. `HEAD@{1}` is a git revision, and
`NAME:@FILE` has a file in place of the password."""
_PACKAGE = _Pattern(
    r"(?<![^\s`'\"(=])((?:npm|jsr):@?[\w./-]+@[~^]?\d+(?:\.\d+){0,2}(?![^\s`'\"),;]))"
)
"""A package and its version, `npm:serve@14`: no user, and no host has such a name."""
_DATABASE = _Pattern(r"(postgres(?:ql)?(?:\+\w+)?://[^:/@\s]*)(:\S*)?@", re.IGNORECASE)
_MISTYPED = _Pattern(r"[:=?&;,\s]")
_PARAMETER = _Pattern(r"([?&])([^=&#\s]+)=([^&#\s]*?)(?=[:`]*([&#\s]|$))")
_SHORT_USER = _Pattern(r"-[kq]*u")
_SHORT_HEADER = _Pattern(r"-[kq]*H")
_ARGUMENT = _Pattern(
    r"""(?<![^\s'"`(;&|])((?:--([\w.-]+)(?:=|[ \t]+(?![-&|;<>]))|([\w.-]+)=))"""
    r"""((?:"[^"]*"|'[^']*'|[^\s'"])+)"""
)
"""`--NAME=VALUE`, `--NAME VALUE` and `NAME=VALUE` in a command line."""
_HEADER = _Pattern(r"\s*([^:\s]+)(\s*:\s*|\s+)(.+)", re.DOTALL)


def is_secret(name: str) -> bool:
    """True if a parameter or variable of this name usually carries a credential."""
    return _SECRET.compiled.search(name) is not None


def is_shown(header: str) -> bool:
    """True if the value of a header of this name is shown."""
    return header.lower() in _SHOWN


def hidden_headers(headers: Mapping[str, str]) -> list[tuple[str, str]]:
    """The headers whose values may be credentials; `${NAME}` only names one."""
    return [
        (k, value)
        for k, value in headers.items()
        if value and not is_shown(k) and "${" not in value
    ]


def masked_headers(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Mask the values of headers that may carry credentials."""
    return [(name, _masked_header_value(name, value)) for name, value in headers]


def masked_header(text: str) -> str:
    """Mask the value of `NAME: VALUE`, also where the colon is missing."""
    match = _HEADER.compiled.fullmatch(text)
    if match is None:
        return text
    return text[: match.start(3)] + _masked_header_value(match[1], match[3])


def _masked_header_value(name: str, value: str) -> str:
    return masked_text(value) if is_shown(name) else MASK


def masked_url(text: str) -> str:
    """Mask user and password, and the parameters of the query that carry credentials."""
    if _DATABASE.compiled.match(text):
        return masked_text(text)
    if _PACKAGE.compiled.fullmatch(text):
        return text
    return _without_parameters(_USER.compiled.sub(lambda found: f"{found[1] or ''}{MASK}@", text))


def masked_text(text: str) -> str:
    """Mask what `masked_url` masks, in the URLs and paths of a text."""
    if "@" not in text and "=" not in text:
        return text
    text = _DATABASE.compiled.sub(
        lambda found: f"{found[1]}:{MASK}@" if found[2] else found[0], text
    )
    return _without_parameters(_USER_IN_TEXT.compiled.sub(_user_in_text, text))


def masked_line(text: str) -> str:
    """Mask what `masked_text` masks, and the values of the flags and variables of a command line
    whose names are those of credentials; `${NAME}` only names one.
    """
    return masked_text(_ARGUMENT.compiled.sub(_masked_argument, text))


def masked_mistyped(text: str) -> str:
    """Mask what `masked_text` masks, passwords of addresses without a scheme, and those with `/`,
    `?`, `#` or a space that were not percent-encoded: all up to the last `@` of the quoted value.
    """
    parts = _PACKAGE.compiled.split(masked_text(text))
    parts[::2] = [_MISTYPED_USER_IN_TEXT.compiled.sub(_user_in_text, one) for one in parts[::2]]
    return "".join(parts)


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


def masked_flags(words: Sequence[str]) -> list[str]:
    """Mask the credentials in the flags and the URLs of a command that measures a study.

    A body is part of the study: it is masked if it names a credential.
    """
    masked = []
    for before, word in zip(["", *words], words, strict=False):
        flag, equals, value = word.partition("=")
        if not equals or not flag.startswith("--"):
            flag, equals, value = before, "", word
        shown = _masked_in_study(flag, value)
        masked.append(f"{flag}={shown}" if equals else shown)
    return masked


def _masked_in_study(flag: str, value: str) -> str:
    if flag in _BODIES:
        return _masked_value(flag, value) if is_secret(value) else value
    if _mask_of(flag) is not None or value.startswith("-"):
        return _masked_value(flag, value)
    return masked_url(value) if "://" in value else value


def _masked_value(flag: str, value: str) -> str:
    """Mask the value of a flag; a short flag may be in one word with its value."""
    if mask := _mask_of(flag):
        return mask(value)
    for short in (_SHORT_HEADER, _SHORT_USER):
        joined = short.compiled.match(value)
        if joined is not None and len(joined[0]) < len(value):
            return joined[0] + _masked_value(joined[0], value[joined.end() :])
    return _without_credential(masked_url(value))


def _mask_of(flag: str) -> Callable[[str], str] | None:
    """The function that masks the values of a flag; None: no flag of credentials."""
    if _SHORT_HEADER.compiled.fullmatch(flag):
        return _masked_lines
    return masked_user if _SHORT_USER.compiled.fullmatch(flag) else _MASKS.get(flag)


def masked_body(text: str) -> str:
    """Mask a body; the name of its file is shown."""
    return text if text.startswith("@") else MASK


def _masked_expectation(text: str) -> str:
    """Mask the answer behind `json:`, `html:` or `regex:`; the name of a file stays."""
    notation, colon, answer = text.partition(":")
    return f"{notation}{colon}{masked_body(answer)}" if colon else text


def _masked_lines(text: str) -> str:
    """Mask a header, or those of httperf's `--add-header`, which are separated by `\\n`."""
    if text.startswith("@"):
        return text
    return "\\n".join(map(masked_header, text.split("\\n")))


def _without_credential(word: str) -> str:
    """Mask a header whose flag is missing, as in a command line without quotes."""
    match = _HEADER.compiled.fullmatch(word)
    return word if match is None or not is_secret(match[1]) else word[: match.start(3)] + MASK


def _masked_argument(found: re.Match[str]) -> str:
    hidden = is_secret(found[2] or found[3]) and "${" not in found[4]
    return found[1] + MASK if hidden else found[0]


def _user_in_text(found: re.Match[str]) -> str:
    return found[0] if _DATABASE.compiled.match(found[0]) else f"{found[1] or ''}{MASK}@"


def _without_parameters(text: str) -> str:
    return _PARAMETER.compiled.sub(
        lambda found: f"{found[1]}{found[2]}={MASK if is_secret(found[2]) else found[3]}", text
    )


_BODIES = (
    *("--body", "--data", "--json-body", "--message"),
    *("--expect-body", "--expect-message", "--expect"),
)
_MASKS = {
    "--proxy": masked_proxy,
    "--cookie": masked_cookie,
    "--user": masked_user,
    **dict.fromkeys(("--header", "--add-header"), _masked_lines),
    **dict.fromkeys(_BODIES, masked_body),
    "--expect": _masked_expectation,
}
"""The functions that mask the values of flags."""
