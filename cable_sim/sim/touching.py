"""Readings of the pool of contacts: pairs that touch, and events."""

from typing import NamedTuple

import numpy as np

from cable_sim.errors import SpecError, unknown
from cable_sim.kernels.collision.keeping import BEGINS, PAIR, SPEED, STEP
from cable_sim.model.names import Names
from cable_sim.model.records.collision import PoolState
from cable_sim.sim.picture import Picture
from cable_sim.sim.views import ContactView


class TouchEvent(NamedTuple):
    """Begin or end of a touch: time of the step's end [s], both names, and the impact [m/s].

    The impact is the largest speed at which points of the two approached; 0 of an end.
    """

    time: float
    first: str
    second: str
    begins: bool
    speed: float


def shape_names(key: int, shapes: tuple[str, ...]) -> tuple[str, str]:
    """Return the names of the shapes of a pair, see ``kernels/collision/candidates.py``."""
    return shapes[key // len(shapes) % len(shapes)], shapes[key % len(shapes)]


def count_standing(pool: PoolState, names: Names, body: str) -> int:
    """Return the number of a body's points that bore on surfaces in the last step."""
    count = int(pool.used[0])
    bearing = pool.key[:count][pool.impulse[:count, 0] > 0.0].tolist()
    pairs = [{*shape_names(key, names.shapes)} for key in bearing]
    return sum(body in pair and not pair.isdisjoint(names.surfaces) for pair in pairs)


def read_contact(picture: Picture, shapes: tuple[str, ...], one: str, other: str) -> ContactView:
    """Return how two things touch; the force is that of the first on the second.

    Raises SpecError for a name that no shape has.
    """
    for name in (one, other):
        if name not in shapes:
            raise SpecError(unknown("contact", name, sorted(set(shapes))))
    count = int(picture.array("seen.pool.used")[0])
    impulse = picture.array("seen.pool.impulse")[:count]
    normal = picture.array("seen.pool.normal")[:count]
    points = 0
    pressure = 0.0
    force = np.zeros(3)
    for c, key in enumerate(picture.array("seen.pool.key")[:count].tolist()):
        names = shape_names(key, shapes)
        if {*names} == {one, other} and impulse[c, 0] > 0.0:
            points += 1
            pressure += float(impulse[c, 0])
            push = impulse[c, 0] * normal[c] + impulse[c, 1:4]
            force += push if names[0] == other else -push
    return ContactView(points, pressure / picture.step, force / picture.step)


def read_events(picture: Picture, shapes: tuple[str, ...]) -> tuple[TouchEvent, ...]:
    """Return the last events, the first one first; the model keeps so many."""
    total = int(picture.array("seen.pool.events")[0])
    kept = picture.array("seen.pool.event")
    return tuple(
        TouchEvent(
            (kept[i, STEP] + 1) * picture.step,
            *shape_names(int(kept[i, PAIR]), shapes),
            bool(kept[i, BEGINS]),
            float(kept[i, SPEED]),
        )
        for i in (n % len(kept) for n in range(max(total - len(kept), 0), total))
    )
