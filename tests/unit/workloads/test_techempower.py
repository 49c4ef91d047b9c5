"""The workloads of TechEmpower's suite, and the tables that they read."""

from __future__ import annotations

from httpdyno.running.measuring.ceiling import for_reference
from httpdyno.servers.declaration.own import server_from_command
from httpdyno.servers.declaration.server import Declaration
from httpdyno.workloads import USUAL, WORKLOADS, get, world
from httpdyno.workloads.techempower import TECHEMPOWER

LENGTHS = (34, 68, 49, 63, 75, 71, 40, 60, 30, 49, 79, 14)
ORDER = (11, 4, 5, 2, 8, 0, 3, 7, 10, 6, 9, 1, 12)


def test_the_fortunes_have_the_lengths_the_characters_and_the_order_of_techempower() -> None:
    assert tuple(map(len, world.FORTUNES.values())) == LENGTHS
    rows = sorted((*world.FORTUNES.items(), (0, world.ADDED)), key=lambda row: row[1])
    assert tuple(number for number, _ in rows) == ORDER
    assert "'" in world.FORTUNES[2]
    assert "+" in world.FORTUNES[4]
    assert all("—" in world.FORTUNES[number] for number in (6, 8))
    assert world.FORTUNES[11].startswith("<script>")
    assert not any(one.isascii() for one in world.FORTUNES[12])


def test_the_page_of_the_fortunes_is_as_long_as_techempowers() -> None:
    page = get("fortunes").measured[0].answer
    # 1,227 bytes with `&apos;`; Python writes `&#x27;`, as long, and a page may write either.
    assert len(page) == 1_227
    assert page.count(b"<tr>") == 14
    assert b"<script>" not in page


def test_each_number_of_world_is_there_once() -> None:
    numbers = {world.number_of(row) for row in range(1, world.ROWS + 1)}
    assert numbers == set(range(1, world.ROWS + 1))


def test_every_table_has_both_of_its_names() -> None:
    made = [one for one in world.statements() if one.startswith("CREATE")]
    names = [one.split()[2] for one in made]
    assert names == ["world", "fortune", '"World"', '"Fortune"']
    assert any("isn''t" in one for one in world.statements())


def test_a_server_that_names_no_workloads_has_the_usual_ones() -> None:
    assert {*USUAL, "sum", *(one.name for one in TECHEMPOWER)} == set(WORKLOADS)
    assert Declaration.model_fields["workloads"].default == USUAL
    assert "db" in server_from_command("mine", "true").workloads


def test_the_reference_server_answers_with_bytes_of_the_same_length() -> None:
    for workload in TECHEMPOWER:
        (answered,) = for_reference(workload, [17]).measured
        if workload.name == "plaintext":
            assert answered == workload.measured[0]
        else:
            assert (answered.path, answered.answer) == ("/0", b"x" * 17)
