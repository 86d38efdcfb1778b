"""Boxes and containers that stand on one another."""

from cable_sim.errors import SpecError
from cable_sim.scenes.catalogue import scene
from cable_sim.spec import (
    Anchor,
    Body,
    Box,
    BoxContact,
    Cable,
    Drive,
    Drum,
    Motion,
    Scene,
    Surface,
    Winch,
    neighbours,
)
from cable_sim.spec.quantities import Vector
from cable_sim.spec.scene import GRAVITY

CONTAINER = Box(6.058, 2.438, 2.591)
"""Outer dimensions of a container of 20 feet [m] (ISO 668, 1CC)."""
GAP = 0.4
"""Gap between two stacks of containers [m]."""
CREEP = 0.1
SLOW_BELOW = 0.3
"""Speed at which a container is set down [m/s], and height below which it applies [m]."""
RAMP = 1.0
"""Duration of a change of speed [s]."""
PALETTE = (
    (0.62, 0.30, 0.22),
    (0.25, 0.42, 0.58),
    (0.80, 0.62, 0.25),
    (0.35, 0.50, 0.36),
    (0.55, 0.55, 0.60),
)


@scene
def stacked_boxes(
    count: int = 5,
    offset: float = 0.15,
    width: float = 1.0,
    mass: float = 100.0,
    friction: float = 0.4,
) -> Scene:
    """A leaning stack: every box stands off the one below by the same fraction of its width.

    The centre of the n - 1 boxes above the lowest is n / 2 offsets off its middle, so the stack
    stands if ``offset`` is below ``1 / n`` and topples beyond.

    ``count`` of boxes n, ``offset`` of each to the next over the width [-], ``width`` of a box,
    which is half as high [m], ``mass`` of each [kg], ``friction`` between them [-].
    """
    shape = Box(width, width, 0.5 * width)
    bodies = tuple(
        Body(
            f"box_{i + 1}",
            mass,
            shape=shape,
            position=(i * offset * width, 0.0, (0.5 * i + 0.25) * width),
            collides=True,
            color=PALETTE[i % len(PALETTE)],
        )
        for i in range(count)
    )
    names = [body.name for body in bodies]
    pairs = (BoxContact(name, tuple(names[i + 1 :]), friction) for i, name in enumerate(names[:-1]))
    return Scene(
        name="stacked_boxes", bodies=bodies, surfaces=(Surface("ground"),), contacts=tuple(pairs)
    )


@scene
def container_on_stack(
    tiers: int = 2,
    mass: float = 20000.0,
    height: float = 3.0,
    offset: float = 0.03,
    speed: float = 0.5,
) -> Scene:
    """A container on four ropes of one drum is set on a stack, beside another one that is higher
    than it.

    ``tiers`` of the stack, ``mass`` of the container [kg], ``height`` of its underside above the
    stack [m], ``offset`` at which it is set down, along its length [m], ``speed`` at which it is
    lowered but for the last 0.3 m [m/s].
    """
    across = CONTAINER.y + GAP
    stack = [_container(f"tier_{i + 1}", 0.0, 0.0, CONTAINER.z * i) for i in range(tiers)]
    beside = [_container(f"beside_{i + 1}", 0.0, across, CONTAINER.z * i) for i in range(tiers + 1)]
    load = _container("container", offset, 0.0, CONTAINER.z * tiers + height, mass)
    standing = (*stack, *beside)
    return Scene(
        name="container_on_stack",
        bodies=(*standing, load),
        surfaces=(Surface("ground"),),
        contacts=(
            *neighbours(standing),
            BoxContact("container", tuple(body.name for body in standing)),
        ),
        cables=tuple(_falls(load, (offset, 0.0, CONTAINER.z * (tiers + 1) + height))),
        drives=(Drive("hoist", "winch"),),
        motions=(_lowering_motion(height, speed),),
    )


def _container(name: str, x: float, y: float, underside: float, mass: float = 15000.0) -> Body:
    """Return a container; the lowest of a stack touches the ground."""
    number = sum(map(ord, name))
    return Body(
        name,
        mass,
        shape=CONTAINER,
        position=(x, y, underside + 0.5 * CONTAINER.z),
        collides=underside == 0.0,
        color=PALETTE[number % len(PALETTE)],
    )


def _falls(load: Body, top: Vector) -> list[Cable]:
    """Return four upright ropes from the corners of a container to a drum above it."""
    winch = Winch("winch", 20000.0)
    falls = []
    for i in range(4):
        x = (0.5 if i < 2 else -0.5) * CONTAINER.x
        y = (0.5 if i % 2 else -0.5) * CONTAINER.y
        nodes = (
            Drum("world", (top[0] + x, top[1] + y, top[2] + 12.0)),
            Anchor(load.name, (x, y, 0.5 * CONTAINER.z)),
        )
        pull = 0.25 * load.mass * GRAVITY
        falls.append(
            Cable(f"fall_{i + 1}", nodes, ea=2e7, pretension=pull, damping_ratio=0.02, winch=winch)
        )
    return falls


def _lowering_motion(height: float, speed: float) -> Motion:
    """Return a motion that pays out at a speed and finally at creep speed.

    The creeping part is doubled, so that the ropes end up slack.
    """
    fast = height - SLOW_BELOW - 0.5 * RAMP * (2.0 * speed + CREEP)
    if not fast >= 0.0 or speed < CREEP:
        least = SLOW_BELOW + 0.5 * RAMP * (2.0 * speed + CREEP)
        raise SpecError(
            f"container_on_stack: height {height:g} m at speed {speed:g} m/s is not allowed; the "
            f"speed must be at least {CREEP:g} m/s, and the height then {least:g} m"
        )
    waits = (0.0, RAMP, max(fast / speed, 1e-3), RAMP, 2.0 * SLOW_BELOW / CREEP, RAMP)
    times = tuple(sum(waits[: i + 1]) for i in range(len(waits)))
    return Motion("hoist", times, values=(0.0, speed, speed, CREEP, CREEP, 0.0))
