"""Scenario 3: limiters of a tower crane: overload, moment, two-block.

*Load chart.* The moment limiter trips at its share of the capacity, which the maker publishes point
by point. Test loads hang at rest at every published radius; the one at which the limiter just trips
is found by halving.

*Travelling out.* With the law (Q + q0) (R - r0) = M of the chart, a load Q is the share s of the
capacity at

    R = r0 + M / (Q / s + q0).

*Picking up too much.* From the trip to lift-off the falls stretch by another (m - trip q_max) g L /
(n^2 EA). The hook runs on at its speed v while the limiter waits and the drive comes to rest, v
(delay + filter + lag) + v^2 / 2 a, and the load stays where it is if that is less.

*Two-block.* See ``two_block.py``.
"""

import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cable_sim.cranes import load_crane
from cable_sim.cranes.parts.instruments import Threshold
from cable_sim.machine.machine import Machine
from cable_sim.spec.scene import GRAVITY
from validation.acceptance.pendulum import Array
from validation.acceptance.tower import hoist_rope
from validation.acceptance.two_block import two_block
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
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CRANES = ("tower_12t", "tower_5t")
HANGING = {"rig.start.state": "hanging", "rig.start.hook_depth": 20.0}
CHART_WITHIN = 0.005
"""Tolerance of the scenario for trips by the chart [-]."""
BRACKET = 0.01
HALVINGS = 4
"""Bracket of loads about the expected one, as a share of it [-], and number of its halvings."""
OUT = 4240.0
SPEED_OUT = 0.2
"""Load that travels out [kg], how fast [m/s]."""
SHARES = {0.90: "46.0", 1.00: "50.0", 1.10: "53.8"}
"""Radius at which that load is such a share of the capacity, as published [m]."""
RADIUS_WITHIN = 0.003
"""Tolerance of these radii: a third of the noise of the pins' reading is worth 0.05 m [-]."""
HEAVY = 6600.0
HEAVY_RADIUS = 30.0
"""Load that is too heavy [kg], and its radius [m]."""
LOAD_LIMITERS = ("load_limiter", "load_moment_limiter")
INCHING = 0.01
CREEP = 0.07
RATED = 0.614
"""Hook speeds [m/s]."""


@cache
def file(name: str) -> Any:
    """A crane's file."""
    return load_crane(name).details


def chart_points(name: str, falls: int) -> dict[float, float]:
    """Radii [m] and capacities [kg] as published, with the end of the largest load."""
    chart = load_crane(name, {"reeving.n_falls": falls}).details.chart
    return dict(sorted({chart.r_full: chart.q_max, **dict(chart.points)}.items()))


def loaded_machine(name: str, falls: int, radius: float, mass: float) -> Machine:
    """The crane with a load that hangs there; its trolley reaches to the end of the chart, half a
    metre further."""
    low, _ = file(name).parts["trolley"].joint.limits
    reach = {"crane.radius_limits": (low, file(name).chart.points[-1][0])}
    rig = {"rig.start.radius": radius, "rig.load.mass": mass, "reeving.n_falls": falls}
    return Machine(load_crane(name, HANGING | reach | rig), dt=2e-3, substeps=5)


def trips(machine: Machine) -> bool:
    """Return True if the moment limiter trips on the load at rest."""
    wait = machine.crane.details.limiters.load_moment_limiter.delay + 0.5
    while machine.time < wait and machine.limits["load_moment_limiter"] != "tripped":
        machine.tick()
    return machine.limits["load_moment_limiter"] == "tripped"


def tripping_load(name: str, falls: int, radius: float, expected: float) -> float:
    """Least load that trips the limiter [kg], within a few ten-thousandths; NaN if it is not near
    the expected one."""
    low = (1.0 - BRACKET) * expected
    high = (1.0 + BRACKET) * expected
    if trips(loaded_machine(name, falls, radius, low)) or not trips(
        loaded_machine(name, falls, radius, high)
    ):
        return math.nan
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (
            (low, middle) if trips(loaded_machine(name, falls, radius, middle)) else (middle, high)
        )
    return 0.5 * (low + high)


def load_chart(progress: Progress) -> Result:
    """Both tower cranes on two and on four falls: the load that trips the moment limiter, over the
    limiter's share, beside the published capacity. The jib is half a metre longer here, because the
    trolleys stop that much before the end of the chart.
    """
    charts = [(name, falls) for name in CRANES for falls in (2, 4)]
    cases = [(*chart, *point) for chart in charts for point in chart_points(*chart).items()]
    found: list[Finding] = []
    for name, falls, radius, capacity in progress.over(cases):
        share = file(name).limiters.load_moment_limiter.trip
        ours = tripping_load(name, falls, radius, share * capacity) / share
        words = f"{name}, {falls} falls, {radius:g} m: tripping load over {share:g}"
        found.append(Quantity(words, None, 1e-3 * capacity, 1e-3 * ours, CHART_WITHIN, "t"))
    return Result(found)


class Travel(NamedTuple):
    """Radius [m] and share of the capacity as the control reads it, tick by tick."""

    radius: Array
    share: Array

    def radius_of_share(self, share: float) -> float:
        """Radius at which a share is read first [m]."""
        return float(self.radius[np.argmax(self.share >= share)])


@cache
def travel_out(efficiency: float) -> Travel:
    """The load travels out past the end of what is allowed, with the moment limiter bypassed."""
    rig = {"rig.load.mass": OUT, "rig.start.radius": 44.0, "reeving.sheave_efficiency": efficiency}
    machine = Machine(load_crane("tower_12t", HANGING | rig))
    rows = [(0.0, 0.0)]
    assert machine.plc
    machine.plc.bypass("load_moment_limiter", True)
    while rows[-1][0] < 55.0:
        machine.command("trolley", SPEED_OUT)
        rows.append((machine.tick().joint("trolley").position, machine.readings["load_moment"]))
    radius, share = np.array(rows[1:]).T
    return Travel(radius, share)


def share_radius(share: float) -> float:
    """Radius at which the load is that share of the capacity [m]."""
    law = file("tower_12t").chart.law
    return float(law.r0 + law.moment / (OUT / share + law.q0))


def speeds(machine: Machine, seconds: float, **commands: float) -> dict[str, float]:
    """Speeds of axes that are commanded for a while [m/s]."""
    for _ in range(round(seconds / machine.tick_time)):
        for axis, speed in commands.items():
            machine.command(axis, speed)
        seen = machine.tick()
    return {axis: machine.axis_state(seen, axis).velocity for axis in commands}


def moment(progress: Progress) -> Result:
    """4.24 t on two falls travel out at 0.2 m/s. Radii at which the control reads a share of the
    capacity are judged on wheels without loss. On wheels as they are the pins at the rope's ends
    carry up to 1 % more or less than the falls while the trolley travels, which moves the trip by
    up to half a metre.
    """
    found: list[Finding] = []
    plain = travel_out(1.0)
    real = travel_out(file("tower_12t").parts["jib"].wheels["head"].efficiency)
    progress(0.6)
    for share, printed in SHARES.items():
        words = f"radius at {100.0 * share:.0f} % of the capacity"
        found.append(
            Quantity(
                words,
                printed,
                share_radius(share),
                plain.radius_of_share(share),
                RADIUS_WITHIN,
                "m",
            )
        )
        found.append(Reading(f"{words}, wheels with losses", real.radius_of_share(share), "m"))
    found += check_blocked()
    caption = (
        "Share of the capacity that the control reads of 4.24 t on the way out, and the "
        "chart's law."
    )
    return Result(found, [Picture("limiters_moment", caption, lambda: draw_travel(plain, real))])


def check_blocked() -> list[Finding]:
    """Return findings on the motions that the crane still makes when the limiter has tripped on the
    way out."""
    machine = Machine(
        load_crane("tower_12t", HANGING | {"rig.load.mass": OUT, "rig.start.radius": 45.0})
    )
    warned = 0.0
    while machine.limits["load_moment_limiter"] != "tripped":
        machine.command("trolley", SPEED_OUT)
        radius = machine.tick().joint("trolley").position
        if not warned and machine.limits["load_moment_limiter"] == "warning":
            warned = radius
    limiter = file("tower_12t").limiters.load_moment_limiter
    away = speeds(machine, 4.0, trolley=0.5, hoist=-0.3)
    back = speeds(machine, 3.0, trolley=-0.5, hoist=0.3)
    told = "out {trolley:.3f}, down {hoist:.3f} m/s".format
    stands = all(abs(speed) < 1e-3 for speed in away.values())
    moves = back["trolley"] < -0.45 and back["hoist"] > 0.27
    return [
        Reading("radius of the warning", warned, "m"),
        Reading(
            f"radius of the trip at {100.0 * limiter.trip:.0f} %, {limiter.delay:g} s late",
            radius,
            "m",
        ),
        Statement("tripped: out and up", "blocked", stands, told(**away)),
        Statement("tripped: in and down", "free", moves, told(**back)),
    ]


class Pick(NamedTuple):
    """Result of a pick.

    Force of the ground [N], height that the load has gained [m], hook speed [m/s], whether a
    limiter of the load acts, and time off the ground before one tripped first [s].
    """

    ground: float
    height: float
    speed: float
    tripped: bool
    lifted: float


@cache
def pick_load(speed: float, prompt: bool = False) -> Pick:
    """The heavy load hoisted at a hook speed [m/s]; ``prompt``: limiters that do not wait and a
    drive without lag."""
    rig: dict[str, Any] = {
        "rig.load.mass": HEAVY,
        "rig.start.radius": HEAVY_RADIUS,
        "rig.slings.slack": 1e-4,
    }
    if prompt:
        rig |= {f"limiters.{name}": Threshold(1.05) for name in LOAD_LIMITERS} | {
            "drives.hoist.tau": 1e-3
        }
    machine = Machine(load_crane("tower_12t", rig))
    start = machine.observe().body("load").position[2]
    rows = []
    for _ in range(round((0.6 / speed + 8.0) / machine.tick_time)):
        machine.command("hoist", -speed)
        seen = machine.tick()
        load = seen.body("load")
        tripped = "tripped" in [machine.limits[name] for name in LOAD_LIMITERS]
        rows.append((load.position[2] - start, load.contact_force[2], tripped))
    height, ground, trips = np.array(rows).T
    lifted = machine.tick_time * float(((ground == 0.0) & (np.cumsum(trips) == 0.0)).sum())
    hook = machine.axis_state(seen, "hoist").velocity
    return Pick(float(ground[-1]), float(height.max()), hook, tripped, lifted)


def standing_speed() -> float:
    """Fastest hook speed at which the limiter stops the heavy load on the ground [m/s]; wheels
    without loss."""
    tower = file("tower_12t")
    limiter = tower.limiters.load_limiter
    hoist = tower.axes["hoist"]
    crane = load_crane("tower_12t")
    n = crane.axis("hoist").ratio
    length = Machine(crane).observe().cable("hoist_rope").length
    over = (HEAVY - limiter.trip * tower.chart.q_max) * GRAVITY
    way = over * length / (n**2 * hoist_rope().ea)
    late = limiter.delay + tower.sensors.load_pin.filter + hoist.tau
    braking = hoist.accel
    return float(braking * (math.sqrt(late**2 + 2.0 * way / braking) - late))


def overload(progress: Progress) -> Result:
    """6.6 t, 110 %, stand on the ground at 30 m and are hoisted. From 105 % on, where the limiters
    trip, little stretch is left before the load comes off. They wait a second, so as not to trip on
    the bounce of a rated load, so that only a load that is picked up slowly is blocked on the
    ground. At creep speed that takes limiters that do not wait and a drive without lag; with the
    crane's own the load is off by then, and hangs blocked. At rated speed it bounces below 105 %
    again and again, and the limiters trip when that has died down.
    """
    name = "speed that leaves 6.6 t on the ground, closed form without losses"
    found: list[Finding] = [at_least(name, INCHING, standing_speed(), "m/s")]
    cases = {
        "0.01 m/s": (INCHING, False),
        "creep, prompt limiters and drive": (CREEP, True),
        "creep": (CREEP, False),
    }
    for words in progress.over(list(cases)):
        run = pick_load(*cases[words])
        blocked = run.tripped and abs(run.speed) < 1e-3
        told = f"{1e3 * run.speed:.2f} mm/s"
        found.append(Statement(f"hoist of 6.6 t, {words}", "blocked", blocked, told))
        if words != "creep":
            found.append(at_least(f"6.6 t, {words}: force of the ground", 1.0, run.ground, "N"))
    for words, speed in (("creep", CREEP), ("rated speed", RATED)):
        found.append(
            Reading(
                f"6.6 t off the ground before the first trip, {words}", pick_load(speed).lifted, "s"
            )
        )
    found.append(Reading("height of 6.6 t at rest, creep", pick_load(CREEP).height, "m"))
    return Result(found)


def draw_travel(plain: Travel, real: Travel) -> "Figure":
    """Share of the capacity over radius."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 4.0))
    axes = figure.subplots()
    for run, label in ((plain, "wheels without loss"), (real, "wheels as they are")):
        axes.plot(run.radius, 100.0 * run.share, label=label)
    shares = np.linspace(0.85, 1.13, 15)
    axes.plot([share_radius(share) for share in shares], 100.0 * shares, "k.", label="chart's law")
    for share in SHARES:
        axes.axhline(100.0 * share, color="gray", linewidth=0.7)
    axes.set(xlabel="radius [m]", ylabel="share of the capacity [%]")
    axes.legend()
    return figure


STUDY = Study(
    "Scenario 3: limiters",
    "Tower cranes tower_12t and tower_5t; load charts of Zoomlion R275-12 and R90-5.",
    Path("limiters"),
    (
        Part("Load charts", load_chart),
        Part("Travelling out with 4.24 t", moment),
        Part("Picking up 6.6 t", overload),
        Part("Hook into the trolley", two_block),
    ),
)
