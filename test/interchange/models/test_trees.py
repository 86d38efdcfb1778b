"""Scenes and cranes as URDF and SDF: the same bodies and the same motion there and back; as USD."""

from dataclasses import replace

import numpy as np
import pytest
from messages import naming
from transforms3d.quaternions import axangle2quat, qmult, quat2mat

pytest.importorskip("mujoco", reason="mujoco is not installed (extra `models`)")
pytest.importorskip("rod", reason="rod is not installed (extra `models`)")

from cable_sim import (
    Anchor,
    Body,
    Box,
    Cable,
    Collision,
    Drive,
    Joint,
    Polyhedron,
    Scene,
    Simulator,
    Sphere,
    Surface,
    crane_names,
    export_model,
    load_crane,
    read_model,
    scene_names,
)
from cable_sim.interchange.exports.write import ENDINGS
from cable_sim.scenes.machines import load_machine

TOOTH = Polyhedron(((0, 0, 0), (0.3, 0, 0), (0, 0.4, 0), (0, 0, 0.5)))


def random_tree(seed: int, kinds=("hinge", "prismatic", "fixed")) -> Scene:
    """Five bodies in a tree with skew axes, whose joints start anywhere within their stops."""
    random = np.random.default_rng(seed)
    bodies, joints = [], []
    for k in range(5):
        turn = random.normal(size=4)
        bodies.append(
            Body(
                f"body_{k}",
                float(random.uniform(0.5, 3.0)),
                inertia=tuple(random.uniform(0.9, 1.1, 3)),
                shape=Box(0.1, 0.2, 0.3),
                position=tuple(random.uniform(-1.0, 1.0, 3) + (0.0, 0.0, 5.0)),
                orientation=tuple(turn / np.linalg.norm(turn)),
                collides=False,
            )
        )
        kind = kinds[k % len(kinds)]
        free = {} if kind in ("fixed", "ball") else {"position": 0.3, "lower": -1.0, "upper": 2.0}
        damped = {"damping": 0.4, "dry_friction": 0.2} if free else {}
        joints.append(
            Joint(
                f"joint_{k}",
                kind,
                f"body_{k}",
                f"body_{random.integers(k)}" if k else "world",
                point=tuple(random.uniform(-1.0, 1.0, 3)),
                axis=tuple(random.normal(size=3)),
                **free,
                **damped,
            )
        )
    return Scene(bodies=bodies, joints=joints)


def there_and_back(scene: Scene, path):
    """The scene that a file of it is read as, at the same start."""
    told = export_model(scene, path)
    start = {j.name: j.position for j in scene.joints if j.has_coordinate}
    return read_model(path, start=start if path.suffix == ".urdf" else None).scene, told


def assert_same_bodies(scene: Scene, other: Scene) -> None:
    """Masses, tensors, places and turns."""
    seen = {body.name: body for body in other.bodies}
    for body in scene.bodies:
        twin = seen[body.name]
        assert twin.mass == pytest.approx(body.mass, rel=1e-12)
        assert twin.tensor == pytest.approx(body.tensor, rel=1e-9, abs=1e-9)
        assert twin.position == pytest.approx(body.position, abs=1e-12)
        turns = quat2mat(twin.orientation), quat2mat(body.orientation)
        assert turns[0] == pytest.approx(turns[1], abs=1e-12)


@pytest.mark.parametrize("ending", ["urdf", "sdf"])
@pytest.mark.parametrize("seed", range(4))
def test_random_trees_come_back_and_move_alike(seed: int, ending: str, tmp_path) -> None:
    scene = random_tree(seed)
    other, _ = there_and_back(scene, tmp_path / f"tree.{ending}")
    assert_same_bodies(scene, other)
    seen = {joint.child: joint for joint in other.joints}
    for joint in scene.joints:
        twin = seen[joint.child]
        assert (twin.kind, twin.parent) == (joint.kind, joint.parent)
        if joint.has_coordinate:
            shift = 0.0 if ending == "urdf" else joint.position
            along = np.array(joint.axis) / np.linalg.norm(joint.axis)
            assert twin.axis == pytest.approx(along, abs=1e-12)
            ends = twin.position, twin.lower, twin.upper
            expected = np.subtract((joint.position, joint.lower, joint.upper), shift)
            assert ends == pytest.approx(expected, abs=1e-12)
            assert (twin.damping, twin.dry_friction) == (joint.damping, joint.dry_friction)
    one, two = Simulator(scene, dt=1e-3), Simulator(other, dt=1e-3)
    one.step(500), two.step(500)
    for body in scene.bodies:
        there = two.bodies[body.name].position
        assert one.bodies[body.name].position == pytest.approx(there, abs=1e-7)
    assert np.linalg.norm(one.bodies["body_4"].velocity) > 1e-2


def test_urdf_shows_coordinates_at_zero(tmp_path) -> None:
    """So a planner that says 0 sees the arm where its joint reads 0."""
    turn = axangle2quat((0, 1, 0), 0.5)
    place = quat2mat(turn) @ (0, 0, -1.0)
    arm = Body("arm", 1.0, (1, 1, 1), position=tuple(place), orientation=tuple(turn))
    scene = Scene(
        bodies=[arm], joints=[Joint("hinge", "hinge", "arm", axis=(0, 1, 0), position=0.5)]
    )
    told = export_model(scene, tmp_path / "arm.urdf")
    assert naming("joint 'hinge' 0.5 0").search("\n".join(told))
    (seen,) = read_model(tmp_path / "arm.urdf").scene.bodies
    assert seen.position == pytest.approx((0, 0, -1.0), abs=1e-12)
    assert abs(seen.orientation[0]) == pytest.approx(1.0)


def test_sdf_has_balls_springs_and_loops(tmp_path) -> None:
    """A four-bar linkage whose last joint closes a loop, with a sprung hinge and a ball."""
    bars = [
        Body("left", 1.0, (1, 1, 1), position=(0, 0, 0.5)),
        Body("top", 1.0, (1, 1, 1), position=(0.5, 0, 1.0)),
        Body("right", 1.0, (1, 1, 1), position=(1.0, 0, 0.5)),
        Body("bob", 1.0, (0.1, 0.1, 0.1), position=(3.0, 0, 0.0)),
    ]
    hinges = [
        Joint("a", "hinge", "left", axis=(0, 1, 0), stiffness=30.0, rest=0.2),
        Joint("b", "hinge", "top", "left", (0, 0, 1), (0, 1, 0)),
        Joint("c", "hinge", "right", "top", (1, 0, 1), (0, 1, 0)),
        Joint("d", "hinge", "right", "world", (1, 0, 0), (0, 1, 0)),
        Joint("e", "ball", "bob", point=(3, 0, 1)),
    ]
    scene = Scene(bodies=bars, joints=hinges)
    other, told = there_and_back(scene, tmp_path / "bars.sdf")
    assert not [note for note in told if "joint" in note]
    assert_same_bodies(scene, other)
    seen = {joint.name: joint for joint in other.joints}
    assert (seen["a"].stiffness, seen["a"].rest, seen["e"].kind) == (30.0, 0.2, "ball")
    one, two = Simulator(scene, dt=1e-3), Simulator(other, dt=1e-3)
    one.step(300), two.step(300)
    for body in scene.bodies:
        there = two.bodies[body.name].position
        assert one.bodies[body.name].position == pytest.approx(there, abs=1e-6)
    lost = "\n".join(export_model(scene, tmp_path / "bars.urdf"))
    for words in ("'d' loop", "'a' spring", "'e' ball 'bob' free"):
        assert naming(f"joint {words}").search(lost), words


@pytest.mark.parametrize("ending", ["urdf", "sdf"])
def test_free_and_standing_bodies_and_shapes_come_back(ending: str, tmp_path) -> None:
    turn = tuple(qmult(axangle2quat((1, 0, 0), 0.4), axangle2quat((0, 0, 1), 1.1)))
    free = Body("free", 2.0, (1, 1, 1), shape=TOOTH, position=(0, 0, 4), orientation=turn)
    stands = Body("stands", 1.0, shape=Sphere(0.2), position=(2, 0, 1), motion="prescribed")
    scene = Scene(
        bodies=[free, stands],
        surfaces=[Surface("ground")],
        collision=Collision(),
        gravity=(0, 0, -5),
    )
    other, _ = there_and_back(scene, tmp_path / f"things.{ending}")
    assert (tmp_path / "things_meshes" / "free.stl").stat().st_size > 84
    assert_same_bodies(replace(scene, bodies=(free,)), other)
    one, two = Simulator(scene, dt=1e-3), Simulator(other, dt=1e-3)
    one.step(2500), two.step(2500)
    heights = [s.bodies["free"].position[2] for s in (one, two)]
    if ending == "sdf":  # URDF has no gravity, so there it falls by 9.81 m/s^2
        assert heights[0] == pytest.approx(heights[1], abs=0.02)
    assert all(-0.01 < height < 0.5 for height in heights), heights


def test_a_ball_below_another_body_lets_its_child_free_in_urdf(tmp_path) -> None:
    scene = random_tree(3, kinds=("hinge", "ball"))
    other, told = there_and_back(scene, tmp_path / "balls.urdf")
    assert_same_bodies(scene, other)
    assert {joint.kind for joint in other.joints} == {"hinge"}
    assert sum(naming("ball free").search(note) is not None for note in told) == 2


def test_drives_of_joints_come_back_from_urdf(tmp_path) -> None:
    scene = random_tree(1, kinds=("hinge", "prismatic"))
    drive = Drive("motor", "joint_1", "speed", max_effort=50.0, max_speed=2.0)
    other, told = there_and_back(replace(scene, drives=(drive,)), tmp_path / "driven.urdf")
    (seen,) = other.drives
    assert (seen.on, seen.mode, seen.max_effort, seen.max_speed) == ("joint_1", "speed", 50.0, 2.0)
    lost = "\n".join(export_model(replace(scene, drives=(drive,)), tmp_path / "driven.sdf"))
    assert naming("drive 'motor' left out").search(lost)


@pytest.mark.parametrize("ending", ["urdf", "sdf"])
@pytest.mark.parametrize("name", ["tower_12t", "overhead_32t", "crawler_50t", "grab_3t", "skip_2t"])
def test_cranes_come_back_with_their_bodies(name: str, ending: str, tmp_path) -> None:
    crane = load_crane(name)
    other, _ = there_and_back(crane.scene, tmp_path / f"{name}.{ending}")
    assert_same_bodies(crane.scene, other)
    told = "\n".join(export_model(crane, tmp_path / f"{name}.{ending}"))
    for cable in crane.scene.cables:
        assert naming(f"cable {cable.name!r} left out").search(told)


@pytest.mark.parametrize("ending", ["usda", "usdc"])
def test_usd_shows_bodies_and_ropes_at_their_places(ending: str, tmp_path) -> None:
    usd = pytest.importorskip("pxr.Usd", reason="usd-core is not installed (extra `usd`)")
    geometry = pytest.importorskip("pxr.UsdGeom")
    crane = load_crane("tower_12t")
    assert export_model(crane, tmp_path / f"tower.{ending}") == ()
    stage = usd.Stage.Open(str(tmp_path / f"tower.{ending}"))
    assert geometry.GetStageUpAxis(stage) == "Z" and geometry.GetStageMetersPerUnit(stage) == 1.0
    for body in crane.scene.bodies:
        prim = stage.GetPrimAtPath(f"/scene/{body.name}")
        matrix = geometry.Xformable(prim).ComputeLocalToWorldTransform(0)
        shown = np.array(matrix.Transform((1.0, 2.0, 3.0)))
        place = body.position + quat2mat(body.orientation) @ (1.0, 2.0, 3.0)
        assert shown == pytest.approx(place, abs=1e-6)
    seen = Simulator(crane.scene).observe().cable("hoist_rope").curve
    rope = geometry.BasisCurves(stage.GetPrimAtPath("/scene/hoist_rope"))
    assert np.array(rope.GetPointsAttr().Get()) == pytest.approx(seen, abs=1e-4)


def test_ropes_and_speeds_at_the_start_are_told(tmp_path) -> None:
    rope = Cable("rope", [Anchor("world"), Anchor("load")], ea=1e6)
    load = Body("load", 100.0, shape=Sphere(0.2), position=(0, 0, -5.0), velocity=(1, 0, 0))
    scene = Scene(bodies=[load], cables=[rope])
    for ending in ("urdf", "sdf"):
        told = "\n".join(export_model(scene, tmp_path / f"scene.{ending}"))
        assert naming("cable 'rope' left out").search(told)
        assert naming("body 'load' speed").search(told)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*crane_names(), *scene_names()}))
def test_every_crane_and_scene_is_written_in_every_format(name: str, tmp_path) -> None:
    scene = load_machine(name).scene
    for ending in ENDINGS:
        export_model(scene, tmp_path / f"machine{ending}")
        assert (tmp_path / f"machine{ending}").stat().st_size > 0
        if ending in (".urdf", ".sdf"):
            other = read_model(tmp_path / f"machine{ending}").scene
            assert {one.name for one in scene.bodies} <= {one.name for one in other.bodies}
