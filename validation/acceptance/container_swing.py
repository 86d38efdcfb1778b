"""Scenario 8, first part: skew and sway of a container on four ropes.

*Skew.* Falls of length h at distances r_i from the middle, which carry the weight m g, hold yaw
like a multi-filar pendulum of the moment of inertia I about the vertical:

    T = 2 pi sqrt(I h / (m g r^2)),        r^2 the mean of r_i^2.

The published periods take spreader and head block to turn like a box of the container's plan, and
the two falls of a rope to hang in one place. In the file the head block is shorter than the
container and the falls of a rope hang a sheave diameter apart, so that I is 5 % less and r^2 3 %
more. Both cranes are judged.

*Sway.* Parallel falls let the spreader move without turning: 2 pi sqrt(h / g), as published. Ropes
stretch as well, and the container tilts. With theta the slope of the falls, phi the tilt, d from
the sheaves down to the common centre of mass, J the moment about it, and K = sum of k a^2, k = 4 EA
/ L of a rope L long whose two falls are a off the middle,

    m h^2 theta'' + m h d phi'' = -m g h theta,
    m h d theta'' + (m d^2 + J) phi'' = -(m g d + K) phi.
"""

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from cable_sim.cranes import load_crane
from cable_sim.cranes.crane import Crane
from cable_sim.machine.machine import Machine
from cable_sim.machine.sway import yaw_between
from cable_sim.sim.observation import Observation
from cable_sim.spec import Box
from cable_sim.spec.scene import GRAVITY
from validation.acceptance.gantry import hoist_rope, sheave, space_ropes
from validation.acceptance.pendulum import Array
from validation.harness import Finding, Progress, Quantity, Result, fit_mode

FALLS = 12.0
"""Length of the falls [m]."""
HEIGHT = 1.6
"""Height of the head block's sheaves above the twistlocks, in the file [m]."""
SKEW = math.radians(2.0)
"""Angle by which the ropes' upper ends turn [rad]."""
PRINTED = {12.0: "11.5", 15.0: "12.9", 6.0: "8.2"}
"""Periods of skew [s] by the length of the falls [m]."""
SPACING = (1.6, 2.0 * math.sqrt(2.0**2 - 0.4**2))
"""Spacing of the ropes along x and y [m]."""
BOXLIKE = {
    "hooks.spreader.spreader.inertia": Box(2.44, 12.19, 0.64).inertia(10_000.0),
    **space_ropes(SPACING, SPACING),
}
"""All of 51 t as a box of the container's plan, and the mean square of the falls' distances that of
0.8 m and 2 m."""
WITHIN = 0.01
"""Tolerance of periods [-]."""


class Hung(NamedTuple):
    """Suspended mass on the falls: mass [kg], moments about its centre [kg m^2], depth of the
    centre below the sheaves [m]."""

    mass: float
    moments: Array
    below: float


def swinging_machine(falls: float, changes: dict[str, Any]) -> Machine:
    """The container at rest on falls of that length [m], in an empty yard, with micro-motion."""
    start = {
        "rig.start.state": "hanging",
        "rig.start.trolley": 0.0,
        "rig.start.depth": falls + HEIGHT,
    }
    yard = {"site.stacks": (), "drives.micro": {}, "reeving.sheave_efficiency": 1.0}
    return Machine(load_crane("rtg_41t", start | yard | changes), dt=2e-3, substeps=5)


def yaw(seen: Observation) -> float:
    """Yaw of the spreader from the trolley [rad]."""
    return yaw_between(seen.body("trolley").orientation, seen.body("spreader").orientation)


@cache
def skew_period(falls: float, boxlike: bool) -> tuple[float, float]:
    """Return the periods of skew after the ropes' upper ends have turned by 2 degrees [s].

    They are that of the closed form, and the measured one.
    """
    machine = swinging_machine(falls, BOXLIKE if boxlike else {})
    yaws = []
    while machine.time < 35.0:
        machine.command("skew", SKEW, "position")
        seen = machine.tick()
        turned = machine.axis_state(seen, "skew").position
        yaws += [yaw(seen) - turned] if machine.time > 3.0 else []
    hung = carried_body(machine.crane)
    spread = distances(machine.crane)
    theory = 2.0 * math.pi * math.sqrt(hung.moments[2] * falls / (hung.mass * GRAVITY * spread))
    return theory, fit_mode(yaws, machine.tick_time).period


@cache
def sway_period() -> tuple[float, float]:
    """Return the periods of the sway along the girders after a push by the trolley [s].

    They are that of the two equations, and the measured one.
    """
    machine = swinging_machine(FALLS, {})
    slopes = []
    while machine.time < 40.0:
        machine.command("trolley", 0.3 if machine.time < 1.0 else 0.0)
        seen = machine.tick()
        aside = seen.body("spreader").position[0] - seen.body("trolley").position[0]
        slopes += [aside] if machine.time > 5.0 else []
    measured = fit_mode(np.array(slopes) - np.mean(slopes), machine.tick_time).period
    return elastic_sway(machine), measured


def carried_body(crane: Crane) -> Hung:
    """Spreader and container as one body, from the scene."""
    bodies = {
        body.name: body for body in crane.scene.bodies if body.name in ("spreader", "container")
    }
    mass = sum(body.mass for body in bodies.values())
    height = sum(body.mass * body.position[2] for body in bodies.values()) / mass
    moments = np.zeros(3)
    for body in bodies.values():
        apart = body.mass * (body.position[2] - height) ** 2
        assert body.inertia or body.shape
        moments += body.inertia or body.shape.inertia(body.mass)  # type: ignore[union-attr]
        moments += (apart, apart, 0.0)
    return Hung(mass, moments, crane.details.parts["gantry"].at[2] - FALLS - height)


def distances(crane: Crane) -> float:
    """Mean square of the falls' distances from the middle of the head block [m^2]."""
    ropes = [cable for cable in crane.scene.cables if cable.name in crane.ropes]
    ends = [
        node.position
        for rope in ropes
        for node in rope.nodes
        if getattr(node, "body", "") == "spreader"
    ]
    return float(np.mean([x * x + y * y for x, y, _ in ends]))


def elastic_sway(machine: Machine) -> float:
    """Slower period of the two equations at the head of this file [s]."""
    hung = carried_body(machine.crane)
    m, moments, d = hung
    length = machine.observe().cable("hoist_rope_1").length
    stiffness = 16.0 * hoist_rope().ea / length * sheave().at[0] ** 2
    inertia = np.array([[m * FALLS**2, m * FALLS * d], [m * FALLS * d, m * d * d + moments[1]]])
    spring = np.diag([m * GRAVITY * FALLS, m * GRAVITY * d + stiffness])
    return float(
        2.0 * math.pi / math.sqrt(np.linalg.eigvals(np.linalg.solve(inertia, spring)).real.min())
    )


def periods(progress: Progress) -> Result:
    """41 t skew after the upper ends of the ropes have turned by 2 deg, and sway after a push by
    the trolley. The published periods of skew are of a spreader that turns like a container; the
    file's spreader and falls have less inertia and hold better. The sway takes longer than
    published, by the container's tilt on ropes that stretch.
    """
    found: list[Finding] = []
    for falls, printed in progress.over(list(PRINTED.items())):
        theory, ours = skew_period(falls, boxlike=True)
        name = f"skew at {falls:g} m, spreader like a container"
        found.append(Quantity(name, printed, theory, ours, WITHIN, "s"))
        theory, ours = skew_period(falls, boxlike=False)
        found.append(
            Quantity(f"skew at {falls:g} m, spreader of the file", None, theory, ours, WITHIN, "s")
        )
    theory, ours = sway_period()
    rigid = 2.0 * math.pi * math.sqrt(FALLS / GRAVITY)
    note = f"{rigid:.2f} s of falls that do not stretch"
    found.append(Quantity(f"sway at {FALLS:g} m", "6.95", theory, ours, 0.5 * WITHIN, "s", note))
    return Result(found)
