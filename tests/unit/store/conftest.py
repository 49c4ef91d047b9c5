"""The databases that the contract of the store is tested on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from httpdyno.store import Store, open_store

NewUrl = Callable[[], str]


@pytest.fixture(params=["sqlite", "postgresql"])
def new_url(request: pytest.FixtureRequest, tmp_path: Path) -> NewUrl:
    """The URL of a new, empty database."""
    if request.param == "sqlite":
        numbers = iter(range(100))
        return lambda: f"sqlite:///{tmp_path / f'deep{next(numbers)}' / 'er' / 'results.sqlite'}"
    server = request.getfixturevalue("postgresql")
    return lambda: server.url(server.new_database())


@pytest.fixture
def url(new_url: NewUrl) -> str:
    return new_url()


@pytest.fixture
def store(url: str) -> Store:
    return open_store(url)
