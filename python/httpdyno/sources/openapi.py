"""Reads OpenAPI documents (3.x, JSON) as a file to begin with: a request for each operation.

Values are the examples of the document, else ones that fit the schema. Operations that delete, and
those whose body is neither JSON nor a form, are left out with a note.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from httpdyno.engine_plan import literal
from httpdyno.sources.request import (
    Header,
    Source,
    SourceError,
    SourceRequest,
    encode_path,
    kept_headers,
    server_and_path,
)

__all__ = ["read_openapi"]

MOST_REQUESTS = 10_000
MOST_NOTES = 20
"""Values to edit that are named one by one."""
_DEEPEST, _MOST_VALUES = 8, 1000
"""The depth and the number of values of a body that is made from a schema."""
_MOST_REFERENCES = 20
_OF_PATH = re.compile(r"\{([^{}]*)\}")
_METHODS = ("get", "head", "post", "put", "patch")
_JSON, _FORM = "application/json", "application/x-www-form-urlencoded"
_SAMPLES: dict[str, Any] = {"integer": 1, "number": 1, "boolean": True, "string": "text"}
_FORMATS = {
    "date": "2026-01-01",
    "date-time": "2026-01-01T00:00:00Z",
    "email": "ann@example.org",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "uri": "http://example.org/",
}


def read_openapi(text: str) -> Source:
    """The requests of a document. Raises SourceError with the place of the fault."""
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise SourceError(
            f"{place}: not JSON: {error.msg}: expected an OpenAPI document in JSON; of one in YAML,"
            " `yq -o=json openapi.yaml > openapi.json` makes it"
        ) from None
    except (RecursionError, ValueError):
        raise SourceError("not an OpenAPI document: its JSON is nested too deeply") from None
    version = document.get("openapi") if isinstance(document, dict) else None
    if not isinstance(version, str) or not version.startswith("3."):
        raise SourceError("`openapi` is not a version 3.x: expected an OpenAPI 3 document in JSON")
    reader = _Reader(document)
    found = list(reader.requests())
    notes = [f"{number:,} left out: {why}" for why, number in reader.left.items()]
    made = list(reader.made)
    notes += [
        f"edit this value, which the document does not have: {one}" for one in made[:MOST_NOTES]
    ]
    if len(made) > MOST_NOTES:
        notes.append(f"edit {len(made) - MOST_NOTES:,} more such values")
    if not found:
        more = f" ({'; '.join(notes)})" if notes else ""
        raise SourceError(f"no operation that can be sent{more}")
    return Source(found, notes, has_placeholders=True)


@dataclass
class _Reader:
    document: dict[str, Any]
    left: Counter[str] = field(default_factory=Counter)
    made: dict[str, None] = field(default_factory=dict)
    """The places of values that the document does not have."""

    def requests(self) -> Iterator[SourceRequest]:
        base = self._server()
        number = 0
        for template, given in _table(self.document.get("paths")).items():
            item = self.resolve(given)
            if "delete" in item:
                self.left["operations that delete"] += 1
            for method in _METHODS:
                if method not in item:
                    continue
                number += 1
                if number > MOST_REQUESTS:
                    raise SourceError(f"expected at most {MOST_REQUESTS:,} operations")
                operation = self.resolve(item[method])
                name = f"{method.upper()} {template}"[:80]
                try:
                    request = self._request(base, template, name, item, operation)
                except SourceError as error:
                    raise SourceError(f"{ascii(name)[1:-1]}: {error}") from None
                if request is not None:
                    yield request

    def _server(self) -> str:
        """The URL before all paths; empty, or only a path: the document does not name a server."""
        servers = self.document.get("servers")
        server = _table(servers[0]) if isinstance(servers, list) and servers else {}
        url = server.get("url")
        variables = _table(server.get("variables"))
        shown = re.sub(
            r"\{([^{}]*)\}",
            lambda found: str(_table(variables.get(found[1])).get("default", "")),
            url if isinstance(url, str) else "",
        )
        return shown.rstrip("/")

    def _request(
        self,
        base: str,
        template: str,
        name: str,
        item: Mapping[str, Any],
        operation: Mapping[str, Any],
    ) -> SourceRequest | None:
        path, query, headers = self._parameters(template, name, item, operation)
        body, media_type = self._body(name, operation)
        if body is None and media_type is not None:
            self.left[f"operations with a body of `{media_type}`"] += 1
            return None
        if media_type is not None:
            headers.append(("Content-Type", media_type))
        headers += self._security(operation, query)
        target = path + (f"?{'&'.join(query)}" if query else "")
        at, target = (
            server_and_path(base + target) if "://" in base else (None, encode_path(base + target))
        )
        return SourceRequest(
            at,
            target if target.startswith("/") else f"/{target}",
            name.partition(" ")[0],
            kept_headers(headers),
            body,
            status=_status(operation),
            name=name,
        )

    def _parameters(
        self, template: str, name: str, item: Mapping[str, Any], operation: Mapping[str, Any]
    ) -> tuple[str, list[str], list[Header]]:
        """The path with its values, the query, and the headers that are required."""
        found: dict[tuple[str, str], Mapping[str, Any]] = {}
        for one in [*_list(item.get("parameters")), *_list(operation.get("parameters"))]:
            parameter = self.resolve(one)
            found[str(parameter.get("in")), str(parameter.get("name"))] = parameter
        values, query, headers = dict[str, str](), list[str](), list[Header]()
        for (where, key), parameter in found.items():
            if where == "path":
                values[key] = self._of_path(parameter, f"`{key}` of {name}")
            elif parameter.get("required") is True and where in ("query", "header"):
                value = self._plain(parameter, f"`{key}` of {name}")
                if where == "query":
                    query.append(f"{quote(key, safe='')}={quote(value, safe='')}")
                else:
                    if "${" in value:
                        raise SourceError(
                            f"the example of `{key}` has `${{`, which names a variable"
                        )
                    headers.append((key, literal(value)))
        path = _OF_PATH.sub(lambda one: values.get(one[1], quote(one[0], safe="")), template)
        return path, query, headers

    def _of_path(self, parameter: Mapping[str, Any], place: str) -> str:
        """The value of a parameter of a path: of a number without an example, each time another."""
        schema = self.resolve(parameter.get("schema"))
        known = {"example", "examples", "const", "default", "enum"} & {*parameter, *schema}
        if schema.get("type") != "integer" or known:
            return quote(self._plain(parameter, place), safe="")
        self.made[place] = None
        low, high = schema.get("minimum"), schema.get("maximum")
        low = low if type(low) is int and low >= 0 else 1
        high = high if type(high) is int and high >= low else low + 999
        return f"{{random:{low}:{high}}}"

    def _plain(self, parameter: Mapping[str, Any], place: str) -> str:
        value = self._example(parameter, place)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return json.dumps(value)
        return str(value)

    def _body(self, name: str, operation: Mapping[str, Any]) -> tuple[str | None, str | None]:
        """The body and its media type; without a body, the type that cannot be made."""
        content = _table(self.resolve(operation.get("requestBody")).get("content"))
        types = {media_type.partition(";")[0].strip(): media_type for media_type in content}
        chosen = next((one for one in types if one == _JSON or one.endswith("+json")), None)
        if chosen is None and _FORM not in types:
            return None, next(iter(types), None)
        media_type = chosen or _FORM
        value = self._example(self.resolve(content[types[media_type]]), f"the body of {name}")
        if chosen is not None:
            return literal(json.dumps(value, ensure_ascii=False)), media_type
        return urlencode(value if isinstance(value, dict) else {"value": value}), media_type

    def _security(self, operation: Mapping[str, Any], query: list[str]) -> list[Header]:
        """The credentials of an operation, as variables of the environment."""
        needed = _list(operation.get("security", self.document.get("security")))
        schemes = _table(_table(self.document.get("components")).get("securitySchemes"))
        found: list[Header] = []
        for name in _table(needed[0]) if needed else ():
            scheme = self.resolve(schemes.get(name))
            kind, where = scheme.get("type"), scheme.get("in")
            if kind == "apiKey" and where == "query":
                query.append(f"{quote(str(scheme.get('name')), safe='')}=${{API_KEY}}")
            elif kind == "apiKey" and where == "header":
                found.append((str(scheme.get("name")), "${API_KEY}"))
            elif kind == "http" and str(scheme.get("scheme")).lower() == "basic":
                found.append(("Authorization", "Basic ${BASIC}"))
            elif kind in ("http", "oauth2", "openIdConnect"):
                found.append(("Authorization", "Bearer ${TOKEN}"))
        return found

    def _example(self, holder: Mapping[str, Any], place: str) -> Any:
        """The first example of a parameter or a body, else a value that fits its schema."""
        if "example" in holder:
            return holder["example"]
        for one in _table(holder.get("examples")).values():
            return self.resolve(one).get("value")
        maker = _SchemaValue(self)
        value = maker.value(holder.get("schema"), 0)
        if maker.is_made:
            self.made[place] = None
        return value

    def resolve(self, value: Any) -> Mapping[str, Any]:
        """The table that a reference within the document leads to. Raises SourceError."""
        for _ in range(_MOST_REFERENCES):
            table = _table(value)
            reference = table.get("$ref")
            if not isinstance(reference, str):
                return table
            if not reference.startswith("#/"):
                raise SourceError(f"`{ascii(reference)[1:-1][:80]}` is in another document")
            value = self.document
            for part in reference[2:].split("/"):
                value = _table(value).get(part.replace("~1", "/").replace("~0", "~"))
        raise SourceError("its references lead to each other")


@dataclass
class _SchemaValue:
    """A value made from a schema."""

    reader: _Reader
    number: int = 0
    is_made: bool = False

    def value(self, schema: Any, depth: int) -> Any:
        """A value that fits, of a bounded depth and size."""
        self.number += 1
        table = self.reader.resolve(schema)
        declared = [table[key] for key in ("example", "const", "default") if key in table]
        declared += [one for key in ("examples", "enum") for one in _list(table.get(key))[:1]]
        if declared or depth >= _DEEPEST or self.number >= _MOST_VALUES:
            return declared[0] if declared else None
        if several := _list(table.get("oneOf")) or _list(table.get("anyOf")):
            return self.value(several[0], depth + 1)
        if several := _list(table.get("allOf")):
            parts = [self.value(one, depth + 1) for one in several]
            return {k: v for part in parts if isinstance(part, dict) for k, v in part.items()}
        return self._of_kind(table, depth)

    def _of_kind(self, table: Mapping[str, Any], depth: int) -> Any:
        kind = table.get("type")
        kind = next((one for one in _list(kind) if one != "null"), kind)
        if kind == "object" or "properties" in table:
            properties = _table(table.get("properties"))
            return {name: self.value(one, depth + 1) for name, one in properties.items()}
        if kind == "array":
            return [self.value(table.get("items"), depth + 1)]
        self.is_made = True
        least = table.get("minimum")
        if kind in ("integer", "number") and isinstance(least, int | float):
            return least
        return _FORMATS.get(str(table.get("format")), _SAMPLES.get(str(kind), "text"))


def _status(operation: Mapping[str, Any]) -> int | None:
    """The first documented status of a right reply; None: any 2xx or 3xx."""
    known = [str(one) for one in _table(operation.get("responses"))]
    right = sorted(one for one in known if re.fullmatch(r"2\d\d", one))
    return int(right[0]) if len(right) == 1 else None


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
