"""Endpoints of the node: names, types and quality of service, as the documentation promises them.

Names are relative, so that a namespace distinguishes cranes. ``/clock``, ``/tf``, ``/tf_static``
and ``/diagnostics`` are absolute as everywhere in ROS.
"""

from typing import Any, NamedTuple

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped, TwistStamped, TwistWithCovarianceStamped, WrenchStamped
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, CompressedImage, Image, Imu, JointState, Joy
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory
from visualization_msgs.msg import MarkerArray

from cable_sim.cranes.crane import Crane, Suspension
from cable_sim.msg import (
    AxisCommand,
    CableStateArray,
    ContactStateArray,
    FaultCommand,
    FaultStateArray,
    Feedback,
    LimitState,
    LoadMoment,
    SimStats,
    SwayState,
)
from cable_sim.ros.state_interfaces import devices


def quality(depth: int, latched: bool = False, reliable: bool = True) -> QoSProfile:
    """Return a quality of service that keeps the last ``depth`` messages.

    ``latched`` ones also reach late joiners (transient local).
    """
    return QoSProfile(
        depth=depth,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )


def is_latched(qos: QoSProfile) -> bool:
    """Return True if late joiners receive the last messages."""
    return qos.durability == DurabilityPolicy.TRANSIENT_LOCAL


class Endpoint(NamedTuple):
    """Topic: its name, message class and quality of service."""

    topic: str
    type: Any
    qos: QoSProfile


NODE_NAME = "cable_sim"
COMMANDS = "commands"
"""Part of the diagnostics on received and refused commands."""

JOINT_STATES = Endpoint("joint_states", JointState, quality(10))
CABLE_STATES = Endpoint("cable_states", CableStateArray, quality(10))
SWAY_STATE = Endpoint("sway_state", SwayState, quality(1))
GROUND_TRUTH = Endpoint("payload_ground_truth", Odometry, quality(10))
FEEDBACK = Endpoint("feedback", Feedback, quality(10))
SIM_STATS = Endpoint("sim_stats", SimStats, quality(1))
CABLE_MARKERS = Endpoint("cable_markers", MarkerArray, quality(1))
CONTACT_MARKERS = Endpoint("contact_markers", MarkerArray, quality(1))
SCENE_MARKERS = Endpoint("scene_markers", MarkerArray, quality(1, latched=True))
ROBOT_DESCRIPTION = Endpoint(f"{NODE_NAME}/robot_description", String, quality(1, latched=True))
TF = Endpoint("/tf", TFMessage, quality(100))
TF_STATIC = Endpoint("/tf_static", TFMessage, quality(1, latched=True))
CLOCK = Endpoint("/clock", Clock, quality(10))
DIAGNOSTICS = Endpoint("/diagnostics", DiagnosticArray, quality(1))
CONTACTS = Endpoint("contacts", ContactStateArray, quality(10))
ACTIVE_FAULTS = Endpoint("active_faults", FaultStateArray, quality(1, latched=True))
PUBLISHED = (
    JOINT_STATES,
    CABLE_STATES,
    SWAY_STATE,
    GROUND_TRUTH,
    FEEDBACK,
    SIM_STATS,
    CABLE_MARKERS,
    CONTACT_MARKERS,
    SCENE_MARKERS,
    ROBOT_DESCRIPTION,
    TF,
    TF_STATIC,
    CLOCK,
    DIAGNOSTICS,
    CONTACTS,
    ACTIVE_FAULTS,
)
OF_THE_LOAD = (SWAY_STATE, GROUND_TRUTH)
"""Endpoints published only where a load hangs on falls."""

LOAD_CELL = Endpoint("load_cell", WrenchStamped, quality(5))
HOOK_IMU = Endpoint("hook_imu", Imu, quality(5))
WIND = Endpoint("wind", TwistWithCovarianceStamped, quality(5))
LOAD_MOMENT = Endpoint("load_moment", LoadMoment, quality(1))
LIMITS = Endpoint("limits", LimitState, quality(1, latched=True))

JOINT_COMMANDS = Endpoint("joint_commands", JointState, quality(1))
JOY = Endpoint("joy", Joy, quality(1))
CMD_VEL = Endpoint("cmd_vel", TwistStamped, quality(1))
WIND_COMMAND = Endpoint("wind_command", TwistStamped, quality(1))
EXTERNAL_WRENCH = Endpoint("external_wrench", WrenchStamped, quality(10))
JOINT_TRAJECTORY = Endpoint(f"{NODE_NAME}/joint_trajectory", JointTrajectory, quality(1))
INJECT_FAULT = Endpoint(f"{NODE_NAME}/inject_fault", FaultCommand, quality(10))
AXIS_TOPICS = {
    "hoist": "winch_command",
    "slewing": "slew_command",
    "trolley": "trolley_command",
    "gantry": "gantry_command",
    "luffing": "luff_command",
    "telescoping": "telescope_command",
    "travel": "travel_command",
    "magnet": "magnet_command",
    "grab": "grab_command",
    "tilt": "tilt_command",
    "x": "x_command",
    "y": "y_command",
    "z": "z_command",
}
"""Topic of the commands to each axis; a node subscribes to those of its crane's axes.

The axis ``east_hoist`` of crane ``east`` among several has ``east/winch_command``.
"""

SERVICES = {
    "pause": SetBool,
    "reset": Trigger,
    "step": Trigger,
    "emergency_stop": SetBool,
    "enable": SetBool,
    "reset_limiters": Trigger,
    "clear_faults": Trigger,
    "release_load": Trigger,
    "save_snapshot": Trigger,
    "load_snapshot": Trigger,
    "twistlocks": SetBool,
    "slings": SetBool,
    "attach": SetBool,
}
"""Services in the node's own namespace (``~/pause``...); see :func:`service_names`."""
STANDARD_SERVICES = (
    "delete_entity",
    "get_available_worlds",
    "get_current_world",
    "get_entities",
    "get_entities_states",
    "get_entity_info",
    "get_entity_state",
    "get_simulation_state",
    "get_simulator_features",
    "get_spawnables",
    "reset_simulation",
    "set_entity_state",
    "set_simulation_state",
    "spawn_entity",
    "step_simulation",
)
LIFECYCLE_SERVICES = (
    "change_state",
    "get_state",
    "get_available_states",
    "get_available_transitions",
    "get_transition_graph",
)
"""Services of a managed node in its own namespace; it publishes :data:`TRANSITION_EVENT`, too."""
TRANSITION_EVENT = f"{NODE_NAME}/transition_event"
FOLLOW_JOINT_TRAJECTORY = "follow_joint_trajectory"
"""Action of control_msgs in the node's own namespace, if that package is installed."""
STANDARD_ACTIONS = ("simulate_steps",)
"""Actions of simulation_interfaces in the node's own namespace, if that package is installed."""


class CameraEndpoints(NamedTuple):
    """Topics of a camera, named as image_transport has them, or their publishers."""

    image: Any
    compressed: Any
    info: Any


def camera_endpoints(name: str) -> CameraEndpoints:
    """Return the endpoints of a camera; a program beside the node publishes them."""
    return CameraEndpoints(
        Endpoint(f"{name}/image_raw", Image, quality(1)),
        Endpoint(f"{name}/image_raw/compressed", CompressedImage, quality(1)),
        Endpoint(f"{name}/camera_info", CameraInfo, quality(1)),
    )


def camera_frame(name: str) -> str:
    """Return the name of a camera's frame: x to the right, y down, z along the view."""
    return f"{name}_optical_frame"


def published_endpoints(crane: Crane) -> tuple[Endpoint, ...]:
    """Return the endpoints that a node of this crane publishes."""
    always = tuple(
        endpoint for endpoint in PUBLISHED if crane.suspension or endpoint not in OF_THE_LOAD
    )
    others = tuple(
        load_endpoint(endpoint, crane, hung)
        for hung in crane.suspensions[1:]
        for endpoint in OF_THE_LOAD
    )
    devices = (
        load_endpoint(endpoint, crane, hung)
        for hung in crane.suspensions
        for endpoint in device_endpoints(crane, hung)
    )
    return (*always, *others, *devices, *((LIMITS,) if crane.limiters else ()))


def load_endpoint(endpoint: Endpoint, crane: Crane, suspension: Suspension) -> Endpoint:
    """Return the endpoint of a suspension.

    The first of several cranes has the topic itself, others have it below their names, as in
    ``west/sway_state``.
    """
    if suspension is crane.suspension:
        return endpoint
    return endpoint._replace(topic=f"{suspension.name}/{endpoint.topic}")


def device_endpoints(crane: Crane, suspension: Suspension) -> tuple[Endpoint, ...]:
    """Return the endpoints of a suspension's sensors; empty for a crane without sensors."""
    names = {quantity.name for quantity in crane.quantities}
    there = set(devices(crane, suspension))
    if {suspension.own_name("load"), suspension.own_name("load.share")} <= names:
        there.add(LOAD_MOMENT.topic)
    return tuple(one for one in (LOAD_CELL, HOOK_IMU, WIND, LOAD_MOMENT) if one.topic in there)


def service_names(crane: Crane) -> tuple[str, ...]:
    """Return the names of the services of a node of this crane.

    Twistlocks and slings are there only if the crane has them, and attach with a hook.
    """
    missing = {
        "twistlocks": crane.twistlocks is None,
        "slings": not crane.slings,
        "attach": not crane.suspensions,
    }
    return tuple(name for name in SERVICES if not missing.get(name))


def commanded_endpoints(crane: Crane) -> tuple[Endpoint, ...]:
    """Return the endpoints from which a node of this crane takes commands, except a game pad."""
    axes = (axis_command(axis.name) for axis in crane.axes if axis_topic(axis.name))
    linear = (CMD_VEL,) if any(axis.linear for axis in crane.axes) else ()
    poses = (pose_command(body) for body in crane.following)
    others = (JOINT_TRAJECTORY, WIND_COMMAND, EXTERNAL_WRENCH, INJECT_FAULT)
    return (JOINT_COMMANDS, *axes, *linear, *poses, *others)


def axis_command(axis: str) -> Endpoint:
    """Return the endpoint of commands to that axis; KeyError if the interface names none."""
    topic = axis_topic(axis)
    if topic is None:
        raise KeyError(axis)
    return Endpoint(topic, AxisCommand, quality(1))


def pose_command(body: str) -> Endpoint:
    """Return the endpoint of the poses that a body of the crane follows."""
    return Endpoint(f"{body}/pose_command", PoseStamped, quality(10))


def axis_topic(axis: str) -> str | None:
    """Return the topic of the commands to an axis, or to an axis of one of several cranes.

    It is None if the interface names none.
    """
    if axis in AXIS_TOPICS:
        return AXIS_TOPICS[axis]
    crane, _, own = axis.rpartition("_")
    return f"{crane}/{AXIS_TOPICS[own]}" if crane and own in AXIS_TOPICS else None
