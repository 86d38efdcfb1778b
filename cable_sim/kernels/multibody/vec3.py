"""Vectors of three numbers as tuples, the form in which the formulas are written.

They compile fast and stay in registers.
"""

from math import sqrt

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.records.arrays import Floats

Vector = tuple[float, float, float]
ZERO: Vector = (0.0, 0.0, 0.0)


@kernel
def load(array: Floats, i: int) -> Vector:
    """Row i of an (n, 3) array."""
    return (array[i, 0], array[i, 1], array[i, 2])


@kernel
def store(vector: Vector, i: int, array_out: Floats) -> None:
    """Write a vector to row i of an (n, 3) array."""
    array_out[i, 0], array_out[i, 1], array_out[i, 2] = vector


@kernel
def load_flat(array: Floats, i: int) -> Vector:
    """Row i of a flattened (n, 3) array."""
    return (array[3 * i], array[3 * i + 1], array[3 * i + 2])


@kernel
def store_flat(vector: Vector, i: int, array_out: Floats) -> None:
    """Write a vector to row i of a flattened (n, 3) array."""
    array_out[3 * i], array_out[3 * i + 1], array_out[3 * i + 2] = vector


@kernel
def add(a: Vector, b: Vector) -> Vector:
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel
def sub(a: Vector, b: Vector) -> Vector:
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def scale(s: float, a: Vector) -> Vector:
    """s a."""
    return (s * a[0], s * a[1], s * a[2])


@kernel
def axpy(s: float, a: Vector, b: Vector) -> Vector:
    """s a + b."""
    return (s * a[0] + b[0], s * a[1] + b[1], s * a[2] + b[2])


@kernel
def dot(a: Vector, b: Vector) -> float:
    """a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a: Vector, b: Vector) -> Vector:
    """a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel
def norm(a: Vector) -> float:
    """Length of a."""
    return sqrt(dot(a, a))
