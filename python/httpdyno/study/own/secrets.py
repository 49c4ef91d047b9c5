"""Masks the credentials of a study: in its text, and in its headers, variables and commands."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from httpdyno.output.secrets import (
    MASK,
    hidden_headers,
    is_secret,
    masked_line,
    masked_text,
    masked_url,
)

__all__ = ["masked_arm", "masked_variables", "without_credentials", "without_secrets"]

_STRING = "|".join(
    (
        r'"""(?:[^\\]|\\.)*?"""',
        r"'''(?:.|\n)*?'''",
        r'"(?:[^"\\\n]|\\.)*"',
        r"'[^'\n]*'",
    )
)
"""A string of TOML, of one line or several."""
_COMMENT = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
_COMMANDS = ("start", "build")
_PROSE = ("title", "question", "source", "notes")
_LEAST_SECRET = 8
"""The shortest value that is masked wherever it stands."""


def without_secrets(text: str, values: Mapping[str, Any]) -> str:
    """The text of a study without the credentials in its headers, variables, paths, commands and
    comments."""
    for name in _masked_names(values):
        text = _assignment(name).sub(_masked_assignment, text)
    for secret, shown in dict.fromkeys(_secrets(values)):
        text = text.replace(secret, shown)
    text = _COMMENT.sub(lambda found: masked_line(found[0]), text)
    hidden = dict(_changes(values))
    return re.sub(_STRING, lambda found: _show(found[0], hidden), text) if hidden else text


def without_credentials(values: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a study, with its credentials masked."""
    shown = {**_masked_prose(values), "arms": [masked_arm(arm) for arm in values["arms"]]}
    if "workloads" in values:
        shown["workloads"] = {
            name: {**table, "requests": [_masked_request(one) for one in table["requests"]]}
            for name, table in values["workloads"].items()
        }
    return shown


def _masked_request(request: Mapping[str, Any]) -> dict[str, Any]:
    shown = dict(request)
    if "path" in request:
        shown["path"] = masked_url(request["path"])
    if "headers" in request:
        shown["headers"] = _masked_headers(request["headers"])
    return shown


def masked_arm(arm: Mapping[str, Any]) -> dict[str, Any]:
    """An arm with its variables masked, and the credentials in its commands and its URL."""
    shown = dict(arm)
    for key in ("version", *_COMMANDS, "url"):
        if isinstance(arm.get(key), str):
            shown[key] = (masked_line if key in _COMMANDS else masked_text)(arm[key])
    if isinstance(arm.get("env"), dict):
        shown["env"] = masked_variables(arm["env"])
    return shown


def _masked_prose(values: Mapping[str, Any]) -> dict[str, Any]:
    """A study with the credentials masked that stand in the URLs of its title and notes."""
    return {**values, **{key: _mask(values[key]) for key in _PROSE if key in values}}


def _masked_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers with `***` for values that may be credentials; `${NAME}` only names one."""
    return {name: MASK if _is_masked(name, value) else value for name, value in headers.items()}


def masked_variables(env: Mapping[str, str]) -> dict[str, str]:
    """Variables with `***` for the credentials, also in URLs; `${NAME}` only names one."""
    return {
        name: MASK if _is_credential(name, value) else _mask(value) for name, value in env.items()
    }


def _mask(value: Any) -> Any:
    """The texts of a value with the credentials in their URLs masked."""
    if isinstance(value, list):
        return [_mask(one) for one in value]
    return masked_text(value) if isinstance(value, str) else value


def _masked_names(values: Mapping[str, Any]) -> set[str]:
    headers = ((name, _is_masked(name, value)) for name, value in _headers(values))
    variables = ((name, _is_credential(name, value)) for name, value in _variables(values))
    return {name for name, hidden in (*headers, *variables) if hidden}


def _secrets(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each quoted string of the file that has to be masked wherever it stands, and its replacement.

    A short one may be an ordinary word; it is masked behind its name only.
    """
    hidden = [value for name, value in _headers(values) if _is_masked(name, value)]
    hidden += [value for name, value in _variables(values) if _is_credential(name, value)]
    for value in hidden:
        if len(value) >= _LEAST_SECRET:
            yield f'"{value}"', f'"{MASK}"'
            yield f"'{value}'", f"'{MASK}'"
    for path in (request.get("path") for request in _all_requests(values)):
        if isinstance(path, str) and masked_url(path) != path:
            yield path, masked_url(path)


def _changes(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each text of arms, title and notes that has to be masked, and its replacement."""
    arms = values.get("arms")
    arms = [arm for arm in arms if isinstance(arm, dict)] if isinstance(arms, list) else []
    prose = {key: values[key] for key in _PROSE if key in values}
    for before, after in [(prose, _masked_prose(prose)), *((arm, masked_arm(arm)) for arm in arms)]:
        texts = zip(_texts(before), _texts(after), strict=True)
        yield from ((text, shown) for text, shown in texts if shown not in (text, MASK))


def _texts(value: Any) -> Iterator[str]:
    """All texts within a value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


def _show(written: str, hidden: Mapping[str, str]) -> str:
    """A string of the file as it is stored."""
    with suppress(tomllib.TOMLDecodeError):
        value = tomllib.loads(f"x = {written}")["x"]
        return json.dumps(hidden[value], ensure_ascii=False) if value in hidden else written
    return written


def _all_requests(values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    workloads = values.get("workloads")
    for workload in workloads.values() if isinstance(workloads, dict) else ():
        found = workload.get("requests") if isinstance(workload, dict) else None
        if isinstance(found, list):
            yield from (one for one in found if isinstance(one, dict))


def _headers(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    return _strings(request.get("headers") for request in _all_requests(values))


def _variables(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    arms = values.get("arms")
    arms = arms if isinstance(arms, list) else []
    return _strings(arm.get("env") for arm in arms if isinstance(arm, dict))


def _strings(tables: Iterable[Any]) -> Iterator[tuple[str, str]]:
    for table in tables:
        for name, value in table.items() if isinstance(table, dict) else ():
            if isinstance(value, str):
                yield name, value


def _is_masked(name: str, value: str) -> bool:
    return bool(hidden_headers({name: value}))


def _is_credential(name: str, value: Any) -> bool:
    return isinstance(value, str) and bool(value) and is_secret(name) and "${" not in value


def _assignment(name: str) -> re.Pattern[str]:
    """`NAME = "value"` as TOML has it, the name quoted or not."""
    key = re.escape(name)
    return re.compile(rf"""(?<![\w-])((?:{key}|"{key}"|'{key}')\s*=\s*)({_STRING})""")


def _masked_assignment(found: re.Match[str]) -> str:
    return found[0] if "${" in found[2] else f'{found[1]}"{MASK}"'
