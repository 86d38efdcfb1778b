"""Linear and S-ramps to speeds and positions, the lag of the speed loop, efforts that rise,
constant power."""

import math

import numpy as np
import pytest

from cable_sim import Body, Box, Drive, Joint, Scene, Simulator
from cable_sim.errors import SpecError
from cable_sim.kernels.instant import lead_time
from cable_sim.kernels.multibody.drives import distance_lagged
from cable_sim.kernels.multibody.rows import SPOOK

H, MASS = 1e-3, 100.0
CART = Body("cart", mass=MASS, shape=Box(1.0, 1.0, 1.0))
RAIL = Joint("rail", "prismatic", child="cart", axis=(1, 0, 0))


def cart(gravity: float = 0.0, **options) -> Simulator:
    """A cart of 100 kg on a rail along x, with gravity along it."""
    drive = Drive("drive", on="rail", **options)
    return Simulator(
        Scene(bodies=[CART], joints=[RAIL], drives=[drive], gravity=(gravity, 0.0, 0.0)), dt=H
    )


def velocity(simulator: Simulator) -> float:
    return float(simulator.observe().body("cart").velocity[0])


def references(simulator: Simulator, steps: int) -> np.ndarray:
    """The reference speed after each of so many steps."""
    seen = []
    for _ in range(steps):
        simulator.step()
        seen.append(simulator.drives["drive"].reference)
    return np.array(seen)


def test_s_ramp_is_three_pieces() -> None:
    """By hand: a grows by j h for a / j h steps, stays, and falls by j h; v / a + a / j in all, and
    never beyond."""
    q, up, flat = 1e-3, 500, 3500  # 1 m/s^3, 0.5 m/s^2 and 2 m/s in steps of 1 ms
    rates = q * np.concatenate(
        [np.arange(1, up + 1), np.full(flat, up), np.arange(up - 1, -1, -1), np.zeros(200)]
    )
    expected = np.cumsum(H * rates)
    assert expected[-1] == pytest.approx(2.0, rel=1e-12)
    simulator = cart(target=2.0, max_acceleration=0.5, max_jerk=1.0)
    seen = references(simulator, expected.size)
    np.testing.assert_allclose(seen, expected, atol=1e-9)
    assert seen[-1] == 2.0 and (seen <= 2.0).all()
    assert np.flatnonzero(seen == 2.0)[0] * H == pytest.approx(2.0 / 0.5 + 0.5 / 1.0, abs=2 * H)
    assert velocity(simulator) == pytest.approx(2.0, rel=1e-9)


@pytest.mark.parametrize("jerk", [math.inf, 2.0])
def test_slowing_down_has_its_own_bound(jerk: float) -> None:
    """From 1 to -1 m/s: down to zero by the deceleration, away from it by the acceleration."""
    simulator = cart(target=1.0, max_acceleration=0.25, max_deceleration=1.0, max_jerk=jerk)
    simulator.step(6000)
    simulator.command("drive", -1.0)
    seen = references(simulator, 8000)
    rounding = 0.0 if math.isinf(jerk) else 1.0 / jerk
    zero = H * np.flatnonzero(seen <= 0.0)[0]
    assert zero == pytest.approx(1.0 / 1.0 + 0.5 * rounding, abs=2 * H)
    rates = np.diff(seen) / H
    assert rates[seen[:-1] > 1e-3].min() == pytest.approx(-1.0, rel=1e-9)
    late = (
        H * np.arange(1, seen.size) > zero + rounding
    )  # when the jerk has taken it from one bound to the other
    assert rates[late].min() == pytest.approx(-0.25, rel=1e-9)
    assert seen[-1] == -1.0 and seen.min() > -1.0 - 1e-12


def test_changing_set_points_keep_acceleration_and_jerk_limits() -> None:
    """Random set-points every half second: bounds kept, and each that has the time is reached and
    not passed."""
    rng = np.random.default_rng(4)
    simulator = cart(max_acceleration=0.8, max_jerk=4.0)
    a = 0.8
    j = 4.0
    speeds = [np.zeros(2)]
    for _ in range(30):
        simulator.command("drive", float(rng.uniform(-1.0, 1.0)))
        speeds.append(references(simulator, 500))
    simulator.command("drive", 0.3)
    speeds.append(references(simulator, 4000))
    seen = np.concatenate(speeds)
    rates = np.diff(seen) / H
    assert np.abs(rates).max() <= a * (1 + 1e-9)
    assert np.abs(np.diff(rates)).max() <= j * H * (1 + 1e-6)
    assert seen[-1] == 0.3


@pytest.mark.parametrize("lag", [0.0, 0.2])
@pytest.mark.parametrize("jerk", [math.inf, 1.0])
@pytest.mark.parametrize("damping_time", [0.0, 0.15])
@pytest.mark.parametrize("goal", [6.0, -0.4])
def test_position_is_reached_without_overshoot(
    goal: float, damping_time: float, jerk: float, lag: float
) -> None:
    """Ramps of 0.5 and 0.8 m/s^2 to 1.2 m/s: never beyond, and in the time of the ramps and of what
    makes it late."""
    up, down, fastest = 0.5, 0.8, 1.2
    simulator = cart(
        mode="position",
        target=goal,
        max_speed=fastest,
        max_acceleration=up,
        max_deceleration=down,
        max_jerk=jerk,
        lag=lag,
        damping_time=damping_time,
    )
    places, speeds = [0.0], [0.0]
    while len(places) < 15000:
        simulator.step()
        places.append(simulator.drives["drive"].position)
        speeds.append(simulator.drives["drive"].reference)
    way = np.sign(goal) * np.array(places)
    assert way.max() <= abs(goal) + 1e-12
    assert way[-1] == pytest.approx(abs(goal), abs=1e-9)
    rates = np.diff(np.sign(goal) * np.array(speeds)) / H
    assert rates.max() <= up * (1 + 1e-9) and rates.min() >= -down * (1 + 1e-9)
    assert math.isinf(jerk) or np.abs(np.diff(rates)).max() <= jerk * H * (1 + 1e-6)
    if abs(goal) > 5.0:
        rounding = 0.0 if math.isinf(jerk) else 0.5 * (up + down) / jerk
        ideal = abs(goal) / fastest + 0.5 * fastest * (1.0 / up + 1.0 / down) + rounding
        arrival = H * np.flatnonzero(way > abs(goal) - 0.01)[0]
        assert ideal - 0.4 < arrival < ideal + 4.0 * (lag + damping_time)


def test_lag_is_exact_for_references_that_go_evenly() -> None:
    """T du/dt = w - u, w even in a step, by hand; from rest that is a (t - T (1 - exp(-t / T)))."""
    simulator, a, lag = cart(target=1.0, max_acceleration=0.5, lag=0.2), 0.5, 0.2
    q, held, reference = math.exp(-H / lag), 0.0, 0.0
    for n in range(1, 3001):
        before, reference = reference, min(reference + a * H, 1.0)
        held = (
            reference - q * (before - held) - (reference - before) * (lag / H) * (1.0 - q)
        )  # of u = w - T dw/dt + C exp(-t / T)
        simulator.step()
        assert simulator.drives["drive"].held == pytest.approx(held, rel=1e-9)
        if n % 500 == 0:
            assert velocity(simulator) == pytest.approx(held, rel=1e-9)
        if n <= 2000:
            t = n * H
            exact = a * (t - lag * (1.0 - math.exp(-t / lag)))
            assert held == pytest.approx(exact, rel=1e-9, abs=1e-15)


def test_overrun_is_what_the_lag_still_drives() -> None:
    """Reference to zero within a step: it runs on by that, w h / 2, and the overrun announced."""
    simulator = cart(target=1.0, lag=0.3)
    simulator.step(500)
    place = simulator.drives["drive"].position
    simulator.command("drive", 0.0)
    drive = simulator.drives["drive"]
    held = drive.held
    decay = distance_lagged(H, 0.3, 0.0, 1.0) + lead_time(H, SPOOK)  # as a machine reckons with
    announced = 0.3 * drive.reference + decay * (held - drive.reference)
    simulator.step(10000)
    assert announced == pytest.approx(0.3 * held, rel=1e-5)
    way = simulator.drives["drive"].position - place
    assert way == pytest.approx(0.5 * H * 1.0 + announced, rel=1e-9)


def efforts(simulator: Simulator, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Effort and velocity after each of so many steps."""
    seen = []
    for _ in range(steps):
        simulator.step()
        drive = simulator.observe().drive("drive")
        seen.append((drive.effort, drive.velocity))
    return np.array(seen).T


def test_effort_rises_and_takes_a_blow_back_without_hunting() -> None:
    """A force L at once: with R = F / t_rise it gives way for L / R, by L^2 / 2 R m, and is back
    after 2.4 L / R.

    The speed is taken back by L + x and then less: x^2 / R m = L^2 / 2 R m, so that takes 2 x / R =
    1.41 L / R.
    """
    force, rate = 300.0, 1000.0 / 0.05
    simulator = cart(max_effort=1000.0, rise_time=0.05)
    simulator.step(5)
    simulator.push("cart", (force, 0.0, 0.0))
    effort, speed = efforts(simulator, 300)
    assert np.abs(np.diff(effort)).max() <= rate * H * (1 + 1e-9)
    assert speed.max() == pytest.approx(force**2 / (2.0 * rate * MASS), rel=0.1)
    settled = np.flatnonzero(np.abs(effort + force) > 1.0)[-1] * H
    assert settled == pytest.approx((1.0 + math.sqrt(2.0)) * force / rate, rel=0.1)
    assert speed[-1] == pytest.approx(0.0, abs=1e-12) and speed.min() > -1e-9


def test_rising_effort_settles_with_more_mass_than_it_assumes() -> None:
    """A cart nine times as heavy on a spring-less coupling: it swings about the speed, less each
    time, and stays."""
    wagon = Body("wagon", mass=9.0 * MASS, shape=Box(1.0, 1.0, 1.0))
    drive = Drive("drive", "rail", max_effort=1000.0, rise_time=0.05)
    scene = Scene(
        bodies=[CART, wagon],
        joints=[RAIL, Joint("weld", "fixed", "wagon", "cart")],
        drives=[drive],
        gravity=(0.0, 0.0, 0.0),
    )
    simulator = Simulator(scene, dt=H)
    simulator.step(5)
    simulator.push("cart", (300.0, 0.0, 0.0))
    effort, speed = efforts(simulator, 2000)
    assert np.abs(np.diff(effort)).max() <= 1000.0 / 0.05 * H * (1 + 1e-9)
    assert np.abs(speed[-100:]).max() < 1e-4 * np.abs(speed).max()
    assert effort[-1] == pytest.approx(-300.0, rel=1e-3)


def test_rising_effort_holds_a_load_and_takes_over_from_brakes() -> None:
    """The brake opens later than the effort has risen: nothing moves. At once: it sags by what the
    rise takes."""
    options = {"gravity": 3.0, "max_effort": 1000.0, "rise_time": 0.05}
    hanging = cart(**options)
    hanging.step(500)
    assert hanging.drives["drive"].position == pytest.approx(0.0, abs=1e-12)
    sagged = []
    for delay in (0.1, 0.0):
        simulator = cart(**options, brake_open_delay=delay)
        simulator.command("drive", 0.0, brake=True)
        simulator.step(100)
        simulator.command("drive", 0.0)
        simulator.step(1000)
        sagged.append(simulator.drives["drive"].position)
        assert simulator.observe().drive("drive").velocity == pytest.approx(0.0, abs=1e-9)
    assert sagged[0] == pytest.approx(0.0, abs=1e-9)
    assert sagged[1] > 1e-4


def test_hoisting_at_constant_power_ends_at_power_over_weight() -> None:
    """W = 500 N, P = 1 kW, asked for 10 m/s: v = P / W, whatever the rated effort; never more than
    P."""
    simulator = cart(gravity=-5.0, target=10.0, max_effort=800.0, power=1000.0)
    for _ in range(100):
        simulator.step(200)
        seen = simulator.observe().drive("drive")
        assert abs(seen.power) <= 1000.0 * (1 + 1e-3)
        assert abs(seen.effort) <= 800.0 * (1 + 1e-9)
    assert seen.velocity == pytest.approx(1000.0 / 500.0, rel=1e-6)
    assert seen.power == pytest.approx(1000.0, rel=1e-6)


def test_lowering_faster_than_power_over_weight_runs_away() -> None:
    """Below P / W = 2 m/s the motor brakes and holds; above it what it can give is less than the
    weight."""
    held = cart(gravity=5.0, target=1.9, max_acceleration=0.2, max_effort=800.0, power=1000.0)
    held.step(20000)
    assert velocity(held) == pytest.approx(1.9, rel=1e-9)
    gone = cart(gravity=5.0, target=2.1, max_acceleration=0.2, max_effort=800.0, power=1000.0)
    gone.step(20000)
    assert velocity(gone) > 4.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_jerk": 0.0}, ["'drive'", "max_jerk", "0.0"]),
        ({"max_deceleration": -1.0}, ["max_deceleration", "-1.0"]),
        ({"lag": -0.1}, ["lag", "-0.1"]),
        ({"power": 0.0}, ["power"]),
        ({"rise_time": 0.1}, ["rise_time", "0.1", "max_effort"]),
        ({"brake_close_delay": math.inf}, ["brake_close_delay", "inf"]),
    ],
)
def test_wrong_options_are_refused(options, words) -> None:
    with pytest.raises(SpecError) as error:
        Drive("drive", "rail", **options)
    assert all(word in str(error.value) for word in words)
