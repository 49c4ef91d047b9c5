"""A place of its own for each test, and a page server in it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_server import Served, served
from study_place import Place


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    for pid in made.living():
        os.kill(pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A page server without any run, for requests that change nothing."""
    with served(Place(tmp_path_factory.mktemp("site"))) as running:
        yield running


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A page server that needs its token."""
    with served(Place(tmp_path_factory.mktemp("guarded")), "--token") as running:
        yield running
