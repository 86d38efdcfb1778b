"""Scenes and cranes as MJCF: the same bodies there and back, and the same motion in MuJoCo."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from messages import naming

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed (extra `models`)")

from cable_sim import (  # noqa: E402
    Anchor,
    Body,
    Box,
    Cable,
    CableSimWarning,
    Collision,
    ConfigError,
    Drive,
    Joint,
    Obstacle,
    Scene,
    Simulator,
    Sphere,
    Surface,
    Wheel,
    Winch,
    export_model,
    load_crane,
    load_scene,
    read_model,
)
from cable_sim.cli import app  # noqa: E402

LEFT, RIGHT = (-0.5, 0.0, -2.0), (0.5, 0.0, -3.0)


def started(path, dt=1e-3):
    """The model and the data of a file, at the start, without the lead of semi-implicit steps."""
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.timestep = dt
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("start").id)
    mujoco.mj_forward(model, data)
    return model, data


def run_both(scene: Scene, path, seconds=2.0, dt=1e-3) -> float:
    """Largest distance of a body's centre here and in MuJoCo in so many seconds [m]."""
    export_model(scene, path)
    model, data = started(path, dt)
    simulator, worst = Simulator(scene, dt=dt), 0.0
    for _ in range(round(seconds / dt / 50)):
        simulator.step(50)
        mujoco.mj_step(model, data, 50)
        for body in scene.bodies:
            there = data.xipos[model.body(body.name).id]
            worst = max(worst, np.linalg.norm(there - simulator.bodies[body.name].position))
    return worst


def double_pendulum() -> Scene:
    """Two skew boxes on hinges that move at the start, with springs, dampers and a tilted axis."""
    turn = (0.9, 0.1, -0.3, 0.2)
    arms = (
        Body("arm", 2.0, shape=Box(0.2, 0.3, 1.0), position=(0, 0, -0.5), orientation=turn),
        Body("hand", 1.0, (0.1, 0.2, 0.15), position=(0.1, 0.2, -1.3)),
    )
    hinges = (
        Joint("shoulder", "hinge", "arm", axis=(0.2, 1.0, 0.1), stiffness=8.0, rest=0.3),
        Joint("elbow", "hinge", "hand", "arm", (0.1, 0.1, -1.0), (1, 0, 0), 0.4, damping=0.2),
    )
    return Scene(bodies=arms, joints=hinges)


def swinging() -> Scene:
    """A load on a rope of some stiffness from a slide that a drive holds, let go aside."""
    bodies = (
        Body("cart", 300.0, shape=Box(1.0, 1.0, 0.4)),
        Body("load", 500.0, shape=Sphere(0.3), position=(1.5, 0.0, -6.0)),
    )
    return Scene(
        bodies=bodies,
        joints=[Joint("rail", "prismatic", "cart", axis=(1, 0, 0), lower=-3.0, upper=9.0)],
        drives=[Drive("travel", on="rail", target=0.4, slip=1e-4)],
        cables=[Cable("rope", [Anchor("cart"), Anchor("load")], ea=2e5, damping_time=0.01)],
    )


def over_a_wheel() -> Scene:
    """Two unequal weights on one rope over a wheel that stands."""
    wheel = Wheel("wheel", "world", (0.0, 0.0, 0.0), 0.5, friction=0.0)
    bodies = (
        Body("left", 22.0, shape=Sphere(0.1), position=LEFT),
        Body("right", 20.0, shape=Sphere(0.1), position=RIGHT),
    )
    nodes = [Anchor("left"), wheel, Anchor("right")]
    rope = Cable("rope", nodes, stiffness=3e4, damping_time=0.002, pretension=200.0)
    return Scene(bodies=bodies, cables=[rope])


def closed_loop() -> Scene:
    """Four bars of a parallelogram that swings, its last hinge an equality."""
    places = {"one": (0.0, 0.0, -0.5), "two": (0.5, 0.0, -1.0), "three": (1.0, 0.0, -0.5)}
    inertia = (0.1, 0.1, 0.1)
    bodies = [
        Body(name, 1.0, inertia, position=place, velocity=(0.4 * -place[2], 0, 0))
        for name, place in places.items()
    ]
    bodies = [replace(b, angular_velocity=(0, -0.4, 0)) if b.name != "two" else b for b in bodies]
    ends = [("one", "world", 0.0, 0.0), ("two", "one", 0.0, -1.0), ("three", "two", 1.0, -1.0)]
    joints = [
        Joint(f"{child}_hinge", "hinge", child, parent, (x, 0.0, z), (0, 1, 0))
        for child, parent, x, z in [*ends, ("three", "world", 1.0, 0.0)]
    ]
    joints[-1] = replace(joints[-1], name="closing")
    return Scene(bodies=bodies, joints=joints)


@pytest.mark.parametrize(
    ("made", "most"),
    [(double_pendulum, 1e-3), (swinging, 1e-3), (over_a_wheel, 1e-3), (closed_loop, 1e-3)],
)
def test_scenes_move_alike_in_mujoco(tmp_path, made, most: float) -> None:
    assert run_both(made(), tmp_path / "scene.xml") < most


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("tower_12t", {}),
        ("lab_gantry", {}),
        ("overhead_32t", {}),
        ("crawler_50t", {}),
        ("luffing_12t", {}),
        ("luffing_12t", {"crane.structure.mode": "flexible"}),
    ],
)
def test_cranes_hang_at_rest_in_mujoco(tmp_path, name: str, changes: dict) -> None:
    """Actuators of winches pull with the tension of their ropes; stiff drives hold the rest.

    A mast that bends is straight under what it carries.
    """
    crane = load_crane(name, {"rig.start.state": "hanging"} | changes)
    assert run_both(crane.scene, tmp_path / "crane.xml") < 1e-4
    model, data = started(tmp_path / "crane.xml")
    seen = Simulator(crane.scene).observe()
    for cable in crane.scene.cables:
        tendon = model.tendon(cable.name).id
        acting = model.actuator_trnid[:, 0] == tendon
        acting &= model.actuator_trntype == int(mujoco.mjtTrn.mjTRN_TENDON)
        if acting.any():
            pull = -data.actuator_force[acting].sum()
            assert pull == pytest.approx(seen.cable(cable.name).tension, rel=1e-3)


@pytest.mark.parametrize("name", ["pendulum", "tackle", "net", "stacked_boxes", "ropeway"])
def test_what_is_written_is_read_again(tmp_path, name: str) -> None:
    check_again(load_scene(name), tmp_path / "scene.xml")


@pytest.mark.parametrize("made", [double_pendulum, swinging, closed_loop])
def test_joints_are_read_again(tmp_path, made) -> None:
    check_again(made(), tmp_path / "scene.xml")


def check_again(scene: Scene, path) -> None:
    """Assert that bodies, joints of the tree and ropes come back."""
    export_model(scene, path)
    found = read_model(path).scene
    known = {body.name: body for body in found.bodies}
    assert {*known} == {body.name for body in scene.bodies}
    for body in scene.bodies:
        other = known[body.name]
        assert other.mass == body.mass
        assert other.position == pytest.approx(body.position, abs=1e-9)
        turned = abs(np.dot(other.orientation, body.orientation))
        assert turned == pytest.approx(np.linalg.norm(body.orientation), abs=1e-9)
        if body.inertia is not None and np.ndim(body.inertia) == 1:
            assert np.diag(other.inertia) == pytest.approx(body.inertia, rel=1e-9)
    joints = {joint.name: joint for joint in found.joints}
    for joint in scene.joints:
        if joint.has_coordinate and joint.name in joints:
            other = joints[joint.name]
            assert other.point == pytest.approx(joint.point, abs=1e-9)
            assert other.axis == pytest.approx(joint.axis / np.linalg.norm(joint.axis), abs=1e-9)
            for field in ("position", "lower", "upper", "stiffness", "rest", "damping"):
                assert getattr(other, field) == pytest.approx(getattr(joint, field), abs=1e-9)
    ropes = {cable.name: cable for cable in found.cables}
    seen = Simulator(scene).observe()
    for cable in scene.cables:
        if cable.winch is None:
            length = seen.cable(cable.name).length_paid_out
            assert ropes[cable.name].length == pytest.approx(length, rel=1e-9)


def test_a_speed_at_the_start_is_in_the_keyframe(tmp_path) -> None:
    """Of what is free, and of a slide that goes along on one that moves."""
    spin, way = (0.3, -0.2, 0.5), (1.0, 2.0, 3.0)
    turn = (0.5, 0.5, -0.5, 0.5)
    bodies = (
        Body("free", 1.0, (1, 2, 2.5), velocity=way, angular_velocity=spin, orientation=turn),
        Body("carrier", 1.0, (1, 1, 1), position=(5, 0, 0), velocity=(0, 0, 0.7)),
        Body("slide", 1.0, (1, 1, 1), position=(6, 0, 0), velocity=(-0.2, 0, 0.7)),
    )
    joints = (
        Joint("lift", "prismatic", "carrier", axis=(0, 0, 2)),
        Joint("out", "prismatic", "slide", "carrier", axis=(-1, 0, 0)),
    )
    export_model(Scene(bodies=bodies, joints=joints), tmp_path / "scene.xml")
    model, data = started(tmp_path / "scene.xml")
    rates = np.zeros(6)
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, model.body("free").id, rates, 0)
    assert rates == pytest.approx([*spin, *way])
    assert data.joint("lift").qvel == pytest.approx(0.7)
    assert data.joint("out").qvel == pytest.approx(0.2)


def test_boxes_land_on_what_is_below_but_not_on_what_they_ignore(tmp_path) -> None:
    boxes = [
        Body(name, 10.0, shape=Box(1, 1, 1), position=(x, 0, 1.1))
        for name, x in (("falls", 0.0), ("sinks", 3.0))
    ]
    ground = [
        Obstacle(f"under_{body.name}", Box(2, 2, 1), position=(body.position[0], 0, 0))
        for body in boxes
    ]
    floor = Body("slab", 1.0, shape=Box(2, 2, 1), position=(3, 0, 0), motion="prescribed")
    scene = Scene(
        bodies=[*boxes, floor],
        obstacles=ground[:1],
        collision=Collision(ignore=[("sinks", "slab")]),
    )
    export_model(scene, tmp_path / "scene.xml")
    model, data = started(tmp_path / "scene.xml", 2e-3)
    mujoco.mj_step(model, data, 500)
    assert data.body("falls").xpos[2] == pytest.approx(1.0, abs=5e-3)
    assert data.body("sinks").xpos[2] < -1.0


def test_surfaces_with_ends_are_boxes(tmp_path) -> None:
    """A slab 0.5 m high beside the ground; without a collision bodies touch these alone."""
    ball = {"mass": 1.0, "shape": Sphere(0.1), "collides": True}
    places = {"high": (0, 0, 0.7), "low": (3, 0, 0.2), "above": (3, 0, 0.5)}
    surfaces = (
        Surface("slab", (0, 0, 0.5), extent=(1, 1), thickness=0.5),
        Surface("ground", (0, 0, 0), stiffness=1e6),
    )
    bodies = [Body(name, position=place, **ball) for name, place in places.items()]
    export_model(Scene(bodies=bodies, surfaces=surfaces), tmp_path / "scene.xml")
    model, data = started(tmp_path / "scene.xml", 2e-3)
    mujoco.mj_step(model, data, 1000)
    for name, height in (("high", 0.6), ("low", 0.1), ("above", 0.1)):
        assert data.body(name).xpos[2] == pytest.approx(height, abs=5e-3), name


def test_what_a_model_can_not_have_is_told_by_name(tmp_path) -> None:
    told = "\n".join(export_model(load_crane("tower_12t"), tmp_path / "tower.xml"))
    for words in (
        "joint 'trolley' stop_compliance",
        "cable 'hoist_rope' losses",
        "winch 'hoist_winch' unstretched length",
        "drive 'slewing' brake",
    ):
        assert naming(words).search(told), words
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CableSimWarning)
        told = "\n".join(export_model(load_scene("rope_crane"), tmp_path / "rope.xml"))
    assert naming("cable weight sag left out").search(told)
    told = "\n".join(export_model(load_scene("haul_rope"), tmp_path / "haul.xml"))
    assert naming("cable 'haul_rope' left out endless").search(told)


def test_wrong_files_are_refused(tmp_path) -> None:
    scene = load_scene("pendulum")
    with pytest.raises(ConfigError, match=naming(".usd .xml .glb")):
        export_model(scene, tmp_path / "scene.usd")
    with pytest.raises(ConfigError, match=naming("nowhere folder")):
        export_model(scene, tmp_path / "nowhere" / "scene.xml")
    assert [*tmp_path.iterdir()] == []


def test_a_winch_of_a_mujoco_user_lowers_its_load(tmp_path) -> None:
    """By as much as its command grows."""
    rope = Cable(
        "rope", [Anchor("world"), Anchor("load")], ea=1e6, damping_time=0.01, winch=Winch("winch")
    )
    load = Body("load", 100.0, shape=Sphere(0.2), position=(0, 0, -5.0))
    scene = Scene(bodies=[load], cables=[rope], drives=[Drive("hoist", on="winch")])
    export_model(scene, tmp_path / "scene.xml")
    model, data = started(tmp_path / "scene.xml")
    mujoco.mj_step(model, data, 1000)
    before = data.body("load").xpos[2]
    for _ in range(1000):
        data.actuator("hoist").ctrl[0] += 1e-3
        mujoco.mj_step(model, data)
    mujoco.mj_step(model, data, 1000)
    assert before - data.body("load").xpos[2] == pytest.approx(1.0, abs=5e-3)


def test_command_writes_a_model_and_tells_what_is_left_out(tmp_path, capsys) -> None:
    out = tmp_path / "tower.xml"
    with pytest.raises(SystemExit) as raised:
        app(["export", "tower_12t", "-o", str(out)])
    said = capsys.readouterr()
    assert raised.value.code == 0 and naming("tower.xml bodies").search(said.out)
    assert naming("'hoist_rope' losses").search(said.err)
    assert mujoco.MjModel.from_xml_path(str(out)).nbody > 4


def test_moments_of_no_solid_are_made_equal_and_told(tmp_path) -> None:
    flat = Body("flat", 2.0, inertia=(1.0, 1.0, 5.0))
    (told,) = export_model(Scene(bodies=(flat,)), tmp_path / "flat.xml")
    assert naming("flat 5 equal").search(told)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "flat.xml"))
    assert model.body("flat").inertia == pytest.approx(np.full(3, 7.0 / 3.0))
    assert export_model(Scene(bodies=(replace(flat, inertia=(1, 2, 3)),)), tmp_path / "a.xml") == ()


def test_a_scene_refused_by_mujoco_leaves_no_file(tmp_path) -> None:
    thin = Body("thin", 1e-20, inertia=(1e-20, 1e-20, 1e-20))
    with pytest.raises(ConfigError, match=naming("thin.xml inertia").pattern):
        export_model(Scene(bodies=(thin,)), tmp_path / "thin.xml")
    assert not any(tmp_path.iterdir())
