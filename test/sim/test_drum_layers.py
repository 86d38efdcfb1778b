"""Drums with layers: rope paid out, speed of the line, torque on the shaft, energy, and what is
told and refused."""

import dataclasses
import math

import numpy as np
import pytest
from messages import naming

from cable_sim import Anchor, Body, Box, Cable, Drive, Eye, Scene, Simulator, Winch
from cable_sim.kernels.records.arrays import arrays_of
from cable_sim.kernels.status import DRUM_EMPTY, DRUM_FULL
from cable_sim.sim.sentences import explain
from cable_sim.spec import Drum, Elevation, Hybrid, Layers, Obstacle

G = 9.81
MASS, ROTOR, EA, ROPE = 200.0, 300.0, 1e6, 0.02
DRUM = Layers(diameter=0.4, turns=2, layers=3, wound=6.5, dead_wraps=0.5)
"""R = 0.21, 0.2273, 0.2446 m; 2.64, 2.86, 3.07 m of rope: 1.0 m of it starts in the third layer."""
HOIST = (Drive("hoist", "winch", max_acceleration=3.0),)
RADII = (0.21, 0.2273205, 0.2446410)
KINDS = {
    "massless": {"damping_ratio": 0.3},
    "elevation": {
        "damping_ratio": 0.3,
        "elevation": Elevation(density=0.05, points=9, damping=3.0),
    },
    "hybrid": {"damping_time": 0.02, "hybrid": Hybrid(density=0.05, most=6)},
}


def hanging(
    drum: Layers = DRUM, drives: tuple[Drive, ...] = HOIST, depth: float = 3.0, **of_cable
) -> Scene:
    """A load that hangs below a winch."""
    rope = {
        "ea": EA,
        "pretension": MASS * G,
        "diameter": ROPE,
        "winch": Winch("winch", ROTOR, drum=drum),
    } | of_cable
    return Scene(
        bodies=(Body("load", MASS, shape=Box(0.4, 0.4, 0.4), position=(0.0, 0.0, -depth)),),
        cables=(Cable("rope", (Drum("world"), Anchor("load")), **rope),),
        drives=drives,
    )


def turned(simulator: Simulator, q: float, rate: float = 0.0):
    """What is seen of the rope with the winch's coordinate at q."""
    snapshot = simulator.save()
    snapshot.state.bodies.position[2, 0], snapshot.state.bodies.velocity[2, 0] = q, rate
    simulator.restore(snapshot)
    return simulator.observe().cable("rope")


def by_angle(drum: Layers, turns_back: np.ndarray) -> np.ndarray:
    """Rope that a drum gives off [m], summed up over its angle; the turns of the layers lie as
    three ropes touch."""
    angle = np.linspace(0.0, 2.0 * math.pi * drum.turns * drum.layers, 600_001)
    middle = 0.5 * (angle[1:] + angle[:-1])
    above = math.sqrt(ROPE**2 - (0.5 * ROPE) ** 2)
    radius = (
        0.5 * drum.diameter + 0.5 * ROPE + above * np.floor(middle / (2.0 * math.pi * drum.turns))
    )
    rope = np.concatenate([[0.0], np.cumsum(radius * np.diff(angle))])
    start = np.interp(drum.wound, rope, angle)
    return drum.wound - np.interp(start - 2.0 * math.pi * turns_back, angle, rope)


@pytest.mark.parametrize("wound", [1.0, 4.0, 5.4, 6.5, 8.5])
def test_rope_paid_out_is_what_the_drum_gives_off(wound: float) -> None:
    """From the full drum to the dead wraps, against the sum over the angle; its rate is the central
    difference."""
    drum = dataclasses.replace(DRUM, wound=wound)
    simulator = Simulator(hanging(drum, depth=10.0))
    start = simulator.drives["hoist"].position
    assert simulator.observe().cable("rope").length_paid_out == pytest.approx(start, rel=1e-14)
    first = 2.0 * math.pi * RADII[0]  # m in a turn of the first layer
    wraps = np.interp(
        wound, np.cumsum([0.0, *(2.0 * math.pi * 2.0 * np.array(RADII))]), [0.0, 2.0, 4.0, 6.0]
    )
    turns = np.linspace(wraps - 5.99, wraps - 0.51, 41)
    expected = start + by_angle(drum, turns)
    for back, length in zip(turns, expected, strict=True):
        q = start + first * back
        assert turned(simulator, q).length_paid_out == pytest.approx(length, abs=1e-5)
        if abs(wraps - back - 4.0) > 0.01 and abs(wraps - back - 2.0) > 0.01:
            ahead, behind = (turned(simulator, q + by).length_paid_out for by in (1e-4, -1e-4))
            rate = turned(simulator, q, 0.7).length_rate
            assert rate == pytest.approx(0.7 * (ahead - behind) / 2e-4, rel=1e-9)
            layer = math.ceil(0.5 * (wraps - back))
            assert rate == pytest.approx(0.7 * RADII[layer - 1] / RADII[0], rel=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_at_constant_drum_speed_the_load_slows_layer_by_layer(kind: str) -> None:
    simulator, speeds = Simulator(hanging(**KINDS[kind])), {}
    simulator.command("hoist", 1.0)
    simulator.step(340)
    for _ in range(24):
        simulator.step(250)
        seen = simulator.observe()
        assert seen.drive("hoist").velocity == pytest.approx(1.0, abs=1e-9)
        speeds[round(seen.cable("rope").length_rate, 6)] = -seen.body("load").velocity[
            2
        ]  # the layer's last
    ratios = np.array(RADII[::-1]) / RADII[0]
    assert list(speeds) == pytest.approx(ratios, abs=1e-5)
    stretched = 1.0 + MASS * G / EA
    assert list(speeds.values()) == pytest.approx(ratios * stretched, rel=1e-3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("layer", [1, 2, 3])
def test_shaft_torque_is_tension_at_the_pitch_radius_of_a_layer(kind: str, layer: int) -> None:
    drum = dataclasses.replace(DRUM, wound=(1.5, 4.0, 6.5)[layer - 1])
    simulator = Simulator(hanging(drum, **KINDS[kind]))
    simulator.step(1500)
    seen = simulator.observe()
    torque = seen.drive("hoist").effort * RADII[0]
    half_a_span = (
        2e-3 if kind == "hybrid" else 1e-6
    )  # the tension that is read is that of the middle of the first one
    assert torque == pytest.approx(-seen.cable("rope").tension * RADII[layer - 1], rel=half_a_span)
    assert torque == pytest.approx(
        -MASS * G * RADII[layer - 1], rel=2e-3
    )  # and up to 0.15 kg of rope


def test_the_shaft_carries_the_tension_left_after_rough_edges() -> None:
    """From the drum over two square edges of a rough beam: paying out, the winch has (0.7 / 1.3)^2
    of the weight."""
    beam = Obstacle("beam", Box(0.8, 1.0, 0.5), position=(0.0, 0.0, -0.25), friction=0.3)
    nodes = (
        Drum("world", (-0.41, 0.0, -3.0)),
        Eye("world", (0.0, 0.0, 0.01 + 1e-7)),
        Anchor("load"),
    )
    scene = hanging()
    rope = dataclasses.replace(
        scene.cables[0],
        nodes=nodes,
        damping_time=0.02,
        hybrid=Hybrid(density=0.05, most=0),
        touches=("beam",),
    )
    load = dataclasses.replace(scene.bodies[0], position=(0.41, 0.0, -3.0))
    simulator = Simulator(
        dataclasses.replace(scene, bodies=(load,), cables=(rope,), obstacles=(beam,))
    )
    simulator.command("hoist", 0.2)
    simulator.step(800)
    seen = simulator.observe()
    tension = seen.cable("rope").tension
    assert tension == pytest.approx(MASS * G * math.exp(-0.3 * math.pi), rel=1e-2)
    assert seen.drive("hoist").effort == pytest.approx(
        -tension * RADII[2] / RADII[0], rel=2e-3
    )  # and its own weight


@pytest.mark.parametrize("kind", ["massless", "hybrid"])
def test_a_free_drum_keeps_speed_and_energy_across_layers(kind: str) -> None:
    """m q' = f' T t and M v = M g t - T t from one layer change to the next, and the energy stays,
    while the line's speed steps and the rope rings."""
    undamped = {} if kind == "massless" else {"hybrid": Hybrid(density=1e-6, most=0)}
    simulator = Simulator(hanging(drives=(), **undamped))
    seen = simulator.observe()
    first, states = seen, [(0.0, 0.0, seen.cable("rope").length_rate)]
    for _ in range(900):
        simulator.step()
        seen = simulator.observe()
        states.append(
            (
                simulator._state.bodies.velocity[2, 0],
                -seen.body("load").velocity[2],
                seen.cable("rope").length_rate,
            )
        )
    drum, load, line = np.array(states[1:]).T
    ratio = np.round(line / drum, 9)
    (change,) = np.flatnonzero(np.diff(ratio))
    assert ratio[change] == pytest.approx(RADII[2] / RADII[0], rel=1e-6)
    assert ratio[change + 1] == pytest.approx(RADII[1] / RADII[0], rel=1e-6)
    for part in (slice(0, change + 1), slice(change + 2, None)):
        missing = MASS * (G * 1e-3 * np.arange(len(drum[part])) - (load[part] - load[part][0]))
        gained = ROTOR * (drum[part] - drum[part][0])
        np.testing.assert_allclose(gained, ratio[part][0] * missing, atol=1e-7 * MASS)
    assert np.abs(np.diff(drum))[change - 1 : change + 3].max() < 1.5 * np.abs(np.diff(drum)).mean()
    assert line[change] - line[change + 1] > 0.9 * (1.0 - RADII[1] / RADII[2]) * line[change]
    assert seen.energy.total == pytest.approx(first.energy.total, abs=3e-3 * seen.energy.kinetic)


def test_all_ropes_of_a_drum_change_the_layer_together() -> None:
    winch = Winch("winch", ROTOR, drum=DRUM)
    ropes = tuple(
        Cable(
            name,
            (Drum("world", (x, 0.0, 0.0)), Anchor("beam", (x, 0.0, 0.0))),
            ea=EA,
            damping_ratio=0.3,
            pretension=0.5 * MASS * G,
            diameter=ROPE,
            winch=winch,
        )
        for name, x in (("left", -1.0), ("right", 1.0))
    )
    beam = Body("beam", MASS, shape=Box(3.0, 0.2, 0.2), position=(0.0, 0.0, -3.0))
    simulator = Simulator(
        Scene(bodies=(beam,), cables=ropes, drives=(Drive("hoist", "winch", target=1.0),))
    )
    simulator.step(2500)
    seen = simulator.observe()
    assert (
        seen.cable("left").length_rate
        == seen.cable("right").length_rate
        == pytest.approx(RADII[1] / RADII[0])
    )
    assert seen.cable("left").length_paid_out == seen.cable("right").length_paid_out
    pull = seen.cable("left").tension + seen.cable("right").tension
    assert seen.drive("hoist").effort == pytest.approx(-pull * RADII[1] / RADII[0], rel=1e-6)


def test_a_rope_laid_over_an_obstacle_keeps_its_wound_length() -> None:
    """The coordinate of the start is found only when the rope has been laid; its layers go with
    it."""
    scene = hanging()
    nodes = (Drum("world", (-2.0, 0.0, 0.0)), Eye("world", (0.0, 0.0, 0.0)), Anchor("load"))
    rope = dataclasses.replace(scene.cables[0], nodes=nodes, touches=("block",), damping_ratio=0.3)
    block = Obstacle("block", Box(0.5, 1.0, 0.5), position=(-1.0, 0.0, 0.0))
    simulator = Simulator(dataclasses.replace(scene, cables=(rope,), obstacles=(block,)))
    seen = simulator.observe().cable("rope")
    assert seen.length > 5.05
    assert seen.length_paid_out == pytest.approx(seen.length / (1.0 + MASS * G / EA), rel=1e-12)
    left = DRUM.wound - 4.0 * math.pi * (RADII[0] + RADII[1])  # in the third layer
    start = simulator.drives["hoist"].position
    for by, layer in ((-1e-3, 2), (1e-3, 1)):
        there = turned(simulator, start + left * RADII[0] / RADII[2] + by, 1.0)
        assert there.length_rate == pytest.approx(RADII[layer] / RADII[0], rel=1e-6)


def test_a_restored_run_repeats_over_a_change_of_layer() -> None:
    simulator = Simulator(hanging(damping_ratio=0.3))
    simulator.command("hoist", 1.0)
    simulator.step(700)
    before, saved = simulator.observe().cable("rope").length_rate, simulator.save()
    simulator.step(700)
    first = simulator.save().state
    simulator.restore(saved)
    simulator.step(700)
    assert all(
        (a == b).all()
        for a, b in zip(arrays_of(first), arrays_of(simulator.save().state), strict=True)
    )
    assert simulator.observe().cable("rope").length_rate < 0.95 * before


def test_the_report_tells_of_a_full_drum_and_of_dead_wraps() -> None:
    simulator = Simulator(
        hanging(dataclasses.replace(DRUM, wound=8.5), (Drive("hoist", "winch"),), damping_ratio=0.3)
    )
    start = simulator.drives["hoist"].position
    assert simulator.step().status == 0
    for speed, flag, word in ((-0.2, DRUM_FULL, "rope drum"), (20.0, DRUM_EMPTY, "dead wraps")):
        simulator.command("hoist", speed)
        simulator.step(500)
        assert simulator.report.status == flag
        assert naming(word).search(explain(flag))
        assert simulator.report.exact
        rate = simulator.observe().cable("rope").length_rate
        assert rate == pytest.approx(
            speed * (RADII[2] / RADII[0] if flag == DRUM_FULL else 1.0), rel=1e-6
        )
    assert simulator.drives["hoist"].position > start + 4.0


def test_full_layers_and_dead_wraps_alone_are_no_fault() -> None:
    for wound in (DRUM.capacity(ROPE), DRUM.dead_length(ROPE)):
        simulator = Simulator(hanging(dataclasses.replace(DRUM, wound=wound)))
        assert simulator.step(5).status == 0
