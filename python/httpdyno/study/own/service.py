"""The table of a service of a study: the database beside the servers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field

from httpdyno.study.keys import StudyTable, text, up_to
from httpdyno.study.own.workload import FileName
from httpdyno.toml_lines import Key

MOST_CORES = 4096
Schema = Literal["world"]
_SCHEMES = ("postgres", "postgresql")


class Service(StudyTable):
    """A PostgreSQL that lives as long as the run; the servers find it in `DATABASE_URL`."""

    model_config = ConfigDict(serialize_by_alias=True)

    kind: Annotated[Literal["postgres"], Field(description='"postgres"')]
    version: Annotated[
        Literal["18", "debian"] | None, Field(description='"18" or "debian", the installed one')
    ] = None
    """None: 18, which is downloaded once."""
    url: Annotated[str, text()] | None = None
    """A server that runs already, in which the user of this URL may create databases. `${NAME}`
    stands for a variable of the environment."""
    schema_: Annotated[Schema | None, Field(alias="schema", description='"world"')] = None
    """Tables that httpdyno knows: TechEmpower's World and Fortune. (`schema` is a method of
    pydantic's models.)"""
    setup: FileName | None = None
    """A file of SQL that makes and fills the tables, relative to the study."""
    cores: Annotated[int, up_to(MOST_CORES)] = 1
    """Processors of its own, if the server and the load generator keep one each."""


def service_faults(given: Any) -> Iterator[tuple[Key, str]]:
    """Faults between the keys of services, from the raw values; none repeats a URL."""
    tables = given if isinstance(given, dict) else {}
    for name, table in tables.items():
        place: Key = ("services", name)
        if not isinstance(table, dict):
            continue
        if len(tables) > 1:
            yield place, "a study has one database: expected one [services.NAME]"
        if isinstance(table.get("url"), str):
            yield from ((((*place, "url"), fault)) for fault in _url_faults(table["url"]))
        for key in ("version", "cores"):
            if "url" in table and key in table:
                yield (
                    (*place, key),
                    f"`{key}` and `url` exclude each other: expected one of them",
                )
        if ("schema" in table) == ("setup" in table):
            yield (
                place,
                f"[services.{name}] needs either `schema`, such as "
                '"world", or `setup`, a file of SQL',
            )


def _url_faults(url: str) -> Iterator[str]:
    expected = "expected postgres://USER:${PASSWORD}@HOST:PORT/DATABASE"
    try:
        parts = urlsplit(url)
        password = parts.password
    except ValueError:
        yield f"`url` is no URL: {expected}"
        return
    if parts.scheme not in _SCHEMES and "${" not in url:
        yield f"`url` is not that of a PostgreSQL: {expected}"
    if password and "${" not in password:
        yield f"`url` has a password: {expected}, and the password in the environment"
