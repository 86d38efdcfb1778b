"""Brakes with delays, shares and wear, motors with and without power, and what is left of them
after a fault."""

import math

import numpy as np
import pytest

from cable_sim import Anchor, Body, Box, Cable, Drive, Joint, Scene, Simulator, Winch
from cable_sim.errors import CommandError, SpecError
from cable_sim.kernels.records.arrays import arrays_of

H, G, MASS = 1e-3, 9.81, 100.0
CART = Body("cart", mass=MASS, shape=Box(1.0, 1.0, 1.0))
RAIL = Joint("rail", "prismatic", child="cart", axis=(1, 0, 0))


def cart(gravity: float = 0.0, **options) -> Simulator:
    """A cart of 100 kg on a rail along x, with gravity along it."""
    drive = Drive("drive", on="rail", **options)
    return Simulator(
        Scene(bodies=[CART], joints=[RAIL], drives=[drive], gravity=(gravity, 0.0, 0.0)), dt=H
    )


def hoist(mass: float, rotor: float, **options) -> Simulator:
    """A load that hangs in balance on the rope of a winch; the drive's brake holds 1.8 times its
    weight."""
    load = Body("load", mass, shape=Box(1.0, 1.0, 1.0), position=(0.0, 0.0, -10.0))
    rope = Cable(
        "rope",
        (Anchor("world"), Anchor("load")),
        ea=1e9,
        pretension=mass * G,
        damping_time=0.01,
        winch=Winch("winch", rotor),
    )
    drive = Drive(
        "drive", "winch", max_effort=2.0 * mass * G, brake_effort=1.8 * mass * G, **options
    )
    return Simulator(Scene(bodies=[load], cables=[rope], drives=[drive]), dt=H)


def rate(simulator: Simulator) -> float:
    return simulator.observe().drive("drive").velocity


def test_power_and_brake_are_separate() -> None:
    """Without power a load falls freely; with the brake it does not; with power again the motor
    catches it."""
    simulator = cart(gravity=3.0, max_effort=1000.0, brake_effort=1000.0)
    simulator.set_drive("drive", powered=False)
    simulator.step(500)
    assert rate(simulator) == pytest.approx(3.0 * 0.5, rel=1e-9)
    assert simulator.observe().drive("drive").effort == 0.0
    simulator.set_drive("drive", powered=True)
    simulator.step(round(1.5 / 7.0 / H) + 2)  # (1000 - 300) N / 100 kg against it
    assert rate(simulator) == pytest.approx(0.0, abs=1e-9)
    simulator.set_drive("drive", powered=False)
    simulator.command("drive", 0.0, brake=True)
    simulator.step(500)
    assert rate(simulator) == pytest.approx(0.0, abs=1e-9)


def test_free_fall_while_the_brake_closes() -> None:
    """No power, brake 0.2 s late: v = g t m / (m + m_eq); then it stops with (1.8 - 1) of the
    weight."""
    mass, rotor, delay = 6000.0, 24000.0, 0.2
    simulator = hoist(mass, rotor, brake_close_delay=delay)
    simulator.set_drive("drive", powered=False)
    simulator.command("drive", 0.0, brake=True)
    simulator.step(200)
    assert not simulator.observe().drive("drive").brake_closed
    fallen = G * delay * mass / (mass + rotor)
    assert rate(simulator) == pytest.approx(fallen, rel=0.02)
    simulator.step(1)
    assert simulator.observe().drive("drive").brake_closed
    stopping = fallen / (0.8 * mass * G / (mass + rotor))
    simulator.step(round(0.5 * stopping / H))
    assert rate(simulator) == pytest.approx(0.5 * fallen, rel=0.1)
    simulator.step(2000)
    assert rate(simulator) == pytest.approx(0.0, abs=1e-9)


def test_motor_holds_the_load_while_the_brake_closes() -> None:
    """An ordinary stop: power stays on until the brake has closed, and nothing slips."""
    simulator = hoist(6000.0, 24000.0, brake_close_delay=0.2)
    start = simulator.drives["drive"].position
    simulator.command("drive", 0.0, brake=True)
    for _ in range(50):
        simulator.step(10)
        assert simulator.drives["drive"].position == pytest.approx(start, abs=1e-9)
    assert simulator.observe().drive("drive").brake_closed


def test_motor_ramps_down_while_the_brake_closes() -> None:
    """At 1 m/s with 2 m/s^2: the ramp takes 0.4 m/s off in the 0.2 s before the brake does the rest
    by F / m."""
    simulator = cart(target=1.0, max_acceleration=2.0, brake_effort=500.0, brake_close_delay=0.2)
    simulator.step(1000)
    simulator.command("drive", 1.0, brake=True)
    simulator.step(200)
    assert rate(simulator) == pytest.approx(0.6, rel=1e-9)
    simulator.step(60)
    assert rate(simulator) == pytest.approx(0.6 - 5.0 * 0.06, rel=1e-9)


def test_brake_that_opens_holds_and_the_ramp_waits() -> None:
    simulator = cart(gravity=1.0, max_acceleration=2.0, brake_effort=500.0, brake_open_delay=0.1)
    simulator.command("drive", 1.0, brake=True)
    simulator.step(10)
    simulator.command("drive", 1.0)
    simulator.step(100)
    assert simulator.observe().drive("drive").brake_closed
    assert simulator.drives["drive"].reference == 0.0 and rate(simulator) == pytest.approx(
        0.0, abs=1e-12
    )
    simulator.step(100)
    assert not simulator.observe().drive("drive").brake_closed
    assert rate(simulator) == pytest.approx(2.0 * 0.1, rel=1e-9)


def test_a_command_that_is_taken_back_in_time_changes_nothing() -> None:
    simulator = cart(brake_close_delay=0.2)
    for brake, steps in ((True, 150), (False, 1), (True, 150)):
        simulator.command("drive", 0.0, brake=brake)
        simulator.step(steps)
        assert not simulator.observe().drive("drive").brake_closed
    simulator.step(51)
    assert simulator.observe().drive("drive").brake_closed


@pytest.mark.parametrize(
    ("mass", "rotor", "share"), [(6350.0, 25500.0, 0.9), (51000.0, 189000.0, 0.5)]
)
def test_slipping_brake_lets_the_load_run_with_the_closed_form(
    mass: float, rotor: float, share: float
) -> None:
    """Brake torque f times the load's: (1 - f) m g / (m + m_eq); tower 0.196 and RTG 1.04 m/s^2
    (domain 5.6)."""
    simulator = hoist(mass, rotor)
    simulator.command("drive", 0.0, brake=True)
    simulator.step(200)
    simulator.set_drive("drive", brake_share=share / 1.8)
    simulator.step(1000)
    expected = (1.0 - share) * mass * G / (mass + rotor)
    assert expected == pytest.approx({0.9: 0.196, 0.5: 1.04}[share], rel=5e-3)
    seen = simulator.observe().drive("drive")
    assert seen.velocity == pytest.approx(expected, rel=0.01)
    assert seen.effort == pytest.approx(-share * mass * G, rel=1e-9)


def test_brake_takes_the_kinetic_energy_and_wears() -> None:
    """Its work is m v^2 / 2 exactly, and what it holds after it brake_effort / (1 + wear W)."""
    wear = 0.01
    simulator = cart(target=2.0, max_effort=1e5, brake_effort=400.0, brake_wear=wear)
    simulator.step(100)
    energy = 0.5 * MASS * 2.0**2
    simulator.command("drive", 0.0, brake=True)
    simulator.step(10000)
    seen = simulator.observe().drive("drive")
    assert seen.velocity == pytest.approx(0.0, abs=1e-12)
    assert seen.brake_work == pytest.approx(energy, rel=1e-9)
    simulator.push("cart", (1000.0, 0.0, 0.0))
    simulator.step(2)
    left = 400.0 / (1.0 + wear * energy)
    assert simulator.observe().drive("drive").effort == pytest.approx(-left, rel=1e-3)


def test_work_of_a_worn_brake_follows_the_recurrence() -> None:
    """By hand: F = F_b / (1 + wear W), v+ = v - h F / m, W+ = W + h F (v + v+) / 2."""
    wear, speed, work = 0.02, 2.0, 0.0
    simulator = cart(target=speed, brake_effort=300.0, brake_wear=wear)
    simulator.step(10)
    simulator.command("drive", 0.0, brake=True)
    for _ in range(400):
        force = 300.0 / (1.0 + wear * work)
        after = speed - H * force / MASS
        speed, work = after, work + 0.5 * H * force * (speed + after)
        simulator.step()
        assert rate(simulator) == pytest.approx(speed, rel=1e-9)


def test_effort_share_bounds_the_motor() -> None:
    """Half of the effort: half of the acceleration; none: it coasts."""
    simulator = cart(target=10.0, max_effort=200.0)
    simulator.set_drive("drive", effort_share=0.5)
    simulator.step(1000)
    assert rate(simulator) == pytest.approx(0.5 * 200.0 / MASS, rel=1e-9)
    simulator.set_drive("drive", effort_share=0.0)
    simulator.step(1000)
    assert rate(simulator) == pytest.approx(1.0, rel=1e-9)
    ideal = cart(target=1.0)
    ideal.set_drive("drive", effort_share=0.0)
    ideal.step(10)
    assert rate(ideal) == 0.0


def test_brake_of_a_cable_drive_has_delays_too() -> None:
    """A driven cable that hangs on its brake: without power it pays out freely until the brake
    grips."""
    load = Body("load", 10.0, shape=Box(0.2, 0.2, 0.2), position=(0.0, 0.0, -5.0))
    cable = Cable("line", (Anchor("world"), Anchor("load")), driven=True)
    drive = Drive("drive", "line", max_effort=1e3, brake_effort=300.0, brake_close_delay=0.1)
    simulator = Simulator(Scene(bodies=[load], cables=[cable], drives=[drive]), dt=H)
    simulator.step(10)
    simulator.set_drive("drive", powered=False)
    simulator.command("drive", 0.0, brake=True)
    simulator.step(100)
    assert rate(simulator) == pytest.approx(G * 0.1, rel=1e-6)
    simulator.step(20)
    assert rate(simulator) == pytest.approx(G * 0.1 + (G - 300.0 / 10.0) * 0.02, rel=1e-3)
    simulator.step(100)
    seen = simulator.observe().drive("drive")
    assert seen.velocity == pytest.approx(0.0, abs=1e-9)
    assert seen.brake_work == pytest.approx(
        300.0 * (G * 0.1) ** 2 / (2.0 * (300.0 / 10.0 - G)), rel=0.02
    )


@pytest.mark.parametrize("moment", [50, 150, 700, 1000])
def test_a_snapshot_amid_ramps_and_delays_repeats_bit_for_bit(moment: int) -> None:
    def restless() -> Simulator:
        return hoist(
            6000.0,
            24000.0,
            max_acceleration=0.5,
            max_jerk=2.0,
            lag=0.1,
            rise_time=0.05,
            power=5e4,
            brake_close_delay=0.2,
            brake_open_delay=0.1,
            brake_wear=1e-5,
        )

    def operate(simulator: Simulator, begin: int, end: int) -> None:
        for n in range(begin, end):
            if n % 400 == 0:
                simulator.command("drive", 0.3, brake=n % 800 == 0)
            if n == 900:
                simulator.set_drive("drive", powered=False, effort_share=0.9, brake_share=0.5)
            simulator.step()

    one, other = restless(), restless()
    operate(one, 0, moment)
    snapshot = one.save()
    operate(one, moment, 1500)
    other.restore(snapshot)
    operate(other, moment, 1500)
    for mine, saved in zip(arrays_of(one.save().state), arrays_of(other.save().state), strict=True):
        np.testing.assert_array_equal(mine, saved)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("drive", {"effort_share": 1.5}, ["'drive'", "effort_share 1.5", "0 ... 1"]),
        ("drive", {"effort_share": math.nan}, ["effort_share nan"]),
        ("drive", {"powered": False, "brake_share": -0.1}, ["brake_share -0.1", "0 or above"]),
        ("drive", {"brake_share": math.inf}, ["brake_share inf"]),
        ("drive", {"powered": "no"}, ["powered 'no'", "True or False"]),
        ("driv", {"powered": False}, ["'driv'", "known are drive"]),
    ],
)
def test_wrong_settings_are_refused_and_change_nothing(name, options, words) -> None:
    simulator = cart()
    before = simulator.save()
    with pytest.raises((CommandError, SpecError)) as error:
        simulator.set_drive(name, **options)
    assert all(word in str(error.value) for word in words)
    for mine, saved in zip(
        arrays_of(simulator.save().control), arrays_of(before.control), strict=True
    ):
        np.testing.assert_array_equal(mine, saved)
