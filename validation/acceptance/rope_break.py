"""Scenario 10: a rope breaks, one of the gantry crane's four, and the tower crane's only one.

*One of four.* Of stiff ropes the two next to the broken one, at the ends of a diagonal through the
load's centre, carry all of it, W / 4 with each part instead of W / 8, and the third, opposite,
nothing. Without damping the step swings to W / 8 + 2 (W / 4 - W / 8) = 3 W / 8 at most. Ropes that
give let the diagonal sink and the load tilt about it, until its centre, which is H below the
sheaves, is so far to the side that the third rope has to help. How far that goes is the least of

    sum EA s^2 / 2 L + m g z,      s > 0 the stretch of a rope that is whole,

over the six coordinates of the load, which here is sought with the ropes' ways between trolley and
sheaves.

For the only one see ``dropped_load.py``, and ``cut_wire.py`` for the broken end of a rope with
mass.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.cranes import load_crane
from cable_sim.cranes.crane import Crane
from cable_sim.machine.faults import Fault
from cable_sim.machine.machine import Machine
from cable_sim.sim.observation import Observation
from cable_sim.spec.scene import GRAVITY
from validation.acceptance.cut_wire import snap
from validation.acceptance.dropped_load import break_only_rope
from validation.acceptance.gantry import hoist_rope, read_gantry, sheave, spreader
from validation.harness import (
    Finding,
    Part,
    Picture,
    Progress,
    Quantity,
    Reading,
    Result,
    Statement,
    Study,
    at_least,
    at_most,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

FALLS = 12.0
PARTS = 8
"""Length of the gantry crane's falls [m], and how many carry the load."""
STIFFER = 30.0
"""Stiffness of ropes that the reference's statics fit, over that of the file's ropes [-]."""
BROKEN = 0
OPPOSITE = 2
"""Indices of the broken and the opposite rope of the four, anticlockwise from above."""
SWINGING = 4.0
SETTLED = 20.0
"""Time until which the load swings freely, and time at which it has come to rest against a damping
force [s]."""
DRAG = 0.8
GYRATION = 3.0
"""Coefficient of that force, per mass and speed [1/s]; and the radius of gyration with which it
brakes turning [m]."""
RISING = 0.433
"""Speed of the spreader [m/s]."""
WITHIN = 0.01


class Broken(NamedTuple):
    """Samples since the break: time [s]; tension of a part of each rope (n, 4) [N]; whether the
    opposite rope is slack; slope of the spreader [rad]; and speed of the spreader's hoist, upward
    [m/s]. When limiters tripped [s]; how many ropes parted."""

    time: Array
    tension: Array
    slack: NDArray[np.bool_]
    tilt: Array
    speed: Array
    trips: dict[str, float]
    parted: int


def gantry(stiff: bool = False, efficiency: float = 1.0) -> Crane:
    """The gantry crane with rated load between two rows, on ropes that part above their breaking
    force; ``stiff`` ones carry no torque.
    """
    crane = load_crane(
        "rtg_41t",
        {
            "rig.start.state": "hanging",
            "rig.start.trolley": 0.0,
            "rig.start.gantry": -30.0,
            "rig.start.depth": FALLS + 1.6,
            "reeving.sheave_efficiency": efficiency,
        },
    )
    rope = hoist_rope()
    cables = tuple(replace(cable, parts=True) for cable in crane.scene.cables)
    if stiff:
        other: dict[str, Any] = {
            "rope": None,
            "diameter": rope.diameter,
            "breaking_force": rope.minimum_breaking_force,
        }
        cables = tuple(replace(cable, ea=STIFFER * rope.ea, **other) for cable in cables)
    return replace(crane, scene=replace(crane.scene, cables=cables))


def slope(seen: Observation) -> float:
    """Slope of the spreader against the level [rad]."""
    _, x, y, _ = seen.body("spreader").orientation
    return math.acos(min(1.0, 1.0 - 2.0 * float(x * x + y * y)))


def damp(machine: Machine, seen: Observation) -> None:
    """Push against the suspended bodies, so that they come to rest."""
    for body in machine.crane.scene.bodies:
        if body.name in ("spreader", "container"):
            view = seen.body(body.name)
            drag = DRAG * body.mass
            machine.simulator.push(
                body.name, -drag * view.velocity, -drag * GYRATION**2 * view.angular_velocity
            )


@cache
def break_rope(stiff: bool) -> Broken:
    """Break a rope of the gantry crane at rest, and wait until the load is at rest again."""
    machine = Machine(gantry(stiff), dt=1e-3, substeps=5)
    while machine.time < 0.5:
        machine.tick()
    return follow_break(machine, SETTLED, damp)


@cache
def break_rising() -> Broken:
    """Break a rope while the load rises, wheels and all as in the file. Snag protection, which is
    faster than the rope monitor, is off."""
    machine = Machine(gantry(efficiency=sheave().efficiency), dt=1e-3, substeps=5)
    assert machine.plc is not None
    machine.plc.bypass("snag_protection", True)
    while machine.time < 3.0:
        machine.command("hoist", -RISING)
        machine.tick()

    def keep_rising(machine: Machine, seen: Observation) -> None:
        machine.command("hoist", -RISING)

    return follow_break(machine, 2.0, keep_rising, at_once=True)


def follow_break(
    machine: Machine,
    until: float,
    act: Callable[[Machine, Observation], None],
    at_once: bool = False,
) -> Broken:
    """Break a rope, and record the motion for some seconds.

    ``act`` is called every tick from the end of the free swinging on, or at once.
    """
    ropes = machine.crane.ropes
    begin = machine.time
    trips = dict[str, float]()
    samples = []
    machine.faults.inject(Fault("rope_break", ropes[BROKEN]))
    seen = machine.observe()
    while machine.time - begin < until:
        if at_once or machine.time - begin > SWINGING:
            act(machine, seen)
        seen = machine.tick()
        time = machine.time - begin
        cables = [seen.cable(name) for name in ropes]
        speed = -machine.axis_state(seen, "hoist").velocity
        tension = [0.0 if cable.off else cable.tension_dead_end for cable in cables]
        samples.append((time, *tension, cables[OPPOSITE].slack, slope(seen), speed))
        for name, state in machine.limits.items():
            if state in ("tripped", "latched"):
                trips.setdefault(name, time)
    table = np.array(samples)
    parted = sum(cable.parted for cable in cables)
    return Broken(
        table[:, 0], table[:, 1:5], table[:, 5] > 0.0, table[:, 6], table[:, 7], trips, parted
    )


class Statics(NamedTuple):
    """Tension of a part of each rope [N], and slope of the load [rad]."""

    tension: Array
    tilt: float


@cache
def statics(stiffness: float) -> Statics:
    """The load at rest on three ropes of that EA [N]; see the head of this file."""
    from scipy.optimize import minimize
    from scipy.spatial.transform import Rotation

    load = read_gantry().rig.load
    mass = load.mass + spreader().mass
    a, b, axle = sheave().at
    middle = spreader().hook_below_axle + 0.5 * load.size[2]
    below = (spreader().mass * axle + load.mass * middle) / mass  # the sheaves' axle
    r = 0.5 * sheave().diameter
    falls = np.array(
        [
            [(x * a, y * b + s * r, 0.0) for s in (1.0, -1.0)]
            for x, y in ((1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0))
        ]
    )
    # from the drum in the middle to its sheave, and across the head block
    outside = (b + r) + 2.0 * r
    rest = (2.0 * FALLS + outside) / (1.0 + mass * GRAVITY / PARTS / stiffness)

    def stretch(q: Array) -> Array:
        hung = (falls + [0.0, 0.0, below]) @ Rotation.from_rotvec(q[3:]).as_matrix().T + q[:3]
        way = hung - [0.0, 0.0, FALLS + below] - falls
        left = np.maximum(np.linalg.norm(way, axis=2).sum(axis=1) + outside - rest, 0.0)
        left[BROKEN] = 0.0
        return np.asarray(left)

    def energy(q: Array) -> float:
        return 1e-3 * float(
            0.5 * stiffness / rest * (stretch(q) ** 2).sum() + mass * GRAVITY * q[2]
        )

    def slope(q: Array) -> Array:
        return np.array([(energy(q + e) - energy(q - e)) / 2e-6 for e in 1e-6 * np.eye(6)])

    q = minimize(
        energy, np.zeros(6), jac=slope, method="BFGS", options={"gtol": 1e-6, "maxiter": 2000}
    ).x
    upright = Rotation.from_rotvec(q[3:]).as_matrix()[2, 2]
    return Statics(stiffness / rest * stretch(q), math.acos(min(upright, 1.0)))


def weight() -> float:
    """Weight of spreader and load of the gantry crane [N]."""
    return float((read_gantry().rig.load.mass + spreader().mass) * GRAVITY)


def break_one_of_four(progress: Progress) -> Result:
    """51 t hang at rest on 12 m of falls as a rope breaks, brakes closed. The reference's statics
    are those of stiff ropes: here thirty times as stiff as the crane's and without torque. Of the
    crane's own ropes the third goes on carrying a tenth, and those beside the broken one less, and
    not the same, because the load tilts. It swings freely for 4 s, where the largest tensions are,
    and then against a force that brings it to rest."""
    found: list[Finding] = []
    runs = {}
    for stiff, words in progress.over([(True, "stiff ropes"), (False, "the crane's ropes")]):
        run = runs[words] = break_rope(stiff)
        found += [pull_beside(run, words)] if stiff else compare_with_statics(run, words)
        found += check_swing(run, words)
    caption = (
        "Tension of a part of each rope after the first has broken: stiff ropes, and the "
        "crane's own."
    )
    return Result(found, [Picture("one_of_four", caption, lambda: draw_tensions(runs))])


def pull_beside(run: Broken, words: str) -> Finding:
    """Mean tension of the ropes beside the broken one in the end, against a quarter of the
    weight."""
    static = weight() / 4.0
    last = run.tension[-1]
    pair = float(last[1] + last[3]) / 2.0
    name = f"part beside the broken one, {words}"
    return Quantity(name, "125", 1e-3 * static, 1e-3 * pair, WITHIN, "kN")


def compare_with_statics(run: Broken, words: str) -> list[Finding]:
    """Tensions and tilt in the end, against the least energy of ropes that stretch."""
    known = statics(hoist_rope().ea)
    last = run.tension[-1]
    tilt = math.degrees(known.tilt)
    ours = math.degrees(float(run.tilt[-1]))
    parts = [
        Quantity(
            f"part of rope {i + 1}, {words}",
            None,
            1e-3 * known.tension[i],
            1e-3 * float(last[i]),
            WITHIN,
            "kN",
        )
        for i in (1, 2, 3)
    ]
    return [
        *parts,
        Quantity("tilt", None, tilt, ours, WITHIN, "deg"),
        Reading("largest tilt on the way", math.degrees(float(run.tilt.max())), "deg"),
    ]


def check_swing(run: Broken, words: str) -> list[Finding]:
    """Largest tension, ropes that parted, and slackness while the load swings freely."""
    step = 3.0 * weight() / 8.0
    largest = float(run.tension.max())
    share = 100.0 * largest / hoist_rope().minimum_breaking_force
    slack = float(run.slack[run.time <= SWINGING].mean() * SWINGING)
    return [
        at_most(f"largest tension of a part, {words}", 1e-3 * step, 1e-3 * largest, "kN"),
        Reading(f"over the breaking force, {words}", share, "%"),
        at_most(f"ropes that parted, {words}", 1.0, float(run.parted)),
        at_least(f"opposite rope slack for, {words}", 0.5, slack, "s"),
        trip_finding("slack_rope_switch", run, words),
    ]


def trip_finding(limiter: str, run: Broken, words: str) -> Finding:
    """Return a finding on the first trip of a limiter and its time."""
    when = run.trips.get(limiter)
    measured = "never" if when is None else f"after {when:.3f} s"
    return Statement(f"{limiter}, {words}", "trips", when is not None, measured)


def break_while_rising(progress: Progress) -> Result:
    """The same rope breaks while the load rises with 26 m/min. The drum goes on until the rope
    monitor trips, which compares the pulls: that takes the power of its motor, and its brake
    closes. The stop adds to the swing of the load."""
    progress(0.0)
    run = break_rising()
    trip = run.trips.get("rope_monitor", math.inf)
    standing = np.flatnonzero(np.abs(run.speed) < 1e-3)
    stands = float(run.time[standing[0]]) if standing.size else math.inf
    tick = float(run.time[1] - run.time[0])
    before = run.time <= trip
    strength = hoist_rope().minimum_breaking_force
    largest = float(run.tension.max())
    delay = read_gantry().limiters.rope_monitor.delay
    found: list[Finding] = [
        at_least("rope monitor trips after", delay, trip, "s"),
        at_most("rope monitor trips within", 0.2, trip, "s"),
        at_least(
            "least speed of the drum before, over the commanded",
            0.9,
            float(run.speed[before].min()) / RISING,
        ),
        at_most("drum stands within", 0.5, stands, "s"),
        Reading(
            "way that the drum still hoists",
            1e3 * tick * float(run.speed[run.time <= stands].sum()),
            "mm",
        ),
        Reading("largest tension of a part, rising", 1e-3 * largest, "kN"),
        at_most("over the breaking force, rising", 100.0, 100.0 * largest / strength, "%"),
        at_most("ropes that parted, rising", 1.0, float(run.parted)),
    ]
    caption = "Speed of the hoist as a rope breaks; the line is where the rope monitor trips."
    return Result(found, [Picture("rope_monitor", caption, lambda: draw_speed(run, trip))])


def draw_tensions(runs: dict[str, Broken]) -> "Figure":
    """Tensions over time while the load swings freely."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 3.6))
    for axes, (words, run) in zip(figure.subplots(1, 2, sharey=True), runs.items(), strict=True):
        free = run.time <= SWINGING
        for i in range(4):
            axes.plot(run.time[free], 1e-3 * run.tension[free, i], label=f"rope {i + 1}")
        axes.axhline(3e-3 * weight() / 8.0, color="gray", linewidth=0.7)
        axes.set(
            xlabel="time [s]", ylabel="tension of a part [kN]", title=words, ylim=(-5.0, 240.0)
        )
        axes.legend(loc="upper left", ncols=4)
    return figure


def draw_speed(run: Broken, trip: float) -> "Figure":
    """Speed of the hoist, and tensions."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 3.2))
    left, right = figure.subplots(1, 2)
    left.plot(run.time, run.speed)
    left.axvline(trip, color="gray", linewidth=0.7)
    left.set(xlabel="time [s]", ylabel="speed of the spreader's hoist [m/s]")
    for i in range(4):
        right.plot(run.time, 1e-3 * run.tension[:, i], label=f"rope {i + 1}")
    right.set(xlabel="time [s]", ylabel="tension of a part [kN]")
    right.legend()
    return figure


STUDY = Study(
    "Scenario 10: rope break",
    "Gantry crane rtg_41t and tower crane tower_12t; statics, and free fall.",
    Path("rope_break"),
    (
        Part("One of four ropes", break_one_of_four),
        Part("Rope monitor", break_while_rising),
        Part("The only rope", break_only_rope),
        Part("The broken end", snap),
    ),
)
