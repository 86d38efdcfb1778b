"""Traces of curves, which keep waves in their places when nodes come and go.

A row of a trace is the place, the position and the velocity of a point, in the world.

*Waves.* When a contact node divides a span at the part x_p of its chord, or goes and leaves one
span of two, the curve stays where it is in the world but for the hat function of what the node
moves it by,

    P(x) -> P(x) + d min(x / x_p, (1 - x) / (1 - x_p)).

A node that comes takes the point of the curve there onto the solid; one that goes leaves the curve
where it is. The new displacements are those of the old polygon at the places where it stands over
the points of the new chord; as points of the old polygon they make it no longer.

*Impact.* The rope comes to rest at a new node. Seen from there it has the velocities w, and gets r
= -w(x_p) times a hat function phi of the kind above; along the chord it has none of its own, so r
is across. Its kinetic energy grows by the mass per length times the sum over the points of

    phi r . w + phi^2 r^2 / 2.

At the top that is -r^2 / 2, but where a rippled rope runs the other way it is above zero, and an
impact gives nothing. The hat is as wide as the span, therefore, only if the sum is not above zero;
else its width is halved until it is so.
"""

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import Vector, axpy, dot, load, store, sub
from cable_sim.kernels.records.arrays import Floats

NARROWEST = 0.1
"""Least width of a hat function, as a part of the distance between two points of a curve. It then
changes no point except its top."""


@kernel
def interpolate_trace(place: float, rows: int, column: int, trace: Floats) -> Vector:
    """Return the trace at a place, interpolated: three columns from ``column`` on."""
    row = 0
    while row < rows - 2 and trace[row + 1, 0] < place:
        row += 1
    width = trace[row + 1, 0] - trace[row, 0]
    x = (place - trace[row, 0]) / width if width > 0.0 else 0.0
    before = load(trace[:, column:], row)
    after = load(trace[:, column:], row + 1)
    return axpy(x, sub(after, before), before)


@kernel
def hat_function(s: float, place: float, width: float) -> float:
    """Return the hat function at s.

    It is 1 at ``place`` and 0 from the part ``width`` of the way to the ends on.
    """
    return max(0.0, 1.0 - abs(s - place) / (width * (place if s < place else 1.0 - place)))


@kernel
def bend_trace(place: float, offset: Vector, rows: int, trace_out: Floats) -> None:
    """Add the hat function with its top at ``place`` to the positions of the trace [m]."""
    for row in range(rows):
        store(
            axpy(hat_function(trace_out[row, 0], place, 1.0), offset, load(trace_out[:, 1:], row)),
            row,
            trace_out[:, 1:],
        )


@kernel
def hat_energy(
    place: float, width: float, rate: Vector, velocity: Vector, rows: int, trace: Floats
) -> float:
    """Return the energy that a hat of ``rate`` gives to the trace, by mass [m^2/s^2].

    It is seen from a node with this velocity.
    """
    total = 0.0
    for row in range(1, rows - 1):
        part = hat_function(trace[row, 0], place, width)
        total += part * dot(rate, sub(load(trace[:, 4:], row), velocity)) + 0.5 * part * part * dot(
            rate, rate
        )
    return total


@kernel
def stop_trace(place: float, velocity: Vector, rows: int, trace_out: Floats) -> None:
    """Bring the trace to rest at a node at ``place``, by an impact that adds no energy.

    ``velocity`` is that of the node [m/s].
    """
    chord = sub(load(trace_out[:, 1:], rows - 1), load(trace_out[:, 1:], 0))
    rate = sub(velocity, interpolate_trace(place, rows, 4, trace_out))
    rate = axpy(-dot(rate, chord) / max(dot(chord, chord), 1e-24), chord, rate)
    width = 1.0
    while (
        width * (rows - 1) > NARROWEST
        and hat_energy(place, width, rate, velocity, rows, trace_out) > 0.0
    ):
        width *= 0.5
    for row in range(rows):
        part = hat_function(trace_out[row, 0], place, width)
        store(axpy(part, rate, load(trace_out[:, 4:], row)), row, trace_out[:, 4:])
