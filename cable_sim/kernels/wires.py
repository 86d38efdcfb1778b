"""Step functions for solids, contact nodes and hybrid wires: unpack Model, State and Workspace."""

from cable_sim.kernels import status
from cable_sim.kernels.cables.contact import buried_ends, contacts
from cable_sim.kernels.cables.friction.grips import Grips
from cable_sim.kernels.cables.hybrid import (
    end_pulls,
    masses,
    segments,
    wire_breakage,
    wire_contacts,
    wire_placement,
)
from cable_sim.kernels.jit import inlined
from cable_sim.kernels.multibody.vec3 import Vector, scale
from cable_sim.kernels.multibody.wind import Wind
from cable_sim.kernels.pins import combine
from cable_sim.kernels.records import Lines, Moving, Rims, Table
from cable_sim.kernels.records.lines import Around, Nodes, SpanWaves, WireLines
from cable_sim.kernels.records.world import Model, Readings, State, Workspace


@inlined
def nodes(m: Model, s: State, w: Workspace) -> Nodes:
    """Return nodes, spans and segments of all cables, and what they are on."""
    around = Around(moving(m, s, w), waves(m, s, w), m.touches, w.touches)
    state = around, s.nodes, s.spans, s.touches, s.wires
    return combine(Nodes, state + (w.nodes, w.spans, w.segments, w.cables))


@inlined
def lines(m: Model, s: State, w: Workspace) -> Lines:
    """Return the lines of all cables."""
    return Lines(
        m.cables,
        m.spans,
        m.twist,
        m.waves,
        moving(m, s, w),
        s.cables,
        s.nodes,
        s.spans,
        s.waves,
        w.bodies,
        w.cables,
        w.nodes,
        w.spans,
        w.waves,
    )


@inlined
def table(m: Model, s: State, w: Workspace) -> Table:
    """Return the table of rows."""
    return Table(m.rows, s.rows, w.rows, m.stepper)


@inlined
def grips(m: Model, w: Workspace) -> Grips:
    """Return the grips of all cables."""
    return combine(Grips, (m.grips, w.grips))


@inlined
def rims(m: Model, s: State, w: Workspace) -> Rims:
    """Return the wheels in ropes."""
    return Rims(m.wheels, s.wheels, w.wheels)


@inlined
def waves(m: Model, s: State, w: Workspace) -> SpanWaves:
    """Return the waves of all cables."""
    return SpanWaves(
        m.gravity.reshape(1, 3),
        m.waves.kind,
        m.cables.density,
        m.waves.shortest,
        w.spans.tension,
        m.waves.start,
        m.waves.intervals,
        s.spans.waves,
        s.waves.displacement,
        s.waves.rate,
        s.spans.normal,
        w.waves.trace,
        w.spans.length,
        w.spans.direction,
    )


@inlined
def wires(m: Model) -> WireLines:
    """Return the hybrid wires."""
    return combine(WireLines, (m.wires, m.cables, m.twist, m.spans, m.wind, m.rows, m))


@inlined
def moving(m: Model, s: State, w: Workspace) -> Moving:
    """Return poses, velocities and inverse inertias of the bodies."""
    return Moving(
        s.bodies.position,
        s.bodies.orientation,
        s.bodies.velocity,
        m.bodies.inverse_mass,
        w.bodies.inverse_inertia,
    )


@inlined
def gravity(m: Model) -> Vector:
    """Return gravity [m/s^2]."""
    return (m.gravity[0], m.gravity[1], m.gravity[2])


@inlined
def move_wires(m: Model, s: State, w: Workspace, h: float, wind: Wind) -> int:
    """Advance the masses of all wires; return status flags.

    It runs before the bodies move, because masses may push them.
    """
    if m.wires.cable.size == 0:
        return status.SOLVED
    return masses.move_all_masses(h, scale(h, gravity(m)), wires(m), wind, w.bodies, nodes(m, s, w))


@inlined
def wire_energies(m: Model, s: State, w: Workspace, h: float) -> Vector:
    """Return kinetic, potential and elastic energy of all wires at the present pose [J].

    The cables have been placed for that pose.
    """
    segments.measure_all_segments(wires(m), nodes(m, s, w))
    return masses.total_wire_energies(h, s.steps[0] > 0, gravity(m), wires(m), nodes(m, s, w))


@inlined
def read_wires(m: Model, s: State, w: Workspace, o: Readings, h: float) -> None:
    """Complete the forces on the nodes of all wires, and the tensions at their ends."""
    end_pulls.read_wires(h, gravity(m), wires(m), nodes(m, s, w), o.spans.tension, o.nodes.force)


@inlined
def update_cable_contacts(m: Model, s: State, w: Workspace, h: float) -> int:
    """Update contact nodes of all cables except hybrid wires; return status flags.

    They are those of the present pose, after a step of h.
    """
    if m.touches.body.size == 0:
        return status.SOLVED
    buried_ends.fade_marks(s.touches.pierced)
    return contacts.update_contacts(h, m.cables, s.cables, m.spans, nodes(m, s, w))


@inlined
def refresh_wires(m: Model, s: State, w: Workspace, h: float) -> int:
    """Update contact nodes and, with h > 0, masses of all hybrid wires; return status flags.

    They are those of the present pose.
    """
    if m.wires.cable.size == 0:
        return status.SOLVED
    flags = status.SOLVED
    if h > 0.0:
        flags = wire_breakage.sever_wires(h, s.time[0], wires(m), nodes(m, s, w), s.wires, s.cables)
    return flags | wire_contacts.refresh_wires(h, wires(m), nodes(m, s, w), lines(m, s, w))


@inlined
def place_strands(m: Model, s: State, w: Workspace, placed: bool) -> None:
    """Place nodes, spans and unused room of all hybrid wires at the present pose.

    Nodes and spans are there where a step has ``placed`` them, unless carriages or crossings moved
    nodes afterwards.
    """
    moved = m.carriages.node.size > 0 or m.crossings.body.size > 0
    wire_placement.place_all_strands(placed and not moved, wires(m), nodes(m, s, w))


@inlined
def sum_ways(m: Model, s: State, w: Workspace) -> None:
    """Sum the ways of all hybrid wires, which a step has no need of."""
    wire_placement.sum_ways(wires(m), nodes(m, s, w))


@inlined
def lay_wires(m: Model, s: State, w: Workspace, h: float) -> None:
    """Lay the rope of all hybrid wires as it lies at the present pose, for a step of h."""
    wire_contacts.lay_wires(h, wires(m), nodes(m, s, w))


@inlined
def update_contacts(m: Model, s: State, w: Workspace, h: float) -> int:
    """Update contact nodes of all cables, and masses of hybrid wires; return status flags."""
    return update_cable_contacts(m, s, w, h) | refresh_wires(m, s, w, h)
