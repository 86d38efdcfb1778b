"""Arrays beside model and state: what is commanded, scratch, and what is read off a state. Sizes as in ``types.py``."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Workspace(NamedTuple):
    """Scratch: holds nothing that a step depends on."""

    world_inverse_inertia: Floats
    """(b, 3, 3); zero but for dynamic bodies, which is part of the model."""
    next_velocity: Floats
    """(b, 6)."""
    row_active: Flags
    row_impulse_before: Floats
    """(r,) of the step before, and where the row stood, for a step that fails."""
    row_status_before: Ints
    row_gap: Floats
    row_target: Floats
    row_compliance: Floats
    row_lower: Floats
    row_upper: Floats
    row_softness: Floats
    row_demand: Floats
    row_inner: Floats
    """(r, 3) mobility, rate and free rate of what moves inside a row's own column; see ``kernels/rows.py``."""
    row_limit_factor: Floats
    """(q,)."""
    entry_jacobian: Floats
    """(e, 6)."""
    node_position: Floats
    """(k, 3)."""
    node_arm: Floats
    """(k, 3)."""
    node_move: Floats
    """(k, 3) of contact nodes while they slide; columns in ``kernels/cables/tightening.py``."""
    node_beyond: Floats
    """(k,) length of the path from a node to its cable's end."""
    span_length: Floats
    """(k,)."""
    span_direction: Floats
    """(k, 3)."""
    cable_twist: Floats
    """(c,) with its turns [rad]."""
    cable_unlaid: Floats
    """(c,) what twist makes a laid rope longer by [m]."""
    span_normal: Floats
    """(k, 3) carried to the present direction of the span."""
    span_tension: Floats
    """(k,) of the last step, where waves need it [N]."""
    span_arc: Floats
    """(k,) arc length of the curve [m]."""
    wave_scratch: Floats
    """(3, p)."""
    wave_trace: Floats
    """(n, 7) curves of two spans while a contact node comes or goes: place, displacement, rate."""
    span_shaft: Floats
    """(k, 2, 3) couples on both ends of a span per unit of torque."""
    span_lever: Floats
    """(k, 3) force on its nodes per unit of torque [1/m]."""
    particle_position: Floats
    """(p, 3) of springs, at the end of the step."""
    particle_velocity: Floats
    """(p, 3)."""
    particle_force: Floats
    """(p, 3)."""
    rope_end_velocity: Floats
    """(n, 2, 3) at the start of the step."""
    rope_end_force: Floats
    """(n, 2, 3) of springs, mean of the step [N]."""
    rope_end_impulse: Floats
    """(n, 2)."""
    rope_end_active: Flags
    """(n, 2)."""
    rope_end_softness: Floats
    """(n, 2)."""
    rope_end_demand: Floats
    """(n, 2)."""
    rope_end_coupling: Floats
    """(n,)."""
    particle_free: Floats
    """(p, 3) velocities of a chain without its segments."""
    segment_direction: Floats
    """(p, 3)."""
    segment_demand: Floats
    segment_fill: Floats
    segment_share: Floats
    wire_pieces: Ints
    """(n,) how many pieces each hybrid wire has."""
    piece_mark: Ints
    """(k, 5) of its pieces, from the row of its first node on; columns in ``kernels/cables/pieces.py``."""
    piece_number: Floats
    """(k, 25) of the same; columns there, too."""
    node_slide: Floats
    """(k,) how far contact nodes with friction slide along their edges in the step [m]."""
    node_ahead: Floats
    """(k, 3) nodes at the end of the step if their velocities stay, and slid [m]."""
    span_lift: Floats
    """(k,) impulse of a span's tension above that of its piece, by its height [N s]."""
    span_weight: Floats
    """(k,) tension of a span over the largest of its piece."""
    span_strain: Floats
    """(k,) strain of its rope at the start of the step, of pieces that slip over a node alone [-]."""
    box_centre: Floats
    """(n, 3) in the world [m]."""
    box_axes: Floats
    """(n, 3, 3) as rows."""
    box_polygon: Floats
    """(2, 8, 3) points where a pair of boxes touches, before and after a cut."""
    box_chosen: Ints
    """(4,) which of them have rows."""
    solid_points: Floats
    """(n, 4) points where a box may touch a solid: two coordinates along it, gap, height."""
    active: Ints
    """(r,) active rows in elimination order."""
    position: Ints
    """(r,) where a row stands among the active ones, -1 for the others."""
    first: Ints
    start: Ints
    """(r + 1,)."""
    free: Flags
    matrix: Floats
    """(profile,) envelope of S."""
    factor: Floats
    diagonal: Floats
    solution: Floats
    body_first: Ints
    """(b,)."""
    place: Ints
    """(r,)."""
    gathered: Floats
    """(r, 6)."""
    response: Floats
    """(r, 6)."""


class Readings(NamedTuple):
    """What ``kernels/observe.py`` reads off a state; see ``sim/observation.py`` for meanings and units."""

    joint_velocity: Floats
    joint_force: Floats
    joint_torque: Floats
    drive_position: Floats
    drive_velocity: Floats
    drive_effort: Floats
    drive_saturated: Flags
    cable_length_paid_out: Floats
    cable_length_rate: Floats
    cable_slack: Flags
    cable_torque: Floats
    span_tension: Floats
    """(k,) of the span that starts at each node."""
    node_force: Floats
    node_torque: Floats
    segment_tension: Floats
    """(p,) of ropes made of masses."""
    segment_length: Floats
    """(p,)."""
    body_contact_force: Floats
    """(b, 3)."""
    pair_force: Floats
    """(p, 3) of the first box on the second."""
    energy: Floats
    """(4,) kinetic, potential, elastic, of grounds and contacts [J]."""


class Control(NamedTuple):
    """What is commanded; held until changed."""

    drive_mode: Ints
    """(d,) BY_SPEED, BY_POSITION, BY_EFFORT."""
    drive_target: Floats
    """(d,)."""
    drive_brake: Flags
    """(d,) is to be closed."""
    drive_powered: Flags
    """(d,) the motor is energised."""
    drive_effort_share: Floats
    """(d,) of its efforts that the motor can give."""
    drive_brake_share: Floats
    """(d,) of its effort that the brake holds."""
    drive_slip: Floats
    """(d,) [m/s/N or rad/s/(N m)]."""
    carriage_target: Floats
    """(g,) position to go to, beyond its range for one to go on at a speed [rad or m]."""
    carriage_speed: Floats
    """(g,) with which [rad/s or m/s]."""
    body_wrench: Floats
    """(b, 6) force at the centre of mass [N] and torque [N m] from outside, world frame."""
    wind: Floats
    """(3,) velocity of the air at the reference height [m/s], world frame."""
    prescribed_velocity: Floats
    """(b, 6) of prescribed bodies."""
