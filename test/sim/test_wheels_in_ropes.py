"""Wheels in massless ropes: stick, slip, inertia, drive and energy in closed form, at 1/60 s."""

import math

import numpy as np
import pytest
from messages import naming

from cable_sim import Anchor, Body, Box, Cable, Drive, Eye, Joint, Scene, Simulator, Sphere, Winch
from cable_sim.errors import ModelError, SpecError
from cable_sim.kernels.status import CATCH_MISSED, LIFTED_OFF
from cable_sim.sim.simulator import explain
from cable_sim.spec import Lumped, Sheave, Wheel

G = 9.81
DT = 1.0 / 60.0
EA = 2e7
RADIUS = 0.5


def atwood(
    left: float = 60.0,
    right: float = 40.0,
    inertia: float | None = 20.0,
    friction: float = 0.5,
    drives: tuple[Drive, ...] = (),
    **rope,
) -> Scene:
    """Two weights over a wheel; the rope turns by half a circle towards the right one."""
    weights = [
        Body(name, mass, shape=Box(0.3, 0.3, 0.5), position=(x, 0.0, -5.25))
        for name, mass, x in (("left", left, -RADIUS), ("right", right, RADIUS))
    ]
    wheel = Wheel("wheel", "world", (0, 0, 0), RADIUS, friction=friction, inertia=inertia)
    ends = [Anchor(name, (0.0, 0.0, 0.25)) for name in ("left", "right")]
    material = {"ea": EA, "damping_time": 0.01, "pretension": 480.0} | rope
    cable = Cable("rope", [ends[0], wheel, ends[1]], **material)
    return Scene(bodies=weights, cables=[cable], drives=drives)


def run(scene: Scene, time: float, **options) -> Simulator:
    """A simulator after some time [s]."""
    simulator = Simulator(scene, **({"dt": DT} | options))
    simulator.step(round(time / simulator.dt))
    return simulator


@pytest.mark.parametrize("stepper", ["spook", "regularised"])
def test_heavy_wheel_slows_atwood_s_machine(stepper: str) -> None:
    """a = (m1 - m2) g / (m1 + m2 + I / r^2), and the tensions m (g -+ a)."""
    seen = run(atwood(), 1.0, stepper=stepper).observe()
    a = (60.0 - 40.0) * G / (60.0 + 40.0 + 20.0 / RADIUS**2)
    wheel = seen.wheel("wheel")
    assert -seen.body("left").velocity[2] == pytest.approx(a, rel=1e-4)
    assert wheel.rim_speed == pytest.approx(-a, rel=1e-4)
    assert wheel.tension_before == pytest.approx(60.0 * (G - a), rel=1e-4)
    assert wheel.tension_behind == pytest.approx(40.0 * (G + a), rel=1e-4)
    assert wheel.slip == 0.0
    assert wheel.heat < 1e-2  # creep


@pytest.mark.parametrize(
    ("friction", "inertia"), [(0.05, 20.0), (0.05, None), (0.3, None), (2.0, None)]
)
def test_slipping_rope_has_the_ratio_of_euler_and_eytelwein(friction, inertia) -> None:
    """T1 = T2 exp(mu pi), so a = g (m1 - rho m2) / (m1 + rho m2), whatever the wheel does."""
    rho = math.exp(friction * math.pi)
    right = 40.0 if friction < 0.1 else 48.0 / rho
    simulator = Simulator(atwood(60.0, right, inertia, friction), dt=DT)
    for _ in range(20):
        simulator.step(3)
        seen = simulator.observe()
        wheel = seen.wheel("wheel")
        assert seen.report.status == 0
        assert wheel.slip < 0.0
        assert wheel.tension_before / wheel.tension_behind == pytest.approx(rho, rel=1e-7)
    a = G * (60.0 - rho * right) / (60.0 + rho * right)
    assert -seen.body("left").velocity[2] == pytest.approx(a * seen.time, rel=1e-3)
    if inertia:
        rim = (1.0 - rho) * right * (G + a) / (inertia / RADIUS**2)
        assert wheel.rim_speed == pytest.approx(rim * seen.time, rel=2e-3)


@pytest.mark.parametrize(("part", "slips"), [(0.999, False), (1.001, True)])
def test_slip_begins_at_the_ratio(part: float, slips: bool) -> None:
    """On a wheel that stands, 60 kg hold against 60 / rho, to a thousandth."""
    friction = 0.2
    right = 60.0 / math.exp(friction * math.pi) / part
    seen = run(atwood(60.0, right, None, friction, pretension=500.0), 3.0).observe()
    moved = abs(seen.body("left").velocity[2])
    assert (moved > 1e-3) == slips


def test_what_sticks_does_not_creep() -> None:
    simulator = run(atwood(60.0, 40.0, None, 0.2), 10.0)
    first = simulator.observe().body("left").position[2]
    simulator.step(600)
    assert simulator.observe().body("left").position[2] == pytest.approx(first, abs=1e-9)


def test_parts_of_a_stuck_rope_hang_each_on_its_own_length() -> None:
    """Half of the rope to each side of a wheel that stands: its stretch is T / EA of that half."""
    seen = run(atwood(60.0, 40.0, None, 1.0, ea=1e5, damping_time=0.03), 10.0).observe()
    arc = 0.5 * math.pi * RADIUS
    half = (5.0 + arc) / (1.0 + 480.0 / 1e5)
    for name, mass in (("left", 60.0), ("right", 40.0)):
        hangs = half * (1.0 + mass * G / 1e5) - arc
        assert -0.25 - seen.body(name).position[2] == pytest.approx(hangs, abs=1e-7)


def test_a_driven_wheel_lifts_as_far_as_its_friction_goes() -> None:
    """It runs at the drive's speed and needs (m1 - m2) g; beyond the ratio it slips under it."""
    drives = (Drive("motor", "wheel", target=0.5, max_acceleration=1.0),)
    seen = run(atwood(60.0, 40.0, 20.0, 0.5, drives), 2.0).observe()
    assert seen.body("left").velocity[2] == pytest.approx(0.5, abs=1e-5)
    assert seen.drive("motor").effort == pytest.approx(20.0 * G, rel=1e-5)
    seen = run(atwood(60.0, 20.0, 20.0, 0.2, drives), 2.0).observe()
    wheel = seen.wheel("wheel")
    rho = math.exp(0.2 * math.pi)
    assert wheel.rim_speed == pytest.approx(0.5, abs=1e-6)
    assert wheel.slip == pytest.approx(seen.body("left").velocity[2] - 0.5, abs=0.05)
    assert seen.drive("motor").effort == pytest.approx((rho - 1.0) * wheel.tension_behind, rel=1e-5)


@pytest.mark.parametrize("friction", [0.02, 0.5])
def test_energy_and_heat_of_friction_add_up(friction: float) -> None:
    """A bouncing rope without damping: nothing is gained, and what is lost is the friction's heat.

    Its power is the difference of the tensions times the speed of slip, and what creep takes.
    """
    scene = atwood(60.0, 40.0, 10.0, friction, ea=2e5, damping_time=0.0, pretension=200.0)
    simulator = Simulator(scene, dt=1e-3)
    start = simulator.observe().energy.total
    work = creep = 0.0
    for _ in range(500):
        simulator.step()
        seen = simulator.observe()
        wheel = seen.wheel("wheel")
        difference = wheel.tension_behind - wheel.tension_before
        work += difference * wheel.slip * simulator.dt
        creep += difference**2 / (2.0 * 2e5) * abs(wheel.rim_speed) * simulator.dt
        assert seen.energy.total + wheel.heat == pytest.approx(start, abs=1e-4)
    assert (wheel.heat > 3.0) == (friction < 0.1)
    assert wheel.heat == pytest.approx(work + creep, rel=1e-2 if work == 0.0 else 1e-6)


def test_a_passive_wheel_gains_no_energy_at_a_coarse_step() -> None:
    """Thrown about at 1/60 s with EA 2e7, slack and taut in turn."""
    scene = atwood(60.0, 55.0, 5.0, 0.1, damping_time=0.0)
    thrown = Body("left", 60.0, shape=Sphere(0.2), position=(-0.5, 0.0, -5.25), velocity=(2, 1, 3))
    simulator = Simulator(Scene(bodies=[thrown, scene.bodies[1]], cables=scene.cables), dt=DT)
    start = simulator.observe().energy.total
    for _ in range(150):
        simulator.step()
        seen = simulator.observe()
        assert seen.energy.total < start + 1e-9 * abs(start)
        assert seen.report.status & ~CATCH_MISSED == 0


def test_wheels_in_a_row_slip_together() -> None:
    """Three bollards: the ratios multiply, and the solver finds them."""
    posts = [Wheel(f"p{i}", "world", (2.0 * i, 0, 0), 0.2, friction=0.3) for i in range(3)]
    weights = [
        Body("left", 300.0, shape=Sphere(0.2), position=(-0.2, 0.0, -5.0)),
        Body("right", 10.0, shape=Sphere(0.2), position=(4.2, 0.0, -5.0)),
    ]
    cable = Cable("rope", [Anchor("left"), *posts, Anchor("right")], ea=EA, damping_time=0.01)
    seen = run(Scene(bodies=weights, cables=[cable]), 0.5).observe()
    found = [seen.wheel(f"p{i}") for i in range(3)]
    assert [wheel.wrap for wheel in found] == pytest.approx([0.5 * math.pi, 0.0, 0.5 * math.pi])
    for wheel in found:
        ratio = wheel.tension_before / wheel.tension_behind
        assert ratio == pytest.approx(math.exp(0.3 * wheel.wrap), rel=1e-6)
    assert seen.report.status == 0


def test_turns_on_a_capstan_multiply_the_hold() -> None:
    """Three more turns: mu (pi + 6 pi), a ratio of 27, to a millionth at the coarse step."""
    wheel = Wheel("post", "world", (0, 0, 0), RADIUS, friction=0.15, turns=3)
    scene = atwood(600.0, 0.1)
    cable = Cable(
        "rope",
        [scene.cables[0].nodes[0], wheel, scene.cables[0].nodes[2]],
        ea=EA,
        damping_time=0.01,
    )
    seen = run(Scene(bodies=scene.bodies, cables=[cable]), 0.3).observe()
    post = seen.wheel("post")
    assert post.wrap == pytest.approx(7.0 * math.pi)
    assert post.tension_before / post.tension_behind == pytest.approx(
        math.exp(0.15 * 7.0 * math.pi), rel=1e-6
    )


def test_a_wheel_on_a_free_body_keeps_its_momentum() -> None:
    """In space: what the rope does at the rim, at both tangents, adds up to nothing."""
    carrier = Body("carrier", 5.0, shape=Box(1.0, 0.2, 1.0), position=(0.1, 0.0, 0.2))
    balls = [
        Body("a", 2.0, shape=Sphere(0.1), position=(-3.0, 0.0, -1.0), velocity=(-1.0, 0.0, 0.5)),
        Body("b", 1.0, shape=Sphere(0.1), position=(2.0, 0.0, -2.0), velocity=(1.0, 0.0, -2.0)),
    ]
    wheel = Wheel("wheel", "carrier", (0.1, 0.0, 0.1), 0.3, friction=0.2, inertia=0.05)
    cable = Cable("rope", [Anchor("a"), wheel, Anchor("b")], stiffness=2e3, pretension=50.0)
    scene = Scene(bodies=[carrier, *balls], cables=[cable], gravity=(0, 0, 0))
    simulator = Simulator(scene, dt=1e-3)

    def momentum() -> np.ndarray:
        seen = simulator.observe()
        bodies = [(seen.body(body.name), body.mass) for body in scene.bodies]
        linear = sum(mass * view.velocity for view, mass in bodies)
        orbital = sum(mass * np.cross(view.position, view.velocity)[1] for view, mass in bodies)
        spin = (5.0 * (1.0 + 1.0) / 12.0) * seen.body("carrier").angular_velocity[1]
        spin += sum(0.4 * 0.01 * m * v.angular_velocity[1] for v, m in bodies[1:])
        return np.append(linear, orbital + spin)

    start = momentum()
    heat = 0.0
    for _ in range(30):
        simulator.step(10)
        np.testing.assert_allclose(momentum(), start, atol=2e-4)
        heat = simulator.observe().wheel("wheel").heat
    assert heat > 0.0


def test_a_slack_rope_does_not_drive_and_gets_taut_again() -> None:
    """The right weight is thrown up: the wheel runs on alone, then the rope catches it."""
    scene = atwood(60.0, 40.0, 20.0, 0.5)
    thrown = Body("right", 40.0, shape=Sphere(0.2), position=(0.5, 0, -5.25), velocity=(0, 0, 4))
    simulator = Simulator(Scene(bodies=[scene.bodies[0], thrown], cables=scene.cables), dt=DT)
    slack = False
    for _ in range(120):
        simulator.step()
        seen = simulator.observe()
        if seen.cable("rope").slack:
            slack = True
            assert seen.wheel("wheel").tension_before == 0.0
    assert slack
    assert not seen.cable("rope").slack
    assert seen.wheel("wheel").tension_before > 100.0


def test_a_winch_hauls_over_a_wheel_with_losses() -> None:
    """An efficiency in place of friction: the winch feels W / eta, whatever the wrap."""
    cable = Cable(
        "rope",
        [
            Anchor("world", (-3.0, 0.0, -2.0)),
            Wheel("wheel", "world", (0, 0, 0), 0.3, efficiency=0.9),
            Anchor("load", (0.0, 0.0, 0.2)),
        ],
        ea=EA,
        damping_time=0.01,
        winch=Winch("winch", 500.0),
        pretension=1000.0,
    )
    load = Body("load", 100.0, shape=Sphere(0.2), position=(0.3, 0.0, -6.0))
    drive = Drive("hoist", "winch", target=-0.5, max_acceleration=1.0)
    seen = run(Scene(bodies=[load], cables=[cable], drives=[drive]), 3.0).observe()
    assert seen.body("load").velocity[2] == pytest.approx(0.5, rel=1e-4)
    assert seen.cable("rope").tension == pytest.approx(100.0 * G / 0.9, rel=1e-5)
    assert seen.wheel("wheel").slip == pytest.approx(-0.5, rel=1e-4)


def test_ropes_on_one_shaft_share_its_inertia_and_drive() -> None:
    """Two ropes of 30 and 20 kg each over one wheel move as one of 60 and 40 kg."""
    bodies, cables = [], []
    for i in range(2):
        scene = atwood(30.0, 20.0)
        names = {name: f"{name}{i}" for name in ("left", "right")}
        for body in scene.bodies:
            x, y, z = body.position
            bodies.append(Body(names[body.name], body.mass, shape=body.shape, position=(x, i, z)))
        ends = [Anchor(names[name], (0.0, 0.0, 0.25)) for name in names]
        wheel = Wheel("wheel", "world", (0, i, 0), RADIUS, friction=0.5, inertia=20.0)
        cables.append(Cable(f"rope{i}", [ends[0], wheel, ends[1]], ea=EA, damping_time=0.01))
    seen = run(Scene(bodies=bodies, cables=cables), 1.0).observe()
    assert seen.wheel("rope0.wheel").rim_speed == pytest.approx(-20.0 * G / 180.0, rel=1e-4)
    assert -seen.body("left1").velocity[2] == pytest.approx(20.0 * G / 180.0, rel=1e-4)


def test_the_sparse_solver_finds_the_same() -> None:
    one, other = (run(atwood(60.0, 20.0, 20.0, 0.1), 0.3, solver=s) for s in ("envelope", "sparse"))
    a, b = (np.array(s.observe().wheel("wheel")) for s in (one, other))
    np.testing.assert_allclose(a, b, rtol=1e-7)


def test_channels_of_wheels() -> None:
    simulator = run(atwood(60.0, 20.0, 20.0, 0.1), 0.3)
    wheel = simulator.observe().wheel("wheel")
    names = ["slip", "tension_before", "tension_behind", "wrap", "heat"]
    recording = simulator.record([f"wheel.{name}" for name in names])
    assert recording.rows[0, 1:].tolist() == [getattr(wheel, name) for name in names]
    path = simulator.observe().cable("rope")
    assert path.length == pytest.approx(
        -0.5
        - sum(simulator.observe().body(n).position[2] for n in ("left", "right"))
        + RADIUS * math.pi,
        abs=1e-6,
    )


ENDS = Anchor("world", (-1.0, 0.0, -2.0)), Anchor("ball")
WHEEL = Wheel("wheel", "world", (0, 0, 0), 0.3, friction=0.2, inertia=1.0)
BAD = {
    "friction efficiency": lambda: Wheel("w", "world", (0, 0, 0), 0.3),
    "direction": lambda: Wheel("w", "world", (0, 0, 0), 0.3, (0, 0, 0), friction=0.1),
    "rate 2 wheel fixed body": lambda: Wheel("w", "world", (0, 0, 0), 0.3, friction=0.1, rate=2.0),
    "lumped wheel 'wheel'": lambda: Cable(
        "rope", [ENDS[0], WHEEL, ENDS[1]], ea=1e5, lumped=Lumped(4, density=1.0)
    ),
    "sheave losses": lambda: Cable(
        "rope", [ENDS[0], WHEEL, Sheave("world", (1, 0, 0), 0.9), ENDS[1]], ea=1e5
    ),
    "carries torque": lambda: Cable("rope", [ENDS[0], WHEEL, ENDS[1]], ea=1e5, gj=10.0),
    "first last node hold ends": lambda: Cable("rope", [WHEEL, ENDS[1]], ea=1e5),
}


@pytest.mark.parametrize("message", BAD)
def test_wheels_that_can_not_be_are_refused(message: str) -> None:
    with pytest.raises(SpecError, match=naming(message)):
        BAD[message]()


def test_wheels_of_one_name_are_alike() -> None:
    ball = Body("ball", 1.0, shape=Sphere(0.1), position=(1.0, 0.0, -2.0))
    other = Wheel("wheel", "world", (0, 1, 0), 0.3, friction=0.2, inertia=2.0)
    cables = [Cable(f"r{i}", [ENDS[0], w, ENDS[1]]) for i, w in enumerate((WHEEL, other))]
    with pytest.raises(SpecError, match=naming("wheel 'wheel' inertia 2.0 1.0")):
        Scene(bodies=[ball], cables=cables)
    with pytest.raises(SpecError, match=naming("name 'wheel'")):
        Scene(bodies=[ball], joints=[Joint("wheel", "hinge", "ball")], cables=[cables[0]])


@pytest.mark.parametrize(
    ("position", "axis", "message"),
    [
        ((0.2, 0.0, 0.1), (0, 1, 0), "0.2236 m plane wheel 'wheel'"),
        ((-1.0, 0.0, 2.6), (0, 1, 0), "right-handed axis turn"),
    ],
)
def test_a_rope_that_can_not_lie_on_its_wheel_is_refused(position, axis, message) -> None:
    ball = Body("ball", 1.0, shape=Sphere(0.1), position=position)
    wheel = Wheel("wheel", "world", (0, 0, 0), 0.3, axis, friction=0.2)
    cable = Cable("rope", [ENDS[0], wheel, ENDS[1]], ea=1e5)
    with pytest.raises(ModelError, match=naming(message)):
        Simulator(Scene(bodies=[ball], cables=[cable]))


def test_an_eye_between_wheels_bends_the_rope() -> None:
    """The rope through an eye has one tension on both sides of it."""
    nodes = [ENDS[0], WHEEL, Eye("world", (1.0, 0.0, 0.8)), ENDS[1]]
    ball = Body("ball", 10.0, shape=Sphere(0.1), position=(1.0, 0.0, -2.0))
    seen = run(Scene(bodies=[ball], cables=[Cable("rope", nodes, ea=1e5, damping_time=0.05)]), 2.0)
    tension = seen.observe().cable("rope").span_tension
    assert tension[1] == tension[2]
    assert tension[2] == pytest.approx(98.1, rel=1e-3)


def test_a_rope_that_lifts_off_is_told() -> None:
    """The ball is thrown over the wheel: the rope would leave it."""
    ball = Body(
        "ball", 10.0, shape=Sphere(0.1), position=(3.0, 0.0, -0.5), velocity=(0.0, 0.0, 12.0)
    )
    wheel = Wheel("wheel", "world", (0, 0, 0), 0.3, friction=0.2)
    cable = Cable("rope", [Anchor("world", (-3.0, 0, -1.0)), wheel, Anchor("ball")], ea=1e6)
    simulator = Simulator(Scene(bodies=[ball], cables=[cable], gravity=(0, 0, 0)), dt=2e-3)
    assert simulator.step().status == 0
    told = [simulator.step(10).status for _ in range(30)]
    assert LIFTED_OFF in told
    assert simulator.observe().wheel("wheel").wrap < 0.0
    assert naming("lifted wheel").search(explain(LIFTED_OFF))
