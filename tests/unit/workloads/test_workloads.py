"""The workloads' replies match the posts and the contract, byte for byte."""

from __future__ import annotations

import hashlib
import re
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from httpdyno.errors import UsageError
from httpdyno.workloads import WORKLOADS, get, write_files


def answer(name: str) -> bytes:
    return get(name).measured[0].answer


def chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        kind, data = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        (checksum,) = struct.unpack(">I", png[at + 8 + length : at + 12 + length])
        assert checksum == zlib.crc32(kind + data), kind
        yield kind, data
        at += 12 + length


def test_the_picture_is_a_valid_png_of_the_posts_size() -> None:
    png = answer("file")
    assert len(png) == 50_990
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    parts = list(chunks(png))
    assert [kind for kind, _ in parts] == [b"IHDR", b"PLTE", b"tEXt", b"IDAT", b"IEND"]
    width, height, depth, colour = struct.unpack(">IIBB", parts[0][1][:10])
    assert (width, height, depth, colour) == (224, 224, 8, 3)
    pixels = zlib.decompress(parts[3][1])
    assert len(pixels) == height * (width + 1)
    assert max(pixels) < len(parts[1][1]) // 3, "a pixel has a colour that is not in the palette"
    assert re.fullmatch(rb"[ -~]+\0[ -~]*", parts[2][1])


def test_the_picture_is_the_same_on_every_machine() -> None:
    digest = hashlib.sha256(answer("file")).hexdigest()
    assert digest == "868944a8bf3d1f65659783be3b49884fbeffa432bdbc50c6bf1364de7696e573"


def test_the_big_table_has_a_thousand_rows_of_one_to_fifty() -> None:
    page = answer("bigtable")
    assert len(page) == 550_015
    rows = re.findall(rb"<tr>(.*?)</tr>", page)
    assert len(rows) == 1000
    assert all(re.findall(rb"<td>(\d+)</td>", row) == CELLS for row in rows)
    assert b"\n" not in page


def test_the_big_table_of_2011_numbers_its_rows_and_ends_each_with_a_newline() -> None:
    page = answer("bigtable-2011")
    assert len(page) == 562_935
    first, *rows, last = page.decode().split("\n")
    assert (first, last) == ("<html><body><table>", "</table></body></html>")
    assert len(rows) == 1000
    for number, row in enumerate(rows, start=1):
        assert re.fullmatch(r"<tr>(<td>\d+</td>){51}</tr>", row)
        cells = [cell.encode() for cell in re.findall(r"\d+", row)]
        assert cells == [str(number).encode(), *CELLS]


CELLS = [str(number).encode() for number in range(1, 51)]


@pytest.mark.parametrize(
    ("name", "path", "body", "content_type"),
    [
        ("pong", "/pong", b"PONG", "text/plain"),
        ("hello", "/hello", b"Hello, world!", "text/plain"),
        (
            "echo",
            "/echo?value=httpdyno",
            b"<http_test><value>httpdyno</value></http_test>",
            "text/xml",
        ),
    ],
)
def test_a_page_matches_its_contract(name: str, path: str, body: bytes, content_type: str) -> None:
    (exchange,) = get(name).measured
    assert (exchange.path, exchange.answer, exchange.content_type) == (path, body, content_type)


def test_the_missing_value_is_required_and_the_harder_values_are_only_recorded() -> None:
    first, *others = get("echo").edges
    assert first.path == "/echo"
    assert first.answer == b"<http_test><error>no value specified</error></http_test>"
    assert not first.recorded
    assert others
    assert all(edge.recorded for edge in others)


def test_every_exchange_has_a_reason_and_every_workload_is_found_by_its_name() -> None:
    for name, workload in WORKLOADS.items():
        assert get(name) is workload
        assert workload.name == name
        assert all(exchange.why for exchange in workload.exchanges)
        assert not any(exchange.recorded for exchange in workload.measured)


def test_an_unknown_workload_is_reported_with_the_known_ones_and_the_nearest() -> None:
    with pytest.raises(UsageError) as error:
        get("bigtabel")
    assert str(error.value) == (
        "`bigtabel` is not a workload: expected `pong`, `hello`, `echo`, `file`, `bigtable`, "
        "`bigtable-2011`, `sum`, `json`, `plaintext`, `db`, `queries`, `fortunes`, `updates`\n"
        "hint: did you mean `bigtable`?"
    )


@pytest.mark.parametrize(
    ("file", "workload"),
    [
        ("pong", "pong"),
        ("hello", "hello"),
        ("file.png", "file"),
        ("bigtable.html", "bigtable"),
        ("bigtable-2011.html", "bigtable-2011"),
    ],
)
def test_the_files_for_servers_that_serve_from_disk_are_the_replies(
    file: str, workload: str, tmp_path: Path
) -> None:
    write_files(tmp_path / "files")
    assert (tmp_path / "files" / file).read_bytes() == answer(workload)
