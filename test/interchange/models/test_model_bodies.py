"""Links and joints of models: beside MuJoCo, beside a parser of URDF by others, and by hand."""

import math
from pathlib import Path

import numpy as np
import pytest
from messages import naming
from model_files import ARM_SDF, ARM_URDF
from transforms3d.euler import euler2mat

from cable_sim import ConfigError, Scene, Simulator
from cable_sim.spec.files import parse_spec, to_yaml

mujoco = pytest.importorskip("mujoco", reason="needs mujoco (extra `models`)")
pytest.importorskip("rod", reason="needs rod (extra `models`)")
read_model = pytest.importorskip("cable_sim.interchange.models.read").read_model
compare = pytest.importorskip("benchmarks.models").compare


def read(folder: Path, text: str, name: str = "model.xml", **options):
    """Return the scene of a text, and its notes."""
    path = folder / name
    path.write_text(text)
    return read_model(path, **options)


def line(text: str, part: str) -> int:
    """Return the line in which a part of a text stands."""
    return text.count("\n", 0, text.index(part)) + 1


def test_links_of_urdf_are_those_of_another_parser(tmp_path) -> None:
    """Chained by hand from what urdf_parser_py reads, at the zero of all joints."""
    urdf = pytest.importorskip("urdf_parser_py.urdf")
    scene, _ = read(tmp_path, ARM_URDF, "arm.urdf")
    robot = urdf.URDF.from_xml_string(ARM_URDF.partition("?>")[2])
    place, turn = {"base": np.zeros(3)}, {"base": np.eye(3)}
    for joint in robot.joints:
        rpy = joint.origin.rpy if joint.origin else (0, 0, 0)
        xyz = joint.origin.xyz if joint.origin else (0, 0, 0)
        above = turn[joint.parent]
        place[joint.child] = place[joint.parent] + above @ np.array(xyz or (0, 0, 0))
        turn[joint.child] = above @ euler2mat(*(rpy or (0, 0, 0)), axes="sxyz")
    bodies = {body.name: body for body in scene.bodies}
    assert bodies.keys() == {"upper_arm", "forearm", "flange"}
    for link in robot.links:
        if link.inertial is None:
            continue
        inertial, body = link.inertial, bodies[link.name]
        own = inertial.inertia
        tensor = [
            [own.ixx, own.ixy, own.ixz],
            [own.ixy, own.iyy, own.iyz],
            [own.ixz, own.iyz, own.izz],
        ]
        origin = inertial.origin
        inner = euler2mat(*(origin.rpy if origin and origin.rpy else (0, 0, 0)), axes="sxyz")
        centre = np.array(origin.xyz if origin else (0, 0, 0))
        assert body.mass == inertial.mass
        np.testing.assert_allclose(body.inertia, inner @ tensor @ inner.T, atol=1e-12)
        expected = place[link.name] + turn[link.name] @ centre
        np.testing.assert_allclose(body.position, expected, atol=1e-12)
    for joint in scene.joints[:2]:
        (known,) = (one for one in robot.joints if one.name == joint.name)
        np.testing.assert_allclose(joint.point, place[known.child], atol=1e-12)
        np.testing.assert_allclose(joint.axis, turn[known.child] @ known.axis, atol=1e-12)


def test_joints_of_urdf_have_limits_damping_friction_and_drives(tmp_path) -> None:
    scene, notes = read(tmp_path, ARM_URDF, "arm.urdf")
    shoulder, elbow, weld = scene.joints
    assert (shoulder.kind, shoulder.lower, shoulder.upper) == ("hinge", -2.0, 1.5)
    assert (shoulder.damping, shoulder.dry_friction, shoulder.parent) == (0.5, 0.25, "world")
    assert elbow.upper == math.inf and elbow.damping == 0.2
    assert (weld.kind, weld.child, weld.parent) == ("fixed", "flange", "forearm")
    assert [(d.on, d.mode, d.max_effort, d.max_speed) for d in scene.drives] == [
        ("shoulder", "position", 400.0, 1.0),
        ("elbow", "effort", math.inf, math.inf),
    ]
    told = "\n".join(map(str, notes))
    at = line(ARM_URDF, '<link name="tool"')
    assert naming(f"arm.urdf:{at}: body 'tool' no mass 'forearm'").search(told)
    assert naming(f"arm.urdf:{line(ARM_URDF, '<gazebo')}: gazebo 'forearm' left out").search(told)


def test_what_touches_is_not_drawn_over_what_is_drawn(tmp_path) -> None:
    scene, _ = read(tmp_path, ARM_URDF, "arm.urdf")
    assert {o.body: o.drawn for o in scene.obstacles} == {"world": True, "upper_arm": False}
    assert [(v.body, v.shape.kind) for v in scene.visuals] == [("upper_arm", "cylinder")]


def test_sdf_and_urdf_of_one_arm_are_one_scene(tmp_path) -> None:
    """But for the flange, which the SDF has not."""
    one, _ = read(tmp_path, ARM_URDF, "arm.urdf")
    other, notes = read(tmp_path, ARM_SDF, "arm.sdf")
    for mine, theirs in zip(one.bodies[:2], other.bodies, strict=True):
        assert (mine.name, mine.mass) == (theirs.name, theirs.mass)
        for field in ("position", "orientation", "inertia"):
            np.testing.assert_allclose(getattr(mine, field), getattr(theirs, field), atol=1e-12)
    for mine, theirs in zip(one.joints[:2], other.joints, strict=True):
        for field in ("point", "axis", "damping", "dry_friction", "lower", "upper"):
            np.testing.assert_allclose(getattr(mine, field), getattr(theirs, field), atol=1e-12)
    assert other.collision and other.collision.default.friction == 0.3
    assert naming(f"arm.sdf:{line(ARM_SDF, 'imu')}: sensor 'imu' left out").search(
        "\n".join(map(str, notes))
    )


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("arm.urdf", "<axis xyz", "<safety_controller/><axis xyz", "safety_controller 'shoulder'"),
        ("arm.urdf", "</robot>", '<sensor name="eye"/></robot>', "sensor 'eye'"),
        ("arm.urdf", '<joint name="shoulder"><command', "<joint><command", "effort 400 velocity 1"),
        ("arm.sdf", '<link name="forearm">', '<link name="forearm"><kinematic/>', "'forearm'"),
        ("arm.sdf", "<mu>0.3</mu>", "<mu>0.3</mu><mu2>1</mu2>", "mu2 'tube'"),
        ("arm.sdf", "<upper>1.5</upper>", "<upper>1.5</upper><effort>9</effort>", "effort"),
        ("chain.xml", "<freejoint/>", '<freejoint/><site name="s"/>', "site 's' tendon"),
        ("chain.xml", 'stiffness="3"', 'stiffness="3" armature="0.1"', "'tilt' armature 0.1"),
        ("chain.xml", 'damping="0.3"', 'actuatorfrcrange="-7 7"', "'roll' actuatorfrcrange 7"),
        ("chain.xml", "<keyframe>", '<option density="1.2"/><keyframe>', "density 1.2"),
        ("chain.xml", '"loose"', '"loose" gravcomp="0.5"', "'loose' gravcomp 0.5"),
    ],
)
def test_what_is_not_read_is_noted_with_its_line(tmp_path, name, old, new, told) -> None:
    text = {"arm.urdf": ARM_URDF, "arm.sdf": ARM_SDF, "chain.xml": CHAIN}[name]
    assert old in text
    _, notes = read(tmp_path, text.replace(old, new, 1), name)
    (note,) = (one for one in notes if naming(told).search(str(one)))
    assert note.line in (1, line(text, old)) or "effort 400" in told
    assert note.line > 1 or "density" in told


def test_older_sdf_may_have_axes_in_the_frame_of_the_model(tmp_path) -> None:
    text = ARM_SDF.replace('version="1.7"', 'version="1.5"').replace(' relative_to="elbow"', "")
    text = text.replace('<pose relative_to="upper_arm">0 0 0.8 0 0.3 0</pose>', "")
    text = text.replace("<pose>0 0 0 0 0 0</pose>", "<pose>0 0 0.8 0 0.3 0</pose>")
    text = text.replace("0.8</xyz>", "0.8</xyz><use_parent_model_frame>1</use_parent_model_frame>")
    old, _ = read(tmp_path, text, "old.sdf")
    yaw = euler2mat(0.0, 0.0, 0.4, axes="sxyz")
    np.testing.assert_allclose(old.joints[1].axis, yaw @ (0.6, 0.0, 0.8), atol=1e-12)


def test_loops_of_sdf_are_closed_by_joints(tmp_path) -> None:
    more = """<joint name="strut" type="ball"><parent>world</parent><child>forearm</child>
      <pose>0 0 0.6 0 0 0</pose></joint></model>"""
    scene, notes = read(tmp_path, ARM_SDF.replace("</model>", more), "loop.sdf")
    strut = scene.joints[-1]
    assert (strut.name, strut.kind, strut.child, strut.parent) == (
        "strut",
        "ball",
        "forearm",
        "world",
    )
    forearm = next(body for body in scene.bodies if body.name == "forearm")
    assert math.dist(strut.point, forearm.position) == pytest.approx(math.hypot(0.3, 0.01))
    assert any("closes a loop" in note.problem for note in notes)


CHAIN = """<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <body name="a" pos="0 0 2">
      <joint name="x" type="slide" axis="1 0 0"/>
      <joint name="turn" axis="0 0 1" ref="0.3"/>
      <joint name="tilt" axis="0 1 0" pos="0.1 0 0.1" stiffness="3" springref="0.2" range="-3 3"/>
      <joint name="roll" axis="1 0 0" pos="0 0.2 0" damping="0.3"/>
      <geom type="box" size="0.1 0.2 0.3" mass="2"/>
      <body name="b" pos="0.5 0 0"><joint name="socket" type="ball" damping="0.1"/>
        <geom type="sphere" size="0.1" mass="1"/></body>
    </body>
    <body name="loose" pos="1 1 1"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>
  </worldbody>
  <keyframe><key name="moving" qpos="0.1 0.5 0.2 -0.1 1 0 0 0 1 1 1 1 0 0 0"
    qvel="0.3 0.4 -0.5 0.6 0.1 0.2 0.3 1 2 3 0.1 0.2 0.3"/></keyframe>
</mujoco>
"""


def test_several_joints_of_one_link_get_light_bodies_between(tmp_path) -> None:
    scene, _ = read(tmp_path, CHAIN, keyframe="moving")
    names = [(joint.name, joint.kind, joint.parent, joint.child) for joint in scene.joints]
    assert names == [
        ("x", "prismatic", "world", "x_side"),
        ("turn", "hinge", "x_side", "turn_side"),
        ("tilt", "hinge", "turn_side", "tilt_side"),
        ("roll", "hinge", "tilt_side", "a"),
        ("socket", "ball", "a", "b"),
    ]
    masses = {body.name: body.mass for body in scene.bodies}
    for name in ("x_side", "turn_side", "tilt_side"):
        assert masses[name] == pytest.approx(2e-7)
    assert scene.joints[1].position == 0.5 and scene.joints[2].rest == 0.2


def test_joints_hold_at_once_what_moves_at_a_keyframe(tmp_path) -> None:
    """Both bodies of a hinge or a ball have one velocity at its point; a slide adds its own."""
    scene, _ = read(tmp_path, CHAIN, keyframe="moving")
    bodies = {body.name: body for body in scene.bodies}

    def at(name: str, point) -> np.ndarray:
        body = bodies.get(name)
        if body is None:
            return np.zeros(3)
        arm = np.subtract(point, body.position)
        return np.add(body.velocity, np.cross(body.angular_velocity, arm))

    for joint in scene.joints:
        slip = at(joint.child, joint.point) - at(joint.parent, joint.point)
        rate = 0.3 if joint.name == "x" else 0.0
        np.testing.assert_allclose(slip, rate * np.array(joint.axis), atol=1e-12)


def test_what_moves_at_a_keyframe_goes_on_as_in_mujoco(tmp_path) -> None:
    """First the start: the light bodies move with their joints, so that nothing is corrected."""
    scene, _ = read(tmp_path, CHAIN, keyframe="moving", contact=False)
    simulator = Simulator(scene, dt=2.5e-4)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "model.xml"))
    model.opt.timestep, model.opt.integrator = 2.5e-5, mujoco.mjtIntegrator.mjINT_RK4
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    turn, rate = simulator.observe().joint("turn").position, data.qvel[1]
    simulator.step()
    moved = simulator.observe().joint("turn").position - turn
    assert moved == pytest.approx(rate * 2.5e-4, rel=1e-2)
    simulator.step(3999)
    mujoco.mj_step(model, data, 40_000)
    mujoco.mj_kinematics(model, data)
    seen = simulator.observe()
    for name in ("a", "b", "loose"):
        away = np.subtract(seen.body(name).position, data.body(name).xipos)
        assert np.linalg.norm(away) < 1e-3


def test_a_start_outside_of_a_range_is_moved_into_it(tmp_path) -> None:
    scene, notes = read(tmp_path, CHAIN, start={"tilt": 3.4})
    assert next(joint for joint in scene.joints if joint.name == "tilt").position == 3.0
    assert naming("model.xml:7: joint 'tilt' starts 3.4 range -3 3").search(str(notes[0]))


LOOP = """<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <body name="crank"><joint name="crank" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.2 0 0" size="0.01"/>
      <body name="rod" pos="0.2 0 0"><joint name="rod" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0.6 0 0" size="0.01"/></body></body>
    <body name="slider" pos="0.8 0 0"><joint name="slider" type="slide" axis="1 0 0"/>
      <geom type="box" size="0.05 0.05 0.05"/></body>
    <body name="cap" pos="0.8 0 0.1"><freejoint/>
      <geom type="box" size="0.02 0.02 0.02"/></body>
  </worldbody>
  <equality>
    <connect name="pin" body1="rod" body2="slider" anchor="0.6 0 0"/>
    <weld name="glue" body1="cap" body2="slider"/>
    <joint name="gear" joint1="crank" joint2="rod"/>
  </equality>
</mujoco>
"""


def test_connect_and_weld_are_joints_closed_at_any_start(tmp_path) -> None:
    scene, notes = read(tmp_path, LOOP.replace('<joint name="gear"', '<joint active="false"'))
    pin, glue = scene.joints[-2:]
    assert (pin.kind, glue.kind) == ("ball", "fixed")
    np.testing.assert_allclose(pin.point, (0.8, 0.0, 0.0), atol=1e-12)
    scene, notes = read(
        tmp_path, LOOP.replace('<joint name="gear"', '<joint active="false"'), start={"crank": 0.5}
    )
    slider = next(joint for joint in scene.joints if joint.name == "slider")
    crank = next(joint for joint in scene.joints if joint.name == "crank")
    reach = 0.2 * math.cos(crank.position) + math.sqrt(0.36 - (0.2 * math.sin(crank.position)) ** 2)
    assert abs(crank.position) > 0.1
    assert slider.position == pytest.approx(reach - 0.8, abs=1e-9)
    assert any("to close what is connected" in note.problem for note in notes)


def test_a_weld_to_a_mocap_body_is_left_out_by_name(tmp_path) -> None:
    text = LOOP.replace("<equality>", '<equality><weld name="grip" body1="hand" body2="cap"/>')
    hand = '<body name="hand" mocap="true" pos="0.8 0 0.4"><geom size="0.01"/></body></worldbody>'
    _, notes = read(tmp_path, text.replace("</worldbody>", hand))
    told = "\n".join(map(str, notes))
    assert naming("equality 'grip' left out mocap").search(told)
    assert naming("body 'hand' mocap stands").search(told)


FAR = """<mujoco>
  <worldbody>
    <site name="far" pos="9 9 9"/>
    <body name="a"><joint name="pivot"/><geom type="capsule" fromto="0 0 0 1 0 0" size="0.1"/>
      <site name="tip" pos="1 0 0"/></body>
  </worldbody>
  <equality><connect name="pin" site1="tip" site2="far"/></equality>
</mujoco>
"""


def test_a_connection_that_no_start_closes_is_refused(tmp_path) -> None:
    with pytest.raises(ConfigError, match=naming("model.xml:7: equality 'pin' open keyframe")):
        read(tmp_path, FAR)


def test_an_equality_of_joints_is_left_out_by_name(tmp_path) -> None:
    _, notes = read(tmp_path, LOOP)
    told = "\n".join(map(str, notes))
    assert naming(f"model.xml:{line(LOOP, 'gear')}: equality 'gear' left out joint couples").search(
        told
    )


def test_a_scene_from_a_model_is_the_same_after_yaml(tmp_path) -> None:
    for text, name in ((ARM_URDF, "arm.urdf"), (CHAIN, "chain.xml"), (LOOP, "loop.xml")):
        scene, _ = read(tmp_path, text, name)
        assert parse_spec(to_yaml(scene), Scene) == scene


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("arm.urdf", "robot", "robt", "root element 'robt' known robot URDF sdf mujoco"),
        ("arm.urdf", 'type="revolute"', 'type="rotary"', "joint 'shoulder' type 'rotary' fixed"),
        ("arm.urdf", 'parent link="base"', 'parent link="bse"', "parent 'bse' base upper_arm"),
        ("arm.urdf", 'child link="tool"', 'child link="forearm"', "loop 'forearm' MJCF"),
        ("arm.urdf", '<mass value="8"/>', '<mass value="0"/>', "'upper_arm' mass inertia"),
        (
            "arm.urdf",
            '<cylinder radius="0.05" length="0.8"/>',
            '<mesh filename="package://robot/a.stl"/>',
            "mesh no file 'package://robot/a.stl'",
        ),
        ("arm.sdf", '"elbow" type="revolute"', '"elbow" type="screw"', "'screw' ball"),
        ("arm.sdf", "<child>forearm</child>", "", "forearm"),
        ("arm.sdf", '"1.7"', '"1.4"', "rod read SDF 1.4"),
        ("chain.xml", 'type="ball"', 'type="bal"', "'bal'"),
        ("chain.xml", 'mass="2"', 'mass="0"', "'a' mass inertia"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path, name, old, new, told) -> None:
    text = {"arm.urdf": ARM_URDF, "arm.sdf": ARM_SDF, "chain.xml": CHAIN}[name]
    assert old in text
    with pytest.raises(ConfigError, match=naming(told)) as caught:
        read(tmp_path, text.replace(old, new), name)
    (problem,) = caught.value.problems
    assert problem.file.endswith(name)
    if problem.line == 1:
        assert (
            "known" in told or "SDF" in told or told == "forearm"
        )  # nothing knows of a line there
    else:
        assert abs(problem.line - line(text, old)) <= 5


def test_a_file_that_ends_early_is_refused_by_line(tmp_path) -> None:
    with pytest.raises(ConfigError, match=naming("XML element found")) as caught:
        read(tmp_path, ARM_URDF.replace("</robot>", ""), "arm.urdf")
    assert caught.value.problems[0].line - ARM_URDF.count("\n") in (0, 1)  # where it ends


def test_unknown_starts_are_refused_with_what_is_known(tmp_path) -> None:
    with pytest.raises(ConfigError, match=naming("'tlt' x, turn, tilt")):
        read(tmp_path, CHAIN, start={"tlt": 1.0})
    with pytest.raises(ConfigError, match=naming("keyframe 'home' moving")):
        read(tmp_path, CHAIN, keyframe="home")


def test_what_is_no_solid_is_repaired_and_noted(tmp_path) -> None:
    zero = '<inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/>'
    text = ARM_URDF.replace(
        '<inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/>', zero
    )
    scene, notes = read(tmp_path, text, "arm.urdf")
    flange = next(body for body in scene.bodies if body.name == "flange")
    np.testing.assert_allclose(flange.inertia, np.eye(3) * 0.5 * 0.4e-6)
    assert any(naming("body 'flange' moments no body").search(str(note)) for note in notes)


def test_inertia_of_a_link_without_mass_goes_along(tmp_path) -> None:
    """MuJoCo turns it, too: 0.001 kg m^2 of the flange, which is turned by 0 0 0 here."""
    text = ARM_URDF.replace('<inertial><mass value="0.5"/>', '<inertial><mass value="0"/>')
    with_it, _ = read(tmp_path, text, "arm.urdf")
    without, _ = read(tmp_path, text.replace('"0.001"', '"0"'), "arm.urdf")
    more = np.subtract(with_it.bodies[1].inertia, without.bodies[1].inertia)
    assert len(with_it.bodies) == 2
    np.testing.assert_allclose(more, 0.001 * np.eye(3), atol=1e-15)


def test_moments_that_no_solid_has_are_raised_least(tmp_path) -> None:
    """Of a flat plate by rounding alone, of what is wrong by half of what lacks."""
    text = """<mujoco><worldbody><body name="a"><freejoint/>
      <inertial pos="0 0 0" mass="1" diaginertia="MOMENTS"/></body></worldbody></mujoco>"""
    for given, expected in (
        ("0.1 0.2 0.3000000000000001", (0.1, 0.2, 0.3)),
        ("0.1 0.2 0.4", (0.15, 0.25, 0.4)),
    ):
        scene, notes = read(tmp_path, text.replace("MOMENTS", given))
        np.testing.assert_allclose(np.diag(scene.bodies[0].inertia), expected, rtol=1e-6)
        assert [note.line for note in notes] == [1]


MENAGERIE = (
    "half_cheetah humanoid inverted_double_pendulum reacher swimmer walker2d_v5 point ant"
).split()


@pytest.mark.parametrize("name", MENAGERIE[:3])
def test_robots_swing_as_in_mujoco(name) -> None:
    _compare(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", MENAGERIE[3:])
def test_more_robots_swing_as_in_mujoco(name) -> None:
    _compare(name)


def _compare(name: str) -> None:
    """Compare a robot of Gymnasium's: ``python -m benchmarks.models`` does so for many."""
    gymnasium = pytest.importorskip("gymnasium")
    folder = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"
    found = compare(folder / f"{name}.xml")
    assert max(found.mass, found.inertia, found.frame) < 1e-9
    assert found.swing < 1e-3
