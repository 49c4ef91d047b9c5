"""Masks the credentials of a study: in its text, and in its headers and variables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from httpdyno.output.secrets import MASK, is_secret, is_shown, masked_url

__all__ = ["masked_headers", "masked_variables", "without_secrets"]

_STRING = "|".join(
    (
        r'"""(?:[^\\]|\\.)*?"""',
        r"'''(?:.|\n)*?'''",
        r'"(?:[^"\\\n]|\\.)*"',
        r"'[^'\n]*'",
    )
)
"""A string of TOML, of one line or several."""
_LEAST_SECRET = 8
"""The shortest value that is masked wherever it stands."""


def without_secrets(text: str, values: Mapping[str, Any]) -> str:
    """The text of a study without the credentials in its headers, variables and paths."""
    for name in _masked_names(values):
        text = _assignment(name).sub(_masked_assignment, text)
    for secret, shown in _secrets(values):
        text = text.replace(secret, shown)
    return text


def masked_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers with `***` for values that may be credentials; `${NAME}` only names one."""
    return {name: MASK if _is_masked(name, value) else value for name, value in headers.items()}


def masked_variables(env: Mapping[str, str]) -> dict[str, str]:
    """Variables with `***` for the credentials; `${NAME}` only names one."""
    return {name: MASK if _is_credential(name, value) else value for name, value in env.items()}


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
    return bool(value) and not is_shown(name) and "${" not in value


def _is_credential(name: str, value: str) -> bool:
    return bool(value) and is_secret(name) and "${" not in value


def _assignment(name: str) -> re.Pattern[str]:
    """`NAME = "value"` as TOML has it, the name quoted or not."""
    key = re.escape(name)
    return re.compile(rf"""(?<![\w-])((?:{key}|"{key}"|'{key}')\s*=\s*)({_STRING})""")


def _masked_assignment(found: re.Match[str]) -> str:
    return found[0] if "${" in found[2] else f'{found[1]}"{MASK}"'
