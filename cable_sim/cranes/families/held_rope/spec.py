"""The file of a rope that a hand holds, and values derived from it."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from cable_sim.cranes.family_spec import FamilySpec
from cable_sim.cranes.rigging.rig import Pair
from cable_sim.spec.quantities import NonNegative, Positive, Real, Vector, spec

HAND_RADIUS = 0.05
"""Radius of the ball that stands for the hand [m]."""
SPRINGS = {
    "chain": (),
    "springs": ("stiffness", "friction", "bending", "largest_step"),
    "tutorial": ("stiffness", "friction", "largest_step"),
}
"""Fields of the springs of a rope, by its method; a chain holds its distances and has none."""


@spec
class Kind:
    """The family of the machine."""

    type: Literal["held_rope"]


@spec
class MassRope:
    """A rope made of equal masses in a row, the first one held.

    Parameters
    ----------
    masses: how many, the held one included; 3 or more.
    mass: of each [kg].
    spacing: between neighbours [m]; the rope is (masses - 1) spacing long.
    method: ``tutorial`` (NeHe's lesson 40 as it was written: springs that push as well),
        ``springs`` (that only pull, with bending) or ``chain`` (distances that do not stretch,
        stable at any step).
    stiffness: of the spring between two masses [N/m]; not of a chain.
    friction: of each spring [N s/m]; not of a chain. Left out, ``springs`` have that of ``Lumped``.
    bending: EI [N m^2]; of ``springs`` only.
    largest_step: of the springs' integration [s]; left out, nine tenths of what is stable.
    air_friction: of each mass [N s/m].
    diameter: [m], for drawing.
    start: ``level``, let go along x; or ``hanging`` straight down, what is too long for that lying
        along x. Springs start unstretched.
    """

    masses: Annotated[int, Field(strict=True, ge=3, le=2000)]
    mass: Positive
    spacing: Positive
    method: Literal["tutorial", "springs", "chain"] = "chain"
    stiffness: Positive | None = None
    friction: NonNegative | None = None
    bending: NonNegative = 0.0
    largest_step: Positive | None = None
    air_friction: NonNegative = 0.0
    diameter: Positive = 0.03
    start: Literal["level", "hanging"] = "hanging"

    @property
    def length(self) -> float:
        """Unstretched length from the hand to the loose end [m]."""
        return (self.masses - 1) * self.spacing

    @model_validator(mode="after")
    def _check_consistency(self) -> "MassRope":
        for name in ("stiffness", "friction", "bending", "largest_step"):
            if getattr(self, name) and name not in SPRINGS[self.method]:
                owners = " and ".join(
                    method for method, fields in SPRINGS.items() if name in fields
                )
                raise ValueError(
                    f"{name}: {getattr(self, name):g} together with method {self.method!r}; only "
                    f"{owners} can have it"
                )
        if SPRINGS[self.method] and self.stiffness is None:
            raise ValueError(
                f"stiffness: is missing; method {self.method!r} needs that of its springs [N/m]"
            )
        return self


@spec
class Floor:
    """The level ground under the rope.

    Parameters
    ----------
    height: in the world [m].
    friction: Coulomb coefficient [-]; of the ``tutorial`` its viscous slide friction of each mass
        [N s/m].
    repulsion: of a mass in the ground [N/m]; springs need it, and a chain's ground is hard.
    absorption: of a mass that sinks in [N s/m]; springs only.
    """

    height: Real = 0.0
    friction: NonNegative = 0.4
    repulsion: Positive | None = None
    absorption: NonNegative = 0.0


@spec
class Reach:
    """Reach of the hand along x, y and z, in the world [m]."""

    x: Pair = (-3.0, 3.0)
    y: Pair = (-3.0, 3.0)
    z: Pair = (0.1, 5.0)


@spec
class Hand:
    """Hand that holds the rope and moves it along x, y and z.

    Parameters
    ----------
    start: its place at time zero, in the world [m].
    reach: see there.
    max_speed: along each axis [m/s].
    max_acceleration: along each axis [m/s^2].
    max_force: along each axis [N]; carrying the hand itself takes its part of it.
    mass: of the hand [kg].
    tau: time constant of positioning [s].
    """

    start: Vector = (0.0, 0.0, 1.5)
    reach: Reach = Reach()
    max_speed: Positive = 3.0
    max_acceleration: Positive = 15.0
    max_force: Positive = 500.0
    mass: Positive = 1.0
    tau: Positive = 0.05


@spec
class HeldRope(FamilySpec):
    """The file of a held rope; one field for each of its sections."""

    crane: Kind
    rope: MassRope
    hand: Hand = Hand()
    ground: Floor = Floor()

    @model_validator(mode="after")
    def _check_consistency(self) -> "HeldRope":
        for name, at in zip("xyz", self.hand.start, strict=True):
            low, high = getattr(self.hand.reach, name)
            if not low < high:
                raise ValueError(f"hand.reach.{name}: must increase, not {low:g} ... {high:g}")
            if not low <= at <= high:
                raise ValueError(
                    f"hand.start: {name} must be within the reach {low:g} ... {high:g}, not {at:g}"
                )
        if self.hand.reach.z[0] < self.ground.height:
            raise ValueError(
                f"hand.reach.z: must begin at the ground's height, {self.ground.height:g}, or "
                "above it, "
                f"not at {self.hand.reach.z[0]:g}"
            )
        soft = bool(SPRINGS[self.rope.method])
        if soft and self.ground.repulsion is None:
            raise ValueError(
                f"ground: needs a repulsion [N/m] for method {self.rope.method!r}; masses of 50 g "
                "lie well with 100"
            )
        for name in ("repulsion", "absorption"):
            if not soft and getattr(self.ground, name):
                raise ValueError(
                    f"ground.{name}: {getattr(self.ground, name):g} together with method 'chain', "
                    "whose ground is hard"
                )
        return self
