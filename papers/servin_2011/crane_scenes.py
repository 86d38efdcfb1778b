"""Crane of ropes and pulleys of Servin et al., "Hybrid, multiresolution wires with massless
frictional contacts" (2011)."""

import math
from typing import NamedTuple

from cable_sim.scenes.catalogue import scene
from cable_sim.spec import (
    Anchor,
    Body,
    Box,
    Cable,
    Drive,
    Eye,
    Hybrid,
    Joint,
    Motion,
    Obstacle,
    Polyhedron,
    Scene,
    Sheave,
    Surface,
    Visual,
)
from cable_sim.spec.cables.nodes import Node
from cable_sim.spec.quantities import Vector
from cable_sim.spec.scene import GRAVITY

RAIL = 12.0
TRACK = 30.0
"""Height of the rails, and distance of the masts [m]."""
LOAD_SIDE = 1.2
"""Edge of the load, a cube [m]."""
START = 5.0
TRAVEL = 20.0
LIFT = 4.0
"""Initial position of the trolley, its travel, and its lift [m]."""
EYES = 1.0
LONG = 3.0
"""Distance of the gripper's eyes, and of the sheaves above them; length of the gripper [m].

Held in the line of its eyes it is righted by nothing, and tipped by the weight of the falls: the
longer one gets heavier by what the shorter one loses, V = -rho g (s tilt)^2, s half the distance of
the eyes. Eyes close together on a long gripper make that slow, exp(t sqrt(2 rho g s^2 / I)), e-fold
in 6 s. Eyes above its centre of mass would right it, and tilt it with every swing of the load.
"""
ROPE, STIFFNESS = 0.4, 5e6
"""Mass per length of the crane's rope [kg/m], steel of 10 mm, and its EA [N]."""
WALL = (1.0, 4.0, 3.0)
"""Dimensions of the wall in the way of the load [m]."""
FASTEST, RAMP = 3.0, 5.3
"""Speed of the trolley [m/s], and the time of its ramps [s]: a period of the load, which then does
not swing behind them."""
DIAMETER = 0.010
"""Of the ropes [m]."""
FACETS = 16
"""Of a drum, which is a prism: the rope has a contact node on each edge that it lies on."""
GRIP = {"hoist": 0.0, "travel": 0.3}
"""Coulomb's mu of rope on the drums [-].

That of the hoist rope is smooth, and the end of the rope holds all of it: nothing rights the
gripper, and its falls' weight tips it, from the least tilt on.
"""
HAUL_TURNS = 4
"""Turns of rope on the drum of the haul rope at the start: what the trolley's way needs."""


class RopeDrum(NamedTuple):
    """A drum about y, from whose top a rope leaves to the right: x of its axis, height of the rope,
    and distance of the rope from the axis on the middle of a facet [m]."""

    x: float
    rope: float
    radius: float

    @property
    def center(self) -> Vector:
        """Position [m]."""
        return (self.x, 0.0, self.rope - self.radius)

    @property
    def pitch_radius(self) -> float:
        """Rope per angle [m]: the circumference of the prism of rope over 2 pi."""
        return self.radius * FACETS * math.tan(math.pi / FACETS) / math.pi

    def winding(self, facets: int, pitch: float = 0.0) -> tuple[Vector, ...]:
        """Return where rope lies that goes over so many facets to the top, in the drum's frame [m].

        It begins in the middle of a facet and goes over its edges; ``pitch`` per turn along y.
        """
        corner = self.radius / math.cos(math.pi / FACETS)
        step = 2.0 * math.pi / FACETS
        start = 0.5 * math.pi + step * facets
        behind = -pitch * facets / FACETS
        points = [(self.radius * math.cos(start), behind, self.radius * math.sin(start))]
        for i in range(facets):
            angle = start - (i + 0.5) * step
            y = behind + pitch * (i + 0.5) / FACETS
            points.append((corner * math.cos(angle), y, corner * math.sin(angle)))
        return tuple(points)

    def shape(self) -> Polyhedron:
        """Return the solid below the rope."""
        inner = self.radius - 0.5 * DIAMETER
        ring = RopeDrum(0.0, 0.0, inner).winding(FACETS)[1:]
        return Polyhedron(tuple((x, y, z) for x, _, z in ring for y in (-0.4, 0.4)))


HAUL = RopeDrum(-2.2, RAIL, 0.8)
HOIST = RopeDrum(0.0, RAIL - 0.5, 0.5)
"""The two drums."""
SPEEDS = {
    "hoist": (
        (0.5, 1.5, 8.5, 9.5, 24.0, 25.0, 32.1, 33.1),
        (0.0, -1.0, -1.0, 0.0, 0.0, 1.0, 1.0, 0.0),
    ),
    "travel": (
        (9.0, 9.0 + RAMP, 9.0 + TRAVEL / FASTEST, 9.0 + TRAVEL / FASTEST + RAMP),
        (0.0, FASTEST, FASTEST, 0.0),
    ),
}
"""Speeds of the ropes over time on the way there [s, m/s], positive when they are paid out."""
EMPTY = (
    (36.0, 37.0, 38.0, 39.0, 41.0, 42.0, 43.0, 44.0),
    (0.0, -1.0, -1.0, 0.0, 0.0, 1.0, 1.0, 0.0),
)
"""The same of the hoist rope while the gripper is empty: a metre up and down."""
BACK = 46.0
"""When the way back begins [s]; the load is put down again after another 33 s."""
LETS_GO, GRIPS, LETS_GO_AGAIN = 35.0, 45.0, BACK + 35.0
"""When the sling lets the load go, takes it again, and lets it go for good [s]."""


@scene
def rope_crane(
    load: float = 1000.0, gripper: float = 100.0, counterweight: float = 800.0, rigid: bool = False
) -> Scene:
    """A crane of ropes and pulleys picks a load up, carries it over a wall, puts it down, and takes
    it back.

    Servin et al. 2011, section IV and figure 15; all dimensions are chosen here. A trolley on rails
    is pulled to the left by a rope that winds up on a drum, and to the right by a counterweight on
    two falls. The hoist rope runs from its drum over the trolley, down through both eyes of the
    gripper, back up over the trolley, and on to the far mast: where the trolley is makes no
    difference to it. It slides through the eyes, so that both parallel falls pull alike, and the
    gripper, held in the line of its eyes, stays level while the load swings. The drums are bodies
    that turn, on whose edges rope lies. The load hangs on a sling, which lets it go and grips it
    again by ``Simulator.release`` and ``attach``, of the wire ``sling``; without, it stays on it.
    ``rigid`` has the gripper on a stiff arm under the trolley, off the ground, for comparison; it
    only travels.

    ``load``, ``gripper``, ``counterweight`` [kg], ``rigid`` for the arm.
    """
    drums = {"travel": HAUL} if rigid else {"hoist": HOIST, "travel": HAUL}
    wires = [
        _haul(0.5 * counterweight),
        _counter(0.5 * counterweight),
        *(() if rigid else (_hoist(0.5 * gripper),)),
        _sling(load if rigid else 0.0),
    ]
    return Scene(
        name="rope_crane",
        bodies=(
            *_moving_parts(load, gripper, counterweight, LIFT if rigid else 0.0),
            *(_drum(name, drum) for name, drum in drums.items()),
        ),
        joints=(*_guides(rigid), *(_shaft(name, drum) for name, drum in drums.items())),
        drives=tuple(Drive(name, f"{name}_shaft") for name in drums),
        cables=tuple(wires),
        obstacles=(_wall(), *(_barrel(name, drum) for name, drum in drums.items())),
        surfaces=(Surface("ground"),),
        motions=tuple(_motion(name, drum) for name, drum in drums.items()),
        visuals=_portal(),
    )


def _guides(rigid: bool) -> tuple[Joint, ...]:
    """Return the guides of trolley and counterweight, and the hinge of a ``rigid`` arm."""
    axis = (0.0, 1.0, 0.0)
    arm = Joint("arm", "hinge", "gripper", "trolley", point=(START, 0.0, RAIL - 0.5), axis=axis)
    return (
        Joint("rails", "prismatic", "trolley", axis=(1.0, 0.0, 0.0)),
        Joint("guide", "prismatic", "weight", axis=(0.0, 0.0, 1.0)),
        *((arm,) if rigid else ()),
    )


def _shaft(name: str, drum: RopeDrum) -> Joint:
    """Return the shaft of a drum."""
    axis = (0.0, 1.0, 0.0)
    return Joint(f"{name}_shaft", "hinge", f"{name}_drum", point=drum.center, axis=axis)


def _barrel(name: str, drum: RopeDrum) -> Obstacle:
    """Return the solid on which the rope of a drum lies."""
    return Obstacle(
        f"{name}_barrel", drum.shape(), body=f"{name}_drum", friction=GRIP[name], stops_bodies=False
    )


def _wall() -> Obstacle:
    """Return the wall in the way of the load."""
    middle = (START + 0.5 * TRAVEL, 0.0, 0.5 * WALL[2])
    return Obstacle("wall", Box(*WALL), position=middle)


def _motion(name: str, drum: RopeDrum) -> Motion:
    """Return the speeds of a drum, on the way there, with an empty gripper, and on the way back."""
    times, speeds = SPEEDS[name]
    way = 1.0 if name == "hoist" else -1.0
    empty = EMPTY if name == "hoist" else ((), ())
    return Motion(
        name,
        times=(*times, *empty[0], *(BACK + time for time in times)),
        values=tuple(
            speed / drum.pitch_radius
            for speed in (*speeds, *empty[1], *(way * speed for speed in speeds))
        ),
    )


def _drum(name: str, drum: RopeDrum) -> Body:
    """Return a drum of 200 kg, half of it in its barrel."""
    about = 100.0 * drum.radius**2
    return Body(
        f"{name}_drum",
        200.0,
        inertia=(0.6 * about, about, 0.6 * about),
        shape=drum.shape(),
        position=drum.center,
        color=(0.45, 0.48, 0.54),
    )


def _moving_parts(
    load: float, gripper: float, counterweight: float, lift: float
) -> tuple[Body, ...]:
    """Return trolley and bodies of these masses [kg], with the load ``lift`` above ground [m]."""
    side = LOAD_SIDE
    return (
        Body("trolley", 200.0, shape=Box(3.0, 3.0, 0.4), position=(START, 0.0, RAIL)),
        Body(
            "weight",
            counterweight,
            shape=Box(0.6, 0.6, 1.0),
            position=(TRACK + 0.2, 0.0, RAIL - 1.2),
        ),
        Body(
            "gripper",
            gripper,
            shape=Box(LONG, 0.4, 0.2),
            position=(START, 0.0, lift + side + 1.5),
            color=(0.85, 0.35, 0.15),
        ),
        Body(
            "load",
            load,
            shape=Box(side, side, side),
            position=(START, 0.0, lift + 0.5 * side),
            collides=True,
        ),
    )


def _wire(
    name: str,
    nodes: tuple[Node, ...],
    carries: float,
    touches: tuple[str, ...] = (),
    contacts: int = 16,
) -> Cable:
    """Return a wire of the crane whose initial pull is the weight of that mass [kg]."""
    return Cable(
        name,
        nodes,
        ea=STIFFNESS,
        pretension=carries * GRAVITY,
        damping_time=0.05,
        diameter=DIAMETER,
        touches=touches,
        contacts=contacts,
        hybrid=Hybrid(density=ROPE, most=8),
    )


def _haul(carries: float) -> Cable:
    """Return the wire from its drum, on which it is wound, to the trolley."""
    pitch = 3.0 * DIAMETER
    first, *way = HAUL.winding(HAUL_TURNS * FACETS, pitch)
    x, y, z = HAUL.center
    path = tuple((x + a, y + b, z + c) for a, b, c in way)
    held = (START - 1.5, 0.0, RAIL)
    points = ((x + first[0], y + first[1], z + first[2]), *path, held)
    length = sum(math.dist(a, b) for a, b in zip(points, points[1:], strict=False))
    return Cable(
        "haul",
        (Anchor("travel_drum", first), Anchor("trolley", (-1.5, 0.0, 0.0))),
        ea=STIFFNESS,
        length=length / (1.0 + carries * GRAVITY / STIFFNESS),
        damping_time=0.05,
        diameter=DIAMETER,
        touches=("travel_barrel",),
        contacts=(HAUL_TURNS + 1) * FACETS,
        hybrid=Hybrid(density=ROPE, most=8, path=path, wound=True),
    )


def _counter(carries: float) -> Cable:
    """Return the wire from the trolley over the far mast to the counterweight, and back up."""
    nodes = (
        Anchor("trolley", (1.5, 0.0, 0.0)),
        Sheave("world", (TRACK, 0.0, RAIL)),
        Sheave("weight", (0.0, 0.0, 0.5)),
        Anchor("world", (TRACK + 0.4, 0.0, RAIL)),
    )
    return _wire("counter", nodes, carries)


def _hoist(carries: float) -> Cable:
    """Return the wire from its drum over trolley, gripper and trolley to the far mast."""
    top = RAIL - 0.5
    half = 0.5 * EYES
    nodes = (
        Anchor("hoist_drum", HOIST.winding(FACETS // 4)[0]),
        Sheave("trolley", (-half, 0.0, -0.5)),
        Eye("gripper", (-half, 0.0, 0.0)),
        Eye("gripper", (half, 0.0, 0.0)),
        Sheave("trolley", (half, 0.0, -0.5)),
        Anchor("world", (TRACK, 0.0, top)),
    )
    return _wire("hoist", nodes, carries, ("hoist_barrel",), 4 * FACETS)


def _sling(carries: float) -> Cable:
    """Return the wire from the gripper to the load."""
    nodes = (Anchor("gripper"), Anchor("load", (0.0, 0.0, 0.5 * LOAD_SIDE)))
    return _wire("sling", nodes, carries, ("wall",))


def _portal() -> tuple[Visual, ...]:
    """Return masts and rails."""
    left = HAUL.x - 1.2
    right = TRACK + 0.7
    masts = [((x, y, 0.5 * RAIL), Box(0.4, 0.4, RAIL)) for x in (left, right) for y in (-1.5, 1.5)]
    rail = Box(right - left, 0.2, 0.3)
    rails = [((0.5 * (left + right), y, RAIL + 0.4), rail) for y in (-1.5, 1.5)]
    return tuple(
        Visual(f"part_{i}", shape, position=place)
        for i, (place, shape) in enumerate([*masts, *rails])
    )
