"""Section 4.2: collision detection on two levels, on a level rope that sags onto a beam."""

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim import Anchor, Box, Cable, Scene, Simulator
from cable_sim.spec import Drive, Drum, Elevation, Motion, Obstacle, Winch
from validation.harness import Finding, Picture, Progress, Quantity, Result, Statement, at_most

from .lift import DAMPING, EA, INNER, POINTS, G

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
H, LOOK, DURATION = 2e-3, 10, 12.5
"""Step [s], steps between two looks, and length of a run [s]."""
DENSITY, TENSION, THICK = 2.0, 13e3, 0.016
"""Of the rope [kg/m], at the start [N], and its diameter [m]."""
WINCH = ((0.0, 0.5, 6.0, 6.5, 12.0, 12.5), (0.0, 2e-3, 2e-3, -2e-3, -2e-3, 0.0))
"""Times [s] and speeds [m/s] at which the rope is paid out and taken in."""
WIDTH, HEIGHT = 0.1, 0.3
"""Of the beam [m]."""
PLACES = (0.25, 0.4)
"""Of the beam along the rope, over its length [-]."""
GAP = 0.11
"""Between the chord and where the middle of the rope lies on the beam [m]."""
CAUGHT = 5e-3
"""Depth in a solid that a curve may have without a node, with that of the grid [m]."""


class Look(NamedTuple):
    """A row per look: time [s], tension [N], nodes, height of the curve at the beam and of the node
    there, NaN without one, and radius of the curve about its chord [m]."""

    time: Array
    tension: Array
    nodes: Array
    height: Array
    node: Array
    radius: Array


def level_rope(place: float, below: bool = True, gap: float = GAP) -> Scene:
    """A level rope on a winch, and a beam ``gap`` below its chord or above it [m], at a ``place``
    along it [-]."""
    nodes = (Drum("world"), Anchor("world", (INNER, 0.0, 0.0)))
    rope = Cable(
        "rope",
        nodes,
        ea=EA,
        pretension=TENSION,
        diameter=THICK,
        elevation=Elevation(DENSITY, POINTS, DAMPING),
        winch=Winch("winch", 100.0),
        touches=("beam",),
    )
    height = (gap + 0.5 * (THICK + HEIGHT)) * (-1.0 if below else 1.0)
    beam = Obstacle("beam", Box(WIDTH, 2.0, HEIGHT), position=(place * INNER, 0.0, height))
    return Scene(
        name="level_rope",
        cables=(rope,),
        drives=(Drive("reel", "winch"),),
        motions=(Motion("reel", times=WINCH[0], values=WINCH[1]),),
        obstacles=(beam,),
    )


@cache
def lowered(place: float, below: bool = True) -> Look:
    """The rope is paid out and taken in again."""
    simulator, rows = Simulator(level_rope(place, below), dt=H), []
    for _ in range(round(DURATION / H / LOOK)):
        simulator.step(LOOK)
        rope = simulator.observe().cable("rope")
        height = np.interp(place * INNER, rope.curve[:, 0], rope.curve[:, 2])
        node = rope.contact_position[0, 2] if len(rope.contact_position) else np.nan
        radius = -rope.curve[:, 2].min()
        nodes = len(rope.contact_position)
        rows.append((simulator.time, rope.tension, nodes, height, node, radius))
    return Look(*np.array(rows).T)


def touching_tension(place: float) -> float:
    """The tension with which the parabola rho g x (l - x) / 2T is down by the gap there [N]."""
    return DENSITY * G * place * (1.0 - place) * INNER**2 / (2.0 * GAP)


def two_levels(progress: Progress) -> Result:
    """The paper first looks at a cylinder about the chord of a span, of the radius of its curve,
    and only if that is hit at the pieces of the curve. A level rope of 24 m is paid out until it
    lies on a beam, and taken in again. A beam above it, well within the cylinder, must not get a
    node.

    The node goes at the tension with which the parabola is as deep as the beam. It comes a little
    later: a curve may be 4 mm deep without one, lest every small wave makes one.
    """
    found: list[Finding] = []
    for place in progress.over(PLACES):
        run, tag = lowered(place), f"beam at {place:g} l"
        on = np.flatnonzero(run.nodes > 0)
        leaves = float(run.tension[on[-1]]) if on.size else np.nan
        depth = -GAP - float(run.height[on[0] - 1]) if on.size else np.nan
        off = float(np.nanmax(np.abs(run.node + GAP))) if on.size else np.nan
        note = "rho g x (l - x) / 2 gap"
        found += [
            Quantity(
                f"tension at which the node goes, {tag}",
                None,
                touching_tension(place),
                leaves,
                0.01,
                "N",
                note,
            ),
            at_most(f"depth of the curve when its node comes, {tag}", CAUGHT, depth, "m"),
            at_most(f"height of the node off the beam, {tag}", 1e-9, off, "m"),
            Statement(
                f"nodes over the run, {tag}",
                "0, 1, 0",
                list(run.nodes[np.append(True, np.diff(run.nodes) != 0)]) == [0.0, 1.0, 0.0],
                f"{run.nodes[0]:.0f}, {run.nodes.max():.0f}, {run.nodes[-1]:.0f}",
            ),
        ]
    above = lowered(PLACES[-1], below=False)
    found.append(
        Statement(
            "nodes on a beam that the cylinder alone reaches",
            "none, in reach",
            not above.nodes.any() and bool(above.radius.max() > GAP),
            f"{above.nodes.max():.0f}, {above.radius.max():.3f} m from the chord, beam at {GAP:g}",
        )
    )
    caption = (
        "Section 4.2. Height of the curve above the beam over the tension; circles: on its node."
    )
    return Result(found, [Picture("two_levels", caption, draw)])


def draw() -> "Figure":
    """Heights over the tension."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.8, 3.8))
    axes = figure.subplots()
    for color, place in enumerate(PLACES):
        run = lowered(place)
        axes.plot(1e-3 * run.tension, run.height, color=f"C{color}", label=f"at {place:g} l")
        axes.plot(1e-3 * run.tension, run.node, "o", color=f"C{color}", markevery=40)
        axes.axvline(1e-3 * touching_tension(place), linestyle=":", color=f"C{color}")
    axes.set(xlabel="tension [kN]", ylabel="height of the rope at the beam [m]")
    axes.legend()
    return figure
