"""Balance of the energy of scenes that nothing drives: what is told, when, and what is not."""

import numpy as np
import pytest

from cable_sim import Simulator, load_scene
from cable_sim.kernels.status import ENERGY_GAINED
from cable_sim.sim.batch.batch import BatchSimulator
from cable_sim.sim.running import LOOK_EVERY
from cable_sim.sim.sentences import explain
from cable_sim.spec import Anchor, Body, Box, Cable, Drive, Elevation, Joint, Scene, Sphere


def pendulum(**cable):
    """A load that is let go from beside its anchor, on a rope of 5 m."""
    body = Body("load", 100.0, shape=Sphere(0.2), position=(3.0, 0.0, -4.0))
    rope = Cable("rope", (Anchor("world"), Anchor("load")), length=5.0, **cable)
    return Scene(bodies=(body,), cables=(rope,))


def speed_up(simulator, share):
    """Give the first body more energy out of nowhere, by a share of its own."""
    simulator._state.bodies.velocity[1] *= np.sqrt(1.0 + share)


def told(report):
    return bool(report.status & ENERGY_GAINED)


def test_the_balance_is_that_of_the_readings():
    simulator = Simulator(pendulum(ea=1e6), dt=1e-3)
    first = simulator.observe()
    lowest = first.energy.potential
    for _ in range(20):
        simulator.step(20)
        seen = simulator.observe()
        lowest = min(lowest, seen.energy.potential)
    gained, at_play = seen.energy_balance
    assert gained == pytest.approx(seen.energy.total - first.energy.total, abs=1e-9)
    at_start = first.energy.kinetic + first.energy.elastic
    assert at_play == pytest.approx(at_start + first.energy.potential - lowest, rel=1e-12)
    assert not told(seen.report) and abs(gained) < 1e-4 * at_play


@pytest.mark.parametrize(("share", "expected"), [(0.009, False), (0.012, True)])
def test_a_reading_tells_and_so_do_the_steps_after_it(share, expected):
    simulator = Simulator(pendulum(ea=1e6), dt=1e-3)
    simulator.observe()
    simulator.step(400)
    assert not told(simulator.observe().report)
    speed_up(simulator, share)
    seen = simulator.observe()
    assert told(seen.report) == expected
    assert seen.energy_balance.gained == pytest.approx(
        share / (1.0 + share) * seen.energy.kinetic, rel=0.02
    )
    assert told(simulator.step()) == expected
    assert not expected or "drives" in explain(simulator.report.status)


def test_who_steps_without_looking_is_told_as_well():
    simulator = Simulator(pendulum(ea=1e6), dt=1e-3)
    reports = [simulator.step() for _ in range(400)]
    speed_up(simulator, 0.05)
    reports += [simulator.step() for _ in range(LOOK_EVERY)]
    assert not any(map(told, reports[:400])) and told(reports[-1])
    simulator.reset()
    assert not told(simulator.step(500))


def test_a_batch_tells_its_worlds_apart():
    batch = BatchSimulator(pendulum(ea=1e6), 2, dt=1e-3, threads=1)
    batch["energy"]
    batch.step(400)
    batch._worlds.rows("state.bodies.velocity")[1, 1] *= 1.05
    batch["energy"]
    assert [bool(flags & ENERGY_GAINED) for flags in batch.step()] == [False, True]
    batch.close()


def test_changes_from_outside_begin_a_new_balance():
    simulator = Simulator(pendulum(ea=1e6), dt=1e-3)
    simulator.observe()
    simulator.step(400)
    simulator.push("load", force=(500.0, 0.0, 0.0))
    simulator.step(400)
    assert simulator.observe().energy_balance == (0.0, 0.0)
    simulator.push("load")
    simulator.step()
    start = simulator.observe()
    at_start = start.energy.kinetic + start.energy.elastic
    assert start.energy_balance == pytest.approx((0.0, at_start), abs=1e-9)
    speed_up(simulator, 0.05)
    assert told(simulator.observe().report)
    simulator.part("rope")
    assert not told(simulator.step()) and not told(simulator.observe().report)
    simulator.set_wind((1.0, 0.0, 0.0))
    assert simulator.observe().energy_balance == (0.0, 0.0)


def test_scenes_with_drives_are_not_watched():
    beam = Body("beam", 100.0, shape=Box(2.0, 0.2, 0.2), position=(1.0, 0.0, 0.0))
    hinge = Joint("hinge", "hinge", "beam", point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    free = Simulator(Scene(bodies=(beam,), joints=(hinge,)), dt=1e-3)
    drive = Drive("drive", "hinge", mode="effort", target=100.0, max_effort=1e3)
    driven = Simulator(Scene(bodies=(beam,), joints=(hinge,), drives=(drive,)), dt=1e-3)
    for simulator in (free, driven):
        simulator.observe()
        simulator.step(200)
    assert free.observe().energy_balance.at_play > 100.0
    assert driven.observe().energy_balance == (0.0, 0.0)
    assert not told(driven.step(100))


def test_first_order_readings_are_judged_with_the_next_step():
    """A load that is thrown up has the kinetic energy of half a step before its pose."""
    body = Body("load", 100.0, shape=Sphere(0.2), velocity=(0.0, 0.0, 3.0))
    simulator = Simulator(Scene(bodies=(body,)), dt=1.0 / 60.0, stepper="regularised")
    for _ in range(10):
        before = simulator.observe().energy
        simulator.step()
    seen = simulator.observe()
    start = 0.5 * 100.0 * 3.0**2
    middle = 0.5 * (before.kinetic + seen.energy.kinetic) + before.potential
    assert seen.energy_balance.gained == pytest.approx(middle - start, abs=1e-9)
    assert seen.energy_balance.at_play == pytest.approx(start, rel=1e-12)
    speed_up(simulator, 1.0)
    for _ in range(2):
        simulator.step(2)
        assert not told(simulator.observe().report)
    simulator.step()
    assert told(simulator.observe().report)


def test_a_sagging_rope_keeps_what_its_model_has():
    """Undamped waves of 5 kg/m that turn upright under a load: their weight along the chord has no
    force, so what is read rises."""
    load = Body("load", 50.0, shape=Sphere(0.2), position=(3.0, 0.0, -4.0))
    waves = Elevation(5.0, 17, 0.0, "implicit")
    nodes = (Anchor("world"), Anchor("load"))
    rope = Cable("rope", nodes, length=5.01, ea=1e6, elevation=waves)
    simulator = Simulator(Scene(bodies=(load,), cables=(rope,)), dt=1e-3)
    first = simulator.observe().energy.total
    rises = []
    for _ in range(120):
        simulator.step(10)
        seen = simulator.observe()
        gained, at_play = seen.energy_balance
        assert abs(gained) < 0.002 * max(at_play, 20.0)
        rises.append(seen.energy.total - first)
    assert max(rises) > 0.015 * at_play


def test_looking_changes_no_bit():
    """A wire over an obstacle, of which reading lays the rope anew."""
    ends = []
    for looks in (False, True):
        simulator = Simulator(load_scene("rope_over_block"))
        for _ in range(300):
            simulator.step()
            if looks:
                simulator.observe()
        ends.append(simulator.save().state.bodies.position.tobytes())
    assert ends[0] == ends[1]
