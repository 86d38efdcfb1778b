"""Figure 6: the falls of a tower crane meet a building on the way of the trolley.

The geometry of a taut rope is worked out apart from the model. Of a convex section and two points
the rope takes the chord between them, or, if that cuts off corners, the convex hull of the points
and these corners.
"""

import itertools
import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from cable_sim import Anchor, Body, Box, Cable, Eye, Scene, Simulator
from cable_sim.sim.observation import Observation
from cable_sim.spec import Drive, Elevation, Joint, Motion, Obstacle, Polyhedron
from validation.harness import Finding, Picture, Progress, Quantity, Result, Statement, at_most

from .lift import DAMPING, EA, FALL, GAUGE, HOOK, INNER, OUTER, POINTS, SIZE, G

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
H, DURATION = 0.02, 20.0
"""Step, and length of a run [s]."""
START = -4.0
JOURNEY = ((0.5, 2.5, 7.0, 13.0, 17.5, 19.5), (0.0, 1.2, 1.2, -1.2, -1.2, 0.0))
"""Place of the trolley at the start [m]; times [s] and speeds [m/s] on its way there and back."""
FACETS, RADIUS, BELOW = 12, 1.5, 8.0
"""Corners of the building's top in section, their distance from its axis, and depth of that below
the jib [m]."""
THICK = 0.016
"""Diameter of the rope [m]."""
DENSITIES = (0.0, 1.0)
"""Of the rope [kg/m]."""
LATE = 2.0 * H
"""Time by which nodes may come or go late: they do at the end of a step [s]."""
APART = {0.0: 1e-5, 1.0: 1e-3}
"""Distance of nodes and lengths from those of a weightless rope, per density [m]."""
LEANING = {0.0: 1e-6, 1.0: 0.02}
"""Difference of the force on a node from that of its kink over the tension, per density [-]."""
INSIDE = 1e-3
"""Depth in the building that is left [m]."""


def crane(density: float, at: float = 0.0, friction: float = 0.0) -> Scene:
    """The lift system of figures 8 and 9 with a trolley that travels.

    ``density`` of the rope [kg/m]; place ``at`` which the building is along the jib [m]; its
    ``friction``.
    """
    half = 0.5 * GAUGE
    nodes = (
        Anchor("world", (-INNER, 0.0, 0.0)),
        Eye("trolley", (-half, 0.0, 0.0)),
        Eye("hook"),
        Eye("trolley", (half, 0.0, 0.0)),
        Anchor("world", (OUTER, 0.0, 0.0)),
    )
    rope = Cable(
        "rope",
        nodes,
        ea=EA,
        pretension=0.5 * HOOK * G,
        damping_time=0.02,
        diameter=THICK,
        elevation=Elevation(density, POINTS, DAMPING) if density else None,
        touches=("building",),
    )
    corners = tuple((x, y, z) for y in (-3.0, 3.0) for x, z in section(RADIUS))
    return Scene(
        name="tower_crane_collision",
        bodies=(
            Body("trolley", 500.0, shape=Box(2.0, 1.0, 0.3), position=(START, 0.0, 0.0)),
            Body("hook", HOOK, shape=Box(SIZE, SIZE, SIZE), position=(START, 0.0, -FALL)),
        ),
        joints=(Joint("rails", "prismatic", "trolley", axis=(1.0, 0.0, 0.0)),),
        drives=(Drive("travel", "rails"),),
        motions=(Motion("travel", times=JOURNEY[0], values=JOURNEY[1]),),
        cables=(rope,),
        obstacles=(
            Obstacle(
                "building", Polyhedron(corners), position=(at, 0.0, -BELOW), friction=friction
            ),
        ),
    )


def section(radius: float) -> list[tuple[float, float]]:
    """Corners (x, z) of the building's top about its axis [m]."""
    angles = (2.0 * math.pi * (i + 0.5) / FACETS for i in range(FACETS))
    return [(radius * math.cos(angle), radius * math.sin(angle)) for angle in angles]


def rounded() -> Array:
    """Corners (n, 2) of where the middle of the rope can't be: half its diameter off all faces."""
    inner = RADIUS * math.cos(math.pi / FACETS)
    return np.array(section(RADIUS * (1.0 + 0.5 * THICK / inner))) - (0.0, BELOW)


def taut(start: Array, end: Array, corners: Array) -> Array:
    """The shortest way (n, 2) [m] from start to end on the left of convex corners, as seen along
    it."""
    chord = end - start
    cut = (corners - start) @ np.array([-chord[1], chord[0]]) > 0.0
    points = np.vstack([start, end, corners[cut]])
    if not cut.any():
        return points
    ring = ConvexHull(points).vertices.tolist()  # anticlockwise, the chord one of its sides
    first = ring.index(0)
    ring = ring[first:] + ring[:first]
    return np.asarray(points[ring if ring[-1] == 1 else [0, *ring[:0:-1]]], dtype=float)


class Journey(NamedTuple):
    """A row per step: time [s], x of the trolley [m], nodes of the rope and of geometry; largest
    distance of the two [m], length less that of geometry [m], difference of tensions along the
    rope, and of the forces on nodes from those of their kinks, over the tension [-], depth in the
    building [m], and status."""

    time: Array
    trolley: Array
    nodes: Array
    corners: Array
    apart: Array
    longer: Array
    uneven: Array
    leaning: Array
    depth: Array
    status: Array


def measure(seen: Observation, corners: Array) -> tuple[float, ...]:
    """A row of :class:`Journey` between the trolley and the status."""
    rope = seen.cable("rope")
    eyes = rope.node_position[:, [0, 2]]
    fall = taut(eyes[2], eyes[1], corners)[::-1]  # the building is on the right of what goes up
    rise = taut(eyes[2], eyes[3], corners)
    way = np.vstack([eyes[:1], fall, rise[1:], eyes[-1:]])
    own = (0, 1, len(fall), len(way) - 2, len(way) - 1)
    bent = np.isin(np.arange(len(way)), own, invert=True)
    pieces = np.diff(way, axis=0)
    lengths = np.linalg.norm(pieces, axis=1)
    kinks = np.diff(pieces / lengths[:, None], axis=0)
    ours = rope.contact_position[:, [0, 2]]
    apart = leaning = 0.0
    if len(ours) == bent.sum():
        pull = rope.contact_force[:, [0, 2]] / rope.tension
        apart = float(np.abs(ours - way[bent]).max(initial=0.0))
        leaning = float(np.abs(pull - kinks[bent[1:-1]]).max(initial=0.0))
    uneven = float(np.ptp(rope.span_tension)) / rope.tension
    longer = rope.length - float(lengths.sum())
    return len(ours), bent.sum(), apart, longer, uneven, leaning, depth(rope.curve, corners)


def depth(curve: Array, corners: Array) -> float:
    """How deep the middle of a piece of the curve (n, 3) is inside of corners (m, 2) at most [m].

    0 if none is.
    """
    middle = 0.5 * (curve[1:] + curve[:-1])[:, [0, 2]]
    along = np.roll(corners, -1, axis=0) - corners
    outward = np.column_stack([along[:, 1], -along[:, 0]])
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    inside = (np.einsum("mi,mi->m", outward, corners) - middle @ outward.T).min(axis=1)
    return max(float(inside.max()), 0.0)


@cache
def journey(density: float) -> Journey:
    """There and back."""
    simulator, corners, rows = Simulator(crane(density), dt=H), rounded(), []
    for _ in range(round(DURATION / H)):
        status = simulator.step().status
        seen = simulator.observe()
        trolley = float(seen.body("trolley").position[0])
        rows.append((seen.time, trolley, *measure(seen, corners), status))
    return Journey(*np.array(rows).T)


def figure_6(progress: Progress) -> Result:
    """A trolley carries a hook of 5 t past a building, into which both falls run, and back. Where
    a fall meets it the model inserts a node, as if a pulley had been placed there, and takes it
    away when the rope pulls off. The paper shows a picture, and no numbers.

    Without friction a taut rope takes the shortest way, which geometry knows from the places of
    trolley and hook: how many nodes there are, where, how long the rope's way is and which force
    its kinks put on each of them. That is compared at the end of every step, while the hook swings.
    A rope of 1 kg/m sags between its nodes, by millimetres, which geometry leaves out.

    There is no node of the rope that geometry does not have, nor one missing, but for the step in
    which it comes or goes.
    """
    found: list[Finding] = []
    for density in progress.over(DENSITIES):
        found += findings(density, journey(density))
    caption = (
        "Figure 6. Left: falls and nodes over the building when the trolley is farthest. Right: "
        "nodes over the way of the trolley, there and back."
    )
    return Result(found, [Picture("figure_6", caption, draw)])


def findings(density: float, run: Journey) -> list[Finding]:
    """What is asked of a journey."""
    tag = f"{density:g} kg/m"
    most = float(run.corners.max())
    note = "of a weightless taut rope"
    return [
        Quantity(f"nodes on the building at most, {tag}", None, most, float(run.nodes.max()), 1e-9),
        Statement(
            f"nodes come and go, {tag}",
            "none before and none behind",
            run.nodes[0] == 0.0 and run.nodes.max() > 0.0 and run.nodes[-1] == 0.0,
            f"{run.nodes[0]:.0f}, {run.nodes.max():.0f}, {run.nodes[-1]:.0f}",
        ),
        Quantity(
            f"times that nodes come or go, {tag}",
            None,
            float(changes(run.corners)),
            float(changes(run.nodes)),
            1e-9,
        ),
        at_most(f"time by which nodes come or go late, {tag}", LATE, lateness(run), "s"),
        at_most(
            f"nodes off the corners of the shortest way, {tag}",
            APART[density],
            float(run.apart.max()),
            "m",
        ),
        at_most(
            f"way over the nodes off the shortest, {tag}",
            APART[density],
            float(np.abs(run.longer).max()),
            "m",
            note,
        ),
        at_most(
            f"difference of tensions along the rope, {tag}",
            1e-9,
            float(run.uneven.max()),
            "",
            "over the tension",
        ),
        at_most(
            f"force on a node off that of its kink, {tag}",
            LEANING[density],
            float(run.leaning.max()),
            "",
            "over the tension",
        ),
        at_most(f"depth of the rope in the building, {tag}", INSIDE, float(run.depth.max()), "m"),
        Statement(
            f"the solver, {tag}", "no flag", not run.status.any(), f"{int(run.status.max())}"
        ),
    ]


def changes(counts: Array) -> int:
    """How often a number changes."""
    return int(np.count_nonzero(np.diff(counts)))


def lateness(run: Journey) -> float:
    """The longest time for which nodes and corners differ in number [s]."""
    differs = run.nodes != run.corners
    return H * max(
        (len(list(same)) for wrong, same in itertools.groupby(differs) if wrong), default=0
    )


def draw() -> "Figure":
    """Side view, and nodes over the way."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 4.4))
    view, count = figure.subplots(1, 2, width_ratios=(1, 1.6))
    run = journey(DENSITIES[-1])
    farthest = int(run.trolley.argmax())
    simulator = Simulator(crane(DENSITIES[-1]), dt=H)
    simulator.step(farthest + 1)
    rope = simulator.observe().cable("rope")
    view.fill(*(np.array(section(RADIUS)) - (0.0, BELOW)).T, facecolor="#c9d3de", edgecolor="0.3")
    falls = rope.curve[rope.curve_nodes[1] : rope.curve_nodes[3] + 1]
    view.plot(falls[:, 0], falls[:, 2], color="#d9682b", linewidth=1.0)
    view.plot(rope.contact_position[:, 0], rope.contact_position[:, 2], "o", color="#e8c020")
    view.set(aspect="equal", xlabel="x [m]", ylabel="z [m]")
    there = slice(0, farthest), slice(farthest, None)
    for part, label in zip(there, ("there", "back"), strict=True):
        count.step(run.trolley[part], run.nodes[part], where="post", label=label)
    count.set(xlabel="trolley [m]", ylabel="nodes on the building")
    count.legend()
    return figure
