"""Ropes and rods: stiffness, mass and strength from construction and diameter.

*Wire ropes.* EN 12385-4 gives, for a nominal diameter d, the metallic area ``A = C d^2``, the mass
per length ``m' = W d^2 / 100`` (kg/m, d in mm) and the minimum breaking force ``F = K d^2 R`` with
the grade R of the wires. The modulus of elasticity belongs to the metallic area and is about half
that of steel, because the wires are laid in helices. Taking steel and the full circle instead makes
a rope more than three times too stiff.

*Solid rods* have the full circle ``A = pi d^2 / 4`` and the modulus and density of their material.

*Torsion.* A round rod of radius r has the polar moment ``J = pi r^4 / 2 = A r^2 / 2`` and the shear
modulus ``G = Y / (2 (1 + sigma))``, hence ``GJ = A Y r^2 / (4 (1 + sigma))`` (Servin and
Lacoursiere 2007, after eq. 3, where the ``r^2`` is missing in print). The wires of a rope slide on
one another, so for a rope this is an upper bound. What a rope has follows from how far it turns
when an end is let go: per length by ``phi / l = k_t d T / GJ`` under the tension T. Published is
the turn phi per lay l at a fifth of the breaking force; with a lay of 6.5 d, which is usual and
assumed here,

    GJ = 0.2 K R k_t 6.5 d^4 / phi = torsion d^4.

Six strands that turn by 42 degrees have about a twentieth of the bound, 34 strands that turn by 0.2
degrees 0.86 of it. This is the secant between nothing and that turn; a rope that is turned little
may be stiffer.
"""

import math
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from cable_sim.errors import SpecError, unknown
from cable_sim.spec.cables.materials import MATERIALS, POISSON_RATIO, Material, MaterialName
from cable_sim.spec.quantities import NonNegative, Positive, spec


class Construction(NamedTuple):
    """Factors of a rope construction.

    ``area`` is C [-], ``mass`` is W [kg/m per 100 mm^2], ``strength`` is K [-], ``modulus`` that of
    a rope run in, on the metallic area [Pa], ``torque`` the torque per tension and diameter [-],
    ``torsion`` is GJ / d^4 [Pa].
    """

    area: float
    mass: float
    strength: float
    modulus: float
    torque: float
    torsion: float


# C, W, K: EN 12385-4 as tabulated by K. Feyrer, "Wire Ropes", table 1.9. Modulus: middle of the
# usual range for ropes run in. Torque: 8.9 % measured on 6x25F and 0.76 % on a 34-strand rope
# (Cranes Today, "Twist and shout"); the 8-strand rope is taken like the 6-strand one and 18x7
# between the two. Torsion: of grade 1960 that turns by 42 and by 0.2 degrees per lay at 20 % of the
# breaking force (same source); 18x7 is their geometric mean.
CONSTRUCTIONS = {
    "6x19_iwrc": Construction(0.449, 0.400, 0.356, 105e9, 0.089, 1.10e8),
    "6x36ws_iwrc": Construction(0.460, 0.409, 0.356, 105e9, 0.089, 1.10e8),
    "8x36ws_iwrc": Construction(0.468, 0.417, 0.356, 102e9, 0.089, 1.10e8),
    "18x7_rotation_resistant": Construction(0.433, 0.401, 0.328, 97e9, 0.04, 4.4e8),
    "34x7_rotation_resistant": Construction(0.428, 0.401, 0.318, 100e9, 0.0076, 1.76e9),
}
"""Constructions of wire ropes; ``solid`` is not among them."""

SOLID = "solid"
STIFFEST_ROPE = 160e9
"""Largest modulus of a wire rope on its metallic area [Pa]; a straight steel wire has 200e9."""

ConstructionName = Literal[
    "solid",
    "6x19_iwrc",
    "6x36ws_iwrc",
    "8x36ws_iwrc",
    "18x7_rotation_resistant",
    "34x7_rotation_resistant",
]
AreaFactor = Annotated[float, Field(strict=True, gt=0.0, lt=0.70)]
"""Metallic area over d^2 [-]; a full circle is pi / 4 = 0.785, compacted ropes reach about 0.6."""
Modulus = Annotated[float, Field(strict=True, ge=1e4, le=1.5e12)]
"""Modulus of elasticity [Pa], from a gel to diamond: that of steel is 200e9, not 200."""
PoissonRatio = Annotated[float, Field(strict=True, gt=-1.0, le=0.5)]
"""Transverse over axial strain [-].

At 0.5 the volume stays; at -1 a rod would have infinite torsional stiffness.
"""


@spec
class Certificate:
    """Values of the maker's certificate, which replace those from the factors.

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
    """A wire rope, or a solid rod of any material.

    Parameters
    ----------
    construction: one of :data:`CONSTRUCTIONS`, which gives the factors that are left out; or
        ``solid``.
    diameter: nominal [m].
    grade: tensile grade of the wires [Pa]; 1960e6 is usual.
    area_factor, mass_factor, strength_factor: C [-], W [kg/m per 100 mm^2] and K [-] of EN 12385-4
        when they differ from the construction's; a wire rope's only.
    modulus: on the metallic area [Pa]; of wire ropes 60e9 (new, fibre core) to 110e9 (run in, steel
        core). A solid rod needs it, or a ``material``.
    damping_ratio: of the bounce of a load on the rope [-], as part of critical damping.
    torque_factor: torque per tension and diameter [-], without sign; a wire rope's only.
    certificate: stated values that replace the derived ones.
    material: of a solid rod, one of :data:`~cable_sim.spec.cables.materials.MATERIALS`; gives
        modulus, Poisson's ratio and density that are left out.
    poisson_ratio: sigma [-], for torsion; 0.3 when neither it nor a material is given.
    density: of a solid rod [kg/m^3]; needed only where its mass is asked for.
    torsional_rigidity: GJ [N m^2] as measured, instead of the construction's or, for a solid rod,
        the formula's.
    lay: which screw the outer strands follow, for the sign of the torque: under tension the torque
        of a right-hand lay turns the far end left-handed about the direction away from the near
        one, when it is let go.
    """

    construction: ConstructionName
    diameter: Annotated[float, Field(strict=True, gt=0.0, lt=0.2)]
    grade: Annotated[float, Field(strict=True, ge=1.0e9, le=2.5e9)] = 1960e6
    area_factor: AreaFactor | None = None
    mass_factor: Positive | None = None
    strength_factor: Positive | None = None
    modulus: Modulus | None = None
    damping_ratio: NonNegative = 0.02
    torque_factor: NonNegative | None = None
    certificate: Certificate = Certificate()
    material: MaterialName | None = None
    poisson_ratio: PoissonRatio | None = None
    density: Positive | None = None
    torsional_rigidity: Positive | None = None
    lay: Literal["right", "left"] = "right"

    @property
    def factors(self) -> Construction:
        """Factors of the construction, replaced by the rope's own where given."""
        own = (
            self.area_factor,
            self.mass_factor,
            self.strength_factor,
            self.modulus,
            self.torque_factor,
            None,
        )
        usual = (
            _rod(self._stuff) if self.construction == SOLID else CONSTRUCTIONS[self.construction]
        )
        return Construction(
            *(theirs if mine is None else mine for mine, theirs in zip(own, usual, strict=True))
        )

    @property
    def _stuff(self) -> Material:
        """Return the material with the rope's own values; unknown modulus and density are NaN."""
        named = MATERIALS.get(
            self.material or "", Material(math.nan, POISSON_RATIO, math.nan, "unknown")
        )
        ratio = named.poisson_ratio if self.poisson_ratio is None else self.poisson_ratio
        return named._replace(poisson_ratio=ratio, density=self.density or named.density)

    @property
    def metallic_area(self) -> float:
        """Metallic area C d^2, of a solid rod the full circle [m^2]."""
        return self.certificate.area or self.factors.area * self.diameter**2

    @property
    def ea(self) -> float:
        """Axial stiffness: modulus times metallic area [N]."""
        return self.certificate.ea or self.factors.modulus * self.metallic_area

    @property
    def gj(self) -> float:
        """Torsional rigidity [N m^2]: as given, or the construction's.

        It is at most a rod's EA r^2 / (4 (1 + sigma)).
        """
        bonded = self.ea * (0.5 * self.diameter) ** 2 / (4.0 * (1.0 + self._stuff.poisson_ratio))
        return self.torsional_rigidity or min(self.factors.torsion * self.diameter**4, bonded)

    @property
    def torque_arm(self) -> float:
        """Torque per tension: torque factor times diameter, positive for right-hand lay [m]."""
        return math.copysign(
            self.factors.torque * self.diameter, 1.0 if self.lay == "right" else -1.0
        )

    @property
    def mass_per_metre(self) -> float:
        """Mass W d^2 / 100 with d in mm, of a solid rod density times area [kg/m].

        Raises SpecError when a rod has no density.
        """
        mass = (
            self.certificate.mass_per_metre
            or self.factors.mass * (1e3 * self.diameter) ** 2 / 100.0
        )
        if math.isnan(mass):
            raise SpecError(
                "Rope: the mass of a solid rod needs its density, a material or a certificate"
            )
        return mass

    @property
    def minimum_breaking_force(self) -> float:
        """Breaking force K d^2 R [N]; infinite (unknown) for a solid rod without a certificate."""
        return (
            self.certificate.minimum_breaking_force
            or self.factors.strength * self.diameter**2 * self.grade
        )

    @property
    def wave_speed(self) -> float:
        """Speed of a longitudinal wave sqrt(EA / m') [m/s]; SpecError like ``mass_per_metre``."""
        return math.sqrt(self.ea / self.mass_per_metre)

    def __post_init__(self) -> None:
        if self.construction == SOLID:
            _check_rod(self)
        else:
            _check_wire_rope(self)


def _rod(stuff: Material) -> Construction:
    """Return a solid rod as a construction: full circle, no torque, no known strength, no slip."""
    circle = 0.25 * math.pi
    return Construction(
        circle, 1e-4 * stuff.density * circle, math.inf, stuff.modulus, 0.0, math.inf
    )


def _check_rod(rod: Rope) -> None:
    """Refuse a rod without a modulus, and fields of laid wires."""
    if rod.modulus is None and rod.material is None:
        raise ValueError(
            "modulus: a solid rod needs it, or a material; known materials are "
            f"{', '.join(MATERIALS)}"
        )
    for field in ("area_factor", "mass_factor", "strength_factor", "torque_factor"):
        if getattr(rod, field) is not None:
            raise ValueError(
                f"{field}: {getattr(rod, field)} is a wire rope's; a solid rod has a full circle, "
                "a density, no torque under tension, and the strength that its certificate states"
            )


def _check_wire_rope(rope: Rope) -> None:
    """Refuse a rope as stiff as a steel bar, and fields of solid rods."""
    for field in ("material", "density"):
        if getattr(rope, field) is not None:
            raise ValueError(
                f"{field}: {getattr(rope, field)!r} is a solid rod's; {rope.construction} is of "
                "steel wire, and its mass_factor gives its mass"
            )
    if rope.modulus is not None and rope.modulus > STIFFEST_ROPE:
        raise ValueError(
            f"modulus: {rope.modulus:.4g} Pa is a bar's; a wire rope has {STIFFEST_ROPE:.4g} Pa "
            "or less"
        )
    bar = math.pi / 4.0 * rope.diameter**2
    if rope.metallic_area >= 0.9 * bar:
        raise ValueError(
            f"metallic area {rope.metallic_area:.4g} m^2 is that of a full bar of this diameter "
            f"({bar:.4g} m^2); a rope has 0.55 to 0.75 of it"
        )
    if rope.ea >= 0.75 * 200e9 * bar:
        raise ValueError(
            f"ea {rope.ea:.4g} N is that of a steel bar of this diameter ({200e9 * bar:.4g} N); "
            f"a rope has about a third of it"
        )


def standard_rope(construction: str, diameter: float) -> Rope:
    """Return a wire rope of a diameter [m] and of grade 1960.

    Raises SpecError, which lists the constructions, for an unknown one.
    """
    if construction not in CONSTRUCTIONS:
        raise SpecError(unknown("construction", construction, CONSTRUCTIONS))
    return Rope(construction, diameter)  # type: ignore[arg-type]  # one of the names, as just checked
