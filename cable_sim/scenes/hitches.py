"""Hitches: a rope that is tied to a pole, and holds by its own load."""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from cable_sim.scenes.catalogue import scene
from cable_sim.spec import (
    Anchor,
    Body,
    Cable,
    Cylinder,
    Drive,
    Hybrid,
    Joint,
    Obstacle,
    Scene,
    Sphere,
    Winch,
)
from cable_sim.spec.quantities import Vector

RADIUS = 0.1
DIAMETER = 0.012
PITCH = 0.03
"""Radius of the pole, diameter of the rope, and distance of its turns along the pole [m]."""
OFF = 0.003
"""Distance of the path from where the rope is drawn to [m]."""
STEP = 15.0
"""Angle between points of the path [deg]."""
DROP = 2.0
TAIL = 0.8
"""Height of the pole above the load, and above the ball at the tail [m]."""
TIGHT = 0.99
SNUG = 0.95
"""Length of the rope over that of its path, about a pole and about a rope."""
QUARTER = math.sqrt(0.5)
"""Cosine of half of a quarter turn."""
STANDS = RADIUS + 0.5 * DIAMETER
AWAY = 0.35
REACH = 0.15 + DIAMETER
CLOSE = 0.02
"""Height of a standing part above the axis of the pole, distance of the hitches about it from
there, half of its length, and distance of their turns [m]."""

LEGS = {
    "round_turns": ((-90.0, 810.0, 0.0, 1.0, 0),),
    "half_hitch": (
        (-90.0, 60.0, 0.0, 0.0, 1),
        (75.0, 290.0, 0.0, -0.6, 0),
        (305.0, 450.0, -0.6, 0.9, 0),
    ),
    "clove_hitch": (
        (-90.0, 60.0, 0.0, 0.0, 0),
        (75.0, 290.0, 0.0, -0.5, 0),
        (305.0, 415.0, -1.0, 2.0, 1),
        (430.0, 650.0, 2.0, 1.0, 0),
        (665.0, 810.0, 1.0, 1.0, 0),
    ),
}
"""Parts of each hitch: first and last angle about the pole, from its top [deg], first and last
place along it [pitches], and layer of rope."""


Leg = tuple[float, float, float, float, float]
"""Part of a path about a cylinder, as in ``LEGS``."""


def wound_path(legs: Sequence[Leg], radius: float, diameter: float, pitch: float) -> list[Vector]:
    """Return the points of the path of a rope about a cylinder along y [m].

    ``radius`` and ``pitch`` are of the cylinder, and ``diameter`` of the rope [m].
    """
    path: list[Vector] = []
    for first, last, near, far, layer in legs:
        count = max(round(abs(last - first) / STEP), 1) + 1
        out = radius + (0.5 + layer) * diameter + OFF
        for part in np.linspace(0.0, 1.0, count):
            turn = math.radians(first + float(part) * (last - first))
            along = pitch * (near + float(part) * (far - near))
            path.append((-out * math.sin(turn), along, out * math.cos(turn)))
    return path


def tied_rope(
    begin: Anchor, path: list[Vector], length: float, friction: float, touches: tuple[str, ...]
) -> Cable:
    """Return a rope to the tail that is laid along a path about what it touches.

    ``length`` [m], ``friction`` of the rope on itself [-].
    """
    return Cable(
        "rope",
        (begin, Anchor("tail")),
        ea=2e5,
        length=length,
        diameter=DIAMETER,
        damping_time=0.1,
        touches=touches,
        contacts=100 * len(touches),
        hybrid=Hybrid(
            density=0.1,
            most=4,
            path=tuple(path),
            wound="laid",
            crosses=("rope",),
            crossing_friction=friction,
        ),
    )


def pole(friction: float) -> Obstacle:
    """Return the pole, whose axis is along y."""
    return Obstacle(
        "pole", Cylinder(RADIUS, 1.0), orientation=(QUARTER, QUARTER, 0.0, 0.0), friction=friction
    )


@scene
def hitch(
    kind: Literal["clove_hitch", "half_hitch", "round_turns"] = "clove_hitch",
    load: float = 50.0,
    tail: float = 1.0,
    friction: float = 0.2,
    rope_friction: float = 0.3,
) -> Scene:
    """A load hangs on a rope that is hitched to a pole, and a light ball at its other end.

    Where the rope passes under itself the part above presses it onto the pole. That holds a load
    which slips on as many plain turns. ``kind`` of hitch, masses of ``load`` and ``tail`` [kg],
    ``friction`` of rope on the pole and ``rope_friction`` of rope on rope [-].
    """
    path = wound_path(LEGS[kind], RADIUS, DIAMETER, PITCH)
    low = (path[0][0], path[0][1], -DROP)
    end = (path[-1][0], path[-1][1], -TAIL)
    length = TIGHT * sum(math.dist(a, b) for a, b in zip([low, *path], [*path, end], strict=True))
    return Scene(
        name="hitch",
        bodies=(
            Body("load", mass=load, shape=Sphere(0.1), position=low),
            Body("tail", mass=tail, shape=Sphere(0.03), position=end),
        ),
        obstacles=(pole(friction),),
        cables=(tied_rope(Anchor("load"), path, length, rope_friction, ("pole",)),),
    )


def mooring_path() -> list[Vector]:
    """Return the points of a round turn about the pole and two half hitches about a rod [m]."""
    round_turn = wound_path([(0.0, 540.0, 0.0, -1.5, 0)], RADIUS, DIAMETER, PITCH)
    legs = [
        (first + 270.0, last + 270.0, near, far, layer)
        for first, last, near, far, layer in LEGS["clove_hitch"]
    ]
    hitches = wound_path(legs, 0.5 * DIAMETER, DIAMETER, CLOSE)
    return round_turn + [(AWAY - y, z, STANDS + x) for x, y, z in hitches]


def hauled_line(end: Anchor) -> Cable:
    """Return the standing part from the winch to the hitches."""
    return Cable(
        "hauled",
        (Anchor("world", (1.5, 0.0, STANDS)), end),
        ea=2e5,
        diameter=DIAMETER,
        damping_time=0.1,
        winch=Winch("winch", mass=100.0),
    )


@scene
def mooring_hitch(
    pull: float = 500.0,
    speed: float = 0.05,
    tail: float = 0.2,
    friction: float = 0.2,
    rope_friction: float = 0.3,
) -> Scene:
    """A rope is made fast to a pole with a round turn and two half hitches about itself.

    A winch hauls at its standing part, at a ``speed`` [m/s] up to a ``pull`` [N]. Where the hitches
    are the standing part is a rod as thick as the rope, which goes along its own line; two half
    hitches are a clove hitch about it. ``tail`` is the mass at the free end [kg], ``friction`` that
    of rope on the pole, ``rope_friction`` of rope on rope [-]. It holds from 0.2 on; at 0.1 the
    hitches slip.
    """
    path = mooring_path()
    begin = (AWAY - REACH, 0.0, STANDS)
    end = (*path[-1][:2], STANDS - 0.5)
    length = sum(math.dist(a, b) for a, b in zip([begin, *path], [*path, end], strict=True))
    rod = Cylinder(0.5 * DIAMETER, 2.0 * (REACH - DIAMETER))
    ends = [Anchor("standing", (0.0, 0.0, sense * REACH)) for sense in (-1.0, 1.0)]
    touches = ("pole", "standing_part")
    return Scene(
        name="mooring_hitch",
        bodies=(
            Body(
                "standing",
                mass=0.5,
                shape=rod,
                position=(AWAY, 0.0, STANDS),
                orientation=(QUARTER, 0.0, QUARTER, 0.0),
            ),
            Body("tail", mass=tail, shape=Sphere(0.02), position=end),
        ),
        joints=(Joint("line", "prismatic", child="standing", axis=(1.0, 0.0, 0.0)),),
        obstacles=(
            pole(friction),
            Obstacle(
                "standing_part", rod, body="standing", friction=rope_friction, stops_bodies=False
            ),
        ),
        cables=(
            tied_rope(ends[0], path, SNUG * length, rope_friction, touches),
            hauled_line(ends[1]),
        ),
        drives=(Drive("haul", "winch", target=-speed, max_effort=pull, max_acceleration=0.5),),
    )
