"""Scenes of Servin et al., "Hybrid, multiresolution wires with massless frictional contacts"
(2011)."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from cable_sim.errors import SpecError
from cable_sim.scenes.catalogue import scene
from cable_sim.scenes.networks import Net
from cable_sim.spec import (
    Anchor,
    Body,
    Box,
    Cable,
    Cylinder,
    Eye,
    Hybrid,
    Obstacle,
    Polyhedron,
    Scene,
    Sphere,
    Surface,
    Visual,
)
from cable_sim.spec.cables.nodes import Node
from cable_sim.spec.quantities import Vector
from cable_sim.spec.scene import GRAVITY

BAY = 8.0
SIDE = 3.2
HEIGHT = 1.25
"""Distance of the posts, width and height of a box [m]. Higher ones slide off smooth wires."""
SLACK = 0.03
"""Initial slack of a wire over the distance of its posts [-]."""
RADIUS = 1.0
FALL = 8.0
WIDTH = 2.0
"""Radius of the cylinder, depth of the loads below its axis, and its length along y [m]."""
CUBE = 0.4
TOP = 0.0, 0.0, 0.5 * CUBE
"""Side of a load, and the middle of its top in its frame [m]."""
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
    load: float = 1000.0,
    wire: float = 10.0,
    facets: int = 30,
    masses: int = 30,
    model: Literal["hybrid", "chain", "beads"] = "hybrid",
    friction: float | None = None,
) -> Scene:
    """Two equal loads on a wire over a cylinder.

    Servin et al. 2011, figure 10, by which figures 9 and 11 are measured. As ``hybrid`` the wire
    has contact nodes on the cylinder's edges, and masses as far as the tension allows; as
    ``chain``, the conventional multibody chain, it always has all its masses, and they alone touch
    the cylinder. At rest the tension in the falls is the load's weight and that of the wire below.
    The wire is as soft as lets all that hangs on it stretch it by ``STRAIN``; steel of that mass
    would break under the heavier ones. ``chain`` finds its contacts and their friction mass by mass
    behind the solution of each step; ``beads`` is the same chain of balls and links with all of
    that in the solution, a normal row and two of friction for each ball.

    ``load`` of each side [kg], ``wire`` its mass [kg], ``facets`` of the cylinder [-], ``masses``
    between the ends at most [-], ``model`` of the wire: hybrid, chain or beads, ``friction`` of the
    cylinder [-], by default none for the hybrid wire and 0.5 for masses, which would slide off.
    """
    if model not in ("hybrid", "chain", "beads"):
        raise SpecError(f"wire_over_cylinder: model must be hybrid, chain or beads, not {model!r}")
    if friction is None:
        friction = 0.0 if model == "hybrid" else 0.5
    if model == "beads":
        return _beads_over_cylinder(load, wire, facets, masses, friction)
    corners = prism(facets)
    diameter = 0.02
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
        bodies=_two_loads(load, way),
        obstacles=(Obstacle("cylinder", Polyhedron(corners), friction=friction),),
        cables=(
            Cable(
                "wire",
                (Anchor("left", TOP), Anchor("right", TOP)),
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


def _beads_over_cylinder(
    load: float, wire: float, facets: int, masses: int, friction: float
) -> Scene:
    """Return the scene with a chain of balls, which slide and do not roll, and massless links."""
    if masses < 1:
        raise SpecError(f"wire_over_cylinder: masses must be at least 1 for beads, not {masses}")
    diameter = 0.02
    way = path_over(facets, diameter)
    link = sum(math.dist(a, b) for a, b in pairwise(way)) / (masses + 1)
    places = [point_along(way, i * link) for i in range(1, masses + 1)]
    names = [f"bead_{i + 1}" for i in range(masses)]
    share = wire / masses
    beads = tuple(
        Body(name, share, inertia=3 * (share * FALL**2,), shape=Sphere(0.5 * diameter), position=at)
        for name, at in zip(names, places, strict=True)
    )
    ends = [Anchor("left", TOP), *map(Anchor, names), Anchor("right", TOP)]
    return Scene(
        name="wire_over_cylinder",
        bodies=(*_two_loads(load, way), *beads),
        obstacles=(
            Obstacle(
                "cylinder", Polyhedron(prism(facets)), body_friction=friction, stops=tuple(names)
            ),
        ),
        cables=tuple(
            Cable(
                f"link_{i + 1}",
                pair,
                ea=(load + wire) * GRAVITY / STRAIN,
                length=link,
                damping_time=0.05,
            )
            for i, pair in enumerate(pairwise(ends))
        ),
    )


def _two_loads(load: float, way: Sequence[Vector]) -> tuple[Body, ...]:
    """Return the loads at both ends of a path [m], of a mass [kg] each."""
    cube = Box(CUBE, CUBE, CUBE)
    return tuple(
        Body(name, load, shape=cube, position=(x, 0.0, z - 0.5 * CUBE))
        for name, (x, _, z) in (("left", way[0]), ("right", way[-1]))
    )


def point_along(way: Sequence[Vector], distance: float) -> Vector:
    """Return the point of a path at a distance from its start [m]."""
    for start, end in pairwise(way):
        length = math.dist(start, end)
        if distance <= length:
            part = distance / length
            x, y, z = (a + part * (b - a) for a, b in zip(start, end, strict=True))
            return x, y, z
        distance -= length
    return way[-1]


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
COS = math.sqrt(0.5) * math.cos(HALF_FACET)
SIN = math.sqrt(0.5) * math.sin(HALF_FACET)
FACE_UP = (COS, COS, -SIN, SIN)
"""Rotation of a cylinder from z to y, with one of its facets up."""


_FACET = math.pi / 32 / math.tan(math.pi / 32)
"""Distance of a facet of the round beam from its axis, over the radius [-]."""


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
    diameter = 0.016
    pitch = 0.025
    theta = math.radians(slope)
    out = (BEAM + 0.5 * diameter) * (_FACET if rounded else 1.0)
    top = (out if rounded else 0.5 * diameter) + 1e-7
    turns = [(i - 0.5 * (half_turns - 1)) * pitch for i in range(half_turns)]
    laid = [] if slope else [*enumerate(turns)]
    eyes = [Eye("world", (0.0, y, (-1) ** i * top)) for i, y in laid]
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
        obstacles=(_beam(friction, rounded, wall=bool(slope)),),
        cables=(wire,),
        gravity=(0.0, GRAVITY * math.sin(theta), -GRAVITY * math.cos(theta)),
    )


def _beam(friction: float, rounded: bool, wall: bool) -> Obstacle:
    """Return the beam along y: round, or square with its top at the origin and deep as a wall."""
    long = 200.0 if wall else 2.0
    if rounded:
        return Obstacle("beam", Cylinder(BEAM, long), orientation=FACE_UP, friction=friction)
    deep = 3.0 * HANG if wall else 2.0 * BEAM
    shape = Box(2.0 * BEAM, long, deep)
    middle = (0.0, 0.0, -0.5 * deep)
    return Obstacle("beam", shape, position=middle, friction=friction)


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
    height = 0.5 * spacing * max(rows, columns)
    places = {
        (i, j): (j * spacing, i * spacing, height) for i in range(rows) for j in range(columns)
    }
    knots = Net(rows, columns, places)
    layer = Hybrid(
        density=1.0,
        most=masses,
        least=masses if fixed else 0,
        finest=1e-3 if fixed else None,
        damping=1.0,
    )
    return Scene(
        name="wire_net",
        bodies=knots.balls(load, 0.2),
        cables=tuple(
            Cable(
                "wire_{}_{}_{}_{}".format(*a, *b),
                (knots.end(a), knots.end(b)),
                ea=1e6,
                length=1.1 * spacing,
                damping_time=0.02,
                hybrid=layer,
            )
            for a, b in knots.pairs
        ),
        surfaces=(Surface("ground"),),
    )
