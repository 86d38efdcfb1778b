"""Nodes of cables: attachments of the ends, and the points between that the cable runs over."""

from typing import Annotated, Literal

from pydantic import Field, StrictBool

from cable_sim.spec.quantities import WORLD, Fraction, Positive, Vector, spec


@spec
class Anchor:
    """The end of a cable, fixed to a body.

    Parameters
    ----------
    body, position: in the body frame (in the world for ``world``) [m].
    swivel: lets the end turn freely about the rope, which then carries no torque.
    """

    body: str
    position: Vector = (0.0, 0.0, 0.0)
    swivel: StrictBool = False
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


Node = Annotated[Anchor | Eye | Sheave | Drum | Loose, Field(discriminator="kind")]
