"""The connections of a run."""

from __future__ import annotations

from httpdyno.measurement.times import Time
from httpdyno.value import Value


class Connections(Value):
    """Connections of the whole run, warm-up included."""

    opened: int
    failed: int
    closed_by_server: int
    excess_data: int
    """Closed by the engine because the server sent bytes that belong to no reply: more than its
    Content-Length, a body after HEAD, or anything on an idle connection. The replies before them
    count as they are."""
    peak_open: int
    begun: int
    """Attempts to connect."""
    begun_together: int
    """Most attempts to connect in one iteration of the engine's loop: how many were begun late, if
    they were not due together."""
    errors: dict[str, int]
    """Connections that ended in an error, by its class: each counts once, however many calls failed
    with it."""
    lifetime: Time
    """Connect begun → closed, of connections with at least one reply."""


class Handshakes(Value):
    """The TLS handshakes of connections, those of the warm-up too."""

    full: int
    resumed: int
    """Those that went on with an earlier session."""
    version: str | None
    """Of the first one, `1.3`; null when none was completed."""
    cipher: str | None
    """The cipher suite of the first one; null over QUIC, where it is not known."""


class Quic(Value):
    """Datagrams and packets of QUIC, those of the warm-up too."""

    datagrams_sent: int
    datagrams_received: int
    datagrams_per_send: float | None
    """Datagrams that a call of the kernel sent, on average; null: none was made."""
    datagrams_per_receive: float | None
    packets_sent: int
    packets_lost: int
    """Packets sent for which no acknowledgement came in time."""
    min_rtt_s: float | None
    """The shortest round trip of any connection; null: none was established."""
    mean_rtt_s: float | None
    """The mean of the last smoothed round trips of the connections."""


class Http2(Value):
    """Streams and windows of HTTP/2 and HTTP/3. Counts are those of the whole run, warm-up too;
    times are those of measured calls."""

    streams: int
    """Calls at once on a connection, as planned."""
    stream_limit: int | None
    """The lowest SETTINGS_MAX_CONCURRENT_STREAMS of the server; null: it set none. Over QUIC, the
    streams that it allowed at first; null: at least as many as were planned."""
    most_streams: int
    """Most open streams of a connection at once."""
    setup: Time
    """connect begun → the server's SETTINGS; over QUIC, → the end of the handshake."""
    waited_for_stream: int
    """Calls that found no free stream on their open connection: the server's limit was reached."""
    stream_wait: Time
    """These waits; part of the response time."""
    blocked_on_window: int
    """Waits of bodies until the server allowed more; a call may have several."""
    window_wait: Time
    windows_used_up: int
    """Times that the server had sent all that a window of the load generator allowed, and had to
    wait."""
    goaways: int
    """Connections that the server ended with GOAWAY; over QUIC, those that it closed too."""
    goaway_codes: dict[str, int]
    """Counts by code, such as `NO_ERROR`."""
    resets: dict[str, int]
    """Streams that the server reset, by code."""
    cancels: int
    """Streams that timeouts cancelled."""
    resent: int
    """Calls that were sent again, because the server had not processed them."""


class Grpc(Value):
    """The replies to calls of gRPC."""

    statuses: dict[str, int]
    """Measured calls by the name of the status that the server sent; `other`: it has none."""
