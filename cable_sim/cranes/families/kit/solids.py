"""Solids of a crane of parts, which touch what is around it: loads, hooks, ground, platforms."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from transforms3d.quaternions import mat2quat

from cable_sim.cranes.families.kit.look import draw
from cable_sim.cranes.families.kit.tree import Tree
from cable_sim.cranes.families.kit.words.carriers import root_of
from cable_sim.cranes.families.kit.words.spec import KitFile
from cable_sim.cranes.rigging.rig import Ground
from cable_sim.spec import Box, Collision, Obstacle, Touch


def kit_solids(file: KitFile, tree: Tree) -> Iterator[Obstacle]:
    """Yield the solids of the parts, on the bodies that these are on."""
    for part_name, part in file.parts.items():
        body, origin = tree.place(part_name, (0.0, 0.0, 0.0))
        for name, solid in part.solids.items():
            if solid.bar:
                start, end = np.add(solid.bar, origin)
                side = solid.side if solid.lattice else 2.0 * solid.radius
                yield beam(name, body, start, end, (side, side))
                continue
            (shown,) = draw(name, body, origin, solid)
            shape: Any = shown.shape  # a box, a cylinder or a convex body
            yield Obstacle(name, shape, body, shown.position, shown.orientation, drawn=False)


def kit_collision(file: KitFile) -> Collision:
    """Return the contact of everything; on decks the load has their friction.

    What stands on the world never touches the rest of it, nor what a hook carries the rest of that.
    Twistlocks that turn let go of what then touches.
    """
    ground = file.site.ground
    parts = file.parts.items()
    built: dict[str, list[str]] = {}
    for name, part in parts:
        if not part.scenery and not part.loose:
            own = [*part.solids, *((name,) if part.is_structure else ())]
            built.setdefault(root_of(file.parts, name), []).extend(own)
    pairs = [
        (f"{name}_deck", file.load_body, touch_as(ground, part.deck.friction))
        for name, part in parts
        if part.deck and file.rig.load
    ]
    if file.rig.twistlocks:
        pairs.append((next(iter(file.hooks)), file.load_body, touch_as(ground)))
    magnets = [(name, hook.magnet) for name, hook in file.hooks.items() if hook.magnet]
    things = [(name, magnet.touch(touch_as(ground))) for name, magnet in magnets]
    ignore = tuple(tuple(names) for names in built.values() if len(names) > 1)
    return Collision(touch_as(ground), tuple(pairs), ignore, things=tuple(things))


def beam(
    name: str, body: str, start: ArrayLike, end: ArrayLike, sides: tuple[float, float]
) -> Obstacle:
    """Return a beam between two points of a body's frame (3,) [m], which visuals show.

    ``sides`` are its breadth, which is level, and its height [m].
    """
    first, last = np.asarray(start, float), np.asarray(end, float)
    length = float(np.linalg.norm(last - first))
    along = (last - first) / length
    side = np.cross((0.0, 0.0, 1.0) if abs(along[2]) < 0.9 else (-1.0, 0.0, 0.0), along)
    side /= np.linalg.norm(side)
    w, x, y, z = mat2quat(np.column_stack([along, side, np.cross(along, side)])).tolist()
    a, b, c = (0.5 * (first + last)).tolist()
    return Obstacle(name, Box(length, *sides), body, (a, b, c), (w, x, y, z), drawn=False)


def touch_as(ground: Ground, friction: float | None = None) -> Touch:
    """Return how things touch that are as soft as the ground, with its friction or another [-]."""
    return Touch(
        friction=ground.friction if friction is None else friction,
        stiffness=ground.stiffness,
        damping_time=ground.damping_time,
    )
