"""CI checks the servers that changed and a share of the others, within the same time every day."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from httpdyno.servers import load_catalogue

ROOT = Path(__file__).parents[2]
SCRIPT: dict[str, Any] = runpy.run_path(str(ROOT / ".ci" / "catalogue-share"))
FOLDER = load_catalogue().get("nginx").folder.parent


def share(changed: set[Path], day: int) -> list[str]:
    found: list[str] = SCRIPT["share"](list(load_catalogue()), changed, day)
    return found


def test_every_server_that_can_be_installed_comes_in_turn() -> None:
    seen = {name for day in range(30) for name in share(set(), day)}
    absent = {one.name for one in load_catalogue() if one.unavailable or one.install.needs}
    assert seen == set(load_catalogue().names()) - absent


def test_a_share_has_servers_of_most_kinds_of_installation() -> None:
    for day in range(30):
        kinds = {load_catalogue().get(name).install.kind for name in share(set(), day)}
        assert len(kinds) >= 4


def test_a_changed_server_and_those_of_a_changed_family_are_checked() -> None:
    changed = {FOLDER / "zeus", FOLDER / "yaws", FOLDER / "families" / "django"}
    for day in range(30):
        assert {"yaws", "django", "django-asgi"} <= set(share(changed, day))


def test_a_change_of_everything_is_checked_within_the_time_of_any_other() -> None:
    everything = {server.folder for server in load_catalogue()}
    shares = [share(everything, day) for day in range(30)]
    assert max(map(len, shares)) <= 18
    assert {*load_catalogue().names()} - {name for one in shares for name in one} == {
        one.name for one in load_catalogue() if one.unavailable or one.install.needs
    }
