"""One step, on one page: the table of contents of the physics.

    forces -> free velocities -> rows of joints, stops, drives, cables, contacts -> impulses -> velocities -> poses

``run`` takes n steps in one call. It gets the Model, State, Control and Workspace of ``cable_sim.model.types``, which
are unpacked here, in ``ropes.py``, ``wires.py``, ``wind.py`` and ``observe.py`` alone: every function that Python hands
them to costs seconds to compile. Scheme and rows: ``rows.py``; solution: ``solver.py``.
"""

from cable_sim.kernels import (
    bodies,
    carriages,
    contact,
    drives,
    envelope,
    joints,
    motions,
    pivoting,
    ropes,
    rows,
    solver,
    status,
    wires,
)
from cable_sim.kernels.box_contact import box_rows
from cable_sim.kernels.cables import (
    elevation,
    giving,
    hybrid,
    massless,
    particles,
    parting,
    stops,
    torsion,
    transverse,
    turning,
    ways,
)
from cable_sim.kernels.jit import inlined, kernel
from cable_sim.kernels.ropes import finite
from cable_sim.kernels.wind import blow, blow_on_particles, wind_of

LOOK, SETTLE, PREPARE, ADVANCE = 0, -1, -2, -3
"""What ``run`` does instead of steps."""


@inlined
def place_cables(m, s, w):
    """Nodes and spans of all cables at the present pose."""
    massless.geometry(
        m.cable_node_start, s.node_body, s.node_point, s.node_excess, s.body_position, s.body_orientation,
        w.node_position, w.node_arm, w.node_beyond, w.span_length, w.span_direction,
    )  # fmt: skip
    if s.wave.size > 0:
        elevation.place(
            m.cable_node_start, m.cable_waves, m.cable_wave_kind, m.span_wave_start, m.span_intervals, s.node_excess,
            s.span_waves, s.wave, s.span_normal, w.span_length, w.span_direction, w.span_normal, w.span_arc,
            w.node_beyond, w.wave_scratch[0],
        )  # fmt: skip
    if s.particle_position.size > 0:
        particles.show_ends(
            m.rope_start, m.rope_cable, m.cable_node_start, s.particle_position, s.particle_velocity, w.node_position,
            w.rope_end_velocity,
        )  # fmt: skip


@inlined
def span_tensions(m, s, w, h):
    """Tension of every span over the last step."""
    massless.tensions(
        h, m.cable_node_start, m.cable_row, m.cable_drive_row, m.cable_pull_row, m.cable_winch, m.cable_length,
        m.cable_layer_start, m.drum_layer, m.node_row, m.row_lower, s.body_position, w.node_beyond, s.row_impulse,
        w.span_tension,
    )  # fmt: skip


@inlined
def fill_cable_rows(m, s, w, h):
    """Rows of the cables: stretch and sheaves, torsion, what keeps light bodies calm, stops; returns status flags."""
    massless.rows(
        m.cable_node_start, m.cable_row, m.cable_drive_row, m.cable_pull_row, m.cable_winch, m.cable_length,
        m.cable_layer_start, m.drum_layer, m.cable_compliance, m.cable_compliance_per_length, m.node_row,
        m.row_entry_start, m.row_limit_start, s.node_slot, s.node_loss, s.body_position, w.node_arm, w.node_beyond,
        w.span_direction, w.row_gap, w.row_compliance, w.row_limit_factor, w.entry_jacobian,
    )  # fmt: skip
    ways.rows(
        h, m.cable_node_start, m.cable_row, m.cable_waves, m.cable_wire, m.row_mobility, s.cable_off, s.node_body,
        s.body_velocity, w.next_velocity, w.row_compliance, w.node_arm, w.span_length, w.span_direction, w.row_target,
        w.row_inner,
    )  # fmt: skip
    flags = torsion.rows(
        m.cable_node_start, m.cable_row, m.cable_winch, m.cable_length, m.cable_layer_start, m.drum_layer,
        m.cable_twist_row, m.cable_twist_start, m.cable_twist_compliance, m.cable_twist_compliance_per_length,
        m.cable_torque_arm, m.twist_tangent, m.twist_normal, m.span_slots, m.row_entry_start, s.node_body, s.node_slot,
        s.node_touch, s.body_position, s.body_orientation, s.cable_twist_expected, w.node_position, w.node_arm,
        w.span_length, w.span_direction, w.cable_twist, w.cable_unlaid, w.span_shaft, w.span_lever, w.row_active,
        w.row_gap, w.row_compliance, w.entry_jacobian,
    )  # fmt: skip
    transverse.rows(
        h, m.stepper[0], s.steps[0] > 0, m.cable_node_start, m.cable_row, m.cable_drive_row, m.cable_calm,
        m.span_calm_row, m.span_mobility, m.row_entry_start, m.entry_body, m.body_inverse_mass, m.row_damping_time,
        m.row_mobility, s.node_body, s.node_touch, w.world_inverse_inertia, s.row_impulse, w.row_gap, w.node_arm,
        w.span_length, w.span_direction, w.row_active, w.row_compliance, w.entry_jacobian,
    )  # fmt: skip
    parting.rows(
        m.cable_node_start, m.cable_row, m.cable_drive_row, m.cable_twist_row, m.node_row, m.span_calm_row,
        s.cable_off, w.row_active,
    )  # fmt: skip
    flags |= turning.look(
        h, m.cable_node_start, m.cable_row, s.cable_off, s.node_body, s.node_touch, s.body_velocity, s.row_impulse,
        w.node_arm, w.span_length, w.span_direction,
    )  # fmt: skip
    return flags | stops.rows(
        h, m.cable_node_start, m.span_stop_row, m.row_entry_start, s.cable_off, s.node_body, s.node_touch,
        s.body_velocity, w.node_arm, w.span_length, w.span_direction, w.row_active, w.row_gap, w.entry_jacobian,
    )  # fmt: skip


@inlined
def fill_rows(m, s, w, h):
    """Gaps, entries, compliances and bounds of all rows at the present pose, for which the cables have been placed.

    Returns status flags of the poses.
    """
    rows.clear(
        m.row_lower, m.row_upper, m.row_compliance, w.row_active, w.row_lower, w.row_upper, w.row_compliance,
        w.row_target, w.row_inner,
    )  # fmt: skip
    joints.rows(
        m.joint_kind, m.joint_body, m.joint_row, m.row_entry_start, s.joint_point, s.joint_axes, s.joint_open,
        s.body_position, s.body_orientation, w.row_active, w.row_gap, w.entry_jacobian,
    )  # fmt: skip
    joints.coordinate_rows(
        h, m.joint_kind, m.joint_body, m.joint_lower, m.joint_upper, m.joint_rest, m.joint_stop_row,
        m.joint_spring_row, m.row_entry_start, m.entry_body, s.joint_point, s.joint_axes, s.joint_open,
        s.body_position, s.body_orientation, s.joint_position, w.next_velocity, w.row_active, w.row_gap,
        w.entry_jacobian,
    )  # fmt: skip
    drives.rows(
        m.drive_kind, m.drive_on, m.drive_row, m.joint_kind, m.joint_body, m.row_entry_start, s.joint_point,
        s.joint_axes, s.body_position, s.body_orientation, w.entry_jacobian,
    )  # fmt: skip
    contact.rows(
        h, m.contact_body, m.contact_point, m.contact_radius, m.contact_surface, m.contact_row,
        m.surface_point, m.surface_axes, m.surface_extent, m.surface_thickness, m.surface_friction,
        m.row_entry_start, m.row_limit_start, s.body_position, s.body_orientation, s.body_velocity,
        w.row_active, w.row_gap, w.row_limit_factor, w.entry_jacobian,
    )  # fmt: skip
    box_rows(
        h, m.box_body, m.box_frame, m.box_half, m.pair_box, m.pair_row, m.pair_friction, m.row_entry_start,
        m.row_limit_start, s.body_position, s.body_orientation, s.body_velocity, w.row_active, w.row_gap,
        w.row_limit_factor, w.entry_jacobian, w.box_centre, w.box_axes, w.box_polygon, w.box_chosen,
    )  # fmt: skip
    wires.fill_solids(m, s, w, h)
    flags = joints.look(
        h, m.joint_body, s.joint_point, s.joint_open, s.body_position, s.body_orientation, s.body_velocity
    )  # fmt: skip
    return flags | fill_cable_rows(m, s, w, h)


@inlined
def conduct_drives(m, s, c, w, h):
    """Drives and brakes a step on, and what their rows hold and how strongly, for which the rows have been filled."""
    drives.conduct(
        h, m.drive_kind, m.drive_on, m.drive_motor, m.drive_brakes, m.drive_row, m.cable_node_start, m.row_entry_start,
        m.entry_body, m.row_lower, m.body_inverse_mass, w.world_inverse_inertia, s.joint_position, s.body_position,
        s.body_velocity, w.node_beyond, w.entry_jacobian, s.row_impulse, c.drive_mode, c.drive_target, c.drive_brake,
        c.drive_powered, c.drive_effort_share, c.drive_brake_share, c.drive_slip, s.drive_reference, s.drive_motion,
        s.drive_brake_closed, w.row_target, w.row_compliance, w.row_lower, w.row_upper,
    )  # fmt: skip


@inlined
def demand_rows(m, s, w, h):
    """Softness and demand of all rows."""
    rows.prepare(
        h, m.stepper[0], m.row_kind, m.row_entry_start, m.entry_body, m.row_one_sided, m.row_limit_start, m.limit_row,
        s.body_velocity, w.next_velocity, w.row_gap, w.row_target, w.row_compliance, m.row_damping_time, m.row_mobility,
        w.row_inner, w.entry_jacobian, w.row_active, w.row_softness, w.row_demand,
    )  # fmt: skip


@inlined
def solve(m, s, w, h):
    """Impulses of all rows and the new velocities; returns status flags and pivoting rounds."""
    flags, rounds, settled = status.SOLVED, 0, False
    for review in range(hybrid.REVIEWS):
        flags, taken = solver.solve_rows(
            m.row_order, m.row_entry_start, m.entry_body, m.entry_row, m.body_entry_start, m.body_entry,
            m.row_limit_start, m.limit_row, m.body_kind, m.body_inverse_mass, w.world_inverse_inertia, w.row_active,
            w.row_softness, w.row_demand, w.row_limit_factor, w.entry_jacobian, w.row_lower, w.row_upper, s.row_status,
            s.row_impulse, w.active, w.position, w.first, w.start, w.free, w.matrix, w.factor, w.diagonal, w.solution,
            w.body_first, w.place, w.gathered, w.response,
        )  # fmt: skip
        rounds += taken
        if m.wire_cable.size == 0 or wires.review_wires(m, s, w, h, review) == 0:
            settled = review <= hybrid.ROUGH
            break
        wires.condense_wires(m, s, w)
        demand_rows(m, s, w, h)
    flags |= status.SOLVED if settled else status.NOT_CONVERGED
    envelope.apply_impulses(
        m.body_entry_start, m.body_entry, m.entry_row, m.body_inverse_mass, w.position, w.world_inverse_inertia,
        w.entry_jacobian, s.row_impulse, w.next_velocity,
    )  # fmt: skip
    return flags, rounds


@inlined
def pull_bodies(m, s, w, h):
    """What pulls on the bodies without a row; returns status flags of springs."""
    calm = ropes.run_springs(m, s, w, h)
    if s.wave.size > 0:
        span_tensions(m, s, w, h)
        elevation.pull_across(
            h, (m.gravity[0], m.gravity[1], m.gravity[2]), m.cable_node_start,
            m.cable_waves, m.cable_wave_kind, m.cable_density, m.span_wave_start, m.span_intervals, m.body_kind,
            m.body_inverse_mass, s.node_body, s.span_waves, w.span_tension, s.wave, w.span_normal, w.span_length,
            w.span_direction, w.node_arm, w.world_inverse_inertia, w.next_velocity,
        )  # fmt: skip
    return calm


@inlined
def prepare(m, s, c, w, h, ahead):
    """Everything of a step up to the demands of the rows; returns status flags of the poses, springs and chains.

    With no step ``ahead`` it ends with the rows as they are at the present pose.
    """
    if ahead:
        motions.apply(
            s.time[0], h, m.motion_body, m.motion_drive, m.motion_start, m.motion_time, m.motion_value,
            c.prescribed_velocity, c.drive_target,
        )  # fmt: skip
        carriages.move(
            h, m.carriage_limit, m.carriage_node_start, m.carriage_node, m.carriage_node_point, m.carriage_turns,
            m.carriage_frame, c.carriage_target, c.carriage_speed, s.carriage_position, s.node_point,
        )  # fmt: skip
    bodies.world_inverse_inertia(m.body_kind, m.body_inverse_inertia, s.body_orientation, w.world_inverse_inertia)
    bodies.free_velocities(
        h, (m.gravity[0], m.gravity[1], m.gravity[2]), m.body_kind, m.body_inverse_mass, s.body_velocity,
        c.body_wrench, c.prescribed_velocity, w.world_inverse_inertia, w.next_velocity,
    )  # fmt: skip
    place_cables(m, s, w)
    if ahead:
        blow(m, s, c, w, h)
    calm = pull_bodies(m, s, w, h) if ahead else status.SOLVED
    flags = fill_rows(m, s, w, h)
    if not ahead:
        return flags
    conduct_drives(m, s, c, w, h)
    if s.wave.size > 0:
        giving.give(
            h, (m.gravity[0], m.gravity[1], m.gravity[2]), wind_of(m, c), m.cable_node_start, m.cable_waves,
            m.cable_wave_kind, m.cable_wave_scheme, m.cable_row, m.cable_density, m.cable_drag, m.cable_wave_damping,
            m.span_wave_start, m.span_intervals, s.node_body, s.span_waves, s.body_velocity, w.next_velocity,
            w.node_position, w.node_arm, w.span_normal, w.span_length, w.span_direction, w.span_arc, w.span_tension,
            s.wave, s.wave_rate, s.row_impulse, w.row_compliance, w.row_inner, w.wave_scratch,
        )  # fmt: skip
    flags |= ropes.condense_chains(m, s, w, h)
    if m.wire_cable.size > 0:
        flags |= wires.form_wires(m, s, w, h)
    demand_rows(m, s, w, h)
    return flags | calm | ropes.check_strains(m, s, w, h)


@inlined
def part_cables(m, s, w, h):
    """Cables that pulled with more than their breaking force in the step part; returns status flags."""
    if m.parting_cable.size == 0:
        return status.SOLVED
    span_tensions(m, s, w, h)
    return parting.part_all(
        m.parting_cable, m.parting_force, m.cable_node_start, m.span_wave_start, m.span_intervals, w.span_tension,
        s.cable_off, s.cable_twist_expected, s.node_body, s.node_point, s.node_slot, s.node_touch, s.node_excess,
        s.span_waves, s.wave, s.wave_rate,
    )  # fmt: skip


@inlined
def advance(m, s, c, w, h):
    """Poses, coordinates, contact nodes and time at the end of the step; returns status flags."""
    flags = joints.overrun_stops(h, m.joint_stop_row, m.row_compliance, w.row_active, w.row_softness, s.row_impulse)
    torsion.expectations(
        h, m.cable_twist_row, m.cable_torque_arm, m.row_entry_start, m.entry_body, w.next_velocity, w.cable_twist,
        w.entry_jacobian, s.cable_twist_expected, w.cable_unlaid,
    )  # fmt: skip
    if s.wave.size > 0:
        span_tensions(m, s, w, h)
        flags |= elevation.advance(
            h, (m.gravity[0], m.gravity[1], m.gravity[2]), wind_of(m, c), m.cable_node_start,
            m.cable_waves, m.cable_wave_kind, m.cable_wave_scheme, m.cable_mixed_term, m.cable_density, m.cable_drag,
            m.cable_wave_damping, m.span_wave_start, m.span_intervals, s.node_body, s.span_waves, w.span_tension,
            w.span_normal, w.span_length, w.span_direction, w.span_arc, w.node_position, w.node_arm,
            s.body_velocity, w.next_velocity, s.wave, s.wave_rate, s.span_normal, s.cable_lost, w.wave_scratch,
        )  # fmt: skip
    if s.particle_position.size > 0:
        ropes.advance_particles(m, s, w, h)
        blow_on_particles(
            h, wind_of(m, c), m.rope_start, m.rope_drag, m.particle_inverse_mass, s.particle_position,
            s.particle_velocity,
        )  # fmt: skip
    if m.wire_cable.size > 0:
        flags |= wires.move_wires(m, s, w, h, wind_of(m, c))
    bodies.advance(
        h, m.body_kind, m.body_axes, m.body_momentum, m.body_inverse_moments, w.next_velocity, s.body_position,
        s.body_orientation, s.body_velocity,
    )  # fmt: skip
    ropes.attach_particles(m, s)
    joints.coordinates(
        m.joint_kind, m.joint_body, s.joint_point, s.joint_axes, s.joint_offset, s.body_position, s.body_orientation,
        s.joint_position,
    )  # fmt: skip
    s.steps[0] += 1
    s.time[0] = s.steps[0] * h
    flags |= part_cables(m, s, w, h)
    return flags | wires.touch_cables(m, s, w, h) | wires.refresh_wires(m, s, w, h)


@inlined
def residual(m, s, w):
    """How well the last step was solved; see ``pivoting.residual``."""
    n = 0
    for r in range(w.position.size):
        n = max(n, w.position[r] + 1)
    return pivoting.residual(
        n, w.active, w.first, w.start, w.matrix, w.row_demand, s.row_impulse, w.row_lower, w.row_upper, w.solution,
        w.free,
    )  # fmt: skip


@inlined
def keep_impulses(s, w):
    """Note the impulses of the last step, which a step that fails must leave."""
    for r in range(s.row_impulse.size):
        w.row_impulse_before[r], w.row_status_before[r] = s.row_impulse[r], s.row_status[r]


@inlined
def restore_impulses(s, w):
    """Take back what a step that failed has made of them."""
    for r in range(s.row_impulse.size):
        s.row_impulse[r], s.row_status[r] = w.row_impulse_before[r], w.row_status_before[r]


@kernel
def run(m, s, c, w, h, n):
    """Take n steps of h seconds; returns status flags of all, the last one's residual, and the most rounds of any.

    Stops before a step that can't be taken (``status.STOPS``), with the state of the step before. Instead of steps, n
    may be LOOK: place the cables and fill the rows at the present pose, which leaves a state as it is, but that the
    ends of ropes made of masses are hung on their bodies; SETTLE: set the contact nodes of the pose first; or, for
    another solver, PREPARE: all of a step before its solution; ADVANCE: all of it after that.
    """
    flags, most = status.SOLVED, 0
    if n == LOOK or n == SETTLE:
        ropes.attach_particles(m, s)
    if n == SETTLE:
        flags = wires.touch_cables(m, s, w, 0.0) | wires.refresh_wires(m, s, w, 0.0)
    for _ in range(max(n, 1)):
        if n != ADVANCE:
            flags |= prepare(m, s, c, w, h, n > 0 or n == PREPARE)
            if n <= 0:
                return flags, 0.0, most
            flags |= status.SOLVED if finite(w.next_velocity) else status.NOT_FINITE
            if flags & status.STOPS:  # before it gets into the impulses
                break
            keep_impulses(s, w)
            flag, rounds = solve(m, s, w, h)
            flags, most = flags | flag | bodies.check_speeds(m.body_kind, w.next_velocity), max(most, rounds)
            if flags & status.STOPS:
                restore_impulses(s, w)
                break
        flags |= advance(m, s, c, w, h)
    if n == ADVANCE:
        return flags, 0.0, most
    return flags, residual(m, s, w), most
