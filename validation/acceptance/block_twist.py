"""Scenario 7: twist of the hook block by the torque of a laid rope, on the tower crane.

Falls S_t apart at the trolley and S_b at the block, h long, resist the block's yaw psi with W S_t
S_b sin(psi) / (4 h) under the weight W; on four falls, point-symmetric about the block and with
sheaves of pitch diameter D, S_t S_b stands for S_t D + D^2, which at equal spacing is the square of
the diagonal. The rope's torque k_t d T + (GJ / L) twist acts once per fall, and n falls have T = W
/ n and twist by -n psi. With S^2 = S_t S_b or S_t D + D^2 the block rests where

    sin(psi) + b psi = a,    a = 4 h k_t d / S^2,    b = 4 h n^2 (GJ / L) / (S^2 W).

Beyond h = S^2 / (4 k_t d), where a = 1, it goes over the top and spins until the twist of the rope
holds it, at the next yaw that solves the equation: after several turns. Real falls would wrap
around one another; here they pass through. The sheaves are without loss: unequal tensions of the
falls would turn a block on four falls by themselves.
"""

import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cable_sim.cranes import load_crane
from cable_sim.machine.machine import Machine
from cable_sim.sim.observation import Observation
from cable_sim.spec.scene import GRAVITY
from validation.acceptance.pendulum import Array
from validation.acceptance.tower import reeve
from validation.harness import (
    Finding,
    Part,
    Picture,
    Progress,
    Quantity,
    Result,
    Statement,
    Study,
    at_least,
    at_most,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIX = "6x36ws_iwrc"
THIRTY_FOUR = "34x7_rotation_resistant"
BLOCK_AXLE = 0.4
"""Height of the block's axle above its centre [m]."""
NARROW = 0.4
WIDE = 1.2
"""Spacings of the falls [m]."""
WITHIN = 0.05
SMALL = 0.05
"""Tolerances of the scenario: of measured values [-], and of a swivelling block's yaw [deg]."""


class Lowered(NamedTuple):
    """A run: the machine, what it looks like at the end, and length h of the falls [m] and yaw
    [rad] on the way."""

    machine: Machine
    seen: Observation
    h: Array
    yaw: Array


def fall_length(seen: Observation) -> float:
    """Distance from the block's axle up to the trolley's sheaves [m]."""
    return float(
        seen.body("trolley").position[2] - seen.body("hook_block").position[2] - BLOCK_AXLE
    )


@cache
def lower_block(
    falls: int,
    top: float,
    wheel: float,
    rope: str,
    start: float,
    depth: float,
    speed: float = 1.0,
    hold: float = 30.0,
    drag: float = 40.0,
    swivel: bool = False,
    lay: str = "right",
) -> Lowered:
    """The crane lowers 4 t from one hook depth to another [m] with a speed [m/s], then holds for a
    time [s].

    S_t = ``top``, S_b = D = ``wheel``. ``drag`` brakes the block's turning [N m s/rad].
    """
    crane = load_crane(
        "tower_12t",
        {
            **reeve(top, wheel, falls),
            "reeving.sheave_efficiency": 1.0,
            "reeving.swivel": swivel,
            "hoist_rope.construction": rope,
            "hoist_rope.lay": lay,
            "rig.start.state": "hanging",
            "rig.start.hook_depth": start,
        },
    )
    machine = Machine(crane, dt=5e-3, substeps=10)
    seen = machine.observe()
    h = []
    yaw = []
    while machine.time < (depth - start) / speed + hold:
        machine.command("hoist", min(start + speed * machine.time, depth), "position")
        spin = seen.body("hook_block").angular_velocity[2]
        machine.simulator.push("hook_block", torque=(0.0, 0.0, -drag * spin))
        seen = machine.tick()
        h.append(fall_length(seen))
        yaw.append(machine.hook_yaw(seen) or 0.0)
    return Lowered(machine, seen, np.array(h), np.array(yaw))


def resting_yaws(falls: int, top: float, wheel: float, run: Lowered) -> tuple[float, float]:
    """Closed form: the first yaw at which the block rests [rad], and the one without the rope's own
    stiffness."""
    file = run.machine.crane.details
    spread = top * wheel if falls == 2 else top * wheel + wheel**2
    rope = file.ropes["hoist_rope"].rope
    weight = (file.rig.load.mass + file.hooks["hook_block"].mass) * GRAVITY
    a = 4.0 * run.h[-1] * abs(rope.torque_arm) / spread
    length = run.seen.cable("hoist_rope").length_paid_out
    b = 4.0 * run.h[-1] * falls**2 * rope.gj / (length * spread * weight)
    yaw = np.arange(0.0, 100.0, 1e-5)
    return float(yaw[np.argmax(np.sin(yaw) + b * yaw >= a)]), math.asin(min(a, 1.0))


def cabling_length(falls: int, spread: float, rope: str) -> float:
    """Length of the falls beyond which the block spins [m]: S^2 / (4 k_t d)."""
    crane = load_crane("tower_12t", {"hoist_rope.construction": rope})
    return (spread**2 if falls == 2 else 2.0 * spread**2) / (
        4.0 * abs(crane.details.ropes["hoist_rope"].rope.torque_arm)
    )


def twist(progress: Progress) -> Result:
    """4 t are lowered from the jib on six strands and on a rotation-resistant rope. Published are
    lengths and yaws of the rope's torque alone. The rope's own stiffness against twist holds back a
    little, and is in what is expected of the yaws; the published lengths are compared with where
    the yaw passes a right angle.
    """
    spun = {falls: spins(falls) for falls in progress.over((2, 4))}
    found = [
        *(finding for falls, run in spun.items() for finding in cabling_findings(falls, run)),
        *yaws_on_wide_falls(),
        *yaws_on_narrow_falls(),
    ]
    caption = (
        "Yaw of the block over the length of the falls while it is lowered, six strands, S 0.4 m."
    )
    return Result(found, [Picture("block_twist", caption, lambda: draw(spun))])


def cabling_findings(falls: int, run: Lowered) -> list[Finding]:
    """Length at which falls get cabled, and how far the block turns then."""
    over = float(run.h[np.argmax(run.yaw > 0.5 * math.pi)])
    known = cabling_length(falls, NARROW, SIX)
    printed = {2: "28", 4: None}[falls]
    name = f"length where {falls} falls get cabled, six strands"
    turned = resting_yaws(falls, NARROW, NARROW, run)[0] / (2.0 * math.pi)
    ours = float(run.yaw[-1]) / (2.0 * math.pi)
    return [
        Quantity(name, printed, known, over, WITHIN, "m"),
        Quantity(f"turns of the block on {falls} falls then", None, turned, ours, WITHIN),
    ]


def yaw_at_rest(
    name: str, printed: str | None, spacing: float, run: Lowered, note: str = ""
) -> Finding:
    """Yaw of a block on two falls at the end of a run, against the closed form."""
    theory = math.degrees(resting_yaws(2, spacing, spacing, run)[0])
    ours = math.degrees(float(run.yaw[-1]))
    return Quantity(name, printed, theory, ours, WITHIN, "deg", note)


def yaws_on_wide_falls() -> list[Finding]:
    """Yaw on falls that hold the block of both ropes."""
    ropes = ((SIX, "9.1", "six strands"), (THIRTY_FOUR, "0.8", "34x7"))
    return [
        yaw_at_rest(
            f"yaw at 40 m, S 1.2 m, {words}",
            printed,
            WIDE,
            lower_block(2, WIDE, WIDE, rope, 10.0, 41.0),
        )
        for rope, printed, words in ropes
    ]


def yaws_on_narrow_falls() -> list[Finding]:
    """Yaw on falls near one another, of a rope with little torque and of one with a swivel."""
    steady = lower_block(2, NARROW, NARROW, THIRTY_FOUR, 20.0, 59.0)
    limit = cabling_length(2, NARROW, THIRTY_FOUR)
    note = f"34x7 gets cabled at {limit:.0f} m; published 329"
    loose = lower_block(2, NARROW, NARROW, SIX, 20.0, 60.0, swivel=True)
    largest = math.degrees(float(np.abs(loose.yaw).max()))
    return [
        yaw_at_rest("yaw at 58 m, S 0.4 m, 34x7", None, NARROW, steady, note),
        at_most("yaw with a swivel, six strands", SMALL, largest, "deg"),
    ]


def spins(falls: int) -> Lowered:
    """Lowered slowly to a little beyond the cabling length."""
    limit = cabling_length(falls, NARROW, SIX)
    return lower_block(
        falls, NARROW, NARROW, SIX, 0.85 * limit, 1.05 * limit + 1.0, speed=0.08, hold=200.0
    )


def hoist_cabled_block(progress: Progress) -> Result:
    """The cabled block is to be hoisted at 0.1 m/s, which would draw falls that are wound round one
    another into the wheels: the limiter of its yaw, which tripped as the block began to spin,
    forbids that. Lowering it allows."""
    machine = spins(2).machine
    before = machine.save()
    risen = -_hoist_travel(machine, -0.1)
    state = machine.limits["hook_twist"]
    sunk = _hoist_travel(machine, 0.1)
    machine.restore(before)
    return Result(
        [
            Statement("limiter of the block's yaw", "latched", state == "latched", state),
            at_most("hoisted in 5 s", 1e-3, risen, "m"),
            at_least("lowered in 5 s", 0.4, sunk, "m"),
        ]
    )


def _hoist_travel(machine: Machine, speed: float, seconds: float = 5.0) -> float:
    """Return the way of the hoist [m] that is commanded a speed [m/s] for a while [s]."""
    begin = machine.axis_state(machine.observe(), "hoist").position
    for _ in range(round(seconds / machine.tick_time)):
        machine.command("hoist", speed)
        seen = machine.tick()
    return machine.axis_state(seen, "hoist").position - begin


def draw(runs: dict[int, Lowered]) -> "Figure":
    """Yaw in turns over the length of the falls."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 4.0))
    axes = figure.subplots()
    for color, (falls, run) in zip(("C0", "C1"), runs.items(), strict=True):
        axes.plot(run.h, run.yaw / (2.0 * math.pi), color=color, label=f"{falls} falls")
        axes.axvline(cabling_length(falls, NARROW, SIX), color=color, linestyle="--", linewidth=0.8)
    axes.set(xlabel="length of the falls [m]", ylabel="turns of the block")
    axes.legend()
    return figure


STUDY = Study(
    "Scenario 7: twist of the hook block",
    "Tower crane tower_12t; Wire Rope Corporation of America, Cranes Today.",
    Path("block_twist"),
    (Part("Lowering until the block is cabled", twist), Part("Hoisting again", hoist_cabled_block)),
)
