"""Scenes of Servin et al., "Hybrid, multiresolution wires with massless frictional contacts"
(2011)."""

import math
from typing import Literal

from cable_sim.errors import SpecError
from cable_sim.scenes.catalogue import scene
from cable_sim.spec import (
    Anchor,
    Body,
    Box,
    Cable,
    Cylinder,
    Drive,
    Drum,
    Eye,
    Hybrid,
    Joint,
    Motion,
    Obstacle,
    Polyhedron,
    Scene,
    Sheave,
    Sphere,
    Surface,
    Visual,
    Winch,
)
from cable_sim.spec.nodes import Node
from cable_sim.spec.quantities import Vector
from cable_sim.spec.scene import GRAVITY

BAY, SIDE, HEIGHT = 8.0, 3.2, 1.25
"""Distance of the posts, width and height of a box [m]. Higher ones slide off smooth wires."""
SLACK = 0.03
"""Initial slack of a wire over the distance of its posts [-]."""
RADIUS, FALL, WIDTH = 1.0, 8.0, 2.0
"""Radius of the cylinder, depth of the loads below its axis, and its length along y [m]."""
STRAIN = 1e-2
"""Strain of the wire over the cylinder under its whole load [-]."""


@scene
def boxes_on_wires(
    boxes: int = 2, mass: float = 1e5, wires: float = 50.0, drop: float = 1.0, most: int = 24
) -> Scene:
    """Boxes of 100 t fall on slack wires of 50 kg, bounce, and come to rest on them.

    Servin et al. 2011, section IV and figure 1; with one box figure 6. The wires are a
    four-thousandth of the boxes, and stiffer than steel ("over exaggerated"). The dimensions are
    chosen here: one wire along the row of boxes, which slides over the posts between them, and one
    across below each, without which a box would slide off sideways. They are made of masses while
    they are slack, and of next to none, with contact nodes on the boxes' edges, while taut.

    ``boxes`` [-], ``mass`` of each [kg], ``wires``' mass together [kg], ``drop`` above the posts
    [m], ``most`` masses of a wire and bay [-].
    """
    if boxes < 1:
        raise SpecError(f"boxes_on_wires: boxes must be at least 1, not {boxes}")
    names = ["box"] if boxes == 1 else [f"box_{i + 1}" for i in range(boxes)]
    flat = Box(SIDE, SIDE, HEIGHT)
    bay = (1.0 + SLACK) * BAY
    middles = [(i + 0.5) * BAY for i in range(boxes)]
    posts = {"along": [(i * BAY, 0.0, 0.0) for i in range(boxes + 1)]}
    touches = {"along": tuple(f"{name}_edges" for name in names)}
    for name, x in zip(names, middles, strict=True):
        posts[f"across_{name}"] = [(x, y * BAY, 0.0) for y in (-0.5, 0.5)]
        touches[f"across_{name}"] = (f"{name}_edges",)
    density = wires / (2 * boxes * bay)
    return Scene(
        name="boxes_on_wires",
        bodies=tuple(
            Body(
                name,
                mass,
                shape=flat,
                position=(x, 0.0, drop + 0.5 * HEIGHT),
                color=(0.5, 0.4, 0.32),
            )
            for name, x in zip(names, middles, strict=True)
        ),
        obstacles=tuple(Obstacle(f"{name}_edges", flat, body=name) for name in names),
        cables=tuple(
            _slack_wire(name, over, touches[name], density, most) for name, over in posts.items()
        ),
        visuals=tuple(
            Visual(f"post_{name}_{i}", Box(0.3, 0.3, 4.0), position=(x, y, -2.05))
            for name, over in posts.items()
            for i, (x, y, _) in enumerate(over)
        ),
    )


def _slack_wire(
    name: str, posts: list[Vector], touches: tuple[str, ...], density: float, most: int
) -> Cable:
    """Return a wire over posts, of a density [kg/m], with at most that many masses a bay."""
    bays = len(posts) - 1
    nodes: tuple[Node, ...] = (
        Anchor("world", posts[0]),
        *(Eye("world", post) for post in posts[1:-1]),
        Anchor("world", posts[-1]),
    )
    return Cable(
        name,
        nodes,
        ea=2e8,
        length=bays * ((1.0 + SLACK) * BAY),
        damping_time=0.01,
        diameter=0.04,
        contacts=8,
        touches=touches,
        hybrid=Hybrid(density=density, most=most * bays),
    )


@scene
def wire_over_cylinder(
    load: float = 1000.0, wire: float = 10.0, facets: int = 30, masses: int = 30,
    model: Literal["hybrid", "chain"] = "hybrid",
) -> Scene:  # fmt: skip
    """Two equal loads on a wire over a cylinder.

    Servin et al. 2011, figure 10, by which figures 9 and 11 are measured. As ``hybrid`` the wire
    has contact nodes on the cylinder's edges, and masses as far as the tension allows; as
    ``chain``, the conventional multibody chain, it always has all its masses, and they alone touch
    the cylinder. At rest the tension in the falls is the load's weight and that of the wire below.
    The wire is as soft as lets all that hangs on it stretch it by ``STRAIN``; steel of that mass
    would break under the heavier ones. The cylinder is smooth for the hybrid wire, rough for the
    chain's masses, which would slide off.

    ``load`` of each side [kg], ``wire`` its mass [kg], ``facets`` of the cylinder [-], ``masses``
    between the ends at most [-], ``model`` of the wire: hybrid or chain.
    """
    if model not in ("hybrid", "chain"):
        raise SpecError(f"wire_over_cylinder: model must be hybrid or chain, not {model!r}")
    corners = prism(facets)
    diameter = 0.02
    side = 0.4
    way = path_over(facets, diameter)
    length = sum(math.dist(a, b) for a, b in zip(way, way[1:], strict=False))
    chain = model == "chain"
    layer = Hybrid(
        density=wire / length,
        most=masses,
        least=masses if chain else 0,
        finest=1e-3 if chain else None,
        edges=not chain,
        path=way[1:-1],
        damping=0.5,
    )
    return Scene(
        name="wire_over_cylinder",
        bodies=tuple(
            Body(name, load, shape=Box(side, side, side), position=(x, 0.0, z - 0.5 * side))
            for name, (x, _, z) in (("left", way[0]), ("right", way[-1]))
        ),
        obstacles=(Obstacle("cylinder", Polyhedron(corners), friction=0.5 if chain else 0.0),),
        cables=(
            Cable(
                "wire",
                (Anchor("left", (0.0, 0.0, 0.5 * side)), Anchor("right", (0.0, 0.0, 0.5 * side))),
                ea=(load + wire) * GRAVITY / STRAIN,
                length=length,
                damping_time=0.05,
                diameter=diameter,
                hybrid=layer,
                touches=("cylinder",),
                contacts=facets + 2,
            ),
        ),
    )


def prism(facets: int) -> tuple[Vector, ...]:
    """Return the corners of the cylinder, a prism along y with one edge on top [m]."""
    if facets < 3:
        raise SpecError(f"wire_over_cylinder: facets must be at least 3, not {facets}")
    return tuple((x, y, z) for x, z in _ring(facets, RADIUS) for y in (-0.5 * WIDTH, 0.5 * WIDTH))


def _ring(facets: int, radius: float) -> list[tuple[float, float]]:
    """Return x and z of the edges, clockwise from the top [m]."""
    angles = (2.0 * math.pi * i / facets for i in range(facets))
    return [(radius * math.sin(angle), radius * math.cos(angle)) for angle in angles]


def path_over(facets: int, diameter: float) -> tuple[Vector, ...]:
    """Return the wire's path [m]: straight up, over the edges of the upper half, and down."""
    radius = RADIUS + 0.5 * diameter / math.cos(math.pi / facets)
    over = sorted((x, z) for x, z in _ring(facets, radius) if z > -1e-9)
    points = [(over[0][0], -FALL), *over, (over[-1][0], -FALL)]
    return tuple((x, 0.0, z) for x, z in points)


BEAM = 0.4
"""Half the width of the beam, and its radius if it is round [m]."""
HANG = 3.0
"""Depth of the loads below the top of the beam, or below the axis of a round one [m]."""
HALF_FACET = math.pi / 64.0
"""Half the angle [rad] by which a prism of 32 facets is turned: a quarter of a facet's angle."""
COS, SIN = math.sqrt(0.5) * math.cos(HALF_FACET), math.sqrt(0.5) * math.sin(HALF_FACET)
FACE_UP = (COS, COS, -SIN, SIN)
"""Rotation of a cylinder from z to y, with one of its facets up."""


@scene
def wire_over_beam(
    friction: float = 0.1,
    load: float = 100.0,
    ratio: float = 0.5,
    slope: float = 0.0,
    rounded: bool = False,
    half_turns: int = 1,
    law: Literal["coulomb", "hmr_2011"] = "coulomb",
) -> Scene:
    """Two loads on a wire over a rough beam.

    Servin et al. 2011, figure 12, by which figure 13 is measured: unequal loads draw the wire
    across the edges of a level beam, equal ones along the edges of an inclined one. The beam lies
    along y and stays level; gravity is inclined instead, and the loads start straight below the
    edges all the same. The wire has no mass to speak of. All dimensions are chosen here. Eyes on
    top of a level beam, which do not turn the wire, lay it; an inclined beam is a wall, so deep
    that the shortest way is that over its top. The round one is a prism of 32 facets, around which
    the wire may go more than once.

    ``friction`` [-], ``load`` the mass of the left one [kg], ``ratio`` of the right one to it [-],
    ``slope`` of the edges [degrees], ``rounded`` for a cylinder, ``half_turns`` of the wire around
    it, an odd number [-], ``law`` of friction: coulomb or hmr_2011.
    """
    if half_turns < 1 or half_turns % 2 == 0 or (half_turns > 1 and not rounded):
        raise SpecError(
            "wire_over_beam: half_turns must be odd, and 1 on a beam that is not rounded, not "
            f"{half_turns}"
        )
    if slope and rounded:
        raise SpecError(f"wire_over_beam: slope must be 0 on a rounded beam, not {slope}")
    diameter, pitch, long, theta = 0.016, 0.025, 200.0 if slope else 2.0, math.radians(slope)
    out, top = BEAM + 0.5 * diameter, (BEAM if rounded else 0.0) + 0.5 * diameter + 1e-7
    turns = [(i - 0.5 * (half_turns - 1)) * pitch for i in range(half_turns)]
    laid = [] if slope else [*enumerate(turns)]
    eyes = [Eye("world", (0.0, y, (-1) ** i * top)) for i, y in laid]
    if rounded:
        beam = Obstacle("beam", Cylinder(BEAM, long), orientation=FACE_UP, friction=friction)
    else:
        deep = 3.0 * HANG if slope else 2.0 * BEAM
        shape, middle = Box(2.0 * BEAM, long, deep), (0.0, 0.0, -0.5 * deep)
        beam = Obstacle("beam", shape, position=middle, friction=friction)
    wire = Cable(
        "wire",
        (Anchor("left"), *eyes, Anchor("right")),
        ea=1e5 * load,
        pretension=ratio * load * GRAVITY,
        damping_time=0.02,
        diameter=diameter,
        touches=("beam",),
        contacts=20,
        hybrid=Hybrid(density=1e-8 * load, most=0, friction_law=law),
    )
    loads = (("left", load, -out, turns[0]), ("right", ratio * load, out, turns[-1]))
    return Scene(
        name="wire_over_beam",
        bodies=tuple(
            Body(name, mass, shape=Sphere(0.15), position=(x, y, -HANG))
            for name, mass, x, y in loads
        ),
        obstacles=(beam,),
        cables=(wire,),
        gravity=(0.0, GRAVITY * math.sin(theta), -GRAVITY * math.cos(theta)),
    )


@scene
def wire_net(
    rows: int = 4,
    columns: int = 4,
    masses: int = 4,
    spacing: float = 40.0,
    load: float = 5.0,
    fixed: bool = True,
) -> Scene:
    """Balls joined by hybrid wires: a net held at its corners, or with one row a chain between two
    walls.

    Servin et al. 2011, figures 7 and 8: what a step costs at a given resolution, and at the least
    that the wire takes by itself under tension. A wire weighs 1 kg/m and is a tenth longer than the
    way.

    ``rows`` and ``columns`` of knots, ``masses`` of a wire at most [-], their ``spacing`` [m],
    ``load`` the mass of a ball [kg], ``fixed`` keeps all masses whatever the tension.
    """
    if rows < 1 or columns < 2 or (rows, columns) == (2, 2):
        raise SpecError(
            "wire_net: rows and columns must be 1 x 2 or a net with a knot that is free, not "
            f"{rows} x {columns}"
        )
    knots = {
        (i, j): (j * spacing, i * spacing, 0.5 * spacing * max(rows, columns))
        for i in range(rows)
        for j in range(columns)
    }
    held = {(i, j) for i in (0, rows - 1) for j in (0, columns - 1)}
    pairs = [((i, j), (i, j + 1)) for i in range(rows) for j in range(columns - 1)]
    pairs += [((i, j), (i + 1, j)) for i in range(rows - 1) for j in range(columns)]
    layer = Hybrid(
        density=1.0,
        most=masses,
        least=masses if fixed else 0,
        finest=1e-3 if fixed else None,
        damping=1.0,
    )

    def end(at: tuple[int, int]) -> Anchor:
        return Anchor("world", knots[at]) if at in held else Anchor("ball_{}_{}".format(*at))

    return Scene(
        name="wire_net",
        bodies=tuple(
            Body("ball_{}_{}".format(*at), load, shape=Sphere(0.2), position=place)
            for at, place in knots.items()
            if at not in held
        ),
        cables=tuple(
            Cable("wire_{}_{}_{}_{}".format(*a, *b), (end(a), end(b)), ea=1e6, length=1.1 * spacing,
                  damping_time=0.02, hybrid=layer)
            for a, b in pairs
            if len(pairs) == 1 or not {a, b} <= held
        ),
        surfaces=(Surface("ground"),),
    )  # fmt: skip


RAIL, TRACK = 12.0, 30.0
"""Height of the rails, and distance of the masts [m]."""
LOAD_SIDE = 1.2
"""Edge of the load, a cube [m]."""
START, TRAVEL, LIFT = 5.0, 20.0, 4.0
"""Initial position of the trolley, its travel, and its lift [m]."""
EYES, LONG = 1.0, 3.0
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
    top, half = RAIL - 0.5, 0.5 * EYES
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
