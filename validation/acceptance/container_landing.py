"""Scenario 8: a container comes down on a stack, from a crane that stands beside it and with a
spreader that is skewed.

*Landing.* The gantry stands 150 mm off the stack along the runway, the trolley 30 mm off along the
girders, and the upper ends of the ropes have turned by 2 deg, so that the container swings about
that. Then micro-motion alone brings it over the stack: ``skew`` and ``trim`` move the ropes' upper
ends by

    psi = psi_0 - 2 zeta / w  times the container's rate,        w = 2 pi / T of skew or sway,

which is where the stack is, and a damping ratio zeta. What is off along the girders stays off.

*Touch-down.* The ropes are let out at creep speed v. Ropes of length L, n falls of them, that carry
the container with T_0 each and with T_1 when the slack-rope switch trips, first have to shorten by
(T_0 - T_1) L / EA, which takes n falls per rope times less of the hook's way; and the container
sinks into the soft contact of its four corners, of stiffness k each, by as much as the ropes let
go of: t = (T_0 - T_1) (L / (2 EA) + n / (4 k)) / v. So it is the time from slack on that can be
short: the delay of the switch, a sample of the load pins and a tick of the control. An empty
spreader on a container stretches its ropes by a fifth of that, and its stop counts from the touch.
Rope is what leaves the drum for each of the four.

*Shares.* With the common centre of mass y from the middle of ropes that are 2 b apart, the ends
carry (1 +- y / b) / 2 of the weight. A container whose own corners carry 60/40 is not what an
eccentricity of 60/40 on the ropes is: these are a third as far apart, and carry more on one end.
"""

import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cable_sim.cranes import load_crane
from cable_sim.cranes.crane import Crane
from cable_sim.errors import CommandError
from cable_sim.machine.machine import Machine
from cable_sim.sim.observation import Observation
from cable_sim.spec.scene import GRAVITY
from validation.acceptance.container_swing import FALLS, HEIGHT, SKEW, periods, skew_period, yaw
from validation.acceptance.gantry import hoist_rope, sheave, spreader
from validation.acceptance.pendulum import Array
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
    at_most,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STACK = -4.0, 0.0
"""Place of the stack [m].

The file's other stacks would be in the way of a container that is skewed.
"""
OFF = 0.03, 0.15
"""Distances of trolley and gantry from the stack at the start [m]."""
FIRST = 6.0
ZETA = 0.4
"""Start of micro-motion [s], and the damping ratio that it gives [-]."""
STEADY = math.radians(0.15), 0.01
"""Yaw and way along the runway that the container has to keep to for a while before it is lowered
[rad, m]."""
FAST = 0.4
CREEP = 0.05
ABOVE = 0.6
"""Speeds of lowering, and height above the stack from which on it creeps [m/s, m/s, m]."""
TOUCHES = 0.1
"""Speed at which an empty spreader comes down on a container [m/s]."""
PLACE = 0.05
TURN = 0.5
"""Tolerances of the landing [m, deg]."""
SWITCH = 0.2
ROPE = 0.1
"""Time for the slack-rope switch, and rope let out [s, m]."""
DELAY = 0.05
"""Tolerance of a delay [-]."""
SHARE = 0.6
"""Share of the load on one end [-]."""


class Landing(NamedTuple):
    """Samples of a touch-down: time [s], yaw [rad], way off the stack along girders and runway [m],
    height of the container's underside [m], least pull of a rope's dead end [N], depth of the hoist
    [m], corners that bear, whether the switch has tripped; and what turning the twistlocks came to:
    corners that bore, and whether they did."""

    machine: Machine
    samples: Array
    turned: list[tuple[int, bool]]

    def first_below(self, column: int, below: float) -> float:
        """Return the first time after the touch at which a column is below a bound [s]."""
        after = (self.samples[:, 0] >= self.touch) & (self.samples[:, column] < below)
        return float(self.samples[after, 0][0])

    @property
    def touch(self) -> float:
        """Return the time at which the first corner bears [s]."""
        return float(self.samples[self.samples[:, 7] > 0.0, 0][0])

    @property
    def slack(self) -> float:
        """Return the time at which a pull falls below the switch's threshold [s]."""
        return self.first_below(5, self.machine.crane.details.limiters.slack_rope_switch.trip)

    @property
    def tripped(self) -> float:
        """Return the time at which the switch has tripped [s]."""
        return float(self.samples[self.samples[:, 8] > 0.0, 0][0])

    def rope(self, since: float) -> float:
        """Rope let out by the drum from a time on [m], of each of the four ropes."""
        depth = self.samples[self.samples[:, 0] >= since, 6]
        return float(self.machine.crane.axis("hoist").ratio * (depth.max() - depth[0]))


def crane(offset: float) -> Crane:
    """The crane with its container over a stack of one, its centre of mass ``offset`` [m] from the
    middle."""
    place = {"rig.start.trolley": STACK[0] + OFF[0], "rig.start.gantry": STACK[1] + OFF[1]}
    return load_crane(
        "rtg_41t",
        place
        | {
            "rig.start.state": "hanging",
            "rig.start.depth": FALLS + HEIGHT,
            "rig.twistlocks": "locked",
            "rig.load.offset": (0.0, offset),
            "site.stacks": ({"name": "stack", "xy": STACK},),
        },
    )


class Operator:
    """Operator that brings a container over the stack, lowers it when it is steady, and then
    unlocks it.

    It leads the container by micro-motion.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.samples: list[tuple[float, ...]] = []
        self.turned: list[tuple[int, bool]] = []
        self.steady_since = math.inf
        self.lowers = False

    def lead(self, seen: Observation) -> None:
        """Command skew and trim: first the skew that is there by mistake, then damping and the way
        to the stack."""
        spreader = seen.body("spreader")
        machine = self.machine
        if machine.time < FIRST:
            machine.command("skew", SKEW, "position")
            return
        skewing = 2.0 * math.pi / skew_period(FALLS, boxlike=False)[0]
        swaying = math.sqrt(GRAVITY / FALLS)
        machine.command("skew", -2.0 * ZETA / skewing * spreader.angular_velocity[2], "position")
        off = STACK[1] - seen.body("trolley").position[1]
        machine.command("trim", off - 2.0 * ZETA / swaying * spreader.velocity[1], "position")
        near = abs(yaw(seen)) < STEADY[0] and abs(spreader.position[1] - STACK[1]) < STEADY[1]
        self.steady_since = min(self.steady_since, machine.time) if near else math.inf
        self.lowers = self.lowers or machine.time - self.steady_since > 3.0

    def lower(self, bottom: float) -> None:
        """Lower the container, whose underside is so high over the stack [m], until the switch
        stops that."""
        if self.lowers:
            self.machine.command("hoist", CREEP if bottom < ABOVE else FAST)

    def look(self, seen: Observation, bottom: float) -> None:
        """Take a sample."""
        machine = self.machine
        container = seen.body("container")
        hoist = self.machine.axis_state(seen, "hoist")
        pull = min(seen.cable(rope).tension_dead_end for rope in machine.crane.ropes)
        assert machine.spreader is not None
        self.samples.append(
            (
                seen.time,
                yaw(seen),
                *(container.position[:2] - STACK),
                bottom,
                pull,
                hoist.position,
                machine.spreader.corners(seen),
                machine.limits["slack_rope_switch"] == "tripped",
            )
        )

    def unlock(self) -> bool:
        """Try to unlock; return True if the twistlocks are open then."""
        assert self.machine.spreader is not None
        corners = int(self.samples[-1][7])
        try:
            self.machine.twistlocks(False)
        except CommandError:
            self.turned.append((corners, False))
            return False
        self.turned.append((corners, True))
        return True


@cache
def land_container(offset: float = 0.0) -> Landing:
    """A container is put on the stack; unlocking is tried once a tick, from half a second before it
    touches on."""
    machine = Machine(crane(offset), dt=2e-3, substeps=5)
    operator = Operator(machine)
    seen = machine.tick()
    free = False
    half = 0.5 * machine.crane.details.rig.load.size[2]
    top = machine.crane.details.site.tops[0].height
    after = math.inf
    while machine.time < min(90.0, after + 4.0):
        bottom = float(seen.body("container").position[2]) - half - top
        operator.look(seen, bottom)
        operator.lead(seen)
        operator.lower(bottom)
        if bottom < 0.5 * CREEP and not free and operator.unlock():
            free = True
            after = machine.time
        seen = machine.tick()
    return Landing(machine, np.array(operator.samples), operator.turned)


def standing_depth() -> float:
    """Return the depth of the top of a container that stands at the start [m]."""
    crane = load_crane("rtg_41t")
    container = next(body for body in crane.scene.bodies if body.name == "container")
    top = container.position[2] + 0.5 * crane.details.rig.load.size[2]
    return float(crane.details.parts["gantry"].at[2] - top)


@cache
def touch_container() -> Landing:
    """An empty spreader comes down on a container that stands on the ground."""
    depth = standing_depth() - 0.3
    machine = Machine(
        load_crane("rtg_41t", {"rig.twistlocks": "open", "rig.start.depth": depth}),
        dt=2e-3,
        substeps=5,
    )
    operator = Operator(machine)
    while machine.time < 5.0:
        machine.command("hoist", TOUCHES)
        operator.look(machine.tick(), 0.0)
    return Landing(machine, np.array(operator.samples), [])


@cache
def split(offset: float) -> tuple[float, float]:
    """Share of the load on the ropes of one end, after it has been lifted from the ground: balance,
    and load pins."""
    changes = {
        "rig.start.state": "on_ground",
        "rig.start.trolley": 0.0,
        "rig.load.offset": (0.0, offset),
    }
    machine = Machine(
        load_crane("rtg_41t", changes | {"site.stacks": (), "limiters": None}), dt=2e-3, substeps=5
    )
    pulls = []
    while machine.time < 40.0:
        machine.command("hoist", -TOUCHES if machine.time < 12.0 else 0.0)
        machine.tick()
        if machine.time > 30.0:
            pulls.append([machine.readings[f"{rope}.pull"] for rope in machine.crane.ropes])
    mean = np.mean(pulls, axis=0)
    load = machine.crane.details.rig.load
    centre = load.offset[1] * load.mass / (load.mass + spreader().mass)
    share = 0.5 * (1.0 + centre / sheave().at[1])
    return share, float((mean[0] + mean[1]) / mean.sum())


def offset_of(share: float, apart: float, carried: float) -> float:
    """Return the offset of a container's centre of mass [m] for a ``share`` of the load on one end.

    The load is the container and what carries it, ``carried`` times the container. ``apart`` is the
    distance of the two ends [m].
    """
    return (share - 0.5) * apart * carried


def unloading_time(run: Landing) -> float:
    """Time from touch to slack of ropes that carried spreader and container [s], see the head."""
    file = run.machine.crane.details
    seen = run.machine.observe()
    falls = sum(hung.n_falls for hung in run.machine.crane.suspensions)
    before = (spreader().mass + file.rig.load.mass) * GRAVITY / falls
    length = seen.cable("hoist_rope_1").length
    lost = before - file.limiters.slack_rope_switch.trip
    shortening = lost * length / hoist_rope().ea / run.machine.crane.axis("hoist").ratio
    corner = file.site.ground.stiffness  # everything is as soft
    return float((shortening + lost * falls / (4.0 * corner)) / CREEP)


def land_on_stack(progress: Progress) -> Result:
    """41 t are put on a stack of one container by micro-motion: the operator sees where the
    spreader is and how it turns. The twistlocks are tried in every tick; they open when all four
    corners bear and the ropes do not pull.
    """
    progress(0.0)
    run = land_container()
    empty = touch_container()
    progress(0.6)
    uneven = land_container(offset_of(SHARE, 4.0, 51.0 / 41.0))
    last = run.samples[-1]
    found: list[Finding] = [
        at_most("off the stack along the girders", PLACE, abs(float(last[2])), "m"),
        at_most("off the stack along the runway", PLACE, abs(float(last[3])), "m"),
        at_most("turned from the stack", TURN, abs(math.degrees(float(last[1]))), "deg"),
        Reading(
            "largest yaw before micro-motion",
            math.degrees(float(np.abs(run.samples[:, 1]).max())),
            "deg",
        ),
        Quantity(
            "time from touch to slack ropes, 41 t",
            None,
            unloading_time(run),
            run.slack - run.touch,
            DELAY,
            "s",
            "the sheaves' friction holds up the dead ends",
        ),
        at_most("switch after ropes are slack, 41 t", SWITCH, run.tripped - run.slack, "s"),
        at_most("rope let out since the touch, 41 t", ROPE, run.rope(run.touch), "m"),
        at_most("switch after the touch, empty spreader", SWITCH, empty.tripped - empty.touch, "s"),
        at_most("rope let out since the touch, empty spreader", ROPE, empty.rope(empty.touch), "m"),
        interlock("41 t", run, {0}),
        interlock("41 t, 60/40 on the ropes", uneven, {0, 2}),
    ]
    stays = float(np.abs(np.diff(run.samples[run.samples[:, 0] > run.tripped + 1.0, 4])).max())
    found.append(at_most("container moves when it is unlocked", 1e-3, stays, "m"))
    caption = "41 t come down on a stack: yaw and way off it, pull of the slackest rope."
    return Result(found, [Picture("container_landing", caption, lambda: draw(run))])


def interlock(name: str, run: Landing, met: set[int]) -> Statement:
    """Return the statement that twistlocks opened at four corners alone.

    With fewer, ``met`` among them, they were refused.
    """
    refused = [corners for corners, done in run.turned if not done]
    done = [corners for corners, done in run.turned if done]
    told = (
        f"refused at {', '.join(map(str, sorted(set(refused))))} corners, then open at "
        f"{', '.join(map(str, done))}"
    )
    return Statement(
        f"twistlocks, {name}", "open at 4 corners alone", done == [4] and met <= set(refused), told
    )


def shares(progress: Progress) -> Result:
    """Containers whose centre of mass is beside their middle are lifted from the ground and hang at
    rest: what the load pins say of either end.
    """
    found: list[Finding] = []
    cases = (
        ("60/40 on the ropes", "0.60", offset_of(SHARE, 4.0, 51.0 / 41.0)),
        ("60/40 on the container's own ends", None, offset_of(SHARE, 12.19, 1.0)),
    )
    for name, printed, offset in progress.over(cases):
        theory, ours = split(offset)
        found.append(Quantity(f"share of one end, {name}", printed, theory, ours, 0.02))
    return Result(found)


def draw(run: Landing) -> "Figure":
    """Yaw, way off the stack, and pull over time."""
    from matplotlib.figure import Figure

    time, turn, along, across, _, pull = run.samples[:, :6].T
    figure = Figure(figsize=(9.0, 6.0))
    yaws, ways, pulls = figure.subplots(3, 1, sharex=True)
    yaws.plot(time, np.degrees(turn))
    yaws.axhspan(-TURN, TURN, color="C2", alpha=0.2)
    yaws.set(ylabel="yaw [deg]")
    for way, name in ((along, "along the girders"), (across, "along the runway")):
        ways.plot(time, way, label=name)
    ways.axhspan(-PLACE, PLACE, color="C2", alpha=0.2)
    ways.set(ylabel="off the stack [m]")
    ways.legend()
    pulls.plot(time, 1e-3 * pull)
    pulls.axvline(run.touch, color="gray", linewidth=0.7)
    pulls.set(ylabel="least pull [kN]", xlabel="time [s]")
    return figure


STUDY = Study(
    "Scenario 8: container landing with spreader skew",
    "Rubber-tyred gantry rtg_41t, 41 t; multi-filar pendulum.",
    Path("container_landing"),
    (
        Part("Skew and sway", periods),
        Part("Landing on a stack", land_on_stack),
        Part("Eccentric loads", shares),
    ),
)
