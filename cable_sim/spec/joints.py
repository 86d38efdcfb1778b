"""Joints between two bodies, or a body and the world."""

from typing import Literal

from pydantic import model_validator

from cable_sim.spec.quantities import WORLD, Bound, Name, NonNegative, Real, Vector, spec


@spec
class Joint:
    """A joint, placed in the world as the bodies stand at the start.

    Parameters
    ----------
    name: unique name.
    kind: ``fixed``, ``hinge`` (turns about the axis), ``prismatic`` (slides along it) or ``ball``.
    child, parent: names of bodies; the parent may be ``world``. The coordinate is that of the child relative
        to the parent.
    point: of the joint, in the world at the start [m].
    axis: of a hinge or prismatic joint, in the world at the start; its length does not matter.
    position: what the coordinate reads at the start [rad or m].
    lower, upper: end stops of the coordinate [rad or m]; infinite means none.
    compliance: [m/N] and [rad/(N m)] of the directions that the joint holds; zero is rigid.
    damping_time: ratio of damping to stiffness of those directions [s].
    """

    name: Name
    kind: Literal["fixed", "hinge", "prismatic", "ball"]
    child: str
    parent: str = WORLD
    point: Vector = (0.0, 0.0, 0.0)
    axis: Vector = (0.0, 0.0, 1.0)
    position: Real = 0.0
    lower: Bound = float("-inf")
    upper: Bound = float("inf")
    compliance: NonNegative = 0.0
    damping_time: NonNegative = 0.0

    @property
    def has_coordinate(self) -> bool:
        """Whether the joint leaves one direction free that can be driven, measured and stopped."""
        return self.kind in ("hinge", "prismatic")

    @model_validator(mode="after")
    def _consistent(self) -> "Joint":
        if self.child == self.parent:
            raise ValueError(f"child and parent are the same body {self.child!r}")
        if self.has_coordinate and not any(self.axis):
            raise ValueError("axis can't be zero")
        if not self.lower <= self.position <= self.upper:
            raise ValueError(f"position {self.position} is outside the end stops {self.lower} ... {self.upper}")
        return self
