"""A unary method: messages as JSON → the bytes that are sent, and those that are expected."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from httpdyno.grpc.packages import package
from httpdyno.output.secrets import is_secret
from httpdyno.workloads.call import framed_message

__all__ = ["Method", "split_messages"]


@dataclass(frozen=True)
class Method:
    """A unary method of a service."""

    request_type: Any
    """The descriptor of its request."""
    reply_type: Any
    """That of its reply."""
    pool: Any
    """All types of the API."""

    def request(self, text: str) -> bytes:
        """The request with this JSON text, as it is sent. Raises ValueError."""
        return self._message(text, self.request_type)

    def reply(self, text: str) -> bytes:
        """The same for a reply."""
        return self._message(text, self.reply_type)

    def _message(self, text: str, kind: Any) -> bytes:
        content = _parse(text)
        if isinstance(content, list):
            raise ValueError("expected one message, and a request for each of several")
        return framed_message(self._encode(content, kind))

    def _encode(self, content: Any, kind: Any) -> bytes:
        try:
            return self._serialize(content, kind)
        except ValueError as wrong:
            raise ValueError(
                f"no message of `{kind.full_name}`: {self._explain(content, kind, wrong)}"
            ) from None

    def _explain(self, content: Any, kind: Any, wrong: ValueError) -> str:
        """The words of a refusal, with the field that it is about."""
        for name, value in content.items() if isinstance(content, dict) else ():
            try:
                self._serialize({name: value}, kind)
            except ValueError as one:
                words = "its value does not fit" if is_secret(str(name)) else str(one)
                return f"field `{name}`: {words}"
        return str(wrong)

    def _serialize(self, content: Any, kind: Any) -> bytes:
        """The message with this content. Raises ValueError."""
        json_format = package("google.protobuf.json_format")
        message = package("google.protobuf.message_factory").GetMessageClass(kind)()
        refusals = (json_format.ParseError, package("google.protobuf.message").EncodeError)
        try:
            json_format.ParseDict(content, message, descriptor_pool=self.pool)
            encoded: bytes = message.SerializeToString(deterministic=True)
        except (*refusals, AttributeError, RecursionError, TypeError) as wrong:
            raise ValueError(" ".join(str(wrong).split())) from None
        return encoded


def split_messages(text: str) -> list[str]:
    """The messages in a JSON text: one, or those of a list. Raises ValueError."""
    content = _parse(text)
    if not isinstance(content, list):
        return [text]
    if not content:
        raise ValueError("expected at least one message")
    return [json.dumps(one, ensure_ascii=False) for one in content]


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as wrong:
        raise ValueError(f"expected a message as JSON: {wrong}") from None
