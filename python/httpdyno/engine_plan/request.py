"""The requests of a plan, and the replies that count as right."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import field, replace
from hashlib import sha256
from typing import Annotated, Literal

from httpdyno.endpoints import endpoint_of
from httpdyno.engine_plan.answers import Notation
from httpdyno.engine_plan.part import Count, Part, Within
from httpdyno.output.secrets import masked_headers, masked_url


class Text(Part):
    """A body given as text, sent as UTF-8."""

    text: str


class Base64(Part):
    """A body given as base64."""

    base64: str


class File(Part):
    """A body read from a file when the run begins."""

    file: str


class Length(Part):
    """A reply body of this length, with any content."""

    length: Annotated[int, Within(ge=0)]


class Same(Part):
    """A reply body equal to the first reply's."""

    same: Literal[True] = True


class Like(Part):
    """Any reply body; those unlike the first right reply's are counted (`replies.unlike`)."""

    like: Literal[True] = True


class Json(Part):
    """A reply body that is equal to this text as JSON, or like it where it has wildcards.

    The names of values that its request sends stand for these values, in braces: `"{id}"`.
    """

    json: str


class Html(Part):
    """A reply body that is equal to this text as HTML, where `{id}` is a value as in `Json`."""

    html: str


class Regex(Part):
    """A reply body that this regular expression matches anywhere."""

    regex: str


class Digest(Part):
    """A body in a record: its length and SHA-256, not its content."""

    length: Annotated[int, Within(ge=0)]
    """In bytes."""
    sha256: str
    notation: Notation | None = None
    """Of an expected body that is no fixed bytes: the notation of the text that describes it."""

    @classmethod
    def of(cls, content: bytes, notation: Notation | None = None) -> Digest:
        """The digest of a body, or of the text that describes it."""
        digest = sha256(content).hexdigest()
        return cls(length=len(content), sha256=digest, notation=notation)


Body = Text | Base64 | File


class Expect(Part):
    """The expected reply; any other is counted as a wrong status or a wrong body."""

    status: list[int] | None = None
    """None: any 2xx or 3xx."""
    wrong_status: list[int] | None = None
    """Wrong statuses: any other is right. None: `status` decides."""
    body: Body | Length | Same | Like | Json | Html | Regex | Digest | None = None
    """A `Digest` only in records; the engine refuses it."""
    check_one_in: Count = 1
    """Check the body of one reply in so many, drawn by the seed."""
    decode: Literal["gzip"] | None = None
    """Decode the body, by its Content-Encoding (gzip, deflate or none), before it is checked. A
    body that cannot be decoded is a wrong body. None: check it as it came."""

    def without_secrets(self) -> Expect:
        """The expectation for a record: the body replaced by its digest."""
        if isinstance(self.body, Text | Base64):
            return replace(self, body=_digest(self.body))
        if isinstance(self.body, Json):
            return replace(self, body=Digest.of(self.body.json.encode(), "json"))
        if isinstance(self.body, Html):
            return replace(self, body=Digest.of(self.body.html.encode(), "html"))
        if isinstance(self.body, Regex):
            return replace(self, body=Digest.of(self.body.regex.encode(), "regex"))
        return self


class InJson(Part):
    """The text, number or boolean behind this JSON pointer into the body of a reply."""

    json: str


class InMatch(Part):
    """The first group of the first match of this regular expression in the body of a reply."""

    regex: str


class InHeader(Part):
    """The value of this header of a reply."""

    header: str


class InCookie(Part):
    """The value of this cookie that a reply sets."""

    cookie: str


class Keep(Part):
    """A value of the replies to a request that later calls of its session send."""

    name: str
    """They send it in place of the placeholder `{name}`."""
    source: InJson | InMatch | InHeader | InCookie


class Request(Part):
    """One request of the rotation."""

    name: str | None = None
    """The endpoint that its results are counted for. None: its method, and its path without the
    query."""
    method: str = "GET"
    path: str = "/"
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: Body | Digest | None = None
    """A `Digest` only in records; the engine refuses it."""
    raw: Body | Digest | None = None
    """The whole request as bytes, which are sent as they are: `method` says if the reply has a
    body, and `path` is only a name. A `Digest` only in records. None: encoded from the other
    fields."""
    placeholders: bool = False
    """The path, the values of headers and a body of text have placeholders, such as
    `{random:1:10000}`."""
    grpc: bool = False
    """A unary call of gRPC, over HTTP/2 only: its right reply has the status OK, in the trailers,
    and one message that is not compressed. Another status is an error of the class `grpc_status`.
    Headers and body are sent as they are, so the body has the 5 bytes before the message."""
    keep: list[Keep] = field(default_factory=list)
    """Only in sessions that follow scripts. A right reply without one of these values is an error
    of the class `value_not_found`, which ends its session; so does a wrong reply, unless it is
    retried."""
    weight: Count = 1
    expect: Expect = Expect()

    @property
    def endpoint(self) -> str:
        """The name of its endpoint."""
        return endpoint_of(self.name, self.method, self.path)

    def without_secrets(self) -> Request:
        """The request for a record: credentials masked, bodies replaced by their digests."""
        return replace(
            self,
            path=masked_url(self.path),
            headers=masked_headers(self.headers),
            body=_digest(self.body),
            raw=_digest(self.raw),
            expect=self.expect.without_secrets(),
        )


def _digest(body: Body | Digest | None) -> File | Digest | None:
    if isinstance(body, Text):
        return Digest.of(body.text.encode())
    if isinstance(body, Base64):
        return Digest.of(b64decode(body.base64))
    return body
