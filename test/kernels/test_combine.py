"""Records that are combined of others by the names of their fields."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from cable_sim.kernels.jit import inlined, kernel
from cable_sim.kernels.pins import combine


class Left(NamedTuple):
    """A number, and an array."""

    number: float
    array: Any


class Right(NamedTuple):
    """A record, and an array of the same name."""

    array: Any
    left: Left


class Mixed(NamedTuple):
    """Fields of both in another order."""

    left: Left
    array: Any
    number: float


@inlined
def mix(first, second):
    return combine(Mixed, (first, second))


@kernel
def read(first, second, array_out):
    made = mix(first, second)
    array_out[0] = made.array[0]
    made.array[1] = made.number
    return made.left.array[2]


@pytest.mark.parametrize("left_first", [True, False])
def test_a_field_is_that_of_the_first_record_with_its_name(left_first: bool) -> None:
    ours, theirs, deep = np.arange(3.0), 10.0 + np.arange(3.0), 20.0 + np.arange(3.0)
    left, right = Left(0.5, ours), Right(theirs, Left(9.0, deep))
    found = np.zeros(1)
    taken, other = (ours, theirs) if left_first else (theirs, ours)
    assert read(*((left, right) if left_first else (right, left)), found) == 22.0
    assert found[0] == (0.0 if left_first else 10.0)
    assert taken[1] == 0.5 and other[1] in (1.0, 11.0)


def test_fields_that_are_all_arrays_combine() -> None:
    """numba has a type of its own for records of one type."""

    class Twin(NamedTuple):
        array: Any
        number: Any

    @kernel
    def last(record):
        made = combine(Twin, (record,))
        return made.number[0] - made.array[0]

    assert last(Left(np.ones(2), np.zeros(2))) == 1.0
