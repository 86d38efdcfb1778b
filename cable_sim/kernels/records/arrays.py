"""Arrays of the records, and functions on all arrays of a record at once."""

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
R = TypeVar("R", bound=tuple[Any, ...])


parts_of = functools.cache(get_type_hints)
"""Function that returns the types of a record's parts by name; cached, because it is slow."""


@functools.cache
def names_of(kind: type[tuple[Any, ...]]) -> tuple[str, ...]:
    """Names of all arrays of a nested record, such as ``gravity`` or ``bodies.kind``, in order."""
    found: list[str] = []
    for name, inner in parts_of(kind).items():
        fields = getattr(inner, "_fields", None)
        found += [name] if fields is None else [f"{name}.{field}" for field in fields]
    return tuple(found)


def build_record(kind: type[R], arrays: Mapping[str, Any]) -> R:
    """Return the record of arrays by their names; TypeError for one too few or too many."""
    wanted = set(names_of(kind))
    for words, names in (
        ("has no array", arrays.keys() - wanted),
        ("lacks the array", wanted - arrays.keys()),
    ):
        if names:
            raise TypeError(f"{kind.__name__} {words} {', '.join(sorted(names))}")
    found = [
        inner(*(arrays[f"{name}.{field}"] for field in inner._fields))
        if hasattr(inner, "_fields")
        else arrays[name]
        for name, inner in parts_of(kind).items()
    ]
    return kind(*found)


def zero_record(kind: type[R], shapes: Mapping[str, Any]) -> R:
    """Return a record of zeros of some shapes by name, of the types that the record has.

    A shape under a group's name is that of the group's arrays without a shape of their own.
    """
    types = _types_by_name(kind)
    groups = {name: name.partition(".")[0] for name in types}
    full = {name: shapes[group] for name, group in groups.items() if group in shapes}
    full |= {name: shape for name, shape in shapes.items() if name not in parts_of(kind)}
    return build_record(kind, {name: np.zeros(full[name], types.get(name)) for name in full})


@functools.cache
def _types_by_name(kind: type[tuple[Any, ...]]) -> Mapping[str, type]:
    """Return the types of the numbers in all arrays of a nested record by the arrays' names."""
    return dict(zip(names_of(kind), _types_of(kind), strict=True))


def _types_of(kind: type[tuple[Any, ...]]) -> Iterator[type]:
    """Types of the numbers in all arrays of a nested record, in order."""
    for inner in parts_of(kind).values():
        if hasattr(inner, "_fields"):
            yield from _types_of(inner)
        else:
            yield get_args(get_args(inner)[1])[0]


def record_of(kind: Callable[..., R], **arrays: Any) -> R:
    """Return a record of the arrays that one kernel uses; its other arrays are None."""
    return kind(**dict.fromkeys(kind._fields) | arrays)  # type: ignore[attr-defined]


def arrays_of(record: tuple[Any, ...]) -> Iterator[NDArray[Any]]:
    """All arrays of a record, in order."""
    for part in record:
        if isinstance(part, tuple):
            yield from arrays_of(part)
        else:
            yield part


def arrays_by_name(record: tuple[Any, ...]) -> dict[str, NDArray[Any]]:
    """All arrays of a nested record by their names."""
    return dict(zip(names_of(type(record)), arrays_of(record), strict=True))


def map_arrays(change: Callable[[NDArray[Any]], NDArray[Any]], record: R) -> R:
    """Return a record of the changed arrays."""
    return type(record)(
        *(map_arrays(change, part) if isinstance(part, tuple) else change(part) for part in record)
    )


def replace_array(record: Any, name: str, array: NDArray[Any]) -> Any:
    """Return a record with another array under a name."""
    group, _, field = name.partition(".")
    return record._replace(**{group: getattr(record, group)._replace(**{field: array})})


def copy_record(record: R) -> R:
    """Return a copy of a record with all its arrays."""
    return map_arrays(np.copy, record)
