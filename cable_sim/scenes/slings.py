"""Slings about a log, and a noose about a bollard: rope that goes through its own eye."""

import math
from collections.abc import Sequence
from typing import Literal

from cable_sim.scenes.catalogue import scene
from cable_sim.scenes.hitches import Leg, wound_path
from cable_sim.spec import (
    Anchor,
    Body,
    Cable,
    Cylinder,
    Drive,
    Eye,
    Ground,
    Hybrid,
    Obstacle,
    Scene,
    Sphere,
    Surface,
    Winch,
)
from cable_sim.spec.quantities import Vector

RADIUS = 0.2
LENGTH = 2.0
"""Radius and length of the log [m], whose axis is along y."""
DIAMETER = 0.016
PITCH = 0.03
"""Diameter of the sling, and distance of its turns along the log [m]."""
HEIGHT = 1.5
APART = 0.1
"""Height of the hook above the axis of the log, and distance of both ends of a basket on it [m]."""
CHOKE = 1.1
"""Distance of the shackle from the axis of the log at the start, over the one at rest."""
DRAWN = 0.998
"""Length of a sling over that of its path, which stands off the log."""
LIES = 0.02
"""Height at which the rope of a noose lies: radius of its honda [m]."""
UPRIGHT = math.sqrt(0.5)


def leaves_at(height: float) -> float:
    """Return the angle from the top at which rope from this height meets the log [deg]."""
    return math.degrees(math.acos((RADIUS + 0.5 * DIAMETER) / height))


def basket_legs(kind: str) -> list[Leg]:
    """Return the parts of the path of a basket, from the hook about the log and back."""
    begin = leaves_at(HEIGHT)
    back = 360.0 - begin
    if kind == "basket":
        return [(begin, back, 0.0, 0.0, 0)]
    if kind == "double_basket":
        return [(begin, 360.0 + back, -0.5, 0.5, 0)]
    return [
        (begin, 420.0, 0.15, 2.65, 0),
        (435.0, 495.0, 2.65, 2.15, 0),
        (510.0, 570.0, 1.95, 0.35, 1),
        (585.0, 360.0 + back, 0.15, -0.35, 0),
    ]


def sling(nodes: Sequence[Anchor | Eye], places: Sequence[Vector], laid: bool) -> Cable:
    """Return a sling that is wound along a path between the first and the last of some places."""
    length = DRAWN * sum(map(math.dist, places, places[1:]))
    return Cable(
        "sling",
        tuple(nodes),
        ea=6e6,
        length=length,
        diameter=DIAMETER,
        damping_time=0.1,
        touches=("surface",),
        contacts=100,
        hybrid=Hybrid(
            density=1.0,
            most=0,
            path=tuple(places[1:-1]),
            wound="laid" if laid else True,
            crosses=("sling",) if laid else (),
            crossing_friction=0.2 if laid else None,
        ),
    )


def choker(mass: float) -> tuple[Body, Cable]:
    """Return a shackle of a ``mass`` [kg], and the sling that goes through it and ends at it."""
    height = CHOKE * (RADIUS + 0.5 * DIAMETER) / math.sin(math.radians(60.0))
    hook, eye = (0.0, 0.0, HEIGHT), (0.0, 0.0, height)
    begin = leaves_at(height)
    turn = wound_path([(begin, 360.0 - begin, 0.0, 0.0, 0)], RADIUS, DIAMETER, PITCH)
    nodes = (Anchor("world", hook), Eye("shackle"), Anchor("shackle"))
    shackle = Body("shackle", mass=mass, shape=Sphere(0.02), position=eye)
    return shackle, sling(nodes, [hook, eye, *turn, eye], laid=False)


def basket(kind: str) -> Cable:
    """Return a sling that goes from the hook about the log and back."""
    turn = wound_path(basket_legs(kind), RADIUS, DIAMETER, PITCH)
    ends = [(side * APART, 0.0, HEIGHT) for side in (-0.5, 0.5)]
    nodes = [Anchor("world", end) for end in ends]
    return sling(nodes, [ends[0], *turn, ends[1]], laid=kind == "crossed_basket")


@scene
def slung_log(
    kind: Literal["choker", "basket", "double_basket", "crossed_basket"] = "choker",
    load: float = 500.0,
    friction: float = 0.3,
    shackle: float = 2.0,
) -> Scene:
    """A log hangs in a sling, which goes through its own shackle or back to the hook.

    A choker is drawn tight by the load. Its three legs at the shackle come to have equal angles,
    120 deg, if nothing rubs: the natural angle of a choker hitch. A basket goes under the log and
    back to the hook, a double one with a round turn; the legs of a crossed one cross below.

    ``kind`` of sling, masses of log, ``load``, and ``shackle`` [kg], ``friction`` of the sling on
    the log [-].
    """
    lying = (UPRIGHT, UPRIGHT, 0.0, 0.0)
    bodies = [Body("log", mass=load, shape=Cylinder(RADIUS, LENGTH), orientation=lying)]
    if kind == "choker":
        ring, rope = choker(shackle)
        bodies.append(ring)
    else:
        rope = basket(kind)
    return Scene(
        name="slung_log",
        bodies=tuple(bodies),
        obstacles=(
            Obstacle(
                "surface",
                Cylinder(RADIUS, LENGTH),
                body="log",
                friction=friction,
                stops_bodies=False,  # the box that stands for it has corners where the shackle is
            ),
        ),
        cables=(rope,),
    )


@scene
def noose(speed: float = 0.3, friction: float = 0.3, pull: float = 2000.0) -> Scene:
    """A winch draws a noose tight that lies about a bollard.

    The rope goes through the eye at its own end, the honda, and lies on the ground as an open loop.
    Drawn in it slides through the honda, closes about the bollard, and holds. ``speed`` of the
    winch [m/s], the most that it can ``pull`` [N], ``friction`` of the rope on the bollard [-].
    """
    radius = 0.15
    loop = 0.5
    drum = (3.0, 0.0, LIES)
    eye = (loop + 0.1, 0.0, LIES)
    around = [
        (loop * math.cos(math.radians(a)), loop * math.sin(math.radians(a)), LIES)
        for a in range(15, 360, 15)
    ]
    places = [drum, eye, *around, eye]
    length = sum(map(math.dist, places, places[1:]))
    return Scene(
        name="noose",
        bodies=(Body("honda", mass=0.3, shape=Sphere(LIES), position=eye, collides=True),),
        surfaces=(Surface("ground", friction=0.3),),
        obstacles=(Obstacle("bollard", Cylinder(radius, 1.0), friction=friction),),
        cables=(
            Cable(
                "rope",
                (Anchor("world", drum), Eye("honda"), Anchor("honda")),
                ea=2e5,
                length=length,
                diameter=0.02,
                damping_time=0.05,
                winch=Winch("winch", mass=100.0),
                touches=("bollard",),
                contacts=40,
                hybrid=Hybrid(
                    density=0.3, most=20, path=tuple(places[1:-1]), ground=Ground(friction=0.3)
                ),
            ),
        ),
        drives=(Drive("haul", "winch", target=-speed, max_effort=pull, max_acceleration=0.5),),
    )
