"""Cranes of parts: their files, and a luffing jib against closed forms."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from messages import naming

from cable_sim.control.check import summary_of
from cable_sim.control.load_kinematics import load_kinematics_of
from cable_sim.control.plants.plant import LocalPlant
from cable_sim.cranes import load_crane
from cable_sim.cranes.catalogue import save_crane
from cable_sim.cranes.families.kit.tree import Tree
from cable_sim.cranes.operator_levers import find_levers
from cable_sim.errors import CableSimWarning, ConfigError, SpecError
from cable_sim.machine.machine import Machine
from cable_sim.spec import Sheave

G = 9.81
TEXT = (Path(__file__).parents[2] / "config" / "luffing_12t.yaml").read_text(encoding="utf-8")
LENGTH, HINGE = 55.6, 1.3
"""Hinge to tip, and radius of the hinge [m], as in the file."""


@pytest.fixture(scope="module")
def crane():
    return load_crane("luffing_12t")


def changed(**start):
    """The crane with other coordinates at its start."""
    return load_crane("luffing_12t", {f"rig.start.at.{name}": q for name, q in start.items()})


def torque(machine):
    """Effort of the luffing drive [N m], after a tick at rest."""
    return machine.axis_state(machine.tick(), "luffing").effort


@pytest.mark.parametrize("angle", [20.0, 45.0, 80.0])
def test_radius_and_torque_are_those_of_the_angle(angle) -> None:
    """The jib's weight, the falls' pull at its tip, and the rope to it from the wheel over its
    hinge, which is 0.45 m higher and 0.2 m beside the first fall."""
    machine = Machine(changed(luffing_deg=angle))
    q = math.radians(angle)
    falls = (400.0 + 3000.0) * G
    tip = LENGTH * np.array((math.cos(q), math.sin(q)))
    along = np.array((0.0, 0.45)) - tip
    along = np.array((along[0], 0.2, along[1])) / math.hypot(*along, 0.2)
    pull = 0.5 * falls * along[[0, 2]]
    expected = 7400.0 * G * 25.0 * math.cos(q) + falls * tip[0]
    expected -= tip[0] * pull[1] - tip[1] * pull[0]
    assert torque(machine) == pytest.approx(expected, rel=1e-6)
    hook = machine.observe().body("hook_block").position
    assert hook[:2] == pytest.approx((HINGE + LENGTH * math.cos(q), 0.0), abs=1e-9)
    for _ in range(10):
        machine.tick()
    assert machine.readings["radius"] == pytest.approx(hook[0], abs=0.01)
    assert machine.readings["load"] == pytest.approx(3000.0, abs=10.0)


def test_hoisting_by_the_jibs_rise_keeps_the_hook_level(crane) -> None:
    """Its tip goes up by 4 m, its hook by 3 cm, once both drives have made up for their lags."""
    plant = LocalPlant(crane)
    seen = plant.reset()
    course = crane.details.load_axes(crane).course
    heights, levels = [], []
    for _ in range(1500):
        angle = seen.axes["luffing"]
        rise = course.at(angle.position)[3] * angle.velocity
        seen = plant.step({"luffing": 0.0102, "hoist": rise})
        heights.append(plant.machine.seen.body("hook_block").position[2])
        levels.append(course.height(np.array(angle.position)))
    assert levels[-1] - levels[300] > 4.0
    assert np.ptp(heights) < 0.08
    assert np.ptp(heights[300:]) < 0.03


def test_a_load_that_is_slewed_hangs_outward() -> None:
    """By tan(theta) = w^2 r / g at the load's own radius r, after a slow start, over two swings."""
    slow = {"axes.slewing.accel": 0.001, "rig.start.at.luffing_deg": 20.0}
    machine = Machine(load_crane("luffing_12t", slow))
    radial, speeds, out = [], [], []
    while machine.time < 87.0:
        machine.command("slewing", 0.06)
        seen = machine.tick()
        if machine.time > 61.0:
            sway = machine.sway(seen)
            radial.append(sway.radial)
            out.append(np.linalg.norm(seen.body("hook_block").position[:2]))
            speeds.append(machine.axis_state(seen, "slewing").velocity)
    pull = np.mean(speeds) ** 2 * np.mean(out) / G
    assert np.mean(speeds) == pytest.approx(0.06, rel=1e-3)
    assert math.tan(np.mean(radial)) == pytest.approx(pull, rel=0.03)


def test_the_load_is_where_its_kinematics_have_it(crane) -> None:
    """After luffing, slewing and hoisting at once; but for the sway of the stop."""
    plant = LocalPlant(crane)
    first = plant.reset()
    known = load_kinematics_of(crane, first)
    speeds = {axis.name: 0.05 * axis.max_speed for axis in crane.axes}
    for tick in range(6000):
        seen = plant.step(speeds if tick < 5000 else dict.fromkeys(speeds, 0.0))
    at = np.array([state.position for state in seen.axes.values()])
    moved = np.linalg.norm(np.subtract(seen.load.position, first.load.position))
    assert moved > 3.0
    assert math.dist(known.below(at)[0], seen.load.position) < 0.1 * moved
    assert known.coordinates(known.below(at))[0] == pytest.approx(at, abs=1e-9)


def test_levers_are_those_of_the_trade(crane) -> None:
    levers = find_levers(crane)
    assert {name: lever.axis.name for name, lever in levers.items()} == {
        "sideways": "slewing",
        "outward": "luffing",
        "up": "hoist",
    }
    assert [levers[name].sense_of_coordinate for name in ("sideways", "outward", "up")] == [
        1,
        -1,
        -1,
    ]


def test_the_limiter_lets_an_overload_only_inward() -> None:
    """3.5 t at 55 m, where the chart has 3.1: no lowering of the jib, no hoisting."""
    heavy = {"rig.load.mass": 3500.0, "rig.start.at.luffing_deg": 16.0}
    machine = Machine(load_crane("luffing_12t", heavy))
    assert machine.crane.details.capacity_at_start() == pytest.approx(3135.0, abs=10.0)
    while machine.time < 2.0:
        machine.tick()
    assert machine.limits["load_moment_limiter"] == "tripped"
    for speed, moves in ((-0.005, False), (0.005, True)):
        start = machine.axis_state(machine.seen, "luffing").position
        for _ in range(300):
            machine.command("luffing", speed)
            seen = machine.tick()
        way = machine.axis_state(seen, "luffing").position - start
        assert (abs(way) > 1e-3) == moves, speed


def test_friction_of_a_parts_joint_is_that_of_the_scene() -> None:
    changes = {"parts.head.joint.damping": 3e4, "parts.head.joint.dry_friction": 2e4}
    scene = load_crane("luffing_12t", changes).scene
    (joint,) = (joint for joint in scene.joints if joint.name == "slewing")
    assert (joint.damping, joint.dry_friction) == (3e4, 2e4)


def test_it_picks_its_load_from_the_ground() -> None:
    machine = Machine(load_crane("luffing_12t", {"rig.start.state": "on_ground"}))
    top = 48.9 + LENGTH * math.sin(math.radians(45.0))
    rest = machine.observe()
    depth = machine.axis_state(rest, "hoist").position
    hook = rest.body("hook_block").position[2] - 0.6
    assert top - depth == pytest.approx(hook, abs=0.03)
    while machine.time < 8.0:
        machine.command("hoist", -0.2)
        seen = machine.tick()
    assert seen.body("load").position[2] > 1.0


def test_check_draws_the_tree() -> None:
    told = summary_of("luffing_12t")
    assert "luffing crane 'luffing_12t': 4 bodies, 2 joints, 5 cables, 3 drives" in told
    assert "    └── jib: hinge 'luffing' 15 ... 85 deg, 7400 kg <- luffing" in told
    assert "hoist_rope: head.drum - head.foot - 2 x (jib.tip - hook_block.axle) <- hoist" in told


def test_a_saved_crane_of_parts_is_the_same(tmp_path) -> None:
    crane = load_crane("luffing_12t", {"parts.jib.mass": 8000.0, "rig.start.at.slewing_deg": 30.0})
    save_crane(crane, tmp_path / "luffing_12t.yaml")
    assert load_crane(tmp_path / "luffing_12t.yaml") == crane
    with pytest.raises(SpecError, match=naming("parts.jip.mass field 'jip' 'jib'")):
        load_crane("luffing_12t", {"parts.jip.mass": 8000.0})


def problems(old: str, new: str) -> list[str]:
    """Problems of the file with a text changed, as they are told."""
    assert TEXT.count(old) >= 1, old
    path = Path("crane.yaml")
    with pytest.raises(ConfigError) as caught:
        path.write_text(TEXT.replace(old, new, 1), encoding="utf-8")
        load_crane(path)
    return str(caught.value).splitlines()


@pytest.mark.parametrize(
    "old, new, told",
    [
        ("    on: head", "    on: heed", "parts.jib.on part 'heed' head"),
        ("  head:\n    at", "  head:\n    on: jib\n    at", "'head' 'jib' 'head' cycle"),
        ("name: slewing", "name: luffing", "joint 'head' 'luffing'"),
        ("head.foot", "head.foto", "place 'head' 'foto' foot top drum"),
        ("towards: jib.pendant", "towards: jib.pendent", "place 'jib' 'pendent' pendant"),
        ("towards: jib.pendant", "towards: head.top", "'head' 'head' parts"),
        ("cylinder: [0.06, 20.0]", "box: [0.1, 0.1, 9.0]", "box point"),
        ("head.foot", "foot", "'foot' place part.place 'jib.tip'"),
        ("below: jib.tip", "below: mast.tip", "place 'mast' 'tip'"),
        ("base: head", "base: mast", "moving part 'mast' head jib"),
        ("ropes: [hoist_rope]", "ropes: [rope]", "rope 'rope' hoist_rope"),
        ("on: hoist_rope", "on: hoist", "joint rope winch wheel 'hoist'"),
        ("on: hoist_rope", "on: luffing", "axis 'luffing' 'luffing'"),
        ("    on: luffing\n", "    on: luffing\n    limits: [0.0, 1.0]\n", "joint"),
        ("trade: rpm", "trade: m/min", "rpm deg/s deg/min 'm/min'"),
        ("luffing_deg: 45.0", "luffing_deg: 10.0", "15 85 10"),
        ("luffing_deg: 45.0", "luffing: 0.8", "coordinate 'luffing' luffing_deg"),
        (", hoist: 40.0", "", "rig.start at.hoist missing [m]"),
        ("cab: {part: head", "cab: {part: mast", "cab.part moving part 'mast'"),
        ("    mass: 7400.0 ", "    # mass: 7400.0 ", "mass missing part moves"),
        (
            "- {cylinder: [1.35, 0.5], at",
            "- {box: [1.0, 1.0, 1.0], cylinder: [1.35, 0.5], at",
            "box cylinder",
        ),
        (
            "kind: hinge, axis: [0.0, -1.0, 0.0], limits_deg",
            "kind: prismatic, axis: [0.0, -1.0, 0.0], limits_deg",
            "limits_deg prismatic limits",
        ),
    ],
)
def test_a_wrong_name_is_told_with_its_place(old, new, told, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = problems(old, new)
    assert any(naming(told).search(line) for line in lines), lines
    assert all(re.match(r"crane.yaml:\d+:\d+: ", line) for line in lines)


def test_all_wrong_names_are_told_at_once(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    at = next(i for i, line in enumerate(TEXT.splitlines(), start=1) if "path: [head.drum" in line)
    first, second = problems("path: [head.drum, head.foot,", "path: [head.drun, jib.foot,")
    assert first.startswith(f"crane.yaml:{at}:12: ropes.hoist_rope.path[0]: ")
    assert second.startswith(f"crane.yaml:{at}:23: ropes.hoist_rope.path[1]: ")


def test_a_drive_that_is_too_weak_is_warned_of() -> None:
    with pytest.warns(CableSimWarning, match=naming("axes.luffing.effort 2e+06 2.589e+06")):
        load_crane("luffing_12t", {"axes.luffing.effort": 2e6})


def test_jacobians_are_those_of_the_tree(crane) -> None:
    """Against central differences of the poses, for a jib on a head that has slewed."""
    parts = crane.details.parts
    at = {"slewing": 0.4, "luffing": 0.9}
    tree = Tree(parts, at)
    tip = parts["jib"].wheels["tip"].at
    for freedom in tree.freedoms():
        ends = [
            Tree(parts, at | {freedom.name: at[freedom.name] + h}).poses["jib"].point(tip)
            for h in (1e-5, -1e-5)
        ]
        difference = (ends[0] - ends[1]) / 2e-5
        assert tree.velocity(freedom, "jib", tree.poses["jib"].point(tip)) == pytest.approx(
            difference, abs=1e-6
        )


@pytest.mark.parametrize("falls", [1, 2, 3, 4, 6])
def test_any_number_of_falls_can_be_reeved(falls, tmp_path) -> None:
    text = TEXT.replace("{falls: 2,", f"{{falls: {falls},")
    path = tmp_path / "crane.yaml"
    path.write_text(text, encoding="utf-8")
    crane = load_crane(path)
    rope = next(cable for cable in crane.scene.cables if cable.name == "hoist_rope")
    assert crane.suspension.n_falls == falls
    assert rope.pretension == pytest.approx(3400.0 * G / falls)
    assert isinstance(rope.nodes[1], Sheave)
    assert rope.nodes[-1].body == ("jib" if falls % 2 == 0 else "hook_block")


@pytest.mark.ros
def test_ros_describes_a_crane_of_parts(crane) -> None:
    pytest.importorskip("rclpy", reason="needs rclpy: scripts/setup")
    from cable_sim.ros.basis.description import robot_description
    from cable_sim.ros.basis.frames import floating_bodies
    from cable_sim.ros.interface import AXIS_TOPICS, axis_command

    text = robot_description(crane)
    assert re.findall(r'<joint name="(\w+)" type="revolute"', text) == ["slewing", "luffing"]
    assert set(floating_bodies(crane)) == {"hook_block", "load"}
    assert axis_command("luffing").topic == AXIS_TOPICS["luffing"]
