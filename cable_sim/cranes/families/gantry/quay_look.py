"""Look of a ship-to-shore crane below and above its girders, and of the ship.

For display only.
"""

from collections.abc import Iterator

from cable_sim.cranes.families.gantry.spec import GantryCrane
from cable_sim.cranes.families.gantry.surroundings import SIDE, Quay
from cable_sim.cranes.parts.drawn import DARK, GLASS, STEEL, WHITE, YELLOW, Bar, bars, box
from cable_sim.spec import Polyhedron, Visual
from cable_sim.spec.quantities import Vector

MAST = 24.0
"""Height of the A-frame above the trolley sheaves [m]."""
HEAD = 3.5
"""Height of the beams over the legs above the trolley sheaves [m]: the trolley runs below them."""
HULL = (0.20, 0.24, 0.30)
WATER = (0.18, 0.32, 0.42)
BAY = 7.5
"""Half length of the open hold along the ship [m]: a container's, and room to land it."""
DECK = 4.0
"""Height of the ship's deck [m]."""
RED = (0.62, 0.16, 0.13)
SEA = 3000.0
"""Width of the water beyond ship and quay, and of the land behind it [m]: to the horizon."""
LAND = (0.68, 0.67, 0.64)
CURB = 0.35
"""Height of the quay above the land around it [m]."""
PLATING = 1.0
"""Depth of the keel below the floor of the hold [m]."""
WATERLINE = 0.9
"""Height of the painted line where the ship floats [m]."""
SKIN = 0.06
"""Distance of paint and panes from what they are on [m]: enough not to flicker."""


def quay_visuals(spec: GantryCrane) -> tuple[Visual, ...]:
    """Legs, portal, A-frame with stays, wheels, attached to ``gantry``; quay wall, water and ship
    to ``world``."""
    return (*_legs(spec), *_frame(spec), *_running_gear(spec), *_waterside(spec))


def _legs(spec: GantryCrane) -> Iterator[Visual]:
    """Four upright legs, wide enough apart for a container to pass, with portal beams and a
    brace."""
    side = 0.5 * spec.crane.span
    y = 0.5 * spec.crane.wheel_base
    foot = 1.6 - spec.sheave_height
    beam = foot + 0.42 * spec.crane.lift_height
    for name, x in (("water", side), ("land", -side)):
        for hand, s in (("left", 1.0), ("right", -1.0)):
            yield bars(f"leg_{name}_{hand}", "gantry", [((x, s * y, foot), (x, s * y, HEAD))], 0.6)
        yield bars(f"head_{name}", "gantry", [((x, -y, HEAD), (x, y, HEAD))], 0.5)
        yield box(f"sill_{name}", "gantry", (1.2, 2.0 * y + 4.0, 1.4), (x, 0.0, foot - 0.4), YELLOW)
    for hand, s in (("left", 1.0), ("right", -1.0)):
        yield bars(
            f"portal_beam_{hand}", "gantry", [((-side, s * y, beam), (side, s * y, beam))], 0.5
        )
        yield bars(f"brace_{hand}", "gantry", [((-side, s * y, beam), (side, s * y, -2.0))], 0.3)


def _frame(spec: GantryCrane) -> Iterator[Visual]:
    """The A-frame over the water side legs, and the stays that hold boom and backreach."""
    side = 0.5 * spec.crane.span
    y = 0.5 * spec.crane.wheel_base
    first = spec.crane.reach[0]
    top = (0.5 * spec.crane.span - 2.0, 0.0, MAST)
    masts: list[Bar] = [((side, s * y, HEAD), top) for s in (1.0, -1.0)]
    yield bars("a_frame", "gantry", masts, 0.4)
    yield bars("a_frame_back", "gantry", [((-side, s * y, HEAD), top) for s in (1.0, -1.0)], 0.25)
    reach = spec.crane.outreach
    stays: list[Bar] = [
        (top, (side + share * reach, s * 3.0, -0.7)) for share in (0.45, 0.9) for s in (1.0, -1.0)
    ]
    stays += [(top, (first + 2.0, s * 3.0, -0.7)) for s in (1.0, -1.0)]
    yield bars("stays", "gantry", stays, 0.12, STEEL)
    yield box("machinery_house", "gantry", (9.0, 6.0, 4.0), (-side - 1.0, 0.0, HEAD + 2.5), WHITE)


def _running_gear(spec: GantryCrane) -> Iterator[Visual]:
    """A bogie at each corner, and the two rails on the quay."""
    low = 0.5 - spec.sheave_height
    for name, x in (("water", 0.5 * spec.crane.span), ("land", -0.5 * spec.crane.span)):
        for hand, s in (("left", 1.0), ("right", -1.0)):
            at = (x, 0.5 * s * spec.crane.wheel_base, low)
            yield box(f"bogie_{name}_{hand}", "gantry", (0.9, 7.0, 0.9), at, DARK)
        first, last = spec.crane.runway
        length = last - first + spec.crane.wheel_base
        yield box(
            f"crane_rail_{name}",
            "world",
            (0.15, length, 0.10),
            (x, 0.5 * (first + last), 0.05),
            STEEL,
        )


def _waterside(spec: GantryCrane) -> Iterator[Visual]:
    """The land up to the wall of the quay, the water, and the ship on it."""
    quay = spec.site.quay
    if quay is None:
        return
    end = 0.5 * quay.length + SEA
    keel = quay.hold - PLATING
    yield _block("land", (quay.back - SEA, -end, keel), (quay.edge, end, -CURB), LAND)
    yield from _water(quay)
    yield from _hull(quay)
    yield from _superstructure(quay)


def _water(quay: Quay) -> Iterator[Visual]:
    """Blocks of water around the ship, down to its keel: inside of the hold there is none."""
    near = quay.edge + SIDE
    far = near + quay.beam
    end = 0.5 * quay.length + SEA
    stern = _half_length(quay)
    keel = quay.hold - PLATING
    for name, low, high in (
        ("near", (quay.edge, -end), (near, end)),
        ("far", (far, -end), (far + SEA, end)),
        ("fore", (near, -end), (far, -stern)),
        ("aft", (near, stern), (far, end)),
    ):
        yield _block(f"water_{name}", (*low, keel), (*high, quay.water), WATER)


def _hull(quay: Quay) -> Iterator[Visual]:
    """The hull with a pointed bow towards -y, open over its hold, and a line where it floats."""
    near = quay.edge + SIDE
    far = near + quay.beam
    stern = _half_length(quay)
    keel = quay.hold - PLATING
    line = quay.water + WATERLINE
    yield _block("hull_fore", (near, -stern, keel), (far, -BAY, DECK), HULL)
    yield _block("hull_aft", (near, BAY, keel), (far, stern, DECK), HULL)
    yield _bow("hull_bow", quay, keel, DECK, 0.0, HULL)
    yield _bow("waterline_bow", quay, quay.water, line, SKIN, RED)
    for name, x, out in (("near", near, -1.0), ("far", far, 1.0)):
        plate = (min(x, x - 0.4 * out), max(x, x - 0.4 * out))
        yield _block(f"hull_side_{name}", (plate[0], -BAY, keel), (plate[1], BAY, DECK), HULL)
        paint = (x - SKIN, x + SKIN)
        yield _block(
            f"waterline_{name}", (paint[0], -stern, quay.water), (paint[1], stern, line), RED
        )


def _bow(name: str, quay: Quay, low: float, high: float, out: float, color: Vector) -> Visual:
    """The part of the bow between two heights, ``out`` [m] beyond the hull."""
    middle = quay.edge + SIDE + 0.5 * quay.beam
    side = 0.5 * quay.beam + out
    shoulder = -_half_length(quay)
    tip = shoulder - 0.4 * quay.beam - out
    plan = ((middle - side, shoulder), (middle, tip), (middle + side, shoulder))
    corners = tuple((x, y, z) for x, y in plan for z in (low, high))
    return Visual(name, Polyhedron(corners), color=color)


def _superstructure(quay: Quay) -> Iterator[Visual]:
    """Cabins, bridge and funnel at the stern, below the crane's boom."""
    middle = quay.edge + SIDE + 0.5 * quay.beam
    aft = _half_length(quay) - 7.0
    wide = 0.4 * quay.beam
    house = DECK + 14.0
    yield _block("cabins", (middle - wide, aft - 5.0, DECK), (middle + wide, aft, house), WHITE)
    bridge = (0.5 * quay.beam, house + 2.6)
    yield _block(
        "bridge",
        (middle - bridge[0], aft - 4.0, house),
        (middle + bridge[0], aft, bridge[1]),
        WHITE,
    )
    yield _block(
        "bridge_windows",
        (middle - bridge[0] + 0.5, aft - 4.0 - SKIN, house + 1.0),
        (middle + bridge[0] - 0.5, aft - 3.5, house + 2.0),
        GLASS,
    )
    yield _block("funnel", (middle - 2.5, aft + 1.0, DECK), (middle + 2.5, aft + 6.0, house), RED)


def _half_length(quay: Quay) -> float:
    """Half the length [m] of the ship's straight sides."""
    return 0.3 * quay.length


def _block(name: str, low: Vector, high: Vector, color: Vector) -> Visual:
    """A block in the world between two opposite corners [m]."""
    size = (high[0] - low[0], high[1] - low[1], high[2] - low[2])
    at = (0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2]))
    return box(name, "world", size, at, color)
