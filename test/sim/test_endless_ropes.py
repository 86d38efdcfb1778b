"""Endless ropes over wheels, and the machines of the catalogue that live by friction."""

import math

import numpy as np
import pytest
from messages import naming

from cable_sim import Cable, Drive, Eye, Scene, Simulator, Sphere, load_scene
from cable_sim.errors import SpecError
from cable_sim.kernels.status import OVERHAULED
from cable_sim.sim.simulator import explain
from cable_sim.spec import Anchor, Body, Joint, Wheel, Winch
from cable_sim.spec.files import parse_spec, to_yaml

G = 9.81
DT = 1.0 / 60.0


def loop(friction: float = 0.3, first: float = 0.4, drive: Drive | None = None) -> Scene:
    """An endless rope between two wheels of 1 m, 100 m apart, with 100 and 200 kg m^2."""
    wheels = (
        Wheel("return", "world", (0, 0, 0), 1.0, (0, 0, 1), friction=first, inertia=100.0),
        Wheel("drive", "world", (100, 0, 0), 1.0, (0, 0, 1), friction=friction, inertia=200.0),
    )
    rope = Cable("rope", wheels, closed=True, ea=2e7, pretension=5000.0, damping_time=0.02)
    return Scene(cables=(rope,), drives=(drive,) if drive else ())


def after(scene: Scene, time: float) -> Simulator:
    """A simulator after some time [s] at 1/60 s."""
    simulator = Simulator(scene, dt=DT)
    simulator.step(round(time / DT))
    return simulator


def test_an_endless_rope_turns_both_wheels() -> None:
    """The drive feels (I1 + I2) a / R, the rope's parts differ by I1 a / R, and keep their mean."""
    seen = after(loop(drive=Drive("m", "drive", target=5.0, max_acceleration=0.5)), 4.0).observe()
    first, drive = seen.wheel("return"), seen.wheel("drive")
    assert seen.report.status == 0
    assert seen.drive("m").effort == pytest.approx(150.0, rel=1e-4)
    assert drive.tension_before - drive.tension_behind == pytest.approx(50.0, rel=1e-4)
    assert drive.tension_before + drive.tension_behind == pytest.approx(1e4, rel=1e-6)
    assert (first.tension_before, first.tension_behind) == (
        drive.tension_behind,
        drive.tension_before,
    )
    assert first.rim_speed == pytest.approx(2.0, rel=1e-3)
    assert seen.cable("rope").length == pytest.approx(200.0 + 2.0 * math.pi, rel=1e-9)


def test_a_drive_slips_under_an_endless_rope() -> None:
    """Beyond F = 2 T tanh(mu pi / 2) it pulls no more: the return wheel gets F R^2 / I."""
    force = 1e4 * math.tanh(0.01 * math.pi / 2.0)
    seen = after(
        loop(0.01, drive=Drive("m", "drive", target=50.0, max_acceleration=20.0)), 2.0
    ).observe()
    drive = seen.wheel("drive")
    assert drive.tension_before - drive.tension_behind == pytest.approx(force, rel=1e-4)
    assert drive.tension_before / drive.tension_behind == pytest.approx(
        math.exp(0.01 * math.pi), rel=1e-9
    )
    assert seen.wheel("return").rim_speed == pytest.approx(force / 100.0 * seen.time, rel=1e-3)
    assert drive.slip < -30.0


def test_a_first_wheel_that_does_not_hold_is_told() -> None:
    drive = Drive("m", "drive", target=50.0, max_acceleration=5.0)
    assert after(loop(0.5, 0.02, drive), 0.5).step().status == OVERHAULED
    assert "first wheel" in explain(OVERHAULED)


def test_a_free_loop_runs_on_and_gains_nothing() -> None:
    """Wheels of 100 and 200 kg m^2 started apart come to one speed, and lose only by friction."""
    scene = loop(0.02)
    wheels = scene.cables[0].nodes
    nodes = (wheels[0], Wheel(**{**vars(wheels[1]), "rate": 3.0}))
    rope = Cable("rope", nodes, closed=True, ea=2e7, pretension=5000.0, damping_time=0.02)
    simulator = Simulator(Scene(cables=(rope,)), dt=DT)
    start = before = simulator.observe().energy.total
    for _ in range(120):
        simulator.step()
        seen = simulator.observe()
        found = [seen.wheel(name) for name in ("return", "drive")]
        assert seen.report.status == 0
        assert seen.energy.total <= before + 1e-6
        before = seen.energy.total
        assert 100.0 * found[0].rim_speed + 200.0 * found[1].rim_speed == pytest.approx(
            600.0, rel=1e-3
        )
    assert [wheel.rim_speed for wheel in found] == pytest.approx([2.0, 2.0], rel=1e-3)
    assert seen.energy.kinetic == pytest.approx(600.0, rel=1e-3)
    assert sum(wheel.heat for wheel in found) == pytest.approx(start - before, rel=1e-2)


def test_a_loop_with_an_eye_and_a_hanging_wheel_carries_its_load() -> None:
    """A block with a wheel hangs in the loop: both falls have half of its weight."""
    block = Body("block", 100.0, shape=Sphere(0.2), position=(2.0, 0.0, -4.0))
    nodes = (
        Wheel("left", "world", (0, 0, 0), 0.3, friction=0.3, inertia=2.0),
        Eye("world", (1.7, 0.0, 0.3)),
        Wheel("low", "block", (0, 0, 0), 0.3, (0, -1, 0), friction=0.3, inertia=1.0),
        Wheel("right", "world", (2.6, 0.0, 0.0), 0.3, friction=0.3, inertia=2.0),
        Eye("world", (1.3, 0.0, -8.0)),
    )
    rope = Cable("rope", nodes, closed=True, ea=1e6, pretension=490.5, damping_time=0.05)
    guide = Joint("guide", "prismatic", "block", point=(2.0, 0, -4.0), axis=(0, 0, 1))
    seen = after(Scene(bodies=(block,), joints=(guide,), cables=(rope,)), 6.0).observe()
    view = seen.cable("rope")
    assert abs(seen.body("block").velocity[2]) < 1e-3
    upward = view.node_force[2]
    assert upward[2] == pytest.approx(100.0 * G, rel=1e-3)
    np.testing.assert_allclose(view.node_force.sum(axis=0), 0.0, atol=1e-6)


def test_the_drawn_rope_lies_on_its_wheels() -> None:
    """The curve is closed, straight between the wheels, and a radius off their centres there."""
    view = Simulator(loop(), dt=DT).observe().cable("rope")
    np.testing.assert_allclose(view.curve[0], view.curve[-1], atol=1e-12)
    radii = np.minimum(*(np.linalg.norm(view.curve - (x, 0, 0), axis=1) for x in (0.0, 100.0)))
    np.testing.assert_allclose(radii, 1.0, atol=1e-12)
    assert len(view.curve_nodes) == len(view.span_tension) + 1 == 3
    np.testing.assert_allclose(view.curve[view.curve_nodes[1]], (101.0, 0.0, 0.0), atol=1e-12)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ((Eye("world"), Wheel("w", "world", (1, 0, 0), 0.1, friction=0.1)), "wheel"),
        (
            (Wheel("w", "world", (1, 0, 0), 0.1, friction=0.1), Anchor("world")),
            "runs wheels eyes sheaves anchor",
        ),
        (tuple(Wheel("w", "world", (x, 0, 0), 0.1, friction=0.1) for x in (0, 1)), "'w'"),
    ],
)
def test_endless_ropes_that_can_not_be_are_refused(nodes, message: str) -> None:
    with pytest.raises(SpecError, match=naming(message)):
        Cable("rope", nodes, ea=1e5, closed=True)


def test_an_endless_rope_has_no_winch() -> None:
    with pytest.raises(SpecError, match=naming("end pay")):
        Cable("rope", loop().cables[0].nodes, ea=1e5, closed=True, winch=Winch("winch"))


def test_the_elevator_s_motor_holds_the_difference() -> None:
    """At its speed, from a file: (car - weight) g, and half of the tensioner on the lower rope."""
    scene = parse_spec(to_yaml(load_scene("traction_elevator")), Scene)
    seen = after(scene, 8.0).observe()
    assert seen.report.status == 0
    assert seen.body("car").velocity[2] == pytest.approx(1.6, rel=1e-4)
    assert seen.drive("motor").effort == pytest.approx(300.0 * G, rel=1e-4)
    assert seen.cable("compensation_rope").tension == pytest.approx(100.0 * G, rel=1e-4)
    assert seen.wheel("sheave").wrap + seen.wheel("deflector").wrap == pytest.approx(math.pi)
    assert seen.body("tensioner").position[2] == pytest.approx(-45.0, abs=0.02)


@pytest.mark.parametrize(("acceleration", "slips"), [(0.80, False), (0.95, True)])
def test_the_friction_hoist_slips_where_it_should(acceleration: float, slips: bool) -> None:
    """Beyond 0.88 m/s^2; a motor that jumps to its acceleration makes the rope swing, so slowly."""
    scene = load_scene("friction_hoist", acceleration=acceleration)
    motor = Drive(**{**vars(scene.drives[0]), "max_jerk": 0.3})
    seen = after(Scene(**{**vars(scene), "drives": (motor,)}), 7.0).observe()
    wheel = seen.wheel("koepe_wheel")
    assert (abs(wheel.slip) > 0.05) == slips
    ratio = 22.0 * (G + 0.8) / (12.0 * (G - 0.8))
    expected = math.exp(0.25 * math.pi) if slips else ratio
    assert wheel.tension_before / wheel.tension_behind == pytest.approx(expected, rel=2e-3)


def test_the_haul_rope_keeps_its_tension() -> None:
    """The carriage stands; the drive runs the rope, and the return wheel follows."""
    seen = after(load_scene("haul_rope"), 20.0).observe()
    assert seen.report.status == 0
    assert seen.wheel("return").rim_speed == pytest.approx(5.0, rel=1e-3)
    assert np.linalg.norm(seen.body("carriage").velocity) < 1e-2
    haul = seen.cable("haul_rope").span_tension.sum()
    slope = math.atan2(60.0, 200.0)
    way = seen.cable("tension_rope").node_position
    pull = seen.cable("tension_rope").tension
    along = np.array([math.cos(slope), 0.0, math.sin(slope)])
    away = (way[0] - way[1]) / np.linalg.norm(way[0] - way[1])
    expected = 1500.0 * G * math.sin(slope) + pull * (away @ along)
    assert haul == pytest.approx(expected, rel=5e-3)


def test_the_capstan_lifts_with_a_small_pull() -> None:
    simulator = after(load_scene("capstan_winch"), 2.0)
    seen = simulator.observe()
    assert seen.body("load").velocity[2] == pytest.approx(0.3, rel=1e-2)
    assert seen.wheel("drum").slip == 0.0
    assert seen.wheel("drum").tension_behind == pytest.approx(6.0 * G, rel=1e-2)
    seen = after(load_scene("capstan_winch", turns=2), 0.6).observe()
    drum = seen.wheel("drum")
    assert drum.slip < -0.1
    assert drum.tension_before / drum.tension_behind == pytest.approx(
        math.exp(0.2 * 5.0 * math.pi), rel=1e-6
    )
