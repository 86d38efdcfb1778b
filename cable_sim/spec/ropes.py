"""Wire ropes: what a construction and a diameter make of stiffness, mass and strength.

EN 12385-4 gives, for a nominal diameter d, the metallic area ``A = C d^2``, the mass per length
``m' = W d^2 / 100`` (kg/m, d in mm) and the minimum breaking force ``F = K d^2 R`` with the grade R of the
wires. The modulus of elasticity belongs to the metallic area and is about half that of steel, because the
wires are laid in helices. Taking steel and the full circle instead makes a rope more than three times too
stiff.
"""

import math
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, model_validator

from cable_sim.errors import SpecError
from cable_sim.spec.quantities import NonNegative, Positive, spec


class Construction(NamedTuple):
    """Factors of a rope construction.

    ``area`` is C [-], ``mass`` is W [kg/m per 100 mm^2], ``strength`` is K [-], ``modulus`` that of a rope
    run in, on the metallic area [Pa], ``torque`` the torque per tension and diameter [-].
    """

    area: float
    mass: float
    strength: float
    modulus: float
    torque: float


# C, W, K: EN 12385-4 as tabulated by K. Feyrer, "Wire Ropes", table 1.9. Modulus: middle of the usual range
# for ropes run in. Torque: 8.9 % measured on 6x25F and 0.76 % on a 34-strand rope (Cranes Today, "Twist and
# shout"); the 8-strand rope is taken like the 6-strand one and 18x7 between the two.
CONSTRUCTIONS = {
    "6x19_iwrc": Construction(0.449, 0.400, 0.356, 105e9, 0.089),
    "6x36ws_iwrc": Construction(0.460, 0.409, 0.356, 105e9, 0.089),
    "8x36ws_iwrc": Construction(0.468, 0.417, 0.356, 102e9, 0.089),
    "18x7_rotation_resistant": Construction(0.433, 0.401, 0.328, 97e9, 0.04),
    "34x7_rotation_resistant": Construction(0.428, 0.401, 0.318, 100e9, 0.0076),
}
"""The constructions that a rope may name."""

ConstructionName = Literal[
    "6x19_iwrc", "6x36ws_iwrc", "8x36ws_iwrc", "18x7_rotation_resistant", "34x7_rotation_resistant"
]
AreaFactor = Annotated[float, Field(strict=True, gt=0.0, lt=0.70)]
"""Metallic area over d^2; a full circle would be pi / 4 = 0.785 and compacted ropes reach about 0.6."""
RopeModulus = Annotated[float, Field(strict=True, gt=0.0, le=160e9)]
"""Modulus on the metallic area [Pa]; a straight steel wire has 200e9 and no rope comes near."""


@spec
class Certificate:
    """What the maker's certificate states; it takes the place of what the factors give.

    Parameters
    ----------
    area: metallic area [m^2].
    ea: axial stiffness [N].
    mass_per_metre: [kg/m].
    minimum_breaking_force: [N].
    """

    area: Positive | None = None
    ea: Positive | None = None
    mass_per_metre: Positive | None = None
    minimum_breaking_force: Positive | None = None


@spec
class Rope:
    """A wire rope.

    Parameters
    ----------
    construction: one of :data:`CONSTRUCTIONS`; gives the factors that are left out.
    diameter: nominal [m].
    grade: tensile grade of the wires [Pa]; 1960e6 is usual.
    area_factor, mass_factor, strength_factor: C, W and K of EN 12385-4 when they differ from the
    construction's. modulus: on the metallic area [Pa]; 60e9 (new, fibre core) to 110e9 (run in, steel core).
    damping_ratio: of the bounce of a load on the rope, as part of critical damping. torque_factor: torque per
    tension and diameter [-]. certificate: stated values that replace the derived ones.
    """

    construction: ConstructionName
    diameter: Annotated[float, Field(strict=True, gt=0.0, lt=0.2)]
    grade: Annotated[float, Field(strict=True, ge=1.0e9, le=2.5e9)] = 1960e6
    area_factor: AreaFactor | None = None
    mass_factor: Positive | None = None
    strength_factor: Positive | None = None
    modulus: RopeModulus | None = None
    damping_ratio: NonNegative = 0.02
    torque_factor: NonNegative | None = None
    certificate: Certificate = Certificate()

    @property
    def factors(self) -> Construction:
        """The construction's factors, with those replaced that the rope gives itself."""
        own = (self.area_factor, self.mass_factor, self.strength_factor, self.modulus, self.torque_factor)
        usual = CONSTRUCTIONS[self.construction]
        return Construction(*(theirs if mine is None else mine for mine, theirs in zip(own, usual, strict=True)))

    @property
    def metallic_area(self) -> float:
        """C d^2 [m^2]."""
        return self.certificate.area or self.factors.area * self.diameter**2

    @property
    def ea(self) -> float:
        """Axial stiffness: modulus times metallic area [N]."""
        return self.certificate.ea or self.factors.modulus * self.metallic_area

    @property
    def mass_per_metre(self) -> float:
        """W d^2 / 100 with d in mm [kg/m]."""
        return self.certificate.mass_per_metre or self.factors.mass * (1e3 * self.diameter) ** 2 / 100.0

    @property
    def minimum_breaking_force(self) -> float:
        """K d^2 R [N]."""
        return self.certificate.minimum_breaking_force or self.factors.strength * self.diameter**2 * self.grade

    @property
    def wave_speed(self) -> float:
        """Speed of a longitudinal wave sqrt(EA / m') [m/s]."""
        return math.sqrt(self.ea / self.mass_per_metre)

    @model_validator(mode="after")
    def _no_steel_bar(self) -> "Rope":
        bar = math.pi / 4.0 * self.diameter**2
        if self.metallic_area >= 0.9 * bar:
            raise ValueError(
                f"metallic area {self.metallic_area:.4g} m^2 is that of a full bar of this diameter "
                f"({bar:.4g} m^2); a rope has 0.55 to 0.75 of it"
            )
        if self.ea >= 0.75 * 200e9 * bar:
            raise ValueError(
                f"ea {self.ea:.4g} N is that of a steel bar of this diameter ({200e9 * bar:.4g} N); "
                f"a rope has about a third of it"
            )
        return self


def standard_rope(construction: str, diameter: float) -> Rope:
    """A rope of the catalogue, of grade 1960; SpecError lists the known constructions when it has none."""
    if construction not in CONSTRUCTIONS:
        raise SpecError(f"construction {construction!r} is not known; known are {', '.join(CONSTRUCTIONS)}")
    return Rope(construction, diameter)  # type: ignore[arg-type]  # one of the names, as just checked
