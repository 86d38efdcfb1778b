"""What the documentation promises about the node, read back from the running graph."""

from xml.etree import ElementTree

import numpy as np
import pytest
from transforms3d.quaternions import quat2mat

pytest.importorskip("rclpy")

from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.msg import ParameterType, ParameterValue
from rcl_interfaces.srv import (
    DescribeParameters,
    GetParameters,
    ListParameters,
    SetParameters,
    SetParametersAtomically,
)
from rclpy.qos import DurabilityPolicy, HistoryPolicy, ReliabilityPolicy

from cable_sim.ros import interface
from cable_sim.ros.basis.messages import wxyz

PUBLISHED = {
    "/joint_states": ("sensor_msgs/msg/JointState", False),
    "/cable_states": ("cable_sim/msg/CableStateArray", False),
    "/sway_state": ("cable_sim/msg/SwayState", False),
    "/payload_ground_truth": ("nav_msgs/msg/Odometry", False),
    "/feedback": ("cable_sim/msg/Feedback", False),
    "/sim_stats": ("cable_sim/msg/SimStats", False),
    "/cable_markers": ("visualization_msgs/msg/MarkerArray", False),
    "/scene_markers": ("visualization_msgs/msg/MarkerArray", True),
    "/cable_sim/robot_description": ("std_msgs/msg/String", True),
    "/tf": ("tf2_msgs/msg/TFMessage", False),
    "/tf_static": ("tf2_msgs/msg/TFMessage", True),
    "/clock": ("rosgraph_msgs/msg/Clock", False),
    "/diagnostics": ("diagnostic_msgs/msg/DiagnosticArray", False),
    "/active_faults": ("cable_sim/msg/FaultStateArray", True),
    "/load_cell": ("geometry_msgs/msg/WrenchStamped", False),
    "/hook_imu": ("sensor_msgs/msg/Imu", False),
    "/wind": ("geometry_msgs/msg/TwistWithCovarianceStamped", False),
    "/load_moment": ("cable_sim/msg/LoadMoment", False),
    "/limits": ("cable_sim/msg/LimitState", True),
    "/contacts": ("cable_sim/msg/ContactStateArray", False),
    "/contact_markers": ("visualization_msgs/msg/MarkerArray", False),
}
SUBSCRIBED = {
    "/joint_commands": "sensor_msgs/msg/JointState",
    "/winch_command": "cable_sim/msg/AxisCommand",
    "/slew_command": "cable_sim/msg/AxisCommand",
    "/trolley_command": "cable_sim/msg/AxisCommand",
    "/wind_command": "geometry_msgs/msg/TwistStamped",
    "/cable_sim/joint_trajectory": "trajectory_msgs/msg/JointTrajectory",
    "/external_wrench": "geometry_msgs/msg/WrenchStamped",
    "/cable_sim/inject_fault": "cable_sim/msg/FaultCommand",
}
SERVICES = {
    "/cable_sim/pause": "std_srvs/srv/SetBool",
    "/cable_sim/reset": "std_srvs/srv/Trigger",
    "/cable_sim/step": "std_srvs/srv/Trigger",
    "/cable_sim/emergency_stop": "std_srvs/srv/SetBool",
    "/cable_sim/enable": "std_srvs/srv/SetBool",
    "/cable_sim/reset_limiters": "std_srvs/srv/Trigger",
    "/cable_sim/clear_faults": "std_srvs/srv/Trigger",
    "/cable_sim/release_load": "std_srvs/srv/Trigger",
    "/cable_sim/save_snapshot": "std_srvs/srv/Trigger",
    "/cable_sim/load_snapshot": "std_srvs/srv/Trigger",
    "/cable_sim/slings": "std_srvs/srv/SetBool",
    "/cable_sim/attach": "std_srvs/srv/SetBool",
}


@pytest.fixture(scope="module", autouse=True)
def _running(node):
    """Every test here looks at the same node."""


def ours(infos):
    """Those endpoints that belong to the simulator."""
    return [info for info in infos if info.node_name == "cable_sim"]


@pytest.mark.parametrize("topic", PUBLISHED)
def test_published_topics_have_the_promised_type_and_qos(probe, topic):
    kind, latched = PUBLISHED[topic]
    (info,) = probe.until(lambda: ours(probe.node.get_publishers_info_by_topic(topic)), topic)
    assert info.topic_type == kind
    assert info.qos_profile.reliability == ReliabilityPolicy.RELIABLE
    durability = DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE
    assert info.qos_profile.durability == durability


@pytest.mark.parametrize("topic", SUBSCRIBED)
def test_command_topics_have_the_promised_type_and_qos(probe, topic):
    (info,) = probe.until(lambda: ours(probe.node.get_subscriptions_info_by_topic(topic)), topic)
    assert info.topic_type == SUBSCRIBED[topic]
    assert info.qos_profile.reliability == ReliabilityPolicy.RELIABLE
    assert info.qos_profile.durability == DurabilityPolicy.VOLATILE


DEPTHS = {
    "joint_states": 10,
    "cable_states": 10,
    "sway_state": 1,
    "payload_ground_truth": 10,
    "sim_stats": 1,
    "cable_markers": 1,
    "contact_markers": 1,
    "scene_markers": 1,
    "cable_sim/robot_description": 1,
    "/tf": 100,
    "/tf_static": 1,
    "/clock": 10,
    "/diagnostics": 1,
    "active_faults": 1,
    "load_cell": 5,
    "hook_imu": 5,
    "wind": 5,
    "load_moment": 1,
    "limits": 1,
    "contacts": 10,
    "feedback": 10,
    "joint_commands": 1,
    "winch_command": 1,
    "slew_command": 1,
    "trolley_command": 1,
    "wind_command": 1,
    "external_wrench": 10,
    "cable_sim/inject_fault": 10,
    "cable_sim/joint_trajectory": 1,
}
"""How many messages are kept; discovery does not tell it."""


def test_depths_are_the_promised_ones(crane):
    endpoints = (*interface.published_endpoints(crane), *interface.commanded_endpoints(crane))
    assert {endpoint.topic: endpoint.qos.depth for endpoint in endpoints} == DEPTHS
    assert all(endpoint.qos.history == HistoryPolicy.KEEP_LAST for endpoint in endpoints)


def test_the_description_has_one_publisher_and_one_topic(probe):
    names = probe.node.get_topic_names_and_types()
    told = [name for name, _ in names if name.endswith("robot_description")]
    assert told == ["/cable_sim/robot_description"]
    assert probe.node.count_publishers(told[0]) == 1


def test_only_what_is_in_the_contract_is_published_or_served(probe):
    def graph():
        names = probe.published()
        if not set(PUBLISHED) <= set(names):
            return None
        services = dict(probe.node.get_service_names_and_types_by_node("cable_sim", "/"))
        return (names, services) if set(SERVICES) <= set(services) else None

    names, services = probe.until(graph, "topics and services of the node")
    private = {
        f"/cable_sim/{name}" for name in interface.STANDARD_SERVICES
    }  # simulation_interfaces, where it is there
    offered = (*interface.STANDARD_ACTIONS, interface.FOLLOW_JOINT_TRAJECTORY)
    actions = tuple(f"/cable_sim/{name}/_action/" for name in offered)
    assert {n for n in names if not n.startswith(actions)} - {
        "/rosout",
        "/parameter_events",
    } == set(PUBLISHED)
    own = {
        name: types[0]
        for name, types in services.items()
        if "param" not in name and "type_desc" not in name
    }
    assert {
        n: kind for n, kind in own.items() if n not in private and not n.startswith(actions)
    } == SERVICES


def describe(probe):
    """Every parameter's descriptor."""
    names = probe.call(ListParameters, "/cable_sim/list_parameters").result.names
    names = [
        n
        for n in names
        if n != "use_sim_time" and not n.startswith(("qos_overrides", "start_type_desc"))
    ]
    return probe.call(DescribeParameters, "/cable_sim/describe_parameters", names=names).descriptors


def test_every_parameter_is_described_with_its_range_and_unit(probe):
    found = describe(probe)
    assert len(found) >= 16
    for descriptor in found:
        assert len(descriptor.description) > 10, descriptor.name
        if descriptor.type == ParameterType.PARAMETER_DOUBLE:
            assert (
                descriptor.floating_point_range[0].to_value
                > descriptor.floating_point_range[0].from_value
            )
            plain = descriptor.name == "real_time_factor" or descriptor.name.endswith(".dropout")
            assert plain or "[" in descriptor.description, descriptor.name
    fixed = {d.name for d in found if d.read_only}
    assert {
        "crane_config",
        "physics_step",
        "tick_rate",
        "stepper",
        "publish_clock",
        "frame_prefix",
    } <= fixed
    assert fixed.isdisjoint(
        {"real_time_factor", "command_timeout", "marker_rate", "drives.hoist.max_speed"}
    )


def setting(name, value):
    """A parameter message."""
    return ParameterMessage(
        name=name, value=ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=value)
    )


@pytest.mark.parametrize(
    "name, value",
    [
        ("physics_step", 2e-3),
        ("tf_rate", 1e6),
        ("command_timeout", float("nan")),
        ("joint_state_rate", 500.0),
    ],
)
def test_a_read_only_out_of_range_or_unfit_parameter_is_refused(probe, name, value):
    answer = probe.call(
        SetParameters, "/cable_sim/set_parameters", parameters=[setting(name, value)]
    )
    assert not answer.results[0].successful
    assert name in answer.results[0].reason or "read-only" in answer.results[0].reason


def test_of_parameters_set_together_a_wrong_one_blocks_all(probe):
    together = [setting("command_timeout", 0.7), setting("joint_state_rate", 400.0)]
    answer = probe.call(
        SetParametersAtomically, "/cable_sim/set_parameters_atomically", parameters=together
    )
    assert not answer.result.successful
    values = probe.call(
        GetParameters, "/cable_sim/get_parameters", names=["command_timeout"]
    ).values
    assert values[0].double_value == 0.5


def test_joint_states_come_before_tf_and_tf_before_the_clock(probe):
    for endpoint in (interface.JOINT_STATES, interface.TF):
        probe.listen(endpoint)
    probe.fresh(interface.JOINT_STATES, 30)
    sent = {}
    for topic, stamp in (
        ("joint_states", lambda m: m.header.stamp),
        ("/tf", lambda m: m.transforms[0].header.stamp),
        ("/clock", lambda m: m.clock),
    ):
        sent[topic] = {}
        for message, at in zip(probe.messages[topic], probe.sent_at[topic], strict=True):
            sent[topic].setdefault(
                (stamp(message).sec, stamp(message).nanosec), at
            )  # the first of that instant
    common = set(sent["joint_states"]) & set(sent["/tf"]) & set(sent["/clock"])
    assert len(common) >= 5
    for key in common:
        assert sent["joint_states"][key] <= sent["/tf"][key] <= sent["/clock"][key]


def test_joint_states_name_every_axis_and_are_complete(probe, crane):
    message = probe.fresh(interface.JOINT_STATES)
    assert list(message.name)[:3] == [axis.joint for axis in crane.axes]
    for values in (message.position, message.velocity, message.effort):
        assert len(values) == len(message.name) and np.isfinite(values).all()


def test_cable_states_describe_every_cable(probe, crane):
    message = probe.fresh(interface.CABLE_STATES)
    assert [c.name for c in message.cables] == [c.name for c in crane.scene.cables]
    for state, spec in zip(message.cables, crane.scene.cables, strict=True):
        assert len(state.span_tension) == len(state.span_length) == len(spec.nodes) - 1
        assert len(state.sheave_angle) == sum(node.kind == "sheave" for node in spec.nodes)
        assert state.tension_winch == state.span_tension[0]
        assert state.slack == (state.status == type(state).SLACK)


def frames(probe):
    """Every frame's parent and place, from /tf and /tf_static as a late comer gets them."""
    static = probe.messages.get("/tf_static") or probe.listen(interface.TF_STATIC)
    probe.until(lambda: static, "latched /tf_static")
    moving = probe.fresh(interface.TF)
    assert len({t.child_frame_id for t in moving.transforms}) == len(moving.transforms)
    return {t.child_frame_id: t for t in [*static[-1].transforms, *moving.transforms]}


def test_tf_ties_every_body_to_the_world(probe, crane):
    tree = frames(probe)
    for body in crane.scene.bodies:
        assert tree[body.name].header.frame_id == "world"
        assert np.linalg.norm(wxyz(tree[body.name].transform.rotation)) == pytest.approx(1.0)
    assert tree["base_link"].header.frame_id == "world"


def test_the_description_agrees_with_tf_at_equal_joint_states(probe, crane, place):
    text = probe.listen(interface.ROBOT_DESCRIPTION)
    probe.until(lambda: text, "latched robot_description")
    moving = probe.fresh(interface.TF)
    stamp = moving.transforms[0].header.stamp
    (joints,) = probe.until(
        lambda: [m for m in probe.messages["joint_states"] if m.header.stamp == stamp],
        "joint_states of that instant",
    )
    at = {
        name: place(
            ElementTree.fromstring(text[-1].data),
            name,
            dict(zip(joints.name, joints.position, strict=True)),
        )
        for name in (crane.suspension.base, crane.suspension.trolley)
    }
    for transform in moving.transforms:
        if transform.child_frame_id in at:
            matrix, move = at[transform.child_frame_id], transform.transform.translation
            assert (move.x, move.y, move.z) == pytest.approx(matrix[:3, 3], abs=1e-6)
            np.testing.assert_allclose(
                quat2mat(wxyz(transform.transform.rotation)), matrix[:3, :3], atol=1e-6
            )


def test_ground_truth_is_where_tf_says_the_load_is(probe, crane):
    truths, moving = probe.listen(interface.GROUND_TRUTH), probe.listen(interface.TF)

    def same_instant():
        """Transform and ground truth of the load with one stamp."""
        at = {(m.header.stamp.sec, m.header.stamp.nanosec): m for m in truths}
        stamped = [
            t for m in moving for t in m.transforms if t.child_frame_id == crane.suspension.load
        ]
        pairs = [(t, at.get((t.header.stamp.sec, t.header.stamp.nanosec))) for t in stamped]
        return [pair for pair in pairs if pair[1]]

    transform, found = probe.until(same_instant, "both of one instant")[-1]
    assert (found.header.frame_id, found.child_frame_id) == ("world", crane.suspension.load)
    move, position = transform.transform.translation, found.pose.pose.position
    assert (position.x, position.y, position.z) == (move.x, move.y, move.z)


def test_sway_is_that_of_the_hook_below_the_trolley(probe, crane):
    sway = probe.fresh(interface.SWAY_STATE)
    assert sway.header.frame_id == crane.suspension.trolley and sway.valid
    hook = np.array([sway.hook.x, sway.hook.y, sway.hook.z])
    assert np.linalg.norm(hook) == pytest.approx(sway.fall_length)
    assert np.arctan2(hook[0], -hook[2]) == pytest.approx(sway.sway_radial, abs=1e-9)


def test_diagnostics_name_the_crane_and_cover_every_part(probe):
    message = probe.fresh(interface.DIAGNOSTICS)
    assert [status.name for status in message.status] == [
        f"cable_sim: {part}"
        for part in (
            "run",
            "solver",
            "commands",
            "drives",
            "cables",
            "sensors",
            "limiters",
            "faults",
        )
    ]
    values = {pair.key: pair.value for pair in message.status[-2].values}
    assert values["load_moment_limiter"] == values["estop"] == "ok"
    assert float(values["trolley.position reading"]) == pytest.approx(20.0, abs=0.01)
    assert {status.hardware_id for status in message.status} == {"tower_12t"}


def test_statistics_count_steps_and_say_how_fast_it_runs(probe):
    first = probe.fresh(interface.SIM_STATS)
    later = probe.fresh(interface.SIM_STATS, 5)
    assert later.ticks > first.ticks and later.steps == 10 * later.ticks
    assert 0.0 < later.step_time_mean <= later.step_time_max
    # where others took the processor before, it first catches up
    probe.until(lambda: 0.3 < probe.fresh(interface.SIM_STATS).real_time_factor < 2.0, "real time")
