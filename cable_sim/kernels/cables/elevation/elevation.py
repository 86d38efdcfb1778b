"""The elevation cable's second layer: a wave in each span, on top of the straight cable.

Garcia-Fernandez, Pla-Castells & Martinez-Dura 2008, section 3.2 (eq. 5-7 with the signs of
misprints 18 to 24), after the same authors' model of 2007. The first layer is the cable through its
nodes (``massless.py``): one tension T, but for the losses of sheaves. The second gives every span,
of chord l along the unit vector d, a displacement u(x, t) across the chord, x = s / l in 0...1,

    u_tt + b u_t = (a / l)^2 u_xx + R,      a^2 = T / rho,      u = 0 at both ends,
    R = g' - r_tt - b r_t,                  r(x, t) = (1 - x) p_0 + x p_1,

where ' takes the part across d, rho is the mass per length [kg/m], b the damping [1/s] and p the
nodes. Steps in time: ``wave.py``; pulls at the nodes: ``slopes.py``. What the wind drags at the
rope is in g (``wind.py``).

The variants differ in their normals and in what the grid goes along: ``chords.py``.

*Pulls across.* The tension of a step is known when its velocities are; the ends are pulled across
their chords before. They are pulled with that of the last step, T_n, and get with it what that
lacked: 2 T_n - T_{n-1}. So the impulses are those of the tension, one step late, and of second
order in h.

*Back to the first layer.* The arc length of a span takes the place of its chord in the path of the
cable, and how it gives way to the tension is solved together with that (``wave_compliance.py``).

*Too tight for the step.* Above k h = sqrt(1/2) the explicit scheme of the paper straightens the
span, which the status tells: STRAIGHTENED, as long as it lasts. A span that sags at rest is lifted
by that, and may catch itself with more than the limit each time it falls, for ever. The adaptive
scheme takes damped steps there instead.

Not modelled: the change of tension with height (rho g dz) and the weight of the rope along its
chord, waves along the rope, the inertia of the half interval at each end.

Misprints are numbered as in docs/theory/misprints.md.
"""

from math import sqrt
from typing import NamedTuple

from cable_sim.kernels.cables.contact.span_stops import closing_speed
from cable_sim.kernels.cables.elevation.chords import FREE, chord_grid, span_normal
from cable_sim.kernels.cables.elevation.slopes import end_forces, is_steep
from cable_sim.kernels.cables.elevation.wave import (
    EULER,
    TRAPEZOIDAL,
    apply_grid_growth,
    arc_length,
    damped_step,
    explicit_step,
    factorise_tridiagonal,
    implicit_step,
)
from cable_sim.kernels.cables.massless.massless import end_velocities
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.bodies import DYNAMIC, point_velocity, push_body
from cable_sim.kernels.multibody.vec3 import Vector, add, axpy, cross, dot, load, scale, store, sub
from cable_sim.kernels.multibody.wind import Field, specific_rope_load
from cable_sim.kernels.records import Floats
from cable_sim.kernels.records.bodies import Bodies
from cable_sim.kernels.records.cables import NodeReadings, SpanReadings
from cable_sim.kernels.records.lines import Lines
from cable_sim.kernels.records.waves import Curves
from cable_sim.kernels.status import SOLVED, STRAIGHTENED, TOO_STEEP

EXPLICIT = 0
IMPLICIT = 1
ADAPTIVE = 2
"""Values of ``cable_wave_scheme``. The last takes explicit steps, and damped ones where those would
not be stable."""
STABLE_RATIO = sqrt(0.5)
"""Largest k h with which the explicit scheme runs, as in the paper."""


class Rule(NamedTuple):
    """Step of a span's wave: scheme of :func:`choose_scheme`, k^2 [1/s^2] and damping [1/s]."""

    scheme: int
    stiffness: float
    damping: float


@kernel
def place_spans(lines_out: Lines) -> None:
    """Compute normals and arc lengths of all spans with waves at the present pose.

    The paths beyond the nodes are computed with them.
    """
    waves = lines_out.waves
    span_work_out = lines_out.span_work
    for c in range(waves.oscillates.size):
        if not waves.oscillates[c]:
            continue
        remaining = 0.0
        for k in range(
            lines_out.cables.node_start[c + 1] - 2, lines_out.cables.node_start[c] - 1, -1
        ):
            span_work_out.arc[k] = span_work_out.length[k]
            direction = load(span_work_out.direction, k)
            if waves.start[k] >= 0 and span_work_out.length[k] > 0.0:
                store(
                    span_normal(waves.kind[c], load(lines_out.span_state.normal, k), direction),
                    k,
                    span_work_out.normal,
                )
            if lines_out.span_state.waves[k]:
                begin = waves.start[k]
                end = waves.start[k] + waves.intervals[k] + 1
                along, rise = chord_grid(waves.kind[c], span_work_out.length[k], direction)
                span_work_out.arc[k] = arc_length(
                    along,
                    rise,
                    lines_out.wave_state.displacement[0, begin:end],
                    lines_out.wave_state.displacement[1, begin:end],
                    lines_out.wave_work.scratch[0, begin:end],
                )
            remaining += span_work_out.arc[k] - lines_out.node_state.path_offset[k]
            lines_out.node_work.remaining_path_length[k] = remaining


@kernel
def push_node(impulse: Vector, k: int, bodies: Bodies, lines_out: Lines) -> None:
    """Give the body at node k an impulse [N s]."""
    b = lines_out.node_state.body[k]
    if bodies.kind[b] == DYNAMIC:
        push_body(
            b,
            load(lines_out.node_work.arm, k),
            impulse,
            lines_out.bodies,
            lines_out.body_work.next_velocity,
        )


@kernel
def apply_transverse_pulls(h: float, gravity: Vector, bodies: Bodies, lines_out: Lines) -> None:
    """Pull the ends of all curves across their chords.

    The pull is the tension, carried on from the last two steps, times the slopes.
    """
    cables = lines_out.cables
    waves = lines_out.waves
    span_work = lines_out.span_work
    span_state_out = lines_out.span_state
    curves = span_curves(lines_out)
    for c in range(waves.oscillates.size):
        if not waves.oscillates[c]:
            continue
        for k in range(cables.node_start[c], cables.node_start[c + 1] - 1):
            tension = 2.0 * span_work.tension[k] - span_state_out.tension_before[k]
            span_state_out.tension_before[k] = span_work.tension[k]
            if not span_state_out.waves[k]:
                continue
            start, end = end_forces(k, waves.kind[c], tension, cables.density[c], gravity, curves)
            push_node(scale(h, start), k, bodies, lines_out)
            push_node(scale(h, end), k + 1, bodies, lines_out)


@kernel
def span_curves(lines: Lines) -> Curves:
    """Return the curves of all spans."""
    return Curves(
        lines.waves.start,
        lines.waves.intervals,
        lines.wave_state.displacement,
        lines.wave_state.rate,
        lines.span_work.normal,
        lines.span_work.length,
        lines.span_work.direction,
        lines.wave_work.scratch,
    )


@kernel
def specific_end_loads(c: int, k: int, field: Field, lines: Lines) -> tuple[Vector, Vector]:
    """Return gravity with the wind load at both ends of span k of cable c [m/s^2]."""
    if field.drag[c] == 0.0:
        return field.gravity, field.gravity
    drag = field.drag[c] / lines.cables.density[c]
    along = load(lines.span_work.direction, k)
    return specific_rope_load(field, drag, k, along, lines), specific_rope_load(
        field, drag, k + 1, along, lines
    )


@kernel
def node_load(h: float, gravity: Vector, damping: float, k: int, lines: Lines) -> Vector:
    """Return g - r_tt - b r_t at a node [m/s^2], with the wind in g.

    It is the load on the rope there in the frame of its span's ends.
    """
    b = lines.node_state.body[k]
    arm = load(lines.node_work.arm, k)
    next_velocity = lines.body_work.next_velocity
    spin = load(next_velocity[:, 3:], b)
    velocity = point_velocity(next_velocity, b, arm)
    change = sub(velocity, point_velocity(lines.bodies.velocity, b, arm))
    acceleration = axpy(1.0 / h, change, cross(spin, cross(spin, arm)))
    return sub(sub(gravity, acceleration), scale(damping, velocity))


@kernel
def span_loads(
    h: float, c: int, k: int, damping: float, field: Field, lines: Lines
) -> tuple[Vector, Vector]:
    """Return the loads on the rope of span k of cable c at its two ends [m/s^2]."""
    pull, next_pull = specific_end_loads(c, k, field, lines)
    return node_load(h, pull, damping, k, lines), node_load(h, next_pull, damping, k + 1, lines)


@kernel
def is_unstable(h: float, stiffness: float) -> bool:
    """Return True if the explicit scheme would be unstable with k^2 [1/s^2]."""
    return stiffness * h * h >= STABLE_RATIO**2


@kernel
def choose_scheme(scheme: int, tight: bool) -> int:
    """Return the scheme of a span's step: EXPLICIT, IMPLICIT, or ADAPTIVE for the damped one."""
    return EXPLICIT if scheme == ADAPTIVE and not tight else scheme


@kernel
def component_step(
    h: float,
    rule: Rule,
    loads: tuple[float, float],
    scratch_out: Floats,
    wave_out: Floats,
    rate_out: Floats,
) -> None:
    """Advance one component of a wave by one step of a rule."""
    if rule.scheme == IMPLICIT:
        implicit_step(h, rule.stiffness, rule.damping, loads, scratch_out, wave_out, rate_out)
    elif rule.scheme == ADAPTIVE:
        damped_step(h, rule.stiffness, rule.damping, loads, scratch_out, wave_out, rate_out)
    else:
        explicit_step(h, rule.stiffness, rule.damping, loads[0], loads[1], wave_out, rate_out)


@kernel
def span_step(
    h: float,
    k: int,
    rule: Rule,
    components: int,
    growth: float,
    loads: tuple[Vector, Vector],
    curves_out: Curves,
) -> None:
    """Advance the wave of span k by one step of a rule.

    ``growth`` is (dl/dt) / l where it counts, else 0.
    """
    begin = curves_out.start[k]
    end = curves_out.start[k] + curves_out.intervals[k] + 1
    across = load(curves_out.normal, k)
    scratch_out = curves_out.scratch[:, begin:end]
    if rule.scheme != EXPLICIT:
        q = (TRAPEZOIDAL if rule.scheme == IMPLICIT else EULER) * h * h * rule.stiffness
        factorise_tridiagonal(h, q, rule.damping, scratch_out[0], scratch_out[1])
    for i in range(components):
        if i == 1:
            across = cross(load(curves_out.direction, k), across)
        wave_out = curves_out.displacement[i, begin:end]
        rate_out = curves_out.rate[i, begin:end]
        if growth != 0.0:
            apply_grid_growth(h, growth, wave_out, rate_out, scratch_out[2])
        own = dot(loads[0], across), dot(loads[1], across)
        component_step(h, rule, own, scratch_out, wave_out, rate_out)


@kernel
def straightening_energy(c: int, k: int, start: Vector, end: Vector, lines: Lines) -> float:
    """Return the energy that straightening span k takes away [J].

    It is that of the motion beyond the motion of its chord, and tension times length. ``start`` and
    ``end`` are the velocities of its nodes, with which a straight span goes on.
    """
    waves = lines.waves
    wave_state = lines.wave_state
    span_work = lines.span_work
    normal = load(span_work.normal, k)
    second = cross(load(span_work.direction, k), normal)
    motion = 0.0
    for m in range(waves.intervals[k] + 1):
        i = waves.start[k] + m
        x = m / waves.intervals[k]
        carried = add(scale(1.0 - x, start), scale(x, end))
        motion += wave_state.rate[0, i] * (wave_state.rate[0, i] + 2.0 * dot(carried, normal))
        motion += wave_state.rate[1, i] * (wave_state.rate[1, i] + 2.0 * dot(carried, second))
    piece = span_work.length[k] / waves.intervals[k]
    motion *= 0.5 * lines.cables.density[c] * piece
    return motion + span_work.tension[k] * (span_work.arc[k] - span_work.length[k])


@kernel
def straighten_wave(c: int, k: int, lines_out: Lines) -> None:
    """Suspend the wave of span k of cable c, and book the energy and the length that this takes
    away."""
    waves = lines_out.waves
    span_work = lines_out.span_work
    start, end = end_velocities(k, lines_out.body_work.next_velocity, lines_out)
    lines_out.cable_state.wave_loss[c, 0] += straightening_energy(c, k, start, end, lines_out)
    lines_out.cable_state.wave_loss[c, 1] += span_work.arc[k] - span_work.length[k]
    for i in range(waves.start[k], waves.start[k] + waves.intervals[k] + 1):
        for j in range(2):
            lines_out.wave_state.displacement[j, i] = 0.0
            lines_out.wave_state.rate[j, i] = 0.0


@kernel
def advance(h: float, field: Field, lines_out: Lines) -> int:
    """Advance all waves by a step under its tensions; return status flags.

    Explicit waves that would not be stable are straightened: the status is STRAIGHTENED. The energy
    and the length that this takes away are added to ``cable_lost``. The status is TOO_STEEP where
    tension bends a curve that is too steep for it.
    """
    cables = lines_out.cables
    waves = lines_out.waves
    span_work = lines_out.span_work
    flags = SOLVED
    curves = span_curves(lines_out)
    for c in range(waves.oscillates.size):
        if not waves.oscillates[c]:
            continue
        damping = waves.damping[c]
        components = 2 if waves.kind[c] == FREE else 1
        for k in range(cables.node_start[c], cables.node_start[c + 1] - 1):
            if not lines_out.span_state.waves[k]:
                continue
            if is_steep(c, k, lines_out):
                flags |= TOO_STEEP
            store(load(span_work.normal, k), k, lines_out.span_state.normal)
            along, _ = chord_grid(waves.kind[c], span_work.length[k], load(span_work.direction, k))
            stiffness = span_work.tension[k] / cables.density[c] * (waves.intervals[k] / along) ** 2
            tight = is_unstable(h, stiffness)
            if waves.scheme[c] == EXPLICIT and tight:
                flags |= STRAIGHTENED
                straighten_wave(c, k, lines_out)
                continue
            growth = 0.0
            if waves.mixed_term[c]:
                closing = closing_speed(k, lines_out.body_work.next_velocity, lines_out)
                growth = -closing / span_work.length[k]
            loads = span_loads(h, c, k, damping, field, lines_out)
            rule = Rule(choose_scheme(waves.scheme[c], tight), stiffness, damping)
            span_step(h, k, rule, components, growth, loads, curves)
    return flags


@kernel
def add_node_forces(
    gravity: Vector, lines: Lines, span_readings: SpanReadings, node_readings_out: NodeReadings
) -> None:
    """Add the pulls of the curves across their chords to the forces at the nodes [N]."""
    cables = lines.cables
    waves = lines.waves
    curves = span_curves(lines)
    for c in range(waves.oscillates.size):
        if not waves.oscillates[c]:
            continue
        for k in range(cables.node_start[c], cables.node_start[c + 1] - 1):
            if not lines.span_state.waves[k]:
                continue
            start, end = end_forces(
                k, waves.kind[c], span_readings.tension[k], cables.density[c], gravity, curves
            )
            for i in range(3):
                node_readings_out.force[k, i] += start[i]
                node_readings_out.force[k + 1, i] += end[i]


@kernel
def rope_energies(c: int, gravity: Vector, lines: Lines) -> tuple[float, float]:
    """Return kinetic and potential energy of the rope in the spans of cable c that have a grid [J].

    Its motion is that across the chords. A span that lies on a solid counts as straight.
    """
    cables = lines.cables
    waves = lines.waves
    wave_state = lines.wave_state
    node_work = lines.node_work
    span_work = lines.span_work
    motion = 0.0
    height = 0.0
    for k in range(cables.node_start[c], cables.node_start[c + 1] - 1):
        if waves.start[k] < 0 or span_work.length[k] == 0.0:
            continue
        mass = cables.density[c] * span_work.length[k] / waves.intervals[k]
        start, end = end_velocities(k, lines.bodies.velocity, lines)
        y = load(span_work.normal, k)
        d = load(span_work.direction, k)
        z = cross(d, y)
        for m in range(waves.intervals[k] + 1):
            i = waves.start[k] + m
            x = m / waves.intervals[k]
            share = mass if 0 < m < waves.intervals[k] else 0.5 * mass
            carried = add(scale(1.0 - x, start), scale(x, end))
            rate_y = dot(carried, y) + wave_state.rate[0, i]
            rate_z = dot(carried, z) + wave_state.rate[1, i]
            motion += 0.5 * share * (rate_y * rate_y + rate_z * rate_z)
            along = add(
                scale(1.0 - x, load(node_work.position, k)),
                scale(x, load(node_work.position, k + 1)),
            )
            across = add(
                scale(wave_state.displacement[0, i], y), scale(wave_state.displacement[1, i], z)
            )
            height -= share * dot(gravity, add(along, across))
    return motion, height
