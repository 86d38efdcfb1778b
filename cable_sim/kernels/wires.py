"""What a step does with solids, contact nodes and hybrid wires: unpacks Model, State and Workspace for them."""

from cable_sim.kernels import status
from cable_sim.kernels.cables import (
    adapt,
    buried,
    contacts,
    crossing,
    hybrid,
    masses,
    meeting,
    pieces,
    severing,
    turning,
)
from cable_sim.kernels.cables.polyhedron import Solids
from cable_sim.kernels.cables.strand import Bodies, Nodes, Waves
from cable_sim.kernels.convex import Convex
from cable_sim.kernels.jit import inlined
from cable_sim.kernels.solid_contact import Rows, Stopped, solid_rows
from cable_sim.kernels.vec3 import scale


@inlined
def solids(m):
    """The solids that cables may touch."""
    return Solids(
        m.touch_body, m.touch_slot, m.touch_centre, m.touch_radius, m.touch_face_start, m.face_normal, m.face_offset,
        m.touch_edge_start, m.edge_point, m.edge_direction, m.edge_length, m.edge_face_start,
        m.edge_face, m.touch_friction,
    )  # fmt: skip


@inlined
def convex(m):
    """The solids that stop bodies."""
    return Convex(
        m.solid_body, m.solid_centre, m.solid_radius, m.solid_face_start, m.solid_normal, m.solid_offset,
        m.solid_corner_start, m.solid_corner, m.solid_edge_start, m.solid_edge, m.solid_edge_face,
    )  # fmt: skip


@inlined
def fill_solids(m, s, w, h):
    """Rows of the bodies that solids stop."""
    if m.stopped_row.size == 0:
        return
    solid_rows(
        h, convex(m), Stopped(
            m.stopped_body, m.stopped_solid, m.stopped_point, m.stopped_half, m.stopped_radius, m.stopped_row,
            m.stopped_softness, m.stopped_friction,
        ), bodies(s),
        Rows(
            m.row_entry_start, m.row_limit_start, w.row_active, w.row_gap, w.row_inner, w.row_limit_factor,
            w.entry_jacobian,
        ), w.solid_points, w.box_chosen,
    )  # fmt: skip


@inlined
def bodies(s):
    """Poses and velocities."""
    return Bodies(s.body_position, s.body_orientation, s.body_velocity)


@inlined
def nodes(s, w):
    """Nodes and spans."""
    return Nodes(
        s.node_body, s.node_point, s.node_slot, s.node_touch, s.node_line, s.node_excess, s.node_velocity,
        s.span_rest, s.span_pull, s.span_drawn, s.node_slip, w.node_slide, w.node_ahead, w.span_strain, w.node_position,
        w.node_arm, w.span_length, w.span_direction, w.node_move, s.touch_through,
    )  # fmt: skip


@inlined
def waves(m, s, w):
    """Waves."""
    return Waves(
        m.gravity.reshape(1, 3), m.cable_wave_kind, m.cable_density, m.cable_shortest, w.span_tension,
        m.span_wave_start, m.span_intervals, s.span_waves, s.wave, s.wave_rate, s.span_normal, w.wave_trace,
    )  # fmt: skip


@inlined
def wires(m):
    """Hybrid wires."""
    return pieces.Wires(
        m.wire_cable, m.cable_node_start, m.cable_density, m.cable_winch, m.cable_length, m.cable_layer_start,
        m.drum_layer, m.cable_compliance_per_length, m.cable_torque_arm, m.span_slots, m.wire_hmr,
        m.wire_damping_time,
    )  # fmt: skip


@inlined
def parts(w):
    """Their pieces."""
    return pieces.Pieces(w.wire_pieces, w.cable_unlaid, w.piece_mark, w.piece_number, w.span_weight, w.span_lift)


@inlined
def table(m):
    """Their rows."""
    return hybrid.Table(
        m.wire_row_start, m.wire_row, m.wire_bodies, m.wire_end_row, m.cable_twist_row, m.row_entry_start,
        m.entry_body,
    )  # fmt: skip


@inlined
def moving(m, s, w):
    """How bodies move."""
    return hybrid.Moving(s.body_position, s.body_velocity, m.body_inverse_mass, w.world_inverse_inertia)


@inlined
def crossings(m):
    """Which wires may cross."""
    return crossing.Crossings(m.crossing_wire, m.crossing_body, m.crossing_slot)


@inlined
def gravity(m):
    """[m/s^2]."""
    return (m.gravity[0], m.gravity[1], m.gravity[2])


@inlined
def form_wires(m, s, w, h):
    """Rows of all wires; returns status flags."""
    if m.crossing_body.size > 0:
        crossing.ease_all(h, crossings(m), wires(m), bodies(s), nodes(s, w))
    lost = hybrid.form_all(
        h, m.stepper[0], gravity(m), wires(m), m.wire_rigidity, m.wire_rough, solids(m), table(m),
        moving(m, s, w), bodies(s), nodes(s, w), parts(w), w.next_velocity, w.row_active, w.row_lower, w.row_target,
        w.row_compliance, w.entry_jacobian,
    )  # fmt: skip
    flags = turning.look_at_wires(h, wires(m), m.wire_rigidity, s.body_velocity, nodes(s, w), parts(w))
    return flags | (status.CONTACTS_FULL if lost > 0 else status.SOLVED)


@inlined
def condense_wires(m, s, w):
    """Eliminate what of all wires is not exposed, and give the table the rest."""
    hybrid.condense_all(wires(m), table(m), parts(w), w.row_target, w.row_compliance, w.entry_jacobian)


@inlined
def review_wires(m, s, w, h, round):
    """Impulses of all pieces; returns how many turn out to be slack or taut that were not taken for it."""
    changes = hybrid.review_all(
        scale(h, gravity(m)), round, wires(m), m.wire_rough, moving(m, s, w), s.row_impulse, parts(w), nodes(s, w),
        w.next_velocity,
    )  # fmt: skip
    if m.crossing_body.size > 0:
        changes += crossing.stiffen_all(
            h, crossings(m), wires(m), m.row_entry_start, parts(w), nodes(s, w), w.entry_jacobian,
            w.next_velocity,
        )  # fmt: skip
    return changes


@inlined
def move_wires(m, s, w, h, wind):
    """Masses of all wires a step on; before the bodies, which they may push. Returns status flags."""
    return masses.move_all(
        h, scale(h, gravity(m)), wires(m), m.wire_crosses, m.wire_rough, m.cable_touch_start,
        masses.Air(
            wind, m.cable_drag, m.wire_air_damping, m.wire_ground_point, m.wire_ground_normal, m.wire_ground_friction
        ), solids(m),
        bodies(s), moving(m, s, w), parts(w), w.next_velocity, nodes(s, w),
    )  # fmt: skip


@inlined
def wire_energies(m, s, w, h):
    """Kinetic, potential and elastic energy of all wires at the present pose, for which cables are placed [J]."""
    pieces.measure_all(wires(m), nodes(s, w), parts(w))
    return masses.energies_of_all(
        h, m.stepper[0], s.steps[0] > 0, gravity(m), wires(m), m.wire_rigidity, moving(m, s, w), nodes(s, w), parts(w)
    )  # fmt: skip


@inlined
def touch_cables(m, s, w, h):
    """Contact nodes of all cables but hybrid wires at the present pose, after a step of h; returns status flags."""
    if m.touch_body.size == 0:
        return status.SOLVED
    buried.forget(s.touch_through)
    return contacts.update(
        h, m.cable_node_start, m.cable_touch_start, m.cable_wire, s.cable_off, m.span_slots, solids(m), bodies(s),
        nodes(s, w), waves(m, s, w),
    )  # fmt: skip


@inlined
def refresh_wires(m, s, w, h):
    """Contact nodes and, with h > 0, masses of all hybrid wires at the present pose; returns status flags."""
    if m.wire_cable.size == 0:
        return status.SOLVED
    flags = status.SOLVED
    if h > 0.0:
        flags = severing.sever_all(
            h, wires(m), m.wire_strength, m.wire_finest, bodies(s), parts(w), nodes(s, w), waves(m, s, w), s.wire_cut,
            s.cable_twist_expected,
        )  # fmt: skip
    flags |= adapt.refresh_all(
        h, wires(m), m.wire_rough, m.cable_touch_start,
        adapt.Resolution(m.wire_finest, m.wire_least, m.wire_most, m.wire_edges, s.wire_calm),
        solids(m), bodies(s), parts(w), nodes(s, w), waves(m, s, w),
    )  # fmt: skip
    if h > 0.0 and m.crossing_body.size > 0:
        flags |= meeting.cross_all(h, crossings(m), wires(m), bodies(s), nodes(s, w), waves(m, s, w))
    return flags
