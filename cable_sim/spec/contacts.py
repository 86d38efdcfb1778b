"""Surfaces that bodies stand on."""

import math

from cable_sim.spec.quantities import Limit, Name, NonNegative, Positive, Vector, spec


@spec
class Surface:
    """A plane, or a rectangle of one, that colliding bodies rest on with dry friction.

    One that ends somewhere is a box: bodies meet its sides and edges, too.

    Parameters
    ----------
    name: unique name.
    point: of the plane; the centre of the rectangle when there is an ``extent`` [m].
    normal: outward, its length does not matter.
    extent: half lengths of a rectangle [m] along the world's x and y axis as projected on the
        plane; infinite is the whole plane.
    thickness: depth of the box below the plane [m]; infinite is a half-space.
    friction: Coulomb coefficient [-].
    stiffness: of one touching point [N/m].
    damping_time: damping over stiffness [s].
    color: red, green, blue in 0...1.
    """

    name: Name = "ground"
    point: Vector = (0.0, 0.0, 0.0)
    normal: Vector = (0.0, 0.0, 1.0)
    extent: tuple[Limit, Limit] = (float("inf"), float("inf"))
    thickness: Limit = float("inf")
    friction: NonNegative = 0.6
    stiffness: Positive = 1.0e8
    damping_time: NonNegative = 0.005
    color: Vector = (0.55, 0.57, 0.53)

    @property
    def is_ground(self) -> bool:
        """Return True if the surface is level and without end."""
        return math.isinf(min(self.extent)) and self.normal[0] == self.normal[1] == 0.0

    def __post_init__(self) -> None:
        if not any(self.normal):
            raise ValueError("normal can't be zero")
