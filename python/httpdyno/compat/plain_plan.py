"""The parts of an engine plan as plain documents, for programs that have to start fast.

Type checkers see the classes of `httpdyno.engine_plan`. Where the program runs, each part is a
dictionary of the fields that it is given: the engine has the same defaults, and checks what it
reads. `EnginePlan.model_validate(plan)` is the plan as a value.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from httpdyno.engine_plan import *  # noqa: F403 - all of them
else:
    from httpdyno.compiled import Document

    def __getattr__(name: str) -> type[Document]:
        """The class of every part."""
        if name.startswith("_"):
            raise AttributeError(name)
        return Document
