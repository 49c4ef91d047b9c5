"""Nothing listens without TLS except on loopback, whichever way it is started."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from httpdyno.errors import UsageError
from httpdyno.host.pinning import available
from httpdyno.scale.cluster import Place, client_of
from httpdyno.scale.hosts_file import parse
from httpdyno.scale.joining import place, scheduler, worker
from machines import Process

pytest.importorskip("distributed", reason="`distributed` of the extra `scale` is not installed")

EVERYWHERE = ("0.0.0.0", "::", "10.0.1.2")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler without TLS."""
    process = Process(["scheduler", "--listen", "127.0.0.1:0"], tmp_path_factory.mktemp("plain"))
    try:
        yield process.line("scheduler on ").removeprefix("scheduler on ")
    finally:
        process.end()


@pytest.mark.parametrize("listen", EVERYWHERE)
def test_a_worker_without_tls_listens_on_loopback_only(
    plain: str, tmp_path: Path, listen: str
) -> None:
    refused = Process(["worker", plain, "--name", "a", "--listen", listen], tmp_path)

    assert refused.wait() == 2, refused.text
    assert f"`--listen {listen}`: expected a loopback address" in refused.text
    assert "use a `tls://` scheduler" in refused.text
    assert "joined" not in refused.text


@pytest.mark.parametrize("listen", EVERYWHERE)
def test_the_python_api_starts_no_worker_without_tls_elsewhere(
    plain: str, listen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A worker settles, but this process stays free.
    monkeypatch.setattr(place, "_place_of_process", None)
    everywhere = tuple(available())
    joining = worker.JoinSettings(
        scheduler=plain,
        name="a",
        listen=listen,
        address=None,
        roles=("generator",),
        place=place.Place(everywhere, everywhere),
        pems=None,
    )
    said: list[str] = []

    with pytest.raises(UsageError, match="expected a loopback address"):
        asyncio.run(asyncio.wait_for(worker.serve(joining, asyncio.Event(), said.append), 60))
    assert said == []


@pytest.mark.parametrize("listen", EVERYWHERE)
def test_the_python_api_starts_no_scheduler_without_tls_elsewhere(listen: str) -> None:
    said: list[str] = []

    with pytest.raises(UsageError, match="expected a loopback address"):
        asyncio.run(
            asyncio.wait_for(scheduler.serve(listen, 0, None, asyncio.Event(), said.append), 60)
        )
    assert said == []


def test_no_coordinator_uses_a_scheduler_elsewhere_without_tls() -> None:
    with pytest.raises(UsageError, match="expected a loopback address"):
        client_of(Place("tcp://10.0.1.1:8786", None, None))


def test_an_empty_folder_name_is_no_certificate_of_a_scheduler(tmp_path: Path) -> None:
    words = ["scheduler", "--listen", "0.0.0.0:0", "--certificates", ""]
    refused = Process(words, tmp_path)

    assert refused.wait() == 2, refused.text
    assert "expected `--certificates FOLDER` with it" in refused.text


@pytest.mark.parametrize(
    ("keys", "line", "key"),
    [
        ('address = "10.0.0.2"', 4, "address"),
        ('address = "127.0.0.1"\ncontrol = "10.0.1.2"', 5, "control"),
        ('address = "bench.example"', 4, "address"),
    ],
)
def test_a_hosts_file_without_tls_has_control_on_loopback_only(
    keys: str, line: int, key: str
) -> None:
    text = f'scheduler = "tcp://127.0.0.1:8786"\n[[machines]]\nname = "a"\n{keys}\n'

    with pytest.raises(UsageError) as raised:
        parse(text, Path("hosts.toml"))
    assert raised.value.message.startswith(f"hosts.toml:{line}: `{key}` is ")
    assert "expected a `tls://` scheduler, or a loopback address" in raised.value.message


def test_load_may_leave_the_machine_while_control_stays_on_loopback(tmp_path: Path) -> None:
    text = 'scheduler = "tcp://127.0.0.1:8786"\n[[machines]]\nname = "a"\naddress = "10.0.0.2"\n'
    hosts = parse(f'{text}control = "127.0.0.1"\n', tmp_path / "hosts.toml")

    assert hosts.machines[0].control_address == "127.0.0.1"
