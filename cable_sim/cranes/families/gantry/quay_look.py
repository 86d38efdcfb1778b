"""Look of a ship-to-shore crane below and above its girders, and of the ship.

For display only.
"""

from collections.abc import Iterator

from cable_sim.cranes.families.gantry.spec import GantryCrane
from cable_sim.cranes.families.gantry.surroundings import SIDE
from cable_sim.cranes.parts.drawn import DARK, STEEL, WHITE, YELLOW, Bar, bars, box
from cable_sim.spec import Visual

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
    """The wall of the quay, the water, and the ship: open over its hold, decked fore and aft of
    it."""
    quay = spec.site.quay
    if quay is None:
        return
    deep = -quay.hold
    y = 0.5 * quay.length
    wall = (quay.edge - quay.back, quay.length, deep)
    yield box(
        "quay_wall", "world", wall, (0.5 * (quay.edge + quay.back), 0.0, -0.5 * deep - 0.35), STEEL
    )
    middle = quay.edge + SIDE + 0.5 * quay.beam
    height = DECK + deep + 1.0
    for name, s in (("fore", 1.0), ("aft", -1.0)):
        size = (quay.beam, 0.6 * y - BAY, height)
        at = (middle, 0.5 * s * (0.6 * y + BAY), DECK - 0.5 * height)
        yield box(f"hull_{name}", "world", size, at, HULL)
    for name, x in (("near", middle - 0.5 * quay.beam), ("far", middle + 0.5 * quay.beam)):
        yield box(
            f"hull_side_{name}",
            "world",
            (0.4, 2.0 * BAY, height),
            (x, 0.0, DECK - 0.5 * height),
            HULL,
        )
    far = quay.edge + SIDE + quay.beam
    for name, first, last in (("near", quay.edge, quay.edge + SIDE), ("far", far, far + 12.0)):
        at = (0.5 * (first + last), 0.0, quay.water)
        yield box(f"water_{name}", "world", (last - first, quay.length, 0.1), at, WATER)
