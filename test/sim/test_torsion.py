"""Torsion of the massless cable against closed forms, recurrences, conservation and the paper's own
Euler angles."""

import dataclasses
import math

import numpy as np
import pytest
from transforms3d.euler import quat2euler
from transforms3d.quaternions import qmult, rotate_vector

from cable_sim import Simulator, load_scene
from cable_sim.kernels.multibody.rotation import nearest_turn
from cable_sim.kernels.status import TURNED_BACK
from cable_sim.sim.sentences import explain
from cable_sim.spec import Anchor, Body, Box, Cable, Eye, Joint, Rope, Scene, Winch

H, MASS = 0.01, 1000.0
INERTIA = MASS * 4.0 / 6.0
REDUCED = INERTIA / 2.0


def spook_recurrence(angle: float, rate: float, stiffness: float) -> tuple[float, float]:
    """One step of eq. 7-10 with its misprints corrected with gamma = 0, by hand; the angle is half
    a step ahead of the rate."""
    impulse = -(4.0 * angle / H) / (1.0 / REDUCED + 4.0 / (stiffness * H * H))
    rate += impulse / REDUCED
    return angle + H * rate, rate


def regularised_recurrence(angle: float, rate: float, stiffness: float) -> tuple[float, float]:
    """One step of eq. 11-13 by hand: backward Euler."""
    rate = (rate - H * stiffness * angle / REDUCED) / (1.0 + H * H * stiffness / REDUCED)
    return angle + H * rate, rate


RECURRENCES = {"spook": spook_recurrence, "regularised": regularised_recurrence}


def turned(scene: Scene, q, shift=(5.0, -3.0, 2.0)) -> Scene:
    """The scene moved and turned as a whole."""
    bodies = tuple(
        dataclasses.replace(
            body,
            position=tuple(np.add(rotate_vector(body.position, q), shift)),
            orientation=tuple(qmult(q, body.orientation)),
            velocity=tuple(rotate_vector(body.velocity, q)),
            angular_velocity=tuple(rotate_vector(body.angular_velocity, q)),
        )
        for body in scene.bodies
    )
    return dataclasses.replace(scene, bodies=bodies)


@pytest.mark.parametrize("stiffness", [10.0, 1e3, 1e6])
@pytest.mark.parametrize("stepper", RECURRENCES)
def test_steps_as_the_recurrence_says(stepper: str, stiffness: float) -> None:
    """The engine beside the hand-written recurrence for 1000 steps: agreement to 1e-9 rad, torque
    included.

    With spook the angle starts half a step on, and is read half a step back, where the rate is.
    """
    scene = load_scene("two_boxes", speed=0.0, twist_stiffness=stiffness, spin=0.5)
    simulator = Simulator(scene, dt=H, stepper=stepper)
    ahead = 0.5 * H if stepper == "spook" else 0.0
    rate = 0.5
    angle = ahead * rate
    for _ in range(1000):
        before = rate
        angle, rate = RECURRENCES[stepper](angle, rate, stiffness)
        simulator.step()
        cable = simulator.observe().cable("cable")
        assert abs(cable.twist - (angle - ahead * rate)) < 1e-9
        assert cable.torque == pytest.approx(-REDUCED * (rate - before) / H, abs=1e-6)


@pytest.mark.parametrize(
    "q", [(1, 0, 0, 0), (0.5, 0.5, -0.5, 0.5), (0.3, -0.6, 0.7, 0.2), (0, 0, 1, 0)]
)
@pytest.mark.parametrize("stiffness", [pytest.param(10.0, marks=pytest.mark.slow), 1e3])
def test_eleven_turns_unwind_without_a_jump(stiffness: float, q) -> None:
    """From 11 turns, whatever way the scene stands: every multiple of pi is passed as the
    recurrence passes it."""
    unwind(stiffness, q, round(3.2 * 2.0 * math.pi * math.sqrt(REDUCED / stiffness) / H))


def test_several_turns_within_a_step() -> None:
    """At 1e6 the boxes turn by up to six turns a step, and lose none.

    Along an axis only: a free shaft under 7e7 N m buckles, and rounding would start it.
    """
    unwind(1e6, (1, 0, 0, 0), 1500)


def unwind(stiffness: float, q, steps: int) -> None:
    """Engine beside recurrence, and the period from the passages through zero."""
    scene = load_scene("two_boxes", speed=0.0, twist_stiffness=stiffness, twist=22.0 * math.pi)
    simulator = Simulator(turned(scene, np.array(q) / np.linalg.norm(q)), dt=H)
    angle, rate, read, crossings = 22.0 * math.pi, 0.0, 22.0 * math.pi, []
    for _ in range(steps):
        was = read
        angle, rate = spook_recurrence(angle, rate, stiffness)
        read = angle - 0.5 * H * rate
        simulator.step()
        assert simulator.observe().cable("cable").twist == pytest.approx(read, abs=1e-6)
        if was < 0.0 <= read:
            crossings.append(simulator.time - H * read / (read - was))
    period = math.pi * H / math.atan(0.5 * H * math.sqrt(stiffness / REDUCED))
    assert np.diff(crossings).mean() == pytest.approx(period, rel=1e-3)


def euler_twist(orientation_a, orientation_b) -> float:
    """The paper's twist, eq. 17 with atan2 (misprint 8): Psi of both bodies, d along their own x
    axes pointing outward.

    Both boxes stand alike, and d_b = -x, so the angle of the second is counted the other way round.
    """
    angles = [quat2euler(q, "sxyz")[0] for q in (orientation_a, orientation_b)]
    return angles[1] - angles[0]


def test_agrees_with_the_euler_form_where_that_is_regular() -> None:
    """Equal to rounding while the boxes only spin, through many turns; to second order in the swing
    when they tilt."""
    simulator = Simulator(load_scene("two_boxes", speed=0.0, twist_stiffness=10.0, spin=9.0), dt=H)
    for _ in range(500):
        simulator.step(3)
        seen = simulator.observe()
        euler = euler_twist(*seen.body_orientation)
        assert math.remainder(seen.cable("cable").twist - euler, 2.0 * math.pi) == pytest.approx(
            0.0, abs=1e-9
        )
    assert abs(seen.cable("cable").twist) > 2.0 * math.pi
    errors = []
    for tilt in (0.02, 0.01):
        q = (math.cos(0.5 * tilt), 0.0, math.sin(0.5 * tilt) * 0.6, math.sin(0.5 * tilt) * 0.8)
        spun = qmult(q, (math.cos(0.25), math.sin(0.25), 0.0, 0.0))
        scene = load_scene("two_boxes", speed=0.0, twist_stiffness=10.0)
        simulator = Simulator(scene, dt=H)
        simulator._state.bodies.orientation[2] = spun
        twist = simulator.observe().cable("cable").twist
        errors.append(abs(twist - euler_twist((1.0, 0.0, 0.0, 0.0), spun)))
        assert twist == pytest.approx(0.5, abs=tilt**2)
    assert errors[1] < 0.3 * errors[0] < 0.3 * 0.02**2


def bent(spin: float = 1.0, pulley_inertia: float = 50.0) -> Scene:
    """Two spindles on a cable over two eyes of a pulley body, no gravity: the cable goes up, across
    and down."""
    spindle = (3.0, 3.0, 1.0)
    return Scene(
        bodies=(
            Body(
                "a",
                10.0,
                inertia=spindle,
                position=(-0.5, 0.0, -3.0),
                angular_velocity=(0.0, 0.0, spin),
            ),
            Body("b", 10.0, inertia=spindle, position=(0.5, 0.0, -3.0)),
            Body("pulley", 100.0, inertia=(pulley_inertia,) * 3),
        ),
        cables=(
            Cable(
                "rope",
                (
                    Anchor("a"),
                    Eye("pulley", (-0.5, 0.0, 0.0)),
                    Eye("pulley", (0.5, 0.0, 0.0)),
                    Anchor("b"),
                ),
                stiffness=1e4,
                pretension=50.0,
                twist_stiffness=2.0,
                pulls_only=False,
            ),
        ),
        joints=(Joint("mast", "hinge", "pulley", axis=(0.0, 0.0, 1.0)),),
        gravity=(0.0, 0.0, 0.0),
    )


def test_the_eyes_of_a_bent_cable_take_the_missing_couple() -> None:
    """Misprint 10: both ends turn the same way about their own tangents; the pulley gets what keeps
    the sum at zero."""
    simulator = Simulator(bent(), dt=1e-3)
    simulator.step(200)
    seen = simulator.observe()
    rope = seen.cable("rope")
    assert abs(rope.torque) > 0.1
    np.testing.assert_allclose(rope.node_torque.sum(axis=0), 0.0, atol=1e-9)
    # from a up to the pulley is +z, from the pulley down to b -z: both spindles feel M about +z,
    # the pulley -2 M
    assert rope.node_torque[0, 2] == pytest.approx(rope.torque, rel=1e-3)
    assert rope.node_torque[3, 2] == pytest.approx(rope.torque, rel=1e-3)
    assert rope.node_torque[1:3, 2].sum() == pytest.approx(-2.0 * rope.torque, rel=1e-3)
    spins = seen.body_angular_velocity[:, 2]
    assert spins[0] - spins[1] == pytest.approx(1.0, rel=1e-3)  # the invariant I_a w_a - I_b w_b


def momenta(simulator: Simulator) -> np.ndarray:
    """Linear and angular momentum of all bodies about the world's origin."""
    model, state = simulator._model, simulator._state
    total = np.zeros(6)
    for b in np.flatnonzero(model.bodies.kind == 1):
        p = state.bodies.velocity[b, :3] / model.bodies.inverse_mass[b]
        q = state.bodies.orientation[b]
        own = rotate_vector(state.bodies.velocity[b, 3:], q * [1, -1, -1, -1])
        spin = rotate_vector(model.bodies.inertia[b] @ own, q)
        total += [*p, *(np.cross(state.bodies.position[b], p) + spin)]
    return total


def tumbling(torque_factor: float = 0.0) -> Scene:
    """Three bodies on one twisted cable that swing and turn in all directions."""
    box = Box(0.6, 0.4, 0.5)
    return Scene(
        bodies=(
            Body("a", 3.0, shape=box, velocity=(0.3, -0.2, 0.1), angular_velocity=(1.0, 0.5, -0.3)),
            Body("b", 5.0, shape=box, position=(2.0, 0.5, 0.0), velocity=(0.0, 0.3, 0.0)),
            Body("c", 4.0, shape=box, position=(3.0, 2.5, 0.5), angular_velocity=(0.0, -0.7, 2.0)),
        ),
        cables=(
            Cable(
                "rope",
                (
                    Anchor("a", (0.3, 0.1, 0.0)),
                    Eye("b", (0.0, 0.2, 0.1)),
                    Anchor("c", (-0.2, 0.0, 0.2)),
                ),
                stiffness=200.0,
                twist_stiffness=3.0,
                twist=4.0,
                torque_factor=torque_factor,
                diameter=0.1,
                pretension=10.0,
                pulls_only=False,
            ),
        ),
        gravity=(0.0, 0.0, 0.0),
    )


@pytest.mark.parametrize("torque_factor", [0.0, 0.3])
def test_momentum_is_conserved_and_energy_to_second_order(torque_factor: float) -> None:
    """The wrenches are in equilibrium and have a potential, swung ends and laid ropes included."""
    drifts = []
    for h in (2e-3, 1e-3):
        simulator = Simulator(tumbling(torque_factor), dt=h)
        start, energy, worst = momenta(simulator), simulator.observe().energy.total, 0.0
        for _ in range(40):
            simulator.step(round(0.1 / h))
            worst = max(worst, abs(simulator.observe().energy.total - energy))
        np.testing.assert_allclose(momenta(simulator), start, atol=1e-11)
        drifts.append(worst / energy)
    assert drifts[0] < 1e-3
    assert drifts[1] < 0.27 * drifts[0]


def test_gj_over_the_paid_out_length() -> None:
    """A rope of rigidity GJ on a winch: c_t = GJ / L, while the winch pays out."""
    scene = Scene(
        bodies=(Body("load", 100.0, shape=Box(1.0, 1.0, 1.0), position=(0.0, 0.0, -5.5)),),
        cables=(
            Cable(
                "rope",
                (Anchor("world"), Anchor("load", (0.0, 0.0, 0.5))),
                ea=1e6,
                gj=40.0,
                twist=1.0,
                pretension=981.0,
                winch=Winch("winch", 1e9, rate=0.5),
            ),
        ),
    )
    simulator = Simulator(scene, dt=1e-3)
    for _ in range(5):
        simulator.step(500)
        rope = simulator.observe().cable("rope")
        assert rope.torque == pytest.approx(
            40.0 / rope.length_paid_out * rope.twist, rel=2e-3, abs=0.012
        )
    assert rope.length_paid_out > 6.0


def block(rope: Rope, spacing: float, falls: float, swivel: bool = False) -> Scene:
    """A block on two falls of a laid rope: cabling. The rope has no torsional stiffness of its
    own."""
    half = 0.5 * spacing
    return Scene(
        bodies=(Body("block", 6000.0, shape=Box(1.0, 1.0, 1.0), position=(0.0, 0.0, -falls)),),
        cables=(
            Cable(
                "rope",
                (
                    Anchor("world", (-half, 0.0, 0.0)),
                    Eye("block", (-half, 0.0, 0.0)),
                    Eye("block", (half, 0.0, 0.0)),
                    Anchor("world", (half, 0.0, 0.0), swivel=swivel),
                ),
                ea=rope.ea,
                torque_factor=rope.factors.torque,
                diameter=rope.diameter,
                pretension=6000.0 * 9.81 / 2.0,
            ),
        ),
    )


def settled_yaw(scene: Scene) -> float:
    """Angle at which a block comes to rest when all its motion is damped."""
    simulator = Simulator(scene, dt=5e-3)
    for _ in range(4000):
        simulator.step(2)
        simulator._state.bodies.velocity[1] *= 0.97
    q = simulator.observe().body("block").orientation
    return 2.0 * math.atan2(q[3], q[0])


@pytest.mark.parametrize(
    ("construction", "degrees"), [("6x36ws_iwrc", 9.1), ("34x7_rotation_resistant", 0.77)]
)
def test_a_laid_rope_turns_the_block(construction: str, degrees: float) -> None:
    """sin(angle) = 4 L k_t d / S^2: 9.1 and 0.8 degrees with S = 1.2 m, L = 40 m, d = 16 mm."""
    rope = Rope(construction, 0.016)
    factor = rope.factors.torque
    yaw = settled_yaw(block(rope, 1.2, 40.0))
    expected = math.asin(4.0 * 40.0 * factor * 0.016 / 1.2**2)
    assert abs(yaw) == pytest.approx(expected, rel=0.02)
    assert math.degrees(abs(yaw)) == pytest.approx(degrees, rel=0.05)


def test_a_swivel_lets_the_torque_go() -> None:
    """With a swivel at the dead end the rope carries no torque, and the block stays."""
    assert settled_yaw(block(Rope("6x36ws_iwrc", 0.016), 1.2, 40.0, swivel=True)) == pytest.approx(
        0.0, abs=1e-9
    )


def test_lay_decides_which_way_the_block_turns() -> None:
    """Right-hand lay unlays left-handed about the fall from the anchor down, which is anticlockwise
    seen from above."""
    scene = block(Rope("6x36ws_iwrc", 0.016), 1.2, 40.0)
    left = dataclasses.replace(scene.cables[0], torque_factor=-scene.cables[0].torque_factor)
    turned_right = settled_yaw(scene)
    assert turned_right > 0.1
    assert settled_yaw(dataclasses.replace(scene, cables=(left,))) == pytest.approx(
        -turned_right, rel=1e-6
    )


def test_beyond_the_cabling_length_the_block_keeps_turning() -> None:
    """L_crit = S^2 / (4 k_t d): 28 m for S = 0.4 m and a 16 mm 6-strand rope, 329 m for a 34x7."""
    strands6, strands34 = Rope("6x36ws_iwrc", 0.016), Rope("34x7_rotation_resistant", 0.016)
    critical = 0.4**2 / (4.0 * strands6.factors.torque * 0.016)
    assert critical == pytest.approx(28.1, abs=0.1)

    def most_turns(rope: Rope, falls: float) -> float:
        """Largest yaw from rest within two minutes, in turns, counted by the rope: two falls twist
        by twice the yaw."""
        scene = block(rope, 0.4, falls)
        simulator, most = Simulator(scene, dt=5e-3), 0.0
        for _ in range(2400):
            simulator.step(10)
            simulator._state.bodies.velocity[1] *= 0.98
            most = max(most, abs(simulator.observe().cable("rope").twist) / (4.0 * math.pi))
        return most

    assert most_turns(strands6, 0.95 * critical) < 0.5
    assert most_turns(strands6, 1.05 * critical) > 1.0
    assert most_turns(strands34, 1.05 * critical) < 0.05


def test_an_end_that_swings_right_back_is_told() -> None:
    """A body that tumbles end over end on a slack rope turns the end of that by 180 degrees, past
    any twist."""
    for rate, told in ((2.0, False), (4.0, True)):
        shape, spin = Box(1.0, 1.0, 1.0), (0.0, rate, 0.1)
        body = Body("body", 50.0, shape=shape, position=(0.0, 0.0, -3.0), angular_velocity=spin)
        rope = Cable("rope", (Anchor("world"), Anchor("body")), ea=1e6, gj=500.0, length=4.0)
        simulator = Simulator(
            Scene(bodies=(body,), cables=(rope,), gravity=(0.0, 0.0, 0.0)), dt=5e-3
        )
        status = simulator.step(180).status
        assert bool(status & TURNED_BACK) == told, rate
    assert "swivel" in explain(TURNED_BACK)


def test_nearest_turn() -> None:
    assert nearest_turn(0.1, 0.0) == pytest.approx(0.1)
    assert nearest_turn(-3.0, 3.0) == pytest.approx(2.0 * math.pi - 3.0)
    assert nearest_turn(1.0, 22.0 * math.pi) == pytest.approx(22.0 * math.pi + 1.0)
