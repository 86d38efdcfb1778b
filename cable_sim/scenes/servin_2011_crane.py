"""Crane of ropes and pulleys of Servin et al., "Hybrid, multiresolution wires with massless
frictional contacts" (2011)."""

from cable_sim.scenes.catalogue import scene
from cable_sim.spec import (
    Anchor,
    Body,
    Box,
    Cable,
    Drive,
    Drum,
    Eye,
    Hybrid,
    Joint,
    Motion,
    Scene,
    Sheave,
    Surface,
    Visual,
    Winch,
)
from cable_sim.spec.nodes import Node
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
ROPE = 0.4
"""Mass per length of the crane's rope [kg/m]: steel of 10 mm."""
WALL = (1.0, 4.0, 3.0)
"""Dimensions of the wall in the way of the load [m]."""
SPEEDS = {
    "hoist": (
        (0.5, 1.5, 8.5, 9.5, 24.0, 25.0, 32.1, 33.1),
        (0.0, -1.0, -1.0, 0.0, 0.0, 1.0, 1.0, 0.0),
    ),
    "travel": ((9.0, 13.0, 19.0, 23.0), (0.0, 2.0, 2.0, 0.0)),
}
"""Speeds of the winches over time [s, m/s]."""


@scene
def rope_crane(
    load: float = 1000.0, gripper: float = 100.0, counterweight: float = 800.0, rigid: bool = False
) -> Scene:
    """A crane of ropes and pulleys picks a load up, carries it over a wall, and puts it down.

    Servin et al. 2011, section IV and figure 15; all dimensions are chosen here. A trolley on rails
    is pulled to the left by a rope from a drum, and to the right by a counterweight on two falls.
    The hoist rope runs from its drum over the trolley, down through both eyes of the gripper, back
    up over the trolley, and on to the far mast: where the trolley is makes no difference to it. It
    slides through the eyes, so that both parallel falls pull alike, and the gripper, held in the
    line of its eyes, stays level while the load swings. The load hangs on a sling all the time.
    ``rigid`` has the gripper on a stiff arm under the trolley, off the ground, for comparison; it
    only travels.

    ``load``, ``gripper``, ``counterweight`` [kg], ``rigid`` for the arm.
    """
    moved = ("travel",) if rigid else ("hoist", "travel")
    drums = {"hoist": "hoist_drum", "travel": "haul_drum"}
    arm = Joint(
        "arm", "hinge", "gripper", "trolley", point=(START, 0.0, RAIL - 0.5), axis=(0.0, 1.0, 0.0)
    )
    wires = [
        _haul(0.5 * counterweight),
        _counter(0.5 * counterweight),
        *(() if rigid else (_hoist(0.5 * gripper),)),
        _wire(
            "sling",
            (Anchor("gripper"), Anchor("load", (0.0, 0.0, 0.5 * LOAD_SIDE))),
            load if rigid else 0.0,
        ),
    ]
    return Scene(
        name="rope_crane",
        bodies=_moving_parts(load, gripper, counterweight, LIFT if rigid else 0.0),
        joints=(
            Joint("rails", "prismatic", "trolley", axis=(1.0, 0.0, 0.0)),
            Joint("guide", "prismatic", "weight", axis=(0.0, 0.0, 1.0)),
            *((arm,) if rigid else ()),
        ),
        drives=tuple(Drive(name, drums[name]) for name in moved),
        cables=tuple(wires),
        surfaces=(Surface("ground"),),
        motions=tuple(
            Motion(name, times=SPEEDS[name][0], values=SPEEDS[name][1]) for name in moved
        ),
        visuals=_portal(),
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


def _wire(name: str, nodes: tuple[Node, ...], carries: float, winch: Winch | None = None) -> Cable:
    """Return a wire of the crane whose initial pull is the weight of that mass [kg]."""
    layer = Hybrid(density=ROPE, most=8)
    return Cable(
        name,
        nodes,
        ea=5e6,
        pretension=carries * GRAVITY,
        damping_time=0.05,
        winch=winch,
        hybrid=layer,
    )


def _haul(carries: float) -> Cable:
    """Return the wire from its drum to the trolley."""
    nodes = (Drum("world", (0.0, 0.0, RAIL)), Anchor("trolley", (-1.5, 0.0, 0.0)))
    return _wire("haul", nodes, carries, Winch("haul_drum", 200.0))


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
        Drum("world", (0.0, 0.0, top)),
        Sheave("trolley", (-half, 0.0, -0.5)),
        Eye("gripper", (-half, 0.0, 0.0)),
        Eye("gripper", (half, 0.0, 0.0)),
        Sheave("trolley", (half, 0.0, -0.5)),
        Anchor("world", (TRACK, 0.0, top)),
    )
    return _wire("hoist", nodes, carries, Winch("hoist_drum", 200.0))


def _portal() -> tuple[Visual, ...]:
    """Return masts, rails, and the wall in the way."""
    masts = [
        ((x, y, 0.5 * RAIL), Box(0.4, 0.4, RAIL)) for x in (-0.3, TRACK + 0.7) for y in (-1.5, 1.5)
    ]
    rails = [((0.5 * TRACK, y, RAIL + 0.4), Box(TRACK, 0.2, 0.3)) for y in (-1.5, 1.5)]
    middle = (START + 0.5 * TRAVEL, 0.0, 0.5 * WALL[2])
    return (
        Visual("wall", Box(*WALL), position=middle, color=(0.6, 0.55, 0.48)),
        *(
            Visual(f"part_{i}", shape, position=place)
            for i, (place, shape) in enumerate([*masts, *rails])
        ),
    )
