"""The services of one API, and their methods."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from httpdyno.grpc.method import Method
from httpdyno.grpc.packages import package

__all__ = ["Services", "one_of", "slash_hint"]

_MOST_NAMED = 20
"""Names that a message lists."""


class Services:
    """The services that some files describe."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        """`files`: their names, and their descriptors (`FileDescriptorProto`) as bytes.

        Raises ValueError if one of them is missing or not valid.
        """
        parse = package("google.protobuf.descriptor_pb2").FileDescriptorProto.FromString
        self._files = {name: parse(content) for name, content in files.items()}
        self._pool = package("google.protobuf.descriptor_pool").DescriptorPool()
        added: set[str] = set()
        for name in self._files:
            self._add(name, added)

    @property
    def _methods(self) -> dict[str, list[str]]:
        """The names of the methods of each service."""
        return {
            ".".join(filter(None, (file.package, service.name))): [
                method.name for method in service.method
            ]
            for file in self._files.values()
            for service in file.service
        }

    def method(self, path: str) -> Method:
        """The unary method of a path such as `/pkg.Service/Method`. Raises ValueError."""
        known = self._methods
        service, _, name = path.removeprefix("/").partition("/")
        if service not in known:
            paths = (f"{one}/{method}" for one, methods in known.items() for method in methods)
            what = f"no service `{service}`" if service else "no method"
            raise ValueError(f"{what}: {slash_hint(service, known) or f'expected {one_of(paths)}'}")
        if name not in known[service]:
            what = f"no method `{name}` of `{service}`" if name else "no method"
            raise ValueError(f"{what}: expected {one_of(known[service])}")
        found = self._pool.FindServiceByName(service).methods_by_name[name]
        if found.client_streaming or found.server_streaming:
            raise ValueError(f"`{name}` is a streaming method: expected a unary one")
        return Method(found.input_type, found.output_type, self._pool)

    def _add(self, name: str, added: set[str]) -> None:
        """Add a file to the pool, after those that it imports."""
        if name in added:
            return
        added.add(name)
        if name not in self._files:
            raise ValueError(f"the file `{name}`, which another one imports, is missing")
        for imported in self._files[name].dependency:
            self._add(imported, added)
        try:
            self._pool.AddSerializedFile(self._files[name].SerializeToString())
        except TypeError as wrong:
            raise ValueError(f"the descriptor of `{name}` is not valid: {wrong}") from None


def slash_hint(path: str, services: Collection[str]) -> str | None:
    """The words for `pkg.Service.Method`, which is written with a slash; None: it is none."""
    service, _, name = path.rpartition(".")
    return f"did you mean `{service}/{name}`?" if service in services else None


def one_of(names: Iterable[str]) -> str:
    """`one of a, b`, for a message."""
    found = sorted(names)
    shown = ", ".join(f"`{name}`" for name in found[:_MOST_NAMED])
    if len(found) > _MOST_NAMED:
        shown += f" and {len(found) - _MOST_NAMED:,} more"
    return f"one of {shown}" if found else "another API: this one has none"
