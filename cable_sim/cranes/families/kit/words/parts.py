"""Parts of a crane that is put together in a file: what they weigh, how they move, how they look.

Frames: each part has one of its own. It stands at ``at`` in the frame of the part that carries it,
with parallel axes while its joint reads zero. A part without joint and motion is fixed on what
carries it: it is places and a picture alone.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool

from cable_sim.cranes.container.micro_motion import Wheels
from cable_sim.cranes.families.kit.words.steel import PartBeam
from cable_sim.cranes.parts.buffers import Buffer
from cable_sim.cranes.parts.following import Following
from cable_sim.cranes.rigging.rig import Pair, Sides
from cable_sim.spec import Box, Drag, Obstacle, Rao, Sea, Sine, Sphere
from cable_sim.spec.bodies import Tensor
from cable_sim.spec.quantities import (
    WORLD,
    Fraction,
    Many,
    Name,
    NonNegative,
    Positive,
    Vector,
    spec,
)

Bars = Annotated[
    tuple[Annotated[tuple[Vector, ...], Field(min_length=2)], ...], Field(min_length=1)
]
Color = Literal[
    "yellow",
    "steel",
    "dark",
    "concrete",
    "white",
    "glass",
    "red",
    "orange",
    "blue",
    "green",
    "navy",
    "water",
    "land",
]
TRADES = {
    "rpm": ("rad", 9.549296585513721),
    "deg/s": ("rad", 57.29577951308232),
    "deg/min": ("rad", 3437.746770784939),
    "m/min": ("m", 60.0),
    "m/s": ("m", 1.0),
}
"""Units in which operators give speeds: the unit of the coordinate, and the value over SI."""
SHAPES = ("box", "cylinder", "bars", "lattice", "corners")


MIRRORED: dict[bool | str, tuple[tuple[int, int], ...]] = {
    False: (),
    True: ((1, -1),),
    "x": ((-1, 1),),
    "xy": ((1, -1), (-1, 1), (-1, -1)),
}
"""Signs of x and y of the other places where a mirrored shape is drawn."""


@spec
class Drawn:
    """One shape of a part's picture: a box, a cylinder, bars, a lattice, or a convex body.

    Parameters
    ----------
    box: edge lengths [m].
    cylinder: radius and length [m].
    bars: their ends, or of each chain of bars its points [m].
    lattice: both ends of the middle line of a square lattice mast or boom [m].
    corners: of a convex body, such as a ship's bow [m].
    at: middle of a box or cylinder [m].
    along: axis of a cylinder.
    towards: place on another part, as ``part.place``, that a cylinder points at. It begins at its
        ``at`` then, such as the barrel or the rod of a luffing cylinder, or a rope.
    side: of a lattice, as broad as high [m].
    depths: of a lattice along x with two chords below, ``side`` apart, and one above: its heights
        over them at both ends [m].
    taper: length over which a lattice grows from a point at either end [m].
    radius: of bars, and of the chords of a lattice [m].
    mirrored: true: drawn on the other side, too, with y turned round; ``x``: with x turned round;
        ``xy``: at all four corners.
    shown: of a solid, it is drawn, too, and no entry of the picture is needed.
    color: see ``Color``.
    """

    box: Sides | None = None
    cylinder: Pair | None = None
    bars: Bars | None = None
    lattice: tuple[Vector, Vector] | None = None
    corners: Annotated[Many[Vector], Field(min_length=4)] | None = None
    at: Vector = (0.0, 0.0, 0.0)
    along: Literal["x", "y", "z"] = "z"
    towards: str | None = None
    side: Positive = 1.5
    depths: Pair | None = None
    taper: NonNegative = 0.0
    radius: Positive = 0.06
    mirrored: StrictBool | Literal["x", "xy"] = False
    shown: StrictBool = False
    color: Color = "yellow"

    @property
    def bar(self) -> tuple[Vector, Vector] | None:
        """Both ends of a lattice, or of the only bar [m]."""
        one = self.bars is not None and len(self.bars) == 1 and len(self.bars[0]) == 2
        return (self.bars[0][0], self.bars[0][1]) if one and self.bars else self.lattice

    def mirrors(self) -> Iterator["Drawn"]:
        """Yield the shape in the other places where it is drawn."""
        for signs in MIRRORED[self.mirrored]:

            def turned(point: Vector, signs: tuple[int, int] = signs) -> Vector:
                return signs[0] * point[0], signs[1] * point[1], point[2]

            there: dict[str, Any] = {"at": turned(self.at)}
            if self.bars:
                there["bars"] = tuple(tuple(map(turned, chain)) for chain in self.bars)
            for name in ("lattice", "corners"):
                if points := getattr(self, name):
                    there[name] = tuple(map(turned, points))
            yield replace(self, mirrored=False, **there)

    def __post_init__(self) -> None:
        given = [name for name in SHAPES if getattr(self, name) is not None]
        if len(given) != 1:
            told = " and ".join(given) or "none"
            raise ValueError(f"a picture is one of {', '.join(SHAPES)}; given is {told}")
        if self.towards and self.mirrored:
            raise ValueError("mirrored: not together with towards; draw both sides")
        if self.towards and not self.cylinder:
            raise ValueError(f"towards: a {given[0]} does not point anywhere; a cylinder does")


@spec
class PartJoint:
    """The joint on which a part moves on what carries it, at the origin of the part's frame.

    Parameters
    ----------
    name: of the joint; axes act on it by this name.
    kind: ``hinge``, or ``prismatic``: a slide.
    axis: in the frame of the carrying part, its length does not matter [-]; the coordinate is
        anticlockwise about it, or along it.
    limits: end stops of a slide [m].
    limits_deg: end stops of a hinge [deg].
    buffer: at both end stops; left out, hard stops.
    stiffness: of a spring on the coordinate, which rests at zero [N/m or N m/rad].
    damping, dry_friction: on the coordinate [N s/m or N m s/rad, N or N m].
    wheels: of a level slide, that turn on the spot for travel across it.
    """

    name: Name
    kind: Literal["hinge", "prismatic"]
    axis: Vector
    limits: Pair | None = None
    limits_deg: Pair | None = None
    buffer: Buffer | None = None
    stiffness: NonNegative = 0.0
    damping: NonNegative = 0.0
    dry_friction: NonNegative = 0.0
    wheels: Wheels | None = None

    @property
    def unit(self) -> str:
        """Unit of the coordinate."""
        return "rad" if self.kind == "hinge" else "m"

    @property
    def range(self) -> tuple[float, float]:
        """End stops of the coordinate [rad or m]."""
        if self.limits_deg is not None:
            return math.radians(self.limits_deg[0]), math.radians(self.limits_deg[1])
        return self.limits or (-math.inf, math.inf)

    def __post_init__(self) -> None:
        wrong = "limits" if self.kind == "hinge" else "limits_deg"
        if getattr(self, wrong) is not None:
            right = "limits_deg" if self.kind == "hinge" else "limits"
            raise ValueError(f"{wrong}: a {self.kind} has {right}")
        low, high = self.range
        if not low < high:
            raise ValueError(f"limits: must increase, not {low:g} ... {high:g}")
        if not any(self.axis):
            raise ValueError("axis: can't be zero")
        if self.wheels and (self.kind == "hinge" or self.axis[2]):
            raise ValueError("wheels: are those of a level slide; leave them out")


@spec
class Wheel:
    """A place where a rope runs over a sheave.

    Parameters
    ----------
    at: point at which the rope turns; of a half turn the middle of the wheel [m].
    diameter: pitch diameter [m].
    efficiency: tension after over tension before while the rope runs [-].
    axis: of the wheel; its length does not matter [-].
    half_turn: the rope turns round it by half a circle, above the middle.
    side: of a half turn: ``right``, the rope turns it right-handed about its axis; or ``left``.
    friction: of a wheel that drives the rope, or is driven by it, the coefficient between both [-];
        the rope turns it right-handed about its axis, and ``at`` is its middle. An axis may be on
        it, by its name.
    inertia: of that wheel and all that turns with it, about its axis [kg m^2].
    turns: full turns of the rope on it beside its wrap.
    """

    at: Vector
    diameter: Positive
    efficiency: Fraction = 1.0
    axis: Vector = (0.0, 1.0, 0.0)
    half_turn: StrictBool = False
    side: Literal["right", "left"] = "right"
    friction: Positive | None = None
    inertia: Positive | None = None
    turns: Annotated[int, Field(strict=True, ge=0, le=100)] = 0

    def __post_init__(self) -> None:
        if (self.friction is None) != (self.inertia is None):
            raise ValueError("friction, inertia: go together; give both or neither")
        if self.friction and (self.half_turn or self.efficiency < 1.0):
            raise ValueError("friction: in place of half_turn and efficiency; leave those out")
        if self.turns and not self.friction:
            raise ValueError("turns: of a wheel with friction and inertia; give these, too")


@spec
class PartMotion:
    """Motion of a part that nothing can hold up, such as a ship: in a sea, by sines, or by poses
    that come while the crane runs.

    Parameters
    ----------
    sea, rao: waves, and how the ship answers them.
    sines: see :class:`~cable_sim.spec.motions.motions.Sine`.
    poses: how it follows poses from outside, over ROS those of the topic ``<part>/pose_command``.
    ramp: time in which the motion is let in [s].
    """

    sea: Sea | None = None
    rao: Rao | None = None
    sines: tuple[Sine, ...] = ()
    poses: Following | None = None
    ramp: NonNegative = 20.0

    def __post_init__(self) -> None:
        if (self.sea is None) != (self.rao is None):
            raise ValueError("sea, rao: go together; give both or neither")
        if sum((self.sea is not None, bool(self.sines), self.poses is not None)) != 1:
            raise ValueError(
                "motion: give a sea with its rao, or sines, or poses; one of the three"
            )


@spec
class Deck:
    """A level deck on a part with a motion, on which the load can stand.

    Parameters
    ----------
    at: middle of its top in the part's frame [m].
    size: along the part's x and y axis, and thickness [m].
    friction: Coulomb's mu of the load on it [-].
    """

    at: Vector
    size: Sides
    friction: NonNegative = 0.6

    def solid(self, part: str, centre: Vector) -> Obstacle:
        """Return the deck on the body of a part that has its centre of mass there [m]."""
        x, y, top = (a - c for a, c in zip(self.at, centre, strict=True))
        place = (x, y, top - 0.5 * self.size[2])
        return Obstacle(f"{part}_deck", Box(*self.size), part, place)


@spec
class Part:
    """One rigid part of the tree, or one of steel that bends.

    Parameters
    ----------
    on: the part that carries it, or ``world``.
    at: its origin in the frame of that part, its joint at zero [m].
    joint: on which it moves; left out, it is fixed.
    motion: of a part that moves whatever acts on it; in place of a joint, on ``world``.
    free: stands in the world by other parts, with nothing that holds it.
    loose: lies on another part or in the world at the start, or falls: a ball, or the box of its
        ``size``.
    stands: rests on the ground with the box of its ``size``. On a vertical slide, such as an
        outrigger's pad on its jack, it carries the crane at the start; else it may come to stand.
    beam: of a mast that bends, fixed in the world. Parts with joints stand on its end, all at one
        place. Of a part with a joint, a jib with a ``span``. It has a camber with which it is
        straight at the start under what it carries.
    mass: [kg]; of a part that moves.
    centre: its centre of mass [m].
    inertia: about the centre, principal moments or a tensor along the part's axes [kg m^2].
    size: of a box as wide and heavy, in place of the inertia [m].
    ball: radius of a ball that it is, in place of the inertia [m].
    drag: patches that the wind acts on; their centres in the part's frame.
    deck: on which the load can stand, of a part with a motion.
    points, wheels: named places for ropes and hooks, in the part's frame [m].
    picture: what is drawn.
    solids: convex shapes with which it touches things, by names of their own: boxes, cylinders,
        convex bodies, and lattices and single bars, of each the box around it.
    scenery: not of the crane but of what is around it, such as a ship; the crane can run into it.
    color: of the box with which it stands, or of the ball.
    """

    on: str = WORLD
    at: Vector = (0.0, 0.0, 0.0)
    joint: PartJoint | None = None
    motion: PartMotion | None = None
    free: StrictBool = False
    loose: StrictBool = False
    stands: StrictBool = False
    beam: PartBeam | None = None
    mass: Positive | None = None
    centre: Vector = (0.0, 0.0, 0.0)
    inertia: Tensor | Vector | None = None
    size: Sides | None = None
    ball: Positive | None = None
    drag: Many[Drag] = ()
    deck: Deck | None = None
    points: dict[Name, Vector] = Field(default_factory=dict)
    wheels: dict[Name, Wheel] = Field(default_factory=dict)
    picture: tuple[Drawn, ...] = ()
    solids: dict[Name, Drawn] = Field(default_factory=dict)
    scenery: StrictBool = False
    color: Color = "steel"

    @property
    def moves(self) -> bool:
        """Return True if the part is a body of its own."""
        return self.joint is not None or self.motion is not None or self.free or self.loose

    @property
    def is_mast(self) -> bool:
        """Return True if it is a beam that carries parts on its end."""
        return self.beam is not None and self.beam.span is None

    @property
    def is_pad(self) -> bool:
        """Return True if it carries the crane at the start."""
        return self.stands and self.joint is not None

    @property
    def is_structure(self) -> bool:
        """Return True if its body has a shape that never touches the rest of the crane."""
        return self.shape is not None and self.ball is None and not self.loose

    @property
    def moments(self) -> Tensor | Vector | None:
        """Inertia about the centre of mass [kg m^2]; None if it is not given."""
        if self.mass is None:
            return self.inertia
        if self.ball is not None:
            return Sphere(self.ball).inertia(self.mass)
        return Box(*self.size).inertia(self.mass) if self.size else self.inertia

    @property
    def shape(self) -> Box | Sphere | None:
        """Shape of its body: the ball, or the box with which it stands or lies."""
        if self.ball is not None:
            return Sphere(self.ball)
        return Box(*self.size) if (self.stands or self.loose) and self.size else None

    @property
    def places(self) -> dict[str, Vector]:
        """All named places [m]."""
        return self.points | {name: wheel.at for name, wheel in self.wheels.items()}

    def __post_init__(self) -> None:
        kinds = ("joint", "motion", "free", "loose")
        given = [name for name in kinds if getattr(self, name)]
        if len(given) > 1:
            raise ValueError(f"{given[1]}: a part has one of joint, motion, free and loose")
        if given and given[0] not in ("joint", "loose") and self.on != WORLD:
            told = f"a part with {given[0]} moves in the world, not on {self.on!r}"
            raise ValueError(f"on: {told}")
        if self.loose and (self.inertia is not None or any(self.centre)):
            raise ValueError("loose: needs a size or a ball, and the centre at the origin")
        if self.stands and (self.size is None or any(self.centre)):
            raise ValueError("stands: needs a size, and the centre at the origin")
        if self.deck and not self.motion:
            raise ValueError("deck: belongs to a part with a motion; for others there is site")
        for field in ("mass", "inertia", "size", "ball", "drag"):
            if getattr(self, field) and not self.moves:
                raise ValueError(
                    f"{field}: a part without joint is fixed; add it to the part that carries it"
                )
        if self.moves and self.mass is None:
            raise ValueError("mass: is missing; a part that moves has a mass [kg]")
        if self.moves and sum(x is not None for x in (self.inertia, self.size, self.ball)) != 1:
            raise ValueError("inertia, size, ball: give one of the three")
        for name, solid in self.solids.items():
            wrong = next((f for f in ("bars", "towards", "mirrored") if getattr(solid, f)), None)
            if wrong and not (wrong == "bars" and solid.bar):
                raise ValueError(
                    f"solids.{name}.{wrong}: a solid is one box, cylinder, bar, lattice or convex "
                    "body that stays on its part; give one solid for each"
                )
        if self.scenery and (self.moves or self.on != WORLD):
            raise ValueError("scenery: stands on 'world', without joint, motion or free")
        twice = set(self.points) & set(self.wheels)
        if twice:
            name = sorted(twice)[0]
            raise ValueError(f"wheels.{name}: a point has the name {name!r}, too; rename one")
        self._check_beam()

    def _check_beam(self) -> None:
        if self.is_mast and (self.moves or self.on != WORLD or self.places):
            told = "with a beam is fixed on 'world', without joint, points and wheels"
            raise ValueError(f"beam: a part {told}; give these to a part on its end")
        if self.beam and self.beam.span and self.joint is None:
            raise ValueError("beam.span: is of a part with a joint; leave it out for a mast")
        if self.beam and self.beam.span and self.beam.soil:
            raise ValueError("beam.soil: is below a mast; leave it out for a beam with a span")
