"""Server of trajectories: the topic ``~/joint_trajectory`` and, where control_msgs is installed,
the action ``~/follow_joint_trajectory``."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from trajectory_msgs.msg import JointTrajectoryPoint

from cable_sim.control.joint_spline import Array
from cable_sim.ros.basis.messages import set_time
from cable_sim.ros.command.command_sources import CommandSources, Sender, sender_of
from cable_sim.ros.command.command_subscriptions import CommandSubscriptions
from cable_sim.ros.command.commands import Counts, guard_handler
from cable_sim.ros.command.trajectories import Outcome, Trajectory, TrajectoryError
from cable_sim.ros.command.trajectory_messages import FIELDS, read_goal, read_trajectory
from cable_sim.ros.interface import FOLLOW_JOINT_TRAJECTORY, JOINT_TRAJECTORY
from cable_sim.ros.physics.physics_thread import PhysicsThread
from cable_sim.ros.services.simulation_answers import PhysicsRequests

try:
    from control_msgs.action import FollowJointTrajectory
except ImportError:  # the wheels have no such package
    FollowJointTrajectory = None

LOOK = 0.5
"""Wall time between two looks for the action's clients [s]."""


class TrajectoryServer:
    """Server of both; a goal that can't be followed is accepted and aborted, to tell the reason.

    Parameters
    ----------
    apply: receives commands to obey.
    """

    def __init__(
        self,
        node: Node,
        physics: PhysicsThread,
        subscriptions: CommandSubscriptions,
        sources: CommandSources,
        counts: Counts,
        apply: Callable[[list[Any]], None],
    ) -> None:
        self._node = node
        self._physics = physics
        self._ask = PhysicsRequests(node, physics)
        physics.operations.trajectories.obeys = sources.obeys
        topic = JOINT_TRAJECTORY.topic

        def take(serialized: bytes, info: Mapping[str, Any]) -> None:
            message = deserialize_message(serialized, JOINT_TRAJECTORY.type)
            apply([read_trajectory(message, physics.machine.crane, sender_of(topic, info))])

        subscriptions.subscribe(JOINT_TRAJECTORY, guard_handler(take, topic, counts))
        self._sender = Sender(FOLLOW_JOINT_TRAJECTORY, b"")
        sources.introduce(self._sender, FOLLOW_JOINT_TRAJECTORY)
        self._action: Any = None
        if FollowJointTrajectory is not None:
            self._action = ActionServer(
                node,
                FollowJointTrajectory,
                f"~/{FOLLOW_JOINT_TRAJECTORY}",
                self._execute,
                callback_group=ReentrantCallbackGroup(),
                cancel_callback=lambda _: CancelResponse.ACCEPT,
            )

    def end(self) -> None:
        """Destroy the action server, see SimulationServer.end."""
        if self._action is not None:
            self._action.destroy()

    async def _execute(self, goal: Any) -> Any:
        """Follow a goal to its end."""
        outcome = await self._follow(goal)
        result = FollowJointTrajectory.Result()
        result.error_code, result.error_string = int(outcome.code), outcome.sentence
        if goal.is_cancel_requested:
            goal.canceled()
        elif outcome.code:
            goal.abort()
        else:
            goal.succeed()
        return result

    async def _follow(self, goal: Any) -> Outcome:
        """Have the physics thread follow a goal, and return its outcome."""
        physics = self._physics
        try:
            read = read_goal(goal.request, physics.machine.crane, self._sender)
        except TrajectoryError as error:
            return Outcome(error.code, str(error))
        clients = _Clients(self._node)
        given = read._replace(
            cancelled=lambda: "cancelled" if goal.is_cancel_requested else clients.lost(),
            told=lambda *progress: goal.publish_feedback(self._feedback(read, *progress)),
        )

        def begin() -> None:
            try:
                physics.operations.begin_trajectory(given)
            except TrajectoryError as error:
                given.outcome.set_result(Outcome(error.code, str(error)))

        physics.post(begin)
        outcome: Outcome = await self._ask.wait(given.outcome)
        return outcome

    def _feedback(self, given: Trajectory, seconds: float, desired: Array, actual: Array) -> Any:
        """Return the feedback on a goal; errors are desired less actual states."""
        crane = self._physics.machine.crane
        message = FollowJointTrajectory.Feedback()
        set_time(message.header.stamp, self._physics.timeline.now)
        message.joint_names = [crane.axis(axis).joint for axis in given.axes]
        message.desired = _point(seconds, desired)
        message.actual = _point(seconds, actual)
        message.error = _point(seconds, desired[:2] - actual)
        return message


class _Clients:
    """Clients of the action. ROS does not tell whose a goal is, so each that leaves ends it."""

    def __init__(self, node: Node) -> None:
        self._node = node
        name = f"{node.get_fully_qualified_name()}/{FOLLOW_JOINT_TRAJECTORY}"
        self._service = f"{name}/_action/send_goal"
        self._looked = time.monotonic()
        self._most = 1

    def lost(self) -> str:
        """Return a reason to end the goal; empty while no client has left."""
        now = time.monotonic()
        if now - self._looked < LOOK:
            return ""
        self._looked = now
        count = self._node.count_clients(self._service)
        self._most = max(self._most, count)
        return "a client of the action is gone" if count < self._most else ""


def _point(seconds: float, values: Any) -> JointTrajectoryPoint:
    """Return a point of position, velocity and, where it is known, acceleration."""
    point = JointTrajectoryPoint()
    set_time(point.time_from_start, round(seconds * 1e9))
    for field, numbers in zip(FIELDS, values.tolist(), strict=False):
        setattr(point, field, numbers)
    return point
