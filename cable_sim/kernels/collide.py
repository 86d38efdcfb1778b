"""Contacts of a step, found by code that is called by its address: unpack a world for the pool.

Scenes without contacts of shapes do not compile it, and of others the step compiles none of it.
"""

from typing import Any

from cable_sim.kernels import status, wires
from cable_sim.kernels.collision.adhesion import pull_together
from cable_sim.kernels.collision.candidates import meet_shapes
from cable_sim.kernels.collision.heaps import join_all, most_give
from cable_sim.kernels.collision.keeping import (
    keep_contacts,
    keep_energies,
    keep_pulls,
    note_events,
    press_watched,
)
from cable_sim.kernels.collision.pool import (
    aim_contacts,
    collect_contacts,
    fill_contacts,
    start_contacts,
)
from cable_sim.kernels.instant import lead_time
from cable_sim.kernels.jit import inlined, kernel
from cable_sim.kernels.pins import call, contents
from cable_sim.kernels.records.world import Model, State, Workspace

FIND = 0
KEEP = 1
"""Commands to ``run_contacts``: find contacts and fill their rows, keep their impulses."""


@inlined
def find_contacts(m: Model, s: State, w: Workspace, h: float) -> int:
    """Find the contacts of a step and fill their rows; return SLOTS_FULL without room."""
    bodies = wires.moving(m, s, w)
    pairs, more = meet_shapes(
        h, m.shapes, m.pool, s.bodies, m.bodies.inverse_mass, s.joints.open, w.pool
    )
    count = collect_contacts(h, pairs, m.shapes, m.pool, bodies, s.pool, w.collision, w.pool)
    room = min(count, w.pool.key.size)
    # The sparse solver has no matrix here, and takes heaps as anything else.
    if w.solver.matrix.size > 0:
        w.rows.heap[0] = most_give(
            h, room, m.rows.own[1], w.pool.body, m.bodies.inverse_mass, w.rows.body_head
        )
    fill_contacts(h, room, m.shapes, m.pool, bodies, m.rows, s.pool, w.pool, w.rows)
    v = w.bodies.next_velocity
    pull_together(h, room, m.shapes, m.pool, bodies, s.carriages.position, w.pool, v)
    if m.pool.bounces[0]:
        aim_contacts(h, room, m.pool, bodies, m.rows, w.pool, w.rows, v)
    join_all(wires.table(m, s, w))
    start_contacts(m.rows, s.pool, w.pool, w.rows, s.rows)
    return status.SLOTS_FULL if count > room or more > 0 else status.SOLVED


@inlined
def keep(m: Model, s: State, w: Workspace, h: float) -> None:
    """Keep the contacts of a step, and note events."""
    first = m.rows.own[0]
    count = (w.rows.used[0] - first) // m.rows.own[1]
    for c in range(count):
        w.pool.push[c] = s.rows.impulse[first + c * m.rows.own[1]]
    note_events(s.steps[0], count, s.bodies.position, s.bodies.velocity, w.pool, s.pool)
    keep_contacts(h, count, m.rows, w.rows, s.rows, w.pool, s.pool)
    keep_pulls(h, count, w.pool, s.pool)
    press_watched(h, count, m.pool, w.pool, s.pool)
    time = h - lead_time(h, m.stepper[0])
    position, velocity = s.bodies.position, w.bodies.next_velocity
    keep_energies(time, count, m.pool, position, velocity, w.pool, s.pool)


@kernel
def run_contacts(pin: Any, n: int) -> int:
    """Do what a command says with pinned records (``World``); return status flags."""
    m, s, _, _, w, _, h, _, _, _ = contents(pin)
    if n == FIND:
        return find_contacts(m, s, w, h)
    keep(m, s, w, h)
    return status.SOLVED


@inlined
def ask_contacts(m: Model, known: tuple[Any, Any], n: int) -> int:
    """Call :func:`run_contacts` by its address, if the scene has contacts; return status flags.

    ``known`` are its address and that of the pin.
    """
    if m.pool.moving.size == 0:
        return status.SOLVED
    return call(known[0], known[1], n)
