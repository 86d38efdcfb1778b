"""Two nodes of a cable that meet: a status, and a state that stays finite and keeps its energy."""

import math

import numpy as np
import pytest
from messages import naming

from cable_sim import Simulator
from cable_sim.kernels.cables.contact.span_stops import LEAST_SPAN
from cable_sim.kernels.status import NODES_MET
from cable_sim.sim.sentences import explain
from cable_sim.spec import Anchor, Body, Box, Cable, Drive, Eye, Scene, Winch


def hoisted(
    dt: float, stepper: str = "spook", ea: float | None = 1e7, pull: float = math.inf
) -> Simulator:
    """A load on a winch that takes the whole rope in, and goes on."""
    scene = Scene(
        bodies=(Body("load", 50.0, shape=Box(0.3, 0.3, 0.3), position=(0.0, 0.0, -2.0)),),
        cables=(
            Cable(
                "rope",
                (Anchor("world"), Anchor("load")),
                ea=ea,
                length=2.0,
                winch=Winch("winch", 10.0),
                damping_time=0.01,
            ),
        ),
        drives=(Drive("hoist", "winch", target=-0.5, max_effort=pull),),
    )
    return Simulator(scene, dt=dt, stepper=stepper)


@pytest.mark.parametrize("dt", [1e-3, 1 / 60])
@pytest.mark.parametrize("stepper", ["spook", "regularised"])
@pytest.mark.parametrize("ea", [1e4, 1e7, None])
def test_a_rope_taken_in_completely(dt: float, stepper: str, ea: float | None) -> None:
    """The load ends at the anchor; nothing overflows, and the report says so."""
    simulator, statuses, farthest = hoisted(dt, stepper, ea), 0, 0.0
    for _ in range(round(10.0 / dt)):
        statuses |= simulator.step().status
        if simulator.time > 6.0:
            seen = simulator.observe()
            farthest = max(farthest, float(np.linalg.norm(seen.body("load").position)))
            assert np.isfinite(seen.body_velocity).all() and np.isfinite(seen.span_tension).all()
    assert statuses & NODES_MET
    assert naming("nodes cable met").search(explain(NODES_MET))
    assert farthest < 0.05


def test_a_drive_with_a_bound_stalls_at_the_stop() -> None:
    simulator = hoisted(1e-3, pull=2000.0)
    simulator.step(10000)
    seen = simulator.observe()
    assert seen.cable("rope").length == pytest.approx(LEAST_SPAN, abs=1e-4)
    assert seen.cable("rope").tension == pytest.approx(2000.0, rel=0.02)
    assert seen.drive("hoist").saturated


def test_bodies_on_one_cable_meet_without_gaining_energy() -> None:
    """Two bodies on a slack cable fly into one another: an impact without bounce, momentum kept."""
    box = Box(0.2, 0.2, 0.2)
    scene = Scene(
        bodies=(
            Body("a", 2.0, shape=box, velocity=(1.0, 0.0, 0.0)),
            Body("b", 3.0, shape=box, position=(1.0, 0.0, 0.0)),
        ),
        cables=(Cable("rope", (Anchor("a"), Anchor("b")), stiffness=100.0, length=2.0),),
        gravity=(0.0, 0.0, 0.0),
    )
    simulator, statuses = Simulator(scene, dt=1e-3), 0
    for _ in range(2000):
        statuses |= simulator.step().status
    seen = simulator.observe()
    assert statuses & NODES_MET
    np.testing.assert_allclose(seen.body_velocity, [[0.4, 0.0, 0.0]] * 2, atol=1e-9)
    assert seen.cable("rope").length == pytest.approx(LEAST_SPAN, abs=1e-6)


def test_a_bead_slides_to_the_end_and_stays_there() -> None:
    """An eye that runs down a taut rope comes to rest on the load's anchor, and both hang."""
    scene = Scene(
        bodies=(
            Body("bead", 2.0, shape=Box(0.1, 0.1, 0.1), position=(0.0, 0.0, -1.0)),
            Body("load", 80.0, shape=Box(0.5, 0.5, 0.5), position=(0.0, 0.0, -5.0)),
        ),
        cables=(
            Cable(
                "rope",
                (Anchor("world"), Eye("bead"), Anchor("load")),
                ea=1e7,
                pretension=80.0 * 9.81,
                damping_ratio=0.1,
            ),
        ),
    )
    simulator, statuses = Simulator(scene, dt=1e-3), 0
    for _ in range(4000):
        statuses |= simulator.step().status
    seen = simulator.observe()
    assert statuses & NODES_MET
    assert seen.body("bead").position[2] - seen.body("load").position[2] == pytest.approx(
        LEAST_SPAN, abs=1e-5
    )
    assert seen.cable("rope").tension == pytest.approx(82.0 * 9.81, rel=1e-3)


def test_far_from_one_another_there_is_no_stop() -> None:
    simulator = hoisted(1e-3)
    assert simulator.step(1000).status == 0
    assert not simulator._work.rows.active[simulator._model.spans.stop_row[0]]
