"""Scenario 9: snag. The empty spreader, hoisted at full speed, gets caught in a cell guide and
stands.

What the rotor of the hoist keeps is m v^2 / 2 with its inertia at the hook m = J (omega / v)^2, and
the ropes take it: four of them on two falls each, k = 4 * 2^2 EA / L with L the whole rope between
drum and dead end. With the weight W of the spreader on them before, a rotor that coasts from then
on goes on as

    m s'' = -k s,      s(0) = W / k,   s'(0) = v,      F = k s <= sqrt(W^2 + k m v^2),

and stands after a quarter of a period, a little less for the weight. A brake that holds B from the
time t_b on stops it where

    m v_b^2 / 2 + k s_b^2 / 2 + B s_b = k s^2 / 2 + B s.

The reference counts 22 m of rope at 12 m of falls: 34 m with both. The crane's drawing has 3.2 m
outside its falls, so it gets the same L, and so k, at falls of 15.4 m. Its ropes and wheels are
without loss where it is compared; its motor lets go as the spreader is caught. The whole crane has
its own rope, its losses, and a motor that holds its speed as long as it can.
"""

import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.cranes import load_crane
from cable_sim.cranes.crane import Crane
from cable_sim.machine.machine import Machine
from cable_sim.sim.observation import Observation
from cable_sim.spec import Joint
from cable_sim.spec.scene import GRAVITY
from validation.acceptance.gantry import (
    ROPES,
    brake_gantry,
    gross_mass,
    hoist_rope,
    read_gantry,
    spreader,
    turn_motor,
)
from validation.harness import (
    Finding,
    Part,
    Picture,
    Progress,
    Quantity,
    Reading,
    Result,
    Study,
    at_most,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

SPEED = 52.0 / 60.0
"""Speed of the spreader [m/s]."""
ROPE = 34.0
FALLS = 12.0
LONGER_FALLS = 15.4
"""Lengths of each rope, as the reference counts it; of the falls; and of falls with which the drawn
rope is as long [m]."""
PER_ROPE = 2.0
PARTS = 8
FALL_SPANS = (1, 3)
"""Falls of a rope, and of all; and which spans of a rope they are."""
RATED = 26.0 / 60.0
"""Speed of the spreader with rated load [m/s]."""
MOTOR_RPM = 1800.0
"""Speed of the motor at the largest speed of the ropes [1/min]."""
RUN_UP = 0.9
RAMP = 0.5
"""Way of the spreader before it is caught [m], and a ramp with which that is enough to get to full
speed [s]."""
STEP = 5e-4
"""Step of physics and machine [s]."""
CLOSING = 0.0275
"""Closing time of the brake [s]: the rest of the delay, as sensors and limiter take 22 ms."""
DELAY = 0.05
TORQUE = 2.2
HELD = 1.15e6
"""Delay from the catch to the closed brake [s], its torque over the rated one [-], and bound of the
force [N]."""
AFTER = 0.35
WITHIN = 0.01
"""Time after the catch that is looked at [s]; tolerance [-]."""


class Case(NamedTuple):
    """Inertia of the motor [kg m^2]; whether snag protection acts; closing delay of a brake with
    the torque of the reference [s], None for the file's brake; whether the motor goes on; and
    whether ropes and wheels are the file's, too, or the wheels at least."""

    inertia: float
    protected: bool = False
    brake_delay: float | None = None
    motor: bool = False
    whole: bool = False
    lossless_wheels: bool = True


class Snag(NamedTuple):
    """Samples since the catch [s, N, J]: force of all falls, and what the balance of energies
    lacks; when the brake had closed [s]; ropes that parted; and the energy of the rotor at the
    catch [J]."""

    time: Array
    force: Array
    lacking: Array
    closed: float
    parted: int
    energy: float

    @property
    def peak(self) -> float:
        """Largest force of all falls [N]."""
        return float(self.force.max())

    @property
    def peak_time(self) -> float:
        """Return the time at which the force is largest [s]."""
        return float(self.time[self.force.argmax()])


def hoisting_crane(case: Case) -> Crane:
    """The crane with an empty spreader between two rows, ropes that can part, and an open joint
    that can catch it."""
    changes: dict[str, Any] = {
        "rig.load": None,
        "rig.start.state": "hanging",
        "rig.start.trolley": 0.0,
        "rig.start.gantry": -30.0,
        "rig.start.depth": (FALLS if case.whole else LONGER_FALLS) + RUN_UP + 1.6,
        "axes.hoist.accel": RATED / RAMP,
    } | turn_motor(case.inertia)
    if case.lossless_wheels:
        changes |= {"reeving.sheave_efficiency": 1.0}
    if not case.whole:
        changes |= {"reeving.damping_time": 1e-10}
    if case.brake_delay is not None:
        changes |= {"brake.close_delay": case.brake_delay} | brake_gantry(0.5 * TORQUE)
    crane = load_crane("rtg_41t", changes)
    guide = Joint("cell_guide", "fixed", "spreader", open=True)
    ropes = tuple(replace(rope, parts=True) for rope in crane.scene.cables)
    return replace(
        crane, scene=replace(crane.scene, cables=ropes, joints=(*crane.scene.joints, guide))
    )


class Bookkeeper:
    """Energy balance of a crane since it was caught: work of drive and brake, and losses of the
    ropes."""

    def __init__(self, machine: Machine, seen: Observation, damping_time: float, ea: float) -> None:
        self._machine = machine
        self._ropes = machine.crane.ropes
        self._damping_time = damping_time
        self._ea = ea
        caught = 0.5 * spreader().mass * float(seen.body("spreader").velocity[2]) ** 2
        self._start = seen.energy.total - caught
        self._work = 0.0
        self._rate, self._stretch = seen.drive("hoist").velocity, self._stretches(seen)

    def _stretches(self, seen: Observation) -> Array:
        """Stretches of the ropes [m]."""
        return np.array(
            [seen.cable(name).length - seen.cable(name).length_paid_out for name in self._ropes]
        )

    def lacks(self, seen: Observation) -> float:
        """Return the difference of the energy from what was put in and taken out [J].

        The drive's effort is the mean of a step, and so acts along the mean of the speeds before
        and after; of a rope the part EA T / L s' of its tension, T its damping time, is lost with
        the rate s' of its stretch.
        """
        drive = seen.drive("hoist")
        stretch = self._stretches(seen)
        step = self._machine.tick_time
        self._work += 0.5 * step * drive.effort * (drive.velocity + self._rate)
        stiffness = self._ea / seen.cable(self._ropes[0]).length_paid_out
        self._work -= (
            stiffness * self._damping_time * float(((stretch - self._stretch) ** 2).sum()) / step
        )
        self._rate = drive.velocity
        self._stretch = stretch
        return seen.energy.total - self._start - self._work


def pull(seen: Observation, ropes: tuple[str, ...]) -> float:
    """Force of all falls [N]."""
    return sum(float(seen.cable(name).span_tension[list(FALL_SPANS)].sum()) for name in ropes)


@cache
def run_snag(case: Case) -> Snag:
    """Hoist at full speed for the way of the run-up, and lock the spreader; without a motor it
    loses its power then."""
    machine = Machine(hoisting_crane(case), dt=STEP, substeps=1)
    rope = machine.crane.scene.cables[0]
    plc = machine.plc
    ropes = machine.crane.ropes
    assert plc is not None
    for name in ("load_limiter",) if case.protected else ("load_limiter", "snag_protection"):
        plc.bypass(name, True)
    seen = machine.observe()
    until = seen.cable(ropes[0]).length - PER_ROPE * RUN_UP
    while seen.cable(ropes[0]).length > until:
        machine.command("hoist", -SPEED)
        seen = machine.tick()
    books = Bookkeeper(machine, seen, rope.damping_time or 0.0, hoist_rope().ea)
    machine.simulator.lock("cell_guide")
    machine.simulator.set_drive("hoist", powered=case.motor)
    begin = machine.time
    samples = []
    for _ in range(round(AFTER / machine.tick_time)):
        machine.command("hoist", -SPEED)
        seen = machine.tick()
        closed = seen.drive("hoist").brake_closed
        samples.append((machine.time - begin, pull(seen, ropes), books.lacks(seen), closed))
    time, force, lacking, closed = np.array(samples).T
    first = float(time[closed > 0.0][0]) if closed.any() else math.inf
    parted = sum(seen.cable(name).parted for name in ropes)
    return Snag(time, force, lacking, first, parted, 0.5 * case.inertia * rotor_speed() ** 2)


def rotor_speed() -> float:
    """Speed of the motor at full speed of the spreader [rad/s]."""
    return MOTOR_RPM * math.pi / 30.0 * SPEED / float(read_gantry().axes["hoist"].v_max)


class Estimate(NamedTuple):
    """Estimate of the reference: largest force of all falls [N], and its time [s]."""

    peak: float
    when: float


def coasting_estimate(inertia: float, brake_from: float = math.inf) -> Estimate:
    """The largest force of a rotor that coasts until a brake catches it; see the head of this
    file."""
    stiffness = len(ROPES) * PER_ROPE**2 * hoist_rope().ea / ROPE
    mass = inertia * (rotor_speed() / SPEED) ** 2
    weight = spreader().mass * GRAVITY
    omega = math.sqrt(stiffness / mass)
    way = weight / stiffness
    swing = SPEED / omega
    when = math.atan2(swing, way) / omega
    if when <= brake_from:
        return Estimate(stiffness * math.hypot(way, swing), when)
    brake = TORQUE * gross_mass() * GRAVITY
    angle = omega * brake_from
    stretch = way * math.cos(angle) + swing * math.sin(angle)
    speed = omega * (swing * math.cos(angle) - way * math.sin(angle))
    energy = 0.5 * mass * speed**2 + 0.5 * stiffness * stretch**2 + brake * stretch
    last = (math.sqrt(brake**2 + 2.0 * stiffness * energy) - brake) / stiffness
    centre = brake / stiffness
    left = math.acos((stretch + centre) / (last + centre)) / omega
    return Estimate(stiffness * last, brake_from + left)


LIGHT = Case(4.0)
HEAVY = Case(8.0)
HELD_CASE = Case(4.0, protected=True, brake_delay=CLOSING)
DRIVEN = Case(4.0, motor=True, whole=True)
WHOLE = DRIVEN._replace(lossless_wheels=False)
TRIPPED = WHOLE._replace(protected=True)
CAUGHT = TRIPPED._replace(brake_delay=CLOSING)
"""Cases of the scenario: rotors that coast, one with brake; and motors that go on.

The motors run without and with losses of the wheels, with the file's snag protection and brake, and
with the reference's brake.
"""


def coast(progress: Progress) -> Result:
    """Motors of 4 and of 8 kg m^2 at 1800 rpm that lose their power as the spreader is caught, and
    nothing trips. The weight of the spreader, which the ropes carry before, adds 0.2 % to the
    reference's figures and takes some milliseconds off their times. What the drum takes in
    meanwhile makes the ropes shorter and stiffer by the half of a per cent, which the estimate
    leaves out.
    """
    found: list[Finding] = []
    strength = hoist_rope().minimum_breaking_force
    printed = {LIGHT: ("1.48", "185", "39", "0.17"), HEAVY: ("2.09", None, None, "0.25")}
    for case, (total, part, share, when) in progress.over(list(printed.items())):
        run = run_snag(case)
        theory = coasting_estimate(case.inertia)
        what = f"{case.inertia:g} kg m^2"
        found.append(
            Quantity(
                f"largest force, {what}", total, 1e-6 * theory.peak, 1e-6 * run.peak, WITHIN, "MN"
            )
        )
        found.append(Quantity(f"when, {what}", when, theory.when, run.peak_time, 2.0 * WITHIN, "s"))
        if part and share:
            each = theory.peak / PARTS
            ours = run.peak / PARTS
            found.append(
                Quantity(f"of a part, {what}", part, 1e-3 * each, 1e-3 * ours, WITHIN, "kN")
            )
            name = f"over the breaking force, {what}"
            found.append(
                Quantity(name, share, 100.0 * each / strength, 100.0 * ours / strength, WITHIN, "%")
            )
        found.append(balance(f"balance of energies, {what}", run))
    return Result(found)


def protect(progress: Progress) -> Result:
    """The crane's snag protection with a brake of 2.2 times the rated torque that closes 27.5 ms
    after it has tripped, 50 ms after the catch. The reference's 1.08 MN leaves out the spreader's
    weight, without which the estimate is 1.09 MN.
    """
    progress(0.0)
    run = run_snag(HELD_CASE)
    theory = coasting_estimate(HELD_CASE.inertia, DELAY)
    return Result(
        [
            Quantity(
                "from the catch to the closed brake",
                "50",
                1e3 * DELAY,
                1e3 * run.closed,
                0.05,
                "ms",
            ),
            Quantity(
                "largest force with protection",
                "1.08",
                1e-6 * theory.peak,
                1e-6 * run.peak,
                0.02,
                "MN",
            ),
            Quantity("when, with protection", None, theory.when, run.peak_time, 0.05, "s"),
            at_most("largest force that is allowed", 1e-6 * HELD, 1e-6 * run.peak, "MN"),
            balance("balance of energies with protection", run),
        ]
    )


def snag_whole_crane(progress: Progress) -> Result:
    """The crane of the file at 12 m of falls, whose motor holds its speed as far as it can: up to
    twice the rated pull, at full speed half of that, as its power allows no more. That comes on top
    of the energy of the rotor, and the rope is shorter, so it pulls half as much again as the
    reference reckons with. A trip takes the motor's power away; the brake of the file closes 0.2 s
    later, when the rotor stands already. Before that the motor has given so much that the
    reference's brake would not hold the force below what is allowed, either.
    """
    told = {
        WHOLE: "without protection",
        TRIPPED: "with protection and the file's brake",
        CAUGHT: "with protection and the reference's brake",
        WHOLE._replace(inertia=8.0): "without it, 8 kg m^2",
    }
    runs = {case: run_snag(case) for case in progress.over([DRIVEN, *told])}
    found: list[Finding] = [
        balance("balance of energies with motor and losses of the ropes", runs[DRIVEN])
    ]
    found += [
        Reading(f"largest force, whole crane, {words}", 1e-6 * runs[case].peak, "MN")
        for case, words in told.items()
    ]
    found.append(Reading("brake of the file closed", 1e3 * runs[TRIPPED].closed, "ms"))
    found.append(at_most("ropes that parted", 0.0, float(max(run.parted for run in runs.values()))))
    shown = {
        "rotor of 4 kg m^2 coasts": run_snag(LIGHT),
        "rotor of 8 kg m^2 coasts": run_snag(HEAVY),
        "4 kg m^2, protected": run_snag(HELD_CASE),
        "whole crane": runs[WHOLE],
        "whole crane, protected": runs[CAUGHT],
    }
    caption = "Force of all falls from the catch on, and what the balances of energies lack."
    return Result(found, [Picture("snag_force", caption, lambda: draw(shown))])


def balance(name: str, run: Snag) -> Finding:
    """Return a finding on the error of the balance of energies, over the energy of the rotor."""
    return at_most(name, 100.0 * WITHIN, 100.0 * float(np.abs(run.lacking).max()) / run.energy, "%")


def draw(runs: dict[str, Snag]) -> "Figure":
    """Draw the forces, and the errors of the balances where the wheels take nothing."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 4.0))
    left, right = figure.subplots(1, 2, width_ratios=(2, 1))
    for i, (name, run) in enumerate(runs.items()):
        left.plot(run.time, 1e-6 * run.force, f"C{i}", label=name)
        if "whole" not in name:
            right.plot(run.time, 100.0 * run.lacking / run.energy, f"C{i}")
    left.axhline(1e-6 * HELD, color="gray", linewidth=0.7)
    left.set(xlabel="time [s]", ylabel="force of all falls [MN]")
    left.legend()
    right.set(xlabel="time [s]", ylabel="balance of energies lacks [%]")
    return figure


STUDY = Study(
    "Scenario 9: snag",
    "Gantry crane rtg_41t, empty spreader in a cell guide; TU Delft 2014.TEL.7875.",
    Path("snag"),
    (
        Part("A rotor that coasts", coast),
        Part("Snag protection", protect),
        Part("The whole crane", snag_whole_crane),
    ),
)
