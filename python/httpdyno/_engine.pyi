"""The compiled engine, as Python sees it; `httpdyno.engine` is its typed face."""

class EngineError(Exception):
    """`args` are (kind, message, hint or None); kind: usage, target, environment, internal."""

class Run:
    """One run of a plan on threads of its own."""

    def wait(self, phase: str, timeout_s: float) -> bool:
        """Wait for a phase; true once it or a later one is reached.

        The phases: connecting, warm_up, measuring, draining, done.
        """

    def progress(self) -> str:
        """The progress so far, as JSON."""

    def stop(self) -> None:
        """No new requests; a second time: no more waiting for replies."""

    started_at_ns: int | None
    """The start of the schedule by the wall clock, in nanoseconds since 1970; None: not started."""

    def result(self) -> str:
        """The measurement as JSON, at the end of the run."""

    def whole(self) -> bytes:
        """Everything that the measurement was computed from, for `merge`."""

    def call_log(self) -> bytes:
        """The call log, at the end of the run: records of 72 bytes, little-endian."""

    def trace(self) -> list[tuple[int, str, bytes]]:
        """The trace, at the end of the run: (number of the call, name of the part, bytes)."""

class Reference:
    """The reference server on threads of its own, from its construction to `stop`."""

    address: str
    requests: int

    def __new__(
        cls,
        listen: str,
        pages: list[tuple[str, str, bytes]],
        threads: int = 1,
        cpus: list[int] | None = None,
        keep_arrivals: bool = False,
    ) -> Reference: ...
    def take_delays(self) -> list[int]:
        """How long each delayed reply since the last call really waited, ns."""

    def take_arrivals(self) -> list[int]:
        """When each request since the last call was read, ns since the server's start."""

    def stop(self) -> None:
        """End its threads and close its sockets."""

def start(plan_json: str, at: int | None = None) -> Run:
    """Start a run of the plan, and return at once. `at`: the start, in nanoseconds since 1970."""

def merge(plan_json: str, results: list[bytes]) -> str:
    """The measurement of the results of all parts of a plan, as JSON."""

def data_columns(file: str) -> list[str]:
    """The names of the columns of a data file.

    Raises ValueError if it cannot be read, or its first row is wrong.
    """

def has_placeholders(text: str, names: list[str] = ...) -> bool:
    """True if a text has placeholders, or braces that stand for the text of one.

    `names`: those that it may have besides the kinds. Raises ValueError with its faults.
    """

def own_names(text: str, names: list[str] = ...) -> list[str]:
    """The names of their own that placeholders of a text have; none if it has faults."""

def literal(text: str) -> str:
    """A text with the braces doubled of all that would be a placeholder."""

def request_bytes(plan_json: str, index: int = 0, call: int = 0) -> bytes:
    """The bytes of the request with this index, as its call with this number sends them."""

def probe() -> str:
    """Which driver this machine can use, as JSON."""

def quantiles(hdr_base64: str, quantiles: list[float]) -> list[int]:
    """The values (ns) at the quantiles (0 to 1) of a histogram."""

def hgrm(hdr_base64: str, unit_ns: int) -> str:
    """The percentile text that HdrHistogram's tools read."""

def answer_fault(kind: str, answer: str, names: list[str] = ...) -> str | None:
    """The fault of a right answer, `kind` being json, html or regex; None: it has none.

    `names`: those of values that its request sends.
    """

def body_fault(plan_json: str, body: bytes, index: int = 0, call: int = 0) -> str | None:
    """The fault of a body beside the JSON, the HTML or the expression that a request expects.

    None: it is right, or nothing of the kind is expected. `call`: the number of its call.
    """

def share_as_clear(values: list[float], undone: bool, least: int) -> float:
    """The share of shuffles of the values with as clear a step, or as clear an undone one."""

def best_split(values: list[float], least: int) -> tuple[float, int, int] | None:
    """The best split of a series: (divergence, cut, until)."""

def clearest_cut(
    values: list[float], own: list[float], finest: float, cuts: list[int]
) -> tuple[int, float] | None:
    """The clearest of these places to divide a series: (cut, t). `own`: variances of the values."""

def clearest_stretch(
    values: list[float], own: list[float], finest: float, least: int, most: int
) -> tuple[int, int, float] | None:
    """The clearest stretch among the newest `most` values of a series: (begin, end, t)."""

def chance_of_neighbours(r_squared: float, count: int, pairs: list[tuple[int, int]]) -> float:
    """The sum over pairs of divisions (size, pairs) of the chance that both have this r²."""

def step_errors(count: int, limit: float, power: float) -> float:
    """The step, in standard errors, that exceeds `limit` in this share of series."""
