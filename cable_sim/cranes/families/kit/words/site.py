"""Surroundings of a crane of parts: ground, platforms, stacks of containers."""

import math
from dataclasses import replace

from cable_sim.cranes.container.stacks import Stack
from cable_sim.cranes.rigging.rig import Ground, Pair, Platform
from cable_sim.spec import Obstacle, Surface, Visual
from cable_sim.spec.quantities import Real, spec

GROUND_THICKNESS = 2.0
"""Thickness of ground that has ends [m]."""


@spec
class KitSite:
    """Surroundings of the crane.

    Parameters
    ----------
    ground: what the load stands on; the tops of platforms and stacks are like it.
    platforms: blocks with a level top, to land on.
    level: height of the ground in the world [m]; platforms and stacks stand on one at 0.
    ends: of the ground along x and along y [m], such as at a quay; left out, it has none.
    stacks: containers that stand there, to land on.
    """

    ground: Ground = Ground()
    platforms: tuple[Platform, ...] = ()
    level: Real = 0.0
    ends: tuple[Pair, Pair] | None = None
    stacks: tuple[Stack, ...] = ()

    @property
    def tops(self) -> tuple[Platform, ...]:
        """All that has a top to stand on, beside the ground."""
        stacks = (stack.platform(i) for i, stack in enumerate(self.stacks))
        return (*stacks, *self.platforms)

    def support_height(self, x: float, y: float) -> float:
        """Return the height of the highest top below a point in plan [m].

        Beyond the ends of the ground, and of all tops, it is minus infinity.
        """
        sides = zip((x, y), self.ends, strict=True) if self.ends else ()
        beyond = any(not low <= at <= high for at, (low, high) in sides)
        heights = [-math.inf if beyond else self.level]
        for top in self.tops:
            cx, cy = top.centre
            a, b = top.size
            if abs(x - cx) <= 0.5 * a and abs(y - cy) <= 0.5 * b:
                heights.append(top.height)
        return max(heights)

    def obstacles(self) -> tuple[Obstacle, ...]:
        """Return the platforms that catch ropes."""
        return tuple(
            Obstacle(f"{platform.name}_block", stops_bodies=False, **platform.block)
            for platform in self.platforms
            if platform.catches_ropes
        )

    def surfaces(self) -> tuple[Surface, ...]:
        """Return the ground, and the top of each stack and platform."""
        ground = Surface(
            point=(0.0, 0.0, self.level),
            friction=self.ground.friction,
            stiffness=self.ground.stiffness,
            damping_time=self.ground.damping_time,
            color=self.ground.color,
        )
        if self.ends:
            (a, b), (c, d) = self.ends
            middle = (0.5 * (a + b), 0.5 * (c + d), self.level)
            half = (0.5 * (b - a), 0.5 * (d - c))
            ground = replace(ground, point=middle, extent=half, thickness=GROUND_THICKNESS)
        tops = (
            replace(
                ground,
                name=top.name,
                point=(*top.centre, top.height),
                extent=(0.5 * top.size[0], 0.5 * top.size[1]),
                thickness=top.depth,
                color=top.color,
            )
            for top in self.tops
        )
        return (ground, *tops)

    def visuals(self) -> tuple[Visual, ...]:
        """Return the look of stacks and platforms, but for those that are obstacles."""
        stacks = (shown for i, stack in enumerate(self.stacks) for shown in stack.visuals(i))
        platforms = (
            Visual(f"{platform.name}_block", **platform.block)
            for platform in self.platforms
            if not platform.catches_ropes
        )
        return (*stacks, *platforms)

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
