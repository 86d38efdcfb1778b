"""Look of a crane of parts: the shapes that its file names, hook blocks, and the load.

For display only.
"""

import functools
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from cable_sim.cranes.container.spreader import CONTAINER_BODY
from cable_sim.cranes.container.stacks import container_frame
from cable_sim.cranes.families.kit.reeving import find_place
from cable_sim.cranes.families.kit.tree import Array, Tree, vector
from cable_sim.cranes.families.kit.words.parts import Drawn
from cable_sim.cranes.families.kit.words.spec import Hook, KitFile
from cable_sim.cranes.parts.drawn import (
    CONCRETE,
    DARK,
    FACING,
    GLASS,
    LYING,
    STEEL,
    WHITE,
    YELLOW,
    bars,
    box,
    crate,
    hook_bars,
    square_lattice,
    triangle_lattice,
)
from cable_sim.cranes.rigging.rig import Pair
from cable_sim.spec import Aim, Box, Cylinder, Polyhedron, Visual
from cable_sim.spec.quantities import Quaternion, Vector

COLORS: dict[str, Vector] = {
    "yellow": YELLOW,
    "steel": STEEL,
    "dark": DARK,
    "concrete": CONCRETE,
    "white": WHITE,
    "glass": GLASS,
    "red": (0.72, 0.14, 0.10),
    "orange": (0.98, 0.38, 0.05),
    "blue": (0.12, 0.28, 0.55),
    "green": (0.16, 0.42, 0.24),
    "navy": (0.20, 0.24, 0.30),
    "water": (0.18, 0.32, 0.42),
    "land": (0.68, 0.67, 0.64),
}
BALL: Vector = (0.62, 0.30, 0.22)
TURNS: dict[str, Quaternion] = {"x": FACING, "y": LYING, "z": (1.0, 0.0, 0.0, 0.0)}
RIM = 0.09
"""Width of a drawn wheel [m]."""
WEB = 0.5
"""Radius of the web of a lattice over that of its chords [-]."""


def kit_visuals(file: KitFile, tree: Tree) -> tuple[Visual, ...]:
    """Everything to look at, attached to the bodies of the parts."""
    made: list[Visual] = []
    for name, part in file.parts.items():
        place = tree.place(name, (0.0, 0.0, 0.0))
        for i, drawn in enumerate(part.picture, start=1):
            if drawn.towards and drawn.cylinder:
                middle = (0.0, 0.0, 0.5 * drawn.cylinder[1])
                aimed = Cylinder(*drawn.cylinder)
                color = COLORS[drawn.color]
                made.append(Visual(f"{name}_{i}", aimed, _aim(name, i), middle, color=color))
            elif not part.beam:
                made += draw(f"{name}_{i}", place.body, place.position, drawn)
        for own, solid in part.solids.items():
            made += draw(own, place.body, place.position, solid) if solid.shown else ()
    for name, hook in file.hooks.items():
        for i, drawn in enumerate(hook.picture, start=1):
            made += draw(f"{name}_{i}", name, (0.0, 0.0, 0.0), drawn)
        if hook.magnet:
            made.append(box(f"{name}_face", name, hook.size, (0.0, 0.0, 0.0), COLORS["red"]))
        elif not (hook.picture or hook.ball or hook.spreader):
            made += _block(name, hook)
    made += _half_turns(file, tree)
    if file.rig.load is not None:
        size = file.rig.load.size
        made += (
            container_frame(CONTAINER_BODY, CONTAINER_BODY, size) if file.spreader else crate(size)
        )
    return tuple(made)


def _half_turns(file: KitFile, tree: Tree) -> Iterator[Visual]:
    """Yield the wheels of half turns in use; viewers draw those that turn a rope at one point."""
    for entry in dict.fromkeys(entry for rope in file.ropes.values() for entry in rope.path):
        if isinstance(entry, str):
            owner, _, place = entry.rpartition(".")
            made = file.owner(owner).wheels.get(place)
            if made and made.half_turn:
                body, at = find_place(file, tree, entry)
                facing = FACING if abs(made.axis[0]) > abs(made.axis[1]) else LYING
                rim = Cylinder(0.5 * made.diameter, RIM)
                yield Visual(f"{owner}_{place}", rim, body, at, facing, STEEL)


def kit_aims(file: KitFile, tree: Tree) -> tuple[Aim, ...]:
    """Return the frames of the shapes that point at other parts."""
    made = []
    for name, part in file.parts.items():
        for i, drawn in enumerate(part.picture, start=1):
            if drawn.towards:
                start = tree.place(name, drawn.at)
                end = find_place(file, tree, drawn.towards)
                made.append(Aim(_aim(name, i), start.body, end.body, start.position, end.position))
    return tuple(made)


def _aim(part: str, number: int) -> str:
    """Return the name of the frame of a shape that points at another part."""
    return f"{part}_aim_{number}"


@functools.lru_cache(maxsize=1024)
def draw(
    name: str, body: str, place: Vector, drawn: Drawn, cut: Pair = (0.0, 1.0)
) -> tuple[Visual, ...]:
    """Return the visuals of a shape, in the frame of a body in which the part has its origin.

    Of a lattice it is the piece between two shares of its length, ``cut``. They are kept, because a
    crane that is built anew with other values seldom looks otherwise.
    """
    made = [*_visuals(name, body, np.array(place), drawn, cut)]
    for i, other in enumerate(drawn.mirrors()):
        own = f"{name}_mirrored_{i + 1}" if i else f"{name}_mirrored"
        made += _visuals(own, body, np.array(place), other, cut)
    return tuple(made)


def _visuals(name: str, body: str, origin: Array, drawn: Drawn, cut: Pair) -> Iterator[Visual]:
    """Yield the visuals of a shape whose part has its ``origin`` (3,) [m] in the body's frame."""
    color = COLORS[drawn.color]
    middle = vector(origin + drawn.at)
    if drawn.box:
        yield Visual(name, Box(*drawn.box), body, middle, color=color)
    elif drawn.cylinder:
        yield Visual(name, Cylinder(*drawn.cylinder), body, middle, TURNS[drawn.along], color=color)
    elif drawn.corners:
        moved_corners = tuple(vector(origin + corner) for corner in drawn.corners)
        yield Visual(name, Polyhedron(moved_corners), body, color=color)
    elif drawn.bars:
        chains = ([vector(origin + point) for point in chain] for chain in drawn.bars)
        moved = [bar for chain in chains for bar in pairwise(chain)]
        yield bars(name, body, moved, drawn.radius, color)
    elif drawn.lattice:
        start, end = (origin + np.asarray(point, float) for point in drawn.lattice)
        if drawn.depths:
            low, high = np.interp(cut, (0.0, 1.0), (start[0], end[0])).tolist()
            first, last = np.interp(cut, (0.0, 1.0), drawn.depths).tolist()
            depths = first, last
            chords, web = triangle_lattice(low, high, 0.5 * drawn.side, float(start[2]), depths)
        else:
            chords, web = square_lattice(start, end, drawn.side, drawn.taper, cut)
        yield bars(f"{name}_chords", body, chords, drawn.radius, color)
        yield bars(f"{name}_web", body, web, WEB * drawn.radius, color)


def _block(name: str, hook: Hook) -> Iterator[Visual]:
    """Yield cheeks, stripe and hook of a hook block."""
    along, across, high = hook.size
    axle, bowl = (hook.places[place][2] for place in ("axle", "hook"))
    cheek = (along, 0.08 * across, 0.6 * high)
    for side, y in (("left", 0.5 * across), ("right", -0.5 * across)):
        yield box(f"{name}_cheek_{side}", name, cheek, (0.0, y, axle - 0.1 * high), DARK)
    stripe = (0.8 * along, 1.02 * across, 0.12 * high)
    yield box(f"{name}_stripe", name, stripe, (0.0, 0.0, axle - 0.32 * high), YELLOW)
    size = 0.14 * hook.hook_below_axle
    shank = axle - 0.3 * high
    yield bars(f"{name}_hook", name, hook_bars(bowl, shank, size), 0.35 * size, DARK)
