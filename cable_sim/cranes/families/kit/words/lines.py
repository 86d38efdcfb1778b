"""Lines of a crane of parts: ropes of equal masses in a row, of which the first one is tied."""

from typing import Annotated, Literal

from pydantic import Field

from cable_sim.cranes.rigging.rig import lay_down
from cable_sim.errors import SpecError
from cable_sim.spec import Anchor, Cable, Ground, Loose, Lumped
from cable_sim.spec.quantities import NonNegative, Positive, Vector, spec

SOFT = ("repulsion", "absorption")
"""Fields of the soft ground that springs lie on."""
SPRINGS = {
    "chain": (),
    "springs": ("stiffness", "friction", "bending", "largest_step", *SOFT),
    "tutorial": ("stiffness", "friction", "largest_step", *SOFT),
}
"""Fields of the springs of a line, by its method; a chain holds its distances and has none."""


@spec
class Line:
    """A rope made of equal masses, the first one tied to a place.

    Its friction on the ground is that of the site.

    Parameters
    ----------
    tie: place as ``part.place``.
    masses: how many, the tied one included; 3 or more.
    mass: of each [kg].
    spacing: between neighbours [m]; the line is (masses - 1) spacing long.
    method: ``tutorial`` (NeHe's lesson 40 as it was written: springs that push as well),
        ``springs`` (that only pull, with bending) or ``chain`` (distances that do not stretch,
        stable at any step).
    stiffness: of the spring between two masses [N/m]; not of a chain.
    friction: of each spring [N s/m]; not of a chain. Left out, ``springs`` have that of ``Lumped``.
    bending: EI [N m^2]; of ``springs`` only.
    largest_step: of the springs' integration [s]; left out, nine tenths of what is stable.
    repulsion: of a mass in the ground [N/m]; springs need it, and a chain's ground is hard.
    absorption: of a mass that sinks in [N s/m]; springs only.
    air_friction: of each mass [N s/m].
    diameter: [m], for drawing.
    start: ``level``, let go along x; or ``hanging`` straight down, what is too long for that lying
        along x. Springs start unstretched.
    """

    tie: str
    masses: Annotated[int, Field(strict=True, ge=3, le=2000)]
    mass: Positive
    spacing: Positive
    method: Literal["tutorial", "springs", "chain"] = "chain"
    stiffness: Positive | None = None
    friction: NonNegative | None = None
    bending: NonNegative = 0.0
    largest_step: Positive | None = None
    repulsion: Positive | None = None
    absorption: NonNegative = 0.0
    air_friction: NonNegative = 0.0
    diameter: Positive = 0.03
    start: Literal["level", "hanging"] = "hanging"

    @property
    def length(self) -> float:
        """Unstretched length from the tie to the loose end [m]."""
        return (self.masses - 1) * self.spacing

    def hanging_weight(self, height: float, gravity: float) -> float:
        """Return the weight [N] that its tie carries at a height over the ground [m], at rest."""
        return gravity * self.mass / self.spacing * min(self.length, max(height, 0.0))

    def cable(self, name: str, tie: Anchor, top: Vector, level: float, friction: float) -> Cable:
        """Return the line from its ``tie``, which is at ``top`` in the world [m].

        The ground is at the height ``level`` [m]. Raises SpecError for a tie below it.
        """
        x, y, z = top
        if z < level:
            told = f"its tie {self.tie} starts {level - z:g} m below the ground"
            raise SpecError(f"lines.{name}: {told}")
        path: tuple[Vector, ...] = ()
        end: Vector = (x + self.length, y, z)
        if self.start == "hanging":
            path, end = lay_down(top, self.length, self.masses - 1, level)
        made = Lumped(
            self.masses,
            self.method,
            density=self.mass / self.spacing,
            segment_stiffness=self.stiffness,
            friction=self.friction,
            air_friction=self.air_friction,
            bending=self.bending,
            largest_step=self.largest_step,
            ground=Ground(
                (0.0, 0.0, level),
                friction=friction,
                repulsion=self.repulsion,
                absorption=self.absorption,
            ),
            path=path,
        )
        ends = (tie, Loose(end))
        return Cable(name, ends, length=self.length, lumped=made, diameter=self.diameter)

    def __post_init__(self) -> None:
        for name in ("stiffness", "friction", "bending", "largest_step", *SOFT):
            given = getattr(self, name)
            if given and name not in SPRINGS[self.method]:
                owners = " and ".join(made for made, fields in SPRINGS.items() if name in fields)
                told = f"{given:g} together with method {self.method!r}; only {owners} can have it"
                raise ValueError(f"{name}: {told}")
        if SPRINGS[self.method]:
            for name, of in (("stiffness", "its springs"), ("repulsion", "the ground")):
                if getattr(self, name) is None:
                    told = f"is missing; method {self.method!r} needs that of {of} [N/m]"
                    raise ValueError(f"{name}: {told}")
