"""Overlaps of shapes of a running scene."""

from typing import NamedTuple

from cable_sim.model.records.arrays import copy_record
from cable_sim.model.variants import find_contacts
from cable_sim.sim.running import RunningScene
from cable_sim.sim.touching import shape_names


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
    body = running.model.pool.body
    return [
        Overlap(
            -gap,
            shape_names(key, names),
            (int(body[key // len(names) % len(names)]), int(body[key % len(names)])),
        )
        for key, gap in zip(keys.tolist(), gaps.tolist(), strict=True)
        if gap < 0.0
    ]
