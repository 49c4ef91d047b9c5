"""Turns pydantic's errors into ours: what was given, what was expected, on which line."""

from __future__ import annotations

import difflib
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from httpdyno.listing import either
from httpdyno.study.loads import LOADS
from httpdyno.study.model import ArmGroup, PublishedNumber, Quick, QuickLoad, RawLog, Study
from httpdyno.study.own.service import Service
from httpdyno.study.own.workload import Expectation, OwnRequest, OwnWorkload, ValuePlace
from httpdyno.toml_lines import Key, line_of

_TABLES: dict[str, type[BaseModel]] = {"arms": ArmGroup, "services": Service}


def errors_of(invalid: ValidationError) -> list[Any]:
    """The errors, without those that only say that a list has too few right items, with those
    of a load whose `kind` is mistyped."""
    found: list[Any] = list(invalid.errors(include_url=False))
    found += [hidden for one in found for hidden in _behind_kind(one)]
    return [
        one
        for one in found
        if one["type"] != "too_short"
        or not any(two["loc"][:-1][: len(one["loc"])] == one["loc"] for two in found)
    ]


def _behind_kind(error: Any) -> list[Any]:
    """The other faults of a load with a mistyped `kind`, as if the nearest kind were meant."""
    if error["type"] != "union_tag_invalid":
        return []
    nearest = difflib.get_close_matches(str(error["ctx"]["tag"]), LOADS, n=1)
    try:
        for kind in nearest:
            LOADS[kind].model_validate({**error["input"], "kind": kind})
    except ValidationError as invalid:
        head = (*error["loc"], *nearest)
        return [{**one, "loc": (*head, *one["loc"])} for one in invalid.errors(include_url=False)]
    return []


def explain(error: Any, lines: dict[Key, int]) -> tuple[int, str]:
    """The line and the text of one error."""
    path, model = _place(tuple(part for part in error["loc"] if part != "[key]"))
    line = line_of(lines, path)
    key = path[-1] if isinstance(path[-1], str) else f"{path[-2]}[{path[-1]}]"
    match error["type"]:
        case "extra_forbidden":
            return line, f"`{key}` is not a key of {_where(path)}{_did_you_mean(str(key), model)}"
        case "missing":
            return (
                line,
                f"`{key}` is missing in {_where(path)}: expected {_expectation(path, model)}",
            )
        case "union_tag_not_found":
            return line, f"`kind` is missing in {_where((*path, ''))}: expected {_kinds()}"
        case "union_tag_invalid":
            line = line_of(lines, (*path, "kind"))
            return line, f"`kind` is {_show(error['ctx']['tag'])}: expected {_kinds()}"
        case _:
            message = error["msg"].removeprefix("Input should be ")
            expected = _expectation(path, model) or message
            return line, f"`{key}` is {_show(error['input'])}: expected {expected}"


def _place(loc: Key) -> tuple[Key, type[BaseModel]]:
    """The path as it is in the file, and its model; pydantic inserts the kind of a load."""
    head = loc[0]
    if head == "loads" and len(loc) > 2 and loc[2] in LOADS:
        return (*loc[:2], *loc[3:]), LOADS[str(loc[2])]
    if head in _TABLES and len(loc) > 2:
        return loc, _TABLES[str(head)]
    if head == "workloads" and len(loc) > 2:
        return loc, _of_workload(loc)
    if head == "published" and len(loc) > 2:
        return loc, RawLog if "log" in loc[2:-1] else PublishedNumber
    if head == "quick":
        return loc, QuickLoad if len(loc) > 3 else Quick
    return loc, Study


def _of_workload(loc: Key) -> type[BaseModel]:
    if "expect" in loc[4:-1]:
        return Expectation
    if "keep" in loc[4:-2]:
        return ValuePlace
    return OwnRequest if len(loc) > 4 else OwnWorkload


def _expectation(path: Key, model: type[BaseModel]) -> str:
    """The description of the field at the path; an item of a list has that of its list."""
    fields = _keys(model)
    names = [part for part in path if isinstance(part, str) and part in fields]
    if not names:
        return ""
    field = fields[names[-1]]
    described = [field.description or "", *(getattr(m, "description", "") for m in field.metadata)]
    return next((text for text in described if text), "") or _inner_description(field.annotation)


def _keys(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields of a model by their keys in a file."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _inner_description(annotation: Any) -> str:
    """The description inside `X` of an optional `X | None`."""
    for part in getattr(annotation, "__args__", ()):
        for mark in getattr(part, "__metadata__", ()):
            if getattr(mark, "description", None):
                return str(mark.description)
    return "a value of its kind"


def _where(path: Key) -> str:
    match path:
        case ("loads" | "services" as table, name, *_) if len(path) > 2:
            return f"[{table}.{name}]"
        case ("workloads", name, *rest) if rest:
            return f"[[workloads.{name}.requests]]" if len(rest) > 2 else f"[workloads.{name}]"
        case ("arms" | "published" as table, int(), *_):
            return f"[[{table}]]"
        case ("quick", "loads", name, *_) if len(path) > 3:
            return f"[quick.loads.{name}]"
        case ("quick", *_) if len(path) > 1:
            return "[quick]"
        case _:
            return "a study"


def _did_you_mean(key: str, model: type[BaseModel]) -> str:
    known = [name for name, field in _keys(model).items() if not field.exclude]
    nearest = difflib.get_close_matches(key, known, n=1)
    return f": did you mean `{nearest[0]}`?" if nearest else f": expected {', '.join(known)}"


def _kinds() -> str:
    return either([f'"{kind}"' for kind in LOADS])


def _show(value: Any) -> str:
    text = f'"{value}"' if isinstance(value, str) else str(value).lower()
    return f"`{text if len(text) <= 60 else text[:57] + '...'}`"
