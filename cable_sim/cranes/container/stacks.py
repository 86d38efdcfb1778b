"""Containers: stacks of them to land on, and how they look.

Looks are for display only.
"""

import functools
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from cable_sim.cranes.parts.drawn import DARK, STEEL, box, box_edges
from cable_sim.cranes.rigging.rig import Pair, Platform
from cable_sim.spec import Segments, Visual
from cable_sim.spec.quantities import Name, NonNegative, Vector, spec

CONTAINER = (2.44, 12.19, 2.90)
"""Outer size of a 40 ft high cube container (ISO 668): across, along, height [m]."""
PAINTS: tuple[Vector, ...] = (
    (0.15, 0.33, 0.52),
    (0.60, 0.22, 0.17),
    (0.22, 0.42, 0.33),
    (0.72, 0.45, 0.16),
    (0.48, 0.50, 0.53),
)
"""Colours of containers, tier by tier."""
POST = 0.16
"""Width of a container's corner posts and castings [m]."""


@spec
class Stack:
    """Containers one on top of the other, with their length along y.

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

    def platform(self, number: int) -> Platform:
        """Return the top of the stack, on which a load can stand; its paint is by the number."""
        height = self.base + self.tiers * CONTAINER[2]
        color = paint(number, self.tiers - 1)
        return Platform(self.name, CONTAINER[:2], height, xy=self.xy, color=color)

    def visuals(self, number: int) -> Iterator[Visual]:
        """Yield the box and the frame of each tier."""
        for tier in range(self.tiers):
            middle = (*self.xy, self.base + (tier + 0.5) * CONTAINER[2])
            name = f"{self.name}_tier_{tier + 1}"
            size = (CONTAINER[0], CONTAINER[1], CONTAINER[2] - 0.04)
            yield box(name, "world", size, middle, paint(number, tier))
            yield from container_frame(name, "world", CONTAINER, middle)


def container_frame(
    name: str, body: str, size: Vector, middle: Vector = (0.0, 0.0, 0.0)
) -> Iterator[Visual]:
    """Yield corner posts, rails and the ribs of the long sides of a container of that size [m],
    along y."""
    edges, ribs = _frame_bars(size)
    yield Visual(f"{name}_edges", edges, body, middle, color=DARK)
    yield Visual(f"{name}_ribs", ribs, body, middle, color=STEEL)


@functools.lru_cache(maxsize=16)
def _frame_bars(size: Vector) -> tuple[Segments, Segments]:
    """Return the edges and ribs of a container of that size about its middle [m].

    They are kept, because a yard has many of one size.
    """
    a, b, c = (0.5 * side for side in size)
    rows = (-b + 0.05 * i * size[1] for i in range(1, 20))
    ribs = [((x, y, -0.92 * c), (x, y, 0.92 * c)) for y in rows for x in (a + 0.01, -a - 0.01)]
    return Segments(box_edges(size), 0.5 * POST), Segments(ribs, 0.035)


def paint(stack: int, tier: int) -> Vector:
    """Return the colour of a container: red, green and blue in 0...1."""
    return PAINTS[(2 * stack + tier) % len(PAINTS)]
