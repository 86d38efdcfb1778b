"""Constant tension on a load that stands on a deck, and the lift off it, against closed forms."""

import dataclasses
import math
from functools import cache

import numpy as np
import pytest
from messages import naming

from cable_sim.control.catalogue import load_scenario
from cable_sim.control.controllers import AnyController
from cable_sim.control.controllers.constant_tension import ConstantTension
from cable_sim.control.controllers.offshore_lift import OffshoreLift
from cable_sim.control.controllers.operator import Operator
from cable_sim.control.plants.plant import LocalPlant
from cable_sim.control.run import run
from cable_sim.control.scenario import Scenario
from cable_sim.cranes import load_crane
from cable_sim.errors import ConfigError, SpecError
from cable_sim.machine.machine import Machine

LIFT = load_scenario("offshore_lift")
FALLS = 4
G = 9.81
FREQUENCY, AMPLITUDE = 0.9, 0.5
"""Of a deck that heaves in a regular wave [rad/s, m]."""


def on_a_deck(motion: dict) -> dict:
    """Changes for a ship that rests beside a vessel with a motion, and pins without noise."""
    still = {"sines": [{"frequency": 1.0, "amplitude": [0.0] * 6}], "ramp": 0.0}
    return LIFT.changes | {
        "sensors.load_pin": {"filter": 0.05},
        "parts.ship.motion": still,
        "parts.supply_vessel": LIFT.changes["parts.supply_vessel"] | {"motion": motion},
        "ropes.hoist_rope.path": smooth_path(),
        "parts.house.wheels.foot.efficiency": 1.0,
    }


def smooth_path() -> list:
    """The path of the hoist rope over wheels without loss."""
    path = load_crane("offshore_25t").details.ropes["hoist_rope"].path
    return [*path[:-1], dataclasses.replace(path[-1], efficiency=1.0)]


def test_tension_varies_as_lag_and_filter_allow() -> None:
    """Mean as it is set, amplitude K a |S| of the wave's amplitude a, with K of rope and slings."""
    wave = {"sines": [{"frequency": FREQUENCY, "amplitude": [0.0, 0.0, AMPLITUDE, 0.0, 0.0, 0.0]}]}
    controller = ConstantTension(tension=12e3)
    changes = on_a_deck(wave | {"ramp": 7.0})
    scenario = dataclasses.replace(
        LIFT, moves=(), changes=changes, controller=controller, watch=28.0
    )
    done = run(scenario)
    late = done.time > 14.0
    waves = np.stack([f(FREQUENCY * done.time[late]) for f in (np.cos, np.sin, np.ones_like)], 1)
    c, s, mean = np.linalg.lstsq(waves, done.pull[late], rcond=None)[0]
    crane = scenario.build()
    rope = crane.details.ropes["hoist_rope"].rope
    length = Machine(crane).observe().cable("hoist_rope").length
    stiffness = FALLS * rope.ea / length
    allowed = stiffness * AMPLITUDE * controller.residual(FREQUENCY, 0.15, 0.05, 0.01)
    assert mean == pytest.approx(12e3, rel=5e-3)
    assert math.hypot(c, s) == pytest.approx(allowed, rel=0.25)
    assert abs(done.velocity[late, done.axes.index("hoist")]).max() > 0.9 * FREQUENCY * AMPLITUDE


def test_slack_is_taken_in() -> None:
    still = {"sines": [{"frequency": 1.0, "amplitude": [0.0] * 6}], "ramp": 0.0}
    scenario = dataclasses.replace(
        LIFT,
        moves=(),
        changes=on_a_deck(still) | {"rig.slings.slack": 0.15},
        controller=ConstantTension(tension=12e3),
        watch=8.0,
    )
    done = run(scenario)
    assert done.pull[50:60].max() < 3e3
    assert done.pull[-200:] == pytest.approx(12e3, rel=0.01)


@cache
def lifted(controller: AnyController | None) -> tuple[np.ndarray, float, float]:
    """Force of the deck on the load after it has left it (n,) [N], the largest line pull since the
    move began [N], and the rate at which the deck rose as the load left it [m/s]."""
    first, second = LIFT.moves
    moves = (first, dataclasses.replace(second, start=30.0, by=-3.5))
    scenario = dataclasses.replace(LIFT, moves=moves, controller=controller or LIFT.controller)
    plant = LocalPlant.of(dataclasses.replace(scenario, dt=2e-3))
    seen = plant.reset()
    law = scenario.controller.start(scenario.task(plant.crane, seen, plant.period))
    deck, pull, rates = [], [], []
    while seen.time < 42.0:
        seen = plant.step(law(seen))
        if seen.time > 30.0:
            deck.append(plant.observation.body("load").contact_force[2])
            pull.append(seen.pull)
            rates.append(float(plant.observation.body("supply_vessel").velocity[2]))
    forces = np.array(deck)
    off = int(np.flatnonzero(forces <= 0.0)[0])
    return forces[off:], max(pull), rates[off]


def test_a_load_leaves_its_deck_without_a_blow() -> None:
    """It is the moment in which the deck begins to fall that makes it."""
    forces, pull, rate = lifted(None)
    hit, _, _ = lifted(Operator())
    assert rate < 0.0
    assert forces.max() <= 0.0 < hit.max()
    assert pull < 1.5 * 20900.0 * 9.81 / FALLS


def test_what_can_not_be_is_told() -> None:
    for scenario, told in (
        (dataclasses.replace(LIFT, moves=()), "move hoist planned"),
        (Scenario("lab_gantry", [], controller=ConstantTension()), "lab_gantry load_pin"),
        (Scenario("offshore_25t", [], controller=OffshoreLift()), "move hoist"),
    ):
        with pytest.raises(SpecError, match=naming(told)):
            run(scenario)


def test_a_deck_needs_a_part_that_moves_by_itself() -> None:
    deck = {"at": [0.0, 0.0, 1.0], "size": [4.0, 4.0, 0.5]}
    with pytest.raises((ConfigError, SpecError), match=naming("deck part motion")):
        load_crane("offshore_25t", {"parts.house.deck": deck})


def test_both_vessels_lie_in_one_sea() -> None:
    """Its bow is 45 deg off waves from starboard ahead: they come to the supply vessel first by w^2
    / g times its way ahead, and either vessel rolls to port and sinks by the bow a quarter
    later."""
    ship, vessel = (LIFT.build().details.parts[name] for name in ("ship", "supply_vessel"))
    along = np.array((-1.0, 1.0, 0.0)) / math.sqrt(2.0)
    ahead = -along @ np.subtract(vessel.at, ship.at)
    assert ship.motion.sea == vessel.motion.sea
    for frequency in vessel.motion.rao.frequencies[:-1]:
        for part, way in ((ship, 0.0), (vessel, ahead)):
            heave, roll, pitch = np.array(part.motion.rao.respond(frequency))[2:5]
            lead = frequency**2 / G * way
            assert heave * np.exp(-1j * lead) == pytest.approx(abs(heave), abs=0.01)
            for turn in (roll, pitch):
                assert 1j * turn * np.exp(-1j * lead) == pytest.approx(abs(turn), abs=1e-4)
