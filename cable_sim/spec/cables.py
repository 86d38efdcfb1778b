"""Cables: what they run over, what they are made of, and the winch that pays them out."""

from typing import Annotated, Literal

from pydantic import Field, StrictBool, model_validator

from cable_sim.spec.quantities import Fraction, Limit, Name, NonNegative, Positive, Real, Vector, spec
from cable_sim.spec.ropes import Rope


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
    """A point of a body that the cable slides through without friction; position in the body frame [m]."""

    body: str
    position: Vector = (0.0, 0.0, 0.0)
    kind: Literal["eye"] = "eye"


@spec
class Sheave:
    """A grooved wheel that the cable runs over, with its losses.

    Parameters
    ----------
    body, position: as for an eye.
    efficiency: tension after over tension before while the rope runs; 1 is without loss, 0.98 is usual for
        wire rope on a sheave with rolling bearings. Friction acts against the direction of running; at rest
        it holds whatever it must up to the same bound.
    radius: [m], for drawing.
    axis: of the wheel in the body frame, for drawing.
    """

    body: str
    position: Vector = (0.0, 0.0, 0.0)
    efficiency: Fraction = 1.0
    radius: Positive = 0.2
    axis: Vector = (0.0, 1.0, 0.0)
    kind: Literal["sheave"] = "sheave"


@spec
class Drum:
    """The end of a cable on a winch: it leaves the drum at this point; position in the body frame [m].

    ``radius`` [m] and ``axis`` (body frame) are for drawing.
    """

    body: str
    position: Vector = (0.0, 0.0, 0.0)
    radius: Positive = 0.25
    axis: Vector = (0.0, 1.0, 0.0)
    kind: Literal["drum"] = "drum"


Node = Annotated[Anchor | Eye | Sheave | Drum, Field(discriminator="kind")]


@spec
class Winch:
    """Pays a cable out and takes it in at its first node.

    Parameters
    ----------
    name: unique name, for a drive to act on. The coordinate is the paid-out (unstretched) length [m].
    mass: rotating inertia of motor and drum as seen at the rope, J (omega / v)^2 [kg]. Without a drive the
        drum runs free.
    rate: paying-out speed at the start [m/s].
    """

    name: Name
    mass: Positive = 1000.0
    rate: Real = 0.0


@spec
class Cable:
    """A massless elastic cable over any number of nodes: it pulls, never pushes.

    Parameters
    ----------
    name: unique name.
    nodes: two or more; the first and last hold the ends, those between let the cable slide.
    ea: axial stiffness, modulus times metallic area [N]; the spring constant is ``ea / length``.
    stiffness: spring constant whatever the length [N/m]. Give ``ea`` or ``stiffness`` or, for an inextensible
        cable, neither.
    length: unstretched length between the first and the last node [m]; left out, that of the path at the
        start, shortened so that the cable carries ``pretension``.
    pretension: tension at the start when ``length`` is left out [N].
    damping_ratio: of the cable's own longitudinal mode as built, every other joint and taut cable held rigid.
    damping_time: damping over stiffness [s]; alternative to ``damping_ratio``.
    gj: torsional rigidity [N m^2]; the torsional spring constant c_t is ``gj / length``.
    twist_stiffness: c_t whatever the length [N m/rad]. Give ``gj`` or ``twist_stiffness`` or, for a cable that carries
        no torque, neither.
    twist: angle by which the cable is twisted at the start [rad], of any number of turns; positive when the last
        node's end is turned right-handed about the direction from the first node to the last.
    torque_factor: torque per tension and diameter of a laid rope k_t [-], M = c_t twist + k_t d T: positive for
        right-hand lay, which unlays under load, negative for left-hand lay.
    rope: a wire rope, or a rod of any material, that gives ``ea``, ``gj``, ``torque_factor``, ``diameter``,
        ``breaking_force`` and, unless a damping is given, ``damping_ratio``.
    driven: True makes a cable without length of its own: a drive on it says at which rate its path changes (the
        velocity driver of Servin and Lacoursiere 2007).
    winch: pays the cable out at its first node.
    pulls_only: False makes it push as well when it is shorter than its length, as the equations of Servin and
        Lacoursiere 2007 do; for comparison with theory.
    diameter: [m], for drawing.
    breaking_force: [N], for reports; infinite when unknown.
    color: red, green, blue in 0...1.
    """

    name: Name
    nodes: Annotated[tuple[Node, ...], Field(min_length=2)]
    ea: Positive | None = None
    stiffness: Positive | None = None
    length: Positive | None = None
    pretension: NonNegative = 0.0
    damping_ratio: NonNegative | None = None
    damping_time: NonNegative | None = None
    gj: Positive | None = None
    twist_stiffness: Positive | None = None
    twist: Real = 0.0
    torque_factor: Real = 0.0
    rope: Rope | None = None
    driven: StrictBool = False
    winch: Winch | None = None
    pulls_only: StrictBool = True
    diameter: Positive = 0.016
    breaking_force: Limit = float("inf")
    color: Vector = (0.25, 0.25, 0.28)

    @model_validator(mode="after")
    def _consistent(self) -> "Cable":
        if self.ea is not None and self.stiffness is not None:
            raise ValueError("give ea or stiffness, not both")
        if self.damping_ratio is not None and self.damping_time is not None:
            raise ValueError("give damping_ratio or damping_time, not both")
        if self.pretension and self.length is not None:
            raise ValueError("give length or pretension, not both")
        if self.pretension and self.ea is None and self.stiffness is None:
            raise ValueError("an inextensible cable has no pretension; give ea or stiffness")
        for node in (self.nodes[0], self.nodes[-1]):
            if node.kind not in ("anchor", "drum"):
                raise ValueError(f"the first and last node hold the ends: anchor or drum, not {node.kind}")
        for node in self.nodes[1:-1]:
            if node.kind not in ("eye", "sheave"):
                raise ValueError(f"a node between the ends lets the cable slide: eye or sheave, not {node.kind}")
        return self
