"""One step, on one page: the table of contents of the physics.

    forces -> free velocities -> rows of joints, stops, drives, cables, contacts -> impulses ->
    velocities -> poses

``run`` takes n steps in one call. It gets the Model, State, Control and Workspace of
``cable_sim.model.types``, which are unpacked here, in ``ropes.py``, ``wires.py``, ``wind.py`` and
``observe.py`` alone: every function that Python hands them to costs seconds to compile. Scheme and
rows: ``rows.py``; solution: ``solver.py``.
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
from cable_sim.kernels.wind import blow, blow_on_particles, field_of, wind_of

LOOK, SETTLE, PREPARE, ADVANCE = 0, -1, -2, -3
"""Commands to ``run`` in place of a number of steps."""


@inlined
def place_cables(m, s, w):
    """Place nodes and spans of all cables at the present pose."""
    massless.geometry(m.cables, s.nodes, s.bodies, w.nodes, w.spans)
    if s.waves.displacement.size > 0:
        elevation.place(
            m.cables, m.waves, s.nodes, s.spans, s.waves, w.spans, w.nodes, w.waves.scratch[0]
        )
    if s.particles.position.size > 0:
        particles.show_ends(m.ropes, m.cables, s.particles, w.nodes, w.ropes)


@inlined
def span_tensions(m, s, w, h):
    """Tension of every span over the last step."""
    massless.tensions(h, m.cables, m.rows, s.bodies, w.nodes, s.rows, w.spans.tension)


@inlined
def fill_twist_rows(m, s, w):
    """Fill the rows of torsion; return status flags."""
    return torsion.rows(
        m.cables,
        m.twist,
        m.spans,
        m.rows,
        s.nodes,
        s.bodies,
        s.cables,
        w.nodes,
        w.spans,
        w.cables,
        w.rows,
    )


@inlined
def fill_calming_rows(m, s, w, h):
    """Fill the rows of the inertia that keeps light bodies calm."""
    transverse.rows(
        h,
        m.stepper[0],
        s.steps[0] > 0,
        m.cables,
        m.spans,
        m.rows,
        wires.moving(m, s, w),
        s.nodes,
        s.rows,
        w.nodes,
        w.spans,
        w.rows,
    )
    transverse.ask_payment(h, m.cables, m.spans, m.rows, s.spans, s.bodies, w.rows)


@inlined
def fill_cable_rows(m, s, w, h):
    """Fill the rows of the cables; return status flags.

    They are those of stretch and sheaves, torsion, stops, and the inertia that keeps light bodies
    calm.
    """
    massless.rows(m.cables, m.rows, s.nodes, s.bodies, w.nodes, w.spans, w.rows)
    ways.rows(
        h,
        m.cables,
        m.waves,
        m.rows,
        s.cables,
        s.nodes,
        s.bodies,
        w.bodies,
        w.nodes,
        w.spans,
        w.rows,
    )
    flags = fill_twist_rows(m, s, w)
    fill_calming_rows(m, s, w, h)
    parting.rows(m.cables, m.twist, m.spans, s.cables, w.rows)
    flags |= turning.look(h, m.cables, s.cables, s.nodes, s.bodies, s.rows, w.nodes, w.spans)
    return flags | stops.rows(
        h, m.cables, m.spans, m.rows, s.cables, s.nodes, s.bodies, w.nodes, w.spans, w.rows
    )


@inlined
def fill_rows(m, s, w, h):
    """Fill gaps, entries, compliances and bounds of all rows at the present pose.

    The cables have been placed for that pose. Returns status flags of the poses.
    """
    rows.clear(m.rows, w.rows)
    joints.rows(m.joints, m.rows, s.joints, s.bodies, w.rows)
    joints.coordinate_rows(h, m.joints, m.rows, s.joints, s.bodies, w.bodies, w.rows)
    drives.rows(m.drives, m.joints, m.rows, s.joints, s.bodies, w.rows)
    contact.rows(h, m.contacts, m.surfaces, m.rows, s.bodies, w.rows)
    box_rows(h, m.boxes, m.pairs, m.rows, s.bodies, w.rows, w.boxes)
    wires.fill_solids(m, s, w, h)
    flags = joints.look(h, m.joints, s.joints, s.bodies)
    return flags | fill_cable_rows(m, s, w, h)


@inlined
def conduct_drives(m, s, c, w, h):
    """Update drives and brakes, and the speeds and bounds of their rows, which have been filled."""
    drives.conduct(
        h,
        m.drives,
        m.cables,
        m.rows,
        wires.moving(m, s, w),
        s.joints,
        w.nodes,
        s.rows,
        c.drives,
        w.rows,
        s.drives,
    )


@inlined
def demand_rows(m, s, w, h):
    """Compute softness and demand of all rows."""
    rows.prepare(h, m.stepper[0], m.rows, s.bodies, w.bodies, w.rows)


@inlined
def solve(m, s, w, h):
    """Solve for all impulses and the new velocities; return status flags and pivoting rounds."""
    flags, rounds, settled = status.SOLVED, 0, False
    for review in range(hybrid.REVIEWS):
        flags, taken = solver.solve_rows(m.rows, m.bodies, w.bodies, w.rows, s.rows, w.solver)
        rounds += taken
        if m.wires.cable.size == 0 or wires.review_wires(m, s, w, h, review) == 0:
            settled = review <= hybrid.ROUGH
            break
        wires.condense_wires(m, s, w)
        demand_rows(m, s, w, h)
    flags |= status.SOLVED if settled else status.NOT_CONVERGED
    envelope.apply_impulses(m.rows, m.bodies, w.solver, w.rows, s.rows, w.bodies)
    return flags, rounds


@inlined
def pull_bodies(m, s, w, h):
    """Apply the forces on bodies that have no row; return status flags of springs."""
    calm = ropes.run_springs(m, s, w, h)
    if s.waves.displacement.size > 0:
        span_tensions(m, s, w, h)
        elevation.pull_across(
            h,
            (m.gravity[0], m.gravity[1], m.gravity[2]),
            m.cables,
            m.waves,
            m.bodies,
            s.nodes,
            s.spans,
            w.spans,
            s.waves,
            w.nodes,
            w.bodies,
        )
    return calm


@inlined
def ends_of(s, w):
    """Return the nodes of the cables' spans, and the motion of their bodies."""
    return elevation.Ends(
        s.nodes.body, w.nodes.arm, w.nodes.position, s.bodies.velocity, w.bodies.next_velocity
    )


@inlined
def prepare(m, s, c, w, h, ahead):
    """Run a step up to the demands of the rows; return status flags.

    The flags are those of poses, springs and chains. With no step ``ahead`` it ends with the rows
    as they are at the present pose.
    """
    if ahead:
        motions.apply(s.time[0], h, m.motions, c.bodies, c.drives)
        carriages.move(h, m.carriages, c.carriages, s.carriages, s.nodes)
    bodies.world_inverse_inertia(
        m.bodies.kind, m.bodies.inverse_inertia, s.bodies.orientation, w.bodies.inverse_inertia
    )
    bodies.free_velocities(
        h, (m.gravity[0], m.gravity[1], m.gravity[2]), m.bodies, s.bodies, c.bodies, w.bodies
    )
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
            h,
            field_of(m, c),
            ends_of(s, w),
            m.cables,
            m.waves,
            s.spans,
            w.spans,
            s.waves,
            s.rows,
            w.rows,
            w.waves,
        )
    flags |= ropes.condense_chains(m, s, w, h)
    if m.wires.cable.size > 0:
        flags |= wires.form_wires(m, s, w, h)
    demand_rows(m, s, w, h)
    return flags | calm | ropes.check_strains(m, s, w, h)


@inlined
def part_cables(m, s, w, h):
    """Part the cables that pulled with more than their breaking force; return status flags."""
    if m.parting.cable.size == 0:
        return status.SOLVED
    span_tensions(m, s, w, h)
    return parting.part_all(
        m.parting, m.cables, m.waves, w.spans, s.cables, s.nodes, s.spans, s.waves
    )


@inlined
def advance(m, s, c, w, h):
    """Advance poses, coordinates, contact nodes and time by a step; return status flags."""
    flags = joints.overrun_stops(h, m.joints, m.rows, w.rows, s.rows)
    transverse.keep_accounts(m.cables, m.spans, m.rows, s.bodies, w.bodies, s.rows, w.rows, s.spans)
    torsion.expectations(h, m.twist, m.rows, w.bodies, w.rows, w.cables, s.cables)
    if s.waves.displacement.size > 0:
        span_tensions(m, s, w, h)
        flags |= elevation.advance(
            h,
            field_of(m, c),
            ends_of(s, w),
            m.cables,
            m.waves,
            w.spans,
            s.spans,
            s.waves,
            s.cables,
            w.waves,
        )
    if s.particles.position.size > 0:
        ropes.advance_particles(m, s, w, h)
        blow_on_particles(h, wind_of(m, c), m.ropes, m.wind, s.particles)
    if m.wires.cable.size > 0:
        flags |= wires.move_wires(m, s, w, h, wind_of(m, c))
    bodies.advance(h, m.bodies, w.bodies, s.bodies)
    ropes.attach_particles(m, s)
    joints.coordinates(
        m.joints.kind,
        m.joints.body,
        s.joints.point,
        s.joints.axes,
        s.joints.offset,
        s.bodies.position,
        s.bodies.orientation,
        s.joints.position,
    )
    s.steps[0] += 1
    s.time[0] = s.steps[0] * h
    flags |= part_cables(m, s, w, h)
    return flags | wires.touch_cables(m, s, w, h) | wires.refresh_wires(m, s, w, h)


@inlined
def residual(m, s, w):
    """Return the residual of the last step; see ``pivoting.residual``."""
    n = 0
    for r in range(w.solver.position.size):
        n = max(n, w.solver.position[r] + 1)
    return pivoting.residual(n, w.rows, s.rows, w.solver)


@inlined
def keep_impulses(s, w):
    """Keep the impulses of the last step, which a step that fails must leave unchanged."""
    for r in range(s.rows.impulse.size):
        w.rows.impulse_before[r], w.rows.status_before[r] = s.rows.impulse[r], s.rows.status[r]


@inlined
def restore_impulses(s, w):
    """Restore the impulses that a failed step has changed."""
    for r in range(s.rows.impulse.size):
        s.rows.impulse[r], s.rows.status[r] = w.rows.impulse_before[r], w.rows.status_before[r]


@kernel
def run(m, s, c, w, h, n):
    """Take n steps of h seconds, or do what a command in place of n says.

    Stops before a step that can't be taken (``status.STOPS``), with the state of the step before.
    Returns the status flags of all steps, the last one's residual, and the most rounds of any.

    LOOK places the cables and fills the rows at the present pose. It leaves a state as it is, but
    hangs the ends of ropes made of masses on their bodies. SETTLE sets the contact nodes of the
    pose first. For another solver PREPARE is all of a step before its solution, and ADVANCE all of
    it after that.
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
            flags = flags | flag | bodies.check_speeds(m.bodies.kind, w.bodies.next_velocity)
            most = max(most, rounds)
            if flags & status.STOPS:
                restore_impulses(s, w)
                break
        flags |= advance(m, s, c, w, h)
    if n == ADVANCE:
        return flags, 0.0, most
    return flags, residual(m, s, w), most
