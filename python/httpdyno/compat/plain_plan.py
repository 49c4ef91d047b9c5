"""The parts of an engine plan as plain documents, for programs that have to start fast.

Type checkers see the classes of `httpdyno.engine_plan`. Where the program runs, each part is a
dictionary of the fields that it is given: the engine has the same defaults, and checks what it
reads. `EnginePlan.model_validate(plan)` is the plan as a value.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from httpdyno.engine_plan import (
        Arrivals,
        Base64,
        CallLimit,
        ClosedLoad,
        EnginePlan,
        Expect,
        Proxy,
        Request,
        ScriptStep,
        Segment,
        SessionsLoad,
        Source,
        Stop,
        Target,
        Timeouts,
        Tls,
        TraceParts,
    )
else:
    from httpdyno.compiled import Document

    Arrivals = Base64 = CallLimit = ClosedLoad = EnginePlan = Expect = Proxy = Request = Document
    ScriptStep = Segment = SessionsLoad = Source = Stop = Target = Timeouts = Document
    Tls = TraceParts = Document

__all__ = [
    "Arrivals",
    "Base64",
    "CallLimit",
    "ClosedLoad",
    "EnginePlan",
    "Expect",
    "Proxy",
    "Request",
    "ScriptStep",
    "Segment",
    "SessionsLoad",
    "Source",
    "Stop",
    "Target",
    "Timeouts",
    "Tls",
    "TraceParts",
]
