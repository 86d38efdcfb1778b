"""Two-block, of scenario 3: the hook runs into the trolley.

A block that has run into the trolley stands, and rope that is taken in from then on stretches. With
the path s of the rope at that moment, T = EA (s / L_0 - 1), so that rope taken in at n v gets to
the breaking force F in

    t = s (1 / (1 + T_0 / EA) - 1 / (1 + F / EA)) / (n v),

in the mean at (F - T_0) / t, some 1 % more than the n v EA / L_0 of small strains. That is a motor
which keeps its speed whatever it pulls. One that pulls F_m at most, and P / v, is overcome before:
its rotor, m_w at the rope, runs down as

    m_w v' = min(F_m, P / v) - T,        T' = EA v / L_0.

A limit switch that acts after a delay d stops the hook in v d + v^2 / 2 a.

The crane's scene has nothing to meet there, because its limit switch keeps hook and trolley apart.
The scenario adds a box to each, whose faces touch when the axles are one sheave apart. Its falls
are vertical, a sheave apart at the trolley as at the block, so that the hook goes up by rope over
falls; its wheels have no loss, its drum has one layer, and its drive no lag.
"""

import math
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cable_sim.cranes import load_crane
from cable_sim.cranes.crane import Crane
from cable_sim.cranes.parts.instruments import Threshold
from cable_sim.machine.machine import Machine
from cable_sim.spec import Box, BoxContact, Obstacle, Touch
from cable_sim.spec.scene import GRAVITY
from validation.acceptance.pendulum import Array
from validation.acceptance.tower import block_mass, hoist_rope, read_tower, reeve
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

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RATED = 0.614
FAST = 1.333
"""Hook speeds [m/s]."""
HANGING_MASS = 20.0
"""Mass on the empty hook, next to nothing [kg]."""
DECELERATION = 0.5
DELAY = 0.2
"""Deceleration and delay of the published stop [m/s^2, s]."""
WITHIN = 0.05
"""Tolerance of the scenario [-]."""
CLOSE = 2e-4
LONG_ENOUGH = 1.5
"""Distance at which two stops touch [m], and how long a meeting is looked at [s]."""
IDEAL = {"axes.hoist.effort": 3.1e6, "axes.hoist.power": 3.8e6}
"""Changes of the crane's file for a motor that keeps its speed whatever it pulls."""
STEADY = {
    **reeve(0.4),
    "reeving.sheave_efficiency": 1.0,
    "drum.layers": None,
    "drives.hoist.tau": 1e-3,
    "axes.hoist.accel": DECELERATION,
    "limiters.hoist_upper_slow_down": None,
    "limiters.hoist_upper_limit": Threshold(0.0, delay=DELAY),
}
"""Changes of the crane's file for the reduced crane."""


class Meeting(NamedTuple):
    """Samples of a hook that goes up: time [s], line pull [N], distance of the axles [m], whether
    it has been at the trolley, length of the rope's path [m], and whether the rope has broken."""

    time: Array
    pull: Array
    distance: Array
    touches: Array
    path: Array
    broken: Array

    @property
    def meeting_sample(self) -> int:
        """Sample at which the hook is at the trolley; the last one if it never is."""
        return int(np.argmax(self.touches)) if self.touches.any() else self.time.size - 1

    @property
    def time_to_break(self) -> float:
        """Return the time from there to the rope's breaking [s]; NaN for one that holds."""
        return (
            float(self.time[np.argmax(self.broken)] - self.time[self.meeting_sample])
            if self.broken.any()
            else math.nan
        )


_LIKE = BoxContact("lower_stop", ("upper_stop",))
TOUCH = Touch(friction=_LIKE.friction, stiffness=_LIKE.stiffness, damping_time=_LIKE.damping_time)
"""How the stops touch: as two boxes of a scene without a collision."""


def blocks(changes: dict[str, Any], depth: float, guarded: bool) -> Crane:
    """The crane with an empty hook, a box on it and one on the trolley, and a rope that breaks.

    Its hoist's own way does not end before the trolley, unless it is ``guarded`` by its control.
    """
    rig = {
        "rig.load.mass": HANGING_MASS,
        "rig.load.size": (0.1, 0.1, 0.1),
        "rig.start.radius": 30.0,
        "rig.start.state": "hanging",
        "rig.start.hook_depth": depth,
        "parts.trolley.solids": {},
    }
    crane = load_crane("tower_12t", rig | changes)
    scene = crane.scene
    box = Box(0.6, 0.4, 0.2)
    axle = scene.cables[0].nodes[3].position[2]
    rim = wheel_diameter()
    solids = (
        Obstacle("upper_stop", box, "trolley", (0.0, 0.0, 0.1)),
        Obstacle("lower_stop", box, "hook_block", (0.0, 0.0, axle + rim - 0.1)),
    )
    assert scene.collision is not None
    scene = replace(
        scene,
        obstacles=(*scene.obstacles, *solids),
        collision=replace(scene.collision, pairs=(("lower_stop", "upper_stop", TOUCH),)),
        cables=(replace(scene.cables[0], parts=True), *scene.cables[1:]),
    )
    ends = {} if guarded else {"hoist": -10.0}
    axes = tuple(replace(axis, lower=ends.get(axis.name, axis.lower)) for axis in crane.axes)
    return replace(crane, scene=scene, axes=axes)


def hoist_hook(machine: Machine, speed: float, seconds: float) -> Meeting:
    """The hook goes up for a while, until the rope breaks, or it has been at the trolley for long
    enough."""
    rows: list[tuple[float, ...]] = []
    rim = wheel_diameter()
    axle = machine.crane.scene.cables[0].nodes[3].position[2]
    until = seconds
    touches = False
    broken = False
    while machine.time < until and not broken:
        machine.command("hoist", -speed)
        seen = machine.tick()
        rope = seen.cable("hoist_rope")
        distance = seen.body("trolley").position[2] - seen.body("hook_block").position[2] - axle
        if distance < rim + CLOSE and not touches:
            touches = True
            until = machine.time + LONG_ENOUGH
        broken = rope.parted
        rows.append((seen.time, rope.span_tension.max(), distance, touches, rope.length, broken))
    time, pull, apart, touched, path, parted = np.array(rows).T
    return Meeting(time, pull, apart, touched > 0.0, path, parted > 0.0)


@cache
def run_into_trolley(speed: float, ideal: bool) -> Meeting:
    """The hook runs into the trolley with all limiters bypassed, by a motor that nothing stops or
    by its own."""
    machine = Machine(
        blocks(STEADY | (IDEAL if ideal else {}), 4.5, guarded=False), dt=1e-3, substeps=1
    )
    assert machine.plc
    for limiter in machine.crane.limiters:
        machine.plc.bypass(limiter.name, True)
    return hoist_hook(machine, speed, 12.0)


@cache
def stopping_way(speed: float) -> float:
    """Way of the hook from the limit switch to where its limiter has stopped it [m], and nothing
    else."""
    machine = Machine(blocks(STEADY, 6.0, guarded=False))
    run = hoist_hook(machine, speed, 9.0)
    block = read_tower().hooks["hook_block"]
    switch = machine.crane.details.axes["hoist"].limits[0] - block.hook_below_axle
    return float(switch - run.distance[-1])


@cache
def run_guarded(speed: float) -> Meeting:
    """The crane as it is, all of its limiters on."""
    return hoist_hook(Machine(blocks({}, 6.0, guarded=True)), speed, 10.0)


def time_to_break(speed: float, path: float) -> float:
    """Return the time in which rope taken in gets to its breaking force [s].

    It follows from the path that the rope has when the hook stands [m].
    """
    rope = hoist_rope()
    strains = [force / rope.ea for force in (empty_pull(), rope.minimum_breaking_force)]
    return path * (1.0 / (1.0 + strains[0]) - 1.0 / (1.0 + strains[1])) / (2.0 * speed)


def wheel_diameter() -> float:
    """Pitch diameter of the block's wheel [m]."""
    return float(read_tower().hooks["hook_block"].wheels["near"].diameter)


def empty_pull() -> float:
    """Line pull of the empty hook on two falls [N]."""
    return 0.5 * (block_mass() + HANGING_MASS) * GRAVITY


def stalled_peak(speed: float, path: float) -> float:
    """Largest line pull of the crane's own motor [N], which its rotor runs down against."""
    from scipy.integrate import solve_ivp

    hoist = read_tower().axes["hoist"]
    winch_mass = read_tower().ropes["hoist_rope"].winch_mass
    stiffness = hoist_rope().ea / path

    def rates(time: float, y: Array) -> list[float]:
        pull, rate = y
        spare = min(hoist.effort, hoist.power / max(rate, 1e-9)) - pull
        holds = rate >= 2.0 * speed and spare > 0.0
        return [stiffness * rate, 0.0 if holds else min(spare, 0.0) / winch_mass]

    def stands(time: float, y: Array) -> float:
        return float(y[1])

    stands.terminal = True  # type: ignore[attr-defined]
    solved = solve_ivp(rates, (0.0, 5.0), [empty_pull(), 2.0 * speed], max_step=1e-3, events=stands)
    return float(solved.y[0, -1])


def two_block(progress: Progress) -> Result:
    """The empty hook is hoisted into the trolley. With its limiters bypassed and a motor that keeps
    its speed the rope breaks, after what the closed form says; published numbers are for 83 m of
    rope, and there are 81 m then. The motor of the crane is overcome before. With the limit switch
    alone, acting after 0.2 s, and a ramp of 0.5 m/s^2 the hook stops as published; and the crane as
    it is slows down before, stops at its limit switch and does not touch.
    """
    found: list[Finding] = []
    told = {RATED: ("162", "0.97", "0.50"), FAST: (None, "0.45", "2.0")}
    for speed, (rise, time, way) in progress.over(list(told.items())):
        found += [
            *breaking_findings(speed, rise, time),
            *stall_findings(speed),
            *stop_findings(speed, way),
        ]
    run = hoist_hook(Machine(blocks(STEADY | reeve(1.2), 6.0, guarded=False)), FAST, 12.0)
    name = "axles at rest on sloping falls, limit switch alone, 1.333 m/s"
    found.append(Reading(name, run.distance[-1], "m"))
    caption = (
        "Line pull since the hook stands at the trolley: a motor that keeps its speed, and "
        "the crane's own."
    )
    return Result(found, [Picture("limiters_two_block", caption, draw)])


def breaking_findings(speed: float, rise: str | None, time: str) -> list[Finding]:
    """Rise of the line pull to the breaking force, of a motor that keeps its speed."""
    run = run_into_trolley(speed, True)
    words = f"at {speed:g} m/s"
    expected = time_to_break(speed, run.path[run.meeting_sample])
    rope = hoist_rope()
    whole = 1e-3 * (rope.minimum_breaking_force - empty_pull())
    theory = whole / expected
    ours = whole / run.time_to_break
    name = f"rise of the line pull {words}"
    until = f"time to the breaking force {words}"
    return [
        Quantity(name, rise, theory, ours, WITHIN, "kN/s"),
        Quantity(until, time, expected, run.time_to_break, WITHIN, "s"),
    ]


def stall_findings(speed: float) -> list[Finding]:
    """Largest line pull of the crane's own motor, with all limiters bypassed."""
    own = run_into_trolley(speed, False)
    words = f"at {speed:g} m/s"
    peak = 1e-3 * stalled_peak(speed, own.path[own.meeting_sample])
    ours = 1e-3 * own.pull.max()
    rope = hoist_rope()
    share = own.pull.max() / rope.minimum_breaking_force
    return [
        Quantity(f"peak of the crane's own motor {words}", None, peak, ours, WITHIN, "kN"),
        at_most(f"that over the breaking force {words}", 1.0, share),
    ]


def stop_findings(speed: float, way: str) -> list[Finding]:
    """Return findings on the stops of the hook by its limit switch alone, and by all limiters."""
    words = f"at {speed:g} m/s"
    gap = wheel_diameter()
    expected = speed * DELAY + 0.5 * speed**2 / DECELERATION
    nearest = float(run_guarded(speed).distance.min())
    rest = f"way from the limit switch to rest {words}"
    return [
        Quantity(rest, way, expected, stopping_way(speed), WITHIN, "m"),
        at_least(f"nearest to the trolley with all limiters {words}, axles", gap, nearest, "m"),
    ]


def draw() -> "Figure":
    """Line pull over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 4.0))
    axes = figure.subplots()
    for speed, color in ((RATED, "C0"), (FAST, "C1")):
        for ideal, style in ((True, "-"), (False, "--")):
            run = run_into_trolley(speed, ideal)
            label = f"{speed:g} m/s, " + ("keeps its speed" if ideal else "own motor")
            axes.plot(
                run.time - run.time[run.meeting_sample],
                1e-3 * run.pull,
                style,
                color=color,
                label=label,
            )
    force = 1e-3 * hoist_rope().minimum_breaking_force
    axes.axhline(force, color="gray", linewidth=0.7)
    axes.set(xlim=(-0.2, 1.5), xlabel="time since they met [s]", ylabel="line pull [kN]")
    axes.legend()
    return figure
