"""Tensions that a page of this process shows before the first tick."""

import time
from contextlib import closing

from cable_sim import Anchor, Body, Cable, Scene, Sphere
from cable_sim.cranes import load_crane
from cable_sim.machine.bare import BareMachine, machine_of
from cable_sim.machine.machine import Machine
from cable_sim.sim.simulator import Simulator
from cable_sim.viewer.local import LocalSource
from cable_sim.viewer.readouts import readings

G = 9.81


def shown_tension(machine: Machine | BareMachine) -> tuple[str, str]:
    """Return value and unit of the first instrument of a rope's tension on a paused page."""
    with closing(LocalSource(machine, paused=True)) as source:
        end = time.monotonic() + 120.0
        while (frame := source.latest()) is None:
            assert time.monotonic() < end, "no frame"
            time.sleep(0.005)
    assert frame.paused and frame.time == 0.0
    lines = readings(machine.crane, frame, None, 0.0)
    return next((one.value, one.unit) for one in lines if one.name.startswith("rope tension"))


def test_page_of_a_rigid_rope_shows_the_weight_at_the_start() -> None:
    load = Body("load", 100.0, shape=Sphere(0.2), position=(0.0, 0.0, -5.0))
    rope = Cable("rope", [Anchor("world"), Anchor("load")], length=5.0)
    machine = machine_of(Simulator(Scene(bodies=[load], cables=[rope])))
    assert shown_tension(machine) == (f"{100.0 * G:.1f}", "N")


def test_page_of_a_crane_shows_the_share_of_a_fall_at_the_start() -> None:
    """The weight of hook and load on eight falls."""
    crane = load_crane("overhead_32t")
    hung = crane.suspension
    assert hung is not None and hung.n_falls == 8
    mass = sum(body.mass for body in crane.scene.bodies if body.name in (hung.hook, hung.load))
    assert shown_tension(Machine(crane)) == (f"{1e-3 * mass * G / 8:.1f}", "kN")
