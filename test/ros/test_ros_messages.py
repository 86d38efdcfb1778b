"""From observations to messages and the description, without a graph."""

import dataclasses
import math
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import naming
from scipy.spatial import ConvexHull
from transforms3d.quaternions import axangle2quat, quat2mat

pytest.importorskip("rclpy")

from builtin_interfaces.msg import Time
from cable_sim.msg import CableState
from geometry_msgs.msg import Quaternion
from rviz_rules import refused
from visualization_msgs.msg import Marker

from cable_sim.cranes import load_crane
from cable_sim.cranes.crane import Axis, Crane
from cable_sim.errors import SpecError
from cable_sim.kernels.devices.quantities import capacity
from cable_sim.machine.faults import Fault
from cable_sim.machine.machine import Machine
from cable_sim.ros import interface
from cable_sim.ros.basis import messages
from cable_sim.ros.basis.description import robot_description
from cable_sim.ros.basis.frames import BASE, floating_bodies, links
from cable_sim.ros.basis.pacing import ALL
from cable_sim.ros.publish import device_messages
from cable_sim.ros.publish.devices import DeviceTopics
from cable_sim.ros.publish.markers import scene_markers
from cable_sim.scenes import load_scene
from cable_sim.scenes.machines import load_machine
from cable_sim.sim.simulator import Simulator
from cable_sim.spec import Body, Box, Drive, Joint, Obstacle, Polyhedron, Scene, Surface, Visual

finite = st.floats(-10.0, 10.0)


def test_quaternions_change_their_order_only_in_messages():
    assert messages.xyzw((1.0, 2.0, 3.0, 4.0)) == (2.0, 3.0, 4.0, 1.0)
    quarter_turn_left = axangle2quat((0.0, 0.0, 1.0), math.pi / 2.0)
    message = Quaternion()
    messages.set_orientation(message, quarter_turn_left)
    # ROS: x, y, z, w of a quarter turn about z
    assert (message.x, message.y, message.z, message.w) == pytest.approx(
        (0.0, 0.0, 0.5**0.5, 0.5**0.5)
    )


@given(st.tuples(finite, finite, finite, finite))
def test_quaternions_survive_the_round_trip(q):
    message = Quaternion()
    messages.set_orientation(message, q)
    assert tuple(messages.wxyz(message)) == q


@given(st.integers(0, 2**31 * 1_000_000_000 - 1))
def test_times_keep_every_nanosecond(nanoseconds):
    message = Time()
    messages.set_time(message, nanoseconds)
    assert message.sec * 1_000_000_000 + message.nanosec == nanoseconds
    assert 0 <= message.nanosec < 1_000_000_000


def test_arrays_of_doubles_keep_every_bit():
    values = np.array([0.1, -0.0, 1e308, 5e-324])
    made = messages.doubles(values[::1])
    assert made.typecode == "d" and np.array(made).tobytes() == values.tobytes()
    assert list(messages.doubles(np.arange(6.0)[::2])) == [0.0, 2.0, 4.0]


def test_the_velocity_of_ground_truth_is_in_the_loads_own_frame(machine, observation, crane):
    body = observation.body(crane.suspension.load)
    message = messages.GroundTruthMessage(crane.watched, "c/", "map", Time()).fill(observation)
    assert (message.header.frame_id, message.child_frame_id) == ("map", "c/load")
    linear = np.array([getattr(message.twist.twist.linear, axis) for axis in "xyz"])
    np.testing.assert_allclose(quat2mat(body.orientation) @ linear, body.velocity, atol=1e-12)


def test_sheaves_turn_by_the_rope_that_runs_over_them(crane):
    machine = Machine(crane)
    message = messages.CableStatesMessage(crane, BASE, Time())
    before = machine.observe()
    assert all(not any(c.sheave_angle) for c in message.fill(before).cables)
    for _ in range(200):
        machine.command("hoist", -0.3)
        after = machine.tick()
    spec = next(c for c in crane.scene.cables if c.name == crane.ropes[0])
    (state,) = [c for c in message.fill(after).cables if c.name == crane.ropes[0]]
    paid = (
        after.cable(crane.ropes[0]).length_paid_out - before.cable(crane.ropes[0]).length_paid_out
    )
    sheaves = [node for node in spec.nodes if node.kind == "sheave"]
    # before the first sheave the path keeps its length: all rope taken in ran over it, backwards,
    # but for the centimetres by which the rope between drum and sheave stretches when the load
    # comes off the ground
    assert paid < -0.3
    assert state.sheave_angle[0] * sheaves[0].radius == pytest.approx(paid, rel=0.05)
    # and the last one is at the dead end's side of the hook, where only rope of the last fall runs
    assert abs(state.sheave_angle[-1] * sheaves[-1].radius) < 0.1 * abs(paid)


def test_a_wheel_of_two_points_turns_on_half_their_distance():
    """Masses of 6 and 5 kg over one frictionless, massless wheel of 0.3 m, on stiff rope: the rope
    runs by g / 11 t^2 / 2, to the heavier side."""
    scene = load_scene("atwood", left=5.0, right=6.0)
    simulator = Simulator(scene, dt=0.01)
    entry = messages._CableEntry(scene.cables[0])
    entry.fill(simulator.observe().cable("cable"))
    simulator.step(100)
    entry.fill(simulator.observe().cable("cable"))
    (angle,) = entry.message.sheave_angle
    assert angle == pytest.approx(9.81 / 11.0 / 2.0 / 0.3, rel=0.01)


def test_rope_past_the_last_sheave_is_the_last_span_unstretched(crane):
    """Paid out less what lies before the sheave, both without their stretch T / EA: 24 mm in all,
    exact to 0.1 mm."""
    machine = Machine(crane)
    message = messages.CableStatesMessage(crane, BASE, Time())
    (entry,) = [entry for entry in message.cables if entry.spec.name == crane.ropes[0]]
    rope = machine.tick().cable(crane.ropes[0])
    assert rope.length - rope.length_paid_out > 0.02
    last = rope.span_length[-1] / (1.0 + rope.span_tension[-1] / entry.spec.axial_rigidity)
    assert entry.rope_beyond_sheaves(rope)[-1] == pytest.approx(last, abs=1e-4)


def test_a_rope_that_parted_is_broken(crane):
    machine = Machine(crane)
    machine.tick()
    machine.faults.inject(Fault("rope_break", crane.ropes[0]))
    states = messages.CableStatesMessage(crane, BASE, Time()).fill(machine.tick()).cables
    assert [s.status == CableState.BROKEN for s in states] == [
        s.name == crane.ropes[0] for s in states
    ]


def test_a_gantry_has_one_capacity_and_four_load_pins():
    """Its load hangs in the machine: what the pins read together is half of load and spreader, on
    two falls a rope."""
    crane = load_crane("rtg_41t", {"rig.start.state": "hanging"})
    machine = Machine(crane)
    for _ in range(200):
        machine.tick()
    moment = device_messages.LoadMomentMessage(crane, crane.suspension, Time()).fill(machine)
    spec = crane.details
    assert math.isnan(moment.radius) and moment.capacity == pytest.approx(spec.crane.rated_load)
    assert moment.valid and moment.utilisation == pytest.approx(moment.load / moment.capacity)
    force = (
        device_messages.LoadCellMessage(crane, crane.suspension, "", Time())
        .fill(machine)
        .wrench.force.z
    )
    assert 2.0 * force / 9.81 - spec.hooks["spreader"].mass == pytest.approx(moment.load, rel=0.01)


def test_of_two_cranes_each_tells_of_its_own_sensors():
    """Below the name of the second one; what both have in common, the limits, is on one topic."""
    crane = load_machine("two_towers")
    topics = [e.topic for e in interface.published_endpoints(crane)]
    east, west = crane.suspensions
    for topic in ("load_cell", "hook_imu", "wind", "load_moment"):
        assert topics.count(topic) == topics.count(f"{west.name}/{topic}") == 1
    assert topics.count("limits") == 1
    machine = Machine(crane)
    machine.tick()
    machine.faults.inject(Fault("sensor_dead", "west_hoist_rope.pull"))
    machine.tick()
    told = {
        e.topic: fill(machine)
        for e, fill in DeviceTopics(machine, "", "world", Time(), 100.0).due_messages(ALL)
    }
    assert told["load_moment"].valid and not told["west/load_moment"].valid
    assert (
        math.isnan(told["west/load_cell"].wrench.force.z) and told["load_cell"].wrench.force.z > 0.0
    )
    assert (
        told["load_cell"].header.frame_id == east.trolley
        and told["west/hook_imu"].header.frame_id == west.hook
    )


def test_an_imu_without_a_reading_or_a_gyroscope_says_so(crane):
    machine = Machine(crane)
    machine.tick()
    fill = device_messages.ImuMessage(crane, crane.suspension, "", Time()).fill
    whole = fill(machine)
    assert (
        whole.linear_acceleration_covariance[0] > 0.0 and whole.angular_velocity_covariance[0] > 0.0
    )
    machine.faults.inject(Fault("sensor_dead", "hook.rate.y"))
    machine.tick()
    dead = fill(machine)
    assert (
        dead.linear_acceleration_covariance[0] > 0.0 and dead.angular_velocity_covariance[0] == -1.0
    )
    assert math.isnan(dead.angular_velocity.y)
    machine.faults.clear()
    for _ in range(20):
        machine.tick()
    assert fill(machine).angular_velocity_covariance[0] > 0.0


def test_the_capacity_of_a_chart_is_what_the_control_computes(crane):
    """The same law in the kernel, from its share of a load."""
    (moment,) = [quantity for quantity in crane.quantities if quantity.name == "load_moment"]
    for radius in np.linspace(2.0, 75.0, 30):
        c = moment.chart
        assert c.capacity(radius) == capacity(radius, c.q_max, c.r_full, c.q0, c.r0, c.moment)
        assert c.capacity(radius) == pytest.approx(crane.details.chart.capacity(radius))


def forward(place, text, coordinates):
    """Poses (4, 4) of all links that joints hold, from the description."""
    robot = ElementTree.fromstring(text.encode())
    floats = {
        j.find("child").get("link") for j in robot.iter("joint") if j.get("type") == "floating"
    }
    return {
        link.get("name"): place(robot, link.get("name"), coordinates)
        for link in robot.iter("link")
        if link.get("name") not in floats
    }


def test_the_description_puts_bodies_where_the_simulator_does(crane, machine, observation, place):
    at = forward(
        place,
        robot_description(crane),
        {axis.joint: machine.axis_state(observation, axis.name).position for axis in crane.axes},
    )
    for name in (crane.suspension.base, crane.suspension.trolley):
        body = observation.body(name)
        np.testing.assert_allclose(at[name][:3, 3], body.position, atol=1e-6)
        np.testing.assert_allclose(at[name][:3, :3], quat2mat(body.orientation), atol=1e-6)


def test_the_description_is_a_tree_with_masses_and_limits(crane):
    robot = ElementTree.fromstring(robot_description(crane).encode())
    names = [link.get("name") for link in robot.iter("link")]
    children = [joint.find("child").get("link") for joint in robot.iter("joint")]
    assert len(set(names)) == len(names) and len(set(children)) == len(children)
    assert set(names) - set(children) == {BASE}
    assert {j.find("parent").get("link") for j in robot.iter("joint")} <= set(names)
    joints = {joint.get("name"): joint for joint in robot.iter("joint")}
    assert joints["slewing"].get("type") in ("continuous", "revolute")
    assert joints["trolley"].get("type") == "prismatic"
    trolley = crane.axis("trolley")
    limit = joints["trolley"].find("limit")
    assert float(limit.get("lower")) == trolley.lower and float(limit.get("upper")) == trolley.upper
    assert float(limit.get("velocity")) == trolley.max_speed
    for body in crane.scene.bodies:
        (link,) = [link for link in robot.iter("link") if link.get("name") == body.name]
        assert float(link.find("inertial/mass").get("value")) == body.mass
        assert float(link.find("inertial/inertia").get("izz")) > 0.0
    assert floating_bodies(crane) == (crane.suspension.hook, crane.suspension.load)
    for link in robot.iter("link"):
        assert len(visuals := list(link.iter("visual"))) == len({v.get("name") for v in visuals})


def beam(ratio=1.0, zero=0.0):
    """A beam on a tilted hinge beside its centre of mass, on a turned sledge; and a free ball."""
    turned = tuple(axangle2quat((1.0, 2.0, 3.0), 0.7))
    scene = Scene(
        bodies=(
            Body(
                "sledge",
                5.0,
                shape=Box(1.0, 1.0, 0.2),
                position=(1.0, 2.0, 3.0),
                orientation=turned,
            ),
            Body(
                "beam", 2.0, shape=Box(2.0, 0.2, 0.2), position=(2.0, 2.5, 3.5), orientation=turned
            ),
            Body("free", 1.0, shape=Box(1.0, 1.0, 1.0)),
        ),
        joints=(
            Joint(
                "slide",
                "prismatic",
                "sledge",
                axis=(0.0, 1.0, 1.0),
                position=0.4,
                lower=-2.0,
                upper=2.0,
            ),
            Joint(
                "hinge", "hinge", "beam", "sledge", (1.5, 2.0, 3.2), (0.3, -1.0, 0.5), position=0.6
            ),
        ),
        drives=(Drive("motor", "hinge"), Drive("pusher", "slide")),
        surfaces=(Surface(normal=(0.0, 1.0, 1.0), extent=(2.0, 3.0)),),
        visuals=(Visual("cover", Box(1.0, 1.0, 1.0), "beam", orientation=(2.0, 0.0, 0.0, 0.0)),),
    )
    swing = Axis(
        "swing", "motor", "swing", "rad", "", -3.0, 3.0, 1.0, 1.0, "rad/s", 1.0, ratio, zero
    )
    return Crane("beam", "test", scene, (swing,), (), "free")


@pytest.mark.parametrize("sense, zero", [(1.0, 0.0), (-1.0, 0.25)])
def test_a_hinge_off_the_centre_of_mass_gets_a_frame_on_its_axis(sense, zero, place):
    crane = beam(sense, zero)
    assert [link.name for link in links(crane)] == ["sledge", "hinge_axis", "beam", "free"]
    text = robot_description(crane)
    scene = crane.scene
    start = forward(place, text, {"slide": 0.4, "swing": (0.6 - zero) / sense})
    for body in scene.bodies[:2]:
        np.testing.assert_allclose(start[body.name][:3, 3], body.position, atol=1e-12)
        np.testing.assert_allclose(start[body.name][:3, :3], quat2mat(body.orientation), atol=1e-12)
    # by hand: the sledge slides 0.5 m along its axis, then the beam turns by 0.3 rad about the
    # hinge's
    later = forward(place, text, {"slide": 0.9, "swing": (0.9 - zero) / sense})
    slid = 0.5 * np.array([0.0, 1.0, 1.0]) / math.sqrt(2.0)
    np.testing.assert_allclose(later["sledge"][:3, 3], np.array([1.0, 2.0, 3.0]) + slid, atol=1e-12)
    turn = quat2mat(axangle2quat((0.3, -1.0, 0.5), 0.3))
    point, centre = np.array([1.5, 2.0, 3.2]), np.array([2.0, 2.5, 3.5])
    np.testing.assert_allclose(
        later["beam"][:3, 3], slid + point + turn @ (centre - point), atol=1e-12
    )


def test_a_geared_joint_is_refused_in_the_description():
    with pytest.raises(SpecError, match=naming("ratio 2")):
        links(beam(2.0))


def with_wedge():
    """The beam with a polyhedron as an obstacle on it."""
    corners = ((0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 0.5), (-1.0, 0.2, 0.1))
    wedge = Obstacle("wedge", Polyhedron(corners), body="beam", position=(0.1, 0.2, 0.3))
    crane = beam()
    return dataclasses.replace(crane, scene=dataclasses.replace(crane.scene, obstacles=(wedge,)))


def test_a_polyhedron_is_a_closed_list_of_outward_triangles():
    array = scene_markers(with_wedge(), "", "world")
    assert refused(array) == []
    (marker,) = [m for m in array.markers if m.type == Marker.TRIANGLE_LIST]
    assert marker.header.frame_id == "beam" and (
        marker.scale.x,
        marker.scale.y,
        marker.scale.z,
    ) == (1.0, 1.0, 1.0)
    a, b, c = np.array([(p.x, p.y, p.z) for p in marker.points]).reshape(-1, 3, 3).swapaxes(0, 1)
    areas = 0.5 * np.cross(b - a, c - a)
    np.testing.assert_allclose(areas.sum(axis=0), 0.0, atol=1e-12)
    assert np.einsum("ij,ij->", a, areas) / 3.0 == pytest.approx(
        ConvexHull(with_wedge().scene.obstacles[0].shape.corners).volume
    )
    assert (np.einsum("ij,ij->i", areas, a - np.array([0.2, 0.2, 0.1])) > 0.0).all()


def test_a_polyhedron_is_its_bounding_box_in_the_description():
    robot = ElementTree.fromstring(robot_description(with_wedge()).encode())
    visual = robot.find("./link[@name='beam']/visual[@name='wedge']")
    assert visual.find("geometry/box").get("size") == "3.0 1.0 0.5"
    np.testing.assert_allclose(
        np.fromstring(visual.find("origin").get("xyz"), sep=" "), (0.6, 0.7, 0.55), atol=1e-12
    )
