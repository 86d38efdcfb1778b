"""Active heave compensation: what the motion reference unit tells of the tip, and what is left of a
ship's heave at the load, against closed forms."""

import dataclasses
import math
from functools import cache

import numpy as np
import pytest
from messages import naming
from transforms3d.quaternions import quat2mat

from cable_sim.control.controllers import AnyController
from cable_sim.control.controllers.heave_compensation import HeaveCompensation
from cable_sim.control.controllers.operator import Operator
from cable_sim.control.methods.rate_tracker import RateTracker, response
from cable_sim.control.run import Run, run
from cable_sim.control.scenario import Scenario
from cable_sim.cranes import load_crane
from cable_sim.cranes.parts.carrier import Tip, carrier_of, rise_of
from cable_sim.errors import SpecError
from cable_sim.machine.faults import Fault
from cable_sim.machine.machine import Machine
from cable_sim.machine.sway import suspension_point
from cable_sim.spec import Rao, Sea

CRANE = "offshore_25t"
QUIET = {"sensors.mru": {"delay": 0.02}}
LAG, DELAY, PERIOD = 0.15, 0.02, 0.01
"""Of the hoist's drive, of the motion reference unit, and between two commands [s]."""
SEA = Sea(1.5, 9.0, 3.3, components=40, seed=2)
HEAVE = Rao((0.3, 0.7, 1.2, 1.8), tuple((0.0, 0.0, z, 0.0, 0.0, 0.0) for z in (1.0, 0.8, 0.2, 0.0)))
"""A sea, and how the ship heaves in it, in which the hoist keeps to its speed and acceleration."""


def test_the_tip_rises_as_its_readings_tell() -> None:
    """Place and rate of the tip after slewing and luffing, on a ship that moves in all ways."""
    sine = {"frequency": 0.8, "amplitude": [0.5, 0.4, 1.0, 0.08, 0.05, 0.06], "phase": [1.0] * 6}
    exact = {"sensors.mru": {}, "parts.ship.motion": {"sines": [sine], "ramp": 3.0}}
    crane = load_crane(CRANE, exact)
    machine = Machine(crane)
    while machine.time < 6.0:
        for axis in ("slewing", "luffing"):
            machine.command(axis, 0.1 if machine.time < 3.0 else 0.0)
        seen = machine.tick()
    assert carrier_of(crane.scene, crane.suspension.base) == "ship"
    place = {axis.name: machine.axis_state(seen, axis.name).position for axis in crane.axes}
    tip = Tip(crane).over_carrier(place)
    ship = seen.body("ship")
    at, velocity = suspension_point(crane.suspension, seen.body)
    assert ship.position + quat2mat(ship.orientation) @ tip == pytest.approx(at, abs=1e-6)
    rise = rise_of(tip, machine.readings)
    assert rise.height == pytest.approx(at[2] - tip[2], abs=1e-6)
    assert abs(rise.rate) > 0.5
    assert rise.rate == pytest.approx(velocity[2], abs=2e-3)  # the boom's brakes give a little


@pytest.mark.parametrize("ahead", [0.0, 0.2])
def test_the_tracker_answers_a_wave_as_its_factor_says(ahead: float) -> None:
    w, bandwidth, period = 1.5, 20.0, 1e-3
    tracker = RateTracker(period, bandwidth)
    told = []
    for i in range(20000):
        tracker.see(math.nan if i % 7 == 3 and i < 9000 else math.sin(w * period * i))
        told.append(tracker.ahead(ahead))
    times = period * np.arange(12000, 20000)
    waves = np.stack([np.sin(w * times), np.cos(w * times)], axis=1)
    sine, cosine = np.linalg.lstsq(waves, np.array(told[12000:]), rcond=None)[0]
    assert complex(sine, cosine) == pytest.approx(response(w, bandwidth, ahead), abs=1e-3)


@cache
def lifted(controller: AnyController) -> Run:
    """A load below a ship that heaves in a regular wave of 7 s, under a perfect unit."""
    wave = {"frequency": 2.0 * math.pi / 7.0, "amplitude": [0.0, 0.0, 0.6, 0.0, 0.0, 0.0]}
    changes = {**QUIET, "parts.ship.motion": {"sines": [wave], "ramp": 7.0}}
    return run(Scenario(CRANE, [], changes=changes, controller=controller, watch=35.0))


def amplitude(done: Run) -> float:
    """Share of the wave that the load makes, in the last three of the waves [-]."""
    time = done.time[-2100:]
    w = 2.0 * math.pi / 7.0
    waves = np.stack([np.sin(w * time), np.cos(w * time), np.ones_like(time)], axis=1)
    sine, cosine, _ = np.linalg.lstsq(waves, done.load[-2100:, 2], rcond=None)[0]
    return math.hypot(sine, cosine) / 0.6


@pytest.mark.parametrize("lead", [None, 0.0])
def test_a_regular_wave_is_left_as_lag_and_delay_allow(lead: float | None) -> None:
    """The row of the drive gives way, too, as if it were late by another 3 to 6 ms."""
    controller = HeaveCompensation(lead=lead)
    w = 2.0 * math.pi / 7.0
    allowed = controller.residual(w, LAG, DELAY, PERIOD)
    assert amplitude(lifted(controller)) == pytest.approx(allowed, abs=6e-3 * w)
    assert amplitude(lifted(Operator())) == pytest.approx(1.0, abs=5e-3)


def test_a_sea_is_left_as_lag_and_delay_allow() -> None:
    """The sum over its waves; the row of the drive gives way, too."""
    controller = HeaveCompensation()
    changes = {**QUIET, "parts.ship.motion": {"sea": SEA, "rao": HEAVE, "ramp": 10.0}}
    scenario = Scenario(CRANE, [], changes=changes, controller=controller, watch=60.0, dt=2e-3)
    heights = run(scenario).load[1500:, 2]
    waves = [(w, a * abs(HEAVE.respond(w)[2])) for w, a, _ in SEA.waves()]
    whole = math.sqrt(sum(0.5 * a * a for _, a in waves))
    left = [a * controller.residual(w, LAG, DELAY, PERIOD) for w, a in waves]
    allowed = math.sqrt(sum(0.5 * a * a for a in left))
    assert allowed < 0.02 * whole
    assert allowed < heights.std() < 1.4 * allowed


def test_a_unit_that_dies_is_done_without() -> None:
    """The hoist comes to rest, and nothing is commanded that is no number."""
    done = run(
        dataclasses.replace(
            lifted(HeaveCompensation()).scenario,
            faults=[Fault(kind="sensor_dead", target="mru.heave.speed", start=1.0)],
            watch=4.0,
        )
    )
    assert np.isfinite(done.wanted[1:, done.axes.index("hoist")]).all()


@pytest.mark.parametrize(
    ("crane", "changes", "told"),
    [
        ("tower_12t", {}, "tower_12t sensor mru"),
        (CRANE, {"sensors.mru": None}, "offshore_25t sensor mru"),
        ("lab_gantry", {}, "lab_gantry sensor mru"),
    ],
)
def test_cranes_without_a_unit_are_refused(crane: str, changes: dict, told: str) -> None:
    scenario = Scenario(crane, [], changes=changes, controller=HeaveCompensation())
    with pytest.raises(SpecError, match=naming(told)):
        run(scenario)
