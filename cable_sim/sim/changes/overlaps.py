"""Overlaps of shapes of a running scene."""

from typing import NamedTuple

from cable_sim.kernels.collision.candidates import shapes_of
from cable_sim.kernels.records.arrays import copy_record
from cable_sim.model.cables.variants import find_contacts
from cable_sim.sim.running import RunningScene


class Overlap(NamedTuple):
    """Depth of a point of two shapes that overlap [m], their names, and their bodies' rows."""

    depth: float
    names: tuple[str, str]
    bodies: tuple[int, int]


def find_overlaps(running: RunningScene) -> list[Overlap]:
    """Return the overlaps of shapes that may touch, at the present pose, one for each point."""
    names = running.names.shapes
    state = copy_record(running.state)  # for the search starts contacts there
    keys, gaps = find_contacts(running.model, state, running.control, running.work)
    pairs = [shapes_of(key, len(names)) for key in keys.tolist()]
    body = running.model.pool.body.tolist()
    return [
        Overlap(-gap, (names[i], names[j]), (body[i], body[j]))
        for (i, j), gap in zip(pairs, gaps.tolist(), strict=True)
        if gap < 0.0
    ]
