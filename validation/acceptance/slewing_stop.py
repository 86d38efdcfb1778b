"""Scenario 4: slewing emergency stop of the tower crane.

The jib turns up with 0.006 rad/s^2 to 0.7 rpm, cruises for 30 s and stops: with the ramp, with
0.0125 rad/s^2, which is 350 kN m on the inertia of the empty crane, or locked in a second. Expected
is what a point mass on a rigid rod does below the same trolley. The crane's load hangs on a hook
block and slings: a double pendulum with a light middle.
"""

import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cable_sim.control.methods.regulator import regulator
from cable_sim.cranes import load_crane
from cable_sim.cranes.crane import Crane
from cable_sim.machine.machine import Machine
from cable_sim.spec.scene import GRAVITY
from validation.acceptance.pendulum import Swing, Trapezoid, circular_pivot, swing
from validation.acceptance.tower import reeve
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

SPEED = 0.7 * 2.0 * math.pi / 60.0
ACCELERATION = 0.006
CRUISE = 30.0
AFTER = 30.0
STOPS = {"ramp": 0.006, "emergency stop": 0.0125, "hard lock": SPEED}
"""Decelerations [rad/s^2]."""
PUBLISHED = {
    (50.0, 40.0): {"ramp": "2.1", "emergency stop": "8.2", "hard lock": "11.7"},
    (60.0, 30.0): {"ramp": "2.2", "emergency stop": "9.9", "hard lock": "15.0"},
    (30.0, 20.0): {"ramp": "2.4", "emergency stop": "5.3", "hard lock": "7.8"},
}
"""Largest sway after the stop [deg] at radius and pendulum length [m]."""
BRAKE = 350e3
"""Torque of the slewing brake [N m]."""
LOAD = 3000.0
"""Mass of the load [kg], less than the chart allows at 50 m."""
SWAY_ALLOWED = 3.0
"""Largest sway with a controller in the loop [deg]."""
EFFORT = 9.0
"""Weight of the jib's acceleration in the regulator [s^2]."""
STANDING = 7e-4
"""Slewing speed below which the jib stands [rad/s]."""
SLINGS = 1.8
"""Height of the slings [m]."""
WITHIN = 0.03


class Run(NamedTuple):
    """The crane's sway, its slewing speed (n,) [rad/s] and torque (n,) [N m], and when it came to
    rest [s]."""

    swing: Swing
    speed: np.ndarray
    torque: np.ndarray
    stopped: float

    @property
    def residual(self) -> float:
        """Largest sway after the stop [deg]."""
        return math.degrees(self.swing.samples_after(self.stopped).total.max())


def hanging_crane(
    radius: float, length: float, point: bool = False, model: str = "massless", **changes: Any
) -> Crane:
    """The crane with its load's centre ``length`` below the trolley's sheaves [m].

    ``point``: with next to nothing between its rope and a small load, sheaves without loss, and no
    air.
    """
    light = (
        {
            "rig.load.size": (0.1, 0.1, 0.1),
            "hooks.hook_block.mass": 20.0,
            "reeving.sheave_efficiency": 1.0,
            **reeve(0.4),
            "reeving.cd": 0.0,
            "rig.load.cd": 0.0,
        }
        if point
        else {}
    )
    half = 0.05 if point else 0.5  # half the height of the load [m]
    return load_crane(
        "tower_12t",
        {
            "rig.start.state": "hanging",
            "rig.start.radius": radius,
            "rig.start.hook_depth": length - SLINGS - half,
            "rig.slings.height": SLINGS,
            "reeving.model": model,
            "site.platforms": (),
        }
        | light
        | changes,
    )


@cache
def slew_by_profile(
    radius: float, length: float, stop: str, point: bool = True, model: str = "massless"
) -> Run:
    """The crane's jib led by the profile, whatever torque that needs."""
    profile = Trapezoid(SPEED, SPEED / ACCELERATION, CRUISE, SPEED / STOPS[stop])
    led = {
        "drives.slewing.torque_max": 1e12,
        "drives.slewing.accel": 1e3,
        "drives.slewing.tau": 1e-3,
    }
    machine = Machine(hanging_crane(radius, length, point, model, **led), dt=2e-3, substeps=10)
    samples = []
    while machine.time < profile.stops + AFTER:
        machine.command("slewing", profile.at(machine.time + machine.tick_time)[1])
        samples.append(look(machine))
    return run_of(samples, profile.stops)


@cache
def brake_jib(controlled: bool) -> Run:
    """An emergency stop at R 50 m, L 40 m by the closed brake, or by the drive and a controller
    that sees the sway."""
    drive: dict[str, Any] = {
        "drives.slewing.torque_max": BRAKE,
        "brake.slewing_torque": BRAKE,
        "rig.load.mass": LOAD,
    }
    if controlled:  # the controller ramps by itself
        drive["drives.slewing.accel"] = 1.0
    machine = Machine(hanging_crane(50.0, 40.0, **drive), dt=2e-3, substeps=10)
    samples: list[tuple[float, ...]] = []
    begin = SPEED / ACCELERATION + CRUISE
    law = stopping_law(50.0, 40.0)
    profile = Trapezoid(SPEED, SPEED / ACCELERATION, CRUISE, SPEED / ACCELERATION)
    while machine.time < begin + 20.0 + AFTER:
        if machine.time < begin:
            machine.command("slewing", profile.at(machine.time + machine.tick_time)[1])
        elif controlled:
            machine.command(
                "slewing", samples[-1][3] + machine.tick_time * change_of_speed(law, samples)
            )
        else:
            machine.emergency_stop(True)
        samples.append(look(machine))
    moving = [sample[0] for sample in samples if abs(sample[3]) > STANDING]
    return run_of(samples, moving[-1])


def stopping_law(radius: float, length: float) -> np.ndarray:
    """Feedback (3,) of slewing speed, tangential sway and its rate to the change of speed.

    The linear-quadratic regulator of  w' = a,  L theta'' = -g theta - R a, which weighs a swing of
    the load by its way, as much as the jib's.
    """
    state = [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -GRAVITY / length, 0.0]]
    weights = np.diag([1.0, 0.0, (length / radius) ** 2])
    return regulator(state, [1.0, 0.0, -radius / length], weights, EFFORT)


def change_of_speed(law: np.ndarray, samples: list[tuple[float, ...]]) -> float:
    """Return the acceleration of the regulator [rad/s^2]; the rate of the sway is from its last two
    samples."""
    t0, _, before, *_ = samples[-2]
    t1, _, now, speed, _ = samples[-1]
    return -float(law @ (speed, now, (now - before) / (t1 - t0)))


def look(machine: Machine) -> tuple[float, ...]:
    """Tick, and read time, angles from the trolley's sheaves to the load's centre [rad], slewing
    speed and torque."""
    seen = machine.tick()
    trolley = seen.body("trolley")
    load = seen.body("load")
    angle = seen.joint("slewing").position
    d = load.position - trolley.position
    cos = math.cos(angle)
    sin = math.sin(angle)
    drive = machine.axis_state(seen, "slewing")
    along = cos * d[0] + sin * d[1]
    across = cos * d[1] - sin * d[0]
    return (
        seen.time,
        math.atan2(along, -d[2]),
        math.atan2(across, -d[2]),
        drive.velocity,
        drive.effort,
    )


def run_of(samples: list[tuple[float, ...]], stopped: float) -> Run:
    """A run from its samples."""
    time, along, across, speed, torque = np.array(samples).T
    return Run(Swing(time, along, across), speed, torque, stopped)


def stop_by_profile(progress: Progress) -> Result:
    """The jib is led by the profile, whatever torque that needs. Expected is the sway of a point
    mass, and so the crane has a small load right below its rope and sheaves without loss here.
    Published are the values of the scenario, rounded.

    Its load as it is differs, by what the last lines tell: between hook and load the slings make a
    second pendulum, and the block's sheaves, over which the rope runs when the load sways along the
    jib, take energy out. So does a rope with mass, which oscillates and sags.
    """
    found: list[Finding] = []
    cases = [(place, stop) for place in PUBLISHED for stop in STOPS]
    for (radius, length), stop in progress.over(cases):
        name = f"{stop}, R {radius:g} m, L {length:g} m"
        printed = PUBLISHED[radius, length][stop]
        ours = slew_by_profile(radius, length, stop).residual
        theory = expected_sway(radius, length, stop)
        found.append(Quantity(f"sway after {name}", printed, theory, ours, WITHIN, "deg"))
    found.append(cruise_finding())
    others = [(place, stop, "massless") for place, stop in cases]
    others += [((50.0, 40.0), stop, "elevation") for stop in STOPS]
    for (radius, length), stop, model in others:
        ours = slew_by_profile(radius, length, stop, False, model).residual
        note = (
            f"{100.0 * (ours / expected_sway(radius, length, stop) - 1.0):+.1f} % of the point mass"
        )
        name = f"load as it is after {stop}, R {radius:g} m, L {length:g} m" + ", elevation" * (
            model == "elevation"
        )
        found.append(Reading(name, ours, "deg", note=note))
    caption = (
        "Sway of the load after the stop, R 50 m, L 40 m. Lines: the crane; dots: a point "
        "mass on a rod."
    )
    return Result(found, [Picture("slewing_stop", caption, draw)])


def cruise_finding() -> Finding:
    """Offset while the jib turns steadily: tan(theta) = w^2 (R + L sin(theta)) / g."""
    radius = 50.0
    length = 40.0
    theory = 0.0
    for _ in range(50):
        theory = math.atan(SPEED**2 * (radius + length * math.sin(theory)) / GRAVITY)
    run = slew_by_profile(radius, length, "ramp")
    steady = (run.swing.time > SPEED / ACCELERATION) & (
        run.swing.time < SPEED / ACCELERATION + 0.98 * CRUISE
    )
    ours = math.degrees(float(run.swing.along[steady].mean()))
    return Quantity(
        "offset outward while cruising, R 50 m", "1.60", math.degrees(theory), ours, WITHIN, "deg"
    )


def expected_sway(radius: float, length: float, stop: str) -> float:
    """Largest sway of the point mass after the stop [deg]."""
    moved, stopped = reference(radius, length, stop)
    return math.degrees(moved.samples_after(stopped).total.max())


def stop_by_machine(progress: Progress) -> Result:
    """The emergency stop as the crane makes it, R 50 m, L 40 m, 3 t: the brake closes on the
    turning jib. Beside it the same stop with a controller in the loop, which may use the drive with
    no more than the brake's torque: a linear-quadratic regulator of slewing speed and sway, sampled
    at 50 Hz.
    """
    plain = brake_jib(controlled=False)
    led = brake_jib(controlled=True)
    begin = SPEED / ACCELERATION + CRUISE
    found: list[Finding] = [
        Reading("sway after the brake has stopped the jib", plain.residual, "deg"),
        Reading("time that the brake takes", plain.stopped - begin, "s"),
        at_most("sway after the controller has stopped the jib", SWAY_ALLOWED, led.residual, "deg"),
        at_most(
            "torque that it uses",
            BRAKE,
            float(np.abs(led.torque[led.swing.time >= begin]).max()),
            "N m",
        ),
        Reading("time that it takes", led.stopped - begin, "s"),
    ]
    caption = (
        "An emergency stop with and without a controller: sway of the load, slewing speed, torque."
    )
    return Result(
        found, [Picture("slewing_stop_controlled", caption, lambda: draw_stops(plain, led, begin))]
    )


@cache
def reference(radius: float, length: float, stop: str) -> tuple[Swing, float]:
    """Sway of the point mass, and when the jib stands [s]."""
    profile = Trapezoid(SPEED, SPEED / ACCELERATION, CRUISE, SPEED / STOPS[stop])
    return swing(circular_pivot(radius, profile), length, profile.stops + AFTER), profile.stops


def draw() -> "Figure":
    """Total sway over time since the stop began."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 3.6))
    axes = figure.subplots()
    for color, stop in zip(("C0", "C1", "C2"), STOPS, strict=False):
        run = slew_by_profile(50.0, 40.0, stop)
        expected, stopped = reference(50.0, 40.0, stop)
        begin = stopped - SPEED / STOPS[stop]
        axes.plot(run.swing.time - begin, np.degrees(run.swing.total), color=color, label=stop)
        axes.plot(
            expected.time[::25] - begin,
            np.degrees(expected.total[::25]),
            ".",
            color=color,
            markersize=3,
        )
    axes.set(xlim=(-10.0, 40.0), xlabel="time since the stop began [s]", ylabel="sway [deg]")
    axes.legend()
    return figure


def draw_stops(plain: Run, led: Run, begin: float) -> "Figure":
    """Both stops over time since they began."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 6.0))
    sway, speed, torque = figure.subplots(3, 1, sharex=True)
    for run, label in ((plain, "brake"), (led, "controller")):
        time = run.swing.time - begin
        sway.plot(time, np.degrees(run.swing.total), label=label)
        speed.plot(time, run.speed * 60.0 / (2.0 * math.pi), label=label)
        torque.plot(time, 1e-3 * run.torque, label=label)
    sway.axhline(SWAY_ALLOWED, color="gray", linewidth=0.7)
    sway.set(xlim=(-10.0, 50.0), ylabel="sway [deg]")
    speed.set(ylabel="slewing [rpm]")
    torque.set(ylabel="torque [kN m]", xlabel="time since the stop began [s]")
    sway.legend()
    return figure


STUDY = Study(
    "Scenario 4: slewing emergency stop",
    "Tower crane tower_12t; numbers of a point mass below the same trolley.",
    Path("slewing_stop"),
    (
        Part("The jib led by a profile", stop_by_profile),
        Part("Brake, and controller in the loop", stop_by_machine),
    ),
)
