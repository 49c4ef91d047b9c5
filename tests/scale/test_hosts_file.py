"""hosts.toml is read, or every fault in it is reported with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno.errors import UsageError
from httpdyno.scale.hosts_file import EXAMPLE, Hosts, is_loopback, parse, read, scheduler_address

FILE = Path("hosts.toml")


def faults(text: str) -> list[str]:
    with pytest.raises(UsageError) as raised:
        parse(text, FILE)
    return raised.value.message.split("\n")


def test_the_example_is_a_right_file() -> None:
    hosts = parse(EXAMPLE, Path("there/hosts.toml"))

    assert [machine.name for machine in hosts.machines] == ["a", "b"]
    assert hosts.machines[0].cores == (1, 2, 3)
    assert hosts.machines[0].control_address == "10.0.1.2"
    assert hosts.machines[1].roles == ("generator",)
    assert hosts.folder == Path("there/certificates").absolute()


def test_load_is_the_control_address_unless_there_is_another() -> None:
    text = 'scheduler = "tls://s:1"\n[[machines]]\nname = "a"\naddress = "10.0.0.1"\n'

    assert parse(text, FILE).machines[0].control_address == "10.0.0.1"


def test_every_fault_is_reported_at_once_with_its_line() -> None:
    text = """\
scheduler = "tcp://10.0.0.1:8786"
speed = 3

[[machines]]
name = "A b"
addres = "10.0.0.2"
cores = ["x"]

[[machines]]
name = "c"
address = "not an address"
roles = ["server", "cook"]
ssh = "a b; rm"
"""
    found = faults(text)

    assert " ".join(line.split(":")[1] for line in found) == "1 2 4 5 6 7 11 12 13"
    assert "`tls`" in found[0]
    assert "`speed` is not a key of it" in found[1]
    assert "`address` is missing in [[machines]]: expected an IP address" in found[2]
    assert "did you mean `address`?" in found[4]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('scheduler = "tls://s:1"\n', "`machines` is missing in it"),
        ("x = [", "not TOML"),
        ("x = " + "[" * 5000, "not TOML: it is nested too deeply"),
        ("x = " + "9" * 5000, "not TOML: it has a number of more than 4,300 digits"),
        (
            'scheduler = "tls://s:1"\n[[machines]]\nname="a"\naddress="b"\nroles=["server"]\n',
            "no machine is a `generator`",
        ),
        (
            'scheduler = "tls://s:1"\nfile = "x"\n[[machines]]\nname="a"\naddress="b"\n',
            "`file` is not a key of it",
        ),
    ],
)
def test_a_file_that_is_wrong_as_a_whole_says_what_was_expected(text: str, expected: str) -> None:
    assert expected in "\n".join(faults(text))


def test_two_machines_need_two_names_and_one_can_be_the_server() -> None:
    machine = '[[machines]]\nname = "a"\naddress = "b"\nroles = ["generator", "server"]\n'
    found = faults('scheduler = "tls://s:1"\n' + machine + machine)

    assert sum("twice" in line for line in found) == 2
    assert sum("a second `server`" in line for line in found) == 1


@pytest.mark.parametrize("name", ["", "-a", "a/b", "../a", "A", "ca", "coordinator", "a" * 64])
def test_a_name_that_is_no_folder_or_is_taken_is_refused(name: str) -> None:
    text = f'scheduler = "tls://s:1"\n[[machines]]\nname = "{name}"\naddress = "b"\n'

    assert "expected a name of lower-case letters" in faults(text)[0]


def test_hostile_text_is_shown_on_one_line_without_control_characters() -> None:
    text = 'scheduler = "tls://s:1"\n[[machines]]\nname = "a\\u001b[2J\\nx"\naddress = "b"\n'
    found = faults(text)

    assert len(found) == 1
    assert "\x1b" not in found[0]


def test_a_file_that_is_absent_names_the_command_that_writes_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as raised:
        read(tmp_path / "none.toml")

    assert raised.value.hint is not None
    assert "httpdyno hosts init" in raised.value.hint


@pytest.mark.parametrize(
    "address", ["tls://10.0.0.1:8786", "tcp://127.0.0.1:1", "tcp://[::1]:65535"]
)
def test_a_scheduler_is_reached_over_tls_or_on_this_machine(address: str) -> None:
    assert scheduler_address(address) == address


@pytest.mark.parametrize(
    "address",
    [
        "10.0.0.1:8786",
        "tcp://10.0.0.1:8786",
        "tcp://localhost:1",
        "tls://a:0",
        "tls://a",
        "tls://a b:1",
    ],
)
def test_a_scheduler_without_encryption_elsewhere_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        scheduler_address(address)


def test_a_name_is_never_taken_for_this_machine() -> None:
    assert is_loopback("127.3.2.1")
    assert is_loopback("[::1]")
    assert not is_loopback("localhost")


def test_hosts_are_plain_data() -> None:
    assert Hosts.model_validate(
        {"scheduler": "tls://s:1", "machines": [{"name": "a", "address": "b"}]}
    )
