"""Boxes that touch boxes: stacks, cell guides, platforms with sides."""

from collections.abc import Iterable
from typing import Annotated, Any

import numpy as np
from pydantic import Field
from transforms3d.quaternions import quat2mat

from cable_sim.errors import SpecError
from cable_sim.spec.bodies import Body
from cable_sim.spec.obstacles import Obstacle
from cable_sim.spec.quantities import WORLD, Many, Name, NonNegative, Positive, spec
from cable_sim.spec.shapes.shapes import Box


@spec
class BoxContact:
    """A box that may touch other boxes, with dry friction.

    A box is a body whose shape is one, or an obstacle that is one, in the world or on a body. Each
    of the ``others`` makes a pair with twelve rows, which take no part while the two are apart.

    Parameters
    ----------
    box: name of a body or an obstacle; of a body where both have it.
    others: names of those that it may touch.
    friction: Coulomb coefficient [-].
    stiffness: of one touching point [N/m]; there are four at most.
    damping_time: damping over stiffness [s].
    """

    box: Name
    others: Annotated[Many[Name], Field(min_length=1)]
    friction: NonNegative = 0.4
    stiffness: Positive = 1.0e8
    damping_time: NonNegative = 0.005

    def __post_init__(self) -> None:
        twice = [name for i, name in enumerate(self.others) if name in (self.box, *self.others[:i])]
        if twice:
            raise ValueError(f"{self.box!r} touches {twice[0]!r} twice, or itself")


def neighbours(
    boxes: Iterable[Body | Obstacle], within: float = 0.5, **properties: Any
) -> tuple[BoxContact, ...]:
    """Return the contacts of all boxes whose initial bounds are at most ``within`` [m] apart.

    The bounds are along the world's axes. ``boxes`` are bodies and obstacles of the world; two
    obstacles make no contact. ``properties`` are those of :class:`BoxContact`. So the number of
    pairs of a yard is proportional to that of its boxes. A box that is carried about needs contacts
    with all that it may meet.

    Raises SpecError for a body or obstacle that is not a box, and for an obstacle on a body.
    """
    listed = list(boxes)
    bounds = [_bounds(box) for box in listed]
    found = []
    for i, (box, (lower, upper)) in enumerate(zip(listed, bounds, strict=True)):
        near = [
            other.name
            for other, (low, high) in zip(listed[i + 1 :], bounds[i + 1 :], strict=True)
            if (np.maximum(low - upper, lower - high) <= within).all()
            and (isinstance(box, Body) or isinstance(other, Body))
        ]
        if near:
            found.append(BoxContact(box.name, tuple(near), **properties))
    return tuple(found)


def _bounds(box: Body | Obstacle) -> tuple[Any, Any]:
    """Return the least and largest coordinates of a box in the world [m]."""
    if not isinstance(box.shape, Box):
        raise SpecError(f"neighbours: {box.name!r} is not a box")
    if isinstance(box, Obstacle) and box.body != WORLD:
        raise SpecError(
            f"neighbours: obstacle {box.name!r} is on body {box.body!r}; it can be one of the "
            "world only"
        )
    half = np.abs(quat2mat(box.orientation)) @ (
        0.5 * np.array([box.shape.x, box.shape.y, box.shape.z])
    )
    return np.array(box.position) - half, np.array(box.position) + half
