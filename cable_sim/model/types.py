"""The arrays that the kernels work on. Units SI, frames as said; n is the number of things of a kind.

Row 0 of the body arrays is the world, then come the rigid bodies, then the winches (see ``kernels/bodies.py``).
"""

from typing import NamedTuple

from cable_sim.model.state import State as State
from cable_sim.model.workspace import Control as Control
from cable_sim.model.workspace import Flags as Flags
from cable_sim.model.workspace import Floats as Floats
from cable_sim.model.workspace import Ints as Ints
from cable_sim.model.workspace import Readings as Readings
from cable_sim.model.workspace import Workspace as Workspace


class Model(NamedTuple):
    """What does not change during a run; every array is read-only."""

    gravity: Floats
    """(3,) [m/s^2]."""
    stepper: Ints
    """(1,) SPOOK or REGULARISED of ``kernels/rows.py``."""

    body_kind: Ints
    """(b,) world 0, DYNAMIC, PRESCRIBED, WINCH, COUPLING, JUNCTION."""
    body_inverse_mass: Floats
    """(b,) [1/kg], zero for what does not obey forces; of a winch at the rope in its first layer."""
    body_inertia: Floats
    """(b, 3, 3) body frame [kg m^2]."""
    body_inverse_inertia: Floats
    """(b, 3, 3) body frame [1/(kg m^2)]."""
    body_axes: Floats
    """(b, 3, 3) principal axes a, c, b of ``kernels/bodies.py`` as columns, body frame."""
    body_momentum: Floats
    """(b, 3, 3) angular momentum along them per angular velocity in the body frame [kg m^2]."""
    body_inverse_moments: Floats
    """(b, 3) about them [1/(kg m^2)]."""

    joint_kind: Ints
    """(j,) FIXED, HINGE, PRISMATIC, BALL."""
    joint_body: Ints
    """(j, 2) parent, child."""
    joint_lower: Floats
    """(j,) end stops, infinite for none [rad or m]."""
    joint_upper: Floats
    """(j,)."""
    joint_rest: Floats
    """(j,) coordinate at which the spring is at rest [rad or m]."""
    joint_row: Ints
    """(j,) first row."""
    joint_stop_row: Ints
    """(j,) row of the end stops, -1 for none."""
    joint_spring_row: Ints
    """(j,) row of the spring, -1 for none."""

    drive_kind: Ints
    """(d,) ON_JOINT, ON_WINCH, ON_CABLE."""
    drive_on: Ints
    """(d,) the joint, the winch's body row, or the cable."""
    drive_motor: Floats
    """(d, 9) bounds and time constants; columns in ``kernels/drives.py``."""
    drive_brakes: Floats
    """(d, 4) what the brake holds, its delays and wear; columns in the same file."""
    drive_row: Ints
    """(d,)."""

    cable_node_start: Ints
    """(c + 1,) first node of each cable; its spans stand in the rows of their first nodes."""
    cable_row: Ints
    """(c,) stretch row, -1 for a driven cable, one made of masses and a hybrid wire."""
    cable_drive_row: Ints
    """(c,) row of a drive on the cable, -1 for none."""
    cable_pull_row: Ints
    """(c,) the row that stretches the cable: the stretch row, or the drive's of a driven cable; else -1."""
    cable_winch: Ints
    """(c,) body row of the winch, -1 for none."""
    cable_length: Floats
    """(c,) unstretched length at the start [m], less the coordinate of the winch there."""
    cable_layer_start: Ints
    """(c + 1,) first of the layers on the drum of each cable; a plain winch has none."""
    drum_layer: Floats
    """(l, 3) where they begin, rope paid out there [m], and speed of the line; columns in ``kernels/drums.py``."""
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
    parting_cable: Ints
    """(n,) the massless and elevation cables that part."""
    parting_force: Floats
    """(n,) their breaking forces [N]."""
    cable_waves: Flags
    """(c,) has spans that oscillate."""
    cable_density: Floats
    """(c,) mass per length [kg/m]."""
    cable_wave_damping: Floats
    """(c,) b [1/s]."""
    cable_wave_kind: Ints
    """(c,) FREE, PLANAR, HORIZONTAL of ``kernels/cables/chords.py``."""
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
    cable_wire: Flags
    """(c,) is a hybrid wire."""
    wire_cable: Ints
    """(n,) the cable that each hybrid wire is."""
    wire_row_start: Ints
    """(n + 1,) first of its CONDENSED rows for pieces that touch moving bodies."""
    wire_row: Ints
    """(p,) those rows."""
    wire_bodies: Ints
    """(n,) bodies in each of them: their first entries."""
    wire_end_row: Ints
    """(n, 2) first of the three rows that hold the mass of each end to its body, -1 for none."""
    wire_damping_time: Floats
    """(n,) [s]."""
    wire_crosses: Flags
    """(n,) may cross another one."""
    crossing_wire: Ints
    """(p, 2) pairs of hybrid wires that may cross."""
    crossing_body: Ints
    """(p,) first of the bodies that stand for the nodes where they do."""
    crossing_slot: Ints
    """(p, 2) its entry in the rows of either wire."""
    wire_finest: Floats
    """(n,) least length of rope between two masses [m]."""
    wire_least: Ints
    """(n,) fewest masses between its ends."""
    wire_most: Ints
    """(n,) most."""
    wire_edges: Flags
    """(n,) gets contact nodes on the edges of solids."""
    wire_strength: Floats
    """(n,) breaking force [N]."""
    wire_rigidity: Floats
    """(n,) bending stiffness EI [N m^2]."""
    wire_rough: Flags
    """(n,) touches something that has friction."""
    wire_hmr: Flags
    """(n,) has the friction law of Servin et al. 2011, and not Coulomb's."""
    wire_air_damping: Floats
    """(n,) [1/s]."""
    wire_ground_point: Floats
    """(n, 3) [m]."""
    wire_ground_normal: Floats
    """(n, 3) zero for no ground."""
    wire_ground_friction: Floats
    """(n,)."""
    touch_friction: Floats
    """(t,) Coulomb's mu."""
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
    edge_face_start: Ints
    """(e + 1,)."""
    edge_face: Ints
    """(q,) faces that go through one end of an edge or both."""
    node_row: Ints
    """(k,) friction row of a sheave, -1 for none."""
    span_stop_row: Ints
    """(k,) row that keeps the span from each node open, -1 for none."""
    cable_calm: Flags
    """(c,) has no inertia rows."""
    span_mobility: Floats
    """(k, 3) J M^-1 J^T of those rows at most [1/kg, 1/(kg m^2)]."""
    span_calm_row: Ints
    """(k, 3) first of the two inertia rows across each span, and of those at the arms of its ends; -1 for none."""

    rope_kinds: Ints
    """(2,) how many ropes made of masses are the tutorial's, and how many are of springs, the tutorial's included."""
    rope_cable: Ints
    """(n,) the cable that each rope is; the tutorial's first, then springs, then chains."""
    rope_start: Ints
    """(n + 1,) first particle; its segments stand in the rows of their first particles."""
    rope_attached: Flags
    """(n, 2) first and last end hang on something."""
    rope_row: Ints
    """(n, 2) CONDENSED rows of a chain's attached ends, -1 for none."""
    rope_stiffness: Floats
    """(n,) of a spring [N/m]."""
    rope_compliance: Floats
    """(n,) of a chain 1/EA [1/N]."""
    rope_damping_time: Floats
    """(n,) of a chain [s]."""
    rope_rest_length: Floats
    """(n,) of a segment [m]."""
    rope_friction: Floats
    """(n,) of a spring [N s/m]."""
    rope_air_friction: Floats
    """(n,) of a mass [N s/m]."""
    rope_bending: Floats
    """(n,) EI [N m^2]."""
    rope_objective: Flags
    """(n,) friction along the springs only."""
    rope_pull_only: Flags
    """(n,) springs carry no compression."""
    rope_largest_step: Floats
    """(n,) [s]."""
    rope_ground_point: Floats
    """(n, 3) [m]."""
    rope_ground_normal: Floats
    """(n, 3) zero for no ground."""
    rope_ground_friction: Floats
    """(n,) mu; of the tutorial's slide friction [N s/m]."""
    rope_height: Floats
    """(n,) of the tutorial's ground, minus infinity for none [m]."""
    rope_repulsion: Floats
    """(n,) [N/m]."""
    rope_absorption: Floats
    """(n,) [N s/m]."""
    particle_mass: Floats
    """(p,) [kg], 0 at attached ends."""
    particle_inverse_mass: Floats
    """(p,) [1/kg], 0 at attached ends."""
    segment_rest_length: Floats
    """(p,) [m]."""

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

    carriage_turns: Flags
    """(g,) turns about its axis; others slide along it."""
    carriage_frame: Floats
    """(g, 2, 3) axis and point, in the frame of the body that it moves on [m]."""
    carriage_limit: Floats
    """(g, 3) least and largest position, largest speed [rad or m, per second]."""
    carriage_node_start: Ints
    """(g + 1,) first of the nodes that it carries."""
    carriage_node: Ints
    """(q,) those nodes."""
    carriage_node_point: Floats
    """(q, 3) where they are at position 0, in the body's frame [m]."""
    wind_profile: Floats
    """(3,) reference height [m], exponent, most impulses of the wind on one body."""
    drag_body: Ints
    """(p,) body of each patch that the wind blows on."""
    drag_patch: Floats
    """(p, 6) 1/2 rho cd A along the body's axes [kg/m], centre in the body's frame [m]."""
    cable_drag: Floats
    """(c,) 1/2 rho cd d [kg/m^2], zero of cables made of masses."""
    rope_drag: Floats
    """(n,) 1/2 rho cd d of these over their density [1/m]."""
    box_body: Ints
    """(n,) body that carries each box which may touch others."""
    box_frame: Floats
    """(n, 4, 3) its centre [m], and its axes as rows, in the body's frame."""
    box_half: Floats
    """(n, 3) half edges [m]."""
    pair_box: Ints
    """(p, 2) boxes that may touch."""
    pair_row: Ints
    """(p,) first of the rows: for each of four points a normal and two friction rows."""
    pair_friction: Floats
    """(p,) Coulomb's mu."""

    solid_body: Ints
    """(s,) body that carries each solid which stops others: an obstacle, as it is or grown for one of the cables."""
    solid_centre: Floats
    """(s, 3) centre of a sphere about it, in the body's frame like all that follows [m]."""
    solid_radius: Floats
    """(s,) of the sphere [m]."""
    solid_face_start: Ints
    """(s + 1,)."""
    solid_normal: Floats
    """(f, 3) outward unit normals of its faces."""
    solid_offset: Floats
    """(f,) distances of the faces from the origin along them [m]."""
    solid_corner_start: Ints
    """(s + 1,)."""
    solid_corner: Floats
    """(v, 3) [m]."""
    solid_edge_start: Ints
    """(s + 1,)."""
    solid_edge: Floats
    """(e, 2, 3) both ends of its edges [m]."""
    solid_edge_face: Ints
    """(e, 2) the faces that meet there."""
    stopped_body: Ints
    """(p,) body of each pair of a body and a solid that stops it."""
    stopped_solid: Ints
    """(p,)."""
    stopped_point: Floats
    """(p, 3) centre of box or ball, or an end or eye of a cable, in the body's frame [m]."""
    stopped_half: Floats
    """(p, 3) half edges of a box, zero for a ball [m]."""
    stopped_radius: Floats
    """(p,) of a ball, zero for a point [m]."""
    stopped_row: Ints
    """(p,) first of the rows: for each point, four of a box, a normal and two friction rows."""
    stopped_softness: Floats
    """(p,) of the normal rows [1/kg]."""
    stopped_friction: Floats
    """(p,) Coulomb's mu."""

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
    """(r,) GAP, STABILISED, SPEED, INERTIA, CONDENSED of ``kernels/rows.py``."""
    row_one_sided: Flags
    """(r,) takes part only while its gap closes."""
    row_lower: Floats
    """(r,) bound of the impulse, where it does not change [N s]."""
    row_upper: Floats
    """(r,)."""
    row_compliance: Floats
    """(r,) [m/N or rad/(N m)], slip [m/s/N or rad/s/(N m)] of a SPEED or INERTIA row."""
    row_damping_time: Floats
    """(r,) [s]."""
    row_mobility: Floats
    """(r,) J M^-1 J^T at the start of one-sided gap rows and hard end stops [1/kg or 1/(kg m^2)], 0 of the others."""
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
