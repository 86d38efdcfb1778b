"""Step functions for the rows of hybrid wires and their solution: unpack Model, State and
Workspace."""

from cable_sim.kernels import status, wires
from cable_sim.kernels.cables.contact import turn_checks
from cable_sim.kernels.cables.crossing import crossing_rows
from cable_sim.kernels.cables.friction import friction, friction_work
from cable_sim.kernels.cables.hybrid import hybrid
from cable_sim.kernels.jit import inlined
from cable_sim.kernels.multibody import bodies
from cable_sim.kernels.multibody.envelope import apply_impulses
from cable_sim.kernels.multibody.rows import join_rows
from cable_sim.kernels.multibody.solver import solve_rows
from cable_sim.kernels.multibody.vec3 import scale
from cable_sim.kernels.records.world import Model, State, Workspace


@inlined
def form_wires(m: Model, s: State, w: Workspace, h: float) -> int:
    """Fill the rows of all wires; return status flags."""
    if m.wires.cable.size == 0:
        return status.SOLVED
    if m.crossings.body.size > 0:
        crossing_rows.predict_crossings(h, wires.wires(m), wires.nodes(m, s, w))
    lost = hybrid.form_all(
        h, wires.gravity(m), wires.wires(m), wires.nodes(m, s, w), w.bodies, w.rows
    )
    flags = turn_checks.check_wire_turns(h, wires.wires(m), s.bodies.velocity, wires.nodes(m, s, w))
    return flags | (status.CONTACTS_FULL if lost > 0 else status.SOLVED)


@inlined
def lessen_working_friction(m: Model, s: State, w: Workspace, h: float) -> int:
    """Lessen the friction of segments that would do work; return their number."""
    if not friction_work.any_rubs(wires.wires(m), wires.nodes(m, s, w)):
        return 0
    bodies.copy_velocities(w.bodies.next_velocity, w.bodies.trial_velocity)
    apply_impulses(wires.table(m, s, w), m.bodies, w.solver, w.bodies)
    friction_work.swap_velocities(w.bodies.next_velocity, w.bodies.trial_velocity)
    return friction_work.lessen_all(
        h,
        scale(h, wires.gravity(m)),
        wires.wires(m),
        w.bodies.trial_velocity,
        wires.nodes(m, s, w),
        w.bodies.next_velocity,
    )


@inlined
def revise_rows(m: Model, s: State, w: Workspace, h: float, round: int) -> int:
    """Revise the rows of all wires by the impulses of all segments; return the number of changes.

    A change is a segment that turns out slack or taut against its assumption, or a crossing that
    gets stiffer. After one, the rows ask for other impulses.
    """
    if m.wires.cable.size == 0:
        return 0
    changes = hybrid.review_all(
        scale(h, wires.gravity(m)),
        round,
        wires.wires(m),
        s.rows.impulse,
        wires.nodes(m, s, w),
        w.bodies.next_velocity,
    )
    if m.crossings.body.size > 0:
        changes += crossing_rows.stiffen_all(
            h, wires.wires(m), wires.nodes(m, s, w), w.rows.jacobian, w.bodies.next_velocity
        )
    if changes == 0 and round < hybrid.TOGETHER:
        changes = lessen_working_friction(m, s, w, h)
    if changes > 0:
        # all but the segments that are exposed are eliminated
        hybrid.condense_all(wires.wires(m), wires.nodes(m, s, w), w.rows)
        v = w.bodies.next_velocity
        join_rows(h, True, v, v, s.bodies, wires.table(m, s, w))
    return changes


@inlined
def solve_with_wires(m: Model, s: State, w: Workspace, h: float) -> tuple[int, int]:
    """Solve for all impulses until the wires' segments agree; return status flags and rounds."""
    flags = status.SOLVED
    rounds = 0
    settled = False
    for review in range(hybrid.REVIEWS):
        flags, taken = solve_rows(m.bodies, w.bodies, wires.table(m, s, w), w.solver)
        rounds += taken
        if revise_rows(m, s, w, h, review) == 0:
            settled = review <= friction.ROUGH
            break
    return flags | (status.SOLVED if settled else status.NOT_CONVERGED), rounds
