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
        m.cables.node_start, s.nodes.body, s.nodes.point, s.nodes.excess, s.bodies.position, s.bodies.orientation,
        w.nodes.position, w.nodes.arm, w.nodes.beyond, w.spans.length, w.spans.direction,
    )  # fmt: skip
    if s.waves.displacement.size > 0:
        elevation.place(
            m.cables.node_start, m.waves.on, m.waves.kind, m.waves.start, m.waves.intervals, s.nodes.excess,
            s.spans.waves, s.waves.displacement, s.spans.normal, w.spans.length, w.spans.direction, w.spans.normal,
            w.spans.arc, w.nodes.beyond, w.waves.scratch[0],
        )  # fmt: skip
    if s.particles.position.size > 0:
        particles.show_ends(
            m.ropes.start, m.ropes.cable, m.cables.node_start, s.particles.position, s.particles.velocity,
            w.nodes.position, w.ropes.end_velocity,
        )  # fmt: skip


@inlined
def span_tensions(m, s, w, h):
    """Tension of every span over the last step."""
    massless.tensions(
        h, m.cables.node_start, m.cables.row, m.cables.drive_row, m.cables.pull_row, m.cables.winch, m.cables.length,
        m.cables.layer_start, m.cables.drum_layer, m.cables.node_row, m.rows.lower, s.bodies.position, w.nodes.beyond,
        s.rows.impulse, w.spans.tension,
    )  # fmt: skip


@inlined
def fill_cable_rows(m, s, w, h):
    """Rows of the cables: stretch and sheaves, torsion, what keeps light bodies calm, stops; returns status flags."""
    massless.rows(
        m.cables.node_start, m.cables.row, m.cables.drive_row, m.cables.pull_row, m.cables.winch, m.cables.length,
        m.cables.layer_start, m.cables.drum_layer, m.cables.compliance, m.cables.compliance_per_length,
        m.cables.node_row, m.rows.entry_start, m.rows.limit_start, s.nodes.slot, s.nodes.loss, s.bodies.position,
        w.nodes.arm, w.nodes.beyond, w.spans.direction, w.rows.gap, w.rows.compliance, w.rows.limit_factor,
        w.rows.jacobian,
    )  # fmt: skip
    ways.rows(
        h, m.cables.node_start, m.cables.row, m.waves.on, m.cables.wire, m.rows.mobility, s.cables.off, s.nodes.body,
        s.bodies.velocity, w.bodies.next_velocity, w.rows.compliance, w.nodes.arm, w.spans.length, w.spans.direction,
        w.rows.target, w.rows.inner,
    )  # fmt: skip
    flags = torsion.rows(
        m.cables.node_start, m.cables.row, m.cables.winch, m.cables.length, m.cables.layer_start, m.cables.drum_layer,
        m.twist.row, m.twist.start, m.twist.compliance, m.twist.compliance_per_length, m.twist.torque_arm,
        m.twist.tangent, m.twist.normal, m.spans.slots, m.rows.entry_start, s.nodes.body, s.nodes.slot, s.nodes.touch,
        s.bodies.position, s.bodies.orientation, s.cables.twist_expected, w.nodes.position, w.nodes.arm, w.spans.length,
        w.spans.direction, w.cables.twist, w.cables.unlaid, w.spans.shaft, w.spans.lever, w.rows.active, w.rows.gap,
        w.rows.compliance, w.rows.jacobian,
    )  # fmt: skip
    transverse.rows(
        h, m.stepper[0], s.steps[0] > 0, m.cables.node_start, m.cables.row, m.cables.drive_row, m.cables.calm,
        m.spans.calm_row, m.spans.mobility, m.rows.entry_start, m.rows.entry_body, m.bodies.inverse_mass,
        m.rows.damping_time, m.rows.mobility, s.nodes.body, s.nodes.touch, w.bodies.inverse_inertia, s.rows.impulse,
        w.rows.gap, w.nodes.arm, w.spans.length, w.spans.direction, w.rows.active, w.rows.compliance, w.rows.jacobian,
    )  # fmt: skip
    parting.rows(
        m.cables.node_start, m.cables.row, m.cables.drive_row, m.twist.row, m.cables.node_row, m.spans.calm_row,
        s.cables.off, w.rows.active,
    )  # fmt: skip
    flags |= turning.look(
        h, m.cables.node_start, m.cables.row, s.cables.off, s.nodes.body, s.nodes.touch, s.bodies.velocity,
        s.rows.impulse, w.nodes.arm, w.spans.length, w.spans.direction,
    )  # fmt: skip
    return flags | stops.rows(
        h, m.cables.node_start, m.spans.stop_row, m.rows.entry_start, s.cables.off, s.nodes.body, s.nodes.touch,
        s.bodies.velocity, w.nodes.arm, w.spans.length, w.spans.direction, w.rows.active, w.rows.gap, w.rows.jacobian,
    )  # fmt: skip


@inlined
def fill_rows(m, s, w, h):
    """Gaps, entries, compliances and bounds of all rows at the present pose, for which the cables have been placed.

    Returns status flags of the poses.
    """
    rows.clear(
        m.rows.lower, m.rows.upper, m.rows.compliance, w.rows.active, w.rows.lower, w.rows.upper, w.rows.compliance,
        w.rows.target, w.rows.inner,
    )  # fmt: skip
    joints.rows(
        m.joints.kind, m.joints.body, m.joints.row, m.rows.entry_start, s.joints.point, s.joints.axes, s.joints.open,
        s.bodies.position, s.bodies.orientation, w.rows.active, w.rows.gap, w.rows.jacobian,
    )  # fmt: skip
    joints.coordinate_rows(
        h, m.joints.kind, m.joints.body, m.joints.lower, m.joints.upper, m.joints.rest, m.joints.stop_row,
        m.joints.spring_row, m.rows.entry_start, m.rows.entry_body, s.joints.point, s.joints.axes, s.joints.open,
        s.bodies.position, s.bodies.orientation, s.joints.position, w.bodies.next_velocity, w.rows.active, w.rows.gap,
        w.rows.jacobian,
    )  # fmt: skip
    drives.rows(
        m.drives.kind, m.drives.on, m.drives.row, m.joints.kind, m.joints.body, m.rows.entry_start, s.joints.point,
        s.joints.axes, s.bodies.position, s.bodies.orientation, w.rows.jacobian,
    )  # fmt: skip
    contact.rows(
        h, m.contacts.body, m.contacts.point, m.contacts.radius, m.contacts.surface, m.contacts.row,
        m.surfaces.point, m.surfaces.axes, m.surfaces.extent, m.surfaces.thickness, m.surfaces.friction,
        m.rows.entry_start, m.rows.limit_start, s.bodies.position, s.bodies.orientation, s.bodies.velocity,
        w.rows.active, w.rows.gap, w.rows.limit_factor, w.rows.jacobian,
    )  # fmt: skip
    box_rows(
        h, m.boxes.body, m.boxes.frame, m.boxes.half, m.pairs.box, m.pairs.row, m.pairs.friction, m.rows.entry_start,
        m.rows.limit_start, s.bodies.position, s.bodies.orientation, s.bodies.velocity, w.rows.active, w.rows.gap,
        w.rows.limit_factor, w.rows.jacobian, w.boxes.centre, w.boxes.axes, w.boxes.polygon, w.boxes.chosen,
    )  # fmt: skip
    wires.fill_solids(m, s, w, h)
    flags = joints.look(
        h, m.joints.body, s.joints.point, s.joints.open, s.bodies.position, s.bodies.orientation, s.bodies.velocity
    )  # fmt: skip
    return flags | fill_cable_rows(m, s, w, h)


@inlined
def conduct_drives(m, s, c, w, h):
    """Drives and brakes a step on, and what their rows hold and how strongly, for which the rows have been filled."""
    drives.conduct(
        h, m.drives.kind, m.drives.on, m.drives.motor, m.drives.brakes, m.drives.row, m.cables.node_start,
        m.rows.entry_start, m.rows.entry_body, m.rows.lower, m.bodies.inverse_mass, w.bodies.inverse_inertia,
        s.joints.position, s.bodies.position, s.bodies.velocity, w.nodes.beyond, w.rows.jacobian, s.rows.impulse,
        c.drives.mode, c.drives.target, c.drives.brake, c.drives.powered, c.drives.effort_share, c.drives.brake_share,
        c.drives.slip, s.drives.reference, s.drives.motion, s.drives.brake_closed, w.rows.target, w.rows.compliance,
        w.rows.lower, w.rows.upper,
    )  # fmt: skip


@inlined
def demand_rows(m, s, w, h):
    """Softness and demand of all rows."""
    rows.prepare(
        h, m.stepper[0], m.rows.kind, m.rows.entry_start, m.rows.entry_body, m.rows.one_sided, m.rows.limit_start,
        m.rows.limit_row, s.bodies.velocity, w.bodies.next_velocity, w.rows.gap, w.rows.target, w.rows.compliance,
        m.rows.damping_time, m.rows.mobility, w.rows.inner, w.rows.jacobian, w.rows.active, w.rows.softness,
        w.rows.demand,
    )  # fmt: skip


@inlined
def solve(m, s, w, h):
    """Impulses of all rows and the new velocities; returns status flags and pivoting rounds."""
    flags, rounds, settled = status.SOLVED, 0, False
    for review in range(hybrid.REVIEWS):
        flags, taken = solver.solve_rows(
            m.rows.order, m.rows.entry_start, m.rows.entry_body, m.rows.entry_row, m.rows.body_entry_start,
            m.rows.body_entry, m.rows.limit_start, m.rows.limit_row, m.bodies.kind, m.bodies.inverse_mass,
            w.bodies.inverse_inertia, w.rows.active, w.rows.softness, w.rows.demand, w.rows.limit_factor,
            w.rows.jacobian, w.rows.lower, w.rows.upper, s.rows.status, s.rows.impulse, w.solver.active,
            w.solver.position, w.solver.first, w.solver.start, w.solver.free, w.solver.matrix, w.solver.factor,
            w.solver.diagonal, w.solver.solution, w.solver.body_first, w.solver.place, w.solver.gathered,
            w.solver.response,
        )  # fmt: skip
        rounds += taken
        if m.wires.cable.size == 0 or wires.review_wires(m, s, w, h, review) == 0:
            settled = review <= hybrid.ROUGH
            break
        wires.condense_wires(m, s, w)
        demand_rows(m, s, w, h)
    flags |= status.SOLVED if settled else status.NOT_CONVERGED
    envelope.apply_impulses(
        m.rows.body_entry_start, m.rows.body_entry, m.rows.entry_row, m.bodies.inverse_mass, w.solver.position,
        w.bodies.inverse_inertia, w.rows.jacobian, s.rows.impulse, w.bodies.next_velocity,
    )  # fmt: skip
    return flags, rounds


@inlined
def pull_bodies(m, s, w, h):
    """What pulls on the bodies without a row; returns status flags of springs."""
    calm = ropes.run_springs(m, s, w, h)
    if s.waves.displacement.size > 0:
        span_tensions(m, s, w, h)
        elevation.pull_across(
            h, (m.gravity[0], m.gravity[1], m.gravity[2]), m.cables.node_start, m.waves.on, m.waves.kind,
            m.cables.density, m.waves.start, m.waves.intervals, m.bodies.kind, m.bodies.inverse_mass, s.nodes.body,
            s.spans.waves, w.spans.tension, s.waves.displacement, w.spans.normal, w.spans.length, w.spans.direction,
            w.nodes.arm, w.bodies.inverse_inertia, w.bodies.next_velocity,
        )  # fmt: skip
    return calm


@inlined
def prepare(m, s, c, w, h, ahead):
    """Everything of a step up to the demands of the rows; returns status flags of the poses, springs and chains.

    With no step ``ahead`` it ends with the rows as they are at the present pose.
    """
    if ahead:
        motions.apply(
            s.time[0], h, m.motions.body, m.motions.drive, m.motions.start, m.motions.time, m.motions.value,
            c.bodies.prescribed_velocity, c.drives.target,
        )  # fmt: skip
        carriages.move(
            h, m.carriages.limit, m.carriages.node_start, m.carriages.node, m.carriages.node_point, m.carriages.turns,
            m.carriages.frame, c.carriages.target, c.carriages.speed, s.carriages.position, s.nodes.point,
        )  # fmt: skip
    bodies.world_inverse_inertia(
        m.bodies.kind, m.bodies.inverse_inertia, s.bodies.orientation, w.bodies.inverse_inertia
    )
    bodies.free_velocities(
        h, (m.gravity[0], m.gravity[1], m.gravity[2]), m.bodies.kind, m.bodies.inverse_mass, s.bodies.velocity,
        c.bodies.wrench, c.bodies.prescribed_velocity, w.bodies.inverse_inertia, w.bodies.next_velocity,
    )  # fmt: skip
    place_cables(m, s, w)
    if ahead:
        blow(m, s, c, w, h)
    calm = pull_bodies(m, s, w, h) if ahead else status.SOLVED
    flags = fill_rows(m, s, w, h)
    if not ahead:
        return flags
    conduct_drives(m, s, c, w, h)
    if s.waves.displacement.size > 0:
        giving.give(
            h, (m.gravity[0], m.gravity[1], m.gravity[2]), wind_of(m, c), m.cables.node_start, m.waves.on, m.waves.kind,
            m.waves.scheme, m.cables.row, m.cables.density, m.wind.cable_drag, m.waves.damping, m.waves.start,
            m.waves.intervals, s.nodes.body, s.spans.waves, s.bodies.velocity, w.bodies.next_velocity, w.nodes.position,
            w.nodes.arm, w.spans.normal, w.spans.length, w.spans.direction, w.spans.arc, w.spans.tension,
            s.waves.displacement, s.waves.rate, s.rows.impulse, w.rows.compliance, w.rows.inner, w.waves.scratch,
        )  # fmt: skip
    flags |= ropes.condense_chains(m, s, w, h)
    if m.wires.cable.size > 0:
        flags |= wires.form_wires(m, s, w, h)
    demand_rows(m, s, w, h)
    return flags | calm | ropes.check_strains(m, s, w, h)


@inlined
def part_cables(m, s, w, h):
    """Cables that pulled with more than their breaking force in the step part; returns status flags."""
    if m.parting.cable.size == 0:
        return status.SOLVED
    span_tensions(m, s, w, h)
    return parting.part_all(
        m.parting.cable, m.parting.force, m.cables.node_start, m.waves.start, m.waves.intervals, w.spans.tension,
        s.cables.off, s.cables.twist_expected, s.nodes.body, s.nodes.point, s.nodes.slot, s.nodes.touch, s.nodes.excess,
        s.spans.waves, s.waves.displacement, s.waves.rate,
    )  # fmt: skip


@inlined
def advance(m, s, c, w, h):
    """Poses, coordinates, contact nodes and time at the end of the step; returns status flags."""
    flags = joints.overrun_stops(
        h, m.joints.stop_row, m.rows.compliance, w.rows.active, w.rows.softness, s.rows.impulse
    )
    torsion.expectations(
        h, m.twist.row, m.twist.torque_arm, m.rows.entry_start, m.rows.entry_body, w.bodies.next_velocity,
        w.cables.twist, w.rows.jacobian, s.cables.twist_expected, w.cables.unlaid,
    )  # fmt: skip
    if s.waves.displacement.size > 0:
        span_tensions(m, s, w, h)
        flags |= elevation.advance(
            h, (m.gravity[0], m.gravity[1], m.gravity[2]), wind_of(m, c), m.cables.node_start, m.waves.on, m.waves.kind,
            m.waves.scheme, m.waves.mixed_term, m.cables.density, m.wind.cable_drag, m.waves.damping, m.waves.start,
            m.waves.intervals, s.nodes.body, s.spans.waves, w.spans.tension, w.spans.normal, w.spans.length,
            w.spans.direction, w.spans.arc, w.nodes.position, w.nodes.arm, s.bodies.velocity, w.bodies.next_velocity,
            s.waves.displacement, s.waves.rate, s.spans.normal, s.cables.lost, w.waves.scratch,
        )  # fmt: skip
    if s.particles.position.size > 0:
        ropes.advance_particles(m, s, w, h)
        blow_on_particles(
            h, wind_of(m, c), m.ropes.start, m.wind.rope_drag, m.ropes.particle_inverse_mass, s.particles.position,
            s.particles.velocity,
        )  # fmt: skip
    if m.wires.cable.size > 0:
        flags |= wires.move_wires(m, s, w, h, wind_of(m, c))
    bodies.advance(
        h, m.bodies.kind, m.bodies.axes, m.bodies.momentum, m.bodies.inverse_moments, w.bodies.next_velocity,
        s.bodies.position, s.bodies.orientation, s.bodies.velocity,
    )  # fmt: skip
    ropes.attach_particles(m, s)
    joints.coordinates(
        m.joints.kind, m.joints.body, s.joints.point, s.joints.axes, s.joints.offset, s.bodies.position,
        s.bodies.orientation, s.joints.position,
    )  # fmt: skip
    s.steps[0] += 1
    s.time[0] = s.steps[0] * h
    flags |= part_cables(m, s, w, h)
    return flags | wires.touch_cables(m, s, w, h) | wires.refresh_wires(m, s, w, h)


@inlined
def residual(m, s, w):
    """How well the last step was solved; see ``pivoting.residual``."""
    n = 0
    for r in range(w.solver.position.size):
        n = max(n, w.solver.position[r] + 1)
    return pivoting.residual(
        n, w.solver.active, w.solver.first, w.solver.start, w.solver.matrix, w.rows.demand, s.rows.impulse,
        w.rows.lower, w.rows.upper, w.solver.solution, w.solver.free,
    )  # fmt: skip


@inlined
def keep_impulses(s, w):
    """Note the impulses of the last step, which a step that fails must leave."""
    for r in range(s.rows.impulse.size):
        w.rows.impulse_before[r], w.rows.status_before[r] = s.rows.impulse[r], s.rows.status[r]


@inlined
def restore_impulses(s, w):
    """Take back what a step that failed has made of them."""
    for r in range(s.rows.impulse.size):
        s.rows.impulse[r], s.rows.status[r] = w.rows.impulse_before[r], w.rows.status_before[r]


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
            flags |= status.SOLVED if finite(w.bodies.next_velocity) else status.NOT_FINITE
            if flags & status.STOPS:  # before it gets into the impulses
                break
            keep_impulses(s, w)
            flag, rounds = solve(m, s, w, h)
            flags, most = flags | flag | bodies.check_speeds(m.bodies.kind, w.bodies.next_velocity), max(most, rounds)
            if flags & status.STOPS:
                restore_impulses(s, w)
                break
        flags |= advance(m, s, c, w, h)
    if n == ADVANCE:
        return flags, 0.0, most
    return flags, residual(m, s, w), most
