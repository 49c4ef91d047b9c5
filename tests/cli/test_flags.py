"""A verb takes its flags as dataclasses, and Click shows and reads them one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import click
import pytest
from httpdyno.cli.command import command_of
from httpdyno.cli.flags import argument, option, switch, text, texts
from httpdyno.cli.shared_flags import AsJson


@dataclass(frozen=True)
class Given:
    place: Annotated[str, argument("PLACE", "A place")]
    time: str | None = text("--time TIME", "A time (default 1s)", "Times", short="-t")
    kind: str = text("--kind NAME", "a (default) or b", choices=("a", "b"), default="a")
    name: list[str] = texts("--name 'NAME: VALUE'", "A name; repeatable")
    loud: bool = switch("--loud", "Be loud")


@dataclass(frozen=True)
class More:
    as_json: AsJson = False


Count = Annotated[int, option("--count N", "A count")]


def called(*words: str) -> tuple[Given, int, More]:
    def verb(given: Given, count: Count = 1, *, more: More) -> tuple[Given, int, More]:
        return given, count, more

    with command_of(verb, "verb").make_context("verb", list(words)) as context:
        found: tuple[Given, int, More] = context.command.invoke(context)
        return found


def test_flags_become_the_fields_of_their_dataclasses() -> None:
    assert called("here") == (Given("here", None, "a", [], False), 1, More())
    words = ["here", "-t", "5s", "--kind", "b", "--name", "x: 1", "--name", "y: 2", "--loud"]
    given = Given("here", "5s", "b", ["x: 1", "y: 2"], loud=True)
    assert called(*words, "--count", "3", "--json") == (given, 3, More(as_json=True))


def test_a_required_argument_is_required() -> None:
    with pytest.raises(click.MissingParameter, match="place"):
        called("--loud")


def test_the_help_shows_each_flag_with_its_value_under_its_heading(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(click.exceptions.Exit):
        called("--help")
    shown = capsys.readouterr().out
    assert "Times:\n  -t, --time TIME  A time (default 1s)" in shown
    assert "--name 'NAME: VALUE'  A name; repeatable" in shown
    assert "--kind NAME           a (default) or b\n" in shown
    assert "--loud                Be loud\n" in shown
    assert "--json                Print JSON" in shown
