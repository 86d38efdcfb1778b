"""Scenario 2: lift from the ground, tower crane, 6 t on two falls, radius 37.8 m, hook 40 m below
the trolley.

Until the falls carry the load the winch has to take in what the rope stretches by, and what its
level runs sag by:

    s = (T_1 - T_0) L / EA  +  sum over the level runs  w^2 l^3 / 24 (1 / T_0^2 - 1 / T_1^2),

with w its weight per length, T_0 and T_1 its tension under the hook block and under block and load,
without the falls' own weight, which the cable model leaves out. A massless rope has the first part
alone. From then on the load of mass m with the block bounces on the stiffness k = n^2 EA / L with
the damping ratio zeta,

    m x'' = k (u - x) + c (u' - x') - m g,       c = 2 zeta sqrt(k m),

u the way that the drum hoists the rope's end over n. A drum that turns with the speed v before the
load leaves the ground gives the largest factor 1 + v sqrt(k / m) / g, less by damping. The sheaves
are without loss here, so that the line pull has the factor of the load.
"""

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cable_sim.cranes import load_crane
from cable_sim.cranes.crane import Crane
from cable_sim.cranes.rigging.rig import Platform
from cable_sim.machine.machine import Machine
from cable_sim.spec.scene import GRAVITY
from validation.acceptance.pendulum import Array
from validation.acceptance.tower import hoist_rope, read_tower, sheave_height
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
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOAD = 6000.0
BLOCK = 350.0
RADIUS = 37.8
DEPTH = 40.0
FALLS = 2
"""Masses of load and block [kg]; radius, and depth of the hook as the slings get straight [m];
number of falls."""
CREEP = 0.07
RATED = 0.614
"""Hook speeds [m/s]."""
SLACK = 0.5
"""Way by which the hook is lowered on to the slings before [m]."""
LEVEL_RUNS = 1, 0, 5
"""Spans of the rope from the mast to the trolley, from the drum to the mast, and from the trolley
to the jib's tip."""
DELAY = 0.05
FACTOR = 0.03
"""Tolerances: of delays [-], and of factors, absolute."""


class Case(NamedTuple):
    """Hook speed [m/s], its ramp [s], slack before [m], and the model of the rope."""

    speed: float
    ramp: float
    slack: float = 0.0
    model: str = "massless"


class Lift(NamedTuple):
    """Samples since hoisting began [s, N, N, N]: vertical force of the slings, line pull, force of
    the ground; sag of the level rope [m]; and when the slings got tight and the load left the
    ground [s]."""

    time: Array
    slings: Array
    pull: Array
    ground: Array
    sag: Array
    tight: float
    off: float

    @property
    def factor(self) -> float:
        """Largest line pull over that at rest."""
        return float(self.pull.max()) / ((LOAD + BLOCK) * GRAVITY / FALLS)


def standing_crane(case: Case) -> Crane:
    """The crane with its load on a platform, under slings that are just straight."""
    file = read_tower()
    hoist = file.axes["hoist"]
    top = sheave_height() - DEPTH - file.rig.slings.height - file.rig.load.size[2]
    return load_crane(
        "tower_12t",
        {
            "rig.load.mass": LOAD,
            "rig.start.radius": RADIUS,
            "rig.slings.slack": 1e-4,
            "reeving.model": case.model,
            "reeving.sheave_efficiency": 1.0,
            "axes.hoist.effort": 5.0 * hoist.effort,
            "axes.hoist.power": 1e7,
            "axes.hoist.rated_power": 1e6,
            "drives.hoist.tau": 1e-3,
            "drum.layers": None,
            "axes.hoist.accel": case.speed / max(case.ramp, 1e-3),
            "site.platforms": (Platform("table", (6.0, 6.0), top, polar=(RADIUS, 0.0)),),
        },
    )


@cache
def lift_load(case: Case) -> Lift:
    """Hoist until the load has bounced twice."""
    machine = Machine(standing_crane(case), dt=1e-3, substeps=2)
    if case.slack:
        depth = machine.axis_state(machine.observe(), "hoist").position
        while machine.time < 4.0:
            machine.command("hoist", depth + case.slack, "position")
            machine.tick()
    begin = machine.time
    samples = []
    for _ in range(round((4.0 if case.speed > CREEP else 8.0) / machine.tick_time)):
        machine.command("hoist", -case.speed)
        seen = machine.tick()
        rope = seen.cable("hoist_rope")
        force = sum(abs(seen.cable(f"sling_{i}").node_force[1, 2]) for i in range(1, 5))
        level = rope.curve[slice(*rope.curve_nodes[LEVEL_RUNS[0] : LEVEL_RUNS[0] + 2]), 2]
        ground = seen.body("load").contact_force[2]
        samples.append(
            (seen.time - begin, force, rope.span_tension.max(), ground, level[0] - level.min())
        )
    time, slings, pull, ground, sag = np.array(samples).T
    tight = slings > 1.0
    off = (slings > 1.0) & (ground <= 0.0)
    return Lift(time, slings, pull, ground, sag, float(time[tight][0]), float(time[off][0]))


class Statics(NamedTuple):
    """Rope that a lift takes in before the load is off: by stretch and by sag [m]; stiffness at the
    hook [N/m]; sag of the jib's rope before and after, as a parabola [m]."""

    stretch: float
    sag: float
    stiffness: float
    before: float
    after: float


@cache
def statics() -> Statics:
    """Return the statics from the crane's file and its geometry."""
    crane = standing_crane(Case(CREEP, 0.0))
    rope = hoist_rope()
    seen = Machine(crane).observe().cable("hoist_rope")
    before, after = (mass * GRAVITY / FALLS for mass in (BLOCK, BLOCK + LOAD))
    runs = [float(seen.span_length[span]) for span in LEVEL_RUNS]
    weight = rope.mass_per_metre * GRAVITY
    sag = sum(weight**2 * run**3 / 24.0 * (1.0 / before**2 - 1.0 / after**2) for run in runs)
    sags = [weight * runs[0] ** 2 / (8.0 * tension) for tension in (before, after)]
    return Statics(
        (after - before) * seen.length / rope.ea, sag, FALLS**2 * rope.ea / seen.length, *sags
    )


def delay(rope: float, speed: float, ramp: float) -> float:
    """Time in which the hook's ropes take in that much [s]: FALLS times its way with a ramp and
    then a steady speed."""
    way = rope / FALLS
    if way < 0.5 * speed * ramp:
        return math.sqrt(2.0 * way * ramp / speed)
    return 0.5 * ramp + way / speed


def bounce(speed: Callable[[float], float]) -> float:
    """Largest factor of the line pull of a load that is lifted with a speed of the drum's end of
    the falls [m/s]."""
    from scipy.integrate import solve_ivp

    mass = LOAD + BLOCK
    stiffness = statics().stiffness
    damping = 2.0 * hoist_rope().damping_ratio * math.sqrt(stiffness * mass)

    def rates(time: float, y: Array) -> list[float]:
        up, way, rate = y
        pull = stiffness * (up - way) + damping * (speed(time) - rate)
        return [
            speed(time),
            rate,
            max(0.0, pull / mass - GRAVITY) if way <= 0.0 else pull / mass - GRAVITY,
        ]

    start = [BLOCK * GRAVITY / stiffness, 0.0, 0.0]
    solved = solve_ivp(rates, (0.0, 12.0), start, max_step=1e-3)
    pull = stiffness * (solved.y[0] - solved.y[1]) + damping * (
        np.vectorize(speed)(solved.t) - solved.y[2]
    )
    return float(pull.max()) / (mass * GRAVITY)


CREEPING = Case(CREEP, 0.0)
SAGGING = Case(CREEP, 0.0, model="elevation")
RAMPED = Case(RATED, 1.0)
STEADY = Case(RATED, 0.0)
SLACKED = Case(RATED, 1.0, SLACK)
"""Lifts of the scenario."""


def lift_off(progress: Progress) -> Result:
    """With creep speed, and with full speed after a ramp of a second, from slings that are straight
    and from slings that are slack by half a metre. The rope with mass first has to take up the sag
    of its level runs. Published sags are of a run from the slewing axis to the radius; the rope's
    own is shorter by half of the mast and of the falls.
    """
    cases = (CREEPING, SAGGING, RAMPED, STEADY, SLACKED, RAMPED._replace(model="elevation"))
    runs = {case: lift_load(case) for case in progress.over(cases)}
    known = statics()
    found: list[Finding] = []
    for case, printed, rope, words in (
        (SAGGING, "3.96", known.stretch + known.sag, "creep, rope with mass"),
        (CREEPING, None, known.stretch, "creep, massless rope"),
        (RAMPED, "0.86", known.stretch, "full speed, massless rope"),
    ):
        run = runs[case]
        theory = delay(rope, case.speed, case.ramp)
        ours = run.off - (run.tight if case.ramp == 0.0 else 0.0)
        found.append(Quantity(f"time to lift off, {words}", printed, theory, ours, DELAY, "s"))
    later = runs[SLACKED].off - runs[RAMPED].off
    theory = SLACK / RATED
    found.append(Quantity("later with 0.5 m of slack", "0.8", theory, later, DELAY, "s"))
    found += factors(runs)
    slack = runs[SLACKED]
    order = f"{slack.tight:.2f} s, {slack.off:.2f} s"
    right = slack.tight < slack.off
    found += [Statement("slings get tight before the load is off", "tight, then off", right, order)]
    found += sags(runs[SAGGING])
    caption = "Lift-off on the rope with mass at creep speed, and on a massless rope at full speed."
    return Result(found, [Picture("lift_off", caption, lambda: draw(runs))])


def factors(runs: dict[Case, Lift]) -> list[Finding]:
    """Largest line pull of each lift over that at rest."""
    found: list[Finding] = []
    for case, printed, words in (
        (CREEPING, "1.045", "creep"),
        (RAMPED, "1.39", "full speed, ramp of 1 s"),
        (STEADY, "1.40", "steady full speed"),
        (SLACKED, "1.40", "full speed with slack"),
    ):
        ramp = 0.0 if case.slack else case.ramp
        theory = bounce(lambda time, v=case.speed, r=ramp: v if time >= r else v * time / r)  # type: ignore[misc]
        found.append(
            Quantity(f"factor, {words}", printed, theory, runs[case].factor, FACTOR / theory)
        )
    heavy = runs[RAMPED._replace(model="elevation")].factor
    return [*found, Reading("factor, full speed, ramp of 1 s, rope with mass", heavy)]


def sags(lift: Lift) -> list[Finding]:
    """Return findings on the sags of the level run from the mast to the trolley before and
    after."""
    known = statics()
    after = float(lift.sag[-500:].mean())
    return [
        Quantity(
            "sag of the jib's rope before", "1.05", known.before, float(lift.sag[0]), DELAY, "m"
        ),
        Quantity("sag of the jib's rope after", "0.06", known.after, after, DELAY, "m"),
    ]


def draw(runs: dict[Case, Lift]) -> "Figure":
    """Line pull and force of the ground over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 4.0))
    for axes, case in zip(figure.subplots(1, 2), (SAGGING, RAMPED), strict=True):
        run = runs[case]
        axes.plot(run.time, 1e-3 * run.pull, label="line pull")
        axes.plot(run.time, 1e-3 * run.ground, label="on the ground")
        axes.axvline(run.off, color="gray", linewidth=0.7)
        axes.set(xlabel="time [s]", ylabel="force [kN]", title=f"{case.model}, {case.speed:g} m/s")
        axes.legend()
    return figure


STUDY = Study(
    "Scenario 2: lift from the ground",
    "Tower crane tower_12t, 6 t on two falls; EN 13001-2, Garcia-Fernandez 2009.",
    Path("lift_off"),
    (Part("Lift-off and bounce", lift_off),),
)
