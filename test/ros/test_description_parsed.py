"""The robot description of every crane through a parser of URDF: masses, limits, shapes, where it
puts links."""

import dataclasses
import math
import warnings

import numpy as np
import pytest
from transforms3d.axangles import axangle2mat
from transforms3d.euler import euler2mat
from transforms3d.quaternions import quat2mat

pytest.importorskip("urdf_parser_py", reason="needs urdf_parser_py: scripts/setup test")

from urdf_parser_py import xml_reflection
from urdf_parser_py.urdf import URDF

from cable_sim.cranes import crane_names, load_crane
from cable_sim.errors import CableSimWarning
from cable_sim.machine.machine import Machine
from cable_sim.ros.basis.description import FAR, MOST_BARS, STRONG, robot_description
from cable_sim.ros.basis.frames import BASE, floating_bodies, links, passive_joints

CRANES = sorted(set(crane_names().values()))
MOVING = ("revolute", "continuous", "prismatic")


@pytest.fixture(scope="module", params=CRANES)
def crane(request):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CableSimWarning)
        return load_crane(request.param)


@pytest.fixture
def robot(crane, monkeypatch):
    """What the parser understood; what it would only complain of is an error."""

    def fail(message):
        raise ValueError(message)

    monkeypatch.setattr(xml_reflection.core, "on_error", fail)
    made = URDF.from_xml_string(robot_description(crane).encode())
    made.check_valid()
    return made


def matrix(origin):
    """An origin as (4, 4)."""
    made = np.eye(4)
    if origin is not None:
        made[:3, :3], made[:3, 3] = euler2mat(*(origin.rpy or (0.0, 0.0, 0.0)), "sxyz"), origin.xyz
    return made


def pose(robot, link, coordinates):
    """Pose (4, 4) of a link in the root, along the chain that the parser found."""
    made = np.eye(4)
    for name in robot.get_chain(robot.get_root(), link, joints=True, links=False):
        joint, moved = robot.joint_map[name], np.eye(4)
        if joint.type == "prismatic":
            moved[:3, 3] = np.array(joint.axis) * coordinates[name]
        elif joint.type in MOVING:
            moved[:3, :3] = axangle2mat(joint.axis, coordinates[name])
        made = made @ matrix(joint.origin) @ moved
    return made


def test_masses_and_inertias_are_those_of_the_scene(crane, robot):
    assert robot.get_root() == BASE and robot.link_map[BASE].inertial is None
    for body in crane.scene.bodies:
        inertial = robot.link_map[body.name].inertial
        given = np.asarray(
            body.inertia if body.inertia is not None else body.shape.inertia(body.mass)
        )
        assert inertial.mass == body.mass
        np.testing.assert_array_equal(
            inertial.inertia.to_matrix(), np.diag(given) if given.ndim == 1 else given
        )
        np.testing.assert_array_equal(matrix(inertial.origin), np.eye(4))
    others = (
        {link.name for link in robot.links} - {body.name for body in crane.scene.bodies} - {BASE}
    )
    assert others == {link.name for link in links(crane)} - {
        body.name for body in crane.scene.bodies
    }
    assert all(robot.link_map[name].inertial is None for name in others)


def test_every_axis_on_a_joint_has_its_limits_there(crane, robot):
    drives = {drive.name: drive for drive in crane.scene.drives}
    on_joints = {joint.name for joint in crane.scene.joints}
    found = [
        axis for axis in crane.axes if axis.drive in drives and drives[axis.drive].on in on_joints
    ]
    assert {axis.joint for axis in found} | set(passive_joints(crane)) == {
        joint.name for joint in robot.joints if joint.type in MOVING
    }
    for axis in found:
        joint = robot.joint_map[axis.joint]
        assert joint.type == ("revolute" if axis.unit == "rad" else "prismatic")
        assert (joint.limit.lower, joint.limit.upper) == (axis.lower, axis.upper)
        assert joint.limit.velocity == axis.max_speed
        assert (
            joint.limit.effort == min(drives[axis.drive].max_effort * abs(axis.ratio), STRONG) > 0.0
        )
        assert abs(axis.lower) < FAR and abs(axis.upper) < FAR


def test_links_are_drawn_and_collide_with_the_same_shapes(crane, robot):
    bodies = crane.scene.bodies
    shapes = {BASE: 0} | {b.name: int(b.shape is not None and b.drawn) for b in bodies}
    aims = [aim.name for aim in crane.scene.aims]  # their frames are no links: RViz has markers
    assert not set(aims) & set(robot.link_map)
    for visual in (v for v in crane.scene.drawn if v.body not in aims):
        bars = len(visual.shape.ends) if visual.shape.kind == "segments" else 1
        shapes[BASE if visual.body == "world" else visual.body] += bars if bars <= MOST_BARS else 1
    for name, count in shapes.items():
        link = robot.link_map[name]
        assert len(link.visuals) == len(link.collisions) == count
        assert len({visual.name for visual in link.visuals}) == count
        for seen, hard in zip(link.visuals, link.collisions, strict=True):
            assert type(seen.geometry) is type(hard.geometry) and vars(seen.geometry) == vars(
                hard.geometry
            )
            np.testing.assert_array_equal(matrix(seen.origin), matrix(hard.origin))
            assert all(0.0 <= part <= 1.0 for part in seen.material.color.rgba)


def test_a_bar_is_a_cylinder_from_end_to_end(crane, robot):
    bars = [
        v
        for v in crane.scene.drawn
        if v.shape.kind == "segments" and len(v.shape.ends) <= MOST_BARS
    ]
    for visual in bars:
        turn = quat2mat(visual.orientation)
        given = np.asarray(visual.shape.ends) @ turn.T + np.asarray(visual.position)
        link = robot.link_map[BASE if visual.body == "world" else visual.body]
        name = visual.name if len(given) == 1 else f"{visual.name}_bar_"
        drawn = [
            v
            for v in link.visuals
            if v.name == name or (name.endswith("_") and v.name.startswith(name))
        ]
        for ends, cylinder in zip(given, drawn, strict=True):
            placed, half = matrix(cylinder.origin), 0.5 * cylinder.geometry.length
            tips = np.array([(placed @ (0.0, 0.0, side * half, 1.0))[:3] for side in (-1.0, 1.0)])
            np.testing.assert_allclose(tips, ends, atol=1e-6 * max(1.0, half))
            assert cylinder.geometry.radius == visual.shape.radius


def test_links_are_where_the_simulator_has_its_bodies(crane, robot):
    """After each of three legs at random speeds of all axes."""
    machine, random = Machine(crane, command_timeout=60.0), np.random.default_rng(7)
    held = [body.name for body in crane.scene.bodies if body.name not in floating_bodies(crane)]
    held = [
        name
        for name in held
        if not any(name_of in floating_bodies(crane) for name_of in ancestors(robot, name))
    ]
    begin = {
        axis.name: machine.axis_state(machine.observe(), axis.name).position for axis in crane.axes
    }
    for _ in range(3):
        for axis in crane.axes:
            machine.command(axis.name, random.uniform(-1.0, 1.0) * axis.max_speed)
        for _ in range(100):
            observation = machine.tick()
        coordinates = {
            axis.joint: machine.axis_state(observation, axis.name).position for axis in crane.axes
        }
        coordinates |= {name: observation.joint(name).position for name in passive_joints(crane)}
        for name in held:
            body, placed = observation.body(name), pose(robot, name, coordinates)
            reach = max(1.0, float(np.linalg.norm(body.position)))
            np.testing.assert_allclose(placed[:3, 3], body.position, atol=1e-8 * reach)
            np.testing.assert_allclose(placed[:3, :3], quat2mat(body.orientation), atol=1e-8)
    moved = [
        name
        for name, at in begin.items()
        if abs(machine.axis_state(observation, name).position - at) > 1e-3
    ]
    assert set(moved) >= {axis.name for axis in crane.axes if axis.joint in robot.joint_map}


def ancestors(robot, link):
    """Links between a link and the root."""
    return robot.get_chain(robot.get_root(), link, joints=False, links=True)[:-1]


def test_a_container_that_can_be_let_go_has_a_frame_of_its_own():
    held, let_go = (
        load_crane("rtg_41t", changes) for changes in (None, {"rig.twistlocks": "locked"})
    )
    robots = [URDF.from_xml_string(robot_description(crane).encode()) for crane in (held, let_go)]
    assert [robot.parent_map["container"][1] for robot in robots] == ["spreader", BASE]
    assert floating_bodies(held) == ("spreader",) and floating_bodies(let_go) == (
        "spreader",
        "container",
    )


def test_an_inertia_tensor_keeps_its_products():
    crane = load_crane("lab_gantry")
    tensor = ((2.0, 0.1, 0.2), (0.1, 3.0, 0.3), (0.2, 0.3, 4.0))
    bodies = [dataclasses.replace(body, inertia=tensor) for body in crane.scene.bodies]
    crane = dataclasses.replace(crane, scene=dataclasses.replace(crane.scene, bodies=tuple(bodies)))
    robot = URDF.from_xml_string(robot_description(crane).encode())
    np.testing.assert_array_equal(robot.link_map["trolley"].inertial.inertia.to_matrix(), tensor)


def test_a_lattice_of_many_bars_is_the_box_around_it():
    crane = load_crane("tower_12t")
    (web,) = [visual for visual in crane.scene.drawn if visual.name == "mast_1_web"]
    robot = URDF.from_xml_string(robot_description(crane).encode())
    (box,) = [visual for visual in robot.link_map[BASE].visuals if visual.name == "mast_1_web"]
    points = np.asarray(web.shape.ends).reshape(-1, 3)
    low, high = points.min(axis=0) - web.shape.radius, points.max(axis=0) + web.shape.radius
    np.testing.assert_allclose(box.geometry.size, high - low)
    np.testing.assert_allclose(
        box.origin.xyz, 0.5 * (low + high) + np.asarray(web.position), atol=1e-12
    )
    assert box.material.color.rgba[3] < 1.0 and math.prod(box.geometry.size) > 0.0
