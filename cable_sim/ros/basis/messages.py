"""Messages made from observations. Each class reuses its message, because building one is costly.

All times of a node's messages are one :class:`~builtin_interfaces.msg.Time` object that the caller
sets. Inside the package quaternions are (w, x, y, z); only :func:`xyzw` and :func:`wxyz` know ROS'
order.
"""

import math
from array import array
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Quaternion, TransformStamped
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState
from std_msgs.msg import Header
from tf2_msgs.msg import TFMessage

from cable_sim.cranes.crane import Crane, Suspension
from cable_sim.machine.states import AxisState, Sway
from cable_sim.msg import CableState, CableStateArray, SwayState
from cable_sim.rendering.bodies import pose_of_aim
from cable_sim.ros.basis.frames import Array, passive_joints, rotate_back
from cable_sim.spec import Aim, Cable, Sheave

if TYPE_CHECKING:
    from cable_sim.sim.observation import Observation
    from cable_sim.sim.readings.views import CableView


def xyzw(orientation: Iterable[float]) -> tuple[float, float, float, float]:
    """Return the package's (w, x, y, z) in the order of ROS."""
    w, x, y, z = (float(part) for part in orientation)
    return x, y, z, w


def wxyz(message: Quaternion) -> Array:
    """Return a quaternion of ROS in the order of the package."""
    return np.array([message.w, message.x, message.y, message.z])


def set_orientation(message: Quaternion, orientation: Iterable[float]) -> None:
    """Write (w, x, y, z) into a message."""
    message.x, message.y, message.z, message.w = xyzw(orientation)


def set_vector(message: Any, vector: Iterable[float]) -> None:
    """Write three numbers into a Point or a Vector3."""
    x, y, z = vector
    message.x = float(x)
    message.y = float(y)
    message.z = float(z)


def vector_of(message: Any) -> tuple[float, float, float]:
    """Return the numbers of a Point or a Vector3."""
    return message.x, message.y, message.z


def seconds(message: Time) -> float:
    """Return a time in seconds."""
    return float(message.sec + 1e-9 * message.nanosec)


def nanoseconds(message: Time) -> int:
    """Return a time in whole nanoseconds."""
    return int(message.sec) * 1_000_000_000 + int(message.nanosec)


def set_time(message: Time, nanoseconds: int) -> None:
    """Set a time from whole nanoseconds."""
    message.sec, message.nanosec = divmod(nanoseconds, 1_000_000_000)


def doubles(values: Any) -> "array[float]":
    """Return the numbers as the array that a ``float64[]`` field takes without conversion.

    That takes 2 % of the time of a list.
    """
    return array("d", np.ascontiguousarray(values, dtype=float).tobytes())


class JointStateMessage:
    """Message joint_states: the crane's axes by joint name, then undriven joints (effort NaN)."""

    def __init__(self, crane: Crane, stamp: Time) -> None:
        self.passive = passive_joints(crane)
        names = [axis.joint for axis in crane.axes] + list(self.passive)
        self.message = JointState(header=Header(stamp=stamp), name=names)

    def fill(self, observation: "Observation", axes: Iterable[AxisState]) -> JointState:
        """Fill in position [rad or m], speed, and effort [N m or N], in the axes' sense."""
        rows = [tuple(axis) for axis in axes]
        for name in self.passive:
            joint = observation.joint(name)
            rows.append((joint.position, joint.velocity, np.nan))
        for i, field in enumerate(("position", "velocity", "effort")):
            setattr(self.message, field, array("d", [float(row[i]) for row in rows]))
        return self.message


class CableStatesMessage:
    """Message cable_states: one entry per cable, in the scene's order."""

    def __init__(self, crane: Crane, frame: str, stamp: Time) -> None:
        self.cables = [_CableEntry(cable) for cable in crane.scene.cables]
        cables = [entry.message for entry in self.cables]
        self.message = CableStateArray(header=Header(stamp=stamp, frame_id=frame), cables=cables)

    def fill(self, observation: "Observation") -> CableStateArray:
        """Fill in lengths [m], tensions [N] and derived values."""
        for entry in self.cables:
            entry.fill(observation.cable(entry.spec.name))
        return self.message

    def start_again(self) -> None:
        """Count the sheaves' turns from the next observation on."""
        for entry in self.cables:
            entry.passed_at_start = None


class _CableEntry:
    """Part of one cable in cable_states."""

    def __init__(self, cable: Cable) -> None:
        self.spec = cable
        self.message = CableState(name=cable.name)
        self.sheaves = [i for i, node in enumerate(cable.nodes) if node.kind == "sheave"]
        self.radii = np.array([_wheel_radius(cable.nodes, i) for i in self.sheaves])
        self.passed_at_start: Array | None = None

    def fill(self, cable: "CableView") -> None:
        """Fill in one cable."""
        message = self.message
        spec = self.spec
        message.length_paid_out = cable.length_paid_out
        message.length_rate = cable.length_rate
        message.tension_winch = cable.tension
        message.tension_dead_end = cable.tension_dead_end
        message.span_tension = doubles(cable.span_tension)
        message.span_length = doubles(cable.span_length)
        passed = self.rope_beyond_sheaves(cable)
        if self.passed_at_start is None:
            self.passed_at_start = passed
        message.sheave_angle = doubles((passed - self.passed_at_start) / self.radii)
        message.slack = cable.slack
        most = max(float(cable.span_tension.max()), cable.tension_dead_end)
        overload = most > spec.breaking_force
        worst = (
            CableState.OVERLOAD if overload else CableState.SLACK if cable.slack else CableState.OK
        )
        message.status = CableState.BROKEN if cable.parted else worst

    def rope_beyond_sheaves(self, cable: "CableView") -> Array:
        """Return the unstretched rope [m] beyond each sheave, towards the dead end.

        That is the paid-out length less the spans before the sheave, each l / (1 + T / EA); a cable
        without elasticity does not stretch. Its change over the sheave's radius is the sheave's
        turn.
        """
        spec = self.spec
        ea = spec.axial_rigidity or (
            spec.stiffness * cable.length_paid_out if spec.stiffness else np.inf
        )
        unstretched = cable.span_length / (1.0 + cable.span_tension / ea)
        beyond = cable.length_paid_out - np.cumsum(unstretched)
        return beyond[[i - 1 for i in self.sheaves]]


def _wheel_radius(nodes: Sequence[Any], i: int) -> float:
    """Return the radius [m] on which the rope turns the wheel of node ``i``, a sheave.

    A wheel that turns the rope by half a circle has its two tangent points for a diameter; its
    ``radius`` is not used.
    """
    for first in (i - 1, i):
        if isinstance(nodes[first], Sheave) and nodes[first].half_turn:
            return 0.5 * math.dist(nodes[first].position, nodes[first + 1].position)
    return float(nodes[i].radius)


SWAY = ("sway_radial", "sway_tangential", "rate_radial", "rate_tangential", "fall_length")
"""Fields of SwayState and Feedback, in the order of :class:`Sway`."""


def set_sway(message: Any, sway: Sway) -> None:
    """Write a sway into a SwayState or Feedback."""
    for field, value in zip(SWAY, sway, strict=True):
        setattr(message, field, value)


def sway_of(message: Any) -> Sway:
    """Return the sway in a SwayState or Feedback."""
    return Sway(*(getattr(message, field) for field in SWAY))


class SwayMessage:
    """Message sway_state."""

    def __init__(
        self, suspension: Suspension, ropes: Iterable[str], prefix: str, stamp: Time
    ) -> None:
        self.suspension = suspension
        self.ropes = tuple(ropes)
        header = Header(stamp=stamp, frame_id=prefix + suspension.trolley)
        self.message = SwayState(header=header)

    def fill(self, observation: "Observation", sway: Sway) -> SwayState:
        """Fill in angles [rad], their rates, and length of the fall and hook position [m].

        The position is in the trolley's frame, from its origin. The others are measured from the
        suspension point, in crane axes.
        """
        message = self.message
        set_sway(message, sway)
        trolley = observation.body(self.suspension.trolley)
        hook = observation.body(self.suspension.hook)
        set_vector(message.hook, rotate_back(trolley.orientation, hook.position - trolley.position))
        slack = observation.cable_slack
        cables = observation.names.cables
        message.valid = not any(slack[cables.index(rope)] for rope in self.ropes)
        return message


class GroundTruthMessage:
    """Message payload_ground_truth: pose in the world, velocity in the load's frame.

    nav_msgs/Odometry requires these frames.
    """

    def __init__(self, load: str, prefix: str, world: str, stamp: Time) -> None:
        self.load = load
        header = Header(stamp=stamp, frame_id=world)
        self.message = Odometry(header=header, child_frame_id=prefix + load)

    def fill(self, observation: "Observation") -> Odometry:
        """Fill in the load's pose and velocity; covariances stay zero because this is the truth."""
        body = observation.body(self.load)
        pose = self.message.pose.pose
        twist = self.message.twist.twist
        set_vector(pose.position, body.position)
        set_orientation(pose.orientation, body.orientation)
        set_vector(twist.linear, rotate_back(body.orientation, body.velocity))
        set_vector(twist.angular, rotate_back(body.orientation, body.angular_velocity))
        return self.message


class TransformsMessage:
    """Message /tf: the frames of the named bodies, and of aims, in the world frame."""

    def __init__(
        self, bodies: Iterable[str], prefix: str, world: str, stamp: Time, aims: Iterable[Aim] = ()
    ) -> None:
        self.bodies = tuple(bodies)
        self.aims = tuple(aims)
        names = (*self.bodies, *(aim.name for aim in self.aims))
        self.message = TFMessage(
            transforms=[transform(world, prefix + name, stamp) for name in names]
        )

    def fill(self, observation: "Observation") -> TFMessage:
        """Fill in the poses."""
        transforms = iter(self.message.transforms)
        for name, stamped in zip(self.bodies, transforms, strict=False):
            body = observation.body(name)
            set_pose(stamped, body.position, body.orientation)
        for aim, stamped in zip(self.aims, transforms, strict=True):
            ends = {name: observation.body(name) for name in (aim.body, aim.at)}
            poses = {name: (end.position, end.orientation) for name, end in ends.items()}
            set_pose(stamped, *pose_of_aim(aim, poses))
        return self.message


def transform(parent: str, child: str, stamp: Time) -> TransformStamped:
    """Return an identity transform."""
    return TransformStamped(header=Header(stamp=stamp, frame_id=parent), child_frame_id=child)


def set_pose(stamped: TransformStamped, position: Iterable[float], orientation: Any) -> None:
    """Write a pose into a transform."""
    set_vector(stamped.transform.translation, position)
    set_orientation(stamped.transform.rotation, orientation)
