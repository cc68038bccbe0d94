"""Reads parts of a stored record, so that a frame over thousands of runs need not decode what it does not show.

A part is a tree of field names of the model: `{"gathered": {"server": ...}}`. The result has the attributes that were
asked for, with the model's types, and no others. The rest of the document is skipped, yet must be JSON.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Mapping
from typing import Any, cast, get_args, get_origin

import msgspec

from sealmark.record import codec
from sealmark.record.model import Record, RunRecord

Tree = Mapping[str, Any]
"""Names of fields, each with the fields wanted beneath it; an empty mapping takes a field whole."""


def tree(paths: Iterable[str]) -> Tree:
    """The tree of dotted paths (`gathered.server`, `judgements.verdicts`).

    A path whose beginning is wanted whole adds nothing.
    """
    root: dict[str, Any] = {}
    for path in sorted(paths):
        node = root
        *parents, last = path.split(".")
        for name in parents:
            known = node.get(name)
            if known == {} and name in node:
                break
            node = node.setdefault(name, {})
        else:
            node.setdefault(last, {})
    return root


class Reader:
    """Decodes one part of run records.

    Args:
        paths: dotted paths of the fields to keep; `schema` always is.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._decoder = msgspec.json.Decoder[Any](_part(RunRecord, tree({"schema", *paths})))

    def read(self, data: bytes, where: str = "record") -> RunRecord:
        """The part of the record in `data`; only the fields asked for can be used.

        A document of another schema version is read whole, by the codec, which upgrades or refuses it.

        Raises:
            RecordError: as `codec.load` does; what is wrong in a skipped field is not noticed.
        """
        if len(data) > codec.MAX_BYTES:
            return codec.load(data, where)
        try:
            part = self._decoder.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return codec.load(data, where)
        return cast(RunRecord, part) if codec.is_current(part.schema) else codec.load(data, where)


def _part(model: type[Record], wanted: Tree) -> type[msgspec.Struct]:
    """A struct type with the wanted fields of `model`; other fields of the document are skipped."""
    known = {field.name: field for field in msgspec.structs.fields(model)}
    required: list[Any] = []
    optional: list[Any] = []
    for name, beneath in wanted.items():
        field = known[name]
        kind = _narrow(field.type, beneath) if beneath else field.type
        if field.default_factory is not msgspec.NODEFAULT:
            optional.append((name, kind, msgspec.field(default_factory=field.default_factory)))
        elif field.default is not msgspec.NODEFAULT:
            optional.append((name, kind, field.default))
        else:
            required.append((name, kind))
    return msgspec.defstruct(f"Part{model.__name__}", [*required, *optional], rename="camel", frozen=True)


def _narrow(kind: Any, beneath: Tree) -> Any:
    """The type `kind` (a record, a tuple of records, a record or None) with only the fields `beneath`."""
    if get_origin(kind) is tuple:
        return tuple[_part(get_args(kind)[0], beneath), ...]  # type: ignore[misc]
    if isinstance(kind, types.UnionType):
        return _part(get_args(kind)[0], beneath) | None
    return _part(kind, beneath)
