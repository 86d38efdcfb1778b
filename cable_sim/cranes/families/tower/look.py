"""Look of a tower crane: lattice mast and jib, ballast, cab, trolley, hook block.

Only for the eye; nothing here has mass. Proportions are those of a flat-top crane of the 12 t
class. Viewers draw the drum and the sheaves at single points of the path themselves; wheels with
two tangent points stand here.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from cable_sim.cranes.families.tower.reeving import dead_end
from cable_sim.cranes.families.tower.spec import TowerCrane
from cable_sim.cranes.parts.drawn import (
    CONCRETE,
    DARK,
    FACING,
    GLASS,
    STEEL,
    WHITE,
    YELLOW,
    Bar,
    bars,
    box,
    crate,
    hook_bars,
    square_lattice,
    wheel,
)
from cable_sim.spec import Cylinder, Sphere, Visual

RAIL_HEIGHT = 0.35
"""Height of the jib's bottom chords above the level rope [m].

The trolley runs on them, and its sheaves hang below.
"""
RAIL_Y = 0.75
DECK_HEIGHT = -0.45
"""Height of the counter-jib's deck above the level rope [m]; the drum stands on it."""
ORANGE = (0.98, 0.38, 0.05)
MAST_TOP = -1.75
"""Height of the slewing ring's lower edge above the level rope [m]."""


def tower_visuals(spec: TowerCrane) -> tuple[Visual, ...]:
    """Everything to look at, attached to ``world``, ``jib``, ``trolley``, ``hook_block`` and
    ``load``."""
    return (
        *_mast(spec),
        *_jib(spec),
        *_counter_jib(spec),
        *_cab(),
        *_trolley(spec),
        *_hook_block(spec),
        *crate(spec.rig.load.size),
        *_slinger(spec),
    )


def triangle_lattice(
    start: float,
    end: float,
    half_width: float,
    base: float,
    depths: tuple[float, float],
    panel: float = 2.0,
) -> tuple[list[Bar], list[Bar]]:
    """Chords and web of a jib along x: two chords below, one above, zigzag on the sides,
    cross-braced below.

    ``depths`` are the heights of the top chord above the bottom ones at the start and at the end
    [m].
    """
    stations = np.linspace(start, end, max(2, round((end - start) / panel) + 1)).tolist()
    tops = [
        (0.5 * (a + b), 0.0, base + _interpolate(0.5 * (a + b), start, end, depths))
        for a, b in pairwise(stations)
    ]
    left = [(x, half_width, base) for x in stations]
    right = [(x, -half_width, base) for x in stations]
    chords = [(left[0], left[-1]), (right[0], right[-1]), (tops[0], tops[-1])]
    web: list[Bar] = list(zip(left, right, strict=True))
    for i, top in enumerate(tops):
        web += [(left[i], top), (top, left[i + 1]), (right[i], top), (top, right[i + 1])]
        web.append((left[i], right[i + 1]) if i % 2 else (right[i], left[i + 1]))
    return chords, web


def _interpolate(x: float, start: float, end: float, values: tuple[float, float]) -> float:
    """Linear interpolation."""
    return values[0] + (x - start) / (end - start) * (values[1] - values[0])


def _mast(spec: TowerCrane) -> Iterator[Visual]:
    """Foundation and mast, which stand in the world."""
    side = spec.crane.mast_side
    top = spec.sheave_height + MAST_TOP
    chords, web = square_lattice((0.0, 0.0, 0.5), (0.0, 0.0, top), side)
    yield box("foundation", "world", (2.6 * side, 2.6 * side, 0.5), (0.0, 0.0, 0.25), CONCRETE)
    yield bars("mast_chords", "world", chords, 0.10)
    yield bars("mast_web", "world", web, 0.045)


def _jib(spec: TowerCrane) -> Iterator[Visual]:
    """Slewing ring, head and jib."""
    tip = dead_end(spec)
    root = 0.5 * spec.crane.mast_side
    chords, web = triangle_lattice(root, tip, RAIL_Y, RAIL_HEIGHT, (1.70, 1.05))
    yield Visual(
        "slewing_ring", Cylinder(1.2 * root, 0.35), "jib", (0.0, 0.0, MAST_TOP + 0.17), color=STEEL
    )
    yield box(
        "turntable", "jib", (2.2 * root, 2.2 * root, 0.75), (0.0, 0.0, MAST_TOP + 0.72), YELLOW
    )
    yield bars("head", "jib", _head(root), 0.09)
    yield bars("jib_chords", "jib", chords, 0.075)
    yield bars("jib_web", "jib", web, 0.035)
    yield box("jib_tip", "jib", (0.30, 2.0 * RAIL_Y, 0.50), (tip + 0.10, 0.0, 0.15), STEEL)


def _head(root: float) -> list[Bar]:
    """Four posts over the turntable that end in a ridge, and the beams between jib and
    counter-jib."""
    foot = MAST_TOP + 1.05
    ridge = RAIL_HEIGHT + 1.70
    frame: list[Bar] = []
    for x in (root, -root):
        for y in (RAIL_Y, -RAIL_Y):
            frame += [
                ((x, y, foot), (x, y, RAIL_HEIGHT)),
                ((x, y, RAIL_HEIGHT), (0.4 * x, 0.0, ridge)),
            ]
        frame.append(((x, RAIL_Y, RAIL_HEIGHT), (x, -RAIL_Y, RAIL_HEIGHT)))
    frame += [((root, y, RAIL_HEIGHT), (-root, y, RAIL_HEIGHT)) for y in (RAIL_Y, -RAIL_Y)]
    return [
        *frame,
        ((0.4 * root, 0.0, ridge), (-0.4 * root, 0.0, ridge)),
        ((root, 0.0, ridge), (0.4 * root, 0.0, ridge)),
    ]


def _counter_jib(spec: TowerCrane) -> Iterator[Visual]:
    """Deck with handrails and ties, ballast slabs at its end, hoist motor and switchgear."""
    root = -0.5 * spec.crane.mast_side
    end = -spec.crane.counter_jib_length
    stations = np.linspace(root, end, 9).tolist()
    top = DECK_HEIGHT + 1.1
    beams: list[Bar] = [((root, y, DECK_HEIGHT), (end, y, DECK_HEIGHT)) for y in (RAIL_Y, -RAIL_Y)]
    beams += [
        ((0.4 * root, 0.0, RAIL_HEIGHT + 1.70), (0.72 * end, y, DECK_HEIGHT))
        for y in (RAIL_Y, -RAIL_Y)
    ]
    fine: list[Bar] = [((x, -RAIL_Y, DECK_HEIGHT), (x, RAIL_Y, DECK_HEIGHT)) for x in stations]
    fine += [((a, RAIL_Y, DECK_HEIGHT), (b, -RAIL_Y, DECK_HEIGHT)) for a, b in pairwise(stations)]
    for y in (RAIL_Y, -RAIL_Y):
        fine += [((x, y, DECK_HEIGHT), (x, y, top)) for x in stations]
        fine += [((stations[0], y, z), (end, y, z)) for z in (top, 0.5 * (top + DECK_HEIGHT))]
    yield bars("counter_jib", "jib", beams, 0.09)
    yield bars("counter_jib_deck", "jib", fine, 0.025)
    for i in range(4):
        at = (end + 0.6 + 0.85 * i, 0.0, DECK_HEIGHT - 0.95)
        yield box(f"ballast_{i + 1}", "jib", (0.75, 1.30, 2.40), at, CONCRETE)
    drum_x = spec.crane.jib_length - spec.reeving.rope_outside_falls
    yield box(
        "hoist_motor", "jib", (0.9, 0.35, 0.45), (drum_x - 1.0, 0.45, DECK_HEIGHT + 0.25), DARK
    )
    yield box(
        "switchgear",
        "jib",
        (1.6, 0.45, 1.5),
        (0.38 * end, RAIL_Y + 0.25, DECK_HEIGHT + 0.75),
        WHITE,
    )


def _cab() -> Iterator[Visual]:
    """Operator's cab beside the turntable, with a view along the jib."""
    yield box("cab", "jib", (1.70, 1.25, 2.05), (1.75, -1.95, -1.25), WHITE)
    yield box("cab_glass", "jib", (0.95, 1.29, 1.10), (2.16, -1.95, -0.90), GLASS)


def _trolley(spec: TowerCrane) -> Iterator[Visual]:
    """Two cheeks that hold the sheaves, hung from four wheels on the jib's chords."""
    half = 0.5 * spec.reeving.fall_spacing + 0.35
    axle = RAIL_HEIGHT + 0.19
    frame: list[Bar] = []
    for x in (0.8 * half, -0.8 * half):
        for y in (1.0, -1.0):
            frame += [
                ((x, 0.42 * y, 0.05), (x, 0.60 * y, axle)),
                ((x, 0.60 * y, axle), (x, 0.80 * y, axle)),
            ]
        frame.append(((x, -0.60, 0.12), (x, 0.60, 0.12)))
    yield bars("trolley_frame", "trolley", frame, 0.045, DARK)
    for side, y in (("left", 1.0), ("right", -1.0)):
        yield box(
            f"trolley_cheek_{side}",
            "trolley",
            (2.0 * half, 0.05, 0.42),
            (0.0, 0.42 * y, 0.02),
            YELLOW,
        )
        for end, x in (("outer", 0.8 * half), ("inner", -0.8 * half)):
            yield wheel(
                f"trolley_wheel_{side}_{end}", "trolley", 0.11, 0.10, (x, RAIL_Y * y, axle), DARK
            )
    if spec.reeving.n_falls == 4:
        crossing = Cylinder(0.5 * spec.reeving.sheave_diameter, 0.09)
        yield Visual("crossing_sheave", crossing, "trolley", (half - 0.35, 0.0, 0.0), FACING, STEEL)


def _hook_block(spec: TowerCrane) -> Iterator[Visual]:
    """Cheeks round the sheaves, and a hook whose bowl is where the slings hold."""
    axle = spec.reeving.axle_above_block
    radius = 0.5 * spec.reeving.sheave_diameter
    lateral = 0.0 if spec.reeving.n_falls == 2 else radius
    bowl = axle - spec.reeving.hook_below_axle
    for i, y in enumerate(sorted({lateral, -lateral}), start=1):
        yield wheel(f"block_sheave_{i}", "hook_block", radius, 0.09, (0.0, y, axle))
    thick = lateral + 0.085
    size = (2.4 * radius, 0.04, 2.9 * radius)
    for side, y in (("left", thick), ("right", -thick)):
        yield box(f"block_cheek_{side}", "hook_block", size, (0.0, y, axle - 0.5 * radius), DARK)
    stripe = (2.44 * radius, 2.0 * thick + 0.06, 0.5 * radius)
    yield box("block_stripe", "hook_block", stripe, (0.0, 0.0, axle - 1.5 * radius), YELLOW)
    yield bars("hook", "hook_block", hook_bars(bowl, axle - 1.8 * radius), 0.045, DARK)


def _slinger(spec: TowerCrane) -> Iterator[Visual]:
    """A person of 1.75 m in the world, at a corner of the foundation, for scale."""
    x, y = 1.15 * spec.crane.mast_side, -1.15 * spec.crane.mast_side
    yield Visual("slinger_legs", Cylinder(0.14, 0.85), "world", (x, y, 0.925), color=DARK)
    yield Visual("slinger_vest", Cylinder(0.22, 0.62), "world", (x, y, 1.66), color=ORANGE)
    yield Visual("slinger_helmet", Sphere(0.14), "world", (x, y, 2.11), color=WHITE)
