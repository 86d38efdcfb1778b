"""Friction of joints: viscous and dry, against closed forms."""

import math
from typing import Any

import numpy as np
import pytest

from cable_sim import Body, Box, Drive, Joint, Scene, Simulator, Sphere
from cable_sim.errors import SpecError
from cable_sim.kernels.status import SOLVED
from cable_sim.spec.files import parse_spec, to_yaml

STEPPERS = ["spook", "regularised"]
KINDS = ["prismatic", "hinge"]
MASS = 2.0
SHAPE = Box(0.4, 0.2, 0.1)
SPEED = 1.5
"""Mass [kg], its shape, and the rate at the start [m/s or rad/s]."""


def inertia(kind: str) -> float:
    """Mass or moment of inertia about x of the body."""
    return MASS if kind == "prismatic" else SHAPE.inertia(MASS)[0]


def moving(kind: str, h: float, stepper: str, rate: float = SPEED, **friction: Any) -> Simulator:
    """A body on a joint along x, without gravity."""
    along = (rate, 0.0, 0.0)
    given = {"velocity": along} if kind == "prismatic" else {"angular_velocity": along}
    scene = Scene(
        bodies=(Body("body", MASS, shape=SHAPE, **given),),
        joints=(Joint("joint", kind, "body", axis=(1.0, 0.0, 0.0), **friction),),
        gravity=(0.0, 0.0, 0.0),
    )
    return Simulator(scene, dt=h, stepper=stepper)


def read(simulator: Simulator, end: float) -> np.ndarray:
    """Coordinate and rate after a time."""
    simulator.step(round(end / simulator.dt))
    seen = simulator.observe().joint("joint")
    return np.array([seen.position, seen.velocity])


@pytest.mark.parametrize("stepper", STEPPERS)
@pytest.mark.parametrize("kind", KINDS)
def test_viscous_friction_decays_exponentially(kind: str, stepper: str) -> None:
    tau = 0.4
    gone = 1.0 - math.exp(-1.0 / tau)
    exact = np.array([SPEED * tau * gone, SPEED * (1.0 - gone)])
    errors = [
        read(moving(kind, h, stepper, damping=inertia(kind) / tau), 1.0) - exact
        for h in (0.02, 0.01)
    ]
    order = 2.0 if stepper == "spook" else 1.0
    assert np.log2(np.abs(errors[0] / errors[1])) == pytest.approx(order, abs=0.05)
    assert np.abs(errors[1]).max() < (1e-4 if stepper == "spook" else 0.02)


@pytest.mark.parametrize("stepper", STEPPERS)
@pytest.mark.parametrize("kind", KINDS)
def test_dry_friction_slows_evenly_to_a_stop(kind: str, stepper: str) -> None:
    slowing = 1.3
    h = 0.01
    simulator = moving(kind, h, stepper, dry_friction=slowing * inertia(kind))
    assert read(simulator, 0.5)[1] == pytest.approx(SPEED - 0.5 * slowing, rel=1e-9)
    place, rate = read(simulator, 1.5)
    late = slowing * h * h / 8.0 if stepper == "spook" else SPEED * h
    assert place == pytest.approx(SPEED**2 / (2.0 * slowing), abs=late)
    assert rate == pytest.approx(0.0, abs=1e-12)
    assert read(simulator, 10.0)[0] == pytest.approx(place, abs=1e-11)


def test_both_frictions_stop_where_they_should() -> None:
    """M dv/dt = -c v - F: rest after (M / c) log(1 + c v / F)."""
    c = 3.0
    dry = 2.0
    tau = MASS / c
    end = tau * math.log(1.0 + c * SPEED / dry)
    way = (SPEED + dry / c) * tau * (1.0 - math.exp(-end / tau)) - dry / c * end
    errors = [
        read(moving("prismatic", h, "spook", damping=c, dry_friction=dry), 2.0)[0] - way
        for h in (0.02, 0.01)
    ]
    assert abs(errors[0]) < 2e-4 and abs(errors[1]) < 5e-5


@pytest.mark.parametrize("stepper", STEPPERS)
@pytest.mark.parametrize("kind", KINDS)
def test_dry_friction_holds_below_its_bound_and_gives_it_above(kind: str, stepper: str) -> None:
    bound = 5.0
    simulator = moving(kind, 1e-3, stepper, rate=0.0, dry_friction=bound)
    for load, gained in ((0.98 * bound, 0.0), (-1.5 * bound, -0.5 * bound)):
        wrench = (load, 0.0, 0.0)
        linear = kind == "prismatic"
        simulator.push(
            "body",
            wrench if linear else (0.0, 0.0, 0.0),
            torque=((0.0, 0.0, 0.0) if linear else wrench),
        )
        place, rate = read(simulator, 1.0)
        assert rate == pytest.approx(gained / inertia(kind), rel=1e-6, abs=1e-11)
    assert simulator.report.status == SOLVED


def test_a_stuck_joint_bears_its_load() -> None:
    """The friction is part of what the joint's parent does to the child."""
    simulator = moving("prismatic", 1e-3, "spook", rate=0.0, dry_friction=5.0)
    simulator.push("body", (3.0, 0.0, 0.0))
    read(simulator, 0.1)
    assert simulator.observe().joint("joint").force == pytest.approx((-3.0, 0.0, 0.0), abs=1e-9)


def test_a_ball_joint_is_damped_about_every_axis() -> None:
    shape = Sphere(0.3)
    moment = shape.inertia(MASS)[0]
    spin = (1.0, -2.0, 0.5)
    scene = Scene(
        bodies=(Body("body", MASS, shape=shape, angular_velocity=spin),),
        joints=(Joint("joint", "ball", "body", damping=moment / 0.4),),
        gravity=(0.0, 0.0, 0.0),
    )
    simulator = Simulator(scene, dt=0.01)
    simulator.step(100)
    found = simulator.observe().body("body").angular_velocity
    assert found == pytest.approx(np.array(spin) * math.exp(-1.0 / 0.4), rel=1e-3)


def test_a_drive_bears_the_friction_of_its_joint() -> None:
    """In motion its effort is F + c v. At rest both hold, and bear the load by some shares."""
    scene = Scene(
        bodies=(Body("cart", 100.0, shape=SHAPE),),
        joints=(
            Joint("rail", "prismatic", "cart", axis=(1, 0, 0), damping=40.0, dry_friction=60.0),
        ),
        drives=(Drive("drive", "rail", target=0.5, max_acceleration=1.0),),
    )
    simulator = Simulator(scene)
    simulator.step(1000)
    assert simulator.observe().drive("drive").effort == pytest.approx(60.0 + 20.0, rel=1e-6)
    simulator.command("drive", 0.0)
    simulator.step(1000)
    place = simulator.observe().drive("drive").position
    simulator.push("cart", (30.0, 0.0, 0.0))
    simulator.step(1000)
    seen = simulator.observe().drive("drive")
    assert seen.position == pytest.approx(place, abs=1e-12)
    assert abs(seen.effort + 30.0) < 60.0 + 1e-6
    assert simulator.report.status == SOLVED


@pytest.mark.parametrize(("bound", "holds"), [(1.02, True), (0.9, False)])
def test_a_trolley_that_sticks_on_a_slewing_jib_stays(bound: float, holds: bool) -> None:
    """It goes outward once m R W^2 is more than its dry friction."""
    radius = 20.0
    spin = 0.2
    trolley = 300.0
    scene = Scene(
        bodies=(
            Body("jib", 5000.0, shape=Box(40.0, 1.0, 1.0), angular_velocity=(0.0, 0.0, spin)),
            Body(
                "trolley",
                trolley,
                shape=Box(1.0, 1.0, 1.0),
                position=(radius, 0.0, 0.0),
                velocity=(0.0, radius * spin, 0.0),
                angular_velocity=(0.0, 0.0, spin),
            ),
        ),
        joints=(
            Joint("slewing", "hinge", "jib"),
            Joint(
                "rails",
                "prismatic",
                "trolley",
                "jib",
                axis=(1.0, 0.0, 0.0),
                dry_friction=bound * trolley * radius * spin**2,
            ),
        ),
        drives=(Drive("slew", "slewing", target=spin),),
        gravity=(0.0, 0.0, 0.0),
    )
    simulator = Simulator(scene, dt=0.01)
    simulator.step(1000)
    place = float(simulator.observe().joint("rails").position)
    assert abs(place) < 1e-6 if holds else place > 0.5


def test_an_open_joint_has_no_friction() -> None:
    simulator = moving("prismatic", 1e-3, "spook", dry_friction=50.0, damping=9.0, open=True)
    simulator.step(500)
    assert simulator.observe().body("body").velocity[0] == pytest.approx(SPEED, rel=1e-12)


def test_friction_goes_through_a_file() -> None:
    joint = Joint("joint", "hinge", "body", damping=3.0, dry_friction=4.0)
    assert parse_spec(to_yaml(joint), Joint) == joint


@pytest.mark.parametrize(
    ("kind", "friction"),
    [("ball", "dry_friction"), ("fixed", "dry_friction"), ("fixed", "damping")],
)
def test_friction_where_nothing_moves_is_refused(kind: str, friction: str) -> None:
    with pytest.raises(SpecError, match=friction):
        Joint("joint", kind, "body", **{friction: 1.0})
