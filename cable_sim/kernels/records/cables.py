"""Records of cables, their spans and nodes."""

from typing import NamedTuple

from cable_sim.kernels.records.arrays import Flags, Floats, Ints


class Cables(NamedTuple):
    """Cables of any kind: rows, lengths and stiffness."""

    node_start: Ints
    """(c + 1,) first node of each cable; its spans stand in the rows of their first nodes."""
    row: Ints
    """(c,) stretch row, -1 for a driven cable, one made of masses and a hybrid wire."""
    drive_row: Ints
    """(c,) row of a drive on the cable, -1 for none."""
    pull_row: Ints
    """(c,) the row that stretches the cable: the stretch row, or the drive's of a driven cable;
    else -1."""
    winch: Ints
    """(c,) body row of the winch, -1 for none."""
    length: Floats
    """(c,) unstretched length at the start [m], less the coordinate of the winch there."""
    layer_start: Ints
    """(c + 1,) first of the layers on the drum of each cable; a plain winch has none."""
    drum_layer: Floats
    """(l, 3) where they begin, rope paid out there [m], and speed of the line; columns in
    ``kernels/multibody/drums.py``."""
    compliance: Floats
    """(c,) the part that does not grow with length [m/N]."""
    compliance_per_length: Floats
    """(c,) 1/EA [1/N]."""
    density: Floats
    """(c,) mass per length [kg/m]."""
    wire: Flags
    """(c,) is a hybrid wire."""
    node_row: Ints
    """(k,) friction row of a sheave or wheel, -1 for none."""
    wheel_start: Ints
    """(c + 1,) first of the wheels of each cable."""
    closed: Flags
    """(c,) is endless: its last node is its first one."""
    lacks_inertia_rows: Flags
    """(c,) has no inertia rows."""


class CableState(NamedTuple):
    """State of whole cables."""

    twist_expected: Floats
    """(c,) twist that the last step should have led to; the turns of the twist are counted from it
    [rad]. It is infinite once a hybrid wire was let go or parted, and while a cable is off: the
    cable carries no torque any more."""
    twist_offset: Floats
    """(c,) what the twist is more than that of the cable's line [rad], see
    ``kernels/cables/stiffness/torsion.py``: the twist as built, and what contacts changed in the
    line."""
    twist_station: Ints
    """(c,) contact node at which friction holds the twist, -1 for none; see
    ``kernels/cables/stiffness/held_twist.py``."""
    twist_held: Floats
    """(c,) twist on the far side of that node [rad], infinite without one, 0 without torsion."""
    near_rope: Floats
    """(c,) rope between that node and the end that moves [m]."""
    twist_rate: Floats
    """(c,) its mean rate in that step [rad/s]."""
    attachment: Ints
    """(c,) ON, UNHOOKED, PARTED of ``kernels/cables/massless/breakage.py``."""
    peak_utilisation: Floats
    """(c,) largest tension of any step over the breaking force [-]; kept with the state,
    as the heat is, so that what is restored tells of its own past."""
    peak_time: Floats
    """(c,) when that was [s]."""
    start_growth: Floats
    """(c,) length that the half step before the first one has added to its path, as far as it has
    not been taken back [m]."""
    swing: Floats
    """(c, 5) what swings across a cable that cannot stretch have cost; columns in
    ``kernels/cables/massless/swing_losses.py``."""
    wave_loss: Floats
    """(c, 2) energy [J] and length [m] of waves that were straightened; to the energy the heat of
    friction is added (``kernels/cables/friction/grip_slip.py``)."""
    curve_work: Floats
    """(c,) work of gravity on its curves so far [J], see
    ``kernels/cables/elevation/curve_work.py``."""


class CableWork(NamedTuple):
    """Twist and catches of cables."""

    twist: Floats
    """(c,) with its turns [rad]."""
    twist_length: Floats
    """(c,) length that twist adds to a laid rope [m]."""
    step_needed: Floats
    """(c,) step that would follow the last catch that was missed [s], 0 for none."""
    growth: Floats
    """(c, 3) length that the turns of the step add to its path [m]; columns in
    ``kernels/cables/massless/path_growth.py``."""


class CableReadings(NamedTuple):
    """Lengths, slack and torque of cables."""

    length_paid_out: Floats
    length_rate: Floats
    slack: Flags
    torque: Floats
    far_torque: Floats


class Twist(NamedTuple):
    """Torsion of massless cables and hybrid wires."""

    row: Ints
    """(c,) twist row, -1 for none."""
    compliance: Floats
    """(c,) the part that does not grow with length [rad/(N m)]; infinite where nothing resists the
    twist."""
    compliance_per_length: Floats
    """(c,) 1/GJ [1/(N m^2)]."""
    torque_arm: Floats
    """(c,) torque per tension of a laid rope [m], positive for right-hand lay."""
    radius: Floats
    """(c,) of the rope [m]."""
    tangent: Floats
    """(k, 2, 3) direction at the start of the span from each node, in the frames of its own and the
    next body."""
    normal: Floats
    """(k, 2, 3) a normal of it, in the same frames."""


class Breakage(NamedTuple):
    """Breaking forces, see ``kernels/cables/massless/breakage.py``."""

    force: Floats
    """(c,) infinite where it is unknown [N]."""
    parts: Flags
    """(c,) is a massless or elevation cable that parts beyond it."""


class Spans(NamedTuple):
    """Spans between neighbouring nodes of a cable."""

    slots: Ints
    """(k,) room for contact nodes behind each of a cable's own nodes."""
    stop_row: Ints
    """(k,) row that keeps the span from each node open, -1 for none."""
    mobility: Floats
    """(k, 4) J M^-1 J^T of those rows at most [1/kg, 1/(kg m^2)]; less for wires."""
    inertia_row: Ints
    """(k, 4) first of the two inertia rows across each span, and of those at the arms of its ends;
    of a hybrid wire those of a strand (``kernels/cables/hybrid/wire_transverse.py``); -1 for
    none."""


class SpanState(NamedTuple):
    """Rope, tension and waves of spans."""

    rest_length: Floats
    """(k,) rope in each span of a hybrid wire, and of a cable that friction may hold [m]."""
    tension_impulse: Floats
    """(k,) impulse of its tension in the last step [N s]."""
    elastic_impulse: Floats
    """(k,) part of that which strains its rope; the rest is the damping's [N s]."""
    waves: Flags
    """(k,) the span from each node oscillates at present."""
    normal: Floats
    """(k, 3) first normal of each span, in the world, as the last step left it."""
    tension_before: Floats
    """(k,) tension of the step before the last one, of spans that may oscillate [N]."""
    energy_taken: Floats
    """(k, 4) energy that its inertia rows have taken from the bodies, less what they gave back
    [J]."""


class SpanWork(NamedTuple):
    """Geometry of spans."""

    length: Floats
    """(k,)."""
    direction: Floats
    """(k, 3)."""
    groove_force: Floats
    """(k, 3) force across the rope of the grooves at both ends, over its tension; this and the next
    one have no rows where there are no wheels."""
    groove_couple: Floats
    """(k, 2, 3) moments of the rope's pull about the centres of the wheels at both ends [m]."""
    normal: Floats
    """(k, 3) carried to the present direction of the span."""
    tension: Floats
    """(k,) of the last step, where waves need it [N]."""
    arc: Floats
    """(k,) arc length of the curve [m]."""
    couple_per_torque: Floats
    """(k, 2, 3) couples on both ends of a span per unit of torque."""
    force_per_torque: Floats
    """(k, 3) force on its nodes per unit of torque [1/m]."""
    weight_impulse: Floats
    """(k,) impulse of a span's tension above that of its segment, by its height [N s]."""
    tension_ratio: Floats
    """(k,) tension of a span over the largest of its segment."""
    strain: Floats
    """(k,) strain of its rope at the start of the step, of segments that slip over a node alone
    [-]."""


class SpanReadings(NamedTuple):
    """Tension of spans."""

    tension: Floats
    """(k,) of the span that starts at each node."""


class NodeState(NamedTuple):
    """Nodes of cables: own ones, contact nodes and masses of hybrid wires."""

    body: Ints
    """(k,) row of the body that carries the node; 0, the world, for a mass."""
    point: Floats
    """(k, 3) in the body's frame [m]."""
    row_entry: Ints
    """(k,) entry of the cable's rows that is the node's body; -1 for the world."""
    contact_solid: Ints
    """(k,) solid of a contact node; else UNUSED, of own nodes as well, MASSIVE or CROSSED of
    ``kernels/cables/contact/contact_path.py``."""
    loss: Floats
    """(k,) kappa of a sheave, see ``kernels/cables/friction/node_law.py``."""
    guide: Ints
    """(k,) of a hybrid wire's own nodes: SLIDES or CLAMP of
    ``kernels/cables/contact/contact_path.py``."""
    held_direction: Floats
    """(k, 3) unit vector along the rope that an anchor holds, in the body's frame; else zero."""
    line: Floats
    """(k, 14) where a contact node may slide; columns in
    ``kernels/cables/contact/contact_path.py``."""
    path_offset: Floats
    """(k,) length that the path behind a cable's own node is shortened by, see
    ``kernels/cables/contact/contacts.py`` [m]."""
    velocity: Floats
    """(k, 3) of the masses and ends of hybrid wires [m/s]."""
    inertia_impulse: Floats
    """(k, 3) of the rope of their ends and clamps on the bodies, in the last step [N s]."""
    friction_state: Ints
    """(k,) friction of a cable's rope at a contact node; of a hybrid wire its severed places, and
    the spans behind a node that push, too: FREE ... BAR of the same file."""


class NodeWork(NamedTuple):
    """Places of nodes."""

    position: Floats
    """(k, 3)."""
    arm: Floats
    """(k, 3)."""
    newton_step: Floats
    """(k, 3) of contact nodes while they slide; columns in
    ``kernels/cables/contact/shortest_path.py``."""
    remaining_path_length: Floats
    """(k,) length of the path from a node to its cable's end; a step leaves out hybrid wires."""
    share: Floats
    """(k,) share of the rope that is behind a sheave or wheel with losses."""
    loss: Floats
    """(k,) kappa of a sheave or wheel at present."""
    slide_distance: Floats
    """(k,) distance that contact nodes with friction slide along their edges in the step [m]."""
    predicted_position: Floats
    """(k, 3) nodes at the end of the step if their velocities stay, slid and let go [m]."""
    disturbed: Floats
    """(k,) a contact node has to be looked at, see ``kernels/cables/contact/resting_nodes.py``."""


class NodeReadings(NamedTuple):
    """Forces of cables on the bodies of their nodes."""

    force: Floats
    torque: Floats
    twist: Floats
