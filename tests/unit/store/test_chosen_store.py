"""The database that is used when no flag names one."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.store import open_store
from httpdyno.store.place import default_url


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the user's settings, empty."""
    monkeypatch.setenv("HTTPDYNO_CONFIG", str(tmp_path))
    monkeypatch.setenv("HTTPDYNO_DATA", str(tmp_path / "data"))
    return tmp_path


def test_without_a_choice_it_is_a_file_in_the_data_folder(config: Path) -> None:
    assert default_url() == f"sqlite:///{config / 'data' / 'results.sqlite'}"


def test_the_settings_choose_it_and_the_variable_comes_first(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (config / "settings.toml").write_text('store = "postgresql://httpdyno@db/bench"\n')
    assert default_url() == "postgresql://httpdyno@db/bench"
    monkeypatch.setenv("HTTPDYNO_STORE", "mine.sqlite")
    assert default_url() == "mine.sqlite"


@pytest.mark.parametrize(
    "text",
    [
        "postgres:u:PW@h",
        "postgres:u:PW@h/d",
        "u:PW@h/d",
        ":PW@h",
        "//u:PW@h/d",
        "postgres//u:PW@h",
        "postgresql:/u:PW@h/d",
        "postgresql//u:PW@h:5432/d",
        "postgresql;//u:PW@h/d",
        "mysql://u:PW@h/d",
        "sqlite://u:PW@h/d",
        "jdbc:postgresql://h/d?user=u&password=PW",
        "postgresql://u:PW",
        "postgresql://u@PW@h/d",
        "postgresql://u@h:PW/d",
        "postgresql://u:a@PW@h:port/d",
        "host=h user=u password=PW",
        "host=h,password=PW",
        "password=PW",
        "h:5432:d:u:PW",
        "psql -h h -W PW",
        "u/PW@h",
        "u:PW://@h",
    ],
)
@pytest.mark.parametrize("reading", [True, False])
def test_a_mistyped_database_is_refused_without_its_password(
    text: str, reading: bool, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(config.parent)
    with pytest.raises(UsageError, match="is not the URL of a database") as told:
        open_store(text, reading=reading)
    assert "PW" not in str(told.value)
    assert "PW" not in str(told.value.hint)


def test_the_path_of_a_file_is_a_database_too(config: Path) -> None:
    open_store(str(config / "team.sqlite"))
    assert (config / "team.sqlite").is_file()


def test_a_file_to_read_has_to_exist(config: Path) -> None:
    with pytest.raises(UsageError, match=r"team.sqlite` does not exist"):
        open_store(str(config / "team.sqlite"), create=False)
    assert not (config / "team.sqlite").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("store = 3", "`store`: expected a text in quotes"),
        ('storage = "x"', "`storage` is not a setting: expected `store`"),
        ("store = ", "is not valid TOML"),
        ("\udcff", "is not valid TOML"),
    ],
)
def test_settings_that_cannot_be_read_are_one_sentence_that_names_the_file(
    config: Path, text: str, said: str
) -> None:
    (config / "settings.toml").write_text(text, errors="surrogateescape")
    with pytest.raises(UsageError, match=said) as caught:
        default_url()
    assert "settings.toml`" in caught.value.message
    assert "\n" not in caught.value.message


def test_a_folder_in_the_place_of_the_settings_is_one_sentence(config: Path) -> None:
    (config / "settings.toml").mkdir()
    with pytest.raises(EnvironmentFault, match=r"settings.toml` cannot be read"):
        default_url()
