"""Slopes at the ends of the curves of an elevation cable, and its pulls there.

Symbols as in ``elevation.py``: T is the tension, rho the mass per length, l and d are length and
direction of the chord, u_1 and u_{M-1} the displacements next to its ends.

At its ends the cable pulls along the curve: beside T d, the nodes get T times the slopes across d,
(M / l) u_1 and (M / l) u_{M-1}, and the weight of half an interval each. They carry the span's
weight and inertia: at rest rho g' l / 2 each.

*Too steep.* Valid for slopes that are small against one. A parabola with the slope s at its ends is
longer than its chord by s^2 / 6 of that. The status tells TOO_STEEP where tension bends a curve
that is longer than that with STEEPEST, or that rises by STEEPEST from an end over a thirty-second
of its chord: there the pull T s stands for T s / sqrt(1 + s^2), and does work that no length
accounts for. Over less than that a rope that catches itself is as steep for a moment, and comes to
rest.
"""

from math import hypot

from cable_sim.kernels.cables.elevation.chords import chord_grid
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import Vector, add, axpy, cross, dot, load, scale
from cable_sim.kernels.records.lines import Lines, SpanWaves
from cable_sim.kernels.records.waves import Curves

STEEPEST = 0.5
"""Largest slope at the ends of a curve before TOO_STEEP is set."""
LONGEST = 1.0 + STEEPEST**2 / 6.0
"""Length of the parabola with that slope over the length of its chord."""


@kernel
def end_slopes(
    k: int, kind: int, normal: Vector, curves: SpanWaves | Curves
) -> tuple[Vector, Vector]:
    """Slopes across the chord of span k at its two ends, as vectors in the world [-]."""
    first = curves.start[k]
    last = curves.start[k] + curves.intervals[k]
    direction = load(curves.direction, k)
    along, _ = chord_grid(kind, curves.length[k], direction)
    per_length = curves.intervals[k] / along
    z = cross(direction, normal)
    wave = curves.displacement
    start = add(
        scale(per_length * wave[0, first + 1], normal), scale(per_length * wave[1, first + 1], z)
    )
    end = add(
        scale(-per_length * wave[0, last - 1], normal), scale(-per_length * wave[1, last - 1], z)
    )
    return start, end


@kernel
def end_forces(
    k: int, kind: int, tension: float, density: float, gravity: Vector, curves: SpanWaves | Curves
) -> tuple[Vector, Vector]:
    """Return the forces across the chord of span k on its two nodes [N].

    They are those of the curve, and the weight of half an interval each.
    """
    start, end = end_slopes(k, kind, load(curves.normal, k), curves)
    direction = load(curves.direction, k)
    weight = scale(
        0.5 * density * curves.length[k] / curves.intervals[k],
        axpy(-dot(gravity, direction), direction, gravity),
    )
    return axpy(tension, start, weight), axpy(-tension, end, weight)


@kernel
def is_steep(c: int, k: int, lines: Lines) -> bool:
    """Return True where tension bends the curve of span k of cable c beyond its model."""
    if lines.span_work.tension[k] <= 0.0:
        return False
    if lines.span_work.arc[k] > LONGEST * lines.span_work.length[k]:
        return True
    along, _ = chord_grid(
        lines.waves.kind[c], lines.span_work.length[k], load(lines.span_work.direction, k)
    )
    from_end = (lines.waves.intervals[k] + 31) // 32
    largest = STEEPEST * along * from_end / lines.waves.intervals[k]
    u = lines.wave_state.displacement
    first = lines.waves.start[k]
    last = lines.waves.start[k] + lines.waves.intervals[k]
    return (
        hypot(u[0, first + from_end], u[1, first + from_end]) > largest
        or hypot(u[0, last - from_end], u[1, last - from_end]) > largest
    )
