"""The folder's C++ as functions on arrays; None where there is no compiler."""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import compiled

Array = NDArray[np.float64]
Loop = Callable[..., None]


def tutorial_rope(form: str = "one_pass", options: tuple[str, ...] = compiled.FAST) -> Loop | None:
    """``rope.cpp``, called like the function of ``arrays.py``; ``form`` is one_pass or
    as_printed."""
    library = compiled.library("rope", options)
    if library is None:
        return None
    loop = getattr(library, form)

    def run(
        constants: tuple[float, ...], steps: int, h: float, position: Array, velocity: Array
    ) -> None:
        scratch = (np.zeros_like(position),) if form == "as_printed" else ()
        loop(
            _address(np.array(constants)),
            len(position),
            steps,
            ctypes.c_double(h),
            _address(position),
            _address(velocity),
            *map(_address, scratch),
        )

    return run


def chain() -> Loop | None:
    """``chain.cpp``, called like the function of ``arrays.py``."""
    library = compiled.library("chain")
    if library is None:
        return None

    def run(
        h: float,
        gravity: float,
        compliance: float,
        damping_time: float,
        steps: int,
        inverse_mass: Array,
        rest: Array,
        position: Array,
        velocity: Array,
    ) -> None:
        constants = np.array([h, gravity, compliance, damping_time])
        n = len(position)
        scratch = (np.empty((n, 3)), *(np.empty(n) for _ in range(3)))
        library.chain(
            _address(constants),
            n,
            steps,
            *map(_address, (inverse_mass, rest, position, velocity, *scratch)),
        )

    return run


def layer() -> Loop | None:
    """``waves.cpp``, called like the function of ``arrays.py``."""
    library = compiled.library("waves")
    if library is None:
        return None

    def run(
        steps: int,
        h: float,
        length: float,
        stiffness: float,
        damping: float,
        loads: Array,
        wave: Array,
        rate: Array,
        arc: Array,
    ) -> None:
        numbers = map(ctypes.c_double, (h, length, stiffness, damping))
        intervals = wave.shape[2] - 1
        arrays = (loads, wave, rate, np.empty(intervals), arc)
        library.layer(steps, wave.shape[1], intervals, *numbers, *map(_address, arrays))

    return run


def _address(array: Array) -> Any:
    """Where an array's numbers begin; they have to follow on one another."""
    assert array.flags.c_contiguous and array.dtype == np.float64
    return array.ctypes.data_as(ctypes.c_void_p)  # holds the array, too
