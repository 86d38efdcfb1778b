"""Look of a bridge crane: a frame of bars on four posts, the bridge, the trolley.

For display only.
"""

from collections.abc import Iterator

from cable_sim.cranes.families.bridge.spec import BridgeCrane
from cable_sim.cranes.parts.drawn import DARK, STEEL, YELLOW, Bar, bars, box
from cable_sim.spec import Visual

THICKNESS = 0.03
"""Thickness of the bars over the height of the crane [-]."""
ROOM = 0.12
"""Distance from the end of a travel to the frame, over the height of the crane [-]."""


def bench_visuals(spec: BridgeCrane) -> tuple[Visual, ...]:
    """Everything to look at, attached to ``world``, ``bridge`` and ``trolley``."""
    return (*_frame(spec), *_bridge(spec), *_trolley(spec))


def _half_widths(spec: BridgeCrane) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the ends of the frame along x and along y [m]."""
    room = ROOM * spec.crane.height
    crane = spec.crane
    low, high = crane.trolley_travel
    near, far = crane.bridge_travel or (0.0, 0.0)
    return (low - room, high + room), (near - room, far + room)


def _frame(spec: BridgeCrane) -> Iterator[Visual]:
    """Four posts, the rails on them, and what ties their feet."""
    (left, right), (near, far) = _half_widths(spec)
    top = (1.0 + 2.0 * THICKNESS) * spec.crane.height
    radius = THICKNESS * spec.crane.height
    for i, x in enumerate((left, right)):
        for k, y in enumerate((near, far)):
            yield bars(f"post_{i}_{k}", "world", [((x, y, 0.0), (x, y, top))], 0.6 * radius, STEEL)
        yield bars(f"rail_{i}", "world", [((x, near, top), (x, far, top))], 0.6 * radius, STEEL)
        yield bars(f"foot_{i}", "world", [((x, near, 0.0), (x, far, 0.0))], 0.6 * radius, STEEL)
    for k, y in enumerate((near, far)):
        yield bars(f"tie_{k}", "world", [((left, y, top), (right, y, top))], 0.4 * radius, STEEL)


def _bridge(spec: BridgeCrane) -> Iterator[Visual]:
    """Two bars along x, above the trolley, on the bridge or, where it stands, on the frame."""
    (left, right), _ = _half_widths(spec)
    radius = THICKNESS * spec.crane.height
    body, z = (
        ("bridge", radius) if spec.crane.bridge_travel else ("world", spec.crane.height + radius)
    )
    rails: list[Bar] = [
        ((left, s * 1.5 * radius, z), (right, s * 1.5 * radius, z)) for s in (1.0, -1.0)
    ]
    yield bars("bridge_beams", body, rails, 0.5 * radius, YELLOW)


def _trolley(spec: BridgeCrane) -> Iterator[Visual]:
    """A block on the beams, and the motor of the hoist on it."""
    size = THICKNESS * spec.crane.height
    yield box(
        "trolley_plate",
        "trolley",
        (5.0 * size, 5.0 * size, 0.5 * size),
        (0.0, 0.0, 2.0 * size),
        DARK,
    )
    yield box(
        "hoist_motor",
        "trolley",
        (1.5 * size, 3.0 * size, 1.5 * size),
        (-size, 0.0, 3.0 * size),
        STEEL,
    )
