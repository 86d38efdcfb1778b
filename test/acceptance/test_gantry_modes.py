"""How a container swings on four ropes: sway, skew, bounce, and what a driver's move leaves.

*Sway.* Parallel falls of length h let the head block move as the coupler of a parallelogram: 2 pi
sqrt(h / g), however deep the load hangs below it. That is for ropes that do not stretch. On elastic
ones the load also tilts: with theta the slope of the falls, phi the tilt, d from the sheaves down
to the common centre of mass, m and I mass and inertia, and K = sum of k a^2 with k = 4 EA / L of
each corner at a from the middle (two falls of one rope of length L),

    m h^2 theta'' + m h d phi'' = -m g h theta,
    m h d theta'' + (m d^2 + I) phi'' = -(m g d + K) phi.

*Skew.* The multi-filar pendulum: 2 pi sqrt(I_z h / (m g r^2)), r^2 the mean square of the falls'
distance from the middle.
"""

import dataclasses
import math
from itertools import product

import numpy as np
import pytest
from slow_cases import slow_but

from cable_sim import Simulator
from cable_sim.cranes import load_crane
from cable_sim.machine.machine import Machine
from cable_sim.machine.sway import yaw_between
from validation.acceptance.gantry import hoist_rope, space_ropes

G = 9.81


def hanging(depth, **changes):
    """The crane in an empty yard, its container at rest."""
    start = {
        "rig.start.state": "hanging",
        "rig.start.trolley": 0.0,
        "rig.start.depth": depth,
        "site.stacks": (),
    }
    return load_crane("rtg_41t", start | {"reeving.sheave_efficiency": 1.0} | changes)


def pushed(crane, velocity=(0.0, 0.0, 0.0), turning=0.0):
    """A simulator in which spreader and container move at the start, and all drives hold."""
    bodies = tuple(
        dataclasses.replace(body, velocity=velocity, angular_velocity=(0.0, 0.0, turning))
        if body.name in (crane.suspension.hook, crane.suspension.load)
        else body
        for body in crane.scene.bodies
    )
    simulator = Simulator(dataclasses.replace(crane.scene, bodies=bodies))
    for axis in crane.axes:
        simulator.command(axis.drive, 0.0, "speed", brake=True)
    return simulator


def period(simulator, look, seconds):
    """Mean time between upward crossings of zero of what ``look`` sees [s]."""
    times, values = [], []
    for _ in range(round(seconds / 0.01)):
        simulator.step(10)
        seen = simulator.observe()
        times.append(seen.time)
        values.append(look(seen))
    t, x = np.array(times), np.array(values)
    i = np.flatnonzero((x[:-1] < 0.0) & (x[1:] >= 0.0))
    return float(np.diff(t[i] - x[i] * (t[i + 1] - t[i]) / (x[i + 1] - x[i])).mean())


def beside(axis):
    """Distance of the spreader from the trolley along x or y [m]."""
    return lambda seen: seen.body("spreader").position[axis] - seen.body("trolley").position[axis]


def skewed(seen):
    """Angle of the spreader from the trolley [rad]."""
    return yaw_between(seen.body("trolley").orientation, seen.body("spreader").orientation)


def carried(crane):
    """Mass, height of the common centre, and moments about it, of spreader and container."""
    bodies = [
        body
        for body in crane.scene.bodies
        if body.name in (crane.suspension.hook, crane.suspension.load)
    ]
    mass = sum(body.mass for body in bodies)
    height = sum(body.mass * body.position[2] for body in bodies) / mass
    moments = sum(np.array(body.inertia or body.shape.inertia(body.mass)) for body in bodies)
    apart = sum(body.mass * (body.position[2] - height) ** 2 for body in bodies)
    return mass, height, moments + np.array([apart, apart, 0.0])


def sway_period(crane, along):
    """Of the two equations at the head of this file [s]; ``along`` 0 is the girders', 1 the
    runway's direction."""
    spec = crane.details
    spreader = next(body for body in crane.scene.bodies if body.name == crane.suspension.hook)
    corner_at = spec.hooks["spreader"].wheels["sheave_1"].at
    axle = spreader.position[2] + corner_at[2]
    h, (m, height, moments) = spec.parts["gantry"].at[2] - axle, carried(crane)
    d, tilting = axle - height, moments[1 - along]
    corner = 4.0 * hoist_rope().ea / (2.0 * h + 2.4 + 0.8)
    stiffness = 4.0 * corner * corner_at[along] ** 2
    mass = np.array([[m * h * h, m * h * d], [m * h * d, m * d * d + tilting]])
    spring = np.diag([m * G * h, m * G * d + stiffness])
    return 2.0 * math.pi / math.sqrt(np.linalg.eigvals(np.linalg.solve(mass, spring)).real.min()), h


@pytest.mark.parametrize(
    ("along", "depth", "model"),
    slow_but(
        {(0, 7.6, "elevation"), (1, 13.6, "massless")},
        product((0, 1), (7.6, 13.6), ("massless", "elevation")),
    ),
)
def test_sway_period(depth, along, model):
    crane = hanging(depth, **{"reeving.model": model})
    velocity = (0.2, 0.0, 0.0) if along == 0 else (0.0, 0.2, 0.0)
    measured = period(pushed(crane, velocity), beside(along), 30.0)
    theory, h = sway_period(crane, along)
    assert measured == pytest.approx(theory, rel=1e-3)
    assert measured == pytest.approx(
        2.0 * math.pi * math.sqrt(h / G), rel=0.015
    )  # of ropes that do not stretch
    assert measured > 2.0 * math.pi * math.sqrt(h / G)


@pytest.mark.parametrize(
    ("depth", "model"),
    slow_but(
        {(7.6, "massless"), (13.6, "elevation")}, product((7.6, 13.6), ("massless", "elevation"))
    ),
)
def test_skew_period(depth, model):
    crane = hanging(depth, **{"reeving.model": model})
    h, (m, _, moments) = depth - 1.6, carried(crane)
    theory = 2.0 * math.pi * math.sqrt(moments[2] * h / (m * G * (0.8**2 + 2.0**2 + 0.4**2)))
    assert period(pushed(crane, turning=0.01), skewed, 50.0) == pytest.approx(theory, rel=2e-3)


def test_skew_gets_stiffer_with_falls_that_spread():
    """p . q of a fall from p on the trolley to q on the head block takes the place of its
    square."""
    crane = hanging(13.6, **space_ropes((2.0, 4.6), (1.6, 4.0)))
    _, _, moments = carried(crane)
    h = 12.0
    spread = 1.0 * 0.8 + 2.3 * 2.0 + 0.4**2
    theory = 2.0 * math.pi * math.sqrt(moments[2] * h / (51_000.0 * G * spread))
    assert period(pushed(crane, turning=0.01), skewed, 50.0) == pytest.approx(theory, rel=0.01)


def test_bounce_is_that_of_eight_falls():
    """2 pi sqrt(m L / (16 EA)), L the length of one rope: the drum held, four ropes of two falls, k
    = 4 * 4 EA / L."""
    crane = hanging(13.6)
    length = 2.0 * 12.0 + 2.4 + 0.8
    theory = 2.0 * math.pi * math.sqrt(51_000.0 * length / (16.0 * hoist_rope().ea))
    rest = next(body.position[2] for body in crane.scene.bodies if body.name == "spreader")
    simulator = pushed(crane, (0.0, 0.0, 0.05))
    heights, times = [], []
    for _ in range(2000):
        simulator.step(1)
        heights.append(simulator.observe().body("spreader").position[2] - rest)
        times.append(simulator.time)
    x = np.array(heights)
    i = np.flatnonzero((x[:-1] > 0.0) & (x[1:] <= 0.0))
    assert np.diff(np.array(times)[i]).mean() == pytest.approx(theory, rel=0.01)


def residual(machine, ramp, cruise):
    """Largest slope of the falls [rad] after a move of the trolley at full speed, held for so long
    [s]."""
    top = machine.crane.axis("trolley").max_speed
    for tick in range(round((2.0 * ramp + cruise + 10.0) / machine.tick_time)):
        machine.command("trolley", top if tick * machine.tick_time < ramp + cruise else 0.0)
        machine.tick()
    slopes = []
    for _ in range(round(8.0 / machine.tick_time)):
        machine.command("trolley", 0.0)
        rope = machine.tick().cable("hoist_rope_1")
        way = rope.node_position[2] - rope.node_position[1]
        slopes.append(math.atan2(way[0], -way[2]))
    return float(np.abs(slopes).max())


def test_what_an_unshaped_move_of_the_trolley_leaves():
    """70 m/min, ramps of 4 s, 12 m of falls: at worst 4 a / g sin(w t / 2), 6.5 degrees, for a
    simple pendulum.

    At worst is a cruise after which the stop adds to what the start has left, an odd number of half
    periods after it. That the load hangs below the sheaves does not lengthen the pendulum, as it
    would below a hook; that it tilts on elastic ropes does, and the friction of the sheaves, which
    the tilting turns, takes a little.
    """
    crane = hanging(13.6, **{"rig.start.trolley": -8.0, "reeving.sheave_efficiency": 0.98})
    swing, _ = sway_period(crane, 0)
    ramp, acceleration = 4.0, crane.axis("trolley").max_acceleration
    half = 0.5 * swing
    worst = residual(Machine(crane), ramp, 3.0 * half - ramp)
    linear = 4.0 * acceleration / G * abs(math.sin(math.pi * ramp / swing))
    assert math.degrees(worst) == pytest.approx(6.5, abs=0.3)
    assert worst == pytest.approx(linear, rel=0.05)
    best = residual(Machine(crane), ramp, 2.0 * half - ramp)
    assert best < 0.1 * worst  # a full period later the stop takes away what the start has left
    print(
        f"period {swing:.3f} s, worst {math.degrees(worst):.2f} deg, best "
        f"{math.degrees(best):.3f} deg"
    )


def test_a_rope_that_parts_loads_the_other_diagonal():
    """Of four ropes the first is gone at once: by hand the pair beside it goes from 62.5 to 125 kN,
    at most 187.5 kN.

    The bound is that of a step on an undamped spring, 2 * 125 - 62.5. The load tilts about that
    diagonal until the rope across it carries a fifth of what it did.
    """
    crane = hanging(13.6, **{"reeving.sheave_efficiency": 0.98})
    simulator = Simulator(
        dataclasses.replace(crane.scene, cables=crane.scene.cables[1:], carriages=())
    )
    for drive in crane.scene.drives:
        simulator.command(drive.name, 0.0, "speed", brake=True)
    peak, late = 0.0, []
    for step in range(30_000):
        simulator.step(1)
        if step < 3000:
            peak = max(peak, simulator.observe().span_tension.max())
        elif step > 20_000 and step % 20 == 0:
            seen = simulator.observe()
            late.append([seen.cable(f"hoist_rope_{i}").tension for i in (2, 3, 4)])
    beside, across, other = np.mean(late, axis=0)
    assert 125e3 < peak < 187.5e3 < hoist_rope().minimum_breaking_force
    assert 0.5 * (beside + other) == pytest.approx(125e3, rel=0.06)
    assert across < 0.25 * 62.5e3
    assert beside + across + other == pytest.approx(51_000.0 * G / 2.0, rel=0.01)
