"""Every crane of the catalogue: starts at rest, moves with every axis, and swings with the period
of its pendulum."""

import dataclasses
import math
import warnings

import numpy as np
import pytest
from messages import naming

from cable_sim.cranes import crane_names, load_crane
from cable_sim.cranes.families.kit.words.parts import PartMotion
from cable_sim.errors import CableSimWarning
from cable_sim.machine.machine import Machine
from cable_sim.machine.sway import suspension_point
from cable_sim.sim.simulator import Simulator
from cable_sim.spec import Sine

G = 9.81
BY_CONTACT = {"magnet_8t", "grab_3t", "skip_2t"}
CRANES = sorted(
    name
    for name, file in crane_names().items()
    if name == file and len(load_crane(name).suspensions) == 1 and name not in BY_CONTACT
)
"""Of one hook each, on which a load hangs at the start. Several cranes in one world have tests of
their own, and those that take loads up by contact (``test/acceptance/test_grabs.py``)."""


def without_loss(name):
    """Changes that take the losses of the wheels from the hoist rope of a crane of parts."""
    path = load_crane(name).details.ropes["hoist_rope"].path
    carrier, wheel = path[1].split(".")
    return {
        f"parts.{carrier}.wheels.{wheel}.efficiency": 1.0,
        "ropes.hoist_rope.path": (*path[:-1], dataclasses.replace(path[-1], efficiency=1.0)),
        "rig.slings.height": 0.9,
    }


NO_LOSSES = {
    "tower_12t": {
        "rig.start.state": "hanging",
        "reeving.sheave_efficiency": 1.0,
        "rig.slings.height": 0.9,
    },
    "tower_5t": {
        "rig.start.state": "hanging",
        "reeving.sheave_efficiency": 1.0,
        "rig.slings.height": 0.9,
    },
    "rtg_41t": {
        "rig.start.state": "hanging",
        "reeving.sheave_efficiency": 1.0,
        "rig.start.trolley": 1.6,
    },
    "sts_51t": {
        "rig.start.state": "hanging",
        "reeving.sheave_efficiency": 1.0,
        "rig.start.trolley": 20.0,
    },
    "lab_gantry": {},
    "lab_inteco": {},
    "luffing_12t": without_loss("luffing_12t"),
    "crawler_50t": without_loss("crawler_50t"),
    "mobile_32t": {**without_loss("mobile_32t"), "rig.start.at.slewing_deg": 0.0},
    "cableway_20t": {"rig.start.at.travel": -200.0},
    "offshore_25t": {
        **without_loss("offshore_25t"),
        "rig.start.at.slewing_deg": 0.0,
        "parts.ship.motion": PartMotion(sines=(Sine(1.0, (0.0,) * 6),)),
    },
}
"""Each crane with its load in the air on frictionless wheels, and its ship at rest."""
SAGGING = ("cableway_20t",)
"""Cranes on ropes that sag. Such a rope pulls across from the second step on: by then the carriage
of 4 t has begun to fall under half of the rope's 18 t, with 22 m/s^2 for a millisecond."""
HEAVY_TOWER = {"hooks.hook_block.mass": 2000.0, "reeving.design_factor": 3.0, "rig.load.mass": 1.0}
GIVING = ("mobile_32t", "cableway_20t")
"""Cranes whose suspension point moves with the load."""
HEAVY_BLOCK = {
    "tower_12t": HEAVY_TOWER,
    "tower_5t": HEAVY_TOWER,
    "luffing_12t": {"hooks.hook_block.mass": 2000.0, "rig.load.mass": 1.0},
    "crawler_50t": {"hooks.hook_block.mass": 2000.0, "rig.load.mass": 1.0},
    "offshore_25t": {"hooks.hook_block.mass": 2000.0, "rig.load.mass": 1.0},
}
"""Cranes with a load on slings: it is a feather, and the block has the mass."""


def test_the_list_of_cranes_is_the_catalogue():
    assert set(CRANES) == set(NO_LOSSES)


@pytest.mark.parametrize("name", CRANES)
def test_it_loads_without_a_warning(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_crane(name)


def test_a_load_beyond_what_the_crane_may_lift_warns():
    told = "tower_12t rig.load.mass 30000 kg beyond 6000"
    with pytest.warns(CableSimWarning, match=naming(told)):
        load_crane("tower_12t", {"rig.load.mass": 30000.0})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_crane("tower_12t", {"rig.load.mass": 6000.0})


@pytest.mark.parametrize("name", CRANES)
@pytest.mark.parametrize("hanging", [False, True])
def test_it_starts_in_equilibrium(name, hanging):
    crane = load_crane(name, NO_LOSSES[name] if hanging else {})
    if crane.scene.motions and not hanging:
        pytest.skip("it stands on a ship")
    simulator = Simulator(crane.scene)
    start = simulator.observe()
    simulator.step(2000)
    moved = simulator.observe().body_position - start.body_position
    np.testing.assert_allclose(moved, 0.0, atol=5e-5 if name in SAGGING else 1e-8)


@pytest.mark.parametrize("name", CRANES)
def test_it_drives_with_every_axis(name):
    """Half of full speed for two seconds, both ways: the speed is reached or the ramp is, less the
    lag of its drive."""
    crane = load_crane(name, NO_LOSSES[name])
    lags = {drive.name: drive.lag + drive.brake_open_delay for drive in crane.scene.drives}
    for axis in crane.axes:
        for sign in (1.0, -1.0):
            machine = Machine(crane)
            start = machine.axis_state(machine.observe(), axis.name).position
            wanted = sign * 0.5 * axis.max_speed
            for _ in range(200):
                machine.command(axis.name, wanted)
                seen = machine.tick()
            state = machine.axis_state(seen, axis.name)
            reached = min(abs(wanted), 2.0 * axis.max_acceleration)
            room = (axis.upper - start) if sign > 0.0 else (start - axis.lower)
            if room > 2.0 * abs(wanted):
                late = lags.get(axis.drive, 0.0) * axis.max_acceleration
                assert 0.9 * reached - late < sign * state.velocity < 1.1 * reached, (
                    axis.name,
                    sign,
                )
            assert sign * (state.position - start) > 0.2 * min(reached, room) - 0.01, (
                axis.name,
                sign,
            )


def period(name, crane, body, component, push):
    """Mean time between crossings of the middle, of a body after a short push [s]."""
    simulator = Simulator(crane.scene, dt=2e-3)
    for axis in crane.axes:
        simulator.command(axis.drive, 0.0, "speed", brake=True)
    rest = simulator.observe().body(body).position[component]
    force = np.zeros(3)
    force[component] = push
    simulator.push(body, force)
    simulator.step(50)
    simulator.push(body)
    times, values = [], []
    for _ in range(4000 if name.startswith("lab") else 2500):
        simulator.step(1 if name.startswith("lab") else 16)
        times.append(simulator.time)
        values.append(simulator.observe().body(body).position[component] - rest)
    t, x = np.array(times), np.array(values)
    k = np.flatnonzero((x[:-1] < 0.0) & (x[1:] >= 0.0))
    crossings = t[k] - x[k] * (t[k + 1] - t[k]) / (x[k + 1] - x[k])
    return float((crossings[-1] - crossings[0]) / (crossings.size - 1))


@pytest.mark.parametrize("name", [name for name in CRANES if name not in GIVING])
def test_it_swings_like_its_pendulum(name):
    """2 pi sqrt(h / g) along y: h from the trolley to the point mass of a tower crane or a
    laboratory crane, and the length of the parallel falls of a container crane, whatever hangs
    below them.

    A load on slings is a second pendulum. A crane on outriggers gives, and takes long; a carriage
    on a rope swings along.
    """
    crane = load_crane(name, NO_LOSSES[name] | HEAVY_BLOCK.get(name, {}))
    suspension, seen = crane.suspension, Simulator(crane.scene).observe()
    body = suspension.hook
    mass = next(b.mass for b in crane.scene.bodies if b.name == body)
    h = suspension_point(suspension, seen.body)[0][2] - seen.body(body).position[2]
    tilting = len(crane.ropes) == 4  # on elastic ropes, which makes it slower by a hundredth
    if tilting:
        h = crane.details.rig.start.at["hoist"] - crane.details.hooks[body].hook_below_axle
    swing = period(name, crane, body, 1, 0.3 * mass)
    assert swing == pytest.approx(2.0 * math.pi * math.sqrt(h / G), rel=0.012 if tilting else 0.002)
