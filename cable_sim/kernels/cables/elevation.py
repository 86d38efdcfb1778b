"""The elevation cable's second layer: what a span does between its ends, as a wave on top of the straight cable.

Garcia-Fernandez, Pla-Castells & Martinez-Dura 2008, section 3.2 (eq. 5-7 with the signs of errata 18-24), after the
same authors' model of 2007. The first layer is the cable through its nodes (``massless.py``): one tension T. The
second gives every span, of chord l along the unit vector d, a displacement u(x, t) across the chord, x = s / l in
0...1,

    u_tt + b u_t = (a / l)^2 u_xx + R,      a^2 = T / rho,      u = 0 at both ends,
    R = g' - r_tt - b r_t,                  r(x, t) = (1 - x) p_0 + x p_1,

where ' takes the part across d, rho is the mass per length [kg/m], b the damping [1/s] and p the nodes. The paper
keeps the vertical plane; here u has two components, along the normals e2 and e3 = d x e2 of the span.

*Frame.* e2 is carried along with the chord by the least rotation (projected onto the new normal plane and made a unit
vector), so it never jumps, also where a span passes through the vertical, where the paper's e2 has no direction.

*Grid.* M intervals, u_0 = u_M = 0, k^2 = (a M / l)^2, D u = u_{m+1} - 2 u_m + u_{m-1}, v the rate half a step behind u:

    explicit:  (1 + b h/2) v+ = (1 - b h/2) v + h (k^2 D u + R),      u+ = u + h v+,

which is the paper's central scheme in time and space written with rates. It is stable for k h < 1 / sin(pi (M-1) /
2M), about 1 (the paper prints the inverse of the step ratio). With

    implicit:  u+ = u + h (v + v+) / 2,      D acting on (u + u+) / 2,

v stands at the same time as u, every T and h is stable, and one tridiagonal system per span and direction is solved.
Mode n has the frequency n pi a / l, on the grid (2 M a / l) sin(n pi / 2M) and shifted by the step as any
second-order rule.

*Back to the first layer.* The arc length of a span, sum sqrt((l/M)^2 + |u_{m+1} - u_m|^2), takes the place of its
chord in the path of the cable. At its ends the cable pulls along the curve: beside T d, the nodes get T times the
slopes across d, (M / l) u_1 and (M / l) u_{M-1}. They carry the span's weight and inertia: at rest T M u_1 / l = rho
g' l / 2.

Valid for slopes that are small against one. Not modelled: the change of tension with height (rho g dz), waves along the
rope, and the terms of order (dl/dt) / a that come from x = s / l(t).
"""

from math import sqrt

from cable_sim.kernels.bodies import DYNAMIC, point_velocity
from cable_sim.kernels.cables.massless import pull
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.rotation import multiply3
from cable_sim.kernels.vec3 import add, axpy, cross, dot, load, norm, scale, store, sub

EXPLICIT, IMPLICIT = 0, 1
"""Values of ``cable_wave_scheme``."""
STABLE_RATIO = sqrt(0.5)
"""Largest k h with which the explicit scheme goes on, as the paper has it."""


@kernel
def carried_normal(normal, direction):
    """The unit vector across ``direction`` that is nearest to ``normal``."""
    across = axpy(-dot(normal, direction), direction, normal)
    length = norm(across)
    if length < 1e-6:  # turned by a right angle within a step
        axis = (1.0, 0.0, 0.0) if abs(direction[0]) < 0.6 else (0.0, 1.0, 0.0)
        across = axpy(-dot(axis, direction), direction, axis)
        length = norm(across)
    return scale(1.0 / length, across)


@kernel
def explicit_step(
    h, stiffness, damping, load_0, load_1,
    # Out
    wave_out, wave_rate_out,
):  # fmt: skip
    """One explicit step of one component of one span: ``stiffness`` k^2 [1/s^2], loads R at the two ends [m/s^2]."""
    intervals = wave_out.size - 1
    keep, gain = (1.0 - 0.5 * h * damping) / (1.0 + 0.5 * h * damping), h / (1.0 + 0.5 * h * damping)
    slope = (load_1 - load_0) / intervals
    for m in range(1, intervals):
        bend = wave_out[m + 1] - 2.0 * wave_out[m] + wave_out[m - 1]
        wave_rate_out[m] = keep * wave_rate_out[m] + gain * (stiffness * bend + load_0 + slope * m)
    for m in range(1, intervals):
        wave_out[m] += h * wave_rate_out[m]


@kernel
def pivots(
    h, stiffness, damping,
    # Out
    pivot_out, share_out,
):  # fmt: skip
    """Elimination of the trapezoidal rule's matrix, the same for both components of a span."""
    q = 0.25 * h * h * stiffness
    diagonal = 1.0 + 0.5 * h * damping + 2.0 * q
    share_out[0] = 0.0
    for m in range(1, share_out.size - 1):
        pivot_out[m] = 1.0 / (diagonal - q * share_out[m - 1])
        share_out[m] = q * pivot_out[m]


@kernel
def implicit_step(
    h, stiffness, damping, load_0, load_1,
    # State
    pivot, share,
    # Out
    wave_out, wave_rate_out, sweep_out,
):  # fmt: skip
    """One step of the trapezoidal rule for one component of one span, with the span's :func:`pivots`."""
    intervals, q = wave_out.size - 1, 0.25 * h * h * stiffness
    keep, slope = 1.0 - 0.5 * h * damping, (load_1 - load_0) / intervals
    for m in range(1, intervals):
        bend = wave_out[m + 1] - 2.0 * wave_out[m] + wave_out[m - 1]
        rate_bend = wave_rate_out[m + 1] - 2.0 * wave_rate_out[m] + wave_rate_out[m - 1]
        load = h * (stiffness * bend + load_0 + slope * m)
        sweep_out[m] = keep * wave_rate_out[m] + q * rate_bend + load
    sweep_out[0] = 0.0
    for m in range(1, intervals):
        sweep_out[m] = (sweep_out[m] + q * sweep_out[m - 1]) * pivot[m]
    after = 0.0
    for m in range(intervals - 1, 0, -1):
        after = sweep_out[m] + share[m] * after
        wave_out[m] += 0.5 * h * (wave_rate_out[m] + after)
        wave_rate_out[m] = after


@kernel
def arc_length(
    length, wave_y, wave_z,
    # Out
    piece_out,
):  # fmt: skip
    """Length of the curve over a chord of ``length`` [m]; its pieces are scratch."""
    intervals = wave_y.size - 1
    square = (length / intervals) ** 2
    for m in range(intervals):
        dy, dz = wave_y[m + 1] - wave_y[m], wave_z[m + 1] - wave_z[m]
        piece_out[m] = sqrt(square + dy * dy + dz * dz)
    a, b, c, d = 0.0, 0.0, 0.0, 0.0  # four sums, so that no addition waits for the last one
    for m in range(0, intervals - 3, 4):
        a, b, c, d = a + piece_out[m], b + piece_out[m + 1], c + piece_out[m + 2], d + piece_out[m + 3]
    for m in range(intervals - intervals % 4, intervals):
        a += piece_out[m]
    return (a + b) + (c + d)


@kernel
def place(
    # Model
    cable_node_start, cable_waves, span_wave_start, span_intervals,
    # State
    wave, span_normal, span_length, span_direction,
    # Out
    span_normal_now_out, span_arc_out, node_beyond_out, piece_out,
):  # fmt: skip
    """Normals and arc lengths of all spans with waves at the present pose, and the paths beyond the nodes with them."""
    for c in range(cable_waves.size):
        if not cable_waves[c]:
            continue
        beyond = 0.0
        for k in range(cable_node_start[c + 1] - 2, cable_node_start[c] - 1, -1):
            span_arc_out[k] = span_length[k]
            begin, end = span_wave_start[k], span_wave_start[k] + span_intervals[k] + 1
            if begin >= 0:
                store(carried_normal(load(span_normal, k), load(span_direction, k)), k, span_normal_now_out)
                span_arc_out[k] = arc_length(
                    span_length[k], wave[0, begin:end], wave[1, begin:end], piece_out[begin:end]
                )
            beyond += span_arc_out[k]
            node_beyond_out[k] = beyond


@kernel
def end_slopes(k, span_wave_start, span_intervals, wave, span_normal_now, span_length, span_direction):
    """Slopes across the chord of span k at its two ends, as vectors in the world [-]."""
    first, last = span_wave_start[k], span_wave_start[k] + span_intervals[k]
    per_length = span_intervals[k] / span_length[k]
    y, z = load(span_normal_now, k), cross(load(span_direction, k), load(span_normal_now, k))
    start = add(scale(per_length * wave[0, first + 1], y), scale(per_length * wave[1, first + 1], z))
    end = add(scale(-per_length * wave[0, last - 1], y), scale(-per_length * wave[1, last - 1], z))
    return start, end


@kernel
def end_pulls(
    k, tension, density, gravity,
    # Model
    span_wave_start, span_intervals,
    # State
    wave, span_normal_now, span_length, span_direction,
):  # fmt: skip
    """Force across the chord of span k on its two nodes [N]: of the curve, and the weight of half an interval each."""
    start, end = end_slopes(k, span_wave_start, span_intervals, wave, span_normal_now, span_length, span_direction)
    direction = load(span_direction, k)
    weight = scale(
        0.5 * density * span_length[k] / span_intervals[k], axpy(-dot(gravity, direction), direction, gravity)
    )
    return axpy(tension, start, weight), axpy(-tension, end, weight)


@kernel
def push(impulse, k, node_body, body_kind, body_inverse_mass, node_arm, world_inverse_inertia, next_velocity_out):
    """Give the body at node k an impulse [N s]."""
    b = node_body[k]
    if body_kind[b] != DYNAMIC:
        return
    turn = multiply3(world_inverse_inertia, b, cross(load(node_arm, k), impulse))
    for i in range(3):
        next_velocity_out[b, i] += body_inverse_mass[b] * impulse[i]
        next_velocity_out[b, 3 + i] += turn[i]


@kernel
def pull_across(
    h, gravity,
    # Model
    cable_node_start, cable_row, cable_drive_row, cable_waves, cable_density, span_wave_start, span_intervals, node_body, body_kind,
    body_inverse_mass,
    # State
    row_impulse, wave, span_normal_now, span_length, span_direction, node_arm, world_inverse_inertia,
    # Out
    next_velocity_out,
):  # fmt: skip
    """What all curves pull their ends across their chords with: the last step's tension times the slopes."""
    for c in range(cable_waves.size):
        if not cable_waves[c]:
            continue
        tension = pull(cable_row, cable_drive_row, c, row_impulse) / h
        for k in range(cable_node_start[c], cable_node_start[c + 1] - 1):
            if span_wave_start[k] < 0:
                continue
            start, end = end_pulls(
                k, tension, cable_density[c], gravity, span_wave_start, span_intervals, wave, span_normal_now,
                span_length, span_direction,
            )  # fmt: skip
            push(scale(h, start), k, node_body, body_kind, body_inverse_mass, node_arm, world_inverse_inertia,
                 next_velocity_out)  # fmt: skip
            push(scale(h, end), k + 1, node_body, body_kind, body_inverse_mass, node_arm,
                 world_inverse_inertia, next_velocity_out)  # fmt: skip


@kernel
def node_load(h, gravity, damping, k, node_body, node_arm, body_velocity, next_velocity):
    """g - r_tt - b r_t at a node [m/s^2]: what the rope there feels in the frame of its span's ends."""
    b, arm = node_body[k], load(node_arm, k)
    spin = load(next_velocity[:, 3:], b)
    velocity = add(load(next_velocity, b), cross(spin, arm))
    change = sub(velocity, add(load(body_velocity, b), cross(load(body_velocity[:, 3:], b), arm)))
    acceleration = axpy(1.0 / h, change, cross(spin, cross(spin, arm)))
    return sub(sub(gravity, acceleration), scale(damping, velocity))


@kernel
def span_step(
    h, k, scheme, stiffness, damping, start_load, end_load,
    # Model
    span_wave_start, span_intervals,
    # State
    span_normal_now, span_direction,
    # Out
    wave_out, wave_rate_out, scratch_out,
):  # fmt: skip
    """Both components of the wave of span k, a step on."""
    begin, end = span_wave_start[k], span_wave_start[k] + span_intervals[k] + 1
    across = load(span_normal_now, k)
    if scheme == IMPLICIT:
        pivots(h, stiffness, damping, scratch_out[0, begin:end], scratch_out[1, begin:end])
    for i in range(2):
        if i == 1:
            across = cross(load(span_direction, k), across)
        load_0, load_1 = dot(start_load, across), dot(end_load, across)
        if scheme == IMPLICIT:
            implicit_step(
                h, stiffness, damping, load_0, load_1, scratch_out[0, begin:end], scratch_out[1, begin:end],
                wave_out[i, begin:end], wave_rate_out[i, begin:end], scratch_out[2, begin:end],
            )  # fmt: skip
        else:
            explicit_step(
                h, stiffness, damping, load_0, load_1, wave_out[i, begin:end], wave_rate_out[i, begin:end]
            )


@kernel
def energy(k, tension, density, span_wave_start, span_intervals, wave, wave_rate, span_length, span_arc):
    """Energy of the wave of span k against its chord [J]: of its motion, and what the tension spends on its length."""
    motion = 0.0
    for i in range(span_wave_start[k], span_wave_start[k] + span_intervals[k] + 1):
        motion += wave_rate[0, i] ** 2 + wave_rate[1, i] ** 2
    piece = span_length[k] / span_intervals[k]
    return 0.5 * density * piece * motion + tension * (span_arc[k] - span_length[k])


@kernel
def suspend(
    k,
    # Model
    span_wave_start, span_intervals,
    # Out
    wave_out, wave_rate_out,
):  # fmt: skip
    """Straighten span k."""
    for i in range(span_wave_start[k], span_wave_start[k] + span_intervals[k] + 1):
        for j in range(2):
            wave_out[j, i], wave_rate_out[j, i] = 0.0, 0.0


@kernel
def advance(
    h, gravity,
    # Model
    cable_node_start, cable_row, cable_drive_row, cable_waves, cable_density, cable_wave_damping, cable_wave_scheme,
    span_wave_start, span_intervals, node_body,
    # State
    row_impulse, span_normal_now, span_length, span_direction, span_arc, node_arm, body_velocity, next_velocity,
    # Out
    wave_out, wave_rate_out, span_normal_out, cable_energy_lost_out, scratch_out,
):  # fmt: skip
    """All waves a step on, under the tension of the step; explicit ones that would not be stable are straightened.

    What that takes away is added to ``cable_energy_lost``.
    """
    for c in range(cable_waves.size):
        if not cable_waves[c]:
            continue
        tension, density = pull(cable_row, cable_drive_row, c, row_impulse) / h, cable_density[c]
        damping = cable_wave_damping[c]
        for k in range(cable_node_start[c], cable_node_start[c + 1] - 1):
            if span_wave_start[k] < 0:
                continue
            store(load(span_normal_now, k), k, span_normal_out)
            stiffness = tension / density * (span_intervals[k] / span_length[k]) ** 2
            if cable_wave_scheme[c] == EXPLICIT and stiffness * h * h >= STABLE_RATIO**2:
                cable_energy_lost_out[c] += energy(
                    k, tension, density, span_wave_start, span_intervals, wave_out, wave_rate_out, span_length, span_arc
                )
                suspend(k, span_wave_start, span_intervals, wave_out, wave_rate_out)
                continue
            start = node_load(h, gravity, damping, k, node_body, node_arm, body_velocity, next_velocity)
            end = node_load(h, gravity, damping, k + 1, node_body, node_arm, body_velocity, next_velocity)
            span_step(
                h, k, cable_wave_scheme[c], stiffness, damping, start, end, span_wave_start, span_intervals,
                span_normal_now, span_direction, wave_out, wave_rate_out, scratch_out,
            )  # fmt: skip


@kernel
def node_forces(
    h, gravity,
    # Model
    cable_node_start, cable_row, cable_drive_row, cable_waves, cable_density, span_wave_start, span_intervals,
    # State
    row_impulse, wave, span_normal_now, span_length, span_direction,
    # Out
    node_force_out,
):  # fmt: skip
    """Add what the curves pull their ends across their chords with to the forces at the nodes [N]."""
    for c in range(cable_waves.size):
        if not cable_waves[c]:
            continue
        tension = pull(cable_row, cable_drive_row, c, row_impulse) / h
        for k in range(cable_node_start[c], cable_node_start[c + 1] - 1):
            if span_wave_start[k] < 0:
                continue
            start, end = end_pulls(
                k, tension, cable_density[c], gravity, span_wave_start, span_intervals, wave, span_normal_now,
                span_length, span_direction,
            )  # fmt: skip
            for i in range(3):
                node_force_out[k, i] += start[i]
                node_force_out[k + 1, i] += end[i]


@kernel
def energies(
    c, gravity,
    # Model
    cable_node_start, cable_density, span_wave_start, span_intervals, node_body,
    # State
    wave, wave_rate, body_velocity, node_position, node_arm, span_normal_now, span_length, span_direction,
):  # fmt: skip
    """Kinetic and potential energy of the rope in the waves of cable c [J]: of the motion across the chords."""
    motion, height = 0.0, 0.0
    for k in range(cable_node_start[c], cable_node_start[c + 1] - 1):
        if span_wave_start[k] < 0:
            continue
        mass = cable_density[c] * span_length[k] / span_intervals[k]
        start = point_velocity(body_velocity, node_body[k], load(node_arm, k))
        end = point_velocity(body_velocity, node_body[k + 1], load(node_arm, k + 1))
        y, d = load(span_normal_now, k), load(span_direction, k)
        z = cross(d, y)
        for m in range(span_intervals[k] + 1):
            i, x = span_wave_start[k] + m, m / span_intervals[k]
            share = mass if 0 < m < span_intervals[k] else 0.5 * mass
            carried = add(scale(1.0 - x, start), scale(x, end))
            rate_y, rate_z = dot(carried, y) + wave_rate[0, i], dot(carried, z) + wave_rate[1, i]
            motion += 0.5 * share * (rate_y * rate_y + rate_z * rate_z)
            along = add(scale(1.0 - x, load(node_position, k)), scale(x, load(node_position, k + 1)))
            across = add(scale(wave[0, i], y), scale(wave[1, i], z))
            height -= share * dot(gravity, add(along, across))
    return motion, height
