"""Air of a scene, and drag patches of bodies."""

from typing import Annotated

from pydantic import AfterValidator

from cable_sim.spec.quantities import PLAIN, NonNegative, Positive, Vector, spec


def _check_profile(exponent: float) -> float:
    """Refuse an exponent of no wind profile, by a ValueError."""
    if exponent > 1.0:
        raise ValueError(f"must be within 0 ... 1, not {exponent:g}")
    return exponent


ProfileExponent = Annotated[NonNegative, AfterValidator(_check_profile)]
Areas = Annotated[tuple[NonNegative, NonNegative, NonNegative], PLAIN]


@spec
class Drag:
    """A patch of a body in the wind: ``F_i = 1/2 rho cd A_i |u| u_i`` along each axis i.

    The axes are those of the body's frame; u is the velocity of the air relative to the patch's
    centre. A body with several patches, such as a jib, gets their moments too.

    Parameters
    ----------
    cd: drag coefficient [-]; 1.2 for a container, 1.2 to 1.7 for lattices with the areas of their
        bars.
    areas: seen along x, y and z [m^2]; left out, those of the body's shape.
    centre: of the patch, in the body's frame [m].
    """

    cd: Positive = 1.2
    areas: Areas | None = None
    centre: Vector = (0.0, 0.0, 0.0)


@spec
class Air:
    """The air: its density, its initial wind, and the growth of the wind with height.

    Parameters
    ----------
    density: rho [kg/m^3]. 1.25 makes the dynamic pressure ``q = 0.625 v^2`` of ISO 4302 and EN
        13001-2.
    wind: velocity at the reference height at the start [m/s]: a vector that points where the wind
        blows to.
    reference_height: above the world's z = 0 [m].
    exponent: alpha of ``U(z) = U_ref (z / z_ref)^alpha`` [-]; 0 for a uniform wind, 0.14 over open
        land.
    """

    density: Positive = 1.25
    wind: Vector = (0.0, 0.0, 0.0)
    reference_height: Positive = 10.0
    exponent: ProfileExponent = 0.0
