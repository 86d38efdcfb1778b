"""Conversion of command messages into axis commands for the physics thread; subscriptions."""

import math
import re
import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from geometry_msgs.msg import PoseStamped, TwistStamped, WrenchStamped
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CommandError, SpecError, describe_error, unknown
from cable_sim.machine.actuation import Mode
from cable_sim.machine.external_wrenches import Push
from cable_sim.machine.faults import Fault
from cable_sim.machine.pose_following import PoseCommand
from cable_sim.msg import AxisCommand, FaultCommand
from cable_sim.ros.basis.messages import nanoseconds, vector_of
from cable_sim.ros.basis.parameters import MOST_WIND
from cable_sim.ros.command.command_barrier import Answer
from cable_sim.ros.command.command_sources import CommandSources, admit, sender_of
from cable_sim.ros.command.command_subscriptions import CommandSubscriptions, Take
from cable_sim.ros.interface import (
    CMD_VEL,
    EXTERNAL_WRENCH,
    INJECT_FAULT,
    JOINT_COMMANDS,
    JOY,
    WIND_COMMAND,
    Endpoint,
    axis_topic,
    commanded_endpoints,
    pose_command,
)
from cable_sim.spec.wind import Steady

_MODES: dict[int, Mode] = {
    AxisCommand.VELOCITY: "speed",
    AxisCommand.POSITION: "position",
    AxisCommand.EFFORT: "effort",
}
_FIELDS: tuple[tuple[str, Mode], ...] = (
    ("velocity", "speed"),
    ("position", "position"),
    ("effort", "effort"),
)


NO_ANSWERS = (WIND_COMMAND.topic, EXTERNAL_WRENCH.topic, INJECT_FAULT.topic, JOY.topic)
"""Topics whose messages do not answer a state in lockstep; nor do poses that a body follows.

See :mod:`cable_sim.ros.command.command_barrier`.
"""

LONG_NAME = re.compile(r"(\S{40})\S{21,}(\S{20})")
LONGEST_NOTICE = 300
"""Largest number of characters of a notice, because names in messages can be of any length."""


class StampedPose(NamedTuple):
    """Pose that a body follows, and the ROS time that it is of [ns], 0 for the present."""

    stamp: int
    pose: PoseCommand


class AxisSetpoint(NamedTuple):
    """Command of an axis: the arguments of :meth:`cable_sim.machine.machine.Machine.command`."""

    axis: str
    value: float
    mode: Mode = "speed"
    brake: bool = False


class Counts:
    """Counts of messages by their result, for diagnostics, with the last few notices.

    The executor's and the physics thread write them, and no count gets lost. A reader sees numbers
    that are at worst a moment old. ``conflicts`` returns sentences about axes that several nodes
    command, and publishers that are not heard.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.of: Counter[str] = Counter()
        self.notices: deque[str] = deque(maxlen=20)
        self._unlogged: deque[str] = deque(maxlen=5)
        self.conflicts: Callable[[], list[str]] = list

    def add(self, kind: str, notice: str = "") -> None:
        """Count one message of a kind."""
        with self._lock:
            self.of[kind] += 1
        if notice:
            self.note(notice)

    def note(self, notice: str) -> None:
        """Keep a notice for the user.

        Names, or the whole notice, that are too long lose their middle.
        """
        notice = LONG_NAME.sub(r"\1...\2", notice)
        if len(notice) > LONGEST_NOTICE:
            notice = f"{notice[: LONGEST_NOTICE // 2]} ... {notice[-LONGEST_NOTICE // 2 :]}"
        with self._lock:
            self.notices.append(notice)
            self._unlogged.append(notice)

    def start_again(self) -> None:
        """Reset the counts to zero; the notices stay."""
        with self._lock:
            self.of.clear()

    def newest_notices(self, most: int) -> list[str]:
        """Return the last ``most`` notices."""
        with self._lock:
            return list(self.notices)[-most:]

    def take_unlogged(self) -> list[str]:
        """Return the newest notices not returned before; a flood leaves its last five."""
        with self._lock:
            found = list(self._unlogged)
            self._unlogged.clear()
        return found


class CommandReader:
    """Reader of command messages; each method returns a message's commands or raises CommandError.

    Values that are not finite are no commands; they are counted and left out. ``world`` is the name
    of the world's frame, ``prefix`` stands before the names of all others.
    """

    def __init__(
        self, crane: Crane, counts: Counts, world: str = "world", prefix: str = ""
    ) -> None:
        self.axes = {axis.name for axis in crane.axes}
        self.by_joint = {axis.joint: axis.name for axis in crane.axes}
        self.linear = {axis.linear[-1]: axis for axis in crane.axes if axis.linear}
        self.counts = counts
        self.world = world
        self.prefix = prefix
        self.know_bodies(crane)
        self.load = crane.suspension.load if crane.suspension else crane.watched

    def know_bodies(self, crane: Crane) -> None:
        """Take the bodies of a crane, with its loads, for those that can be pushed."""
        self.frames = {
            self.prefix + body.name: body.name
            for body in crane.scene.bodies
            if body.motion == "dynamic"
        }

    def joint_state(self, message: JointState) -> list[AxisSetpoint]:
        """Return the axis commands of a JointState.

        It has names of joints, and arrays that are as long as the names or empty.
        """
        names = list(message.name)
        for name in names:
            if name not in self.by_joint:
                raise CommandError(unknown("joint_commands: joint", name, self.by_joint))
        if len(set(names)) < len(names):
            raise CommandError(f"joint_commands: duplicate joint in {', '.join(names)}")
        for field, _ in _FIELDS:
            length = len(getattr(message, field))
            if length not in (0, len(names)):
                raise CommandError(
                    f"joint_commands: {length} values of {field} for {len(names)} joints "
                    f"({', '.join(names)}); give one for each, NaN where there is none, or leave "
                    "it empty"
                )
        setpoints: dict[str, AxisSetpoint] = {}
        ignored = []
        for field, mode in _FIELDS:
            for name, value in zip(names, getattr(message, field), strict=False):
                if not math.isfinite(value):
                    notice = f"joint_commands: {field} of {name!r} is {value}; ignored"
                    ignored.append("" if math.isnan(value) else notice)
                elif name in setpoints:
                    raise CommandError(
                        f"joint_commands: joint {name!r} has a {setpoints[name].mode} and a {mode}"
                    )
                else:
                    setpoints[name] = AxisSetpoint(self.by_joint[name], float(value), mode)
        for notice in ignored:
            self.counts.add("not_finite", notice)
        return list(setpoints.values())

    def axis(self, message: AxisCommand, default: str) -> list[AxisSetpoint]:
        """Return the command of an AxisCommand.

        An empty ``axis`` means ``default``, the topic's own axis.
        """
        axis = message.axis or default
        if axis not in self.axes:
            raise CommandError(unknown("axis", axis, sorted(self.axes)))
        if message.mode not in _MODES:
            raise CommandError(
                f"axis {axis!r}: mode {message.mode} is not known; known are 0, 1, 2"
            )
        if message.brake or not message.enable:
            return [AxisSetpoint(axis, 0.0, "speed", brake=True)]
        return setpoint_of(axis, message.value, _MODES[message.mode], "", self.counts)

    def twist(self, message: TwistStamped) -> list[AxisSetpoint]:
        """Return the axis commands of a TwistStamped: speeds [m/s] along the world's x, y and z.

        The angular velocity must be 0, because none of these axes turns.
        """
        self._require_world("cmd_vel", message.header.frame_id)
        linear = message.twist.linear
        angular = message.twist.angular
        for name in "xyz":
            turn = getattr(angular, name)
            speed = getattr(linear, name)
            if turn and not math.isnan(turn):
                raise CommandError(
                    f"cmd_vel: angular.{name} is {turn:g} rad/s, but nothing turns here; it must "
                    "be 0"
                )
            if name not in self.linear and speed and not math.isnan(speed):
                known = ", ".join(sorted(self.linear))
                raise CommandError(
                    f"cmd_vel: linear.{name} is {speed:g} m/s, but only {known} can move here"
                )
        setpoints = []
        for name, axis in self.linear.items():
            speed = getattr(linear, name)
            if math.isfinite(speed):
                setpoints.append(
                    AxisSetpoint(axis.name, -speed if axis.linear.startswith("-") else speed)
                )
            else:
                notice = "" if math.isnan(speed) else f"cmd_vel: linear.{name} is {speed}; ignored"
                self.counts.add("not_finite", notice)
        return setpoints

    def wind(self, message: TwistStamped) -> list[Steady]:
        """Return the wind of a TwistStamped: its horizontal velocity [m/s] in the world's frame."""
        self._require_world("wind_command", message.header.frame_id)
        linear = message.twist.linear
        angular = message.twist.angular
        if linear.z or angular.x or angular.y or angular.z:
            raise CommandError(
                "wind_command: only linear.x and linear.y blow here; all others must be 0"
            )
        speed = math.hypot(linear.x, linear.y)
        if not speed <= MOST_WIND:
            raise CommandError(
                f"wind_command: a wind of {speed:g} m/s is outside 0 ... {MOST_WIND:g}"
            )
        return [Steady(speed, math.degrees(math.atan2(linear.y, linear.x)))]

    def _require_world(self, topic: str, frame: str) -> None:
        """Raise CommandError if a message of the topic names another frame than the world's."""
        if frame not in ("", self.world):
            raise CommandError(
                f"{topic}: frame_id {frame!r} is not known; leave it empty, or use {self.world!r}"
            )

    def wrench(self, message: WrenchStamped) -> list[Push]:
        """Return the push of a WrenchStamped.

        It acts on the load along the world's axes, or on the body whose frame the message names.
        """
        frame = message.header.frame_id
        force = vector_of(message.wrench.force)
        torque = vector_of(message.wrench.torque)
        if frame in ("", self.world):
            return [Push(self.load, force, torque)]
        if frame not in self.frames:
            known = [self.world, *self.frames]
            raise CommandError(unknown("external_wrench: frame_id", frame, known))
        return [Push(self.frames[frame], force, torque, own=True)]

    def pose(self, message: PoseStamped, body: str) -> list[StampedPose]:
        """Return the pose of a PoseStamped, of the body's frame in the world's."""
        topic = f"{body}/pose_command"
        self._require_world(topic, message.header.frame_id)
        p = message.pose.position
        q = message.pose.orientation
        numbers = (p.x, p.y, p.z, q.w, q.x, q.y, q.z)
        odd = [number for number in numbers if not math.isfinite(number)]
        if odd:
            self.counts.add("not_finite", f"{topic}: a pose with {odd[0]}; ignored")
            return []
        pose = PoseCommand(body, (p.x, p.y, p.z), (q.w, q.x, q.y, q.z), 0.0)
        return [StampedPose(nanoseconds(message.header.stamp), pose)]

    def fault(self, message: FaultCommand) -> list[Fault]:
        """Return the fault of a FaultCommand.

        The machine checks whether the crane has its target.
        """
        kind: Any = message.kind
        value = next(iter(message.value), None)
        try:
            return [Fault(kind, message.target, value, message.start, message.duration or math.inf)]
        except SpecError as error:
            raise CommandError(f"inject_fault: {error}") from None


def subscribe(
    subscriptions: CommandSubscriptions,
    crane: Crane,
    reader: CommandReader,
    sources: CommandSources,
    apply: Callable[[list[Any]], None],
) -> None:
    """Subscribe to the command topics of the crane; ``apply`` receives commands to obey."""
    readers: dict[str, Callable[[Any], list[Any]]] = {
        JOINT_COMMANDS.topic: reader.joint_state,
        CMD_VEL.topic: reader.twist,
        **{
            topic: partial(reader.axis, default=a.name)
            for a in crane.axes
            if (topic := axis_topic(a.name))
        },
        **{pose_command(body).topic: partial(reader.pose, body=body) for body in crane.following},
        WIND_COMMAND.topic: reader.wind,
        EXTERNAL_WRENCH.topic: reader.wrench,
        INJECT_FAULT.topic: reader.fault,
    }
    for endpoint in commanded_endpoints(crane):
        if read := readers.get(endpoint.topic):
            listen(subscriptions, endpoint, read, sources, apply, reader.counts)


def listen(
    subscriptions: CommandSubscriptions,
    endpoint: Endpoint,
    read: Callable[[Any], list[Any]],
    sources: CommandSources,
    apply: Callable[[list[Any]], None],
    counts: Counts,
) -> None:
    """Subscribe to an endpoint; ``apply`` receives the commands of ``read`` that are obeyed.

    A message of which none is obeyed is no answer in lockstep.
    """

    def take(serialized: bytes, info: Mapping[str, Any]) -> None:
        message = deserialize_message(serialized, endpoint.type)
        given = read(message)
        setpoints = admit(given, moved_axis, sender_of(endpoint.topic, info), sources)
        answers = endpoint.topic not in NO_ANSWERS and endpoint.type is not PoseStamped
        if answers and (setpoints or not given):
            setpoints.append(Answer(nanoseconds(message.header.stamp)))
        apply(setpoints)

    subscriptions.subscribe(endpoint, guard_handler(take, endpoint.topic, counts))


def setpoint_of(
    axis: str, value: float, mode: Mode, topic: str, counts: Counts
) -> list[AxisSetpoint]:
    """Return the command of an axis as a list; empty for a value that is not finite.

    That is counted, and infinity is noted with the topic.
    """
    if math.isfinite(value):
        return [AxisSetpoint(axis, value, mode)]
    where = f"{topic}: axis" if topic else "axis"
    notice = "" if math.isnan(value) else f"{where} {axis!r}: value {value} ignored"
    counts.add("not_finite", notice)
    return []


def moved_axis(command: Any) -> str:
    """Return the axis that a command moves; empty for one that brakes, and for others."""
    return command.axis if isinstance(command, AxisSetpoint) and not command.brake else ""


def guard_handler(handle: Take, topic: str, counts: Counts) -> Take:
    """Wrap a handler so that it never raises: no message must end the node."""

    def safely(message: Any, info: Mapping[str, Any]) -> None:
        try:
            handle(message, info)
            counts.add("taken")
        except CommandError as error:
            counts.add("rejected", str(error))
        except Exception as error:  # anything: see above
            counts.add("unreadable", f"{topic}: {describe_error(error)}")

    return safely
