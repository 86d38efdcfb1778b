"""Torsion of hybrid wires, beside that of the massless cable, while masses come and go."""

import dataclasses
import math

import numpy as np
import pytest
from messages import naming
from test_torsion import bent, block, momenta, settled_yaw, tumbling

from cable_sim import Simulator
from cable_sim.errors import SpecError
from cable_sim.kernels import step
from cable_sim.kernels.records.arrays import arrays_by_name, arrays_of
from cable_sim.spec import (
    Anchor,
    Body,
    Box,
    Cable,
    Drive,
    Drum,
    Eye,
    Hybrid,
    Joint,
    Loose,
    Rope,
    Scene,
    Winch,
)

G, FRAME = 9.81, 1.0 / 60.0
GJ, ARM, EA = 40.0, 0.08 * 0.016, 1e6
LAID = {"torque_factor": 0.08, "diameter": 0.016}


def pendulum(hybrid: Hybrid | None, **cable) -> Scene:
    """A weight on a wire that is twisted."""
    weight = Body("weight", 100.0, inertia=(5.0, 5.0, 5.0), position=(0.0, 0.0, -4.0))
    made = {"ea": EA, "gj": GJ, "twist": 9.0, "pretension": 100.0 * G, **cable}
    wire = Cable("wire", (Anchor("world"), Anchor("weight")), hybrid=hybrid, **made)
    return Scene(bodies=(weight,), cables=(wire,))


def turning(**cable) -> Scene:
    """A taut wire between the world and a hand that moves it."""
    hand = Body("hand", shape=Box(0.2, 0.2, 0.2), position=(0.0, 0.0, -4.0), motion="prescribed")
    made = {
        "ea": EA,
        "gj": GJ,
        "pretension": 2000.0,
        "damping_time": 0.02,
        "hybrid": Hybrid(density=0.5, most=16),
    }
    return Scene(
        bodies=(hand,),
        cables=(Cable("wire", (Anchor("world"), Anchor("hand")), **{**made, **cable}),),
    )


def as_wire(scene: Scene, ea: float, **layer) -> tuple[Scene, Scene]:
    """The scene with a hybrid wire of next to no mass, and with a massless cable, that pull
    only."""
    cable = dataclasses.replace(scene.cables[0], stiffness=None, ea=ea, pulls_only=True)
    made = Hybrid(**{"density": 1e-12, "damping": 0.0, **layer})
    wire = dataclasses.replace(cable, hybrid=made)
    return dataclasses.replace(scene, cables=(wire,)), dataclasses.replace(scene, cables=(cable,))


def test_a_taut_wire_is_the_torsion_pendulum_of_a_massless_cable() -> None:
    """Twist and couples step by step, and the period of the discrete equation in closed form."""
    wire, cable = (
        Simulator(pendulum(made), FRAME) for made in (Hybrid(density=0.05, most=12), None)
    )
    crossings, was = [], 9.0
    for _ in range(2000):
        wire.step()
        cable.step()
        seen, plain = wire.observe().cable("wire"), cable.observe().cable("wire")
        assert len(seen.mass_position) == 0
        assert seen.twist == pytest.approx(plain.twist, abs=1e-9)
        np.testing.assert_allclose(seen.node_torque, plain.node_torque, atol=1e-7)
        if was < 0.0 <= seen.twist:
            crossings.append(wire.time - FRAME * seen.twist / (seen.twist - was))
        was = seen.twist
    period = math.pi * FRAME / math.atan(0.5 * FRAME * math.sqrt(GJ / seen.length_paid_out / 5.0))
    assert len(crossings) > 5
    assert np.diff(crossings).mean() == pytest.approx(period, rel=1e-3)


def test_the_eyes_of_a_bent_wire_take_the_missing_couple() -> None:
    hanging = dataclasses.replace(bent(), gravity=(0.0, 0.0, -G))
    hanging = dataclasses.replace(
        hanging, cables=(dataclasses.replace(bent().cables[0], pretension=10.0 * G),)
    )
    wire, cable = (Simulator(scene, 1e-3) for scene in as_wire(hanging, 8e4))
    wire.step(200)
    cable.step(200)
    seen, plain = wire.observe(), cable.observe()
    rope = seen.cable("rope")
    assert abs(rope.torque) > 0.1
    np.testing.assert_allclose(rope.node_torque.sum(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(rope.node_torque, plain.cable("rope").node_torque, atol=1e-6)
    np.testing.assert_allclose(seen.body_angular_velocity, plain.body_angular_velocity, atol=1e-6)


@pytest.mark.parametrize("torque_factor", [0.0, 0.3])
def test_momentum_is_conserved_and_energy_to_second_order(torque_factor: float) -> None:
    """Without room for masses, and for 0.08 s taut; then it gets slack and taut within steps."""
    scene = dataclasses.replace(tumbling(torque_factor), gravity=(0.0, 0.0, 0.0))
    tight = dataclasses.replace(scene.cables[0], pretension=60.0)
    drifts = []
    for h in (2e-3, 1e-3):
        wire, _ = as_wire(dataclasses.replace(scene, cables=(tight,)), 800.0, most=0)
        simulator = Simulator(wire, h)
        start, energy, worst = momenta(simulator), simulator.observe().energy.total, 0.0
        for n in range(1, round(1.0 / h) + 1):
            simulator.step()
            seen = simulator.observe()
            worst = max(worst, abs(seen.energy.total - energy))
            if n * h < 0.08:
                assert seen.cable("rope").tension > 0.0
                taut = worst
        np.testing.assert_allclose(momenta(simulator), start, atol=1e-10)
        assert worst < 1e-3 * energy
        drifts.append(taut)
    assert drifts[1] < 0.27 * drifts[0]


@pytest.mark.parametrize("lay", ["right", "left"])
def test_a_wire_rope_has_the_torque_of_its_lay(lay: str) -> None:
    """M = GJ / L twist + k_t d T, which a guide along the wire has to take."""
    rope = Rope("6x36ws_iwrc", 0.016, lay=lay)
    weight = Body("weight", 2000.0, inertia=(300.0, 300.0, 300.0), position=(0.0, 0.0, -20.0))
    wire = Cable(
        "wire",
        (Anchor("world"), Anchor("weight")),
        rope=rope,
        twist=2.0,
        pretension=2000.0 * G,
        hybrid=Hybrid(density=0.05, most=12),
    )
    guide = Joint("guide", "prismatic", "weight", axis=(0.0, 0.0, 1.0))
    simulator = Simulator(Scene(bodies=(weight,), cables=(wire,), joints=(guide,)), FRAME)
    simulator.step(60)
    seen, taut = simulator.observe(), simulator.observe().cable("wire")
    middle = 0.5 * (taut.tension + taut.tension_dead_end)
    expected = rope.gj / taut.length_paid_out * 2.0 + rope.torque_arm * middle
    assert rope.torque_arm * taut.tension * (1.0 if lay == "right" else -1.0) > 10.0
    assert taut.torque == pytest.approx(expected, rel=1e-8)
    assert seen.joint("guide").torque[2] == pytest.approx(-expected, rel=1e-8)
    np.testing.assert_allclose(taut.node_torque[:, 2], (-expected, expected), rtol=1e-8)


def test_a_laid_wire_turns_the_block() -> None:
    """sin(angle) = 4 L k_t d / S^2, as of the massless cable; not with a swivel."""
    rope = Rope("6x36ws_iwrc", 0.016)
    for swivel, expected in (
        (False, math.asin(4.0 * 40.0 * rope.factors.torque * 0.016 / 1.2**2)),
        (True, 0.0),
    ):
        scene = block(rope, 1.2, 40.0, swivel=swivel)
        wire = dataclasses.replace(scene.cables[0], hybrid=Hybrid(density=1e-3, most=8))
        yaw = settled_yaw(dataclasses.replace(scene, cables=(wire,)))
        assert abs(yaw) == pytest.approx(expected, rel=0.02, abs=1e-9)


def test_gj_over_the_paid_out_length() -> None:
    weight = pendulum(None).bodies[0]
    wire = dataclasses.replace(
        pendulum(Hybrid(density=1e-3)).cables[0], twist=1.0, winch=Winch("winch", 1e9, rate=0.1)
    )
    simulator = Simulator(Scene(bodies=(weight,), cables=(wire,)), 2e-3)
    for _ in range(5):
        simulator.step(500)
        seen = simulator.observe().cable("wire")
        assert abs(seen.torque) > 0.5
        assert seen.torque == pytest.approx(
            GJ / seen.length_paid_out * seen.twist, rel=2e-3, abs=0.03
        )
    assert seen.length_paid_out > 4.4


def test_a_laid_wire_turns_a_block_as_the_massless_cable_does() -> None:
    """But for the turning of its spans within a step, which only the wire's row knows of."""
    hanging = Body("block", 100.0, inertia=(5.0, 5.0, 5.0), position=(0.0, 0.0, -3.0))
    nodes = (
        Drum("world", (-0.3, 0.0, 0.0)),
        Eye("block", (-0.3, 0.0, 0.0)),
        Eye("block", (0.3, 0.0, 0.0)),
        Anchor("world", (0.3, 0.0, 0.0)),
    )
    rope = Cable(
        "rope",
        nodes,
        ea=1e5,
        gj=5.0,
        twist=1.0,
        torque_factor=0.08,
        diameter=0.1,
        pretension=50.0 * G,
        damping_time=0.05,
        winch=Winch("winch", 50.0),
    )
    seen = []
    for made in (Hybrid(density=1e-9, most=6), None):
        cable = dataclasses.replace(rope, hybrid=made)
        scene = Scene(
            bodies=(hanging,), cables=(cable,), drives=(Drive("hoist", on="winch", max_effort=1e5),)
        )
        simulator = Simulator(scene, FRAME)
        simulator.command("hoist", 0.2)
        simulator.step(60)
        seen.append(simulator.observe())
    wire, plain = (one.cable("rope") for one in seen)
    assert wire.length_paid_out > wire.length - 0.1 > 6.0
    assert wire.twist == pytest.approx(plain.twist, abs=1e-3)
    assert abs(wire.twist - 1.0) > 0.5
    np.testing.assert_allclose(wire.node_torque, plain.node_torque, atol=1e-3)
    np.testing.assert_allclose(seen[0].body_orientation, seen[1].body_orientation, atol=1e-4)


def haul(
    simulator: Simulator, time: float, speed: float = 0.0, spin: float = 0.0
) -> list[tuple[int, float, float]]:
    """Move the hand; returns masses, twist and torque after every step."""
    simulator.move("hand", (0.0, 0.0, speed), (0.0, 0.0, spin))
    found = []
    for _ in range(round(time / FRAME)):
        simulator.step()
        wire = simulator.observe().cable("wire")
        found.append((len(wire.mass_position), wire.twist, wire.torque))
    return found


@pytest.mark.parametrize("laid", [0.0, 1.0, -1.0])
def test_turns_made_while_slack_are_there_when_it_gets_taut(laid: float) -> None:
    """Three turns, M = GJ / L twist + k_t d T with masses or without.

    The rope of a laid wire is longer by k_t d twist.
    """
    factor = (
        {"torque_factor": laid * LAID["torque_factor"], "diameter": LAID["diameter"]}
        if laid
        else {}
    )
    simulator = Simulator(turning(**factor), FRAME)
    haul(simulator, 0.5)
    slack = haul(simulator, 1.0, 0.3) + haul(simulator, 3.0, spin=2.0 * math.pi)
    assert slack[-1][0] > 5
    # from rest to its spin within the first step, and so behind by half a step until it stops
    assert slack[-1][1] == pytest.approx(-6.0 * math.pi + math.pi * FRAME, abs=1e-9)
    slack = [torque for masses, _, torque in haul(simulator, 1.0, -0.33)[2:50] if masses > 5]
    assert len(slack) > 20
    # a slack wire of 0.5 kg/m pulls with its weight
    np.testing.assert_allclose(slack, -6.0 * math.pi * GJ / 4.0, rtol=5e-3)
    masses, twist, torque = haul(simulator, 8.0)[-1]
    wire = simulator.observe().cable("wire")
    assert (masses, twist) == (0, pytest.approx(-6.0 * math.pi, abs=1e-9))
    middle = 0.5 * (wire.tension + wire.tension_dead_end)
    assert torque == pytest.approx(
        GJ / wire.length_paid_out * twist + laid * ARM * middle, rel=1e-9
    )
    stretch = wire.length + laid * ARM * twist - wire.length_paid_out
    assert middle == pytest.approx(EA / wire.length_paid_out * stretch, rel=1e-3)


def test_twist_of_a_slack_wire_is_that_of_its_line_of_nodes() -> None:
    """Its rate is what the entries of the twist row say, so that the turns are counted: an error of
    second order.

    Turns are counted at the poses of the state, half a step ahead of what is read.
    """
    scene = tumbling()
    wire = dataclasses.replace(
        scene.cables[0],
        stiffness=None,
        pretension=0.0,
        ea=800.0,
        length=6.0,
        pulls_only=True,
        hybrid=Hybrid(density=0.01, most=10),
    )
    errors = []
    for h in (4e-3, 2e-3):
        simulator, worst = Simulator(dataclasses.replace(scene, cables=(wire,)), h), 0.0
        start = simulator.observe().cable("rope").twist
        for _ in range(round(0.4 / h)):
            simulator.step()
            seen = simulator.observe().cable("rope")
            simulator._running._run(simulator._running.moved, step.LOOK)
            twist = float(simulator._work.cables.twist[0])
            worst = max(worst, abs(twist - float(simulator._state.cables.twist_expected[0])))
            assert len(seen.mass_position) > 0 or simulator.time < 0.1
        assert abs(seen.twist - start) > 0.1
        errors.append(worst)
    assert errors[1] < 0.3 * errors[0] < 0.3 * 1e-3


@pytest.mark.parametrize("how", ["release", "cut"])
def test_a_wire_that_was_let_go_or_parted_carries_no_torque(how: str) -> None:
    """Not when its end is attached again, either: what turned it is not known any more."""
    simulator = Simulator(turning(twist=5.0, **LAID), FRAME)
    haul(simulator, 0.5)
    assert simulator.observe().cable("wire").torque > 10.0
    if how == "release":
        simulator.release("wire")
        simulator.attach("wire", "hand")
    else:
        simulator.cut("wire", 2.0)
    found = haul(simulator, 1.0, -0.01, spin=1.0)[1:]  # a cut is made at the end of its step
    assert all((twist, torque) == (0.0, 0.0) for _, twist, torque in found)
    if how == "release":
        wire = simulator.observe().cable("wire")
        assert (len(wire.mass_position), wire.tension > 2000.0) == (0, True)


def test_nothing_depends_on_the_workspace() -> None:
    """Nor on what was before the state, while a laid wire gets slack and taut."""
    simulator = Simulator(turning(twist=-5.0, **LAID), FRAME)
    start, ends = simulator.save(), []
    for spoil in (False, True):
        simulator.restore(start)
        for i in range(120):
            simulator.move("hand", (0.0, 0.0, 0.2 if i < 60 else -0.22), (0.0, 0.0, 1.0))
            if spoil:
                for field, array in arrays_by_name(simulator._work).items():
                    if (
                        field != "bodies.inverse_inertia"
                    ):  # part of the model for what is not dynamic
                        array[...] = np.nan if array.dtype == np.float64 else 1
            simulator.step()
        ends.append([array.tobytes() for array in arrays_of(simulator.save().state)])
    assert ends[0] == ends[1]


def test_what_cannot_carry_torque_is_refused() -> None:
    ends = (Anchor("world"), Anchor("world", (1.0, 0.0, 0.0)))
    loose = (Anchor("world"), Loose((1.0, 0.0, 0.0)))
    made, rope = Hybrid(density=1.0), Rope("6x36ws_iwrc", 0.016)
    for wrong in ({"gj": 3.0}, {"twist_stiffness": 3.0}, {"rope": rope, "twist": 3.0}, LAID):
        with pytest.raises(SpecError, match=naming("loose end wire carries torque")):
            Cable("wire", loose, hybrid=made, **wrong)
        for layer in (made, dataclasses.replace(made, least=2)):
            assert Cable(
                "wire", ends, hybrid=layer, **wrong, **{} if "rope" in wrong else {"ea": EA}
            )
    with pytest.raises(SpecError, match=naming("hybrid wire carries edges")):
        Cable("wire", ends, rope=rope, touches=("block",))
    assert Cable("wire", ends, rope=rope, touches=("block",), hybrid=made).measures_twist
    assert not Cable("wire", loose, rope=rope, hybrid=made).measures_twist
