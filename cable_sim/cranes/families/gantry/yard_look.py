"""Look of a container yard: stacks, truck lane, runway.

For display only.
"""

import dataclasses
from collections.abc import Iterator

from cable_sim.cranes.families.gantry.spec import GantryCrane
from cable_sim.cranes.families.gantry.surroundings import CONTAINER, Stack
from cable_sim.cranes.parts.drawn import DARK, STEEL, WHITE, YELLOW, Bar, bars, box, box_edges
from cable_sim.spec import Surface, Visual
from cable_sim.spec.quantities import Vector

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
LANE_WIDTH = 3.2
"""Width of the truck lane [m]; its middle is at the end of the trolley's travel."""
SHOWN = 26.0
"""Length of runway that is drawn [m]; a picture of all of it would show the crane small."""


def yard_surfaces(spec: GantryCrane) -> tuple[Surface, ...]:
    """The ground, and the tops of the stacks in the colours of their uppermost containers."""
    ground, *others = spec.site.surfaces()
    tops = others[: len(spec.site.stacks)]
    rest = others[len(spec.site.stacks) :]
    stacks = enumerate(zip(spec.site.stacks, tops, strict=True))
    return (
        ground,
        *(dataclasses.replace(top, color=paint(i, stack.tiers - 1)) for i, (stack, top) in stacks),
        *rest,
    )


def yard_visuals(spec: GantryCrane) -> tuple[Visual, ...]:
    """Stacks, lane and runway."""
    stacks = (visual for i, stack in enumerate(spec.site.stacks) for visual in _stack(i, stack))
    return (*(_runway(spec) if spec.crane.type == "rtg" else ()), *stacks)


def container_frame(
    name: str, body: str, size: Vector, middle: Vector = (0.0, 0.0, 0.0)
) -> Iterator[Visual]:
    """Corner posts, rails and the ribs of the long sides of a container of that size [m], along
    y."""
    a, b, c = (0.5 * side for side in size)
    x, y, z = middle
    ribs: list[Bar] = []
    for side in (a + 0.01, -a - 0.01):
        for i in range(1, 20):
            along = y - b + 0.05 * i * size[1]
            ribs.append(((x + side, along, z - 0.92 * c), (x + side, along, z + 0.92 * c)))
    yield bars(
        f"{name}_edges", body, box_edges((size[0], size[1], size[2]), middle), 0.5 * POST, DARK
    )
    yield bars(f"{name}_ribs", body, ribs, 0.035, STEEL)


def paint(stack: int, tier: int) -> Vector:
    """Colour of a container."""
    return PAINTS[(2 * stack + tier) % len(PAINTS)]


def _stack(number: int, stack: Stack) -> Iterator[Visual]:
    """The box and the frame of each tier."""
    for tier in range(stack.tiers):
        middle = (*stack.xy, stack.base + (tier + 0.5) * CONTAINER[2])
        name = f"{stack.name}_tier_{tier + 1}"
        size = (CONTAINER[0], CONTAINER[1], CONTAINER[2] - 0.04)
        yield box(name, "world", size, middle, paint(number, tier))
        yield from container_frame(name, "world", CONTAINER, middle)


def _runway(spec: GantryCrane) -> Iterator[Visual]:
    """Concrete strips under the wheels, and the lines of the truck lane."""
    for side, sign in (("outer", 1.0), ("inner", -1.0)):
        at = (0.5 * sign * spec.crane.span, 0.0, 0.01)
        yield box(f"runway_{side}", "world", (2.6, SHOWN, 0.02), at, (0.50, 0.50, 0.48))
    middle = spec.crane.trolley_travel[0] + 0.1 * LANE_WIDTH
    for side, sign, color in (("outer", 1.0, WHITE), ("inner", -1.0, YELLOW)):
        at = (middle + 0.5 * sign * LANE_WIDTH, 0.0, 0.015)
        yield box(f"lane_{side}", "world", (0.15, SHOWN, 0.02), at, color)
