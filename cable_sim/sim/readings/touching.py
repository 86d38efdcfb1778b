"""Readings of the pool of contacts: pairs that touch, and events."""

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import SpecError, unknown
from cable_sim.kernels.collision.candidates import shapes_of
from cable_sim.kernels.collision.keeping import BEGINS, PAIR, SPEED, STEP
from cable_sim.kernels.records.collision import PoolState
from cable_sim.model.basis.names import Names
from cable_sim.sim.readings.picture import Picture
from cable_sim.sim.readings.views import Contact, ContactView, TouchEvent

Array = NDArray[np.float64]


def shape_names(key: int, shapes: tuple[str, ...]) -> tuple[str, str]:
    """Return the names of the shapes of a pair."""
    first, second = shapes_of(key, len(shapes))
    return shapes[first], shapes[second]


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
    points = 0
    pressure = 0.0
    force = np.zeros(3)
    for found in read_contacts(picture, shapes):
        if {found.first, found.second} == {one, other}:
            points += len(found.position)
            pressure += found.normal_force
            push = found.force.sum(axis=0)
            force += push if found.first == one else -push
    return ContactView(points, pressure, force)


def read_contacts(picture: Picture, shapes: tuple[str, ...]) -> tuple[Contact, ...]:
    """Return the pairs that touch."""
    count = int(picture.array("seen.pool.used")[0])
    impulse = picture.array("seen.pool.impulse")[:count]
    bears = impulse[:, 0] > 0.0
    if not bears.any():
        return ()
    names = [shape_names(key, shapes) for key in picture.array("seen.pool.key")[:count].tolist()]
    normal = picture.array("seen.pool.normal")[:count]
    on_first = (impulse[:, :1] * normal + impulse[:, 1:4]) / picture.step
    found = []
    for pair in dict.fromkeys(names):
        own = bears & [name == pair for name in names]
        if own.any():
            at = picture.array("seen.pool.point")[:count][own]
            pressure = impulse[own, 0].sum() / picture.step
            found.append(Contact(*pair, at, -on_first[own], -normal[own], pressure))
    return tuple(found)


def read_events(
    total: int, kept: Array, step: float, shapes: tuple[str, ...], since: int = 0
) -> tuple[TouchEvent, ...]:
    """Return the last of a ``total`` number of events, the first one first.

    ``kept`` are as many as the model keeps, for steps of ``step`` [s]. Those before ``since`` are
    left out.
    """
    return tuple(
        TouchEvent(
            float((kept[i, STEP] + 1) * step),
            *shape_names(int(kept[i, PAIR]), shapes),
            bool(kept[i, BEGINS]),
            float(kept[i, SPEED]),
        )
        for i in (n % len(kept) for n in range(max(total - len(kept), since), total))
    )
