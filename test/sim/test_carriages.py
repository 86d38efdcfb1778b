"""Carriages that turn and slide the upper ends of falls, and sheaves that seize."""

import dataclasses
import math

import numpy as np
import pytest
from messages import naming

from cable_sim import Anchor, Body, Box, Cable, Drive, Joint, Scene, Sheave, Simulator
from cable_sim.errors import CommandError, SpecError
from cable_sim.kernels.records.arrays import arrays_of
from cable_sim.spec import Carriage, Hybrid

CORNERS = ((0.8, 2.0), (-0.8, 2.0), (-0.8, -2.0), (0.8, -2.0))
NAMES = tuple(f"fall_{i}" for i in range(4))
WEIGHT = 2000.0 * 9.81
SKEW = Carriage("skew", "turn", "trolley", NAMES, -0.1, 0.1, 0.02, point=(3.0, 1.0, 10.0))
TRIM = Carriage("trim", "slide", "trolley", NAMES, -0.3, 0.3, 0.05, axis=(0, 2, 0))


def spreader(*carriages: Carriage, turned: float = 0.0) -> Scene:
    """A beam on four parallel falls of 8 m below a trolley that is fixed to the world, itself
    turned in its frame."""
    quaternion = (math.cos(turned / 2), 0.0, 0.0, math.sin(turned / 2))
    c, s = math.cos(turned), math.sin(turned)
    bodies = [
        Body("trolley", 5000.0, shape=Box(3, 5, 1), position=(3, 1, 10), orientation=quaternion),
        Body("beam", 2000.0, shape=Box(2, 6, 0.5), position=(3, 1, 2)),
    ]
    falls = [
        Cable(
            name,
            [Anchor("trolley", (x * c + y * s, -x * s + y * c, 0.0)), Anchor("beam", (x, y, 0.0))],
            ea=1e7,
            pretension=0.25 * WEIGHT,
            damping_time=0.05,
        )
        for name, (x, y) in zip(NAMES, CORNERS, strict=True)
    ]
    return Scene(
        bodies=bodies, joints=[Joint("rail", "fixed", "trolley")], cables=falls, carriages=carriages
    )


def rest(simulator: Simulator, seconds: float) -> None:
    """Take the swing out of the beam: its velocities are damped to nothing."""
    for _ in range(int(seconds * 100)):
        simulator.step(10)
        simulator._state.bodies.velocity[2] *= 0.975  # about critical for skew and sway


def yaw(simulator: Simulator, body: str) -> float:
    q = simulator.observe().body(body).orientation
    return 2.0 * math.atan2(q[3], q[0])


@pytest.mark.parametrize("turned", [0.0, 0.7])
def test_beam_turns_by_the_skew_and_moves_by_the_trim(turned: float) -> None:
    """Parallel falls hang as before below where their ends have gone: 0.08 rad and 0.2 m, to 1e-4,
    and no tilt."""
    simulator = Simulator(spreader(SKEW, TRIM, turned=turned))
    simulator.step(1)
    simulator.command("skew", 0.02)
    simulator.command("trim", 0.2, "position")
    rest(simulator, 4.0)
    assert simulator.observe().carriage("skew").position == pytest.approx(0.08, abs=1e-9)
    simulator.command("skew", 0.0)
    rest(simulator, 12.0)
    seen = simulator.observe()
    assert seen.carriage("trim").position == pytest.approx(0.2, abs=1e-9)
    assert yaw(simulator, "beam") == pytest.approx(0.08, abs=1e-4)
    np.testing.assert_allclose(seen.body("beam").position, (3.0, 1.2, 2.0), atol=1e-4)
    np.testing.assert_allclose(seen.body("beam").orientation[1:3], 0.0, atol=1e-5)
    assert yaw(simulator, "trolley") == pytest.approx(turned, abs=1e-9)


def test_rate_and_range_are_kept() -> None:
    """Ordered beyond both: 0.02 rad/s, and no further than 0.1 rad; snapshots bring it back."""
    simulator = Simulator(spreader(SKEW))
    simulator.command("skew", -5.0)
    simulator.step(1000)
    seen = simulator.observe().carriage("skew")
    assert seen.position == pytest.approx(-0.02, abs=1e-12)
    assert seen.velocity == -0.02
    snapshot = simulator.save()
    simulator.step(6000)
    assert simulator.observe().carriage("skew") == (-0.1, 0.0)
    simulator.restore(snapshot)
    assert simulator.observe().carriage("skew").position == pytest.approx(-0.02, abs=1e-12)


def test_carriages_take_hybrid_ropes_along_within_a_call() -> None:
    """Two hundred steps of one call are those of as many calls, to the last bit."""
    scene = spreader(SKEW, TRIM)
    wire = Hybrid(density=2.0)
    ropes = tuple(dataclasses.replace(cable, hybrid=wire) for cable in scene.cables)
    together, apart = (Simulator(dataclasses.replace(scene, cables=ropes)) for _ in range(2))
    for simulator in (together, apart):
        simulator.command("skew", 0.08)
        simulator.command("trim", 0.2)
    together.step(200)
    for _ in range(200):
        apart.step()
    for a, b in zip(arrays_of(together.save().state), arrays_of(apart.save().state), strict=True):
        assert a.tobytes() == b.tobytes()
    assert yaw(together, "beam") != 0.0


def test_what_a_carriage_can_not_carry_is_refused() -> None:
    with pytest.raises(SpecError, match=naming("carriage 'a' cable 'rope' fall_0")):
        spreader(Carriage("a", "turn", "trolley", ("rope",), -1.0, 1.0, 1.0))
    with pytest.raises(SpecError, match=naming("carriage 'a' body 'crab' trolley beam")):
        spreader(Carriage("a", "turn", "crab", NAMES, -1.0, 1.0, 1.0))
    with pytest.raises(SpecError, match=naming("0.1 1 0")):
        Carriage("a", "turn", "trolley", NAMES, 0.1, 1.0, 1.0)
    with pytest.raises(CommandError, match=naming("target inf finite number")):
        Simulator(spreader(SKEW)).command("skew", math.inf)
    with pytest.raises(CommandError, match=naming("mode 'effort' speed position")):
        Simulator(spreader(SKEW)).command("skew", 1.0, "effort")
    with pytest.raises(SpecError, match=naming("drives carriages name 'skew'")):
        dataclasses.replace(spreader(SKEW), drives=[Drive("skew", NAMES[0])])


def test_position_is_reached_and_kept() -> None:
    """To -0.05 rad at 0.02 rad/s: there after 2.5 s and not before, where it reads no speed; a
    brake stops it."""
    simulator = Simulator(spreader(SKEW))
    simulator.command("skew", -0.05, "position")
    simulator.step(2490)
    assert simulator.observe().drive("skew").position == pytest.approx(-0.0498, abs=1e-12)
    assert simulator.drives["skew"].reference == -0.02
    simulator.step(20)
    assert simulator.observe().drive("skew")[:3] == (-0.05, 0.0, 0.0)
    simulator.command("skew", 0.02)
    simulator.step(500)
    simulator.command("skew", 0.02, brake=True)
    simulator.step(500)
    assert simulator.drives["skew"].position == pytest.approx(-0.04, abs=1e-12)


def tackle(efficiency: float) -> Simulator:
    """Two equal weights over one sheave, one of them pushed."""
    bodies = [
        Body(name, 100.0, shape=Box(1, 1, 1), position=(x, 0, -5))
        for name, x in (("a", -0.5), ("b", 0.5))
    ]
    nodes = [
        Anchor("a"),
        Sheave("world", (-0.5, 0, 0)),
        Sheave("world", (0.5, 0, 0), efficiency),
        Anchor("b"),
    ]
    return Simulator(
        Scene(
            bodies=bodies,
            cables=[Cable("rope", nodes, ea=1e7, pretension=981.0, damping_time=0.01)],
        )
    )


def test_sheave_wears_and_seizes_while_it_runs() -> None:
    """T_low / T_high is the efficiency of the moment while the rope runs; at 0 it holds whatever is
    lighter there."""
    simulator = tackle(0.95)
    simulator.push("b", (0, 0, -400.0))
    for efficiency in (0.95, 0.8):
        simulator.set_efficiency("rope", 2, efficiency)
        simulator.step(300)
        tension = simulator.observe().cable("rope").span_tension
        assert tension[1] / tension[2] == pytest.approx(efficiency, rel=1e-4)
    assert abs(simulator.observe().body("b").velocity[2]) > 0.1
    seized = tackle(0.95)
    seized.set_efficiency("rope", 2, 0.0)
    seized.push("b", (0, 0, -5000.0))
    seized.step(500)
    np.testing.assert_allclose(seized.observe().body_velocity[:, 2], 0.0, atol=1e-3)
    assert seized.observe().cable("rope").span_tension[2] == pytest.approx(5981.0, rel=1e-3)


@pytest.mark.parametrize(
    ("node", "efficiency", "message"),
    [
        (4, 0.5, r"nodes are 0 ... 3"),
        (1, 0.5, "no sheave with losses"),
        (2, 1.5, "1.5 is not allowed"),
    ],
)
def test_sheaves_that_can_not_be_changed_are_refused(
    node: int, efficiency: float, message: str
) -> None:
    with pytest.raises(CommandError, match=f"set_efficiency 'rope', node {node}: .*{message}"):
        tackle(0.9).set_efficiency("rope", node, efficiency)
