"""The replies of a run: their sizes, and the first of them."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

from httpdyno.output.secrets import masked_headers
from httpdyno.value import Value


class ReplyBytes(Value):
    """Bytes of the replies to measured calls, by part. The framing of chunks is left out."""

    header_bytes: int
    """Heads, interim replies included."""
    content_bytes: int
    """Bodies as they were received."""
    footer_bytes: int
    """Trailers after the last chunk, without the empty line at their end."""
    largest: int
    """The largest reply, all parts together."""
    checked: int = 0
    """Replies of a right status whose body was checked, not only its length."""
    wrong: int = 0
    """Those of `checked` that had a wrong body."""
    unlike: int
    """Right replies whose body is unlike that of the first one, where the plan compares them."""
    other_size: int
    """Those of `unlike` that have another size: by more than a tenth, and 16 bytes."""
    same_other: int = 0
    """Those of `unlike` that have one and the same body: the first one that was unlike. 0 if this
    is not the same one for all requests and load generators, or not known."""


class FirstReply(Value):
    """The first reply that was complete, warm-up included."""

    status: int
    http: str
    """Its version: `1.0`, `1.1` or `2`."""
    headers: Annotated[list[tuple[str, str]], AfterValidator(masked_headers)]
    """At most 64 and 16 KiB. The values of headers that may carry credentials are `***`."""
    body_bytes: int
