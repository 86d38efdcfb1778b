"""Trajectories from messages: trajectory_msgs/JointTrajectory and control_msgs' tolerances."""

import math
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from typing import Any

import numpy as np

from cable_sim.control.joint_spline import Array
from cable_sim.cranes.crane import Axis, Crane
from cable_sim.ros.basis.messages import nanoseconds
from cable_sim.ros.command.command_sources import Sender
from cable_sim.ros.command.trajectories import Code, Trajectory, TrajectoryError

GOAL_TOLERANCE = 0.01
"""Largest error of a position at the end, where the goal gives none [rad or m]."""
GOAL_TIME = 5.0
"""Time after the last point within which a joint has to be there, where the goal gives none [s]."""
FIELDS = "positions", "velocities", "accelerations"


def read_trajectory(message: Any, crane: Crane, sender: Sender) -> Trajectory:
    """Return the trajectory of a JointTrajectory, with the tolerances for a goal without any.

    Raises TrajectoryError with the joint, the value and what is allowed.
    """
    axes = _axes(message.joint_names, crane)
    points = list(message.points)
    if not points:
        raise TrajectoryError("it has no points")
    times = np.array([nanoseconds(point.time_from_start) * 1e-9 for point in points])
    if times[0] < 0.0 or np.any(np.diff(times) <= 0.0):
        raise TrajectoryError("the times from the start have to be 0 or more, and to ascend")
    given = [_values(point, i, axes) for i, point in enumerate(points)]
    if len({len(one) for one in given}) > 1:
        raise TrajectoryError("either all points have velocities or accelerations, or none has")
    values = np.array(given)
    for i, axis in enumerate(axes):
        _check_places(values[:, 0, i], axis)
    if values.shape[1] > 1 and np.any(values[-1, 1]):
        raise TrajectoryError("the velocities of the last point have to be 0")
    allowed = np.full((2, len(axes)), np.inf)
    goal = allowed.copy()
    goal[0] = GOAL_TOLERANCE
    return Trajectory(
        tuple(axis.name for axis in axes),
        nanoseconds(message.header.stamp),
        times,
        values,
        sender,
        allowed,
        goal,
        GOAL_TIME,
        cancelled=str,
        told=lambda *_: None,
        outcome=Future(),
    )


def read_goal(request: Any, crane: Crane, sender: Sender) -> Trajectory:
    """Return the trajectory of a FollowJointTrajectory goal; raises as :func:`read_trajectory`."""
    trajectory = read_trajectory(request.trajectory, crane, sender)
    if request.multi_dof_trajectory.joint_names:
        raise TrajectoryError("no joint here has several degrees of freedom")
    names = [crane.axis(name).joint for name in trajectory.axes]
    seconds = nanoseconds(request.goal_time_tolerance) * 1e-9
    if seconds < 0.0:
        raise TrajectoryError(f"goal_time_tolerance is {seconds:g} s; it has to be 0 or more")
    return trajectory._replace(
        path=_allowed(request.path_tolerance, names, trajectory.path),
        goal=_allowed(request.goal_tolerance, names, trajectory.goal),
        goal_time=seconds or GOAL_TIME,
    )


def _axes(joints: Sequence[str], crane: Crane) -> list[Axis]:
    """Return the axes of the joints; all joints of the crane need not be there."""
    by_joint = {axis.joint: axis for axis in crane.axes if "speed" in axis.modes}
    known = ", ".join(by_joint)
    unknown = [name for name in joints if name not in by_joint]
    if unknown or not joints:
        missing = f"joint {unknown[0]!r} is not known" if unknown else "it names no joints"
        raise TrajectoryError(
            f"{missing}; those that follow a trajectory are {known}", Code.INVALID_JOINTS
        )
    if len(set(joints)) < len(joints):
        raise TrajectoryError(f"duplicate joint in {', '.join(joints)}", Code.INVALID_JOINTS)
    return [by_joint[name] for name in joints]


def _values(point: Any, number: int, axes: Sequence[Axis]) -> list[list[float]]:
    """Return position and, as far as they are given, velocity and acceleration of a point."""
    if point.effort:
        raise TrajectoryError(f"point {number} has an effort; only positions can be followed")
    given = [list(getattr(point, field)) for field in FIELDS]
    while not given[-1] and len(given) > 1:
        given.pop()
    for field, values in zip(FIELDS, given, strict=False):
        if len(values) != len(axes):
            raise TrajectoryError(
                f"point {number} has {len(values)} {field} for {len(axes)} joints; "
                "give one for each"
            )
        odd = [value for value in values if not math.isfinite(value)]
        if odd:
            raise TrajectoryError(
                f"point {number} has {odd[0]} in its {field}; give finite numbers"
            )
    return given


def _check_places(positions: Array, axis: Axis) -> None:
    """Raise TrajectoryError where a point is beyond the range of its axis."""
    for position in positions:
        if not axis.lower <= position <= axis.upper:
            raise TrajectoryError(
                f"joint {axis.joint!r}: {position:.6g} {axis.unit} is outside "
                f"{axis.lower:.6g} ... {axis.upper:.6g}"
            )


def _allowed(given: Iterable[Any], joints: list[str], default: Array) -> Array:
    """Return the largest errors (2, joints): 0 keeps the default, -1 is no limit."""
    allowed = default.copy()
    for one in given:
        if one.name not in joints:
            raise TrajectoryError(
                f"tolerance of joint {one.name!r}, which is none of {', '.join(joints)}",
                Code.INVALID_JOINTS,
            )
        if one.acceleration > 0.0:
            raise TrajectoryError(
                f"joint {one.name!r}: tolerances of accelerations are not checked here"
            )
        for kind, value in enumerate((one.position, one.velocity)):
            if not (value >= 0.0 or value == -1.0):
                raise TrajectoryError(
                    f"joint {one.name!r}: tolerance {value:g}; give 0 or more, or -1"
                )
            if value:
                allowed[kind, joints.index(one.name)] = value if value > 0.0 else np.inf
    return allowed
