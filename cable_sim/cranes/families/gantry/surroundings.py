"""Surroundings of a gantry crane for containers: stacks on the ground, or a quay and a ship."""

import dataclasses
from typing import Annotated

from pydantic import Field, model_validator

from cable_sim.cranes.rigging.rig import CONCRETE, Ground, Pair, Platform, Site
from cable_sim.spec import Surface
from cable_sim.spec.quantities import Name, NonNegative, Positive, Real, spec

CONTAINER = (2.44, 12.19, 2.90)
"""Outer size of a 40 ft high cube container (ISO 668): along the girders, along the runway, height
[m]."""
SIDE = 2.0
"""Distance from the quay's edge to the ship, where fenders are [m]."""


@spec
class Stack:
    """Containers one on top of the other.

    Parameters
    ----------
    name: unique name.
    xy: its centre in the world [m].
    tiers: how many.
    base: height of what they stand on, such as a ship's deck [m].
    """

    name: Name
    xy: Pair
    tiers: Annotated[int, Field(strict=True, ge=1, le=9)] = 1
    base: NonNegative = 0.0

    @property
    def platform(self) -> Platform:
        """Return the top of the stack, on which a load can stand."""
        return Platform(
            self.name, size=CONTAINER[:2], height=self.base + self.tiers * CONTAINER[2], xy=self.xy
        )


@spec
class Quay:
    """The end of the ground, where a ship lies; loads can stand on the quay, on stacks, and in the
    ship's hold.

    Parameters
    ----------
    edge: x of the quay's edge [m].
    back: x where the quay ends on land [m].
    length: of quay and hold along y [m].
    hold: height of the floor of the ship's hold [m], below the quay.
    beam: width of the ship [m].
    water: height of the water [m]; for drawing.
    """

    edge: Real
    back: Real
    hold: Annotated[float, Field(strict=True, lt=0.0)]
    length: Positive = 150.0
    beam: Positive = 46.0
    water: Real = -3.0

    @model_validator(mode="after")
    def _check_consistency(self) -> "Quay":
        if not self.back < self.edge:
            raise ValueError(f"back: must be below the edge, {self.edge:g}, not {self.back:g}")
        return self


@spec
class Yard:
    """Surroundings of the crane; with a ``quay`` the ground ends there."""

    ground: Ground = Ground()
    stacks: tuple[Stack, ...] = ()
    quay: Quay | None = None

    @property
    def site(self) -> Site:
        """Ground and tops of the stacks."""
        return Site(self.ground, tuple(stack.platform for stack in self.stacks))

    def support_height(self, x: float, y: float) -> float:
        """Height of the highest support below a point in plan [m]."""
        top = self.site.support_height(x, y)
        return self.quay.hold if self.quay and top == 0.0 and x > self.quay.edge else top

    def surfaces(self) -> tuple[Surface, ...]:
        """The ground, or quay and hold, and then the top of each stack."""
        ground, *tops = self.site.surfaces()
        quay = self.quay
        if quay is None:
            return (ground, *tops)
        land = dataclasses.replace(
            ground,
            point=(0.5 * (quay.back + quay.edge), 0.0, 0.0),
            extent=(0.5 * (quay.edge - quay.back), 0.5 * quay.length),
            thickness=2.0,
            color=CONCRETE,
        )
        hold = dataclasses.replace(
            ground,
            name="hold",
            point=(quay.edge + SIDE + 0.5 * quay.beam, 0.0, quay.hold),
            extent=(0.5 * quay.beam, 0.5 * quay.length),
            thickness=2.0,
            color=(0.45, 0.25, 0.20),
        )
        return (land, *tops, hold)
