"""Surroundings of a crane of parts: ground, platforms, stacks of containers."""

import math
from dataclasses import replace

from cable_sim.cranes.container.stacks import Stack
from cable_sim.cranes.rigging.rig import Pair, Platform, Site
from cable_sim.spec import Surface, Visual
from cable_sim.spec.quantities import Real, spec

GROUND_THICKNESS = 2.0
"""Thickness of ground that has ends [m]."""


@spec
class KitSite(Site):
    """Surroundings of the crane.

    Parameters
    ----------
    level: height of the ground in the world [m]; platforms and stacks stand on one at 0.
    ends: of the ground along x and along y [m], such as at a quay; left out, it has none.
    stacks: containers that stand there, to land on.
    """

    level: Real = 0.0
    ends: tuple[Pair, Pair] | None = None
    stacks: tuple[Stack, ...] = ()

    @property
    def tops(self) -> tuple[Platform, ...]:
        """All that has a top to stand on, beside the ground."""
        stacks = (stack.platform(i) for i, stack in enumerate(self.stacks))
        return (*stacks, *self.platforms)

    def support_height(self, x: float, y: float, level: float = 0.0) -> float:
        """Return the height of the highest top below a point in plan [m].

        Beyond the ends of the ground, and of all tops, it is minus infinity.
        """
        sides = zip((x, y), self.ends, strict=True) if self.ends else ()
        beyond = any(not low <= at <= high for at, (low, high) in sides)
        return super().support_height(x, y, -math.inf if beyond else self.level)

    def surfaces(self) -> tuple[Surface, ...]:
        """Return the ground, and the top of each stack and platform."""
        ground, *tops = super().surfaces()
        ground = replace(ground, point=(0.0, 0.0, self.level))
        if self.ends:
            (a, b), (c, d) = self.ends
            middle = (0.5 * (a + b), 0.5 * (c + d), self.level)
            half = (0.5 * (b - a), 0.5 * (d - c))
            ground = replace(ground, point=middle, extent=half, thickness=GROUND_THICKNESS)
        return (ground, *tops)

    def visuals(self) -> tuple[Visual, ...]:
        """Return the look of stacks and platforms."""
        stacks = (shown for i, stack in enumerate(self.stacks) for shown in stack.visuals(i))
        return (*stacks, *super().visuals())

    def __post_init__(self) -> None:
        if self.level and self.tops:
            raise ValueError(f"level: must be 0 with platforms or stacks, not {self.level:g}")
        for low, high in self.ends or ():
            if not low < high:
                raise ValueError(f"ends: must increase, not {low:g} ... {high:g}")
        names = ["ground", *(top.name for top in self.tops)]
        if len(set(names)) < len(names):
            raise ValueError(
                "platforms, stacks: names must differ from each other and from 'ground'"
            )
