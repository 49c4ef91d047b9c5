"""The stream of a run: what a second of it costs, and what each viewer gets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from httpdyno.running.live.identity import Identity
from httpdyno.running.live.journal import Journal, folder_of
from httpdyno.running.live.state import RunState
from httpdyno.web.live import feed as feeds
from httpdyno.web.live.feed import Feed
from httpdyno.web.live.view import parts

PLAN = {"load": "requests", "rates": [[500, 500, None]], "duration_s": 60.0, "warm_up_s": 0.0}


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Journal]:
    """The journal of a load in this process, with a few samples."""
    monkeypatch.setenv("HTTPDYNO_STATE", str(tmp_path))
    monkeypatch.setattr(feeds, "EVERY_S", 0.001)
    own = Identity.own()
    made = Journal(folder_of(own.key))
    made.add("begin", verb="load", command="httpdyno load x", title="x", boot=own.boot)
    made.add("plan", **PLAN)
    for number in range(1, 5):
        sample(made, number)
    yield made
    made.close()


def sample(journal: Journal, number: int, **more: object) -> None:
    told = {"phase": "measuring", "window_s": number, "due": 500 * number, "rate_per_s": 500.0}
    times = {"p50_ns": 1_000_000, "p99_ns": 2_000_000, "lag_p99_ns": 20_000, "ok": number} | more
    so_far = {"calls": number, "p50_ns": 1_000_000, "p90_ns": 1_000_000, "p99_ns": 2_000_000}
    journal.add("sample", **told, **times, so_far=so_far, at=1000.0 + number)


class Viewer:
    """A viewer of the run of this process; it counts how often the page is drawn."""

    def __init__(self) -> None:
        self.drawn = 0
        self.feed = Feed(Identity.own(), self._render, fleeting=False)
        self.feed.viewers = 1
        self._stream = self.feed.stream()

    def _render(self, state: RunState, alive: bool) -> dict[str, str]:
        self.drawn += 1
        return parts(state, alive, "secret")

    async def next(self, stream: AsyncIterator[bytes] | None = None) -> dict[str, Any]:
        """The events of the next update that has any."""
        async for text in stream or self._stream:
            lines = text.decode().split("\n")
            kinds = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
            if kinds:
                data = [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
                return dict(zip(kinds, data, strict=True))
        raise AssertionError("the stream has ended")

    async def end(self) -> None:
        self.feed.viewers = 0
        self.feed.hurry()
        with suppress(StopAsyncIteration):
            while True:
                await anext(self._stream)


def test_another_second_costs_one_line_and_draws_no_part_of_the_page(journal: Journal) -> None:
    async def watch() -> None:
        viewer = Viewer()
        first = await viewer.next()
        assert set(first) == {"parts", "now"}
        assert viewer.drawn == 1
        for number in range(5, 25):
            sample(journal, number)
            update = await viewer.next()
            assert set(update) == {"now"}
            assert len(json.dumps(update)) < 1500
        assert viewer.drawn == 1
        journal.add("note", text="something else to show")
        assert "something else" in (await viewer.next())["parts"]["notes"]
        assert viewer.drawn == 2
        await viewer.end()

    asyncio.run(watch())


def test_the_points_of_a_viewer_go_on_where_it_is_and_begin_anew_for_another_one(
    journal: Journal,
) -> None:
    async def watch() -> None:
        viewer = Viewer()
        now = (await viewer.next())["now"]
        assert now["anew"]
        assert [row[0] for row in now["rows"]] == [0.0, 1.0, 2.0, 3.0]
        sample(journal, 5)
        sample(journal, 6)
        now = (await viewer.next())["now"]
        assert not now["anew"]
        assert [row[0] for row in now["rows"]] == [4.0, 5.0]
        late = viewer.feed.stream()
        now = (await viewer.next(late))["now"]
        assert now["anew"]
        assert len(now["rows"]) == 6
        await late.aclose()  # type: ignore[attr-defined]
        await viewer.end()

    asyncio.run(watch())


def test_the_line_has_the_words_of_the_figures_and_of_the_axes(journal: Journal) -> None:
    async def watch() -> None:
        viewer = Viewer()
        await viewer.next()
        sample(journal, 5, lag_p99_ns=5_000_000)  # overrides the lag
        now = (await viewer.next())["now"]
        drawn = parts(viewer.feed.state, True, "secret")
        for value, about, _ in now["figures"]:
            assert value in drawn["now"]
            assert about in drawn["now"]
        assert [one[0] for one in now["figures"] if one[2]] == ["5.00 ms"]
        for axes in now["charts"].values():
            for words in (*axes[4:8], *axes[8]):
                assert words in drawn["charts"]
        await viewer.end()

    asyncio.run(watch())
