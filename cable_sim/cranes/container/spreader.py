"""A spreader, the container that it holds by twistlocks, and the bodies and joints of both.

A container whose centre of mass is beside its middle is two bodies: a box with half of the mass,
and cargo with the other half, which stands twice as far from the middle.
"""

from transforms3d.quaternions import rotate_vector

from cable_sim.cranes.container.micro_motion import MicroMotion
from cable_sim.cranes.rigging.rig import Load, Pair, Sides, load_body, upright
from cable_sim.errors import SpecError
from cable_sim.spec import Body, Box, Joint
from cable_sim.spec.quantities import Positive, Vector, spec

CONTAINER_BODY = "container"
CARGO = "cargo"
FARTHEST = 0.2
"""Largest distance of a centre of mass from the middle, over the load's side [-]."""


@spec
class Spreader:
    """A spreader with its head block, in place of a hook block: its twistlocks hold the load.

    Parameters
    ----------
    centre: height of the centre of mass of both above the twistlocks [m].
    inertia: of both about that, principal moments [kg m^2].
    areas: that the wind finds along x, along y and from above [m^2].
    micro: micro-motion of the upper ends of its ropes; left out, there is none.
    """

    centre: Positive
    inertia: Sides
    areas: Sides = (6.0, 2.0, 10.0)
    micro: MicroMotion | None = None


def check_offset(load: Load, offset: Pair) -> None:
    """Raise SpecError for a centre of mass too far from the middle of a load [m]."""
    for part, at, side in zip("xy", offset, load.size[:2], strict=True):
        if abs(at) > FARTHEST * side:
            most = FARTHEST * side
            raise SpecError(f"offset: its {part} must be within {-most:g} ... {most:g}, not {at:g}")


def container_bodies(load: Load, offset: Pair, at: Vector, heading: float) -> tuple[Body, ...]:
    """Return the container with its middle at a place [m], turned about the vertical [rad], and
    cargo that moves its centre of mass by the ``offset`` along its sides [m]."""
    turn = upright(heading)
    if offset == (0.0, 0.0):
        return (load_body(load, at, turn, CONTAINER_BODY),)
    half = 0.5 * load.mass
    aside = rotate_vector((2.0 * offset[0], 2.0 * offset[1], 0.0), turn).tolist()
    place = (at[0] + aside[0], at[1] + aside[1], at[2])
    a, b, c = load.size
    inertia = Box(0.5 * a, 0.5 * b, 0.5 * c).inertia(half)
    cargo = Body(CARGO, half, inertia, position=place, orientation=turn)
    return load_body(load, at, turn, CONTAINER_BODY, half), cargo


def container_joints(
    load: Load, spreader: str, locks: Vector, bodies: tuple[Body, ...], is_open: bool
) -> tuple[Joint, ...]:
    """Return the twistlocks of a spreader, which are at a place in the world [m], and what lashes
    any cargo to its container."""
    top = (0.0, 0.0, 0.5 * load.size[2]) if is_open else None
    joints = [Joint("twistlocks", "fixed", CONTAINER_BODY, spreader, locks, open=is_open, seat=top)]
    container, *cargo = bodies
    for body in cargo:
        place = container.position
        joints.append(Joint("lashing", "fixed", body.name, CONTAINER_BODY, point=place))
    return tuple(joints)
