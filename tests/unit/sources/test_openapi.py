"""OpenAPI documents become a file to begin with: a request for each operation."""

from __future__ import annotations

import json
from typing import Any

import pytest
from httpdyno.sources.openapi import read_openapi
from httpdyno.sources.request import SourceError

SHOP: dict[str, Any] = {
    "openapi": "3.1.0",
    "servers": [
        {"url": "https://{host}/v1/", "variables": {"host": {"default": "shop.example:8443"}}}
    ],
    "security": [{"token": []}],
    "components": {
        "securitySchemes": {
            "token": {"type": "http", "scheme": "bearer"},
            "key": {"type": "apiKey", "in": "query", "name": "api_key"},
        },
        "parameters": {
            "id": {"name": "id", "in": "path", "schema": {"type": "integer", "minimum": 5}}
        },
        "schemas": {
            "Order": {
                "type": "object",
                "properties": {
                    "item": {"type": "integer"},
                    "note": {"type": ["null", "string"], "enum": ["a b"]},
                    "lines": {"type": "array", "items": {"$ref": "#/components/schemas/Line"}},
                },
            },
            "Line": {"allOf": [{"properties": {"mail": {"type": "string", "format": "email"}}}]},
            "Tree": {
                "type": "object",
                "properties": {
                    "left": {"$ref": "#/components/schemas/Tree"},
                    "right": {"$ref": "#/components/schemas/Tree"},
                },
            },
        },
    },
    "paths": {
        "/items/{id}": {
            "parameters": [{"$ref": "#/components/parameters/id"}],
            "get": {
                "parameters": [
                    {"name": "page", "in": "query", "required": True, "example": 2},
                    {"name": "off", "in": "query", "example": 3},
                    {"name": "X-Kind", "in": "header", "required": True, "example": "a"},
                ],
                "responses": {"200": {}, "404": {}},
            },
            "delete": {"responses": {"204": {}}},
        },
        "/orders": {
            "post": {
                "security": [],
                "requestBody": {
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Order"}}
                    }
                },
                "responses": {"201": {}},
            },
            "put": {
                "security": [{"key": []}],
                "requestBody": {
                    "content": {
                        "application/json; charset=utf-8": {
                            "examples": {"one": {"value": {"a": 1}}, "two": {"value": 2}}
                        }
                    }
                },
            },
        },
        "/form": {
            "post": {
                "requestBody": {
                    "content": {"application/x-www-form-urlencoded": {"example": {"a": "b c"}}}
                }
            },
            "put": {"requestBody": {"content": {"image/png": {}}}},
        },
    },
}


def changed(**more: Any) -> str:
    return json.dumps({**SHOP, **more})


def test_each_operation_is_a_request_with_the_examples_of_the_document() -> None:
    found = read_openapi(json.dumps(SHOP))
    shown = [(one.name, one.path, one.body, one.status) for one in found.requests]
    order = {"item": 1, "note": "a b", "lines": [{"mail": "ann@example.org"}]}
    assert shown == [
        ("GET /items/{id}", "/v1/items/{random:5:1004}?page=2", None, 200),
        ("POST /orders", "/v1/orders", json.dumps(order), 201),
        ("PUT /orders", "/v1/orders?api_key=${API_KEY}", '{"a": 1}', None),
        ("POST /form", "/v1/form", "a=b+c", None),
    ]
    assert {one.url.origin for one in found.requests if one.url} == {"https://shop.example:8443"}
    item, post, *_ = found.requests
    assert item.headers == (("X-Kind", "a"), ("Authorization", "Bearer ${TOKEN}"))
    assert post.headers == (("Content-Type", "application/json"),)
    assert found.notes == [
        "1 left out: operations that delete",
        "1 left out: operations with a body of `image/png`",
        "edit this value, which the document does not have: `id` of GET /items/{id}",
        "edit this value, which the document does not have: the body of POST /orders",
    ]


def test_a_document_without_a_server_has_only_paths() -> None:
    for servers in ([], [{"url": "/v2"}], None):
        found = read_openapi(changed(servers=servers))
        assert found.requests[0].url is None
    assert read_openapi(changed(servers=[{"url": "/v2"}])).requests[1].path == "/v2/orders"


def test_schemas_that_contain_themselves_make_bodies_of_bounded_size() -> None:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Tree"}}}
    paths = {"/tree": {"post": {"requestBody": {"content": content}}}}
    (request,) = read_openapi(changed(paths=paths)).requests
    assert request.body is not None
    assert len(request.body) < 100_000


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "openapi: 3.0.0\n",
            "line 1, column 1: not JSON: Expecting value: expected an Op",
        ),
        ("[" * 100_000, "nested too deeply"),
        ('{"swagger": "2.0"}', "`openapi` is not a version 3.x"),
        ("[]", "`openapi` is not a version 3.x"),
        (changed(paths={}), "no operation that can be sent"),
        (changed(paths={"/a": {"delete": {}}}), "no operation that can be sent (1 left out: op"),
        (changed(paths={"/a": {"get": {"$ref": "other.json#/a"}}}), "is in another document"),
        (
            changed(paths={"/a": {"get": {"parameters": [{"$ref": "#/x"}]}}}, x={"$ref": "#/x"}),
            "GET /a: its references lead to each other",
        ),
        (changed(servers=[{"url": "ftp://h"}]), "GET /items/{id}: a URL cannot be used"),
    ],
)
def test_what_cannot_be_read_is_one_fault(text: str, fault: str) -> None:
    with pytest.raises(SourceError) as raised:
        read_openapi(text)
    assert fault in str(raised.value)
