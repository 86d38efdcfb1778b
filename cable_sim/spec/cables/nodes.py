"""Nodes of cables: attachments of the ends, and the points between that the cable runs over."""

from typing import Annotated, Literal

from pydantic import Field, StrictBool

from cable_sim.spec.cables.winches import Winch
from cable_sim.spec.quantities import (
    WORLD,
    Fraction,
    Name,
    NonNegative,
    Positive,
    Real,
    Vector,
    spec,
)


@spec
class Anchor:
    """A point where a cable is fixed to a body: an end or, between the ends of a hybrid wire, a
    clamp.

    No rope passes a clamp: both sides have rope and tension of their own. At the start the length
    is divided as the path is.

    Parameters
    ----------
    body, position: in the body frame (in the world for ``world``) [m].
    swivel: lets the end turn freely about the rope, which then carries no torque.
    direction: of the rope where it is fixed, a vector in the body frame [-], towards the cable's
        last node: the anchor holds it against the ``bending`` of a hybrid wire (encastre). Its
        length does not matter. None for a hinge.
    """

    body: str
    position: Vector = (0.0, 0.0, 0.0)
    swivel: StrictBool = False
    direction: Vector | None = None
    kind: Literal["anchor"] = "anchor"


@spec
class Eye:
    """A point of a body that the cable slides through without friction; position in the body frame
    [m]."""

    body: str
    position: Vector = (0.0, 0.0, 0.0)
    kind: Literal["eye"] = "eye"


@spec
class Sheave:
    """A grooved wheel that the cable runs over, with its losses.

    Parameters
    ----------
    body, position: as for an eye [m].
    efficiency: tension after over tension before while the rope runs [-]; 1 is without loss, 0.98
        is usual for wire rope on a sheave with rolling bearings. Friction acts against the
        direction of running; at rest it holds whatever it must up to the same bound.
    radius: [m], for drawing.
    axis: of the wheel in the body frame, for drawing; its length does not matter.
    half_turn: True if the rope turns round the wheel by half a circle, and the wheel is two nodes:
        here the rope runs on, and at the cable's next node, on the same body, it runs off. The
        half circle between them is drawn. A sheave without it is a wheel of its own.
    """

    body: str
    position: Vector = (0.0, 0.0, 0.0)
    efficiency: Fraction = 1.0
    radius: Positive = 0.2
    axis: Vector = (0.0, 1.0, 0.0)
    half_turn: StrictBool = False
    kind: Literal["sheave"] = "sheave"


@spec
class Wheel:
    """A wheel of a size, which the rope drives or is driven by as far as its friction goes.

    The rope sticks to the rim until the tensions on both sides differ by more than ``exp(friction x
    wrap)`` to one, then it slips (Euler and Eytelwein). The wrap is that of the tangents to the
    nodes before and behind it. Only massless cables run over wheels, between nodes without losses;
    a hybrid wire does over an obstacle with friction on a body that turns.

    Parameters
    ----------
    name: of the wheel. A drive on it acts at the rim: in m/s and N. Wheels of one name are on one
        shaft, with the same inertia and radius.
    body, position: its centre, in the frame of the body that carries its bearing [m]. A wheel
        without inertia is fixed to that body: on one that turns on a hinge about the wheel's axis,
        that hinge, and the inertia of that body, are the wheel's.
    radius: of the rope's axis on the wheel [m].
    axis: of the wheel in the body frame. The rope turns right-handed about it, seen from the first
        node to the last. Its length does not matter.
    friction: coefficient of friction between rope and groove [-], of a V or undercut groove the
        higher apparent one.
    efficiency: in place of friction, the lower over the higher tension while the rope slips,
        whatever the wrap [-].
    inertia: of the wheel and all that turns with it, about its axis [kg m^2]. None is a wheel
        fixed to its body: a bollard, or a wheel whose body turns.
    rate: speed of the rim at the start, positive towards the last node [m/s].
    turns: full turns of the rope on the wheel beside the wrap below one turn.
    tension_behind: of the rope behind the wheel at the start [N], where the cable has ``ea`` and
        no ``length``; None for that before it, the cable's ``pretension`` at the first one.
    """

    name: Name
    body: str
    position: Vector
    radius: Positive
    axis: Vector = (0.0, 1.0, 0.0)
    friction: NonNegative | None = None
    efficiency: Fraction | None = None
    inertia: Positive | None = None
    rate: Real = 0.0
    turns: Annotated[int, Field(strict=True, ge=0, le=100)] = 0
    tension_behind: NonNegative | None = None
    kind: Literal["wheel"] = "wheel"

    @property
    def rotor(self) -> Winch | None:
        """The rim as a winch: its coordinate is the way of the rim [m]; None if it stands."""
        if self.inertia is None:
            return None
        return Winch(self.name, self.inertia / self.radius**2, self.rate)

    def __post_init__(self) -> None:
        if (self.friction is None) == (self.efficiency is None):
            raise ValueError("friction: give either the friction or the efficiency")
        if not any(self.axis):
            raise ValueError(f"axis: {self.axis} has no direction")
        if self.inertia is None and self.rate:
            raise ValueError(f"rate: {self.rate:g} of a wheel fixed to its body; give an inertia")


@spec
class Drum:
    """The end of a cable on a winch: it leaves the drum at this point; position in the body frame
    [m].

    ``radius`` [m] and ``axis`` (body frame) are for drawing.
    """

    body: str
    position: Vector = (0.0, 0.0, 0.0)
    radius: Positive = 0.25
    axis: Vector = (0.0, 1.0, 0.0)
    kind: Literal["drum"] = "drum"


@spec
class Loose:
    """The free end of a cable made of masses: where it is at the start, in the world [m]."""

    position: Vector = (0.0, 0.0, 0.0)
    kind: Literal["loose"] = "loose"

    @property
    def body(self) -> str:
        """Body in whose frame the position is given: the world."""
        return WORLD


Node = Annotated[Anchor | Eye | Sheave | Wheel | Drum | Loose, Field(discriminator="kind")]
