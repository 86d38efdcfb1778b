"""Wheels fixed to bodies that turn on hinges: the rope drives these, and they the rope."""

import math

import numpy as np
import pytest

from cable_sim import Anchor, Body, Box, Cable, Drive, Joint, Scene, Simulator, Sphere
from cable_sim.spec import Wheel

G = 9.81
DT = 1.0 / 60.0
EA = 2e7
RADIUS = 0.5
INERTIA = 20.0


def atwood(
    left: float = 60.0,
    right: float = 40.0,
    friction: float = 0.5,
    drives: tuple[Drive, ...] = (),
    spin: float = 0.0,
    hinge: dict | None = None,
    **rope,
) -> Scene:
    """Two weights over a wheel on a hinge, whose angle grows as the left one rises.

    The weights start with the ``spin`` of the wheel [rad/s].
    """
    bodies = [
        Body(
            name,
            mass,
            shape=Box(0.3, 0.3, 0.5),
            position=(x, 0.0, -9.25),
            velocity=(0.0, 0.0, -2.0 * x * RADIUS * spin),
        )
        for name, mass, x in (("left", left, -RADIUS), ("right", right, RADIUS))
    ]
    bodies.append(Body("sheave", 50.0, inertia=(12, INERTIA, 12), angular_velocity=(0, spin, 0)))
    axle = Joint("axle", "hinge", "sheave", axis=(0, 1, 0), **(hinge or {}))
    wheel = Wheel("wheel", "sheave", (0, 0, 0), RADIUS, friction=friction)
    ends = [Anchor(name, (0.0, 0.0, 0.25)) for name in ("left", "right")]
    material = {"ea": EA, "damping_time": 0.01, "pretension": 480.0} | rope
    cable = Cable("rope", [ends[0], wheel, ends[1]], **material)
    return Scene(bodies=bodies, joints=[axle], cables=[cable], drives=drives)


def with_rotor(scene: Scene) -> Scene:
    """The same machine with the wheel's own coordinate in place of hinge and body."""
    first, wheel, last = scene.cables[0].nodes
    rotor = Wheel(**vars(wheel) | {"body": "world", "inertia": INERTIA})
    cable = Cable(**vars(scene.cables[0]) | {"nodes": (first, rotor, last)})
    return Scene(bodies=scene.bodies[:2], cables=[cable])


def run(scene: Scene, time: float, dt: float = DT, **options) -> Simulator:
    """A simulator after some time [s]."""
    simulator = Simulator(scene, dt=dt, **options)
    simulator.step(round(time / dt))
    return simulator


@pytest.mark.parametrize("stepper", ["spook", "regularised"])
def test_a_hinge_turns_on_with_atwood_s_machine(stepper: str) -> None:
    """a = (m1 - m2) g / (m1 + m2 + I / r^2) over many turns, there and back."""
    seen = run(atwood(), 3.5, stepper=stepper).observe()
    a = (60.0 - 40.0) * G / (60.0 + 40.0 + INERTIA / RADIUS**2)
    axle, wheel = seen.joint("axle"), seen.wheel("wheel")
    assert axle.velocity == pytest.approx(-a * seen.time / RADIUS, rel=1e-4)
    assert axle.position < -4.0 * math.pi
    assert wheel.tension_before == pytest.approx(60.0 * (G - a), rel=1e-4)
    assert wheel.tension_behind == pytest.approx(40.0 * (G + a), rel=1e-4)
    assert wheel.wrap == pytest.approx(math.pi, rel=1e-6)
    assert (wheel.slip, seen.report.status) == (0.0, 0)
    assert wheel.heat < 1e-2  # creep


@pytest.mark.parametrize(("ea", "within"), [(1e12, 1e-8), (1e5, 3e-4)])
def test_a_hinge_moves_as_the_wheel_s_own_coordinate_does(ea: float, within: float) -> None:
    """A soft rope shares its length out as it runs over, and creeps a step of 6 cm later."""
    scene = atwood(ea=ea, damping_time=0.03)
    hinged, own = run(scene, 3.5), run(with_rotor(scene), 3.5)
    for name in ("left", "right"):
        found, wanted = (s.observe().body(name) for s in (hinged, own))
        np.testing.assert_allclose(found.position, wanted.position, atol=within)
        np.testing.assert_allclose(found.velocity, wanted.velocity, atol=within)
    found, wanted = (s.observe().wheel("wheel") for s in (hinged, own))
    assert found.tension_before == pytest.approx(wanted.tension_before, rel=within)
    assert found.heat == pytest.approx(wanted.heat, rel=0.01, abs=1e-6)
    turned = RADIUS * hinged.observe().joint("axle").position
    assert wanted.rim_position == pytest.approx(turned, abs=within)


def test_a_spring_on_the_hinge_swings_the_weights() -> None:
    """The period is 2 pi sqrt((I + 2 m r^2) / k), with swings of more than a turn either way."""
    stiffness = 30.0
    mode = math.sqrt(stiffness / (INERTIA + 2.0 * 50.0 * RADIUS**2))
    scene = atwood(50.0, 50.0, hinge={"stiffness": stiffness}, spin=8.0 * mode, friction=2.0)
    simulator = run(scene, 0.25 * 2.0 * math.pi / mode, dt=1e-3)
    assert simulator.observe().joint("axle").position == pytest.approx(8.0, rel=1e-4)
    simulator.step(round(math.pi / mode / 1e-3))
    seen = simulator.observe()
    assert seen.joint("axle").position == pytest.approx(-8.0, rel=1e-3)
    assert seen.wheel("wheel").slip == 0.0


def test_a_drive_on_the_hinge_hoists() -> None:
    """The motor holds r (m1 - m2) g, and the left weight rises by r times the angle."""
    drives = (Drive("motor", "axle", target=2.0, max_acceleration=4.0),)
    seen = run(atwood(drives=drives), 8.0).observe()
    angle = seen.joint("axle").position
    assert angle > 4.0 * math.pi
    assert seen.drive("motor").effort == pytest.approx(RADIUS * 20.0 * G, rel=1e-5)
    assert seen.body("left").position[2] == pytest.approx(RADIUS * angle - 9.25, abs=1e-2)


def test_an_end_stop_of_the_hinge_holds_the_weights() -> None:
    """It takes over r (m1 - m2) g after more than a turn."""
    scene = atwood(hinge={"lower": -7.0}, friction=0.5, pretension=600.0)
    seen = run(scene, 6.0).observe()
    assert seen.joint("axle").position == pytest.approx(-7.0, abs=1e-4)
    wheel = seen.wheel("wheel")
    assert wheel.tension_before == pytest.approx(60.0 * G, rel=1e-5)
    assert wheel.tension_behind == pytest.approx(40.0 * G, rel=1e-5)
    assert seen.energy.kinetic < 1e-6


def test_a_rope_slips_on_a_wheel_that_is_turned_too_fast() -> None:
    """T2 = T1 exp(mu pi) on the side that it hauls at, however far the wheel has turned."""
    friction = 0.1
    drives = (Drive("motor", "axle", target=30.0, max_acceleration=100.0),)
    seen = run(atwood(50.0, 50.0, friction, drives), 0.8).observe()
    wheel = seen.wheel("wheel")
    rho = math.exp(friction * math.pi)
    a = G * (rho - 1.0) / (rho + 1.0)
    assert seen.joint("axle").position > 4.0 * math.pi
    assert wheel.tension_before / wheel.tension_behind == pytest.approx(rho, rel=1e-7)
    assert seen.body("left").velocity[2] == pytest.approx(a * seen.time, rel=2e-2)
    assert wheel.slip == pytest.approx(
        seen.body("left").velocity[2] - RADIUS * seen.joint("axle").velocity, rel=1e-2
    )


@pytest.mark.parametrize("hinged", [("return",), ("drive",), ("return", "drive")])
def test_hinges_turn_with_an_endless_rope(hinged: tuple[str, ...]) -> None:
    """The drive feels (I1 + I2) a / R, whichever of the wheels is a body on a hinge."""
    bodies, joints, wheels = [], [], []
    for name, x, inertia in (("return", 0.0, 100.0), ("drive", 100.0, 200.0)):
        wheel = {"name": name, "radius": 1.0, "axis": (0, 0, 1), "friction": 0.4}
        if name in hinged:
            bodies.append(Body(f"{name}_body", 50.0, inertia=(90, 90, inertia), position=(x, 0, 0)))
            joints.append(Joint(f"{name}_axle", "hinge", bodies[-1].name, point=(x, 0, 0)))
            wheels.append(Wheel(body=bodies[-1].name, position=(0, 0, 0), **wheel))
        else:
            wheels.append(Wheel(body="world", position=(x, 0, 0), inertia=inertia, **wheel))
    rope = Cable("rope", wheels, closed=True, ea=EA, pretension=5000.0, damping_time=0.02)
    on = "drive_axle" if "drive" in hinged else "drive"
    drive = Drive("m", on, target=50.0, max_acceleration=2.0)
    scene = Scene(bodies=bodies, joints=joints, cables=[rope], drives=[drive], gravity=(0, 0, 0))
    seen = run(scene, 8.0).observe()
    wheel = seen.wheel("drive")
    assert seen.report.status == 0
    assert seen.drive("m").effort == pytest.approx(600.0, rel=1e-4)
    assert wheel.tension_before - wheel.tension_behind == pytest.approx(200.0, rel=1e-4)
    assert wheel.tension_before + wheel.tension_behind == pytest.approx(1e4, rel=1e-6)
    speed = seen.joint("return_axle").velocity if "return" in hinged else None
    assert (speed or seen.wheel("return").rim_speed) == pytest.approx(16.0, rel=1e-3)


def test_energy_of_a_bouncing_rope_and_its_heat_add_up() -> None:
    """Without damping nothing is gained, and creep is all that is lost."""
    scene = atwood(friction=0.5, spin=10.0, ea=2e5, damping_time=0.0, pretension=200.0)
    simulator = Simulator(scene, dt=1e-3)
    start = simulator.observe().energy.total
    for _ in range(60):
        simulator.step(10)
        seen = simulator.observe()
        assert seen.energy.total + seen.wheel("wheel").heat == pytest.approx(start, abs=2e-3)
    assert abs(seen.joint("axle").position) > 1.5 * math.pi


def test_a_wheel_on_a_hinge_keeps_the_momentum_of_a_free_machine() -> None:
    """A motor turns it on a carrier in space, between two balls that circle at the rope's ends."""
    spin = 2.0
    carrier = Body("carrier", 5.0, shape=Box(1.0, 0.2, 1.0))
    sheave = Body("sheave", 1.0, inertia=(0.3, 0.5, 0.3), angular_velocity=(0.0, spin, 0.0))
    balls = [
        Body(name, mass, shape=Sphere(0.1), position=(x, 0.0, 0.0), velocity=(0.0, 0.0, -spin * x))
        for name, mass, x in (("a", 2.0, -3.0), ("b", 1.0, 6.0))
    ]
    axle = Joint("axle", "hinge", "sheave", "carrier", axis=(0, 1, 0))
    wheel = Wheel("wheel", "sheave", (0, 0, 0), 0.3, friction=1.0, turns=1)
    cable = Cable("rope", [Anchor("a"), wheel, Anchor("b")], ea=1e5, pretension=24.0)
    motor = Drive("motor", "axle", target=6.0, max_acceleration=6.0)
    scene = Scene(
        bodies=[carrier, sheave, *balls],
        joints=[axle],
        cables=[cable],
        drives=[motor],
        gravity=(0, 0, 0),
    )
    simulator = Simulator(scene, dt=1e-4)
    spins = {"carrier": 5.0 * 2.0 / 12.0, "sheave": 0.5, "a": 0.008, "b": 0.004}

    def momentum() -> np.ndarray:
        seen = simulator.observe()
        total = np.zeros(3)
        for body in scene.bodies:
            view = seen.body(body.name)
            total += body.mass * np.array([view.velocity[0], view.velocity[2], 0.0])
            total[2] += body.mass * np.cross(view.position, view.velocity)[1]
            total[2] += spins[body.name] * view.angular_velocity[1]
        return total

    start = momentum()
    for _ in range(10):
        simulator.step(2000)
        np.testing.assert_allclose(momentum(), start, atol=1e-9)
    seen = simulator.observe()
    assert seen.joint("axle").position > 2.0 * math.pi
    assert seen.wheel("wheel").tension_before > 10.0
