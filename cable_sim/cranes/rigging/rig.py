"""Load and slings on the hook, and surroundings of the crane: ground and platforms."""

import math
from typing import Annotated, Any, NamedTuple

from pydantic import Field, StrictBool

from cable_sim.spec import Anchor, Body, Box, Cable, Drag, Loose, Lumped
from cable_sim.spec import Ground as RopeGround
from cable_sim.spec.cables.rope_catalogue import NamedRope
from cable_sim.spec.quantities import (
    PLAIN,
    Name,
    NonNegative,
    Positive,
    Quaternion,
    Real,
    Vector,
    spec,
)
from cable_sim.spec.scene import GRAVITY

CONCRETE: Vector = (0.70, 0.68, 0.64)

Sides = Annotated[tuple[Positive, Positive, Positive], PLAIN]
Rectangle = Annotated[tuple[Positive, Positive], PLAIN]
Pair = Annotated[tuple[Real, Real], PLAIN]


@spec
class Load:
    """A box.

    Parameters
    ----------
    mass: [kg].
    size: edge lengths along the trolley's way, across it, and height [m].
    cd: drag coefficient of its faces [-]; 0 for a load that the wind does not know.
    color: red, green, blue in 0...1.
    """

    mass: Positive = 4000.0
    size: Sides = (2.0, 2.0, 1.0)
    cd: NonNegative = 0.0
    color: Vector = (0.62, 0.30, 0.22)


def drags(cd: float, areas: Vector | None = None) -> tuple[Drag, ...]:
    """The one patch of a body with that drag coefficient, with the areas of its shape or these
    [m^2]; none with 0."""
    return (Drag(cd, areas),) if cd > 0.0 else ()


def upright(heading: float) -> Quaternion:
    """Return the orientation of a body that is turned about the vertical [rad]."""
    return math.cos(0.5 * heading), 0.0, 0.0, math.sin(0.5 * heading)


@spec
class Slings:
    """Four equal slings from the hook to the upper corners of the load.

    Parameters
    ----------
    rope: what they are made of.
    height: of the hook above the top of the load when the slings are just straight [m].
    slack: how much longer than their way the slings are when the load stands at the start [m].
    """

    rope: NamedRope
    height: Positive = 1.8
    slack: Annotated[float, Field(strict=True, gt=0.0, le=0.2)] = 0.01


@spec
class Ground:
    """Ground below the load; platforms have the same properties.

    Parameters
    ----------
    friction: Coulomb coefficient [-].
    stiffness: of one touching corner [N/m].
    damping_time: damping over stiffness [s].
    color: red, green, blue in 0...1; of the ground alone.
    """

    friction: NonNegative = 0.6
    stiffness: Positive = 1.0e8
    damping_time: NonNegative = 0.005
    color: Vector = (0.55, 0.57, 0.53)


@spec
class TagLine:
    """A rope tied to the load, with which people on the ground guide it: here it hangs loose and
    drags over the ground.

    It is tied in the middle of an end of the load's longer side, a tenth of its height above the
    underside, and made of masses. It lies on the ground, and knows of no platforms, stacks or
    ships; keep its load above the ground.

    Parameters
    ----------
    length: [m].
    mass_per_metre: [kg/m].
    masses: that it is made of, the tied end included; 3 or more.
    friction: on the ground, Coulomb coefficient [-].
    diameter: [m], for drawing.
    """

    length: Positive
    mass_per_metre: Positive = 0.3
    masses: Annotated[int, Field(strict=True, ge=3, le=1000)] = 41
    friction: NonNegative = 0.5
    diameter: Positive = 0.02

    def hanging_mass(self, height: float) -> float:
        """Return the mass of line [kg] that the load carries, tied at a height [m] above the
        ground."""
        return self.mass_per_metre * min(self.length, height)


@spec
class Platform:
    """A block with a level top, its sides along the world's x and y.

    Parameters
    ----------
    name: unique name.
    polar: radius [m] and slewing angle [deg] of its centre; or
    xy: its centre in the world [m].
    size: along x and y [m].
    height: of the top above the ground [m]; below it, as in a ship's hold, with a ``thickness``.
    thickness: from the top down [m]; left out, it stands on the ground.
    catches_ropes: whether the hoist rope runs over its edges instead of through it.
    color: red, green, blue in 0...1.
    """

    name: Name
    size: Rectangle
    height: Real
    polar: Pair | None = None
    xy: Pair | None = None
    thickness: Positive | None = None
    catches_ropes: StrictBool = False
    color: Vector = CONCRETE

    @property
    def centre(self) -> tuple[float, float]:
        """Its centre in the world [m]."""
        if self.xy is not None:
            return self.xy
        assert self.polar is not None
        radius = self.polar[0]
        angle = math.radians(self.polar[1])
        return radius * math.cos(angle), radius * math.sin(angle)

    @property
    def depth(self) -> float:
        """Height of its block [m]."""
        return self.thickness or self.height

    @property
    def block(self) -> dict[str, Any]:
        """Shape, place and colour of its block."""
        place = (*self.centre, self.height - 0.5 * self.depth)
        return {"shape": Box(*self.size, self.depth), "position": place, "color": self.color}

    def __post_init__(self) -> None:
        if (self.polar is None) == (self.xy is None):
            raise ValueError(
                f"platform {self.name!r}: give its centre as polar or as xy, one of the two"
            )
        if self.height <= 0.0 and self.thickness is None:
            raise ValueError(
                f"platform {self.name!r}: height must be above 0, not {self.height:g}; or give a "
                "thickness"
            )


class Hanging(NamedTuple):
    """Heights of hook and load's centre of mass above the ground [m]."""

    hook: float
    load: float


def sling_length(load: Load, slings: Slings) -> float:
    """Unstretched length of a sling [m], from its height and the load's plan."""
    return math.hypot(0.5 * load.size[0], 0.5 * load.size[1], slings.height)


def sunk_height(support: float, load: Load, ground: Ground) -> float:
    """Return the height of the top of a load at rest on a support of that height [m].

    It sinks in by its weight over the stiffness of four corners, so that it starts in equilibrium.
    """
    return support - load.mass * GRAVITY / (4.0 * ground.stiffness) + load.size[2]


def stand_on(support: float, load: Load, slings: Slings, ground: Ground) -> Hanging:
    """Load at rest on a support of that height [m], hook above it with slack slings."""
    top = sunk_height(support, load, ground)
    way = sling_length(load, slings) - slings.slack
    rise_squared = way**2 - (0.5 * load.size[0]) ** 2 - (0.5 * load.size[1]) ** 2
    rise = math.sqrt(max(rise_squared, 0.0))
    return Hanging(top + rise, top - 0.5 * load.size[2])


def hang_from(hook: float, load: Load, slings: Slings) -> Hanging:
    """Load at rest below a hook of that height [m]: each sling carries ``m g l / (4 h)`` and is
    stretched by it.

    The stretched length ``l = l0 (1 + m g l / (4 h EA))`` and the height ``h = sqrt(l^2 - a^2 -
    b^2)`` are found by iteration, which gains a factor of some thousand in every round.
    """
    rest = sling_length(load, slings)
    half = math.hypot(0.5 * load.size[0], 0.5 * load.size[1])
    length = rest
    for _ in range(20):
        height = math.sqrt(length**2 - half**2)
        length = rest * (1.0 + load.mass * GRAVITY * length / (4.0 * height * slings.rope.ea))
    height = math.sqrt(length**2 - half**2)
    return Hanging(hook, hook - height - 0.5 * load.size[2])


def load_body(
    load: Load,
    position: Vector,
    orientation: Quaternion,
    name: str = "load",
    mass: float | None = None,
) -> Body:
    """Return the load as a body that can stand on surfaces, with its own or another mass [kg].

    It is at a position [m] and an orientation (w, x, y, z) in the world.
    """
    return Body(
        name,
        mass or load.mass,
        shape=Box(*load.size),
        position=position,
        orientation=orientation,
        drag=drags(load.cd),
        color=load.color,
    )


def sling_cables(
    load: Load, slings: Slings, hook_body: str, hook_point: Vector
) -> tuple[Cable, ...]:
    """Four cables from the hook to the upper corners, anticlockwise seen from above, outer left
    first.

    ``hook_point`` is where they hang in the frame of the hook's body [m]. They are spliced and
    their eyes turn in the shackles, so they carry no torque.
    """
    a, b, c = (0.5 * side for side in load.size)
    corners = ((a, b, c), (-a, b, c), (-a, -b, c), (a, -b, c))
    rope = slings.rope
    return tuple(
        Cable(
            name=f"sling_{i}",
            nodes=(Anchor(hook_body, hook_point), Anchor("load", corner)),
            ea=rope.ea,
            length=sling_length(load, slings),
            damping_ratio=rope.damping_ratio,
            diameter=rope.diameter,
            breaking_force=rope.minimum_breaking_force,
        )
        for i, corner in enumerate(corners, start=1)
    )


def tie(size: Vector) -> tuple[Vector, Vector]:
    """Return the tie of a tag line to a load of that size, in its frame [m], and the outward
    direction there."""
    a = 0.5 * size[0]
    b = 0.5 * size[1]
    below = -0.4 * size[2]
    return ((a, 0.0, below), (1.0, 0.0, 0.0)) if a >= b else ((0.0, b, below), (0.0, 1.0, 0.0))


def tag_line_cable(
    tag: TagLine,
    body: str,
    size: Vector,
    position: Vector,
    heading: float = 0.0,
    ground: float = 0.0,
) -> Cable:
    """The tag line of a body of that size [m], upright at ``position`` [m] and turned about the
    vertical [rad], over a ground of that height [m]."""
    place, outward = tie(size)
    cos = math.cos(heading)
    sin = math.sin(heading)
    x = cos * place[0] - sin * place[1]
    y = sin * place[0] + cos * place[1]
    z = place[2]
    top = (position[0] + x, position[1] + y, position[2] + z)
    away = (cos * outward[0] - sin * outward[1], sin * outward[0] + cos * outward[1])
    path, end = lay_down(top, tag.length, tag.masses - 1, ground, away)
    below = RopeGround((0.0, 0.0, ground), friction=tag.friction)
    made = Lumped(tag.masses, density=tag.mass_per_metre, ground=below, path=path)
    return Cable(
        "tag_line",
        (Anchor(body, place), Loose(end)),
        length=tag.length,
        lumped=made,
        diameter=tag.diameter,
    )


def lay_down(
    top: Vector, length: float, pieces: int, ground: float, away: Pair = (1.0, 0.0)
) -> tuple[tuple[Vector, ...], Vector]:
    """The path of a rope of that length [m]: straight down from ``top``, and any rest along the
    ground.

    Returns the points on its way and its end [m], for a ground of that height [m] and a unit vector
    in plan, ``away``, along which it lies. The rope turns at ends of its equal ``pieces`` alone. A
    mass before and one after a corner would be nearer to one another than they are along the rope,
    and jump apart. So it reaches the ground in a slanting piece.
    """
    x, y, z = top
    piece = length / pieces
    if length <= z - ground:
        return (), (x, y, z - length)
    down = int((z - ground) / piece)
    rest = z - ground - down * piece
    out = math.sqrt(piece**2 - rest**2)
    path = ((x, y, z - down * piece), (x + out * away[0], y + out * away[1], ground))
    out += (pieces - down - 1) * piece
    return path if down else path[1:], (x + out * away[0], y + out * away[1], ground)
