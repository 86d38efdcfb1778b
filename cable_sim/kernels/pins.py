"""Pins: records that compiled code takes by their address, and compiled code that is called by its
address.

A step has some four hundred arrays. numba takes 15 us to unpack them at every call from Python, and
0.1 us to take the address of a place that tells theirs. A kernel that calls another one contains
it, and so takes minutes to compile where that is the step. A call by address contains nothing, so
that drivers of the step compile in a second, and serve all variants of it.
"""

import functools
import itertools
import operator
import struct
from collections.abc import Iterator
from typing import Any

import llvmlite.ir
import numba
import numpy as np
from numba.core.datamodel.models import PrimitiveModel
from numba.extending import NativeValue, intrinsic, register_model, unbox
from numba.np.arrayobj import populate_array

_COMPILED = not numba.config.DISABLE_JIT  # type: ignore[attr-defined]
Widths = tuple[int, ...]
"""Lengths of an array but the first, 0 for those that code may not rely on."""


class _Address(numba.types.Type):
    """numba's type of the address of pinned records."""

    def __init__(self, records: Any, widths: tuple[Widths, ...]) -> None:
        self.records = records
        self.widths = widths
        super().__init__(name=f"Pinned({records}, {widths})")


@register_model(_Address)
class _AddressModel(PrimitiveModel):
    """An address is a whole number."""

    def __init__(self, manager: Any, kind: _Address) -> None:
        super().__init__(manager, kind, llvmlite.ir.IntType(64))


@unbox(_Address)
def _unbox_address(_: _Address, obj: Any, c: Any) -> NativeValue:
    """Take an address from anything with ``__index__``."""
    return NativeValue(c.pyapi.long_as_longlong(obj))


class Pin:
    """Records at one place, which compiled code takes by their address.

    Unpacking some four hundred arrays takes numba 15 us at every call; taking an address takes
    0.1 us. The arrays must be contiguous, and are written in place as long as the pin is used.

    Parameters
    ----------
    records: a tuple, nested, of arrays, numbers, flags and None.
    varying: types of records of whose arrays only the number of axes is the same in all scenes. On
        the lengths of all other arrays but the first code relies, which saves it multiplications at
        every access: a twentieth of a step. Without it, code relies on no lengths.

    ``handle`` is what compiled code takes fastest: the address, not an object that has one.
    """

    def __init__(self, records: Any, varying: tuple[type, ...] | None = None) -> None:
        self.records = records
        self.widths = tuple(_widths(records, (tuple,) if varying is None else varying))
        self.words = np.array(_words(records), np.int64)
        self.address = int(self.words.ctypes.data)
        self.handle: Any = self.address if _COMPILED else self

    def __index__(self) -> int:
        return self.address

    @functools.cached_property
    def _numba_type_(self) -> Any:
        """Type of the pin for compiled code; numba needs 5 ms to find that of a World."""
        key = _kind(self.records), self.widths
        if key not in _KINDS:
            _KINDS[key] = _Address(numba.typeof(self.records), self.widths)
        return _KINDS[key]


_KINDS: dict[Any, _Address] = {}


def _kind(value: Any) -> Any:
    """Return a key that pinned values of the same type have in common."""
    if isinstance(value, np.ndarray):
        flags = value.flags
        return value.dtype.num, value.ndim, flags.writeable, flags.aligned
    if isinstance(value, tuple):
        return type(value), *map(_kind, value)
    return type(value)


def _widths(value: Any, varying: tuple[type, ...]) -> list[Widths]:
    """Return the widths of the arrays of pinned records; those of ``varying`` ones are 0."""
    if isinstance(value, np.ndarray):
        return [value.shape[1:]]
    if isinstance(value, varying):
        arrays = (leaf for leaf in _leaves(value) if isinstance(leaf, np.ndarray))
        return [(0,) * (array.ndim - 1) for array in arrays]
    found: list[Widths] = []
    if isinstance(value, tuple):
        for part in value:
            found += _widths(part, varying)
    return found


def word_places(records: Any) -> Iterator[tuple[Any, int]]:
    """Arrays of pinned records, each with the place of its address among the words."""
    at = 0
    for value in _leaves(records):
        if isinstance(value, np.ndarray):
            yield value, at
            at += value.ndim
        at += value is not None


def _leaves(value: Any) -> list[Any]:
    """Return the values of a nested tuple, in order."""
    if not isinstance(value, tuple):
        return [value]
    found: list[Any] = []
    for part in value:
        if isinstance(part, tuple):
            found += _leaves(part)
        else:
            found.append(part)
    return found


def _words(records: Any) -> list[int]:
    """Return the words of 64 bits of pinned records: an array has its address and its lengths."""
    found: list[int] = []
    for value in _leaves(records):
        if isinstance(value, np.ndarray):
            if not value.flags.c_contiguous:
                raise TypeError("only contiguous arrays can be pinned")
            found.append(value.__array_interface__["data"][0])
            found += value.shape
        elif value is not None:
            bits = struct.pack("d" if isinstance(value, float) else "q", value)
            found.append(struct.unpack("q", bits)[0])
    return found


def _pinned_value(
    context: Any, builder: Any, kind: Any, words: Iterator[Any], widths: Iterator[Widths]
) -> Any:
    """Return code for a value of some type from its words."""
    if isinstance(kind, numba.types.BaseTuple):
        inner: Any = kind
        parts = [_pinned_value(context, builder, part, words, widths) for part in inner]
        return context.make_tuple(builder, kind, parts)
    if isinstance(kind, numba.types.NoneType):
        return context.get_dummy_value()
    if not isinstance(kind, numba.types.Array):
        value = next(words)
        native = context.get_value_type(kind)
        if isinstance(kind, numba.types.Boolean):
            return builder.trunc(value, native)
        return builder.bitcast(value, native)
    array = context.make_array(kind)(context, builder)
    data = builder.inttoptr(next(words), array.data.type)
    shape = [next(words) for _ in range(kind.ndim)]
    for axis, width in enumerate(next(widths), 1):
        shape[axis] = context.get_constant(numba.types.intp, width) if width else shape[axis]
    size = context.get_constant(numba.types.intp, context.get_abi_sizeof(array.data.type.pointee))
    strides = [size]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    populate_array(array, data, shape, strides, size, meminfo=None)
    return array._getvalue()


@intrinsic
def _contents(_: Any, pin: Any) -> Any:
    """Return the pinned records."""

    def codegen(context: Any, builder: Any, __: Any, args: Any) -> Any:
        words = builder.inttoptr(args[0], llvmlite.ir.IntType(64).as_pointer())
        at = (builder.gep(words, [llvmlite.ir.IntType(64)(k)]) for k in itertools.count())
        return _pinned_value(context, builder, pin.records, map(builder.load, at), iter(pin.widths))

    return pin.records(pin), codegen


@intrinsic
def _extras_of(_: Any, pin: Any) -> Any:
    """Return the member ``extras`` of pinned records, which its type tells: None or True."""
    kind = pin.records.types[pin.records.fields.index("extras")]

    def codegen(context: Any, builder: Any, __: Any, ___: Any) -> Any:
        none = isinstance(kind, numba.types.NoneType)
        return context.get_dummy_value() if none else context.get_constant(kind, True)

    return kind(pin), codegen


@intrinsic
def _call(_: Any, function: Any, pin: Any, count: Any) -> Any:
    """Call compiled code by its address."""

    def codegen(___: Any, builder: Any, __: Any, args: Any) -> Any:
        word = llvmlite.ir.IntType(64)
        kind = llvmlite.ir.FunctionType(word, [word, word])
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])

    whole = numba.types.int64
    return whole(whole, whole, whole), codegen


@intrinsic
def _address_of(_: Any, pin: Any) -> Any:
    """Return the address of pinned records, for :func:`call`."""
    return numba.types.int64(pin), lambda context, builder, kind, args: args[0]


@intrinsic
def _combine(_: Any, kind: Any, records: Any) -> Any:
    """Return a record whose fields are the first of their names in some records."""
    made = kind.instance_class
    places = [
        next((i, part.fields.index(name)) for i, part in enumerate(records) if name in part.fields)
        for name in made._fields
    ]
    result = numba.types.NamedTuple([records[i][j] for i, j in places], made)

    def codegen(context: Any, builder: Any, _: Any, args: Any) -> Any:
        parts = [builder.extract_value(args[1], place) for place in places]
        return context.make_tuple(builder, result, parts)

    return result(kind, records), codegen


address_of: Any = _address_of
combine: Any = _combine
contents: Any = _contents
extras_of: Any = _extras_of
call: Any = _call
ADDRESS: Any = np.int64
"""Type of an array of addresses of code and pins, for :func:`call`."""
if not _COMPILED:

    def address_of(pin: Any) -> Any:
        """Return a pin, which stands for its address."""
        return pin

    def combine(kind: Any, records: Any) -> Any:
        """Return a record whose fields are the first of their names in some records."""
        found = [next(p for p in records if name in p._fields) for name in kind._fields]
        return kind(*map(getattr, found, kind._fields))

    contents = operator.attrgetter("records")
    extras_of = operator.attrgetter("records.extras")
    ADDRESS = object

    def call(function: Any, pin: Any, count: int) -> Any:
        """Call a kernel."""
        return function(pin, count)
