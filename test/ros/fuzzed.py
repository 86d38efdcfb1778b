"""Messages that nobody should send, and what becomes of each by the words of
docs/reference/ros.md."""

import math

import numpy as np
from builtin_interfaces.msg import Duration, Time
from cable_sim.msg import AxisCommand, FaultCommand
from geometry_msgs.msg import TwistStamped, Vector3, WrenchStamped
from hypothesis import strategies as st
from sensor_msgs.msg import JointState, Joy
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from cable_sim.machine.external_wrenches import MOST
from cable_sim.machine.faults import KINDS, targets
from cable_sim.model.basis.bodies import inertia_of
from cable_sim.ros import interface

PLAUSIBLE = (0.0, -0.0, 0.3, -0.5, 1.0, 20.0)
ODD = (math.nan, math.inf, -math.inf, 1.7e308, -1.7e308, 1e18, -1e9, 5e-324, -5e-324, 2e-308, 1e-30)
numbers = st.sampled_from(PLAUSIBLE * 2 + ODD) | st.floats()
short_numbers = st.sampled_from(
    (*PLAUSIBLE, math.nan, math.inf, -math.inf, 3e38, 1e-45)
) | st.floats(width=32)
ODD_NAMES = (
    "",
    " ",
    "boom",
    "Trolley",
    "trolley ",
    "world",
    "трос",
    "吊钩",
    "🏗️",
    "'; --",
    "%s%n",
    "{0}",
    "\x1b[2J",
    "a\nb",
    "../..",
    "x" * 10_000,
    "e\u0301",
    "\ufeff",
    "\U0010ffff",
)


def names(known):
    """Known ones mostly; any text but zero bytes and halves of characters, which no ROS string
    carries."""
    text = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)
    return st.sampled_from((*known, *known, *known, *ODD_NAMES)) | text


SECONDS, NANOSECONDS = (0, 1, -1, -(2**31), 2**31 - 1), (0, 999_999_999, 10**9, 2**32 - 1)
headers = st.sampled_from(
    [
        Header(stamp=Time(sec=seconds, nanosec=nanoseconds), frame_id=frame)
        for frame in ("", "world") * 20 + ODD_NAMES
        for seconds in SECONDS
        for nanoseconds in NANOSECONDS
    ]
)
"""Any stamp, negative ones and too many nanoseconds too; right and wrong frames."""


@st.composite
def joint_states(draw, crane):
    """Names that are known, unknown, or twice there; arrays mostly as long as the names."""
    joints = [axis.joint for axis in crane.axes]
    given = draw(
        st.lists(st.sampled_from(joints), max_size=3, unique=True)
        | st.lists(names(joints), max_size=4)
    )

    def values():
        length = draw(
            st.sampled_from((0, 0, len(given), len(given), len(given), len(given) + 1, 1))
        )
        return [draw(numbers) for _ in range(length)]

    return JointState(
        header=draw(headers), name=given, velocity=values(), position=values(), effort=values()
    )


def axis_commands(crane):
    """Of every mode, those that there are not too."""
    return st.builds(
        AxisCommand,
        header=headers,
        axis=names(["", *(axis.name for axis in crane.axes)]),
        mode=st.sampled_from((0, 0, 1, 2, 3, 255)),
        value=numbers,
        brake=st.booleans(),
        enable=st.booleans(),
    )


def twists():
    """Of three speeds and three turns, most of them zero."""

    def made(header, values):
        message = TwistStamped(header=header)
        message.twist.linear, message.twist.angular = Vector3(**values[0]), Vector3(**values[1])
        return message

    still = st.just({"x": 0.0, "y": 0.0, "z": 0.0})
    level = st.fixed_dictionaries({"x": numbers, "y": numbers, "z": st.just(0.0)})
    free = st.fixed_dictionaries({name: numbers for name in "xyz"})
    return st.builds(
        made, headers, st.tuples(level | still | free, st.one_of(still, still, still, free))
    )


def joys():
    """Pads with too few axes and buttons, and with values that are none."""
    axes = st.lists(short_numbers, max_size=7) | st.lists(
        st.floats(-1.0, 1.0, width=32), min_size=5, max_size=6
    )
    buttons = st.lists(st.sampled_from((0, 1, -5, 2**31 - 1)), max_size=3)
    return st.builds(Joy, header=headers, axes=axes, buttons=buttons)


def fault_commands(crane):
    """Every kind with every sort of target."""
    every = [name for known in targets(crane).values() for name in known]
    value = st.lists(numbers | st.floats(0.0, 1.0), max_size=1)
    time = st.sampled_from((0.0, 0.0, 0.1, 5.0)) | numbers

    @st.composite
    def made(draw):
        kind = draw(st.sampled_from(list(KINDS)) | names(KINDS))
        fitting = targets(crane)[KINDS[kind].target] if kind in KINDS else ()
        target = (
            draw(st.sampled_from(fitting))
            if fitting and draw(st.booleans())
            else draw(names(["", *every]))
        )
        return FaultCommand(
            kind=kind, target=target, value=draw(value), start=draw(time), duration=draw(time)
        )

    return made()


def wrenches(crane):
    """On the load, on bodies by their frames, and on what has none."""

    def made(header, frame, values):
        message = WrenchStamped(header=Header(stamp=header.stamp))
        message.header.frame_id = frame
        message.wrench.force, message.wrench.torque = Vector3(**values[0]), Vector3(**values[1])
        return message

    still = st.just({"x": 0.0, "y": 0.0, "z": 0.0})
    vector = still | st.fixed_dictionaries({name: numbers for name in "xyz"})
    vector |= st.fixed_dictionaries({name: st.floats(-100.0, 100.0) for name in "xyz"})
    bodies = [body.name for body in crane.scene.bodies]
    return st.builds(made, headers, names(["", "world", *bodies]), st.tuples(vector, vector))


def trajectories(crane):
    """Of the crane's joints and others, with as many numbers as fit or not."""

    def made(header, joints, points):
        message = JointTrajectory(header=header, joint_names=joints)
        for seconds, *given in points:
            point = JointTrajectoryPoint(time_from_start=Duration(sec=seconds))
            point.positions, point.velocities, point.accelerations = given
            message.points.append(point)
        return message

    rows = st.lists(numbers, max_size=4)
    point = st.tuples(st.integers(-3, 100), rows, rows, rows)
    joints = st.lists(names([axis.joint for axis in crane.axes]), max_size=4)
    some = crane.axes[0]
    place = st.floats(some.lower, some.upper).map(lambda value: [value])
    there = st.tuples(st.integers(30, 1000), place, st.sampled_from(([], [0.0])), st.just([]))
    fitting = st.builds(made, st.just(Header()), st.just([some.joint]), there.map(lambda p: [p]))
    return fitting | st.builds(made, headers, joints, st.lists(point, max_size=3))


class Oracle:
    """What becomes of a message: how often it is counted as taken, rejected and not finite."""

    def __init__(self, crane, world="world"):
        self.world = world
        self.axes = [axis.name for axis in crane.axes]
        self.axis_of = {axis.joint: axis.name for axis in crane.axes}
        self.linear = {axis.linear[-1] for axis in crane.axes if axis.linear}
        self.pad = [
            pad
            for pad, names in (
                (0, ("slewing", "gantry", "x")),
                (1, ("trolley", "y")),
                (4, ("hoist", "z")),
            )
            if {*names} & {*self.axes}
        ]
        self.targets = targets(crane)
        self.load = crane.suspension.load
        self.moving = {body.name: body for body in crane.scene.bodies if body.motion == "dynamic"}

    def __call__(self, endpoint, message):
        """The counts."""
        judge = {
            interface.JOINT_COMMANDS.topic: self.joint_state,
            interface.CMD_VEL.topic: self.cmd_vel,
            interface.WIND_COMMAND.topic: self.wind,
            interface.JOY.topic: self.joy,
            interface.INJECT_FAULT.topic: self.fault,
            interface.EXTERNAL_WRENCH.topic: self.wrench,
        }.get(endpoint.topic, self.axis)
        not_finite = judge(message)
        return (0, 1, 0) if not_finite is None else (1, self._by_machine(message), not_finite)

    def _by_machine(self, message):
        """How much of what could be read the crane can't do: efforts of what has none, faults of
        what is not there."""
        if isinstance(message, FaultCommand):
            known = self.targets[KINDS[message.kind].target]
            return int(bool(message.target) and message.target not in known)
        if isinstance(message, WrenchStamped):
            body = self.moving[
                self.load
                if message.header.frame_id in ("", self.world)
                else message.header.frame_id
            ]
            least = float(np.linalg.eigvalsh(inertia_of(body))[0])
            pairs = ((message.wrench.force, body.mass), (message.wrench.torque, least))
            return int(
                not all(
                    np.linalg.norm((v.x, v.y, v.z)) <= MOST * heaviness for v, heaviness in pairs
                )
            )
        if isinstance(message, JointState):
            efforts = [
                name
                for name, value in zip(message.name, message.effort, strict=False)
                if math.isfinite(value)
            ]
            return sum(self.axis_of[joint] not in self.targets["axis"] for joint in efforts)
        if isinstance(message, AxisCommand) and message.mode == AxisCommand.EFFORT:
            wanted = message.enable and not message.brake and math.isfinite(message.value)
            return int(wanted and message.axis not in ("", *self.targets["axis"]))
        return 0

    def joint_state(self, message):
        """How many values are not finite; None if it is rejected."""
        given = list(message.name)
        arrays = [message.velocity, message.position, message.effort]
        if not {*given} <= {*self.axis_of} or len({*given}) < len(given):
            return None
        if any(len(array) not in (0, len(given)) for array in arrays):
            return None
        rows = [array for array in arrays if len(array)]
        if any(sum(math.isfinite(row[i]) for row in rows) > 1 for i in range(len(given))):
            return None
        return sum(not math.isfinite(value) for row in rows for value in row)

    def axis(self, message):
        """The same."""
        if (message.axis and message.axis not in self.axes) or message.mode not in (0, 1, 2):
            return None
        return int(not math.isfinite(message.value)) if message.enable and not message.brake else 0

    def cmd_vel(self, message):
        """The same."""
        turns = [getattr(message.twist.angular, name) for name in "xyz"]
        speeds = {name: getattr(message.twist.linear, name) for name in "xyz"}
        still = [*turns, *(speed for name, speed in speeds.items() if name not in self.linear)]
        if message.header.frame_id not in ("", self.world) or any(
            v != 0.0 and not math.isnan(v) for v in still
        ):
            return None
        return sum(not math.isfinite(speeds[name]) for name in self.linear)

    def wind(self, message):
        """The same; a wind has no NaN that is ignored."""
        linear, angular = message.twist.linear, message.twist.angular
        calm = all(v == 0.0 for v in (linear.z, angular.x, angular.y, angular.z))
        speed = math.hypot(linear.x, linear.y)
        return (
            0 if message.header.frame_id in ("", self.world) and calm and speed <= 100.0 else None
        )

    def wrench(self, message):
        """The same; how strong it may be the machine says."""
        return 0 if message.header.frame_id in ("", self.world, *self.moving) else None

    def joy(self, message):
        """The same."""
        if len(message.axes) <= max(self.pad) or not len(message.buttons):
            return None
        if message.buttons[0] and not all(math.isfinite(message.axes[pad]) for pad in self.pad):
            return None
        return 0

    def fault(self, message):
        """The same."""
        kind = KINDS.get(message.kind)
        if kind is None or bool(message.target) != bool(kind.target):
            return None
        for value in message.value:
            if not kind.value or not math.isfinite(value) or not kind.lower <= value <= kind.upper:
                return None
        if not 0.0 <= message.start < math.inf or not message.duration >= 0.0:
            return None
        return 0


def strategies(crane):
    """What to send on each topic of the crane's node, a pad's too: endpoint and strategy.

    Trajectories have no oracle here.
    """
    of_type = {
        JointState: joint_states(crane),
        AxisCommand: axis_commands(crane),
        TwistStamped: twists(),
        Joy: joys(),
        FaultCommand: fault_commands(crane),
        WrenchStamped: wrenches(crane),
    }
    return {
        e.topic: (e, of_type[e.type])
        for e in (*interface.commanded_endpoints(crane), interface.JOY)
        if e is not interface.JOINT_TRAJECTORY
    }
