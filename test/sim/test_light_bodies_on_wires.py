"""Inertia of light bodies on hybrid wires: the rows of massless cables, and what they keep calm."""

import dataclasses

import numpy as np
import pytest

from cable_sim import Simulator, load_scene
from cable_sim.kernels import step
from cable_sim.kernels.cables.hybrid import wire_transverse
from cable_sim.kernels.cables.massless import transverse
from cable_sim.kernels.status import CATCH_MISSED
from cable_sim.model.cables.variants import run
from cable_sim.model.compile import compile_scene, workspace
from cable_sim.model.damping import dense_jacobian
from cable_sim.spec import Anchor, Body, Box, Cable, Eye, Hybrid, Scene

H, TENSION = 0.05, 1e6
FRAME = 1.0 / 60.0
WIRE = Hybrid(density=1e-6, most=0)
HEAVY, LIGHT, G, STRAIN = 1e6, 1.0, 9.81, 0.005


def hung(hybrid: Hybrid | None) -> Scene:
    """A bead on the way of a rope to a load, at a node off its centre."""
    bead = Body("bead", 1.0, shape=Box(0.4, 0.3, 0.2), position=(0.1, 0.2, -5.0))
    load = Body("load", 1e5, shape=Box(3.0, 3.0, 3.0), position=(0.0, 0.0, -11.5))
    nodes = (Anchor("world"), Eye("bead", (0.1, 0.0, 0.1)), Anchor("load", (0.0, 0.1, 1.5)))
    rope = Cable("rope", nodes, ea=1e8, pretension=TENSION, hybrid=hybrid)
    return Scene(bodies=(bead, load), cables=(rope,))


def rows_of(scene: Scene) -> dict[int, tuple[np.ndarray, float]]:
    """Entries and stiffness of the active pairs of rows, by strand and place."""
    model, _, state, control = compile_scene(scene, dt=H)
    work = workspace(model)
    state.spans.tension_impulse[:] = TENSION * H
    run(model, state, control, work, H, step.LOOK)
    jacobian = dense_jacobian(model, work)
    found = {}
    for place in range(wire_transverse.PLACES):
        for i, r in enumerate(model.spans.inertia_row[model.spans.mobility.any(axis=1), place]):
            if r >= 0 and work.rows.active[r]:
                found[4 * i + place] = (jacobian[r : r + 2], 1.0 / work.rows.compliance[r])
    return found


def test_a_wire_has_the_rows_of_a_massless_cable() -> None:
    """Where no contact node is between. The places of the bead are the end of the first strand and
    the beginning of the second."""
    massless, wire = rows_of(hung(None)), rows_of(hung(WIRE))
    places = (transverse.ACROSS, transverse.AT_END)
    assert [4 * 0 + place in massless for place in places] == [True, True]
    assert wire.keys() == massless.keys()
    for key, (entries, stiffness) in massless.items():
        across = wire[key][0][:, : entries.shape[1]]
        np.testing.assert_allclose(across.T @ across, entries.T @ entries, atol=1e-9)
        assert wire[key][1] == pytest.approx(stiffness, rel=1e-6)


@pytest.mark.parametrize("push", [0.0, 1e-3])
def test_a_million_hangs_below_a_light_body_at_an_eye(push: float) -> None:
    """As on one massless cable: the load stays, and the light body near the line. Its weight is
    borne, or it would slide down."""
    light = Body(
        "light", LIGHT, shape=Box(0.2, 0.2, 0.2), position=(0.0, 0.0, -5.0), velocity=(push, 0, 0)
    )
    stretched = 10.0 * (1.0 + STRAIN)
    load = Body("load", HEAVY, shape=Box(7.0, 7.0, 7.0), position=(0.0, 0.0, -stretched - 3.5))
    nodes = (Anchor("world"), Eye("light"), Anchor("load", (0.0, 0.0, 3.5)))
    rope = Cable("rope", nodes, ea=HEAVY * G / STRAIN, length=10.0, hybrid=WIRE)
    simulator = Simulator(Scene(bodies=(light, load), cables=(rope,)), FRAME)
    simulator.push("light", (0.0, 0.0, LIGHT * G))
    for _ in range(600):
        assert simulator.step().status == 0
        seen = simulator.observe()
        assert np.hypot(*seen.body("light").position[:2]) < 0.05
    assert seen.body("load").position[2] == pytest.approx(-stretched - 3.5, abs=1e-3 * 0.05)


@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("shackle", [0.5, 2.0])
def test_a_light_shackle_stays_in_its_choker_at_frames(shackle: float, friction: float) -> None:
    scene = load_scene("slung_log", friction=friction, shackle=shackle)
    simulator = Simulator(scene, FRAME)
    for _ in range(180):
        # frames are too long for jerks of the shackle itself
        assert simulator.step().status in (0, CATCH_MISSED)
        assert 0.2 < simulator.observe().body("shackle").position[2] < 0.3


def test_an_end_on_another_body_has_no_row_of_an_arm() -> None:
    """The rows about arms are those of the bodies at the start."""
    box = Box(0.1, 0.1, 0.1)
    bodies = (
        Body("one", 1.0, shape=box, position=(0.0, 0.0, -5.1)),
        Body("other", 1.0, shape=box, position=(0.0, 0.0, -5.2)),
        Body("heavy", 1e5, shape=box, position=(5.0, 0.0, 0.0)),
    )
    wire = dataclasses.replace(WIRE, attaches=("other",))
    nodes = (Anchor("world"), Anchor("one", (0.0, 0.0, 0.1)))
    rope = Cable("rope", nodes, ea=1e8, hybrid=wire)
    simulator = Simulator(Scene(bodies=bodies, cables=(rope,)), H)
    about = simulator._model.spans.inertia_row[0, wire_transverse.LAST_ARM]
    for on_one in (True, False):
        simulator._state.spans.tension_impulse[:] = TENSION * H
        simulator.step()
        assert simulator._work.rows.active[about] == on_one
        if on_one:
            simulator.release("rope", end="last")
            simulator.attach("rope", "other", end="last")
