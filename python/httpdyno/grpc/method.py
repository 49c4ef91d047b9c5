"""A unary method: messages as JSON → the bytes that are sent, and those that are expected."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from httpdyno.grpc.packages import package
from httpdyno.output.secrets import is_secret

__all__ = ["Method"]


@dataclass(frozen=True)
class Method:
    """A unary method of a service."""

    request: Any
    """The descriptor of its request."""
    reply: Any
    """That of its reply."""
    pool: Any
    """All types of the API."""

    def requests(self, text: str) -> list[bytes]:
        """The requests in a JSON text, as they are sent: one, or those of a list. Raises
        ValueError."""
        return self._messages(text, self.request)

    def replies(self, text: str) -> list[bytes]:
        """The same for replies."""
        return self._messages(text, self.reply)

    def _messages(self, text: str, kind: Any) -> list[bytes]:
        try:
            content = json.loads(text)
        except (ValueError, RecursionError) as wrong:
            raise ValueError(f"expected a message as JSON: {wrong}") from None
        several = content if isinstance(content, list) else [content]
        if not several:
            raise ValueError("expected at least one message")
        return [_frame(self._encode(one, kind)) for one in several]

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


def _frame(message: bytes) -> bytes:
    """A message as it is sent: not compressed (0), its length, and then the message."""
    return b"\0" + len(message).to_bytes(4, "big") + message
