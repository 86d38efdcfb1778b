"""Drives: speeds, positions, limits, ramps and brakes."""

import math

import numpy as np
import pytest

from cable_sim import Body, Box, Drive, Joint, Motion, Scene, Simulator
from cable_sim.errors import CommandError, SpecError
from cable_sim.kernels.records.arrays import arrays_of

CART = Body("cart", mass=100.0, shape=Box(1.0, 1.0, 1.0))
RAIL = Joint("rail", "prismatic", child="cart", axis=(1, 0, 0))


def cart(gravity=(0.0, 0.0, -9.81), motions=(), **options) -> Simulator:
    return Simulator(
        Scene(
            bodies=[CART],
            joints=[RAIL],
            drives=[Drive("drive", on="rail", **options)],
            gravity=gravity,
            motions=motions,
        )
    )


def test_ideal_drive_holds_its_speed_from_the_first_step() -> None:
    simulator = cart(target=2.0)
    simulator.step()
    assert simulator.observe().drive("drive").velocity == pytest.approx(2.0, rel=1e-12)
    assert simulator.observe().drive("drive").effort == pytest.approx(100.0 * 2.0 / 1e-3, rel=1e-9)


def test_limited_drive_accelerates_by_its_effort_over_the_mass() -> None:
    """v = F t / m until the speed is reached; never more than F."""
    simulator = cart(target=2.0, max_effort=50.0)
    simulator.step(2000)
    seen = simulator.observe().drive("drive")
    assert seen.velocity == pytest.approx(50.0 * 2.0 / 100.0, rel=1e-9)
    assert seen.effort == pytest.approx(50.0, rel=1e-9) and seen.saturated
    simulator.step(3000)
    seen = simulator.observe().drive("drive")
    assert seen.velocity == pytest.approx(2.0, rel=1e-9) and not seen.saturated


def test_overloaded_drive_gives_way() -> None:
    """On a slope of gravity it can't hold, the cart runs away with the difference of the forces."""
    simulator = cart(gravity=(3.0, 0.0, 0.0), max_effort=200.0)
    simulator.step(1000)
    seen = simulator.observe().drive("drive")
    assert seen.effort == pytest.approx(-200.0)
    assert seen.velocity == pytest.approx((300.0 - 200.0) / 100.0, rel=1e-9)


def test_reference_ramps() -> None:
    simulator = cart(target=2.0, max_acceleration=0.5)
    simulator.step(1000)
    assert simulator.observe().drive("drive").velocity == pytest.approx(0.5, rel=1e-9)
    simulator.command("drive", -10.0)
    simulator.step(1000)
    assert simulator.observe().drive("drive").velocity == pytest.approx(0.0, abs=1e-9)


def test_position_drive_arrives_and_stays() -> None:
    """Ten metres at no more than 2 m/s and 0.5 m/s^2: 10/2 + 2/0.5 s, no overshoot beyond 1 mm."""
    simulator = cart(
        mode="position", target=10.0, max_speed=2.0, max_acceleration=0.5, damping_time=0.05
    )
    seen = []
    for _ in range(150):
        simulator.step(100)
        seen.append(simulator.observe().drive("drive").position)
    assert max(seen) < 10.001
    assert seen[-1] == pytest.approx(10.0, abs=1e-6)
    arrival = 0.1 * next(i for i, x in enumerate(seen) if x > 9.99)
    assert arrival == pytest.approx(10.0 / 2.0 + 2.0 / 0.5, abs=0.5)


def test_effort_drive_is_a_force() -> None:
    simulator = cart(mode="effort", target=30.0, max_effort=100.0)
    simulator.step(1000)
    assert simulator.observe().drive("drive").velocity == pytest.approx(0.3, rel=1e-9)
    simulator.command("drive", 1e9)
    simulator.step(1000)
    assert simulator.observe().drive("drive").velocity == pytest.approx(0.3 + 1.0, rel=1e-9)


def test_mode_can_change_back_from_effort_to_an_unlimited_speed() -> None:
    simulator = cart(mode="effort", target=30.0)
    simulator.step(10)
    simulator.command("drive", 1.0, "speed")
    simulator.step()
    assert simulator.observe().drive("drive").velocity == pytest.approx(1.0, rel=1e-12)


def test_brake_stops_by_its_effort_and_then_holds() -> None:
    simulator = cart(target=1.0, brake_effort=200.0)
    simulator.step(10)
    simulator.command("drive", 1.0, brake=True)
    simulator.step(250)
    assert simulator.observe().drive("drive").velocity == pytest.approx(
        1.0 - 200.0 * 0.25 / 100.0, rel=1e-9
    )
    simulator.step(1000)
    simulator.push("cart", (150.0, 0.0, 0.0))
    simulator.step(1000)
    assert simulator.observe().drive("drive").velocity == pytest.approx(0.0, abs=1e-12)


def test_slip_is_speed_lost_per_effort() -> None:
    """v = w - xi F under a steady load F."""
    simulator = cart(gravity=(0.5, 0.0, 0.0), slip=1e-3, target=0.0)
    simulator.step(5000)
    assert simulator.observe().drive("drive").velocity == pytest.approx(1e-3 * 50.0, rel=1e-6)


def test_slew_and_drive_reaction_are_equal_and_opposite() -> None:
    """A motor between two free bodies turns them against one another: angular momentum stays
    zero."""
    rotor = Body("rotor", mass=1.0, inertia=(1.0, 1.0, 2.0))
    stator = Body("stator", mass=1.0, inertia=(1.0, 1.0, 6.0), position=(0.0, 0.0, 1.0))
    scene = Scene(
        bodies=[rotor, stator],
        joints=[Joint("axle", "hinge", child="rotor", parent="stator")],
        drives=[Drive("motor", on="axle", target=8.0, max_effort=3.0)],
        gravity=(0, 0, 0),
    )
    simulator = Simulator(scene)
    simulator.step(500)
    spin = simulator.observe().body_angular_velocity[:, 2]
    assert 2.0 * spin[0] == pytest.approx(-6.0 * spin[1], rel=1e-9)
    assert spin[0] - spin[1] == pytest.approx((1 / 2.0 + 1 / 6.0) * 3.0 * 0.5, rel=1e-9)


def test_motion_of_a_drive_and_of_a_body_follow_their_tables() -> None:
    """A trapezoid of speed: the body's position is its integral exactly, the drive follows step by
    step."""
    times, speeds = (0.0, 1.0, 3.0, 4.0), (0.0, 2.0, 2.0, 0.0)
    simulator = cart(motions=[Motion("drive", times, values=speeds)])
    cartless = Body("cart", mass=1.0, shape=Box(1, 1, 1), motion="prescribed")
    body = Simulator(
        Scene(
            bodies=[cartless],
            motions=[Motion("cart", times, velocities=[(v, 0, 0) for v in speeds])],
        )
    )
    for machine in (simulator, body):
        machine.step(5000)
    assert body.observe().body("cart").position[0] == pytest.approx(6.0, rel=1e-12)
    assert simulator.observe().drive("drive").position == pytest.approx(6.0, rel=1e-3)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: s.command("drive", math.nan), ["drive 'drive'", "nan"]),
        (lambda s: s.command("drive", 1.0, "fast"), ["fast", "speed", "position", "effort"]),
        (lambda s: s.command("driv", 1.0), ["'driv'", "known are drive"]),
        (lambda s: s.push("cart", (1, 2)), ["push 'cart'", "three finite"]),
        (lambda s: s.push("cart", (1, 2, np.inf)), ["finite"]),
        (lambda s: s.move("cart", (1, 2, 3)), ["prescribed"]),
    ],
)
def test_wrong_commands_are_refused_and_change_nothing(call, words) -> None:
    simulator = cart()
    before = simulator.save()
    with pytest.raises((CommandError, SpecError)) as error:
        call(simulator)
    assert all(word in str(error.value) for word in words)
    for mine, saved in zip(
        arrays_of(simulator.save().control), arrays_of(before.control), strict=True
    ):
        np.testing.assert_array_equal(mine, saved)
