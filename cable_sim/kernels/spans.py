"""Step functions for spans of cables, straight or with waves: unpack Model, State and Workspace.

``extras`` is None in a step that leaves waves and wheels out (``step.py``).
"""

from math import isinf

from cable_sim.kernels import status, wires
from cable_sim.kernels.cables.contact import edge_growth, span_stops, turn_checks
from cable_sim.kernels.cables.elevation import curve_work, elevation, wave_compliance
from cable_sim.kernels.cables.friction import grip_slip, grips
from cable_sim.kernels.cables.hybrid import wire_catches, wire_transverse
from cable_sim.kernels.cables.massless import (
    breakage,
    catches,
    massless,
    path_growth,
    swing_losses,
    transverse,
    wheel_contacts,
    wheels,
)
from cable_sim.kernels.cables.particles import particles
from cable_sim.kernels.cables.stiffness import torsion
from cable_sim.kernels.instant import lead_time
from cable_sim.kernels.jit import inlined
from cable_sim.kernels.multibody import bodies
from cable_sim.kernels.multibody.rows import SPOOK
from cable_sim.kernels.multibody.wind import load_field


@inlined
def place_cables(m, s, w, placed, extras):
    """Place nodes and spans of all cables at the present pose; hybrid wires may be ``placed``."""
    massless.place_cables(m.cables, s.nodes, s.bodies, w.nodes, w.spans)
    if extras is not None:
        if m.wheels.node.size > 0:
            wheel_contacts.place_cables(
                m.cables, m.wheels, s.nodes, s.bodies, s.wheels, w.nodes, w.spans, w.wheels
            )
        if s.waves.displacement.size > 0:
            elevation.place_spans(wires.lines(m, s, w))
        if s.particles.position.size > 0:
            particles.place_end_nodes(m.ropes, m.cables, s.particles, w.nodes, w.ropes)
        wires.place_strands(m, s, w, placed)


@inlined
def take_grip_tensions(m, s, h, span_tension_out):
    """Set the tensions of cables that friction on solids may hold: those of the last step."""
    if m.grips.row.size > 0:
        grip_slip.take_tensions(h, m.cables, m.grips, s.spans.tension_impulse, span_tension_out)


@inlined
def span_tensions(m, s, w, h):
    """Compute the tension of every span over the last step."""
    massless.compute_tensions(h, m.cables, m.rows, s.bodies, w.nodes, s.rows, w.spans.tension)
    take_grip_tensions(m, s, h, w.spans.tension)


@inlined
def fill_twist_rows(m, s, w):
    """Fill the rows of torsion; return status flags."""
    return torsion.fill_rows(m.rows, wires.lines(m, s, w), w.rows)


@inlined
def fill_inertia_rows(m, s, w, h, extras):
    """Fill the rows of the inertia that keeps light bodies calm."""
    transverse.fill_rows(
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
    if extras is not None:
        particles.fill_inertia_rows(h, m.ropes, m.cables, m.rows, w.nodes, w.rows)
        wire_transverse.fill_rows(
            h, m.cables, wires.wires(m), m.spans, m.rows, wires.nodes(m, s, w), w.rows
        )
    transverse.limit_resistance(h, m.cables, m.spans, m.rows, s.spans, s.bodies, w.rows)


@inlined
def fill_wheel_rows(m, s, w, h):
    """Fill the rows of wheels that a rope sticks to and slips on; return status flags."""
    if m.wheels.node.size == 0:
        return status.SOLVED
    return wheels.fill_rows(
        h, m.stepper[0], m.cables, m.wheels, m.rows, s.bodies, s.wheels, w.nodes, w.wheels, w.rows
    )


@inlined
def hold_cables(m, s, w, h):
    """Find where friction on solids holds the rope of massless and elevation cables in the step."""
    if m.grips.row.size > 0:
        grips.hold_cables(
            h, wires.lines(m, s, w), wires.grips(m, w), s.rows.impulse, wires.nodes(m, s, w)
        )


@inlined
def fill_grip_rows(m, s, w, h):
    """Fill the rows of the friction that holds massless and elevation cables on solids."""
    if m.grips.row.size > 0:
        grips.find_all_grips(wires.lines(m, s, w), wires.nodes(m, s, w), wires.grips(m, w))
        grips.fill_rows(h, m.cables, wires.grips(m, w), wires.nodes(m, s, w), wires.table(m, s, w))
        grips.add_path_growth(h, wires.lines(m, s, w), wires.grips(m, w), wires.table(m, s, w))


@inlined
def add_slides(m, s, w, h):
    """Add the slides of contact nodes along edges to the rates of the rows."""
    if m.grips.row.size > 0:
        grips.add_slides(
            h, wires.lines(m, s, w), wires.grips(m, w), wires.nodes(m, s, w), wires.table(m, s, w)
        )


@inlined
def update_grips(m, s, w, h):
    """Let ropes slip over what holds them by friction."""
    if m.grips.row.size > 0:
        grip_slip.update_slip(
            h,
            wires.grips(m, w),
            wires.table(m, s, w),
            w.bodies.next_velocity,
            wires.lines(m, s, w),
            wires.nodes(m, s, w),
        )


@inlined
def grip_energy(m, s, w, h):
    """Return the elastic energy of ropes that friction holds beyond that of mean tensions [J]."""
    total = 0.0
    if m.grips.row.size > 0:
        for c in range(m.cables.row.size):
            total += grip_slip.strain_energy(
                h,
                s.steps[0] > 0,
                c,
                m.cables,
                wires.grips(m, w),
                wires.table(m, s, w),
                wires.nodes(m, s, w),
            )
    return total


@inlined
def add_path_growth(m, s, w, h, extras):
    """Add what turns of spans add to paths, less what contact nodes save by sliding."""
    if path_growth.count_turns(h, m.cables, m.waves, m.rows, s.cables, w.rows) == 0:
        return
    if s.steps[0] == 0:
        bodies.copy_velocities(s.bodies.velocity, w.bodies.trial_velocity)
    elif not path_growth.resolves_pulls(
        h, m.cables, m.waves, m.rows, s.cables, s.rows, w.spans, w.rows
    ):
        bodies.copy_velocities(w.bodies.next_velocity, w.bodies.trial_velocity)
    else:
        path_growth.predict_velocities(
            m.rows, m.bodies, w.bodies, w.rows, s.rows, w.bodies.trial_velocity
        )
    path_growth.add_path_growth(
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
        w.cables.growth,
        w.rows,
    )
    if extras is not None:
        edge_growth.subtract_savings(h, wires.lines(m, s, w), m.rows, w.rows)


@inlined
def keep_start(m, s, w, h):
    """Let cables have the length that their start has added to their paths."""
    if m.stepper[0] == SPOOK:
        path_growth.keep_start(h, s.steps[0] == 0, m.cables, m.waves, m.rows, s.cables, w.rows)


@inlined
def fill_cable_rows(m, s, w, h, extras):
    """Fill the rows of the cables; return status flags.

    They are those of stretch and sheaves, torsion, stops, and the inertia that keeps light bodies
    calm.
    """
    massless.fill_rows(m.cables, m.rows, s.nodes, s.bodies, w.nodes, w.spans, w.rows)
    flags = status.SOLVED
    if extras is not None:
        flags |= fill_wheel_rows(m, s, w, h)
    flags |= fill_twist_rows(m, s, w)
    fill_inertia_rows(m, s, w, h, extras)
    breakage.deactivate_rows(m.cables, m.twist, m.spans, s.cables, w.rows)
    flags |= turn_checks.check_turns(h, wires.lines(m, s, w), s.rows)
    flags |= span_stops.fill_rows(h, wires.lines(m, s, w), m.rows, w.rows)
    add_path_growth(m, s, w, h, extras)
    return flags


@inlined
def span_ends(s, w):
    """Return the nodes of the cables' spans, and the motion of their bodies."""
    return elevation.Ends(
        s.nodes.body, w.nodes.arm, w.nodes.position, s.bodies.velocity, w.bodies.next_velocity
    )


@inlined
def apply_transverse_pulls(m, s, w, h):
    """Pull the ends of the curves of all spans across their chords."""
    if s.waves.displacement.size > 0:
        span_tensions(m, s, w, h)
        elevation.apply_transverse_pulls(h, wires.gravity(m), m.bodies, wires.lines(m, s, w))


@inlined
def add_wave_compliance(m, s, c, w, h):
    """Add to the cables' rows the lengths that their curves give under tension."""
    if s.waves.displacement.size > 0:
        wave_compliance.add_compliance(
            h, load_field(m, c), span_ends(s, w), s.rows, wires.lines(m, s, w), w.rows
        )


@inlined
def add_curve_work(t, velocity, m, s, w):
    """Add the work of gravity on all curves in a time t [s], with these velocities of bodies."""
    curve_work.add_work(t, wires.gravity(m), velocity, wires.lines(m, s, w))


@inlined
def advance_waves(m, s, c, w, h):
    """Advance the curves of all spans by a step; return status flags."""
    if s.waves.displacement.size == 0:
        return status.SOLVED
    lead = lead_time(h, m.stepper[0])
    add_curve_work(lead, s.bodies.velocity, m, s, w)
    span_tensions(m, s, w, h)
    flags = elevation.advance(h, load_field(m, c), span_ends(s, w), wires.lines(m, s, w))
    add_curve_work(h - lead, w.bodies.next_velocity, m, s, w)
    return flags


@inlined
def update_wheels(m, s, w, h):
    """Let ropes slip over wheels; return status flags."""
    if m.wheels.node.size == 0:
        return status.SOLVED
    flags = wheels.update_slip(
        h,
        m.stepper[0],
        m.cables,
        m.wheels,
        m.rows,
        s.bodies,
        w.bodies,
        w.nodes,
        w.wheels,
        w.rows,
        s.rows,
        s.wheels,
    )
    wheels.keep_contacts(m.wheels, w.wheels, s.wheels)
    return flags


@inlined
def update_accounts(m, s, w, h):
    """Keep the accounts of payments and twists that the next step needs."""
    transverse.update_energy_taken(
        m.cables, m.spans, m.rows, s.bodies, w.bodies, s.rows, w.rows, s.spans
    )
    swing_losses.update_losses(
        h, m.cables, m.waves, m.rows, s.nodes, s.bodies, w.bodies, s.rows, w.spans, w.rows, s.cables
    )
    torsion.predict_twists(h, m.twist, m.rows, w.bodies, w.rows, w.cables, s.cables)


@inlined
def find_catches(m, s, w, h, extras):
    """Find catches that the step does not follow, by its impulses; return status flags."""
    found = False
    if extras is not None:
        found |= catches.find_chain_catches(
            h, wires.gravity(m), m.ropes, s.particles.segment_impulse, w.ropes, w.cables.step_needed
        )
        found |= wire_catches.find_wire_catches(
            h,
            wires.gravity(m),
            wires.wires(m),
            w.bodies,
            w.rows.jacobian,
            wires.nodes(m, s, w),
            w.cables.step_needed,
        )
    found |= catches.find_catches(
        h,
        m.stepper[0],
        wires.gravity(m),
        m.cables,
        m.rows,
        m.bodies,
        s.bodies.velocity,
        w.bodies,
        s.rows.impulse,
        w.rows,
        w.cables.step_needed,
    )
    return status.CATCH_MISSED if found else status.SOLVED


@inlined
def check_loads(m, s, w, h, extras):
    """Hold the largest tensions, and part cables that pulled too much; return status flags."""
    flags = status.SOLVED
    if extras is not None and m.grips.row.size > 0:
        span_tensions(m, s, w, h)
    for c in range(m.breakage.force.size):
        force = m.breakage.force[c]
        if isinf(force) or s.cables.attachment[c] != breakage.ON:
            continue
        tension = massless.largest_tension(h, c, m.cables, s.bodies, w.nodes, s.rows)
        if extras is not None and m.grips.row.size > 0:
            tension = breakage.largest_of_spans(c, m.cables.node_start, w.spans.tension)
        if not breakage.hold_peak(c, tension, force, s.time[0], s.cables):
            continue
        flags |= status.WIRE_BROKE if m.breakage.parts[c] else status.OVERLOADED
        if m.breakage.parts[c]:
            breakage.switch_off(
                c, breakage.PARTED, m.cables, m.waves, s.cables, s.nodes, s.spans, s.waves
            )
    return flags
