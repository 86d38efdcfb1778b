"""Elevation cables: the second layer of a cable, whose spans sag and oscillate."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, StrictBool

from cable_sim.spec.cables.cable_models import CableModel
from cable_sim.spec.quantities import NonNegative, Positive, spec


@spec
class Elevation(CableModel):
    """The second layer of the elevation cable (Garcia-Fernandez et al. 2008): its spans sag and
    oscillate.

    Parameters
    ----------
    density: mass per length [kg/m]; the rope's when left out.
    points: per span, its two ends included; 3 or more.
    damping: b of the oscillation [1/s].
    scheme: ``adaptive`` (the paper's central differences; where a span is too tight for the step,
        the implicit Euler rule, which damps what the step can't resolve), ``explicit`` (the
        paper's; such a span is straightened until it is not, which the status tells), or
        ``implicit`` (the trapezoidal rule: no damping, stable at any tension).
    shortest: spans below this length stay straight [m].
    planar: True keeps the curves in the vertical plane of their chords, as the papers do; False
        lets them swing in both directions across.
    variant: ``2008``, or ``2007`` for the authors' earlier form with the horizontal distance as
        coordinate and vertical displacements, which fits level spans only.
    mixed_term: takes the growth of spans into account that the papers neglect; of the order of a
        few per cent.
    """

    name: ClassVar[str] = "elevation"
    spans_weigh: ClassVar[bool] = True

    density: Positive | None = None
    points: Annotated[int, Field(strict=True, ge=3)] = 33
    damping: NonNegative = 0.5
    scheme: Literal["adaptive", "explicit", "implicit"] = "adaptive"
    shortest: NonNegative = 1.0
    planar: StrictBool = False
    variant: Literal["2008", "2007"] = "2008"
    mixed_term: StrictBool = False

    def check(self, cable: Any) -> None:
        """Refuse obstacles under the 2007 variant, and a cable without density."""
        if cable.touches and self.variant == "2007":
            raise ValueError("touches: the 2007 variant of elevation has no contact; use 2008")
        if not cable.density:
            raise ValueError("elevation: density: give the mass per length, or a rope that has one")
