"""Parts of a crane's file that bend, and the soil below them."""

import math
from typing import Annotated

from pydantic import Field, StrictBool

from cable_sim.spec.quantities import NonNegative, Positive, Vector, spec


@spec
class Soil:
    """Soil and footing below a mast, as springs at its foot.

    Parameters
    ----------
    sway, rise: stiffness against what moves the foot aside, and up and down [N/m].
    rocking, twist: against what tilts it, and turns it about the upright [N m/rad].
    """

    sway: Positive
    rise: Positive
    rocking: Positive
    twist: Positive

    @property
    def compliance(self) -> tuple[float, ...]:
        """Compliance along and about the axes y, z, x of an upright beam [m/N, rad/(N m)]."""
        sides = (self.sway, self.sway, self.rise, self.rocking, self.rocking, self.twist)
        return tuple(1.0 / side for side in sides)


@spec
class PartBeam:
    """Steel between a part's origin and what stands on its end, or along a part with a joint: see
    :class:`~cable_sim.spec.Beam`.

    Parameters
    ----------
    span: both ends of a jib in the part's frame, along its x axis [m]. The part has the mass of the
        rest, which is rigid and holds its first end, half of the first cell included. Slides on the
        part run along it, and places of ropes beyond its first end are on it. Left out, the beam is
        a mast.
    supported: true for a girder: the part holds both ends of its span, free to turn up and down.
    ei_y, ei_z: stiffness in bending up and down, and sideways; of an upright one along the part's x
        axis and across [N m^2].
    gj: stiffness in torsion [N m^2].
    ea: stiffness in tension [N].
    density: mass per length [kg/m].
    elements: number of cells [-].
    damping_ratio: of its first mode, clamped below and free above [-].
    cd_width: drag coefficient times the width that the wind across it meets [m].
    soil: that a mast stands on; left out, it does not give.
    """

    ei_y: Positive
    ea: Positive
    density: Positive
    span: tuple[Vector, Vector] | None = None
    supported: StrictBool = False
    ei_z: Positive | None = None
    gj: Positive | None = None
    elements: Annotated[int, Field(strict=True, ge=1, le=100)] = 4
    damping_ratio: NonNegative = 0.005
    cd_width: NonNegative = 0.0
    soil: Soil | None = None

    @property
    def hung(self) -> tuple[float, Vector]:
        """Mass [kg] of its nodes, and its centre in the part's frame [m]; of a jib without the
        first."""
        assert self.span is not None
        (x, y, z), (end, _, _) = self.span
        long = end - x
        half = 0.5 * long / self.elements
        if self.supported:
            return self.density * long, (x + 0.5 * long, y, z)
        first = 0.5 * (long - math.sqrt(long * (long - 4.0 * half / 3.0)))
        middle = (0.5 * long**2 - half * first) / (long - half)
        return self.density * (long - half), (x + middle, y, z)

    def __post_init__(self) -> None:
        if self.span and (
            self.span[0][1:] != self.span[1][1:] or self.span[0][0] >= self.span[1][0]
        ):
            raise ValueError(f"span: {self.span}; allowed are ends with x that increases alone")
        if self.supported and not self.span:
            raise ValueError("supported: is of a girder with a span; leave it out for a mast")
