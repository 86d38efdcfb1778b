"""Figure 15: a crane of ropes and pulleys carries a load over a wall."""

import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim import Box, Simulator, load_scene
from cable_sim.sim.readings.views import BodyView
from cable_sim.spec.scene import GRAVITY
from validation.harness import (
    Finding,
    Picture,
    Progress,
    Quantity,
    Result,
    Statement,
    at_least,
    at_most,
)
from validation.harness.outlines import rotation

from .crane_scenes import (
    BACK,
    EMPTY,
    EYES,
    FACETS,
    GRIPS,
    HAUL,
    HOIST,
    LETS_GO,
    LETS_GO_AGAIN,
    ROPE,
    START,
    TRAVEL,
    WALL,
)
from .sketch import draw_scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
H, LOOK = 1.0 / 60.0, 4
"""Step [s], and steps between two looks."""
THERE, DURATION = 36.0, 86.0
"""Until the load is put down, and there and back [s]."""
CARRIED = (8.0, 24.0)
"""When the load is in the air and the trolley travels [s]."""
STANDING, HOISTING = (1.0, 9.0), (4.0, 8.0)
"""When the trolley stands still, and when the load is hoisted at constant speed [s]."""
LOAD, GRIPPER, COUNTERWEIGHT = 1000.0, 100.0, 800.0
"""Masses of the crane [kg]."""
ASIDE, BELOW = 0.2, 0.7
"""Extent of each fall of the counterweight while the trolley stands where it starts [m]."""
SIDE = 1.2
"""Of the load [m]."""
ON_TOP = (0.0, 0.0, 0.5 * SIDE)
"""Where the sling grips the load, in its frame [m]."""
EVENTS = ((LETS_GO, None), (GRIPS, ON_TOP), (LETS_GO_AGAIN, None))
"""When the sling lets the load go, None, and where it grips it [s, m]."""
BEFORE = (LETS_GO, EMPTY[0][0])
"""When the gripper is empty and has not moved yet [s]."""
TIPPING = (LETS_GO_AGAIN, DURATION)
"""When nothing but its own ropes tips the gripper [s]."""
SLACK = 0.01
"""Pull of a sling that is let go, over the weight of the load: its own weight [-]."""


class Record(NamedTuple):
    """At each look: time [s], tilt of gripper and load [rad], x and z of the load, x of the trolley
    and z of the gripper [m], pulls of the haul rope at the trolley, of the hoist rope on the falls,
    of which the stiff arm has none, and of the sling [N], turns of the drums [rad], nodes on that
    of the haul rope, and the force of obstacles on the load [N]."""

    time: Array
    tilt: Array
    swing: Array
    x: Array
    z: Array
    trolley: Array
    gripper: Array
    haul: Array
    hoist: Array
    sling: Array
    haul_turn: Array
    hoist_turn: Array
    nodes: Array
    touched: Array


class Run(NamedTuple):
    """A journey, and the status of each of its steps."""

    seen: Record
    status: NDArray[np.int64]


def tilt(view: BodyView) -> float:
    """Angle of a body about y, against the horizontal [rad]."""
    turned = rotation(view.orientation)
    return math.atan2(turned[2, 0], turned[0, 0])


@cache
def run(rigid: bool) -> Run:
    """The whole journey; with the stiff arm that to the far end alone."""
    simulator, rows, status = Simulator(load_scene("rope_crane", rigid=rigid), dt=H), [], []
    events = [] if rigid else list(EVENTS)
    for step in range(round((THERE if rigid else DURATION) / H)):
        if events and simulator.time >= events[0][0]:
            handle(simulator, events.pop(0)[1])
        status.append(simulator.step().status)
        if step % LOOK == 0:
            rows.append(look(simulator, rigid))
    return Run(Record(*np.array(rows).T), np.array(status))


def handle(simulator: Simulator, place: tuple[float, float, float] | None) -> None:
    """Let the sling go, or have it grip the load at that place."""
    if place is None:
        simulator.release("sling")
    else:
        simulator.attach("sling", "load", place)


def look(simulator: Simulator, rigid: bool) -> tuple[float, ...]:
    """A row of :class:`Record`."""
    seen = simulator.observe()
    load, gripper, haul = seen.body("load"), seen.body("gripper"), seen.cable("haul")
    touched = load.contact_force if load.position[2] > 0.55 * SIDE else np.zeros(3)
    return (
        seen.time,
        tilt(gripper),
        tilt(load),
        load.position[0],
        load.position[2],
        seen.body("trolley").position[0],
        gripper.position[2],
        haul.tension_dead_end,
        0.0 if rigid else seen.cable("hoist").tension_dead_end,
        seen.tension("sling"),
        seen.joint("travel_shaft").position,
        0.0 if rigid else seen.joint("hoist_shaft").position,
        len(haul.contact_position),
        float(np.linalg.norm(touched)),
    )


def carrying(progress: Progress) -> Result:
    """A trolley on rails, pulled by a rope and by a counterweight, carries a ton over a wall, puts
    it down, lets it go, grips it again and takes it back. The hoist rope runs over the trolley and
    through both eyes of the gripper. With one tension in both of its parallel falls nothing turns
    the gripper, however the load swings below it. Held by a stiff arm it tilts as the arm does.

    Nothing rights it, either, and the weight of the longer fall tips it, slowly: a tilt grows
    e-fold in 6 s. A real one is held by the friction of its sheaves, which is not there.

    The drums are bodies on shafts that drives turn. Rope lies on them as anywhere, with a contact
    node on each of their sixteen edges: four turns with friction on that of the haul rope, three
    without on that of the hoist rope, whose end holds it. The wall is an obstacle
    to load, gripper and sling. The sling lets the load go at the far end, hangs from the empty
    gripper while that goes up and comes down again, and grips the load where it hangs beside it.
    """
    for rigid in progress.over((False, True)):
        run(rigid)
    caption = (
        "Figure 15. Above: the crane when the load is over the wall. Below: tilt of the gripper, "
        "on the rope and on a stiff arm, and swing of the load; heights of load and gripper, which "
        "the load leaves between the dotted lines."
    )
    return Result(findings(), [Picture("figure_15", caption, draw)])


def findings() -> list[Finding]:
    """What is asked of the crane."""
    rope, arm = run(False), run(True)
    return [
        *level(rope.seen, arm.seen),
        *pulls(rope.seen),
        *delivery(rope.seen),
        *drums(rope.seen),
        Statement(
            "the solver",
            "no complaint",
            not rope.status.any(),
            f"status {int(rope.status.max())} at most",
        ),
    ]


def level(rope: Record, arm: Record) -> list[Finding]:
    """The gripper stays level while the load swings."""
    carried = (rope.time > CARRIED[0]) & (rope.time < CARRIED[1])
    on_arm = (arm.time > CARRIED[0]) & (arm.time < CARRIED[1])
    tilted, stiff = float(np.abs(rope.tilt[carried]).max()), float(np.abs(arm.tilt[on_arm]).max())
    swing = float(np.abs(rope.swing[carried]).max())
    return [
        at_least("swing of the load", 0.1, swing, "rad"),
        at_most(
            "tilt of the gripper on the rope over that on the arm, while travelling",
            0.05,
            tilted / stiff,
        ),
        at_most(
            "tilt of the gripper over the swing, until it is empty",
            0.25,
            float(np.abs(rope.tilt[rope.time < LETS_GO]).max()) / swing,
        ),
        Quantity(
            "rate at which the empty gripper tips at the end",
            None,
            math.sqrt(2.0 * ROPE * GRAVITY * (0.5 * EYES) ** 2 / gripper_inertia()),
            tipping(rope),
            0.1,
            "1/s",
            "by the weight of its falls",
        ),
    ]


def gripper_inertia() -> float:
    """Moment of inertia of the gripper about y [kg m^2]."""
    bodies = load_scene("rope_crane").bodies
    (shape,) = (body.shape for body in bodies if body.name == "gripper")
    assert isinstance(shape, Box)
    return shape.inertia(GRIPPER)[1]


def tipping(rope: Record) -> float:
    """Rate at which the tilt grows at the end [1/s]."""
    tilted = np.abs(between(rope, rope.tilt, TIPPING))
    return float(np.polyfit(between(rope, rope.time, TIPPING), np.log(tilted), 1)[0])


def pulls(rope: Record) -> list[Finding]:
    """Statics of the ropes."""
    haul = between(rope, rope.haul, STANDING).mean()
    hoist = between(rope, rope.hoist, HOISTING).mean()
    let_go = between(rope, rope.sling, (LETS_GO + 0.5, GRIPS)).max()
    back = between(rope, rope.sling, (BACK + CARRIED[0], BACK + CARRIED[1])).mean()
    return [
        Quantity(
            "pull of the haul rope while the trolley stands",
            None,
            0.5 * COUNTERWEIGHT * GRAVITY * math.hypot(ASIDE, BELOW) / BELOW,
            float(haul),
            0.01,
            "N",
            "the counterweight hangs on two falls, which are inclined",
        ),
        Quantity(
            "pull of the hoist rope while it hoists",
            None,
            0.5 * (LOAD + GRIPPER) * GRAVITY,
            float(hoist),
            0.01,
            "N",
            "mean of 4 s; load and gripper hang on two falls",
        ),
        at_most("pull of the sling that has let go", SLACK * LOAD * GRAVITY, float(let_go), "N"),
        Quantity(
            "pull of the sling that has gripped again",
            None,
            LOAD * GRAVITY,
            float(back),
            0.02,
            "N",
            "mean of the way back",
        ),
    ]


def delivery(rope: Record) -> list[Finding]:
    """Over the wall, put down, left alone, and brought back."""
    over = np.abs(rope.x - START - 0.5 * TRAVEL) < 0.5 * (WALL[0] + SIDE)
    alone = between(rope, rope.x, (LETS_GO, GRIPS))
    return [
        at_least(
            "height of the load over the wall",
            0.3,
            float(rope.z[over].min()) - 0.5 * SIDE - WALL[2],
            "m",
            "both ways",
        ),
        at_most("force on the load in the air", 0.0, float(rope.touched.max()), "N"),
        at_most(
            "place of the load at the far end", 0.2, abs(float(alone[0]) - START - TRAVEL), "m"
        ),
        at_most("way of the load while the gripper is away", 1e-3, float(np.ptp(alone)), "m"),
        at_most("place of the load at the end", 0.2, abs(float(rope.x[-1]) - START), "m"),
        Quantity(
            "height of the load at the end",
            None,
            0.5 * SIDE,
            float(rope.z[-1]),
            1e-3,
            "m",
            "on the ground",
        ),
    ]


def drums(rope: Record) -> list[Finding]:
    """Drums that turn wind and unwind as much rope as their circumference says."""
    far = int(rope.trolley.argmax())
    edge = 2.0 * math.pi * HAUL.pitch_radius / FACETS
    away = (EMPTY[0][3], EMPTY[0][4])  # when the empty gripper stands, above and before that
    lift = between(rope, rope.gripper, away).mean() - between(rope, rope.gripper, BEFORE).mean()
    turn = (
        between(rope, rope.hoist_turn, BEFORE).mean() - between(rope, rope.hoist_turn, away).mean()
    )
    return [
        Quantity("way of the trolley", None, TRAVEL, float(np.ptp(rope.trolley)), 5e-3, "m"),
        Quantity(
            "way of the trolley by the turns of its drum",
            None,
            HAUL.pitch_radius * float(rope.haul_turn[far] - rope.haul_turn[0]),
            float(rope.trolley[far] - rope.trolley[0]),
            5e-3,
            "m",
        ),
        Quantity(
            "edges of the drum that its rope leaves",
            None,
            TRAVEL / edge,
            float(rope.nodes[0] - rope.nodes[far]),
            1.5 * edge / TRAVEL,
            "",
            "contact nodes",
        ),
        Statement(
            "the rope on the drum at the end",
            "as many nodes as at the start, or one more or less",
            abs(rope.nodes[-1] - rope.nodes[0]) <= 1.0,
            f"{rope.nodes[0]:.0f}, {rope.nodes[far]:.0f}, {rope.nodes[-1]:.0f}",
        ),
        Quantity(
            "lift of the empty gripper by the turns of its drum",
            None,
            0.5 * HOIST.pitch_radius * float(turn),
            float(lift),
            0.02,
            "m",
            "on two falls",
        ),
    ]


def between(rope: Record, values: Array, times: tuple[float, float]) -> Array:
    """Values of a time [s]."""
    return values[(rope.time > times[0]) & (rope.time < times[1])]


def draw() -> "Figure":
    """The crane, tilt and height."""
    from matplotlib.figure import Figure

    figure, scene = Figure(figsize=(10.0, 8.0)), load_scene("rope_crane")
    view, angles, height = figure.subplots(3, 1, height_ratios=(2.6, 1, 1))
    rope, arm = run(False).seen, run(True).seen
    simulator = Simulator(scene, dt=H)
    simulator.step(round(rope.time[np.argmax(rope.x > START + 0.5 * TRAVEL)] / H))
    draw_scene(view, scene, simulator.observe())
    view.set(aspect="equal", ylabel="z [m]", xlabel="x [m]")
    angles.plot(rope.time, rope.tilt, label="gripper on the rope")
    angles.plot(arm.time, arm.tilt, label="gripper on a stiff arm")
    angles.plot(rope.time, rope.swing, ":", label="load on the rope")
    angles.set_ylabel("tilt [rad]")
    angles.legend(ncols=3)
    height.plot(rope.time, rope.z, label="load")
    height.plot(rope.time, rope.gripper, label="gripper")
    for time, _ in EVENTS:
        height.axvline(time, color="k", linestyle=":", linewidth=0.9)
    height.set(ylabel="height [m]", xlabel="time [s]")
    height.legend(ncols=2)
    for axes in (angles, height):
        axes.margins(x=0.0)
    return figure
