"""Scenario 13: lift off a supply vessel, offshore crane, 20 t in 2.5 m significant wave height.

*Heave of a load.* Below a tip that heaves at the angular frequency w, a load on a rope of the
natural frequency w_n and the damping ratio z goes, over the tip,

    sqrt(1 + (2 z r)^2) / sqrt((1 - r^2)^2 + (2 z r)^2),        r = w / w_n.

*Compensation and tension.* What lag and delay leave of a wave is derived in
``control/controllers/heave_compensation.py`` and ``constant_tension.py``.

*Lift.* ``config/scenarios/offshore_lift.yaml``: the load stands on a deck that heaves, rolls and
pitches beside the crane's ship in the same sea. An operator leaves the rope slack and hoists at a
set time; the controller keeps it tight, hoists when the deck is nearest, and compensates then. A
blow is a contact with the deck after the load has left it. The snap is the largest line pull over
that at rest. The height of the hook is told as if it hung straight below the tip, so that swing is
no part of it.
"""

import dataclasses
import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cable_sim.control.catalogue import load_scenario
from cable_sim.control.controllers import AnyController
from cable_sim.control.controllers.constant_tension import ConstantTension
from cable_sim.control.controllers.heave_compensation import HeaveCompensation
from cable_sim.control.controllers.operator import Operator
from cable_sim.control.plants.plant import LocalPlant
from cable_sim.control.run import Run, run
from cable_sim.control.scenario import Scenario
from cable_sim.sim.simulator import Simulator
from cable_sim.spec import Anchor, Body, Box, Cable, Motion, Scene, Sine
from cable_sim.spec.scene import GRAVITY
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
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MASS = 20000.0
BLOCK = 900.0
LOSSES = 0.02
"""Masses of load and block [kg], damping ratio of the ropes that heave below a tip [-]."""
TIPS = {"1.0407": (10.0, 2e7, 100.0), "0.6332": (3.0, 1e7, 300.0), "4.2641": (5.5, 1e7, 300.0)}
"""Period [s], stiffness [N] and length [m] of a rope by its printed amplification."""
LAG, DELAY, PIN, PERIOD = 0.15, 0.02, 0.05, 0.01
"""Of the hoist's drive, the motion reference unit, the load pins, and between commands [s]."""
HEAVE = 0.6
"""Amplitude of a regular wave [m]."""
EXACT = 1e-3
GIVING = 6e-3
"""Tolerances: of the amplification [-]; delay by which the row of the drive gives way [s]."""


def amplitude(time: Array, values: Array, frequency: float) -> float:
    """Amplitude of a wave in values."""
    waves = np.stack(
        [np.cos(frequency * time), np.sin(frequency * time), np.ones_like(time)], axis=1
    )
    c, s, _ = np.linalg.lstsq(waves, values, rcond=None)[0]
    return math.hypot(c, s)


def amplify(period: float, ea: float, length: float) -> tuple[float, float]:
    """Amplification of a load below a heaving tip [-], by theory and as simulated."""
    w = 2.0 * math.pi / period
    hung = (Anchor("tip"), Anchor("load", (0.0, 0.0, 1.0)))
    rope = Cable("rope", hung, ea=ea, damping_ratio=LOSSES, pretension=MASS * GRAVITY)
    tip = Body("tip", 1e6, shape=Box(1.0, 1.0, 1.0), motion="prescribed")
    load = Body("load", MASS, shape=Box(2.0, 2.0, 2.0), position=(0.0, 0.0, -length - 1.0))
    heave = Motion("tip", sines=(Sine(w, (0.0, 0.0, 1.0, 0.0, 0.0, 0.0)),), ramp=20.0)
    simulator = Simulator(Scene(bodies=(tip, load), cables=(rope,), motions=(heave,)), dt=0.01)
    natural = math.sqrt(ea / (length / (1.0 + MASS * GRAVITY / ea)) / MASS)
    simulator.step(round((20.0 + 8.0 / (LOSSES * natural)) / simulator.dt))
    with simulator.record(["load.position.z"]) as recording:
        simulator.step(round(3.0 * period / simulator.dt))
    r = w / natural
    damped = 2.0 * LOSSES * r
    theory = math.hypot(1.0, damped) / math.hypot(1.0 - r * r, damped)
    return theory, amplitude(recording.time, recording["load.position.z"].ravel(), w)


def below_a_tip(progress: Progress) -> Result:
    """Below, near and above the natural frequency."""
    found: list[Finding] = []
    for printed, tip in progress.over(TIPS.items()):
        theory, ours = amplify(*tip)
        found.append(Quantity(f"heave at a period of {tip[0]:g} s", printed, theory, ours, EXACT))
    return Result(found)


def in_a_wave(controller: AnyController, period: float, standing: bool) -> Run:
    """Run a crane whose ship heaves in a regular wave, with the load hanging or on a deck."""
    w = 2.0 * math.pi / period
    wave = {"sines": [{"frequency": w, "amplitude": [0.0, 0.0, HEAVE, 0.0, 0.0, 0.0]}]}
    lift = load_scenario("offshore_lift")
    changes = lift.changes | {
        "sensors.mru": {"delay": DELAY},
        "parts.ship.motion": wave | {"ramp": period},
        "parts.supply_vessel": lift.changes["parts.supply_vessel"]
        | {"motion": {"sines": [{"frequency": w, "amplitude": [0.0] * 6}], "ramp": 0.0}},
    }
    if not standing:
        changes |= {"rig.start.state": "hanging", "rig.start.at.hoist": 25.0}
    scenario = dataclasses.replace(
        lift, moves=(), changes=changes, controller=controller, watch=5.0 * period
    )
    return run(scenario)


def control(progress: Progress) -> Result:
    """The crane's ship alone heaves by 0.6 m; the load hangs, or stands on a deck that rests.

    The row of the hoist's drive gives way as if it were late by another 3 to 6 ms, which is the
    tolerance.
    """
    found: list[Finding] = []
    for period in progress.over((9.0, 7.0)):
        w = 2.0 * math.pi / period
        compensated = HeaveCompensation()
        done = in_a_wave(compensated, period, standing=False)
        late = done.time > 2.0 * period
        theory = compensated.residual(w, LAG, DELAY, PERIOD)
        ours = amplitude(done.time[late], done.load[late, 2], w) / HEAVE
        named = f"heave left, wave of {period:g} s"
        found.append(Quantity(named, None, theory, ours, GIVING * w / theory))
        held = ConstantTension()
        done = in_a_wave(held, period, standing=True)
        pull = done.pull[done.time > 2.0 * period]
        named = f"mean line pull, wave of {period:g} s"
        found.append(Quantity(named, None, held.tension, float(pull.mean()), 0.03, "N"))
        found.append(
            Reading(f"its standard deviation, wave of {period:g} s", float(pull.std()), "N")
        )
    return Result(found)


class Lift(NamedTuple):
    """Samples of a lift [s, N, N, m, rad]: time, force of the deck, line pull, height of the
    hook if it hung straight, and its sway; time of the move [s]."""

    time: Array
    deck: Array
    pull: Array
    height: Array
    sway: Array
    start: float

    @property
    def off(self) -> int:
        """Sample at which the load has first left the deck since the move began."""
        return int(np.flatnonzero((self.time > self.start) & (self.deck <= 0.0))[0])

    @property
    def blows(self) -> int:
        """Number of contacts with the deck since."""
        touches = self.deck[self.off :] > 0.0
        return int((touches[1:] & ~touches[:-1]).sum())

    @property
    def snap(self) -> float:
        """Largest line pull since the move began, over that at rest [-]."""
        return float(self.pull[self.time > self.start].max()) / ((MASS + BLOCK) * GRAVITY / 4.0)


@cache
def lift_off(controller: AnyController | None, seed: int) -> Lift:
    """Lift under a controller, or that of the scenario, in a sea."""
    scenario = scenario_of(controller, seed)
    plant = LocalPlant.of(scenario)
    seen = plant.reset()
    task = scenario.task(plant.crane, seen, plant.period)
    law = scenario.controller.start(task)
    samples = []
    while seen.time < task.travels[-1].ramps.end + scenario.watch:
        seen = plant.step(law(seen))
        deck = plant.observation.body("load").contact_force[2]
        assert seen.sway is not None
        sway = math.atan(math.hypot(math.tan(seen.sway.radial), math.tan(seen.sway.tangential)))
        hook = plant.observation.body("hook_block").position[2]
        straight = hook - seen.sway.length * (1.0 - math.cos(sway))
        samples.append((seen.time, deck, seen.pull, straight, sway))
    time, deck, pull, height, swing = np.array(samples).T
    return Lift(time, deck, pull, height, swing, task.travels[-1].ramps.start)


def scenario_of(controller: AnyController | None, seed: int) -> Scenario:
    """The scenario in another hour of its sea, under another controller."""
    given = load_scenario("offshore_lift")
    sea = given.changes["parts.ship.motion"]["sea"] | {"seed": seed}
    ship = given.changes["parts.ship.motion"] | {"sea": sea}
    vessel = given.changes["parts.supply_vessel"]
    vessel = vessel | {"motion": vessel["motion"] | {"sea": sea}}
    changes = given.changes | {"parts.ship.motion": ship, "parts.supply_vessel": vessel}
    return dataclasses.replace(given, changes=changes, controller=controller or given.controller)


SEAS = (1, 2, 3)
"""Seeds of three hours of the sea."""


def compare(progress: Progress) -> Result:
    """Three hours of the sea, with and without the controller, the same moves."""
    found: list[Finding] = []
    for seed in progress.over(SEAS):
        own, bare = lift_off(None, seed), lift_off(Operator(), seed)
        hit = f"{own.blows} blows; {bare.blows} without"
        found.append(
            Statement(f"sea {seed}: the deck", "no blow after it is off", own.blows == 0, hit)
        )
        told = f"{own.snap:.2f}; {bare.snap:.2f} without"
        found.append(Statement(f"sea {seed}: snap", "1.5 at most", own.snap <= 1.5, told))
        rests, heaves = (float(one.height[-1500:].std()) for one in (own, bare))
        told = f"{rests:.3f} m; {heaves:.3f} m without"
        named = f"sea {seed}: height of the hook, hanging"
        found.append(Statement(named, "less than 0.2 of it", rests < 0.2 * heaves, told))
        for words, one in (("", own), (", without", bare)):
            sway = math.degrees(one.sway.max())
            found.append(Reading(f"sea {seed}: largest sway{words}", sway, "deg"))
    caption = "Line pull and force of the deck in the first sea, with the controller and without."
    return Result(found, [Picture("offshore_lift", caption, draw)])


def draw() -> "Figure":
    """Line pull and force of the deck over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 4.0))
    for axes, (title, controller) in zip(
        figure.subplots(1, 2), {"with": None, "without": Operator()}.items(), strict=True
    ):
        one = lift_off(controller, SEAS[0])
        axes.plot(one.time, 1e-3 * one.pull, label="line pull")
        axes.plot(one.time, 1e-3 * np.minimum(one.deck, 3e5), label="on the deck")
        axes.set(xlabel="time [s]", ylabel="force [kN]", title=title)
        axes.legend()
    return figure


STUDY = Study(
    "Scenario 13: lift off a supply vessel",
    "Offshore crane offshore_25t, 20 t in 2.5 m significant wave height; DNV-RP-C205.",
    Path("offshore_lift"),
    (
        Part("Heave below a tip", below_a_tip),
        Part("Compensation and constant tension", control),
        Part("Lift", compare),
    ),
)
