"""Contacts of a step, found by code that is called by its address: unpack a world for the pool.

Scenes without contacts of shapes do not compile it, and of others the step compiles none of it.
"""

from cable_sim.kernels import status
from cable_sim.kernels.collision.candidates import find_pairs, place_shapes
from cable_sim.kernels.collision.pool import (
    Meeting,
    aim_contacts,
    collect_contacts,
    fill_contacts,
    keep_contacts,
    start_contacts,
)
from cable_sim.kernels.jit import inlined, kernel
from cable_sim.kernels.pins import call, contents

FIND = 0
KEEP = 1
"""Commands to ``run_contacts``: find contacts and fill their rows, keep their impulses."""


@inlined
def find_contacts(m, s, w, h):
    """Find the contacts of a step and fill their rows; return SLOTS_FULL without room."""
    bodies = Meeting(
        s.bodies.position, s.bodies.velocity, m.bodies.inverse_mass, w.bodies.inverse_inertia
    )
    place_shapes(h, m.shapes, m.pool, s.bodies, w.pool)
    pairs, more = find_pairs(m.shapes, m.pool, m.bodies.inverse_mass, s.pool.order, w.pool)
    count = collect_contacts(h, pairs, m.shapes, m.pool, bodies, s.pool, w.collision, w.pool)
    room = min(count, w.pool.key.size)
    fill_contacts(h, room, m.pool, bodies, m.rows, s.pool, w.pool, w.rows)
    if m.pool.bounces[0]:
        v = w.bodies.next_velocity
        aim_contacts(h, room, m.pool, bodies, m.rows, w.pool, w.rows, v)
    start_contacts(m.rows, s.pool, w.pool, w.rows, s.rows)
    return status.SLOTS_FULL if count > room or more > 0 else status.SOLVED


@kernel
def run_contacts(pin, n):
    """Do what a command says with pinned records (``World``); return status flags."""
    m, s, _, _, w, _, h, _, _, _ = contents(pin)
    if n == FIND:
        return find_contacts(m, s, w, h)
    keep_contacts(m.rows, w.rows, s.rows, w.pool, s.pool)
    return status.SOLVED


@inlined
def ask_contacts(m, known, n):
    """Call :func:`run_contacts` by its address, if the scene has contacts; return status flags.

    ``known`` are its address and that of the pin.
    """
    if m.pool.moving.size == 0:
        return status.SOLVED
    return call(known[0], known[1], n)
