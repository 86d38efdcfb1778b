"""Figures 1 and 6: boxes of 100 t fall on wires of 50 kg."""

import math
import time
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from cable_sim import Simulator, load_scene
from cable_sim.errors import StepError
from cable_sim.sim.observation import Observation
from cable_sim.spec import Scene
from cable_sim.spec.scene import GRAVITY
from validation.harness import (
    Finding,
    Picture,
    Progress,
    Quantity,
    Reading,
    Result,
    at_least,
    at_most,
)
from validation.harness.outlines import rotation

from .scenes import BAY, HEIGHT, SIDE, SLACK
from .sketch import draw_scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
H, DURATION = 1.0 / 60.0, 12.0
"""Step, and length of a run [s]."""
FIGURES = {"figure 6": 1, "figure 1": 2}
"""Boxes."""
HALF = 0.5 * np.array([SIDE, SIDE, HEIGHT])
BETWEEN = 40
"""Points of every piece of a wire at which its distance from the boxes is measured."""
FREE, TAUT = 1.0, 1e5
"""Boxes fly freely while the wires store less than this [J]; wires are taut above this tension
[N]."""
MASSES = 24
"""Of a wire at most, in each bay."""
MASS, DROP, EA, RADIUS = 1e5, 1.0, 2e8, 0.02
"""Mass of a box [kg], fall above the posts [m], axial stiffness [N] and radius of a wire [m]."""
CAUGHT = {1: 0.75, 2: 0.5}
"""Least part of the tension of the whole fall in the wire along the row: two boxes are not caught
level at once [-]."""
GAINED = 1e-5
"""Height by which a flight may be above the one before [m]: what wires still store is counted."""
LEVEL, AT_REST = 0.1, 0.01
"""Largest tilt of a box at the end [rad], and distance of its height from statics [m]: it still
swings a little."""


class Record(NamedTuple):
    """At the end of each step: time [s], mean height [m] and largest tilt [rad] of the boxes,
    energy and elastic energy [J], clearance of wires and boxes in mid-step [m]; and of the wire
    along the row its tension [N], masses and contact nodes, and its rope [m].
    """

    time: Array
    height: Array
    tilt: Array
    energy: Array
    elastic: Array
    clearance: Array
    tension: Array
    masses: Array
    contacts: Array
    rope: Array


def mid_step_reader(scene: Scene) -> Simulator:
    """A simulator that tells a snapshot of ``spook`` in the middle of the step.

    There the wires are held off the boxes. Half a step before, where ``spook`` itself reads, an
    edge that has left a wire with a speed u is up to h u / 2 inside it.
    """
    return Simulator(scene, dt=H, stepper="regularised")


def clearance(seen: Observation, cable: str, body: str, half: Array = HALF) -> float:
    """Distance of a wire's line from a box [m], below zero inside; along the box's axes, which is
    never too much."""
    view = seen.body(body)
    points = (seen.cable(cable).curve - view.position) @ rotation(view.orientation)
    share = np.linspace(0.0, 1.0, BETWEEN)[:, None]
    spans = np.concatenate(
        [(1.0 - share) * a + share * b for a, b in zip(points, points[1:], strict=False)]
    )
    return float((np.abs(spans) - half).max(axis=1).min())


@cache
def run(boxes: int) -> Record:
    """Boxes fall, bounce and come to rest; ends early where the simulator gives up."""
    scene = load_scene("boxes_on_wires", boxes=boxes, most=MASSES)
    simulator, ahead, rows = Simulator(scene, dt=H), mid_step_reader(scene), []
    pairs = [(cable.name, touched[:-6]) for cable in scene.cables for touched in cable.touches]
    for _ in range(round(DURATION / H)):
        try:
            simulator.step()
        except StepError:
            break
        seen = simulator.observe()
        wire = seen.cable("along")
        snapshot = simulator.save()
        ahead.restore(snapshot)
        middle = ahead.observe()
        near = min(clearance(middle, cable, body) for cable, body in pairs)
        rope = float(snapshot.state.spans.rest_length[simulator.names.spans[0]].sum())
        tilt = max(
            math.acos(min(1.0, float(rotation(turn)[2, 2]))) for turn in seen.body_orientation
        )
        rows.append(
            (
                seen.time,
                seen.body_position[:, 2].mean(),
                tilt,
                seen.energy.total,
                seen.energy.elastic,
                near,
                wire.tension,
                len(wire.mass_position),
                len(wire.contact_position),
                rope,
            )
        )
    return Record(*np.array(rows).T)


def stretch(depth: float) -> float:
    """Elongation [m] of a wire, straight from post to edge to edge to post, the edges ``depth`` [m]
    below the posts."""
    return SIDE + 2.0 * RADIUS + 2.0 * math.hypot(*_leg(depth)) - (1.0 + SLACK) * BAY


def _leg(depth: float) -> tuple[float, float]:
    """Horizontal and vertical extent of a wire from its post to the box's edge [m]."""
    return 0.5 * (BAY - SIDE) - RADIUS, depth


def _spring() -> float:
    """Stiffness of a wire over one bay [N/m]."""
    return EA / ((1.0 + SLACK) * BAY)


def height_at_rest() -> float:
    """Height of a box [m] where both wires below it carry its weight: 4 T sin(a) = M g."""

    def lift(depth: float) -> float:
        return 4.0 * _spring() * stretch(depth) * depth / math.hypot(*_leg(depth)) - MASS * GRAVITY

    return RADIUS + 0.5 * HEIGHT - float(brentq(lift, 0.1, BAY))


def largest_tension() -> float:
    """Tension [N] at which both wires have taken up all energy of the fall: M g (drop + depth) = c
    stretch^2."""

    def left(depth: float) -> float:
        return MASS * GRAVITY * (DROP + depth - RADIUS) - _spring() * max(stretch(depth), 0.0) ** 2

    return _spring() * stretch(float(brentq(left, 0.1, BAY)))


def falling(progress: Progress) -> Result:
    """Boxes of 100 t fall one metre on slack wires that weigh 50 kg together, at 1/60 s. While the
    wires are slack they are made of masses; these go while the boxes are caught, and contact nodes
    on the boxes' edges carry them.

    Energy is read where the boxes fly freely. Each flight must have less than the one before.
    Nothing may get into the boxes. They come to rest where statics wants them, level. The largest
    tension stays below that at which the wires have taken up the whole fall; a box that is caught
    level loses a quarter at most.
    """
    found: list[Finding] = []
    for name, boxes in progress.over(FIGURES.items()):
        found += _findings(name, boxes, run(boxes))
    caption = (
        "Figure 6. A box of 100 t falls on two crossed wires. Above from the side: falling, "
        "caught, thrown up, at rest;"
        " black the masses, yellow the contact nodes. Below: height, tension of a wire, masses of "
        "a wire."
    )
    return Result(found, [Picture("figure_6", caption, draw)])


def _findings(name: str, boxes: int, record: Record) -> list[Finding]:
    """What is asked of a run."""
    free = record.elastic < FREE
    flights = record.energy[free]
    gained = float(np.maximum(np.diff(flights), 0.0).max()) / (boxes * MASS * GRAVITY)
    taut, slack = record.masses[record.tension > TAUT], record.masses[free]
    scene = load_scene("boxes_on_wires", boxes=boxes)
    length = scene.cables[0].length
    assert length is not None
    low, statics = float(record.height[-60:].mean()), height_at_rest()
    peak, most = float(record.tension.max()), largest_tension()
    return [
        at_most(
            f"distance of the boxes at rest from statics, {name}",
            AT_REST,
            abs(low - statics),
            "m",
            f"{low:.4f} m, statics {statics:.4f} m",
        ),
        at_most(f"tilt of the boxes at rest, {name}", LEVEL, float(record.tilt[-60:].max()), "rad"),
        at_most(
            f"largest tension, {name}",
            most,
            peak,
            "N",
            "where the wires have taken up the whole fall",
        ),
        at_least(
            f"largest tension over that of the whole fall, {name}", CAUGHT[boxes], peak / most
        ),
        at_least(
            f"nearest that a wire is to a box, {name}",
            0.0,
            float(record.clearance.min()),
            "m",
            "its radius is 20 mm",
        ),
        at_most(
            f"energy gained from flight to flight, {name}",
            GAINED,
            gained,
            "m",
            "over the boxes' weight",
        ),
        at_most(
            f"median of the masses of a taut wire, {name}",
            1.0,
            float(np.median(taut)),
            "",
            "above 100 kN",
        ),
        at_least(f"most masses of a slack wire, {name}", 15.0 * boxes, float(slack.max())),
        Quantity(
            f"rope of the wire at the end, {name}", None, length, float(record.rope[-1]), 1e-9, "m"
        ),
    ]


def times(progress: Progress) -> Result:
    """How many times faster than the boxes' own time the runs are, in processor time of one
    core."""
    found = []
    for name, boxes in progress.over(FIGURES.items()):
        simulator = Simulator(load_scene("boxes_on_wires", boxes=boxes), dt=H)
        count = round(5.0 / H)
        best = 0.0
        for _ in range(5):
            simulator.reset()
            begin = time.process_time()
            simulator.step(count)
            best = max(best, count * H / (time.process_time() - begin))
        found.append(Reading(f"times real time, {name}", best))
    return Result(found)


def draw() -> "Figure":
    """Four instants, and three series."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 7.4))
    scene = load_scene("boxes_on_wires", boxes=1)
    record = run(1)
    views, *below = (
        figure.subplot_mosaic("abcd;hhhh;tttt;mmmm", height_ratios=(2.4, 1, 1, 1)),
        *"htm",
    )
    simulator, at = Simulator(scene, dt=H), 0.0
    for key, instant in zip("abcd", (0.5, 0.75, 1.1, DURATION), strict=True):
        simulator.step(round((min(instant, float(record.time[-1])) - at) / H))
        at = simulator.time
        axes = views[key]
        draw_scene(axes, scene, simulator.observe())
        axes.set(title=f"{at:.2f} s", aspect="equal", xlim=(-0.5, 8.5), ylim=(-2.2, 2.2))
    for key, series, label in zip(
        below,
        (record.height, 1e-3 * record.tension, record.masses),
        ("height [m]", "tension [kN]", "masses"),
        strict=True,
    ):
        views[key].plot(record.time, series)
        views[key].set_ylabel(label)
        views[key].margins(x=0.0)
    views["m"].set_xlabel("time [s]")
    return figure
