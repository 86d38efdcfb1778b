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
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.world import Control, Model, State, Workspace


@inlined
def place_cables(m: Model, s: State, w: Workspace, placed: bool, extras: bool | None) -> None:
    """Place nodes and spans of all cables at the present pose; hybrid wires may be ``placed``."""
    massless.place_cables(wires.lines(m, s, w))
    if extras is not None:
        if m.wheels.node.size > 0:
            wheel_contacts.place_cables(wires.lines(m, s, w), wires.rims(m, s, w))
        if s.waves.displacement.size > 0:
            elevation.place_spans(wires.lines(m, s, w))
        if s.particles.position.size > 0:
            particles.place_end_nodes(m.ropes, s.particles, wires.lines(m, s, w), w.ropes)
        wires.place_strands(m, s, w, placed)


@inlined
def take_grip_tensions(m: Model, s: State, h: float, span_tension_out: Floats) -> None:
    """Set the tensions of cables that friction on solids may hold: those of the last step."""
    if m.grips.row.size > 0:
        grip_slip.take_tensions(h, m.cables, m.grips, s.spans.tension_impulse, span_tension_out)


@inlined
def span_tensions(m: Model, s: State, w: Workspace, h: float) -> None:
    """Compute the tension of every span over the last step."""
    massless.compute_tensions(h, wires.lines(m, s, w), wires.table(m, s, w), w.spans.tension)
    take_grip_tensions(m, s, h, w.spans.tension)


@inlined
def fill_inertia_rows(m: Model, s: State, w: Workspace, h: float, extras: bool | None) -> None:
    """Fill the rows of the inertia that keeps light bodies calm."""
    transverse.fill_rows(h, s.steps[0] > 0, wires.lines(m, s, w), wires.table(m, s, w))
    if extras is not None:
        particles.fill_inertia_rows(h, m.ropes, wires.lines(m, s, w), wires.table(m, s, w))
        wire_transverse.fill_rows(
            h, m.cables, wires.wires(m), m.spans, m.rows, wires.nodes(m, s, w), w.rows
        )
    transverse.limit_resistance(h, wires.lines(m, s, w), wires.table(m, s, w))


@inlined
def fill_wheel_rows(m: Model, s: State, w: Workspace, h: float) -> int:
    """Fill the rows of wheels that a rope sticks to and slips on; return status flags."""
    if m.wheels.node.size == 0:
        return status.SOLVED
    return wheels.fill_rows(h, wires.lines(m, s, w), wires.rims(m, s, w), wires.table(m, s, w))


@inlined
def hold_cables(m: Model, s: State, w: Workspace, h: float) -> None:
    """Find where friction on solids holds the rope of massless and elevation cables in the step."""
    if m.grips.row.size > 0:
        grips.hold_cables(
            h, wires.lines(m, s, w), wires.grips(m, w), s.rows.impulse, wires.nodes(m, s, w)
        )


@inlined
def fill_grip_rows(m: Model, s: State, w: Workspace, h: float) -> None:
    """Fill the rows of the friction that holds massless and elevation cables on solids."""
    if m.grips.row.size > 0:
        grips.find_all_grips(wires.lines(m, s, w), wires.nodes(m, s, w), wires.grips(m, w))
        grips.fill_rows(h, m.cables, wires.grips(m, w), wires.nodes(m, s, w), wires.table(m, s, w))
        grips.add_path_growth(h, wires.lines(m, s, w), wires.grips(m, w), wires.table(m, s, w))


@inlined
def add_slides(m: Model, s: State, w: Workspace, h: float) -> None:
    """Add the slides of contact nodes along edges to the rates of the rows."""
    if m.grips.row.size > 0:
        grips.add_slides(
            h, wires.lines(m, s, w), wires.grips(m, w), wires.nodes(m, s, w), wires.table(m, s, w)
        )


@inlined
def update_grips(m: Model, s: State, w: Workspace, h: float) -> None:
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
def grip_energy(m: Model, s: State, w: Workspace, h: float) -> float:
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
def add_path_growth(m: Model, s: State, w: Workspace, h: float, extras: bool | None) -> None:
    """Add what turns of spans add to paths, less what contact nodes save by sliding."""
    if path_growth.count_turns(h, wires.lines(m, s, w), wires.table(m, s, w)) == 0:
        return
    if s.steps[0] == 0:
        bodies.copy_velocities(s.bodies.velocity, w.bodies.trial_velocity)
    elif not path_growth.resolves_pulls(h, wires.lines(m, s, w), wires.table(m, s, w)):
        bodies.copy_velocities(w.bodies.next_velocity, w.bodies.trial_velocity)
    else:
        path_growth.predict_velocities(
            wires.table(m, s, w), m.bodies, w.bodies, w.bodies.trial_velocity
        )
    path_growth.add_path_growth(h, wires.table(m, s, w), wires.lines(m, s, w))
    if extras is not None:
        edge_growth.subtract_savings(h, wires.lines(m, s, w), wires.table(m, s, w))


@inlined
def keep_start(m: Model, s: State, w: Workspace, h: float) -> None:
    """Let cables have the length that their start has added to their paths."""
    if m.stepper[0] == SPOOK:
        path_growth.keep_start(h, s.steps[0] == 0, wires.lines(m, s, w), wires.table(m, s, w))


@inlined
def fill_cable_rows(m: Model, s: State, w: Workspace, h: float, extras: bool | None) -> int:
    """Fill the rows of the cables; return status flags.

    They are those of stretch and sheaves, torsion, stops, and the inertia that keeps light bodies
    calm.
    """
    massless.fill_rows(wires.lines(m, s, w), wires.table(m, s, w))
    flags = status.SOLVED
    if extras is not None:
        flags |= fill_wheel_rows(m, s, w, h)
    flags |= torsion.fill_rows(wires.table(m, s, w), wires.lines(m, s, w))
    fill_inertia_rows(m, s, w, h, extras)
    breakage.deactivate_rows(wires.lines(m, s, w), w.rows)
    flags |= turn_checks.check_turns(h, wires.lines(m, s, w), s.rows)
    flags |= span_stops.fill_rows(h, wires.lines(m, s, w), wires.table(m, s, w))
    add_path_growth(m, s, w, h, extras)
    return flags


@inlined
def apply_transverse_pulls(m: Model, s: State, w: Workspace, h: float) -> None:
    """Pull the ends of the curves of all spans across their chords."""
    if s.waves.displacement.size > 0:
        span_tensions(m, s, w, h)
        elevation.apply_transverse_pulls(h, wires.gravity(m), m.bodies, wires.lines(m, s, w))


@inlined
def add_wave_compliance(m: Model, s: State, c: Control, w: Workspace, h: float) -> None:
    """Add to the cables' rows the lengths that their curves give under tension."""
    if s.waves.displacement.size > 0:
        wave_compliance.add_compliance(
            h, load_field(m, c), wires.table(m, s, w), wires.lines(m, s, w)
        )


@inlined
def add_curve_work(t: float, velocity: Floats, m: Model, s: State, w: Workspace) -> None:
    """Add the work of gravity on all curves in a time t [s], with these velocities of bodies."""
    curve_work.add_work(t, wires.gravity(m), velocity, wires.lines(m, s, w))


@inlined
def advance_waves(m: Model, s: State, c: Control, w: Workspace, h: float) -> int:
    """Advance the curves of all spans by a step; return status flags."""
    if s.waves.displacement.size == 0:
        return status.SOLVED
    lead = lead_time(h, m.stepper[0])
    add_curve_work(lead, s.bodies.velocity, m, s, w)
    span_tensions(m, s, w, h)
    flags = elevation.advance(h, load_field(m, c), wires.lines(m, s, w))
    add_curve_work(h - lead, w.bodies.next_velocity, m, s, w)
    return flags


@inlined
def update_wheels(m: Model, s: State, w: Workspace, h: float) -> int:
    """Let ropes slip over wheels; return status flags."""
    if m.wheels.node.size == 0:
        return status.SOLVED
    flags = wheels.update_slip(h, wires.table(m, s, w), wires.lines(m, s, w), wires.rims(m, s, w))
    wheels.keep_contacts(wires.rims(m, s, w))
    return flags


@inlined
def update_accounts(m: Model, s: State, w: Workspace, h: float) -> None:
    """Keep the accounts of payments and twists that the next step needs."""
    transverse.update_energy_taken(wires.table(m, s, w), wires.lines(m, s, w))
    swing_losses.update_losses(h, wires.table(m, s, w), wires.lines(m, s, w))
    torsion.predict_twists(h, wires.table(m, s, w), wires.lines(m, s, w))


@inlined
def find_catches(m: Model, s: State, w: Workspace, h: float, extras: bool | None) -> int:
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
        h, wires.gravity(m), m.bodies, wires.table(m, s, w), wires.lines(m, s, w)
    )
    return status.CATCH_MISSED if found else status.SOLVED


@inlined
def check_loads(m: Model, s: State, w: Workspace, h: float, extras: bool | None) -> int:
    """Hold the largest tensions, and part cables that pulled too much; return status flags."""
    flags = status.SOLVED
    if extras is not None and m.grips.row.size > 0:
        span_tensions(m, s, w, h)
    for c in range(m.breakage.force.size):
        force = m.breakage.force[c]
        if isinf(force) or s.cables.attachment[c] != breakage.ON:
            continue
        tension = massless.largest_tension(h, c, wires.lines(m, s, w), s.rows)
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
