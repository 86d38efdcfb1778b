"""One step on a page and a half: the table of contents of the physics.

    forces -> free velocities -> rows of joints, stops, drives, cables, contacts -> impulses ->
    velocities -> poses

``run_world`` takes n steps in one call, of records that are pinned (``pins.py``). They are Model,
State, Control and Workspace (``records/world.py``), which are unpacked here, in ``spans.py``,
``ropes.py``, ``wires.py``, ``wire_rows.py``, ``wind.py`` and ``observe.py`` alone. Scheme and rows:
``rows.py``; solution: ``solver.py``.

``extras`` is None for scenes without waves, ropes made of masses, hybrid wires, wheels in ropes and
obstacles (``model/cables/variants.py``). numba does not compile what they alone need,
three quarters of a step.
"""

from typing import Any

from cable_sim.kernels import ropes, spans, status, wire_rows, wires
from cable_sim.kernels.cables.massless import path_growth
from cable_sim.kernels.collide import FIND, KEEP, ask_contacts
from cable_sim.kernels.instant import lead_time
from cable_sim.kernels.jit import inlined, kernel
from cable_sim.kernels.multibody import balance, bodies, drives, drums, joints
from cable_sim.kernels.multibody.carriages import move_carriages
from cable_sim.kernels.multibody.entries import clear_rows
from cable_sim.kernels.multibody.envelope import apply_impulses
from cable_sim.kernels.multibody.motions import apply_motions
from cable_sim.kernels.multibody.pivoting import residual
from cable_sim.kernels.multibody.rows import join_rows
from cable_sim.kernels.multibody.solver import restore_impulses, save_impulses, solve_rows
from cable_sim.kernels.multibody.wind import apply_wind, step_wind
from cable_sim.kernels.pins import address_of, contents, extras_of
from cable_sim.kernels.records.world import Control, Model, Readings, State, Workspace

LOOK = 0
SETTLE = -1
PREPARE = -2
ADVANCE = -3
CHECK = -4
REVISE = -5
TAKE_IN = -1005
"""Commands to ``run_world`` in place of a number of steps. REVISE and TAKE_IN have the number of
earlier ones taken off them."""
TAKES = 1000
"""Most solutions of a step: between two of them a row is taken in, or a chain changes."""


@inlined
def fill_rows(m: Model, s: State, w: Workspace, h: float, extras: bool | None) -> int:
    """Fill gaps, entries, compliances and bounds of all rows at the present pose.

    The cables have been placed for that pose. Returns status flags of the poses.
    """
    clear_rows(m.rows, w.rows)
    joints.fill_rows(m.joints, s.joints, s.bodies, wires.table(m, s, w))
    joints.fill_coordinate_rows(h, m.joints, s.joints, wires.lines(m, s, w), wires.table(m, s, w))
    joints.fill_friction_rows(h, m.joints, s.joints, s.bodies, wires.table(m, s, w))
    drives.fill_rows(h, m.drives, m.joints, s.joints, s.bodies, wires.table(m, s, w))
    flags = joints.check_turns(h, m.joints, s.joints, s.bodies)
    flags |= spans.fill_cable_rows(m, s, w, h, extras)
    if extras is not None:
        spans.fill_grip_rows(m, s, w, h)
    return flags


@inlined
def prepare(
    m: Model,
    s: State,
    c: Control,
    w: Workspace,
    h: float,
    ahead: bool,
    placed: bool,
    extras: bool | None,
    known: tuple[Any, Any],
) -> int:
    """Run a step up to the demands of the rows; return status flags.

    With no step ``ahead`` it ends with the rows as they are at the present pose, without contacts
    of shapes. ``placed`` says that a step of the same call has gone before, ``known`` is that of
    ``ask_contacts``.
    """
    if ahead:
        lead = lead_time(h, m.stepper[0])
        apply_motions(s.time[0], h, lead, m.motions, s.bodies, c.bodies, c.drives)
        move_carriages(h, m.carriages, c.carriages, s.carriages, s.nodes)
    bodies.world_inverse_inertia(m.bodies, s.bodies, w.bodies)
    bodies.free_velocities(h, wires.gravity(m), m.bodies, s.bodies, c.bodies, w.bodies)
    spans.place_cables(m, s, w, placed, extras)
    if ahead:
        apply_wind(m, s, c, w, h, wires.lines(m, s, w))
    flags = status.SOLVED
    if extras is not None and ahead:
        flags |= ropes.run_springs(m, s, w, h)
        ropes.weigh_ends(m, s, w, h)
        spans.apply_transverse_pulls(m, s, w, h)
        spans.hold_cables(m, s, w, h)
    flags |= fill_rows(m, s, w, h, extras)
    if not ahead:
        if extras is not None:
            wires.sum_ways(m, s, w)
        return flags
    spans.keep_start(m, s, w, h)
    w.rows.heap[0] = 0.0
    flags |= ask_contacts(m, known, FIND)
    drives.update_drives(
        h, m.drives, wires.lines(m, s, w), s.joints, c.drives, wires.table(m, s, w), s.drives
    )
    if extras is not None:
        spans.add_slides(m, s, w, h)
        spans.add_wave_compliance(m, s, c, w, h)
        flags |= ropes.condense_chains(m, s, w, h)
        flags |= wire_rows.form_wires(m, s, w, h)
    save_impulses(wires.table(m, s, w))
    return flags


@inlined
def revise_growths(m: Model, s: State, w: Workspace, h: float) -> tuple[bool, int]:
    """Give the paths of cables the growth of the velocities at the end.

    Returns True if there are such, and the changes.
    """
    return path_growth.revise_growths(
        h, w.bodies.next_velocity, wires.table(m, s, w), wires.lines(m, s, w)
    )


@inlined
def take_in(
    m: Model, s: State, w: Workspace, h: float, round: int, extras: bool | None
) -> tuple[int, int]:
    """Take in the rows that the velocities close, and review chains; return status and changes.

    At first all rows that close in a free step are, and the free velocities kept. Later, if there
    are changes, the velocities are the free ones again.
    """
    changes = 0
    if round == 0:
        bodies.copy_velocities(w.bodies.next_velocity, w.bodies.trial_velocity)
    elif extras is not None:
        changes = ropes.review_chains(m, s, w, h, round - 1)
    free, end = w.bodies.trial_velocity, w.bodies.next_velocity
    every = round == 0 or changes > 0
    changes += join_rows(h, every, free, end, s.bodies, wires.table(m, s, w))
    if changes == 0 and 0 < round <= path_growth.REVISIONS:
        revised, changes = revise_growths(m, s, w, h)
        if revised:
            every = changes > 0
            changes += join_rows(h, every, free, end, s.bodies, wires.table(m, s, w))
    if round == 0:
        return ropes.check_strains(m, s, w, h, extras), changes
    if changes > 0:
        bodies.copy_velocities(w.bodies.trial_velocity, w.bodies.next_velocity)
    return status.SOLVED, changes


@inlined
def solve(
    m: Model, s: State, w: Workspace, h: float, n: int, extras: bool | None
) -> tuple[int, int]:
    """Solve for all impulses and the new velocities; return status flags and pivoting rounds.

    With ``n`` of TAKE_IN or below it does no more than take in rows, and returns the changes.
    """
    rounds = 0
    solved = status.SOLVED
    strained = status.SOLVED
    for round in range(max(TAKE_IN - n, 0), TAKES):
        flags, changes = take_in(m, s, w, h, round, extras)
        if n <= TAKE_IN:
            return flags, changes
        strained |= flags
        if strained & status.STOPS or (round > 0 and changes == 0):
            return strained | solved, rounds
        if extras is None:
            solved, taken = solve_rows(m.bodies, w.bodies, wires.table(m, s, w), w.solver)
        else:
            solved, taken = wire_rows.solve_with_wires(m, s, w, h)
            bodies.copy_velocities(w.bodies.next_velocity, w.bodies.trial_velocity)
        rounds += taken
        apply_impulses(wires.table(m, s, w), m.bodies, w.solver, w.bodies)
    return strained | solved | status.NOT_CONVERGED, rounds


@inlined
def advance(
    m: Model,
    s: State,
    c: Control,
    w: Workspace,
    h: float,
    extras: bool | None,
    known: tuple[Any, Any],
) -> int:
    """Advance poses, coordinates, contact nodes and time by a step; return status flags."""
    flags = joints.overrun_stops(h, m.joints, wires.table(m, s, w))
    flags |= spans.find_catches(m, s, w, h, extras)
    flags |= ask_contacts(m, known, KEEP)
    if extras is not None:
        flags |= spans.update_wheels(m, s, w, h)
    spans.update_accounts(m, s, w, h)
    if extras is not None:
        spans.update_grips(m, s, w, h)
        flags |= spans.advance_waves(m, s, c, w, h)
        ropes.advance_particles(m, s, w, h, step_wind(m, c))
        flags |= wires.move_wires(m, s, w, h, step_wind(m, c))
    bodies.advance(h, m.bodies, w.bodies.next_velocity, s.bodies, s.bodies)
    joints.update_coordinates(m.joints, s.bodies, s.joints)
    s.steps[0] += 1
    s.time[0] = s.steps[0] * h
    flags |= spans.check_loads(m, s, w, h, extras)
    if extras is not None:
        ropes.attach_particles(m, s)
        flags |= ropes.check_loads(m, s, h)
        flags |= wires.update_contacts(m, s, w, h)
    return flags


@inlined
def take_steps(
    m: Model,
    s: State,
    c: Control,
    w: Workspace,
    h: float,
    n: int,
    extras: bool | None,
    known: tuple[Any, Any],
) -> tuple[int, float, int]:
    """Take n steps of h seconds, or do what a command in place of n says.

    Stops before a step that can't be taken (``status.STOPS``), with the state of the step before.
    Returns the status flags of all steps, the last one's residual, and the most rounds of any.

    LOOK places the cables and fills the rows at the present pose. It leaves a state as it is, but
    hangs the ends of ropes made of masses on their bodies, and lays the rope of hybrid wires anew.
    SETTLE sets the contact nodes of the pose first. Another solver stands between PREPARE and
    ADVANCE. TAKE_IN, before its first solution and after each, looks at its velocities, and returns
    the number of rows that they close, and of changes in chains, in place of rounds. REVISE looks
    at its impulses, before they change velocities, and returns that of changes in wires.
    """
    flags = status.SOLVED
    most = 0
    if extras is not None:
        if TAKE_IN < n <= REVISE:
            return flags, 0.0, wire_rows.revise_rows(m, s, w, h, REVISE - n)
        if n == LOOK or n == SETTLE:
            ropes.attach_particles(m, s)
            wires.place_strands(m, s, w, False)
        if n == LOOK:
            wires.lay_wires(m, s, w, h)
        if n == SETTLE:
            flags = wires.update_contacts(m, s, w, 0.0)
        if n > 0 or n == PREPARE or n == ADVANCE:  # others may have used the workspace meanwhile
            ropes.prepare_chains(m, w, h)
        if n == ADVANCE:
            ropes.solve_chains(m, s, w)
    for i in range(max(n, 1)):
        if n > TAKE_IN and n != ADVANCE:
            flags |= prepare(m, s, c, w, h, n > 0 or n == PREPARE, i > 0, extras, known)
            if n <= 0:
                return flags, 0.0, most
            flags |= status.SOLVED if ropes.finite(w.bodies.next_velocity) else status.NOT_FINITE
            if flags & status.STOPS:  # before it gets into the impulses
                break
        if n != ADVANCE:
            flag, rounds = solve(m, s, w, h, n, extras)
            if n <= TAKE_IN:
                return flag, 0.0, rounds
            flags = flags | flag | bodies.check_speeds(m.bodies.kind, w.bodies.next_velocity)
            most = max(most, rounds)
            if flags & status.STOPS:
                restore_impulses(wires.table(m, s, w))
                break
        flags |= advance(m, s, c, w, h, extras, known)
    if n == ADVANCE:
        return flags, 0.0, most
    return flags, residual(w.rows, s.rows, w.solver), most


@inlined
def check_call(m: Model, s: State, c: Control, o: Readings, h: float, extras: bool | None) -> int:
    """Return the status flags that are looked for once a call."""
    flags = drums.check_winding(m.cables, s.bodies)
    if o.balance.watched[0] and balance.is_driven(c):
        balance.restart(o.balance)
    flags |= status.ENERGY_GAINED if o.balance.told[0] else status.SOLVED
    flags |= status.ENERGY_LOST if o.balance.told[1] else status.SOLVED
    return flags if extras is None else flags | ropes.check_fineness(m, s, h)


@kernel
def run(pin: Any, n: int, extras: bool | None) -> int:
    """Do what :func:`run_world` does; ``extras`` is an argument, for numba leaves out branches by
    arguments alone."""
    m, s, _, c, w, o, h, _, accuracy_out, contacts = contents(pin)
    flags = status.SOLVED
    if n != CHECK:
        flags, left, rounds = take_steps(m, s, c, w, h, n, extras, (contacts[0], address_of(pin)))
        accuracy_out[0] = left
        accuracy_out[1] = rounds
    return flags | check_call(m, s, c, o, h, extras)


@kernel
def run_world(pin: Any, n: int) -> int:
    """Run pinned records (``World``) as :func:`take_steps` does; return the status flags.

    Adds the flags that are looked for once a call, which are all that CHECK returns. Fills
    ``accuracy``.
    """
    return run(pin, n, extras_of(pin))
