"""Work of gravity on the curves of elevation cables, and the kinetic energy that they have.

Only the part of its weight across the chord acts on a curve, along its normals e and f
(``elevation.py``), and half an interval at each end has no inertia. The work of that weight is no
potential, as the chord turns. So an account of energy takes it step by step: with v the velocities
of the ends, y and z the displacements of the M intervals of a span of length l,

    dW/dt = sum_i m_i g' . v_i = rho l sum_n (g . n) ( (v_0 + v_1) / 2 . n + r_n / M ),
    n = e, f,    r_e = sum y', r_f = sum z',

as the ends have half of the mass of a point. A planar curve has no inertia along f. A span that
lies straight on a solid has neither.

Under ``spook`` the rates at both ends of a step count, each for half of it, with the normals of the
pose between them: of second order.
"""

from cable_sim.kernels.cables.elevation.chords import FREE
from cable_sim.kernels.cables.massless.massless import end_velocities
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import Vector, add, cross, dot, load, scale
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.lines import Lines


@kernel
def rate_sum(k: int, component: int, lines: Lines) -> float:
    """Return the sum of the rates of one component of the points of span k [m/s]."""
    total = 0.0
    for i in range(lines.waves.start[k] + 1, lines.waves.start[k] + lines.waves.intervals[k]):
        total += lines.wave_state.rate[component, i]
    return total


@kernel
def curve_power(k: int, density: float, gravity: Vector, lines: Lines, velocity: Floats) -> float:
    """Return the power of gravity on the curve of span k [W]."""
    waves = lines.waves
    span_work = lines.span_work
    y = load(span_work.normal, k)
    z = cross(load(span_work.direction, k), y)
    start, end = end_velocities(k, velocity, lines)
    middle = scale(0.5, add(start, end))
    intervals = waves.intervals[k]
    along_y = dot(middle, y) + rate_sum(k, 0, lines) / intervals
    along_z = dot(middle, z) + rate_sum(k, 1, lines) / intervals
    mass = density * span_work.length[k]
    return mass * (dot(gravity, y) * along_y + dot(gravity, z) * along_z)


@kernel
def add_work(t: float, gravity: Vector, velocity: Floats, lines_out: Lines) -> None:
    """Add the work of gravity on all curves in a time t [s], with these velocities of bodies."""
    cables = lines_out.cables
    for c in range(lines_out.waves.oscillates.size):
        if not lines_out.waves.oscillates[c]:
            continue
        for k in range(cables.node_start[c], cables.node_start[c + 1] - 1):
            if lines_out.span_state.waves[k]:
                lines_out.cable_state.curve_work[c] += t * curve_power(
                    k, cables.density[c], gravity, lines_out, velocity
                )


@kernel
def kinetic_energy(c: int, lines: Lines) -> float:
    """Return the kinetic energy of the curves of cable c that the model has [J]."""
    cables = lines.cables
    waves = lines.waves
    span_work = lines.span_work
    total = 0.0
    for k in range(cables.node_start[c], cables.node_start[c + 1] - 1):
        if not lines.span_state.waves[k]:
            continue
        share = cables.density[c] * span_work.length[k] / waves.intervals[k]
        start, end = end_velocities(k, lines.bodies.velocity, lines)
        y = load(span_work.normal, k)
        z = cross(load(span_work.direction, k), y)
        for i in range(1, waves.intervals[k]):
            x = i / waves.intervals[k]
            carried = add(scale(1.0 - x, start), scale(x, end))
            rate_y = dot(carried, y) + lines.wave_state.rate[0, waves.start[k] + i]
            rate_z = dot(carried, z) + lines.wave_state.rate[1, waves.start[k] + i]
            aside = rate_z * rate_z if waves.kind[c] == FREE else 0.0
            total += 0.5 * share * (rate_y * rate_y + aside)
    return total


@kernel
def layout(c: int, lines: Lines) -> tuple[float, float]:
    """Return the mass of the spans of cable c that have a grid [kg], and a number that changes
    where contact nodes come and go."""
    mass = 0.0
    pattern = 0.0
    for k in range(lines.cables.node_start[c], lines.cables.node_start[c + 1] - 1):
        if lines.waves.start[k] >= 0 and lines.span_work.length[k] > 0.0:
            mass += lines.cables.density[c] * lines.span_work.length[k]
            pattern += (k + 1.0) * (2.0 if lines.span_state.waves[k] else 1.0)
    return mass, pattern
