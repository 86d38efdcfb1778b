"""From observations to messages, markers and the description, without a graph."""

import dataclasses
import math
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import ConvexHull
from transforms3d.quaternions import axangle2quat, quat2mat

pytest.importorskip("rclpy")

from builtin_interfaces.msg import Time  # noqa: E402
from cable_sim.msg import CableState  # noqa: E402
from geometry_msgs.msg import Quaternion  # noqa: E402
from visualization_msgs.msg import Marker  # noqa: E402

from cable_sim.cranes import load_crane  # noqa: E402
from cable_sim.cranes.crane import Axis, Crane  # noqa: E402
from cable_sim.errors import SpecError  # noqa: E402
from cable_sim.kernels.quantities import capacity  # noqa: E402
from cable_sim.machine.faults import Fault  # noqa: E402
from cable_sim.machine.machine import Machine  # noqa: E402
from cable_sim.ros import device_messages, messages  # noqa: E402
from cable_sim.ros.description import robot_description  # noqa: E402
from cable_sim.ros.frames import BASE, floating, links  # noqa: E402
from cable_sim.ros.mail import Mail, cable_pictures  # noqa: E402
from cable_sim.ros.markers import CableMarkers, scene_markers, spans_of, tilt  # noqa: E402
from cable_sim.scenes.machines import load_machine  # noqa: E402
from cable_sim.spec import Body, Box, Drive, Joint, Obstacle, Polyhedron, Scene, Surface, Visual  # noqa: E402

finite = st.floats(-10.0, 10.0)


@pytest.fixture(scope="module")
def machine(crane):
    """The crane after a second and a half of slewing, trolleying and hoisting."""
    made = Machine(crane)
    for _ in range(150):
        made.command("slewing", 0.05)
        made.command("trolley", 0.5)
        made.command("hoist", -0.3)
        made.tick()
    return made


@pytest.fixture(scope="module")
def observation(machine):
    """What it looks like then."""
    return machine.observe()


def test_quaternions_change_their_order_at_the_border_and_nowhere_else():
    assert messages.xyzw((1.0, 2.0, 3.0, 4.0)) == (2.0, 3.0, 4.0, 1.0)
    quarter_turn_left = axangle2quat((0.0, 0.0, 1.0), math.pi / 2.0)
    message = Quaternion()
    messages.set_orientation(message, quarter_turn_left)
    # ROS: x, y, z, w of a quarter turn about z
    assert (message.x, message.y, message.z, message.w) == pytest.approx((0.0, 0.0, 0.5**0.5, 0.5**0.5))


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
    paid = after.cable(crane.ropes[0]).length_paid_out - before.cable(crane.ropes[0]).length_paid_out
    sheaves = [node for node in spec.nodes if node.kind == "sheave"]
    # before the first sheave the path keeps its length: all rope taken in ran over it, backwards, but for the
    # centimetres by which the rope between drum and sheave stretches when the load comes off the ground
    assert paid < -0.3
    assert state.sheave_angle[0] * sheaves[0].radius == pytest.approx(paid, rel=0.05)
    # and the last one is at the dead end's side of the hook, where only rope of the last fall runs
    assert abs(state.sheave_angle[-1] * sheaves[-1].radius) < 0.1 * abs(paid)


def test_the_rope_beyond_the_last_sheave_is_that_of_the_last_span_without_its_stretch(crane):
    """Paid out less what lies before the sheave, both without their stretch T / EA: 24 mm in all, exact to 0.1 mm."""
    machine = Machine(crane)
    message = messages.CableStatesMessage(crane, BASE, Time())
    (entry,) = [entry for entry in message.cables if entry.spec.name == crane.ropes[0]]
    rope = machine.tick().cable(crane.ropes[0])
    assert rope.length - rope.length_paid_out > 0.02
    last = rope.span_length[-1] / (1.0 + rope.span_tension[-1] / crane.details.hoist_rope.ea)
    assert entry.passed(rope)[-1] == pytest.approx(last, abs=1e-4)


def test_a_rope_that_parted_is_broken(crane):
    machine = Machine(crane)
    machine.tick()
    machine.faults.inject(Fault("rope_break", crane.ropes[0]))
    states = messages.CableStatesMessage(crane, BASE, Time()).fill(machine.tick()).cables
    assert [s.status == CableState.BROKEN for s in states] == [s.name == crane.ropes[0] for s in states]


def test_a_gantry_has_one_capacity_and_four_load_pins():
    """Its load hangs in the machine: what the pins read together is half of load and spreader, on two falls a rope."""
    crane = load_crane("rtg_41t", {"rig.start.state": "hanging"})
    machine = Machine(crane)
    for _ in range(200):
        machine.tick()
    moment = device_messages.LoadMomentMessage(crane, Time()).fill(machine)
    spec = crane.details
    assert math.isnan(moment.radius) and moment.capacity == pytest.approx(spec.crane.rated_load)
    assert moment.valid and moment.utilisation == pytest.approx(moment.load / moment.capacity)
    force = device_messages.LoadCellMessage(crane, "trolley", Time()).fill(machine).wrench.force.z
    assert 2.0 * force / 9.81 - spec.spreader_mass == pytest.approx(moment.load, rel=0.01)


def test_an_imu_without_a_reading_or_a_gyroscope_says_so(crane):
    machine = Machine(crane)
    machine.tick()
    fill = device_messages.ImuMessage(crane, "hook_block", Time()).fill
    whole = fill(machine)
    assert whole.linear_acceleration_covariance[0] > 0.0 and whole.angular_velocity_covariance[0] > 0.0
    machine.faults.inject(Fault("sensor_dead", "hook.rate.y"))
    machine.tick()
    dead = fill(machine)
    assert dead.linear_acceleration_covariance[0] > 0.0 and dead.angular_velocity_covariance[0] == -1.0
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


def rviz_accepts(array):
    """RViz' own rules for marker arrays."""
    seen = set()
    for marker in array.markers:
        if marker.action == Marker.DELETEALL:
            assert marker is array.markers[0]
            continue
        assert (marker.ns, marker.id) not in seen
        seen.add((marker.ns, marker.id))
        assert marker.header.frame_id
        assert (marker.action == Marker.ADD) == bool(marker.points) or marker.type != Marker.SPHERE_LIST
        assert marker.lifetime.sec == marker.lifetime.nanosec == 0
        pose, scale, color = marker.pose, marker.scale, marker.color
        numbers = [pose.position.x, pose.position.y, pose.position.z, scale.x, scale.y, scale.z]
        numbers += [color.r, color.g, color.b, color.a]
        numbers += [value for point in marker.points for value in (point.x, point.y, point.z)]
        assert np.isfinite(numbers).all()
        assert np.linalg.norm(messages.wxyz(pose.orientation)) == pytest.approx(1.0)
        assert 0.0 < color.a <= 1.0
        assert scale.x > 0.0
        lines = marker.type in (Marker.LINE_STRIP, Marker.LINE_LIST)
        if lines:
            assert marker.points and (scale.y, scale.z) == (0.0, 0.0)
            assert marker.type == Marker.LINE_STRIP or len(marker.points) % 2 == 0
        else:
            assert scale.y > 0.0 and scale.z > 0.0
        assert len(marker.colors) in (0, len(marker.points))
    return seen


def test_scene_markers_keep_rviz_rules_and_show_everything(crane):
    array = scene_markers(crane, "c/", "map")
    rviz_accepts(array)
    wheels = sum(n.kind in ("sheave", "drum") for c in crane.scene.cables for n in c.nodes)
    shapes = sum(body.shape is not None for body in crane.scene.bodies)
    scene = crane.scene
    assert len(array.markers) == 1 + wheels + shapes + len(scene.visuals) + len(scene.surfaces)
    for marker in array.markers[1:]:
        assert marker.frame_locked == (marker.header.frame_id != "map")
    assert {m.header.frame_id for m in array.markers} <= {"map"} | {f"c/{b.name}" for b in scene.bodies}


def test_cable_markers_keep_rviz_rules_and_their_number_of_points(crane, machine, observation):
    markers = CableMarkers(crane, "", "world")
    first = markers.fill(observation)
    rviz_accepts(first)
    parts = list(first.markers)
    points = [marker.points for marker in parts]
    spans = sum(len(cable.nodes) - 1 for cable in crane.scene.cables)
    assert [m.type for m in parts].count(Marker.LINE_STRIP) == [m.type for m in parts].count(Marker.CYLINDER) == spans
    again = markers.fill(machine.observe())
    assert all(a is b and p is b.points for a, b, p in zip(parts, again.markers, points, strict=True))
    assert not any(marker.frame_locked for marker in again.markers)


def test_an_unhooked_cable_is_not_shown_until_it_is_hooked_on(crane):
    machine, markers, name = Machine(crane), CableMarkers(crane, "c/", "map"), crane.scene.cables[-1].name
    machine.simulator.unhook(name)
    opacities = []
    for _ in range(2):
        array = markers.fill(machine.observe())
        shown = {m.ns: m.color.a for m in array.markers}
        opacities.append([shown[ns] for ns in (spans_of(name, "c/"), f"c/tubes/{name}")])
        assert shown[spans_of(crane.scene.cables[0].name, "c/")] == 1.0
        if not opacities[1:]:
            machine.simulator.hook(name, reach=1.0)
    assert opacities == [[0.0, 0.0], [1.0, 1.0]]


def test_cable_markers_are_a_line_along_the_curve_and_a_tube_that_hides_it(crane):
    heavy = load_crane("tower_12t", {"reeving.model": "elevation"})
    machine, markers = Machine(heavy), CableMarkers(heavy, "c/", "map")
    for _ in range(2):
        observation = machine.tick()
        array = markers.fill(observation)
        rviz_accepts(array)
        for cable in heavy.scene.cables:
            seen = observation.cable(cable.name)
            strips = [m for m in array.markers if m.ns == spans_of(cable.name, "c/")]
            tubes = [m for m in array.markers if m.ns == f"c/tubes/{cable.name}"]
            assert [m.id for m in strips] == list(range(len(cable.nodes) - 1)) and len(tubes) == len(seen.curve) - 1
            ends = seen.curve_nodes
            for strip, first, last in zip(strips, ends, ends[1:], strict=False):
                drawn = np.array([(p.x, p.y, p.z) for p in strip.points])
                assert (drawn == seen.curve[first : last + 1]).all()
            for tube, start, end in zip(tubes, seen.curve, seen.curve[1:], strict=False):
                place, half = tube.pose.position, 0.5 * tube.scale.z
                along = quat2mat(messages.wxyz(tube.pose.orientation))[:, 2]
                middle = np.array([place.x, place.y, place.z])
                np.testing.assert_allclose([middle - half * along, middle + half * along], [start, end], atol=1e-9)
                assert cable.diameter < strips[0].scale.x < tube.scale.x == tube.scale.y == 0.1
                shown = next(s for s, last in zip(strips, ends[1:], strict=False) if tube.id < last)
                assert tube.color == shown.color


def test_tubes_between_points_that_coincide_or_are_not_finite_keep_rviz_rules(crane, observation):
    rope = observation.cable(crane.ropes[0])
    broken = rope.curve.copy()
    broken[2], broken[4] = broken[1], np.nan
    markers = CableMarkers(crane, "", "world")
    markers.fill(observation)
    (look,) = [look for look in markers.cables if look.spec.name == crane.ropes[0]]
    look.fill(rope._replace(curve=broken))
    rviz_accepts(markers.message)


def test_nodes_of_wires_are_lists_of_balls_and_an_order_to_forget_what_there_is_none_of():
    """Two boxes fall on their wires: masses before, contact nodes after; over ROS as in this process."""
    crane = load_machine("boxes_on_wires")
    machine, markers, mail, said = Machine(crane), CableMarkers(crane, "c/", "map"), Mail(), set()
    for steps in (1, 9, 50):
        for _ in range(steps):
            observation = machine.tick()
        array = markers.fill(observation)
        rviz_accepts(array)
        balls = {m.id: m for m in array.markers if m.ns == "c/wire_nodes"}
        assert list(balls) == list(range(9)), "three kinds of each of three cables"
        mail.take_markers(array)
        frame = machine.frame(observation)
        over_ros = cable_pictures(crane, "c/", frame.poses, mail)
        for number, (name, picture) in enumerate(frame.cables.items()):
            masses, slides, sticks = (balls[3 * number + kind] for kind in range(3))
            assert len(masses.points) == len(picture.masses) and sticks.action == Marker.DELETE
            drawn = [(p.x, p.y, p.z) for p in slides.points]
            np.testing.assert_array_equal(np.reshape(drawn, (-1, 3)), picture.contacts)
            assert masses.color.b > masses.color.g - 1e-9 and slides.color.g < 0.5 * slides.color.b
            np.testing.assert_allclose(over_ros[name].masses, picture.masses, atol=1e-9)
            np.testing.assert_allclose(over_ros[name].contacts, picture.contacts, atol=1e-9)
            assert over_ros[name].sticks.tolist() == picture.sticks.tolist()
            said |= {("mass", masses.action), ("contact", slides.action)}
    assert said == {(kind, action) for kind in ("mass", "contact") for action in (Marker.ADD, Marker.DELETE)}


def test_contact_nodes_that_stick_are_larger():
    crane = load_machine("wire_over_beam")
    view = Machine(crane).tick().cable("wire")
    assert len(view.contact_position) == 2
    view = view._replace(contact_sticks=np.array([False, True]))
    (look,) = CableMarkers(crane, "", "world").cables
    look.build(view)
    look.fill(view)
    masses, slides, sticks = look.balls
    assert masses.action == Marker.DELETE and slides.action == sticks.action == Marker.ADD
    assert sticks.scale.x == pytest.approx(1.5 * slides.scale.x) and slides.scale.x > look.width
    assert (sticks.points[0].x, sticks.points[0].z) == tuple(view.contact_position[1][[0, 2]])


def test_a_frame_over_ros_has_the_curve_of_the_markers_hung_on_the_newest_poses():
    crane = load_crane("tower_12t", {"reeving.model": "elevation"})
    machine, markers, mail = Machine(crane), CableMarkers(crane, "c/", "map"), Mail()
    observation = machine.tick()
    frame = machine.frame(observation)
    states = messages.CableStatesMessage(crane, BASE, Time())

    def shown(poses):
        return cable_pictures(crane, "c/", poses, mail)

    straight = shown(frame.poses)["hoist_rope"]
    assert straight.nodes.tolist() == list(range(7)) and not straight.tension.any(), "before the first markers"
    mail.take_markers(markers.fill(observation))
    mail.take_cables(states.fill(observation))
    for name, picture in shown(frame.poses).items():
        assert (picture.nodes == frame.cables[name].nodes).all()
        np.testing.assert_allclose(picture.points, frame.cables[name].points, atol=1e-9)
        np.testing.assert_allclose(picture.tension, frame.cables[name].tension)
    poses = dict(frame.poses)
    moved = np.array([0.02, 0.03, -0.1])  # the hook since the markers
    poses["hook_block"] = (poses["hook_block"][0] + moved, poses["hook_block"][1])
    then, now = frame.cables["hoist_rope"], shown(poses)["hoist_rope"]
    change = now.points - then.points
    np.testing.assert_allclose(change[then.nodes], [[0.0] * 3] * 3 + [moved] * 2 + [[0.0] * 3] * 2, atol=1e-9)
    np.testing.assert_allclose(change[then.nodes[2] + 16], 0.5 * moved, atol=1e-9)


@given(st.tuples(finite, finite, finite).filter(lambda v: np.linalg.norm(v) > 1e-3))
def test_tilting_brings_z_onto_the_axis(axis):
    q = tilt(axis)
    np.testing.assert_allclose(quat2mat(q) @ (0.0, 0.0, 1.0), np.array(axis) / np.linalg.norm(axis), atol=1e-9)


def forward(place, text, coordinates):
    """Poses (4, 4) of all links that joints hold, from the description."""
    robot = ElementTree.fromstring(text.encode())
    floats = {j.find("child").get("link") for j in robot.iter("joint") if j.get("type") == "floating"}
    return {
        link.get("name"): place(robot, link.get("name"), coordinates)
        for link in robot.iter("link")
        if link.get("name") not in floats
    }


def test_the_description_puts_the_bodies_where_the_simulator_has_them(crane, machine, observation, place):
    at = forward(
        place,
        robot_description(crane),
        {axis.joint: machine.axis_state(observation, axis.name).position for axis in crane.axes},
    )
    for name in (crane.suspension.base, crane.suspension.trolley):
        body = observation.body(name)
        np.testing.assert_allclose(at[name][:3, 3], body.position, atol=1e-6)
        np.testing.assert_allclose(at[name][:3, :3], quat2mat(body.orientation), atol=1e-6)


def test_the_description_is_a_tree_with_masses_limits_and_one_root(crane):
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
    assert floating(crane) == (crane.suspension.hook, crane.suspension.load)
    for link in robot.iter("link"):
        assert len(visuals := list(link.iter("visual"))) == len({v.get("name") for v in visuals})


def beam(ratio=1.0, zero=0.0):
    """A beam on a tilted hinge beside its centre of mass, on a turned sledge; and a free ball."""
    turned = tuple(axangle2quat((1.0, 2.0, 3.0), 0.7))
    scene = Scene(
        bodies=(
            Body("sledge", 5.0, shape=Box(1.0, 1.0, 0.2), position=(1.0, 2.0, 3.0), orientation=turned),
            Body("beam", 2.0, shape=Box(2.0, 0.2, 0.2), position=(2.0, 2.5, 3.5), orientation=turned),
            Body("free", 1.0, shape=Box(1.0, 1.0, 1.0)),
        ),
        joints=(
            Joint("slide", "prismatic", "sledge", axis=(0.0, 1.0, 1.0), position=0.4, lower=-2.0, upper=2.0),
            Joint("hinge", "hinge", "beam", "sledge", (1.5, 2.0, 3.2), (0.3, -1.0, 0.5), position=0.6),
        ),
        drives=(Drive("motor", "hinge"), Drive("pusher", "slide")),
        surfaces=(Surface(normal=(0.0, 1.0, 1.0), extent=(2.0, 3.0)),),
        visuals=(Visual("cover", Box(1.0, 1.0, 1.0), "beam", orientation=(2.0, 0.0, 0.0, 0.0)),),
    )
    swing = Axis("swing", "motor", "swing", "rad", "", -3.0, 3.0, 1.0, 1.0, "rad/s", 1.0, ratio, zero)
    return Crane("beam", "test", scene, (swing,), (), "free")


@pytest.mark.parametrize("sense, zero", [(1.0, 0.0), (-1.0, 0.25)])
def test_a_hinge_beside_the_centre_of_mass_gets_a_frame_on_its_axis(sense, zero, place):
    crane = beam(sense, zero)
    assert [link.name for link in links(crane)] == ["sledge", "hinge_axis", "beam", "free"]
    text = robot_description(crane)
    scene = crane.scene
    start = forward(place, text, {"slide": 0.4, "swing": (0.6 - zero) / sense})
    for body in scene.bodies[:2]:
        np.testing.assert_allclose(start[body.name][:3, 3], body.position, atol=1e-12)
        np.testing.assert_allclose(start[body.name][:3, :3], quat2mat(body.orientation), atol=1e-12)
    # by hand: the sledge slides 0.5 m along its axis, then the beam turns by 0.3 rad about the hinge's
    later = forward(place, text, {"slide": 0.9, "swing": (0.9 - zero) / sense})
    slid = 0.5 * np.array([0.0, 1.0, 1.0]) / math.sqrt(2.0)
    np.testing.assert_allclose(later["sledge"][:3, 3], np.array([1.0, 2.0, 3.0]) + slid, atol=1e-12)
    turn = quat2mat(axangle2quat((0.3, -1.0, 0.5), 0.3))
    point, centre = np.array([1.5, 2.0, 3.2]), np.array([2.0, 2.5, 3.5])
    np.testing.assert_allclose(later["beam"][:3, 3], slid + point + turn @ (centre - point), atol=1e-12)


def test_a_geared_joint_is_refused_because_it_would_be_drawn_wrong():
    with pytest.raises(SpecError, match="ratio of 2"):
        links(beam(2.0))


def test_shapes_of_any_scene_keep_rviz_rules():
    rviz_accepts(scene_markers(beam(), "", "world"))


def with_wedge():
    """The beam with a polyhedron as an obstacle on it."""
    corners = ((0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 0.5), (-1.0, 0.2, 0.1))
    wedge = Obstacle("wedge", Polyhedron(corners), body="beam", position=(0.1, 0.2, 0.3))
    crane = beam()
    return dataclasses.replace(crane, scene=dataclasses.replace(crane.scene, obstacles=(wedge,)))


def test_a_polyhedron_is_a_closed_list_of_triangles_that_look_outward():
    array = scene_markers(with_wedge(), "", "world")
    rviz_accepts(array)
    (marker,) = [m for m in array.markers if m.type == Marker.TRIANGLE_LIST]
    assert marker.header.frame_id == "beam" and (marker.scale.x, marker.scale.y, marker.scale.z) == (1.0, 1.0, 1.0)
    a, b, c = np.array([(p.x, p.y, p.z) for p in marker.points]).reshape(-1, 3, 3).swapaxes(0, 1)
    areas = 0.5 * np.cross(b - a, c - a)
    np.testing.assert_allclose(areas.sum(axis=0), 0.0, atol=1e-12)
    assert np.einsum("ij,ij->", a, areas) / 3.0 == pytest.approx(ConvexHull(with_wedge().scene.obstacles[0].shape.corners).volume)  # noqa: E501
    assert (np.einsum("ij,ij->i", areas, a - np.array([0.2, 0.2, 0.1])) > 0.0).all()


def test_a_polyhedron_is_its_bounding_box_in_the_description():
    robot = ElementTree.fromstring(robot_description(with_wedge()).encode())
    visual = robot.find("./link[@name='beam']/visual[@name='wedge']")
    assert visual.find("geometry/box").get("size") == "3.0 1.0 0.5"
    np.testing.assert_allclose(np.fromstring(visual.find("origin").get("xyz"), sep=" "), (0.6, 0.7, 0.55), atol=1e-12)
