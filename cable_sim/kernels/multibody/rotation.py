"""Rotations: unit quaternions (w, x, y, z) that take body vectors to world vectors, all as tuples.

rotate(q, v) = v + 2 w (u x v) + 2 u x (u x v) with q = (w, u). exp: the quaternion of a rotation
vector theta is (cos |theta|/2, sin(|theta|/2) theta/|theta|); the sine quotient is expanded for
small angles, where its first neglected term is below the rounding error. A turn about a known axis
is the pair (cos, sin) of half its angle: half_turn. Two about one axis combine as complex numbers
do. Rows of joints that turn come last, see ``joints.py``.
"""

from math import atan2, cos, floor, pi, sin, sqrt

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, axpy, cross, dot, scale, sub
from cable_sim.kernels.records.arrays import Floats

SMALL_ANGLE_SQUARED = 1e-6
"""Square of the angle below which sin(x)/x = 1 - x^2/6 + x^4/120 is exact to 1e-21."""


@kernel
def load_quaternion(array: Floats, i: int) -> tuple[float, float, float, float]:
    """Row i of an (n, 4) array."""
    return (array[i, 0], array[i, 1], array[i, 2], array[i, 3])


@kernel
def rotate(q: tuple[float, float, float, float], v: Vector) -> Vector:
    """Body vector v in the world."""
    u = (q[1], q[2], q[3])
    t = cross(u, v)
    t = (2.0 * t[0], 2.0 * t[1], 2.0 * t[2])
    s = cross(u, t)
    return (v[0] + q[0] * t[0] + s[0], v[1] + q[0] * t[1] + s[1], v[2] + q[0] * t[2] + s[2])


@kernel
def rotate_back(q: tuple[float, float, float, float], v: Vector) -> Vector:
    """World vector v in the body."""
    return rotate((q[0], -q[1], -q[2], -q[3]), v)


@kernel
def compose(
    p: tuple[float, float, float, float], q: tuple[float, float, float, float]
) -> tuple[float, float, float, float]:
    """The rotation q followed by p."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


@kernel
def normalise(q: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    """Return the nearest unit quaternion of one that is so except for rounding.

    The excess is found and taken off as a small number: a factor near 1 would leave what is below
    its own rounding.
    """
    s = -0.5 * ((q[0] * q[0] - 1.0) + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (q[0] + s * q[0], q[1] + s * q[1], q[2] + s * q[2], q[3] + s * q[3])


@kernel
def half_turn(angle: float) -> tuple[float, float]:
    """Cosine and sine of half an angle [rad]."""
    x = 0.5 * angle
    x2 = x * x
    if x2 < SMALL_ANGLE_SQUARED:
        return 1.0 - x2 / 2.0 + x2 * x2 / 24.0, x * (1.0 - x2 / 6.0 + x2 * x2 / 120.0)
    return cos(x), sin(x)


@kernel
def combine(first: tuple[float, float], second: tuple[float, float]) -> tuple[float, float]:
    """Half turns about the same axis, one after the other."""
    return first[0] * second[0] - first[1] * second[1], first[1] * second[0] + first[0] * second[1]


@kernel
def swing(half: tuple[float, float], y: float, z: float) -> tuple[float, float]:
    """Return the components across the axis of a half turn, turned back by twice that.

    That is a fixed vector as seen from the turned body.
    """
    c = 1.0 - 2.0 * half[1] * half[1]
    s = 2.0 * half[0] * half[1]
    return c * y + s * z, c * z - s * y


@kernel
def exp(theta: Vector) -> tuple[float, float, float, float]:
    """Quaternion of the rotation vector theta [rad]."""
    x2 = 0.25 * (theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2])
    if x2 < SMALL_ANGLE_SQUARED:
        s = 0.5 * (1.0 - x2 / 6.0 + x2 * x2 / 120.0)
        c = 1.0 - x2 / 2.0 + x2 * x2 / 24.0
    else:
        x = sqrt(x2)
        s = 0.5 * sin(x) / x
        c = cos(x)
    return (c, s * theta[0], s * theta[1], s * theta[2])


@kernel
def nearest_turn(angle: float, expected: float) -> float:
    """The angle plus the number of whole turns that brings it nearest to the expected one [rad]."""
    return angle + 2.0 * pi * floor((expected - angle) / (2.0 * pi) + 0.5)


@kernel
def multiply3(matrices: Floats, i: int, v: Vector) -> Vector:
    """Matrix i of an (n, 3, 3) array times v."""
    return (
        matrices[i, 0, 0] * v[0] + matrices[i, 0, 1] * v[1] + matrices[i, 0, 2] * v[2],
        matrices[i, 1, 0] * v[0] + matrices[i, 1, 1] * v[1] + matrices[i, 1, 2] * v[2],
        matrices[i, 2, 0] * v[0] + matrices[i, 2, 1] * v[1] + matrices[i, 2, 2] * v[2],
    )


@kernel
def angle_row(parent_axis: Vector, child_axis: Vector) -> tuple[float, Vector]:
    """Gap and the angular part of J for the parent of an angle row; the child's is its negative."""
    return dot(parent_axis, child_axis), cross(parent_axis, child_axis)


@kernel
def turn_vector(
    parent_axes: tuple[Vector, Vector, Vector], child_axes: tuple[Vector, Vector, Vector]
) -> tuple[Vector, float]:
    """Return s and sum_k p_k . c_k of the turn between the axes of parent and child."""
    turn = ZERO
    alike = 0.0
    for k in range(3):
        turn = axpy(0.5, cross(parent_axes[k], child_axes[k]), turn)
        alike += dot(parent_axes[k], child_axes[k])
    return turn, alike


@kernel
def turn_row(
    axis: Vector,
    turn: Vector,
    alike: float,
    parent_axes: tuple[Vector, Vector, Vector],
    child_axes: tuple[Vector, Vector, Vector],
) -> tuple[float, Vector]:
    """Gap and the angular part of J for the child of a turn row; the parent's is its negative."""
    across = ZERO
    for k in range(3):
        across = axpy(dot(axis, child_axes[k]), parent_axes[k], across)
    return dot(axis, turn), scale(0.5, sub(scale(alike, axis), across))


@kernel
def hinge_angle(parent_t1: Vector, parent_t2: Vector, child_t1: Vector) -> float:
    """Angle of the child's t1 about the joint's axis from the parent's t1, in (-pi, pi] [rad]."""
    return atan2(dot(child_t1, parent_t2), dot(child_t1, parent_t1))
