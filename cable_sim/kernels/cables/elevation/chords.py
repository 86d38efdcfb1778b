"""The frame of a span that oscillates: its normals, and the line of its grid.

*Variants.* FREE: u has two components, along the normals e2 and e3 = d x e2. e2 is carried along
with the chord by the least rotation (projected onto the new normal plane and made a unit vector),
so it never jumps, also where a span passes through the vertical. PLANAR is the paper of 2008: e2 in
the vertical plane of the chord, one component; where the chord is upright e2 is carried. HORIZONTAL
is the form of 2007: x is the horizontal distance, l the horizontal length, u is vertical.
"""

from math import hypot

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import Vector, axpy, dot, norm, scale

FREE = 0
PLANAR = 1
HORIZONTAL = 2
"""Values of ``cable_wave_kind``."""
UPRIGHT = 0.02
"""Sine of the slope from the vertical below which a chord is taken as upright."""
UP = (0.0, 0.0, 1.0)


@kernel
def transport_normal(normal: Vector, direction: Vector) -> Vector:
    """Return the unit vector across ``direction`` that is nearest to ``normal``."""
    across = axpy(-dot(normal, direction), direction, normal)
    length = norm(across)
    if length < 1e-6:  # turned by a right angle within a step
        axis = (1.0, 0.0, 0.0) if abs(direction[0]) < 0.6 else (0.0, 1.0, 0.0)
        across = axpy(-dot(axis, direction), direction, axis)
        length = norm(across)
    return scale(1.0 / length, across)


@kernel
def span_normal(kind: int, normal: Vector, direction: Vector) -> Vector:
    """Return the first normal of a span along ``direction``, whose last normal was ``normal``."""
    if kind == HORIZONTAL:
        return UP
    if kind == PLANAR and hypot(direction[0], direction[1]) > UPRIGHT:
        return transport_normal(UP, direction)
    return transport_normal(normal, direction)


@kernel
def chord_grid(kind: int, length: float, direction: Vector) -> tuple[float, float]:
    """Return the length along which the grid of a span goes, and its rise along the normal [m]."""
    if kind == HORIZONTAL:
        return max(
            length * hypot(direction[0], direction[1]), UPRIGHT * length
        ), length * direction[2]
    return length, 0.0
