"""The arrays that the kernels work on. Units SI, frames as said; n is the number of things of a kind.

Row 0 of the body arrays is the world, then come the rigid bodies, then the winches (see ``kernels/bodies.py``).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Model(NamedTuple):
    """What does not change during a run; every array is read-only."""

    gravity: Floats
    """(3,) [m/s^2]."""
    stepper: Ints
    """(1,) SPOOK or REGULARISED of ``kernels/rows.py``."""

    body_kind: Ints
    """(b,) world 0, DYNAMIC, PRESCRIBED, WINCH."""
    body_inverse_mass: Floats
    """(b,) [1/kg], zero for what does not obey forces; of a winch at the rope."""
    body_inertia: Floats
    """(b, 3, 3) body frame [kg m^2]."""
    body_inverse_inertia: Floats
    """(b, 3, 3) body frame."""

    joint_kind: Ints
    """(j,) FIXED, HINGE, PRISMATIC, BALL."""
    joint_body: Ints
    """(j, 2) parent, child."""
    joint_point: Floats
    """(j, 2, 3) the joint's point in the frames of parent and child [m]."""
    joint_axes: Floats
    """(j, 2, 3, 3) its axes t1, t2, a as rows, in the frames of parent and child."""
    joint_offset: Floats
    """(j,) coordinate at the start [rad or m]."""
    joint_lower: Floats
    """(j,) end stops, infinite for none."""
    joint_upper: Floats
    """(j,)."""
    joint_row: Ints
    """(j,) first row."""
    joint_stop_row: Ints
    """(j,) row of the end stops, -1 for none."""

    drive_kind: Ints
    """(d,) ON_JOINT, ON_WINCH, ON_CABLE."""
    drive_on: Ints
    """(d,) the joint, the winch's body row, or the cable."""
    drive_max_effort: Floats
    """(d,) [N or N m]."""
    drive_brake_effort: Floats
    """(d,) [N or N m]."""
    drive_max_speed: Floats
    """(d,) [m/s or rad/s]."""
    drive_max_acceleration: Floats
    """(d,) [m/s^2 or rad/s^2]."""
    drive_damping_time: Floats
    """(d,) [s]."""
    drive_row: Ints
    """(d,)."""

    cable_node_start: Ints
    """(c + 1,) first node of each cable; its spans stand in the rows of their first nodes."""
    cable_row: Ints
    """(c,) stretch row, -1 for a driven cable."""
    cable_drive_row: Ints
    """(c,) row of a drive on the cable, -1 for none."""
    cable_pull_row: Ints
    """(c,) the row that stretches the cable: the stretch row, or the drive's of a driven cable."""
    cable_winch: Ints
    """(c,) body row of the winch, -1 for none."""
    cable_length: Floats
    """(c,) unstretched length at the start [m], less the coordinate of the winch there."""
    cable_compliance: Floats
    """(c,) the part that does not grow with length [m/N]."""
    cable_compliance_per_length: Floats
    """(c,) 1/EA [1/N]."""
    cable_twist_row: Ints
    """(c,) twist row, -1 for none."""
    cable_twist_start: Floats
    """(c,) twist as built [rad]."""
    cable_twist_compliance: Floats
    """(c,) the part that does not grow with length [rad/(N m)]; infinite where nothing resists the twist."""
    cable_twist_compliance_per_length: Floats
    """(c,) 1/GJ [1/(N m^2)]."""
    cable_torque_arm: Floats
    """(c,) torque per tension of a laid rope [m], positive for right-hand lay."""
    twist_tangent: Floats
    """(k, 2, 3) direction at the start of the span from each node, in the frames of its own and the next body."""
    twist_normal: Floats
    """(k, 2, 3) a normal of it, in the same frames."""
    cable_waves: Flags
    """(c,) has spans that oscillate."""
    cable_density: Floats
    """(c,) mass per length [kg/m]."""
    cable_wave_damping: Floats
    """(c,) b [1/s]."""
    cable_wave_kind: Ints
    """(c,) FREE, PLANAR, HORIZONTAL of the same file."""
    cable_mixed_term: Flags
    """(c,) takes the growth of its spans into account."""
    cable_wave_scheme: Ints
    """(c,) EXPLICIT, IMPLICIT of ``kernels/cables/elevation.py``."""
    span_wave_start: Ints
    """(k,) first point of the span from each node, -1 for one that stays straight."""
    span_intervals: Ints
    """(k,) intervals between its points."""
    cable_shortest: Floats
    """(c,) spans between contact nodes that are shorter stay straight [m]."""
    span_slots: Ints
    """(k,) room for contact nodes behind each of a cable's own nodes."""
    cable_touch_start: Ints
    """(c + 1,) first of the solids that each cable may touch."""
    touch_body: Ints
    """(t,) body of a solid."""
    touch_slot: Ints
    """(t,) which entry of the cable's rows is that body; -1 for the world."""
    touch_centre: Floats
    """(t, 3) centre of a sphere about the solid, in the body's frame like all that follows [m]."""
    touch_radius: Floats
    """(t,) of the sphere [m]."""
    touch_face_start: Ints
    """(t + 1,)."""
    face_normal: Floats
    """(f, 3) outward unit normals."""
    face_offset: Floats
    """(f,) distances of the faces from the origin along them [m]."""
    touch_edge_start: Ints
    """(t + 1,)."""
    edge_point: Floats
    """(e, 3) where an edge begins [m]."""
    edge_direction: Floats
    """(e, 3) unit vector."""
    edge_length: Floats
    """(e,) [m]."""
    node_row: Ints
    """(k,) friction row of a sheave, -1 for none."""
    node_loss: Floats
    """(k,) kappa = 2 (1 - eta) / (1 + eta)."""
    span_stop_row: Ints
    """(k,) row that keeps the span from each node open, -1 for none."""
    cable_calm: Flags
    """(c,) has no inertia rows."""
    span_mobility: Floats
    """(k, 3) J M^-1 J^T of those rows at most [1/kg, 1/(kg m^2)]."""
    span_calm_row: Ints
    """(k, 3) first of the two inertia rows across each span, and of those at the arms of its ends; -1 for none."""

    contact_body: Ints
    """(p,) body of each pair of a point and a surface."""
    contact_point: Floats
    """(p, 3) in the body's frame [m]."""
    contact_radius: Floats
    """(p,) [m]."""
    contact_surface: Ints
    """(p,)."""
    contact_row: Ints
    """(p,) normal row; the two friction rows follow."""
    surface_point: Floats
    """(s, 3) [m]."""
    surface_axes: Floats
    """(s, 3, 3) tangent, tangent, normal as rows."""
    surface_extent: Floats
    """(s, 2) half lengths along the tangents [m]."""
    surface_thickness: Floats
    """(s,) [m]."""
    surface_friction: Floats
    """(s,)."""

    motion_body: Ints
    """(o,) body row, -1 for a motion of a drive."""
    motion_drive: Ints
    """(o,) drive, -1 for a motion of a body."""
    motion_start: Ints
    """(o + 1,) first row in the table."""
    motion_time: Floats
    """(t,) [s]."""
    motion_value: Floats
    """(t, 6) velocity, angular velocity; or target of the drive and zeros."""

    row_kind: Ints
    """(r,) GAP, STABILISED, SPEED, INERTIA of ``kernels/rows.py``."""
    row_one_sided: Flags
    """(r,) takes part only while its gap closes."""
    row_lower: Floats
    """(r,) bound of the impulse, where it does not change [N s]."""
    row_upper: Floats
    """(r,)."""
    row_compliance: Floats
    """(r,) [m/N], slip [m/s/N] of a SPEED or INERTIA row."""
    row_damping_time: Floats
    """(r,) [s]."""
    row_mobility: Floats
    """(r,) J M^-1 J^T at the start of one-sided gap rows, 0 of the others."""
    row_order: Ints
    """(r,) elimination order."""
    row_entry_start: Ints
    """(r + 1,) first entry of each row."""
    entry_body: Ints
    """(e,) body of each entry."""
    entry_row: Ints
    """(e,) row of each entry."""
    body_entry_start: Ints
    """(b + 1,) first of the entries on each body."""
    body_entry: Ints
    """(e,) the entries on each body, in elimination order of their rows."""
    row_limit_start: Ints
    """(r + 1,) first of the rows that a friction bound depends on."""
    limit_row: Ints
    """(q,)."""


class State(NamedTuple):
    """The least that determines the future. Copy it and restore it, and the same bits follow."""

    time: Floats
    """(1,) [s]."""
    steps: Ints
    """(1,) taken so far."""
    body_position: Floats
    """(b, 3) centres of mass in the world; of a winch (paid-out length, 0, 0) [m]."""
    body_orientation: Floats
    """(b, 4) unit quaternions (w, x, y, z)."""
    body_velocity: Floats
    """(b, 6) linear, angular, world frame; of a winch (rate, 0, ...)."""
    joint_position: Floats
    """(j,) coordinates with their turns [rad or m]."""
    drive_reference: Floats
    """(d,) speed that the drive follows."""
    cable_twist_expected: Floats
    """(c,) where the last step should have taken the twist; the turns of the twist are counted from it [rad]."""
    node_body: Ints
    """(k,)."""
    node_point: Floats
    """(k, 3) in the body's frame [m]."""
    node_slot: Ints
    """(k,) which entry of the cable's rows is the node's body; -1 for the world."""
    node_touch: Ints
    """(k,) the solid that a contact node is on; -1 for a cable's own nodes, and room that is not in use."""
    node_line: Floats
    """(k, 8) where a contact node may slide; columns in ``kernels/cables/strand.py``."""
    node_excess: Floats
    """(k,) what the path behind a cable's own node is shortened by, see ``kernels/cables/contacts.py`` [m]."""
    span_waves: Flags
    """(k,) the span from each node oscillates at present."""
    wave: Floats
    """(2, p) displacements of the points of all spans along their two normals [m]."""
    wave_rate: Floats
    """(2, p) [m/s]."""
    span_normal: Floats
    """(k, 3) first normal of each span, in the world, as the last step left it."""
    cable_lost: Floats
    """(c, 2) energy [J] and length [m] of waves that were straightened."""
    row_status: Ints
    """(r,) where the last solution stood: the guess for the next."""
    row_impulse: Floats
    """(r,) impulses of the last step [N s]: forces to report, and the pressure behind dry friction."""


class Control(NamedTuple):
    """What is commanded; held until changed."""

    drive_mode: Ints
    """(d,) BY_SPEED, BY_POSITION, BY_EFFORT."""
    drive_target: Floats
    """(d,)."""
    drive_brake: Flags
    """(d,)."""
    drive_slip: Floats
    """(d,) [m/s/N or rad/s/(N m)]."""
    body_wrench: Floats
    """(b, 6) force at the centre of mass [N] and torque [N m] from outside, world frame."""
    prescribed_velocity: Floats
    """(b, 6) of prescribed bodies."""


class Workspace(NamedTuple):
    """Scratch: holds nothing that a step depends on."""

    world_inverse_inertia: Floats
    """(b, 3, 3); zero but for dynamic bodies, which is part of the model."""
    next_velocity: Floats
    """(b, 6)."""
    row_active: Flags
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
    node_beyond: Floats
    """(k,) length of the path from a node to its cable's end."""
    span_length: Floats
    """(k,)."""
    span_direction: Floats
    """(k, 3)."""
    cable_twist: Floats
    """(c,) with its turns [rad]."""
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
    body_contact_force: Floats
    """(b, 3)."""
    energy: Floats
    """(3,) kinetic, potential, elastic [J]."""
