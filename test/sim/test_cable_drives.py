"""Drives on cables: the velocity driver alone and combined, as a force and as a position, against
closed forms."""

import dataclasses
import math

import numpy as np
import pytest
from messages import naming
from slow_cases import slow_but

from cable_sim import Simulator
from cable_sim.errors import CommandError
from cable_sim.spec import Anchor, Body, Box, Cable, Drive, Eye, Joint, Scene, Sheave, Winch

H, G = 1e-3, 9.81


def hanging(mass: float = 1.0, slip: float = 0.05, target: float = -0.5, **cable) -> Scene:
    """A load on a rail below the end of a cable with a drive on it."""
    made = {"driven": True} | cable
    return Scene(
        bodies=(Body("load", mass, shape=Box(0.2, 0.2, 0.2), position=(0.0, 0.0, -5.0)),),
        joints=(Joint("guide", "prismatic", "load", point=(0.0, 0.0, -5.0)),),
        cables=(Cable("line", (Anchor("world"), Anchor("load")), **made),),
        drives=(Drive("reel", "line", target=target, slip=slip),),
    )


@pytest.mark.parametrize(
    ("mass", "slip", "target", "stepper"),
    slow_but(
        {(1.0, 0.05, -0.5, "spook"), (40.0, 0.01, 1.5, "regularised")},
        [
            (*case, stepper)
            for case in ((1.0, 0.05, -0.5), (1.0, 0.1, -0.2), (40.0, 0.01, 1.5))
            for stepper in ("spook", "regularised")
        ],
    ),
)
def test_alone_it_follows_the_recurrence(
    mass: float, slip: float, target: float, stepper: str
) -> None:
    """m v' = m g - T, v = w + xi T: by hand, and its end w + xi m g with the time constant xi m.

    ``regularised`` has v+ in the second, ``spook`` the mean of both ends of the step.
    """
    late = 1.0 if stepper == "regularised" else 0.5
    simulator, speed = Simulator(hanging(mass, slip, target), dt=H, stepper=stepper), 0.0
    for _ in range(3000):
        tension = (speed + late * H * G - target) / (slip + late * H / mass)
        tension = max(tension, 0.0)
        speed += H * (G - tension / mass)
        simulator.step()
        seen = simulator.observe()
        assert seen.drive("reel").velocity == pytest.approx(speed, abs=1e-9)
        assert seen.cable("line").tension == pytest.approx(tension, rel=1e-7, abs=1e-7)
        assert seen.drive("reel").effort == pytest.approx(-tension, rel=1e-7, abs=1e-7)
    if 3.0 > 10.0 * slip * mass:
        assert speed == pytest.approx(target + slip * mass * G, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize(("gravity", "rate"), [(10.0, 0.0), (9.81, -0.0095)])
def test_misprint_12_the_published_lift_is_marginal(gravity: float, rate: float) -> None:
    scene = dataclasses.replace(hanging(1.0, 0.05, -0.5), gravity=(0.0, 0.0, -gravity))
    simulator = Simulator(scene, dt=0.01)
    simulator.step(200)
    assert simulator.observe().drive("reel").velocity == pytest.approx(rate, abs=1e-9)


def test_a_stiff_driver_is_a_rate() -> None:
    """Slip zero: the path changes at the commanded rate, from the first step on, and the ramp is
    kept; it comes evenly within that step."""
    simulator = Simulator(hanging(7.0, 0.0, -0.3), dt=H)
    simulator.step(1000)
    path = 5.0 - 0.3 * (1.0 - 0.5 * H)
    assert simulator.observe().cable("line").length == pytest.approx(path, abs=1e-9)
    ramped = dataclasses.replace(hanging().drives[0], slip=0.0, max_acceleration=0.2)
    simulator = Simulator(dataclasses.replace(hanging(), drives=(ramped,)), dt=H)
    simulator.step(1000)
    assert simulator.observe().drive("reel").velocity == pytest.approx(-0.2, abs=1e-9)


def test_slip_and_speed_change_while_it_runs() -> None:
    simulator = Simulator(hanging(1.0, 0.1, -0.2), dt=H)
    simulator.step(2000)
    assert simulator.observe().drive("reel").velocity == pytest.approx(-0.2 + 0.1 * G, rel=1e-6)
    simulator.command("reel", -1.0, slip=0.02)
    simulator.step(2000)
    assert simulator.observe().drive("reel").velocity == pytest.approx(-1.0 + 0.02 * G, rel=1e-6)
    for bad in (-1e-9, math.nan, math.inf):
        with pytest.raises(CommandError, match=naming("drive 'reel' slip 0 above")):
            simulator.command("reel", 0.0, slip=bad)
    simulator.reset()
    assert simulator._control.drives.slip[0] == 0.1


def test_combined_with_the_elastic_row_the_tensions_add() -> None:
    """Spring and driver side by side: T = k (S - L) + (dS/dt - w) / xi; at rest the driver pulls
    with -w / xi."""
    stiffness, slip, target, mass = 2000.0, 0.02, -0.5, 10.0
    scene = hanging(mass, slip, target, driven=False, stiffness=stiffness, length=5.0)
    simulator = Simulator(scene, dt=H)
    simulator.step(20000)
    seen = simulator.observe()
    assert seen.cable("line").tension == pytest.approx(mass * G, rel=1e-9)
    assert -seen.drive("reel").effort == pytest.approx(-target / slip, rel=1e-9)
    assert seen.cable("line").length - 5.0 == pytest.approx(
        (mass * G + target / slip) / stiffness, rel=1e-7
    )


def test_a_driver_pulls_only_and_lets_a_slack_cable_be() -> None:
    """Paying out faster than the load falls, it carries nothing; the elastic row of a combined
    cable as little."""
    simulator = Simulator(hanging(1.0, 0.05, 30.0), dt=H)
    simulator.step(500)
    seen = simulator.observe()
    assert seen.cable("line").tension == 0.0 and seen.cable("line").slack
    assert not seen.drive("reel").saturated
    assert seen.body("load").velocity[2] == pytest.approx(-0.5 * G, rel=1e-9)
    pushed = Simulator(hanging(1.0, 0.05, 30.0, pulls_only=False), dt=H)
    pushed.step(5)
    assert pushed.observe().cable("line").tension < 0.0


def test_as_a_torque_and_as_a_position() -> None:
    """By effort the cable pulls with what it is told, never pushes; by position the path goes to
    its length."""
    simulator = Simulator(hanging(1.0), dt=H)
    simulator.command("reel", -12.0, "effort")
    simulator.step(500)
    seen = simulator.observe()
    assert seen.cable("line").tension == pytest.approx(12.0)
    assert seen.body("load").velocity[2] == pytest.approx(0.5 * (12.0 - G), rel=1e-9)
    simulator.command("reel", 12.0, "effort")
    simulator.step(10)
    assert simulator.observe().cable("line").tension == 0.0
    drive = Drive("reel", "line", "position", target=3.0, max_speed=0.8, max_acceleration=0.5)
    simulator = Simulator(dataclasses.replace(hanging(), drives=(drive,)), dt=H)
    simulator.step(8000)
    assert simulator.observe().cable("line").length == pytest.approx(3.0, abs=1e-4)
    assert simulator.drives["reel"].position == pytest.approx(
        simulator.observe().drive("reel").position, abs=1e-12
    )


def test_a_brake_on_a_cable_holds_up_to_its_bound() -> None:
    drive = dataclasses.replace(hanging().drives[0], slip=0.0, brake_effort=8.0)
    simulator = Simulator(dataclasses.replace(hanging(1.0), drives=(drive,)), dt=H)
    simulator.command("reel", 0.0, brake=True)
    simulator.step(1000)
    seen = simulator.observe()
    assert seen.cable("line").tension == pytest.approx(8.0)
    assert seen.drive("reel").saturated
    assert seen.body("load").velocity[2] == pytest.approx(-(G - 8.0), rel=1e-9)


@pytest.mark.parametrize("speed", [-0.4, 0.4])
def test_sheave_friction_lives_on_the_drivers_tension(speed: float) -> None:
    """Over a sheave of efficiency 0.9 the tension at the first node is 1 / 0.9 of the load lifting,
    0.9 lowering."""
    scene = Scene(
        bodies=(Body("load", 5.0, shape=Box(0.2, 0.2, 0.2), position=(0.0, 0.0, -6.0)),),
        joints=(Joint("guide", "prismatic", "load", point=(0.0, 0.0, -6.0)),),
        cables=(
            Cable(
                "line",
                (
                    Anchor("world", (-3.0, 0.0, -3.0)),
                    Sheave("world", efficiency=0.9),
                    Anchor("load"),
                ),
                driven=True,
            ),
        ),
        drives=(Drive("reel", "line", target=speed, slip=1e-6),),
    )
    simulator = Simulator(scene, dt=H)
    simulator.step(3000)
    tension = simulator.observe().cable("line").span_tension
    assert tension[1] == pytest.approx(5.0 * G, rel=1e-3)
    assert tension[0] == pytest.approx(tension[1] * (1.0 / 0.9 if speed < 0.0 else 0.9), rel=1e-3)
    assert simulator.report.status == 0


@pytest.mark.parametrize("speed", [-0.4, 0.4])
@pytest.mark.parametrize("winch", [False, True])
def test_friction_goes_on_from_the_end_that_is_driven(winch: bool, speed: float) -> None:
    """Three falls over two sheaves: the load is 1 + r + r^2 times the pull at the first node, with
    r the efficiency lifting and its inverse lowering."""
    wound = {"ea": 1e6, "damping_ratio": 0.3, "pretension": 50.0 * G / 3.0}
    rope = wound | {"winch": Winch("reel", mass=100.0)} if winch else {"driven": True}
    nodes = (
        Anchor("world", (-0.2, 0.0, 0.0)),
        Sheave("load", (-0.2, 0.0, 0.0), efficiency=0.9),
        Sheave("world", efficiency=0.9),
        Anchor("load"),
    )
    scene = Scene(
        bodies=(Body("load", 50.0, shape=Box(0.4, 0.4, 0.4), position=(0.0, 0.0, -9.0)),),
        joints=(Joint("guide", "prismatic", "load", point=(0.0, 0.0, -9.0)),),
        cables=(Cable("line", nodes, **rope),),
        drives=(Drive("hoist", "reel" if winch else "line", target=speed, slip=1e-6),),
    )
    simulator = Simulator(scene, dt=H)
    simulator.step(6000)
    tension = simulator.observe().cable("line").span_tension
    ratio = 0.9 if speed < 0.0 else 1.0 / 0.9
    assert tension / tension[0] == pytest.approx([1.0, ratio, ratio**2], rel=1e-3)
    assert tension.sum() == pytest.approx(50.0 * G, rel=1e-3)
    assert simulator.report.status == 0


def test_three_kinds_of_winch_agree_where_they_should() -> None:
    """A rest-length winch, a driver with slip in its stiff limit and a winch held by its torque
    lift alike."""
    mass, ea, speed = 100.0, 1e6, -0.5
    body = Body("load", mass, shape=Box(0.4, 0.4, 0.4), position=(0.0, 0.0, -10.0))
    guide = Joint("guide", "prismatic", "load", point=(0.0, 0.0, -10.0))
    nodes = (Anchor("world"), Anchor("load"))

    def rope(**more) -> Cable:
        return Cable("rope", nodes, ea=ea, pretension=mass * G, damping_ratio=0.5, **more)

    winch = Winch("winch", 50.0)
    by_length = Scene(
        bodies=(body,),
        joints=(guide,),
        cables=(rope(winch=winch),),
        drives=(Drive("hoist", "winch", target=speed),),
    )
    by_slip = dataclasses.replace(
        by_length, drives=(Drive("hoist", "winch", target=speed - 1e-4 * mass * G, slip=1e-4),)
    )
    by_torque = dataclasses.replace(
        by_length,
        drives=(Drive("hoist", "winch", "effort", target=-mass * G),),
        cables=(rope(winch=dataclasses.replace(winch, rate=speed)),),
        bodies=(dataclasses.replace(body, velocity=(0.0, 0.0, -speed)),),
    )
    driver = dataclasses.replace(
        by_length,
        cables=(Cable("rope", nodes, driven=True),),
        drives=(Drive("hoist", "rope", target=speed),),
    )
    rises = []
    for scene in (by_length, by_slip, by_torque, driver):
        simulator = Simulator(scene, dt=H)
        simulator.step(4000)
        rises.append(simulator.observe().body("load").position[2] + 10.0)
        assert simulator.observe().body("load").velocity[2] == pytest.approx(-speed, rel=2e-3)
        assert simulator.observe().cable("rope").tension == pytest.approx(mass * G, rel=2e-3)
    assert rises == pytest.approx([2.0] * 4, abs=0.01)


def test_a_trolley_rolls_along_a_driven_ropeway() -> None:
    """A body on an eye between two anchors slides while the path has any length; its driver holds
    the rate."""
    scene = Scene(
        bodies=(Body("trolley", 20.0, shape=Box(0.5, 0.5, 0.5), position=(-2.0, 0.0, -1.0)),),
        cables=(
            Cable(
                "ropeway",
                (
                    Anchor("world", (-5.0, 0.0, 0.0)),
                    Eye("trolley"),
                    Anchor("world", (5.0, 0.0, 0.0)),
                ),
                driven=True,
            ),
        ),
        drives=(Drive("reel", "ropeway"),),
    )
    simulator = Simulator(scene, dt=H)
    length, energy = simulator.observe().cable("ropeway").length, simulator.observe().energy.total
    farthest = -2.0
    for _ in range(600):
        simulator.step(10)
        seen = simulator.observe()
        assert seen.cable("ropeway").length == pytest.approx(length, abs=2e-3)
        farthest = max(farthest, seen.body("trolley").position[0])
    assert farthest == pytest.approx(2.0, abs=0.02)
    assert seen.energy.total == pytest.approx(energy, abs=0.1)
    assert np.ptp(seen.cable("ropeway").span_tension) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("stepper", ["spook", "regularised"])
@pytest.mark.parametrize("heading", [0.0, 0.1, 0.7, 0.25 * math.pi, 2.9])
def test_drive_stalls_at_what_a_joint_holds(heading: float, stepper: str) -> None:
    """It gives its effort to a body that is fixed to the world, however all of it is turned."""
    cos, sin = math.cos(heading), math.sin(heading)

    def turned(x: float, y: float, z: float) -> tuple[float, float, float]:
        return cos * x - sin * y, sin * x + cos * y, z

    turn = (math.cos(0.5 * heading), 0.0, 0.0, math.sin(0.5 * heading))
    scene = Scene(
        bodies=(
            Body(
                "load",
                75.0,
                shape=Box(0.4, 0.3, 0.2),
                position=turned(-3.0, 2.96, 3.67),
                orientation=turn,
            ),
        ),
        joints=(
            Joint("hold", "fixed", "load", point=turned(-2.2, 3.7, 3.1), axis=turned(0, 1, 0)),
        ),
        cables=(
            Cable(
                "line",
                (Anchor("world", turned(-3.6, 0.9, 21.4)), Anchor("load", (-0.19, 0.11, -0.15))),
                driven=True,
            ),
        ),
        drives=(Drive("reel", "line", target=-0.03, max_effort=7000.0),),
    )
    simulator = Simulator(scene, dt=H, stepper=stepper)
    assert simulator.observe().tension("line") == pytest.approx(7000.0, rel=1e-9)
    for _ in range(5):
        assert simulator.step().status == 0
        assert simulator.observe().tension("line") == pytest.approx(7000.0, rel=1e-9)
