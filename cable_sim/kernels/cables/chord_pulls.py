"""Pulls of an elevation cable's curves along their chords, so that energy is kept.

Symbols as in ``elevation.py``. With w_i = u_i,t + r_t . e_i the velocity of a point across the
chord along the normal e_i, the string of a span is

    w_i,t = (T / rho l^2) u_i,xx + g . e_i - b w_i + r_t . e_i',

the last term because the normals turn with the chord. On the grid, m = rho l / M the mass at a
point, u_0 = u_M = 0, the pulls T u_x / l across the chord at the ends take from the nodes what the
string gets there. Let K = sum m w^2 / 2, S the length of the curve, and s_k its slopes. What is
left of the sum of kinetic energy, weight, strain T dS/dt and the work of T along the chord is

    dE/dt = (K / l) l' - T (1 - C) l' + sum m w_i r_t . e_i',    C = dS/dl = mean 1 / |(1, s_k)|,

beside T sum (sin - tan of a slope) of the fourth order in the slopes (``slopes.py``). The first
term is rope that comes into the span or goes, the second the slant of the curve, whose tension
pulls along its chord with the part C only, the third the inertia of rope that moves along a chord
which turns. All have the velocities of the nodes as a factor: l' = d . (v_1 - v_0), r_t = (1 - x)
v_0 + x v_1. So forces on the nodes take what else would come from nowhere,

    F_0 =  (K / l - T (1 - C) + sum m (1 - x) w . d') d,
    F_1 = -(K / l - T (1 - C) - sum m x w . d') d,

with no work to do where nothing moves. Of a load that swings on a straight rope they are the
centrifugal force of the rope.

e_i' = -(d' . e_i) d, with d' = (v_1 - v_0)' / l: these are spans that swing to all sides. The frame
of a planar span turns about its chord as well, and the grid of one of 2007 goes along the
horizontal: these have none of it.

*In time* they belong to the middle of the step, where u and d are, while rates and velocities are
those before. So sums with w are taken with the frame as it was at that time, and are carried on by
half a step from the last two. T is carried on as for the pulls across.
"""

from math import hypot

from cable_sim.kernels.bodies import point_velocity
from cable_sim.kernels.cables.chords import FREE, span_normal
from cable_sim.kernels.cables.elevation import push_node
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.vec3 import axpy, cross, dot, load, norm, scale, sub

KNOWN = 3
"""Column of ``spans.curve_inertia`` that tells whether the others are those of a step before."""


@kernel
def chord_turn(start, end, direction, length):
    """Return d' of a chord whose ends have the velocities ``start`` and ``end`` [1/s]."""
    apart = sub(end, start)
    return scale(1.0 / length, axpy(-dot(apart, direction), direction, apart))


@kernel
def inertia_sums(k, density, lead, start, end, waves, wave_state, span_work):
    """Return K / l, and the sums of m w . d' for the two ends of span k [N].

    ``start`` and ``end`` are the velocities of the ends, ``lead`` how long ago they were [s].
    """
    length = span_work.length[k]
    direction = load(span_work.direction, k)
    before = axpy(-lead, chord_turn(start, end, direction, length), direction)
    before = scale(1.0 / norm(before), before)
    turn = chord_turn(start, end, before, length)
    y = span_normal(FREE, load(span_work.normal, k), before)
    z = cross(before, y)
    intervals = waves.intervals[k]
    square = 0.0
    both = 0.0
    far = 0.0
    for m in range(1, intervals):
        i = waves.start[k] + m
        x = m / intervals
        carried = axpy(x, end, scale(1.0 - x, start))
        w_y = dot(carried, y) + wave_state.rate[0, i]
        w_z = dot(carried, z) + wave_state.rate[1, i]
        outwards = w_y * dot(turn, y) + w_z * dot(turn, z)
        square += w_y * w_y + w_z * w_z
        both += outwards
        far += x * outwards
    point = density * length / intervals
    return 0.5 * density / intervals * square, point * (both - far), point * far


@kernel
def slant_loss(k, waves, wave_state, span_length):
    """Return 1 - C, the part of the tension that the slant of a curve keeps from its chord [-]."""
    piece = span_length[k] / waves.intervals[k]
    u = wave_state.displacement
    lost = 0.0
    for i in range(waves.start[k], waves.start[k] + waves.intervals[k]):
        y = (u[0, i + 1] - u[0, i]) / piece
        z = (u[1, i + 1] - u[1, i]) / piece
        slope = hypot(1.0, hypot(y, z))
        lost += (y * y + z * z) / (slope * (1.0 + slope))
    return lost / waves.intervals[k]


@kernel
def carry_on(k, sums, span_state_out):
    """Return sums as they will be half a step later, and keep them for the next step."""
    kept = span_state_out.curve_inertia[k]
    part = 0.5 * kept[KNOWN]
    carried = (
        sums[0] + part * (sums[0] - kept[0]),
        sums[1] + part * (sums[1] - kept[1]),
        sums[2] + part * (sums[2] - kept[2]),
    )
    for i in range(KNOWN):
        kept[i] = sums[i]
    kept[KNOWN] = 1.0
    return carried


@kernel
def node_pulls(sums, slant, direction):
    """Return F_0 and F_1 [N]; ``slant`` is T (1 - C)."""
    along = sums[0] - slant
    return scale(along + sums[1], direction), scale(sums[2] - along, direction)


@kernel
def apply_chord_pulls(
    h,
    lead,
    cables,
    waves,
    bodies,
    node_state,
    body_velocity,
    span_work,
    wave_state,
    node_work,
    span_state_out,
    body_work_out,
):
    """Pull the nodes of all spans with waves by F_0 and F_1.

    ``lead`` is the time by which the pose stands ahead of the velocities [s].
    """
    for c in range(waves.oscillates.size):
        if not waves.oscillates[c] or waves.kind[c] != FREE:
            continue
        for k in range(cables.node_start[c], cables.node_start[c + 1] - 1):
            if not span_state_out.waves[k]:
                span_state_out.curve_inertia[k, KNOWN] = 0.0
                continue
            start = point_velocity(body_velocity, node_state.body[k], load(node_work.arm, k))
            end = point_velocity(body_velocity, node_state.body[k + 1], load(node_work.arm, k + 1))
            now = inertia_sums(k, cables.density[c], lead, start, end, waves, wave_state, span_work)
            sums = carry_on(k, now, span_state_out)
            tension = 2.0 * span_work.tension[k] - span_state_out.tension_before[k]
            slant = tension * slant_loss(k, waves, wave_state, span_work.length)
            first, last = node_pulls(sums, slant, load(span_work.direction, k))
            push_node(scale(h, first), k, node_state, bodies, node_work, body_work_out)
            push_node(scale(h, last), k + 1, node_state, bodies, node_work, body_work_out)
