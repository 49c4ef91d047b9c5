"""The folder of results on this machine, and the database of results that the user has chosen."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import platformdirs

from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.output.places import expanded

SETTINGS = ("store",)
"""The keys of the settings file."""


def data_folder() -> Path:
    """The folder of reports and of their database (default: as the platform expects).

    `HTTPDYNO_DATA` names another."""
    given = os.environ.get("HTTPDYNO_DATA")
    if given:
        return expanded(given).resolve()
    return platformdirs.user_data_path("httpdyno")


def default_url() -> str:
    """The database to use when no flag names one: `HTTPDYNO_STORE`, the one in the settings file,
    or a file in the data folder.

    Raises UsageError or EnvironmentFault when the settings file cannot be read.
    """
    chosen = os.environ.get("HTTPDYNO_STORE") or _settings().get("store")
    return chosen or f"sqlite:///{data_folder() / 'results.sqlite'}"


def settings_file() -> Path:
    """The user's settings; `HTTPDYNO_CONFIG` names another folder for it."""
    given = os.environ.get("HTTPDYNO_CONFIG")
    folder = expanded(given) if given else platformdirs.user_config_path("httpdyno")
    return folder.absolute() / "settings.toml"


def _settings() -> dict[str, str]:
    file = settings_file()
    try:
        read = tomllib.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise EnvironmentFault(f"`{file}` cannot be read: {error.strerror}") from None
    except ValueError as error:  # also of bytes that are not UTF-8
        raise UsageError(f"`{file}` is not valid TOML: {error}") from None
    faults = [
        f"`{key}` is not a setting: expected `{'`, `'.join(SETTINGS)}`"
        if key not in SETTINGS
        else f"`{key}`: expected a text in quotes"
        for key, value in read.items()
        if key not in SETTINGS or not isinstance(value, str)
    ]
    if faults:
        raise UsageError(f"`{file}`: {'; '.join(faults)}")
    return read
