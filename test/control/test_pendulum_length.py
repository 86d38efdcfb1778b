"""The length of the pendulum that a load sways like, against the free swing of the whole crane."""

import dataclasses
import math

import numpy as np
import pytest
from messages import naming

from cable_sim import Simulator
from cable_sim.control.pendulum import pendulum_length
from cable_sim.cranes import load_crane
from cable_sim.cranes.parts.pendulum import slower_length
from cable_sim.errors import SpecError
from cable_sim.machine.machine import Machine

G = 9.81
FREELY = {"rig.start.state": "hanging", "reeving.sheave_efficiency": 1.0, "rig.load.cd": 0.0}
TOWER = {
    (depth, mass): {"rig.start.hook_depth": depth, "rig.load.mass": mass, "rig.start.radius": 20.0}
    for depth, mass in ((6.0, 3000.0), (30.0, 500.0), (30.0, 6000.0), (50.0, 3000.0))
}
GANTRY = {
    (depth, mass): {
        "rig.start.depth": depth,
        "rig.load.mass": mass,
        "rig.start.trolley": 0.0,
        "site.stacks": (),
    }
    for depth, mass in ((7.6, 41e3), (13.6, 41e3), (13.6, 10e3), (16.0, 41e3))
}


def swing(crane, across: bool, length: float, seconds: float) -> float:
    """Mean time between upward crossings of the load's place beside the trolley [s], after a push
    to 1.5 degrees.

    All that hangs starts as fast as it is deep, or alike below a head block, so that little of a
    faster mode is there.
    """
    side = int(across)
    top = next(body.position[2] for body in crane.scene.bodies if body.name == "trolley")
    rate, level = math.radians(1.5) * math.sqrt(G / length), crane.family == "gantry_crane"
    way = np.eye(3)[side] * rate
    bodies = tuple(
        dataclasses.replace(body, velocity=way * (length if level else top - body.position[2]))
        if body.name in ("hook_block", "load", "spreader", "container")
        else body
        for body in crane.scene.bodies
    )
    simulator = Simulator(dataclasses.replace(crane.scene, bodies=bodies), dt=2e-3)
    for axis in crane.axes:
        if axis.name in ("slewing", "trolley", "gantry", "hoist"):
            simulator.command(axis.drive, 0.0, "speed", brake=True)
    times, places = [], []
    while simulator.time < seconds:
        simulator.step(10)
        seen = simulator.observe()
        times.append(seen.time)
        places.append(seen.body(crane.watched).position[side] - seen.body("trolley").position[side])
    t, x = np.array(times), np.array(places)
    i = np.flatnonzero((x[:-1] < 0.0) & (x[1:] >= 0.0))
    return float(np.diff(t[i] - x[i] * (t[i + 1] - t[i]) / (x[i + 1] - x[i])).mean())


def agree(crane, across: bool, within: float) -> None:
    """The period of two swings of 1.5 degrees, which takes 4e-5 longer than of small ones, against
    the length's."""
    machine = Machine(crane)
    hoist = machine.axis_state(machine.observe(), "hoist").position
    length = pendulum_length(crane)(hoist, across)
    expected = 2.0 * math.pi * math.sqrt(length / G)
    measured = swing(crane, across, length, 3.3 * expected)
    assert measured == pytest.approx(expected, rel=within), (measured, expected)


@pytest.mark.parametrize(
    ("case", "across"),
    [
        ((6.0, 3000.0), False),
        ((30.0, 6000.0), True),
        *(
            pytest.param(case, across, marks=pytest.mark.slow)
            for case in TOWER
            for across in (False, True)
        ),
    ],
)
def test_tower_crane(case, across) -> None:
    """Near the jib the faster mode, of block and slings, is in the period of some swings."""
    agree(load_crane("tower_12t", FREELY | TOWER[case]), across, 3e-3 if case[0] < 10.0 else 5e-4)


@pytest.mark.slow
def test_tower_crane_on_four_falls() -> None:
    changes = {
        "reeving.n_falls": 4,
        "rig.start.hook_depth": 25.0,
        "rig.load.mass": 8000.0,
        "rig.start.radius": 15.0,
    }
    agree(load_crane("tower_12t", FREELY | changes), False, 5e-4)


@pytest.mark.parametrize(
    ("case", "across"),
    [
        ((7.6, 41e3), True),
        ((13.6, 41e3), False),
        *(
            pytest.param(case, across, marks=pytest.mark.slow)
            for case in GANTRY
            for across in (False, True)
        ),
    ],
)
def test_gantry_crane(case, across) -> None:
    agree(load_crane("rtg_41t", FREELY | GANTRY[case]), across, 1e-4)


EMPTY = {
    "rig.start.state": "hanging",
    "rig.start.depth": 10.0,
    "rig.start.trolley": 0.0,
    "site.stacks": (),
    "rig.load": None,
    "reeving.sheave_efficiency": 1.0,
}
QUAY = {
    "rig.start.state": "hanging",
    "rig.start.depth": 30.0,
    "rig.start.trolley": 20.0,
    "site.stacks": (),
    "reeving.sheave_efficiency": 1.0,
}


@pytest.mark.parametrize(("crane", "changes"), [("rtg_41t", EMPTY), ("sts_51t", QUAY)])
def test_gantry_crane_without_a_container_and_on_a_quay(crane, changes) -> None:
    agree(load_crane(crane, changes), False, 1e-4)


@pytest.mark.parametrize("across", [False, True], ids=["along", "across"])
def test_laboratory_crane(across) -> None:
    agree(load_crane("lab_inteco"), across, 1e-4)


def test_laboratory_gantry() -> None:
    agree(load_crane("lab_gantry"), False, 1e-4)


def test_a_bob_below_its_knot_is_a_double_pendulum() -> None:
    crane = load_crane("lab_inteco", {"rig.bob.axle": 0.1, "rig.bob.radius": 0.05})
    agree(crane, False, 1e-4)


@pytest.mark.parametrize("ratio", [0.1, 1.0, 8.0])
def test_two_points_on_strings_sway_as_published(ratio) -> None:
    """Singhose et al. 2008, eq. 1, with R the load's mass over the hook's."""
    falls, slings = 20.0, 3.0
    both = (1.0 + ratio) * (1.0 / falls + 1.0 / slings)
    squared = 0.5 * G * (both - math.sqrt(both**2 - 4.0 * (1.0 + ratio) / (falls * slings)))
    k, q = G * (1.0 + ratio) * falls, G * ratio * slings
    ours = slower_length((1.0 + ratio) * falls**2, ratio * falls * slings, ratio * slings**2, k, q)
    assert ours == pytest.approx(G / squared, rel=1e-12)


def test_a_stiff_and_a_loose_second_angle() -> None:
    """Held stiffly it is not there; a load that turns freely about a light hook is one rod with
    what it hangs on."""
    assert slower_length(144.0, 36.0, 10.0, 12.0 * G, 1e12) == pytest.approx(12.0, rel=1e-9)
    assert slower_length(144.0, 36.0, 9.0, 12.0 * G, 3.0 * G) == pytest.approx(15.0, rel=1e-12)


def test_of_a_rope_in_a_hand_it_is_not_known() -> None:
    with pytest.raises(SpecError, match=naming("nehe_rope load sways")):
        pendulum_length(load_crane("nehe_rope"))
