"""Cores go to the server first, and the generator has one of its own wherever there is one."""

from __future__ import annotations

from typing import Literal

import pytest
from httpdyno.host.pinning import available, split


@pytest.mark.parametrize(
    ("cpus", "wanted", "server", "generator", "shared"),
    [
        ([0, 1], 1, [0], [1], False),
        ([3, 1], 1, [1], [3], False),
        ([0, 1, 2, 3], 2, [0, 1], [2, 3], False),
        ([0, 1, 2, 3], 3, [0, 1, 2], [3], False),
        ([0, 1], 2, [0, 1], [1], True),
        ([0, 1], 4, [0, 1], [1], True),
        ([0, 1, 2], "all", [0, 1, 2], [2], True),
        ([5], 1, [5], [5], True),
    ],
)
def test_a_split(
    cpus: list[int],
    wanted: int | Literal["all"],
    server: list[int],
    generator: list[int],
    shared: bool,
) -> None:
    pinning = split(cpus, wanted)
    assert (pinning.server, pinning.generator, pinning.shared) == (server, generator, shared)


def test_the_note_says_what_is_shared_and_what_it_costs() -> None:
    assert split([0, 1], 1).note == "server on core 0, generator on core 1"
    assert split([0, 1], 4).note == (
        "the server uses 4 cores and the machine has 2: the generator takes CPU time from it on "
        "core 1"
    )


def test_no_cores_cannot_be_split_and_this_machine_has_some() -> None:
    with pytest.raises(ValueError, match="no cores"):
        split([], 1)
    assert available() == sorted(set(available()))
