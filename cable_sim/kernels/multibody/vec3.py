"""Vectors of three numbers as tuples, the form in which the formulas are written.

They compile fast and stay in registers.
"""

from math import sqrt

from cable_sim.kernels.jit import kernel

Vector = tuple[float, float, float]
ZERO: Vector = (0.0, 0.0, 0.0)


@kernel
def load(array, i):
    """Row i of an (n, 3) array."""
    return (array[i, 0], array[i, 1], array[i, 2])


@kernel
def store(vector, i, array_out):
    """Write a vector to row i of an (n, 3) array."""
    array_out[i, 0], array_out[i, 1], array_out[i, 2] = vector


@kernel
def load_flat(array, i):
    """Row i of a flattened (n, 3) array."""
    return (array[3 * i], array[3 * i + 1], array[3 * i + 2])


@kernel
def store_flat(vector, i, array_out):
    """Write a vector to row i of a flattened (n, 3) array."""
    array_out[3 * i], array_out[3 * i + 1], array_out[3 * i + 2] = vector


@kernel
def add(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel
def sub(a, b):
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def scale(s, a):
    """s a."""
    return (s * a[0], s * a[1], s * a[2])


@kernel
def axpy(s, a, b):
    """s a + b."""
    return (s * a[0] + b[0], s * a[1] + b[1], s * a[2] + b[2])


@kernel
def dot(a, b):
    """a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a, b):
    """a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel
def norm(a):
    """Length of a."""
    return sqrt(dot(a, a))
