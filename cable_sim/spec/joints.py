"""Joints between two bodies, or a body and the world."""

import math
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, StrictBool

from cable_sim.spec.quantities import WORLD, Bound, Many, Name, NonNegative, Real, Vector, spec

Six = Annotated[Many[NonNegative], Field(min_length=6, max_length=6)]
Wrench = Annotated[Many[Real], Field(min_length=6, max_length=6)]

MOST_TURN = 0.2
"""Largest turn that a joint is bent by [rad]; its moment is 3 % less than compliance says then."""


@spec
class Joint:
    """A joint, placed in the world as the bodies stand at the start.

    Parameters
    ----------
    name: unique name.
    kind: ``fixed``, ``hinge`` (turns about the axis), ``prismatic`` (slides along it) or ``ball``.
    child, parent: names of bodies; the parent may be ``world``. The coordinate is that of the child
        relative to the parent.
    point: of the joint, in the world at the start [m].
    axis: of a hinge or prismatic joint, in the world at the start; its length does not matter.
    position: what the coordinate reads at the start [rad or m].
    lower, upper: end stops of the coordinate [rad or m]; infinite means none.
    across: direction that the first of its axes across leans to, in the world [-]; left
        out, the world axis farthest from ``axis``. Six compliances, and ``exerts``,
        need it.
    compliance: [m/N] and [rad/(N m)] of the directions that the joint holds; zero is rigid. A fixed
        joint may have six numbers: along its two axes across and along ``axis``, then about them.
    exerts: on the child at the start, along and about the same axes [N, N m]; of a fixed joint with
        compliance, which is bent so far then. Left out, nothing.
    damping_time: ratio of damping to stiffness of those directions [s].
    open: True starts it unlocked: it holds nothing until ``Simulator.lock`` latches it. No drive
        may act on it.
    rail: of a prismatic joint, points of two or more bodies in their frames [m], in order along the
        axis: it runs past them as these bodies bend apart (``Beam.rail``). The parent is one of
        them. Left out, it runs along the parent alone.
    seat: of a fixed or ball joint that starts open, the point of the child, in its frame [m], that
        belongs on ``point``; left out, the one that is there at the start.
    stiffness: of a spring on the coordinate [N/m or N m/rad].
    damping: viscous friction on the coordinate, with or without a spring [N s/m or N m s/rad]; of a
        ball joint, about every axis.
    dry_friction: Coulomb's friction on the coordinate [N or N m]: it holds up to this at rest, and
        brakes with it in motion.
    rest: coordinate at which the spring pulls on nothing [rad or m].
    stop_compliance: of buffers that begin at the end stops [m/N or rad/(N m)]; 0 is a hard stop.
    stop_damping_time: ratio of damping to stiffness of the buffers [s]; they press only.
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
    across: Vector | None = None
    compliance: NonNegative | Six = 0.0
    exerts: Wrench | None = None
    damping_time: NonNegative = 0.0
    open: StrictBool = False
    rail: Many[tuple[str, Vector]] = ()
    seat: Vector | None = None
    stiffness: NonNegative = 0.0
    damping: NonNegative = 0.0
    dry_friction: NonNegative = 0.0
    rest: Real = 0.0
    stop_compliance: NonNegative = 0.0
    stop_damping_time: NonNegative = 0.0

    @property
    def has_coordinate(self) -> bool:
        """Return True if one free direction of the joint can be driven, measured and stopped."""
        return self.kind in ("hinge", "prismatic")

    @property
    def stops(self) -> bool:
        """Return True if the range of the joint has an end."""
        return self.has_coordinate and (math.isfinite(self.lower) or math.isfinite(self.upper))

    def __post_init__(self) -> None:
        if self.child == self.parent:
            raise ValueError(f"child and parent are the same body {self.child!r}")
        if not any(self.axis):
            raise ValueError(f"axis: {self.axis} is no direction; it can't be zero")
        if not self.lower <= self.position <= self.upper:
            raise ValueError(
                f"position {self.position} is outside the end stops {self.lower} ... {self.upper}"
            )
        if self.seat is not None and (not self.open or self.has_coordinate):
            raise ValueError(
                "seat: only a fixed or ball joint that starts open has one; others join the "
                "bodies where they are"
            )
        if self.stiffness and not self.has_coordinate:
            raise ValueError(
                f"stiffness: {self.stiffness:g} is a spring's on the coordinate, which a "
                f"{self.kind} joint has not; give compliance"
            )
        if self.damping and self.kind == "fixed":
            raise ValueError(
                f"damping: {self.damping:g} is friction in motion, which a fixed joint has not; "
                "give damping_time"
            )
        if self.dry_friction and not self.has_coordinate:
            raise ValueError(
                f"dry_friction: {self.dry_friction:g} acts on the coordinate of a hinge or "
                f"prismatic joint, which a {self.kind} joint has not; a ball joint may have damping"
            )
        if (self.stop_compliance or self.stop_damping_time) and not self.stops:
            raise ValueError(
                "stop_compliance, stop_damping_time: belong to end stops; give lower or upper"
            )
        self._check_rail()
        self._check_compliance()

    def _check_rail(self) -> None:
        if not self.rail:
            return
        names = [name for name, _ in self.rail]
        if self.kind != "prismatic" or self.open:
            raise ValueError(
                f"rail: a {'open ' * self.open}{self.kind} joint has none; a prismatic one has"
            )
        if len(set(names)) < max(2, len(names)) or self.child in names:
            raise ValueError(f"rail: {names}; allowed are two or more bodies, not {self.child!r}")
        if self.parent not in names:
            raise ValueError(f"parent: {self.parent!r} is not one of the rail's bodies {names}")

    def _check_compliance(self) -> None:
        six = not isinstance(self.compliance, float)
        if self.across is not None and not np.cross(self.across, self.axis).any():
            raise ValueError(f"across: {self.across} is along the axis or zero")
        if self.kind != "fixed" and six:
            raise ValueError(f"compliance: a {self.kind} joint has one number; a fixed one, six")
        if self.exerts and (self.kind != "fixed" or self.open or not np.all(self.compliance)):
            raise ValueError(
                f"exerts: a {'open ' * self.open}{self.kind} joint of compliance "
                f"{self.compliance} is not bent by it; a locked fixed one is, with compliance in "
                "all directions"
            )
        if self.across is None and (six or self.exerts):
            raise ValueError("across: is missing; compliance of six numbers and exerts need it")
        bent = np.multiply(self.compliance, self.exerts) if self.exerts else np.zeros(6)
        if (turn := np.linalg.norm(bent[3:])) > MOST_TURN:
            raise ValueError(
                f"exerts: {self.exerts} turns it by {turn:.3g} rad; allowed are {MOST_TURN:g}"
            )
