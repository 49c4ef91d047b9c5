"""The credentials of requests, which stand in files of their own beside a study.

Headers that may be credentials and parameters of paths that are become `${NAME}`, whose values are
in one file; a body that names a credential becomes a file of its own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from httpdyno.engine_plan import literal
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.output.secrets import hidden_headers, is_secret

__all__ = ["SeparatedWorkload", "as_literal", "separate_credentials", "write_new"]

_PARAMETER = re.compile(r"([?&])([^=&#]+)=([^&#]+)")
_HEADER_OF_FILE = (
    "# Credentials of {study}: keep this file to yourself, and out of version control.\n"
)


@dataclass
class SeparatedWorkload:
    """A workload without its credentials, and the files that have them, by name."""

    stem: str
    """The name of the study's file, without `.toml`."""
    has_placeholders: bool
    """Otherwise, each brace in the texts of the workload stands for itself."""
    table: dict[str, Any] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    bodies: dict[str, str] = field(default_factory=dict)

    @property
    def env_file(self) -> str | None:
        """The file with the variables; None: there are none."""
        return f"{self.stem}.env" if self.variables else None

    @property
    def files(self) -> dict[str, str]:
        """The content of each file, by its name."""
        if self.env_file is None:
            return dict(self.bodies)
        lines = "".join(f"{name}={value}\n" for name, value in self.variables.items())
        head = _HEADER_OF_FILE.format(study=f"{self.stem}.toml")
        return {self.env_file: head + lines, **self.bodies}

    def is_fixed(self, text: str) -> bool:
        """True if all of the text is sent as it is written."""
        return not self.has_placeholders or text == literal(text)

    def variable(self, name: str, value: str) -> str:
        """The `${NAME}` of a value: the same one for the same value."""
        # The environment comes first: a name of its own cannot be that of another program.
        plain = re.sub(r"\W", "_", f"{self.stem}_{name}", flags=re.ASCII).upper()
        plain = plain if plain[0].isalpha() else f"_{plain}"
        number, known = 1, plain
        while self.variables.get(known, value) != value:
            number += 1
            known = f"{plain}_{number}"
        self.variables[known] = value
        return f"${{{known}}}"


def as_literal(request: Mapping[str, Any]) -> dict[str, Any]:
    """A request in whose texts each brace stands for itself, as a study has it."""
    shown = dict(request)
    if "path" in request:
        shown["path"] = literal(request["path"])
    if "headers" in request:
        shown["headers"] = {name: literal(value) for name, value in request["headers"].items()}
    if "body" in request:
        shown["body"] = literal(request["body"])
    return shown


def separate_credentials(
    table: Mapping[str, Any], stem: str, *, has_placeholders: bool
) -> SeparatedWorkload:
    """The workload of a study, with its credentials apart. What has placeholders is none."""
    found = SeparatedWorkload(stem, has_placeholders)
    found.table = {**table, "requests": [_request(one, found) for one in table["requests"]]}
    return found


def _request(request: Mapping[str, Any], found: SeparatedWorkload) -> dict[str, Any]:
    shown = dict(request)
    if "path" in request:
        shown["path"] = _PARAMETER.sub(lambda one: _separate_parameter(one, found), request["path"])
    if headers := request.get("headers"):
        hidden = {name for name, value in hidden_headers(headers) if found.is_fixed(value)}
        shown["headers"] = {
            name: found.variable(name, value) if name in hidden else value
            for name, value in headers.items()
        }
    body = request.get("body")
    if body is not None and is_secret(body) and found.is_fixed(body):
        name = f"{found.stem}.{len(found.bodies) + 1}.body"
        found.bodies[name] = body
        # The place of a key is kept: `method` and `path` before, `expect` behind.
        shown = {
            "body_file" if key == "body" else key: f"./{name}" if key == "body" else value
            for key, value in shown.items()
        }
    return shown if found.has_placeholders else as_literal(shown)


def _separate_parameter(parameter: re.Match[str], found: SeparatedWorkload) -> str:
    before, name, value = parameter.groups()
    if not is_secret(name) or "${" in value or not found.is_fixed(value):
        return parameter[0]
    return f"{before}{name}={found.variable(name, value)}"


def write_new(study: Path, text: str, secret: Mapping[str, str], hint: str) -> None:
    """Write the study, and the files beside it that nobody else may read; all of them, or none.

    Raises UsageError with the hint for one that exists, EnvironmentFault for one that cannot be
    written.
    """
    written: list[Path] = []
    files = [(study.parent / name, content, 0o600) for name, content in secret.items()]
    try:
        for path, content, mode in [*files, (study, text, 0o666)]:
            _write(path, content, mode, hint if path == study else None)
            written.append(path)
    except BaseException:
        for path in written:
            with suppress(OSError):
                path.unlink()
        raise


def _write(path: Path, content: str, mode: int, hint: str | None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(path, flags, mode), "w", encoding="utf-8") as new:
            new.write(content)
    except FileExistsError:
        raise UsageError(
            f"`{path}` exists already: expected the name of a new file", hint=hint
        ) from None
    except OSError as error:
        raise EnvironmentFault(f"`{path}` cannot be written: {error.strerror}") from None
