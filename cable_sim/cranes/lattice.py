"""What a tower crane looks like: lattice mast and jib, ballast, cab, trolley, hook block.

Only for the eye; nothing here has mass. Proportions are those of a flat-top crane of the 12 t class. Viewers
draw the drum and the sheaves at single points of the path themselves; wheels with two tangent points stand
here.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from cable_sim.cranes.reeving import axle_above_block, dead_end
from cable_sim.cranes.tower_spec import TowerCrane
from cable_sim.spec import Box, Cylinder, Segments, Visual
from cable_sim.spec.quantities import Vector

YELLOW: Vector = (0.96, 0.72, 0.08)
STEEL: Vector = (0.36, 0.38, 0.41)
DARK: Vector = (0.15, 0.16, 0.18)
CONCRETE: Vector = (0.63, 0.63, 0.61)
WHITE: Vector = (0.92, 0.93, 0.94)
GLASS: Vector = (0.13, 0.22, 0.30)

Bar = tuple[Vector, Vector]
LYING = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)
"""Turns a cylinder's axis from z to y, across the jib."""
FACING = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)
"""Turns a cylinder's axis from z to x, along the jib."""

RAIL_HEIGHT = 0.35
"""Of the jib's bottom chords above the level rope [m]; the trolley runs on them, its sheaves hang below."""
RAIL_Y = 0.75
DECK_HEIGHT = -0.45
"""Of the counter-jib's deck above the level rope [m]; the drum stands on it."""
MAST_TOP = -1.75
"""Of the slewing ring's lower edge above the level rope [m]."""


def tower_visuals(spec: TowerCrane) -> tuple[Visual, ...]:
    """Everything to look at, attached to ``world``, ``jib``, ``trolley``, ``hook_block`` and ``load``."""
    return (
        *_mast(spec),
        *_jib(spec),
        *_counter_jib(spec),
        *_cab(),
        *_trolley(spec),
        *_hook_block(spec),
        *_crate(spec),
    )


def bar_count(visuals: Iterable[Visual]) -> int:
    """Number of bars that a viewer has to draw."""
    return sum(len(visual.shape.ends) for visual in visuals if isinstance(visual.shape, Segments))


def square_lattice(side: float, bottom: float, top: float) -> tuple[list[Bar], list[Bar]]:
    """Chords and web of an upright mast: about square panels, with one diagonal per face."""
    half = 0.5 * side
    corners = ((half, half), (-half, half), (-half, -half), (half, -half))
    levels = np.linspace(bottom, top, max(2, round((top - bottom) / side) + 1)).tolist()
    chords: list[Bar] = [((x, y, bottom), (x, y, top)) for x, y in corners]
    web: list[Bar] = []
    for face, ((x1, y1), (x2, y2)) in enumerate(zip(corners, (*corners[1:], corners[0]), strict=True)):
        web += [((x1, y1, z), (x2, y2, z)) for z in levels]
        for panel, (low, high) in enumerate(pairwise(levels)):
            rising = ((x1, y1, low), (x2, y2, high))
            falling = ((x2, y2, low), (x1, y1, high))
            web.append(rising if (panel + face) % 2 else falling)
    return chords, web


def triangle_lattice(
    start: float, end: float, half_width: float, base: float, depths: tuple[float, float], panel: float = 2.0
) -> tuple[list[Bar], list[Bar]]:
    """Chords and web of a jib along x: two chords below, one above, zigzag on the sides, cross-braced below.

    ``depths`` are the heights of the top chord above the bottom ones at the start and at the end [m].
    """
    stations = np.linspace(start, end, max(2, round((end - start) / panel) + 1)).tolist()
    tops = [(0.5 * (a + b), 0.0, base + _between(0.5 * (a + b), start, end, depths)) for a, b in pairwise(stations)]
    left = [(x, half_width, base) for x in stations]
    right = [(x, -half_width, base) for x in stations]
    chords = [(left[0], left[-1]), (right[0], right[-1]), (tops[0], tops[-1])]
    web: list[Bar] = list(zip(left, right, strict=True))
    for i, top in enumerate(tops):
        web += [(left[i], top), (top, left[i + 1]), (right[i], top), (top, right[i + 1])]
        web.append((left[i], right[i + 1]) if i % 2 else (right[i], left[i + 1]))
    return chords, web


def _between(x: float, start: float, end: float, values: tuple[float, float]) -> float:
    """Linear interpolation."""
    return values[0] + (x - start) / (end - start) * (values[1] - values[0])


def _bars(name: str, body: str, ends: Sequence[Bar], radius: float, color: Vector = YELLOW) -> Visual:
    """Bars of one thickness and colour."""
    return Visual(name, Segments(tuple(ends), radius), body, color=color)


def _box(name: str, body: str, size: Vector, at: Vector, color: Vector) -> Visual:
    """A block."""
    return Visual(name, Box(*size), body, at, color=color)


def _wheel(name: str, body: str, radius: float, width: float, at: Vector, color: Vector = STEEL) -> Visual:
    """A wheel with its axle across the jib."""
    return Visual(name, Cylinder(radius, width), body, at, LYING, color)


def _mast(spec: TowerCrane) -> Iterator[Visual]:
    """Foundation and mast, which stand in the world."""
    side = spec.crane.mast_side
    chords, web = square_lattice(side, 0.5, spec.sheave_height + MAST_TOP)
    yield _box("foundation", "world", (2.6 * side, 2.6 * side, 0.5), (0.0, 0.0, 0.25), CONCRETE)
    yield _bars("mast_chords", "world", chords, 0.10)
    yield _bars("mast_web", "world", web, 0.045)


def _jib(spec: TowerCrane) -> Iterator[Visual]:
    """Slewing ring, head and jib."""
    tip, root = dead_end(spec), 0.5 * spec.crane.mast_side
    chords, web = triangle_lattice(root, tip, RAIL_Y, RAIL_HEIGHT, (1.70, 1.05))
    yield Visual("slewing_ring", Cylinder(1.2 * root, 0.35), "jib", (0.0, 0.0, MAST_TOP + 0.17), color=STEEL)
    yield _box("turntable", "jib", (2.2 * root, 2.2 * root, 0.75), (0.0, 0.0, MAST_TOP + 0.72), YELLOW)
    yield _bars("head", "jib", _head(root), 0.09)
    yield _bars("jib_chords", "jib", chords, 0.075)
    yield _bars("jib_web", "jib", web, 0.035)
    yield _box("jib_tip", "jib", (0.30, 2.0 * RAIL_Y, 0.50), (tip + 0.10, 0.0, 0.15), STEEL)


def _head(root: float) -> list[Bar]:
    """Four posts over the turntable that end in a ridge, and the beams between jib and counter-jib."""
    foot, ridge = MAST_TOP + 1.05, RAIL_HEIGHT + 1.70
    bars: list[Bar] = []
    for x in (root, -root):
        for y in (RAIL_Y, -RAIL_Y):
            bars += [((x, y, foot), (x, y, RAIL_HEIGHT)), ((x, y, RAIL_HEIGHT), (0.4 * x, 0.0, ridge))]
        bars.append(((x, RAIL_Y, RAIL_HEIGHT), (x, -RAIL_Y, RAIL_HEIGHT)))
    bars += [((root, y, RAIL_HEIGHT), (-root, y, RAIL_HEIGHT)) for y in (RAIL_Y, -RAIL_Y)]
    return [
        *bars,
        ((0.4 * root, 0.0, ridge), (-0.4 * root, 0.0, ridge)),
        ((root, 0.0, ridge), (0.4 * root, 0.0, ridge)),
    ]


def _counter_jib(spec: TowerCrane) -> Iterator[Visual]:
    """Deck with handrails and ties, ballast slabs at its end, hoist motor and switchgear."""
    root, end = -0.5 * spec.crane.mast_side, -spec.crane.counter_jib_length
    stations = np.linspace(root, end, 9).tolist()
    top = DECK_HEIGHT + 1.1
    beams: list[Bar] = [((root, y, DECK_HEIGHT), (end, y, DECK_HEIGHT)) for y in (RAIL_Y, -RAIL_Y)]
    beams += [((0.4 * root, 0.0, RAIL_HEIGHT + 1.70), (0.72 * end, y, DECK_HEIGHT)) for y in (RAIL_Y, -RAIL_Y)]
    fine: list[Bar] = [((x, -RAIL_Y, DECK_HEIGHT), (x, RAIL_Y, DECK_HEIGHT)) for x in stations]
    fine += [((a, RAIL_Y, DECK_HEIGHT), (b, -RAIL_Y, DECK_HEIGHT)) for a, b in pairwise(stations)]
    for y in (RAIL_Y, -RAIL_Y):
        fine += [((x, y, DECK_HEIGHT), (x, y, top)) for x in stations]
        fine += [((stations[0], y, z), (end, y, z)) for z in (top, 0.5 * (top + DECK_HEIGHT))]
    yield _bars("counter_jib", "jib", beams, 0.09)
    yield _bars("counter_jib_deck", "jib", fine, 0.025)
    for i in range(4):
        at = (end + 0.6 + 0.85 * i, 0.0, DECK_HEIGHT - 0.95)
        yield _box(f"ballast_{i + 1}", "jib", (0.75, 1.30, 2.40), at, CONCRETE)
    drum_x = spec.crane.jib_length - spec.reeving.rope_outside_falls
    yield _box("hoist_motor", "jib", (0.9, 0.35, 0.45), (drum_x - 1.0, 0.45, DECK_HEIGHT + 0.25), DARK)
    yield _box("switchgear", "jib", (1.6, 0.45, 1.5), (0.38 * end, RAIL_Y + 0.25, DECK_HEIGHT + 0.75), WHITE)


def _cab() -> Iterator[Visual]:
    """Operator's cab beside the turntable, with a view along the jib."""
    yield _box("cab", "jib", (1.70, 1.25, 2.05), (1.75, -1.95, -1.25), WHITE)
    yield _box("cab_glass", "jib", (0.95, 1.29, 1.10), (2.16, -1.95, -0.90), GLASS)


def _trolley(spec: TowerCrane) -> Iterator[Visual]:
    """Two cheeks that hold the sheaves, hung from four wheels on the jib's chords."""
    half = 0.5 * spec.reeving.fall_spacing + 0.35
    axle = RAIL_HEIGHT + 0.19
    bars: list[Bar] = []
    for x in (0.8 * half, -0.8 * half):
        for y in (1.0, -1.0):
            bars += [((x, 0.42 * y, 0.05), (x, 0.60 * y, axle)), ((x, 0.60 * y, axle), (x, 0.80 * y, axle))]
        bars.append(((x, -0.60, 0.12), (x, 0.60, 0.12)))
    yield _bars("trolley_frame", "trolley", bars, 0.045, DARK)
    for side, y in (("left", 1.0), ("right", -1.0)):
        yield _box(f"trolley_cheek_{side}", "trolley", (2.0 * half, 0.05, 0.42), (0.0, 0.42 * y, 0.02), YELLOW)
        for end, x in (("outer", 0.8 * half), ("inner", -0.8 * half)):
            yield _wheel(f"trolley_wheel_{side}_{end}", "trolley", 0.11, 0.10, (x, RAIL_Y * y, axle), DARK)
    if spec.reeving.n_falls == 4:
        crossing = Cylinder(0.5 * spec.reeving.sheave_diameter, 0.09)
        yield Visual("crossing_sheave", crossing, "trolley", (half - 0.35, 0.0, 0.0), FACING, STEEL)


def _hook_block(spec: TowerCrane) -> Iterator[Visual]:
    """Cheeks round the sheaves, and a hook whose bowl is where the slings hold."""
    axle, radius = axle_above_block(spec), 0.5 * spec.reeving.sheave_diameter
    lateral = 0.0 if spec.reeving.n_falls == 2 else radius
    bowl = axle - spec.reeving.hook_below_axle
    for i, y in enumerate(sorted({lateral, -lateral}), start=1):
        yield _wheel(f"block_sheave_{i}", "hook_block", radius, 0.09, (0.0, y, axle))
    thick = lateral + 0.085
    size = (2.4 * radius, 0.04, 2.9 * radius)
    for side, y in (("left", thick), ("right", -thick)):
        yield _box(f"block_cheek_{side}", "hook_block", size, (0.0, y, axle - 0.5 * radius), DARK)
    stripe = (2.44 * radius, 2.0 * thick + 0.06, 0.5 * radius)
    yield _box("block_stripe", "hook_block", stripe, (0.0, 0.0, axle - 1.5 * radius), YELLOW)
    yield _bars("hook", "hook_block", _hook(bowl, axle - 1.8 * radius), 0.045, DARK)


def _hook(bowl: float, shank: float) -> list[Bar]:
    """A single hook: shank, then an open arc through the bowl."""
    size = 0.14
    angles = np.radians(np.arange(90.0, -211.0, -30.0))
    arc = [(size * math.cos(a), 0.0, bowl + size + size * math.sin(a)) for a in angles.tolist()]
    return list(pairwise([(0.0, 0.0, shank), *arc]))


def _crate(spec: TowerCrane) -> Iterator[Visual]:
    """Edges of the load, and the lugs that the slings hold on to."""
    a, b, c = (0.5 * side for side in spec.rig.load.size)
    signs = (1.0, -1.0)
    edges: list[Bar] = [((a * s, b * t, -c), (a * s, b * t, c)) for s in signs for t in signs]
    edges += [((a * s, -b, c * t), (a * s, b, c * t)) for s in signs for t in signs]
    edges += [((-a, b * s, c * t), (a, b * s, c * t)) for s in signs for t in signs]
    yield _bars("load_edges", "load", edges, 0.03, DARK)
    corners = ((a, b), (-a, b), (-a, -b), (a, -b))
    for i, (x, y) in enumerate(corners, start=1):
        yield _box(f"sling_lug_{i}", "load", (0.12, 0.12, 0.12), (x, y, c), STEEL)
