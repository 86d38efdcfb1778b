"""Drives with slip against closed forms: order of errors, stiff slips, bounds of the effort."""

import math
from typing import Any

import numpy as np
import pytest

from cable_sim import Anchor, Body, Box, Cable, Drive, Joint, Motion, Scene, Simulator
from cable_sim.spec import Drum, Winch

STEPPERS = ["spook", "regularised"]
MASS = 100.0
SLIP = 2e-3
TAU = MASS * SLIP
PULL = -300.0
"""Mass [kg], slip [m/s/N], time constant [s], weight along the rail [N]."""


def cart(h: float, stepper: str = "spook", motions: Any = (), **options: Any) -> Simulator:
    drive = Drive("drive", **({"on": "rail", "slip": SLIP} | options))
    scene = Scene(
        bodies=(Body("cart", mass=MASS, shape=Box(1.0, 1.0, 1.0)),),
        joints=(Joint("rail", "prismatic", "cart", axis=(1.0, 0.0, 0.0)),),
        drives=(drive,),
        motions=motions,
        gravity=(PULL / MASS, 0.0, 0.0),
    )
    return Simulator(scene, dt=h, stepper=stepper)


def winch(h: float, stepper: str) -> Simulator:
    """A winch of that mass alone, which a force of its rope's weight does not pull."""
    scene = Scene(
        bodies=(Body("load", 1e-9, shape=Box(0.1, 0.1, 0.1), position=(0.0, 0.0, -5.0)),),
        cables=(
            Cable(
                "rope",
                (Anchor("world"), Anchor("load")),
                ea=1e3,
                length=50.0,
                winch=Winch("winch", MASS),
            ),
        ),
        drives=(Drive("drive", "winch", target=1.0, slip=SLIP),),
    )
    return Simulator(scene, dt=h, stepper=stepper)


def read(simulator: Simulator, end: float) -> tuple[float, float]:
    simulator.step(round(end / simulator.dt))
    seen = simulator.observe().drive("drive")
    return float(seen.position), float(seen.velocity)


def approach(t: float, final: float) -> tuple[float, float]:
    """Way and speed from rest towards a final speed with the time constant TAU."""
    gone = 1.0 - math.exp(-t / TAU)
    return final * (t - TAU * gone), final * gone


def ramp(t: float, rate: float) -> tuple[float, float]:
    """Way and speed from rest behind a set-point that grows at a rate [m/s^2], with the weight."""
    way, speed = approach(t, PULL * SLIP - rate * TAU)
    return 0.5 * rate * t * t + way, rate * t + speed


def check_order(errors: list[np.ndarray], stepper: str) -> None:
    """Half the step leaves a quarter of the error, under ``regularised`` a half."""
    for coarse, fine in zip(errors, errors[1:], strict=False):
        wanted = 2.0 if stepper == "spook" else 1.0
        assert np.log2(np.abs(coarse / fine)) == pytest.approx(wanted, abs=0.1)


@pytest.mark.parametrize("stepper", STEPPERS)
def test_slip_gives_the_exponential_by_the_steppers_order(stepper: str) -> None:
    exact = np.array(approach(0.5, 1.0 + PULL * SLIP))
    errors = [np.array(read(cart(h, stepper, target=1.0), 0.5)) - exact for h in (0.02, 0.01, 5e-3)]
    check_order(errors, stepper)
    assert np.abs(errors[-1]).max() < (1e-5 if stepper == "spook" else 5e-3)


@pytest.mark.parametrize("stepper", STEPPERS)
def test_a_winch_with_slip_gives_the_same(stepper: str) -> None:
    exact = np.array(approach(0.5, 1.0)) + np.array((50.0, 0.0))
    check_order([np.array(read(winch(h, stepper), 0.5)) - exact for h in (0.02, 0.01)], stepper)


def pay_out(h: float, load: float, mass: float, slip: float, **options: Any) -> float:
    """How far a load on a rigid rope gets from a winch with slip in a second."""
    rope = Cable("rope", (Drum("world"), Anchor("load")), winch=Winch("winch", mass))
    scene = Scene(
        bodies=(Body("load", load, shape=Box(1.0, 1.0, 1.0), position=(0.0, 0.0, -5.0)),),
        cables=(rope,),
        drives=(Drive("drive", "winch", slip=slip, **options),),
    )
    simulator = Simulator(scene, dt=h)
    simulator.step(round(1.0 / h))
    return -5.0 - float(simulator.bodies["load"].position[2])


@pytest.mark.parametrize(
    ("load", "mass", "slip"), [(2e4, 1e3, 2e-6), (2e4, 100.0, 2e-5), (500.0, 1e-3, 2e-3)]
)
@pytest.mark.parametrize("target", [0.0, -0.4])
def test_loads_on_light_winches_are_of_second_order(
    load: float, mass: float, slip: float, target: float
) -> None:
    """xi (m + M) takes many steps, xi M less than half a step."""
    lag = slip * (load + mass)
    gone = 1.0 - math.exp(-1.0 / lag)
    slips = slip * load * 9.81
    exact = (target + slips) * (1.0 - lag * gone)
    places = [pay_out(h, load, mass, slip, target=target) for h in (0.02, 0.01, 0.005)]
    errors = np.abs(np.array(places) - exact)
    assert errors[1] < 1e-3 * slips
    assert errors[0] > 3.0 * errors[1] > 9.0 * errors[2]


@pytest.mark.parametrize("options", [{"max_acceleration": 0.8}, {}], ids=["ramp", "table"])
def test_slip_behind_a_ramp_or_table_is_of_second_order(options: dict) -> None:
    motions = () if options else (Motion("drive", (0.0, 2.0), values=(0.0, 1.6)),)
    exact = np.array(ramp(0.5, 0.8))
    errors = []
    for h in (0.02, 0.01, 5e-3):
        target = {"target": 2.0} if options else {}
        errors.append(np.array(read(cart(h, motions=motions, **target, **options), 0.5)) - exact)
    check_order(errors, "spook")


@pytest.mark.parametrize("z", [0.5, 1.9, 2.1, 20.0, 1e4, 1e12])
def test_slip_never_overshoots_however_stiff_it_is(z: float) -> None:
    """The speed under the load is approached from one side, z = h / tau."""
    h = 0.01
    slip = h / (MASS * z)
    final = 1.0 + PULL * slip
    simulator = cart(h, target=1.0, slip=slip)
    speeds = []
    for _ in range(30):
        simulator.step()
        speeds.append(float(simulator.observe().drive("drive").velocity))
    left = final - np.array([0.0, *speeds])
    assert (np.diff(left) <= 1e-12).all() and (left >= -1e-12).all()
    if z > 2.0:
        assert left[1] == pytest.approx(0.0, abs=1e-12)
    else:
        assert left[1:9] == pytest.approx(
            final * ((1.0 - z / 2) / (1.0 + z / 2)) ** np.arange(1, 9), rel=1e-9
        )


def test_slip_at_the_bound_gives_the_largest_effort() -> None:
    """With F_max until the slip needs less, and then the exponential."""
    most = 400.0
    accelerated = (most + PULL) / MASS
    turns = (1.0 - SLIP * most) / accelerated
    final = 1.0 + PULL * SLIP
    h = 0.01
    simulator = cart(h, target=1.0, max_effort=most)
    way, speed = read(simulator, turns)
    assert speed == pytest.approx(accelerated * turns, rel=1e-9)
    assert way == pytest.approx(0.5 * accelerated * turns**2, rel=1e-9)
    assert simulator.observe().drive("drive").effort == pytest.approx(most, rel=1e-12)
    start = way
    left = final - speed
    way, speed = read(simulator, 0.5)
    gone = 1.0 - math.exp(-0.5 / TAU)
    assert speed == pytest.approx(final - left * (1.0 - gone), abs=1e-4)
    assert way - start == pytest.approx(0.5 * final - left * TAU * gone, abs=1e-4)


def test_slip_takes_the_energy_that_the_cart_loses() -> None:
    """At w = 0 the sum of xi F^2 h is the kinetic energy that went, to rounding."""
    h = 0.02
    scene = Scene(
        bodies=(Body("cart", mass=MASS, shape=Box(1.0, 1.0, 1.0), velocity=(3.0, 0.0, 0.0)),),
        joints=(Joint("rail", "prismatic", "cart", axis=(1.0, 0.0, 0.0)),),
        drives=(Drive("drive", "rail", slip=SLIP),),
        gravity=(0.0, 0.0, 0.0),
    )
    simulator = Simulator(scene, dt=h)
    lost = 0.0
    for _ in range(50):
        simulator.step()
        lost += SLIP * float(simulator.observe().drive("drive").effort) ** 2 * h
        speed = float(simulator.observe().drive("drive").velocity)
        assert lost == pytest.approx(0.5 * MASS * (9.0 - speed**2), rel=1e-9)


@pytest.mark.parametrize("stepper", STEPPERS)
@pytest.mark.parametrize("slip", [2e-3, 1e-5])
def test_slip_and_rise_time_hold_the_load(slip: float, stepper: str) -> None:
    """The effort rises by its bound at most, and ends at the load; the speed at w - xi F."""
    h = 1e-3
    simulator = cart(
        h, stepper, target=1.0, slip=slip, max_effort=2000.0, rise_time=0.2, max_acceleration=1.0
    )
    efforts = []
    for _ in range(4000):
        simulator.step()
        efforts.append(float(simulator.observe().drive("drive").effort))
    assert np.abs(np.diff(efforts)).max() <= 2000.0 * h / 0.2 + 1e-6
    assert efforts[-1] == pytest.approx(-PULL, rel=1e-6)
    assert simulator.observe().drive("drive").velocity == pytest.approx(1.0 + PULL * slip, rel=1e-6)
