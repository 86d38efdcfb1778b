"""Largest utilisation of ropes, held by compiled code at every step."""

import numpy as np
import pytest

from cable_sim import Anchor, Body, Box, Cable, Scene, Simulator
from cable_sim.kernels.status import OVERLOADED, WIRE_BROKE
from cable_sim.sim.sentences import explain
from cable_sim.spec import Elevation, Hybrid, Lumped

MASS = 100.0
WEIGHT = MASS * 9.81
FORCE = 1500.0


def dropped(**options) -> Scene:
    """100 kg that falls 0.2 m into a rope of 5 m with a breaking force of 1500 N."""
    load = Body("load", MASS, shape=Box(0.5, 0.5, 0.5), position=(0.0, 0.0, -4.8))
    given = {"ea": 2e5, "damping_time": 0.02, "breaking_force": FORCE} | options
    rope = Cable("rope", [Anchor("world"), Anchor("load")], length=5.0, **given)
    return Scene(bodies=[load], cables=[rope])


MODELS = {
    "massless": {},
    "elevation": {"elevation": Elevation(density=0.1)},
    "chain": {"lumped": Lumped(masses=4, density=0.1, method="chain")},
    "springs": {
        "lumped": Lumped(masses=4, method="springs", density=0.1, friction=20.0),
        "damping_time": None,
    },
}


@pytest.mark.parametrize("name", MODELS)
def test_peak_is_the_largest_tension_of_any_step(name) -> None:
    """The peak between two looks is that of a run that looks at every step."""
    scene = dropped(**MODELS[name])
    watched, blind = Simulator(scene), Simulator(scene)
    most, when, found = 0.0, 0.0, 0
    for _ in range(400):
        found |= watched.step().status
        tension = watched.observe().cable("rope").span_tension.max()
        if tension > most:
            most, when = tension, watched.time
    told = blind.step(400).status
    view = blind.observe().cable("rope")
    assert most > 2.0 * FORCE
    assert view.span_tension.max() < FORCE
    assert view.peak_utilisation * FORCE == pytest.approx(most, rel=2e-4)
    assert view.peak_time == pytest.approx(when, abs=1.5e-3)
    assert found & OVERLOADED
    assert told & OVERLOADED
    assert "breaking force" in explain(told)


def test_wire_holds_its_peak_and_breaks() -> None:
    """A hybrid wire parts in the step that its peak tells."""
    simulator = Simulator(dropped(hybrid=Hybrid(density=0.1)))
    while not simulator.step().status & WIRE_BROKE:
        assert simulator.observe().cable("rope").peak_utilisation <= 1.0
    view = simulator.observe().cable("rope")
    assert view.peak_utilisation > 1.0
    assert view.peak_time == simulator.time


def test_rope_within_its_force_is_silent() -> None:
    simulator = Simulator(dropped(breaking_force=1e5))
    assert simulator.step(400).status == 0
    assert 0.0 < simulator.observe().cable("rope").peak_utilisation < 1.0
    unknown = Simulator(dropped(breaking_force=np.inf))
    assert unknown.step(400).status == 0
    assert unknown.observe().cable("rope").peak_utilisation == 0.0


def test_peak_goes_with_the_state() -> None:
    """Saved and restored it is the same to the last bit; a reset forgets it."""
    simulator = Simulator(dropped())
    simulator.step(200)
    saved = simulator.save()
    before = simulator.observe().cable("rope")
    simulator.step(300)
    end = simulator.observe().cable("rope")
    simulator.restore(saved)
    assert simulator.observe().cable("rope").peak_utilisation == before.peak_utilisation
    simulator.step(300)
    assert simulator.observe().cable("rope").peak_utilisation == end.peak_utilisation
    assert simulator.observe().cable("rope").peak_time == end.peak_time
    simulator.reset()
    assert simulator.observe().cable("rope").peak_utilisation == 0.0
