"""The base of all parts of a plan, and the numbers in them.

Parts are dataclasses of the standard library, so that a program can make and send a plan without
loading pydantic, which takes longer than a short test. Whoever makes a part gives it values of its
types. `engine_plan/reading.py` reads plans from elsewhere, by the same types and limits.
"""

from __future__ import annotations

import json
from dataclasses import MISSING, Field, dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NoReturn, dataclass_transform

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler


class Within:
    """The limits of a number, or of a length: a constraint of pydantic, such as `ge=1`."""

    def __init__(self, **limits: float) -> None:
        self._limits = limits

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:
        return {**handler(source), **self._limits}


class ByKind:
    """A union of parts that is told apart by their `kind`."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:
        from pydantic import Field  # noqa: PLC0415 - it calls this only where it is loaded

        return handler.generate_schema(Annotated[source, Field(discriminator="kind")])


Seconds = Annotated[float, Within(ge=0)]
PositiveSeconds = Annotated[float, Within(gt=0)]
Rate = Annotated[float, Within(ge=0)]
Count = Annotated[int, Within(ge=1)]
Port = Annotated[int, Within(ge=1, le=65535)]


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
class Part:
    """A part of a plan, which never changes. Unknown fields are refused.

    Its subclasses are dataclasses. They share the methods here, because compiling some for each of
    them would take longer than all else that a short test needs.
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __init_subclass__(cls) -> None:
        dataclass(init=False, repr=False, eq=False)(cls)

    def __init__(self, **given: Any) -> None:
        values = vars(self)
        for name, one in self.__dataclass_fields__.items():
            if name in given:
                values[name] = given.pop(name)
            elif one.default is not MISSING:
                values[name] = one.default
            elif one.default_factory is not MISSING:
                values[name] = one.default_factory()
            else:
                raise TypeError(f"{type(self).__name__}: `{name}` is missing")
        if given:
            raise TypeError(f"{type(self).__name__} has no `{', '.join(given)}`")
        self.__post_init__()

    def __post_init__(self) -> None:
        """Raises ValueError when the values contradict each other."""

    def __repr__(self) -> str:
        values = (f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({', '.join(values)})"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash((type(self), *vars(self).values()))

    def __setattr__(self, name: str, _value: object) -> NoReturn:
        raise AttributeError(f"`{name}` never changes: `replace` makes another part")


def to_json(part: Part) -> str:
    """The document of a part, as the engine reads it."""
    return json.dumps(part, default=vars)
