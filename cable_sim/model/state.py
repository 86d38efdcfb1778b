"""The arrays that change from step to step; units and frames as in ``types.py``."""

from typing import NamedTuple

from cable_sim.model.workspace import Flags, Floats, Ints


class State(NamedTuple):
    """The least that determines the future. Copy it and restore it, and the same bits follow."""

    time: Floats
    """(1,) [s]."""
    steps: Ints
    """(1,) taken so far."""
    body_position: Floats
    """(b, 3) centres of mass in the world; of a winch (paid-out length, 0, 0) [m], see ``kernels/drums.py``."""
    body_orientation: Floats
    """(b, 4) unit quaternions (w, x, y, z)."""
    body_velocity: Floats
    """(b, 6) linear [m/s], angular [rad/s], world frame; of a winch (rate, 0, ...)."""
    joint_point: Floats
    """(j, 2, 3) the joint's point in the frames of parent and child [m]."""
    joint_axes: Floats
    """(j, 2, 3, 3) its axes t1, t2, a as rows, in the frames of parent and child."""
    joint_offset: Floats
    """(j,) coordinate where these frames agree [rad or m]."""
    joint_open: Flags
    """(j,) holds nothing at present."""
    joint_position: Floats
    """(j,) coordinates with their turns [rad or m]."""
    carriage_position: Floats
    """(g,) [rad or m]."""
    drive_reference: Floats
    """(d,) speed that the drive follows [rad/s or m/s]."""
    drive_motion: Floats
    """(d, 6) of the reference, the row and the brake; columns in ``kernels/drives.py``."""
    drive_brake_closed: Flags
    """(d,) the brake holds; it follows its command by its delays."""
    cable_twist_expected: Floats
    """(c,) where the last step should have taken the twist; the turns of the twist are counted from it [rad]. Infinite
    once a hybrid wire was let go or parted, and while a cable is off: it carries no torque any more."""
    cable_off: Ints
    """(c,) ON, UNHOOKED, PARTED of ``kernels/cables/parting.py``."""
    node_body: Ints
    """(k,) row of the body that carries the node; 0, the world, for a mass."""
    node_point: Floats
    """(k, 3) in the body's frame [m]."""
    node_slot: Ints
    """(k,) which entry of the cable's rows is the node's body; -1 for the world."""
    node_touch: Ints
    """(k,) the solid that a contact node is on; else UNUSED, of own nodes as well, MASSIVE or CROSSED
    of ``kernels/cables/strand.py``."""
    node_loss: Floats
    """(k,) of a sheave kappa = 2 (1 - eta) / (1 + eta)."""
    node_line: Floats
    """(k, 9) where a contact node may slide; columns in ``kernels/cables/strand.py``."""
    node_excess: Floats
    """(k,) what the path behind a cable's own node is shortened by, see ``kernels/cables/contacts.py`` [m]."""
    touch_through: Ints
    """(t,) a span of the cable goes straight through the solid, see ``kernels/cables/buried.py``."""
    node_velocity: Floats
    """(k, 3) of the masses and ends of hybrid wires [m/s]."""
    span_rest: Floats
    """(k,) rope in each span of a hybrid wire [m]."""
    span_pull: Floats
    """(k,) impulse of its tension in the last step [N s]."""
    span_drawn: Floats
    """(k,) what of that strains its rope; the rest is the damping's [N s]."""
    node_slip: Ints
    """(k,) how the rope of a hybrid wire rubs at a contact node, where it is severed, and where the span behind a node
    pushes, too: FREE ... BAR of the same file."""
    wire_calm: Ints
    """(n,) steps since a mass of each hybrid wire had to go."""
    wire_cut: Floats
    """(n,) where it is to be cut in the next step, as rope from its first node; below 0 for nowhere [m]."""
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
    particle_position: Floats
    """(p, 3) of ropes made of masses [m]."""
    particle_velocity: Floats
    """(p, 3) [m/s]."""
    segment_impulse: Floats
    """(p,) of chains in the last step [N s]: to report."""
    row_status: Ints
    """(r,) where the last solution stood: the guess for the next."""
    row_impulse: Floats
    """(r,) impulses of the last step [N s]: forces to report, and the pressure behind dry friction."""
