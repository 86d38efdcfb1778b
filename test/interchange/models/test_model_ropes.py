"""Spatial tendons and actuators of MJCF as ropes and drives, beside MuJoCo and by hand."""

import math

import numpy as np
import pytest
from messages import naming
from model_files import PULLEY
from transforms3d.quaternions import rotate_vector

from cable_sim import Scene, Simulator

mujoco = pytest.importorskip("mujoco", reason="needs mujoco (extra `models`)")
read_model = pytest.importorskip("cable_sim.interchange.models.read").read_model


def read(folder, text: str, **options):
    """Return the scene of a text, and its notes as one text."""
    path = folder / "model.xml"
    path.write_text(text)
    scene, notes = read_model(path, **options)
    return scene, "\n".join(map(str, notes))


def together(text: str, scene: Scene, names, seconds: float, dt: float, commands=()) -> float:
    """Run MuJoCo with small Runge-Kutta steps beside a scene; return the largest distance [m]."""
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.timestep, model.opt.integrator = 0.1 * dt, mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(model)
    simulator = Simulator(scene, dt=dt)
    for number, (drive, value) in enumerate(commands):
        simulator.command(drive, value * (3.0 if drive == "torque" else 1.0))
        data.ctrl[number] = value
    worst = 0.0
    for _ in range(10):
        stride = round(0.1 * seconds / dt)
        simulator.step(stride)
        mujoco.mj_step(model, data, 10 * stride)
        mujoco.mj_kinematics(model, data)
        seen = simulator.observe()
        away = [np.subtract(seen.body(n).position, data.body(n).xipos) for n in names]
        worst = max(worst, float(np.linalg.norm(away, axis=1).max()))
    return worst


def test_a_tendon_over_a_cylinder_is_a_rope_over_a_wheel(tmp_path) -> None:
    scene, notes = read(tmp_path, PULLEY)
    (rope,) = scene.cables
    first, wheel, last = rope.nodes
    assert (first.body, wheel.body, last.body) == ("arm", "world", "load")
    assert (rope.stiffness, rope.length, rope.damping_time) == (2000.0, 1.57, 0.0025)
    assert wheel.radius == 0.1 and wheel.friction == 0.0
    np.testing.assert_allclose(wheel.axis, (0.0, 1.0, 0.0), atol=1e-12)  # over the top, to +x
    np.testing.assert_allclose(first.position, (0.15, 0.0, 0.0), atol=1e-12)
    assert "torque" in notes and "3 times ctrl" in notes


def test_arm_rope_wheel_and_actuators_move_as_in_mujoco(tmp_path) -> None:
    scene, _ = read(tmp_path, PULLEY)
    commands = [("torque", 0.5), ("servo", 0.2), ("brake", 0.1)]
    assert together(PULLEY, scene, ["arm", "load"], 2.0, 2.5e-4, commands) < 1e-6


def test_a_bound_of_a_servo_holds_as_in_mujoco(tmp_path) -> None:
    text = PULLEY.replace('forcerange="-50 50"', 'forcerange="-1 1"')
    scene, _ = read(tmp_path, text)
    (servo,) = (drive for drive in scene.drives if drive.name == "servo")
    assert servo.max_effort == 1.0
    assert together(text, scene, ["arm"], 1.0, 2.5e-4, [("torque", 0.0), ("servo", 1.0)]) < 1e-4


def test_drives_have_the_constants_of_their_servos(tmp_path) -> None:
    gears = PULLEY.replace('kp="10" kv="1"', 'kp="10" kv="1" gear="2"')
    scene, _ = read(tmp_path, gears)
    motor, servo, brake = scene.drives
    assert (motor.mode, motor.max_effort) == ("effort", 6.0)
    assert (servo.mode, servo.slip, servo.damping_time) == ("position", 0.25, 0.1)
    assert servo.max_effort == 100.0
    assert (brake.mode, brake.slip) == ("speed", 2.0)


def test_a_servo_without_damping_gets_some_and_says_so(tmp_path) -> None:
    scene, notes = read(tmp_path, PULLEY.replace('kp="10" kv="1"', 'kp="10"'))
    assert scene.drives[1].damping_time == 0.002
    assert naming("actuator 'servo' kv 0.02").search(notes)


SITES = """<mujoco>
  <option><flag contact="disable"/></option>
  <worldbody>
    <site name="a" pos="0 0 2"/><site name="b" pos="0.4 0 2"/>
    <geom name="ball" type="sphere" size="0.1" pos="0.2 0 1.0" contype="0" conaffinity="0"/>
    <geom name="bar" type="cylinder" size="0.05 0.3" pos="5 0 1" euler="90 0 0"/>
    <body name="load" pos="0.2 0 1"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="2"/>
      <site name="c" pos="-0.1 0 0.1"/><site name="d" pos="0.1 0 0.1"/></body>
  </worldbody>
  <tendon>TENDON</tendon>
  <actuator>ACTUATOR</actuator>
</mujoco>
"""
SPAN = math.hypot(0.1, 0.9)
"""Length from a site above to one on the load [m]."""


def with_parts(tendon: str, actuator: str = "") -> str:
    """Return a load under two sites with a tendon and an actuator."""
    return SITES.replace("TENDON", tendon).replace("ACTUATOR", actuator)


def test_a_pulley_of_divisor_1_leaves_out_the_way_between(tmp_path) -> None:
    text = with_parts(
        """<spatial name="two" stiffness="500" springlength="0 1.75"><site site="a"/>
        <site site="c"/><pulley divisor="1"/><site site="d"/><site site="b"/></spatial>"""
    )
    scene, _ = read(tmp_path, text)
    (rope,) = scene.cables
    assert [node.kind for node in rope.nodes] == ["anchor", "eye", "eye", "anchor"]
    assert rope.length == pytest.approx(1.75 + 0.2)
    assert together(text, scene, ["load"], 1.0, 2.5e-4) < 1e-5


@pytest.mark.parametrize(
    ("tendon", "told"),
    [
        (
            """<spatial name="t" stiffness="5"><site site="a"/><site site="c"/>
            <pulley divisor="2"/><site site="d"/><site site="b"/></spatial>""",
            "tendon 't' left out divisor 2 allowed 1",
        ),
        (
            """<spatial name="t" stiffness="5"><site site="a"/><site site="c"/>
            <pulley divisor="1"/><site site="a"/><site site="d"/></spatial>""",
            "tendon 't' left out sites load world",
        ),
        ('<spatial name="t"><site site="a"/><site site="c"/></spatial>', "'t' nothing pulls"),
        (
            '<spatial name="t" damping="3"><site site="a"/><site site="c"/></spatial>',
            "'t' damping 3 no stiffness",
        ),
        (
            """<spatial name="t" stiffness="5" springlength="0 2"><site site="a"/>
            <geom geom="ball"/><site site="c"/></spatial>""",
            "tendon 't' geom 'ball' left out",
        ),
        (
            """<spatial name="t" stiffness="5" springlength="0.5 2"><site site="a"/>
            <site site="c"/></spatial>""",
            "tendon 't' pulls only 0.5",
        ),
    ],
)
def test_what_no_rope_says_is_left_out_by_name(tmp_path, tendon, told) -> None:
    _, notes = read(tmp_path, with_parts(tendon))
    assert naming(told).search(notes)


def test_a_tendon_of_one_length_is_a_rod(tmp_path) -> None:
    text = with_parts(
        """<spatial name="rod" stiffness="900" springlength="1.0"><site site="a"/>
        <site site="c"/></spatial>"""
    )
    scene, _ = read(tmp_path, text)
    assert not scene.cables[0].pulls_only
    assert together(text, scene, ["load"], 0.5, 2.5e-4) < 1e-5


def test_a_range_is_a_rope_that_does_not_stretch(tmp_path) -> None:
    text = with_parts(
        """<spatial name="t" limited="true" range="0 1.2"><site site="a"/><site site="c"/>
        </spatial>"""
    )
    scene, _ = read(tmp_path, text)
    (rope,) = scene.cables
    assert (rope.ea, rope.stiffness, rope.length) == (None, None, 1.2)
    simulator = Simulator(scene)
    simulator.step(1500)
    load = simulator.observe().body("load")
    end = np.add(load.position, rotate_vector((-0.1, 0.0, 0.1), load.orientation))
    assert math.dist(end, (0.0, 0.0, 2.0)) < 1.2 + 1e-6


def test_an_actuator_on_a_tendon_is_a_drive_on_a_driven_cable(tmp_path) -> None:
    """A force of -30 N on its length pulls by 30 N, as in MuJoCo."""
    text = with_parts(
        '<spatial name="t"><site site="a"/><site site="c"/></spatial>',
        '<motor name="pull" tendon="t" ctrlrange="-40 0"/>',
    )
    scene, _ = read(tmp_path, text)
    (cable,), (drive,) = scene.cables, scene.drives
    assert cable.driven and drive.on == cable.name and drive.max_effort == 40.0
    assert together(text, scene, ["load"], 0.5, 2.5e-4, [("pull", -30.0)]) < 1e-5


def test_what_a_rope_may_come_to_touch_is_an_obstacle(tmp_path) -> None:
    """It touches the bar that it is not on at the start."""
    scene, _ = read(
        tmp_path,
        with_parts(
            """<spatial name="t" stiffness="5" springlength="0 2"><site site="a"/>
            <geom geom="bar"/><site site="c"/></spatial>"""
        ),
    )
    (rope,) = scene.cables
    (obstacle,) = (one for one in scene.obstacles if one.name in rope.touches)
    assert obstacle.shape.radius == 0.05 and not obstacle.stops_bodies


def test_ropes_slack_and_taut_swing_as_in_mujoco(tmp_path) -> None:
    """It falls by 0.1 m before the rope is tight, and bounces."""
    text = with_parts(
        f"""<spatial name="t" stiffness="4000" springlength="0 {SPAN + 0.1}"><site site="a"/>
        <site site="c"/></spatial>"""
    )
    scene, _ = read(tmp_path, text)
    assert together(text, scene, ["load"], 1.0, 1e-4) < 1e-3
