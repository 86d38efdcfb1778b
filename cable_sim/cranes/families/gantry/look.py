"""Look of a gantry crane for containers: portal, trolley with cab, head block, spreader.

For display only.

Viewers draw the drum and the trolley sheaves at their nodes; wheels with two tangent points stand
here.
"""

from collections.abc import Iterator

from cable_sim.cranes.families.gantry.quay_look import quay_visuals
from cable_sim.cranes.families.gantry.spec import GantryCrane
from cable_sim.cranes.families.gantry.yard_look import container_frame, yard_visuals
from cable_sim.cranes.parts.drawn import (
    DARK,
    FACING,
    GLASS,
    STEEL,
    WHITE,
    YELLOW,
    Bar,
    bars,
    box,
    wheel,
)
from cable_sim.spec import Visual

GIRDER = (0.75, 1.45)
"""Width and height of a girder [m]."""
RAIL = -0.70
"""Top of the rails on the girders, above the trolley sheaves [m]."""
CLEARANCE = 0.55
"""Clearance between the ropes of the trolley and a girder's side [m]."""
WHEEL_RADIUS = 0.75
WHEEL_WIDTH = 0.50
SILL = 2.10
"""Height of the sill beams above the ground [m]."""
OVERHANG = 1.2
"""Overhang of the girders beyond the legs [m]."""
DECK = 2.6
"""Half length of the trolley along the girders [m]."""


def gantry_visuals(spec: GantryCrane) -> tuple[Visual, ...]:
    """Everything to look at, attached to ``world``, ``gantry``, ``trolley``, ``spreader`` and
    ``container``."""
    portal = (
        quay_visuals(spec) if spec.crane.type == "sts" else (*_legs(spec), *_running_gear(spec))
    )
    return (
        *yard_visuals(spec),
        *portal,
        *_girders(spec),
        *_trolley(spec),
        *_cab(),
        *_head_block(spec),
        *_spreader(spec),
        *_container(spec),
    )


def girder_y(spec: GantryCrane) -> float:
    """Distance of a girder's middle from the middle of the trolley [m]."""
    reeving = spec.reeving
    return (
        0.5 * (reeving.trolley_spacing[1] + reeving.sheave_diameter) + CLEARANCE + 0.5 * GIRDER[0]
    )


def _legs(spec: GantryCrane) -> Iterator[Visual]:
    """Four legs, which lean together along the runway, on sill beams."""
    top = RAIL - GIRDER[1]
    foot = SILL - spec.sheave_height
    side = 0.5 * spec.crane.span
    y = 0.5 * spec.crane.wheel_base
    upper_y = girder_y(spec)
    middle = 0.5 * (top + foot)
    between = 0.5 * (y + upper_y)
    for name, x in (("outer", side), ("inner", -side)):
        for hand, s in (
            ("left", 1.0),
            ("right", -1.0),
        ):  # one by one: URDF draws the box that holds all bars
            yield bars(
                f"leg_{name}_{hand}", "gantry", [((x, s * y, foot), (x, s * upper_y, top))], 0.42
            )
            yield bars(
                f"brace_{name}_{hand}", "gantry", [((x, s * y, foot), (x, 0.0, middle))], 0.16
            )
        yield bars(f"tie_{name}", "gantry", [((x, -between, middle), (x, between, middle))], 0.16)
        yield box(
            f"sill_{name}", "gantry", (0.8, 2.0 * y + 2.4, 0.75), (x, 0.0, foot - 0.2), YELLOW
        )
    yield box("power_pack", "gantry", (1.7, 4.2, 2.1), (side, 0.0, foot + 1.25), WHITE)
    yield box("electrics", "gantry", (1.5, 3.2, 2.1), (-side, 0.0, foot + 1.25), WHITE)
    yield bars("ladder", "gantry", _ladder(side + 0.55, y, foot, top), 0.035, WHITE)


def _ladder(x: float, y: float, foot: float, top: float) -> list[Bar]:
    """Two stiles and rungs, beside a leg."""
    stiles: list[Bar] = [((x, y + s, foot), (x, y + s, top + GIRDER[1])) for s in (-0.25, 0.25)]
    count = int((top + GIRDER[1] - foot) / 0.6)
    return stiles + [
        ((x, y - 0.25, foot + 0.6 * i), (x, y + 0.25, foot + 0.6 * i)) for i in range(1, count)
    ]


def _running_gear(spec: GantryCrane) -> Iterator[Visual]:
    """Four wheels at each corner, in twos."""
    axle = WHEEL_RADIUS - spec.sheave_height
    for i, x in enumerate((0.5 * spec.crane.span, -0.5 * spec.crane.span)):
        for k, y in enumerate((0.5 * spec.crane.wheel_base, -0.5 * spec.crane.wheel_base)):
            yield box(f"bogie_{i}_{k}", "gantry", (0.35, 2.4, 0.45), (x, y, axle + 0.35), DARK)
            for n, along in enumerate((0.85, -0.85)):
                for m, across in enumerate((0.45, -0.45)):
                    at = (x + across, y + along, axle)
                    name = f"{i}_{k}_{n}_{m}"
                    yield wheel(
                        f"tyre_{name}", "gantry", WHEEL_RADIUS, WHEEL_WIDTH, at, DARK, FACING
                    )
                    yield wheel(
                        f"rim_{name}",
                        "gantry",
                        0.45 * WHEEL_RADIUS,
                        1.04 * WHEEL_WIDTH,
                        at,
                        WHITE,
                        FACING,
                    )


def _girders(spec: GantryCrane) -> Iterator[Visual]:
    """Two box girders with rails and handrails, tied at their ends."""
    first, last = spec.crane.reach
    y = girder_y(spec)
    length = last - first + 2.0 * OVERHANG
    along = 0.5 * (first + last)
    middle = RAIL - 0.5 * GIRDER[1]
    for name, sign in (("left", 1.0), ("right", -1.0)):
        yield box(f"girder_{name}", "gantry", (length, *GIRDER), (along, sign * y, middle), YELLOW)
        yield box(
            f"rail_{name}", "gantry", (length, 0.10, 0.12), (along, sign * y, RAIL + 0.06), STEEL
        )
        edge = sign * (y + 0.5 * GIRDER[0] + 0.45)
        yield bars(
            f"handrail_{name}", "gantry", _handrail(along, 0.5 * length, edge, RAIL), 0.03, WHITE
        )
        yield box(
            f"walkway_{name}",
            "gantry",
            (length, 0.8, 0.05),
            (along, edge - 0.35 * sign, RAIL),
            STEEL,
        )
    for name, sign in (("outer", 1.0), ("inner", -1.0)):
        at = (along + 0.5 * sign * (length - 0.5), 0.0, middle)
        yield box(f"end_tie_{name}", "gantry", (0.5, 2.0 * y, 0.8), at, YELLOW)


def _handrail(middle: float, half: float, y: float, base: float) -> list[Bar]:
    """Posts and two rails along the girders."""
    count = max(2, round(half))
    posts = [middle - half + 2.0 * half * i / count for i in range(count + 1)]
    rail: list[Bar] = [
        ((middle - half, y, base + z), (middle + half, y, base + z)) for z in (0.55, 1.1)
    ]
    return rail + [((x, y, base), (x, y, base + 1.1)) for x in posts]


def _trolley(spec: GantryCrane) -> Iterator[Visual]:
    """A frame round the ropes, on four wheels, with motor and switchgear."""
    y = girder_y(spec)
    low = RAIL + 0.55
    for i, x in enumerate((DECK - 0.15, -DECK + 0.15)):
        yield box(f"trolley_cross_{i + 1}", "trolley", (0.3, 2.0 * y, 0.4), (x, 0.0, low), DARK)
        for k, sign in enumerate((1.0, -1.0)):
            at = (x - 0.3 * x / DECK, sign * y, RAIL + 0.32)
            yield wheel(f"trolley_wheel_{i}_{k}", "trolley", 0.24, 0.16, at, STEEL)
    for name, sign in (("left", 1.0), ("right", -1.0)):
        yield box(
            f"trolley_side_{name}",
            "trolley",
            (2.0 * DECK, 0.3, 0.4),
            (0.0, sign * (y - 0.05), low),
            DARK,
        )
    x = 0.5 * spec.reeving.trolley_spacing[0]
    for i, sign in enumerate((1.0, -1.0)):
        at = (sign * (x + 0.28), 0.0, low)
        yield box(f"sheave_beam_{i + 1}", "trolley", (0.16, 2.0 * y, 0.3), at, DARK)
    yield box("hoist_motor", "trolley", (0.8, 0.7, 0.7), (-x - 1.2, 0.0, 0.1), STEEL)
    yield box(
        "trolley_switchgear", "trolley", (1.0, 2.2, 1.5), (DECK - 0.6, y - 1.4, low + 0.95), WHITE
    )


def _cab() -> Iterator[Visual]:
    """The driver's cab below the trolley, outward of the ropes, looking at the spreader."""
    yield box("cab", "trolley", (1.25, 1.7, 2.0), (2.2, 0.0, -2.15), WHITE)
    yield box("cab_glass", "trolley", (0.5, 1.74, 1.3), (1.85, 0.0, -2.35), GLASS)
    hangers: list[Bar] = [((x, y, -1.2), (x, y, -0.2)) for x in (1.75, 2.45) for y in (-0.7, 0.7)]
    yield bars("cab_hangers", "trolley", hangers, 0.06, DARK)


def _head_block(spec: GantryCrane) -> Iterator[Visual]:
    """A frame with a sheave at each corner, which holds the spreader."""
    height = spec.rig.spreader.height
    axle = height - spec.spreader_centre
    radius = 0.5 * spec.reeving.sheave_diameter
    x, y = (0.5 * side for side in spec.reeving.head_block_spacing)
    low = axle - radius - 0.25
    yield box(
        "head_block", "spreader", (2.0 * x + 0.4, 2.0 * y + 1.0, 0.4), (0.0, 0.0, low), YELLOW
    )
    for i, (a, b) in enumerate(((x, y), (-x, y), (-x, -y), (x, -y)), start=1):
        yield wheel(f"head_block_sheave_{i}", "spreader", radius, 0.14, (a, b, axle), STEEL, FACING)
        for k, beside in enumerate((0.12, -0.12)):
            cheek = (0.04, 0.5, radius + 0.35)
            yield box(
                f"cheek_{i}_{k}",
                "spreader",
                cheek,
                (a + beside, b, axle - 0.5 * radius - 0.05),
                DARK,
            )


def _spreader(spec: GantryCrane) -> Iterator[Visual]:
    """Main beams along the runway, end beams with twistlocks; one that touches anything is a
    box."""
    if spec.rig.load is None or spec.rig.twistlocks:
        return
    width, length = spec.rig.spreader.size
    low = -spec.spreader_centre
    for i, x in enumerate((0.45, -0.45)):
        yield box(
            f"spreader_beam_{i + 1}",
            "spreader",
            (0.35, length - 0.3, 0.45),
            (x, 0.0, low + 0.42),
            YELLOW,
        )
    for i, sign in enumerate((1.0, -1.0)):
        end = sign * (0.5 * length - 0.2)
        yield box(
            f"end_beam_{i + 1}", "spreader", (width, 0.4, 0.4), (0.0, end, low + 0.35), YELLOW
        )
        for k, side in enumerate((1.0, -1.0)):
            at = (side * (0.5 * width - 0.15), end, low + 0.10)
            yield box(f"twistlock_{i}_{k}", "spreader", (0.3, 0.3, 0.2), at, STEEL)


def _container(spec: GantryCrane) -> Iterator[Visual]:
    """Frame and ribs of the container that hangs there."""
    if spec.rig.load is not None:
        yield from container_frame("container", "container", spec.rig.load.size)
