"""Trajectories of joints: what is asked for, and the commands that follow it tick by tick.

The reference x_r of a joint is a spline from its present state through the points. With the period
h of a tick and the lag T of the drive's speed loop, T x'' + x' = u, the speed commanded at t is

    u = (x_r(t + h) - x_r(t)) / h + T a_r(t + h / 2) + k (x_r(t) - x(t)).

It leaves T e'' + e' + k e = 0 of an error e, which k = 1 / 4 T damps critically. A quick drive gets
the k of :data:`LEAST_LAG`. The last term is at most sqrt(a |e|), with the largest acceleration a of
the axis: an error that gets smaller at that speed takes half of a.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from cable_sim.control.joint_spline import Array, JointSpline
from cable_sim.errors import CommandError
from cable_sim.machine.machine import ACTING, Machine
from cable_sim.machine.restart_lock import WAITS
from cable_sim.ros.command.command_sources import Sender

LEAST_LAG = 0.25
"""Lag of a drive [s] below which the gain on its error does not grow."""
TOLD = 0.05
"""Simulated time between two reports on a trajectory [s]."""
WORDS = "position", "velocity"


class Code(IntEnum):
    """Results of control_msgs/action/FollowJointTrajectory."""

    SUCCESSFUL = 0
    INVALID_GOAL = -1
    INVALID_JOINTS = -2
    OLD_HEADER_TIMESTAMP = -3
    PATH_TOLERANCE_VIOLATED = -4
    GOAL_TOLERANCE_VIOLATED = -5


class TrajectoryError(CommandError):
    """Refusal of a trajectory, with the code of its result."""

    def __init__(self, sentence: str, code: Code = Code.INVALID_GOAL) -> None:
        self.code = code
        super().__init__(f"trajectory: {sentence}")


class Outcome(NamedTuple):
    """End of a trajectory: result, and the reason in words."""

    code: Code
    sentence: str


class Trajectory(NamedTuple):
    """Trajectory of some axes.

    Parameters
    ----------
    axes: names of the axes, and so the order of joints.
    stamp: ROS time of the start [ns], 0 for the present.
    times: times of the points from the start (n,) [s].
    points: first k of position, velocity and acceleration there (n, k, joints).
    sender: node that sent it.
    path, goal: largest errors (2, joints) of position and velocity on the way, and at the end.
    goal_time: time [s] after the last point within which the joints have to be there.
    cancelled: returns a reason to end it early, empty in most cases.
    told: receives its time [s] from the start, desired (3, joints) and actual states (2, joints).
    outcome: future of its end.
    """

    axes: tuple[str, ...]
    stamp: int
    times: Array
    points: Array
    sender: Sender
    path: Array
    goal: Array
    goal_time: float
    cancelled: Callable[[], str]
    told: Callable[[float, Array, Array], object]
    outcome: "Future[Outcome]"


class TrajectoryFollower:
    """Follower of one trajectory at a time, in the physics thread.

    Another trajectory, or another command to one of its axes, ends it. So does a stop, and a sender
    that is not obeyed. The axes that it still commands then ramp to rest and brake.

    Parameters
    ----------
    machine_time: returns the machine's time [s] of a ROS time [ns].
    """

    def __init__(self, machine_time: Callable[[int], float]) -> None:
        self._machine_time = machine_time
        self.obeys: Callable[[str, Sender], bool] = lambda axis, sender: True
        """Whether a sender's commands to an axis are obeyed."""
        self._present: Trajectory | None = None

    def begin(self, given: Trajectory, machine: Machine) -> None:
        """Follow a trajectory from the present state; the one before ends.

        Raises TrajectoryError, and leaves the one before, if it can't be followed.
        """
        standing = _stop_reason(machine, given.axes)
        if standing:
            raise TrajectoryError(f"{standing}, so nothing moves")
        now = machine.time
        start = self._machine_time(given.stamp) if given.stamp else now
        times = start + given.times
        left = times > now
        if not left.any():
            code = Code.OLD_HEADER_TIMESTAMP if given.stamp else Code.INVALID_GOAL
            late = now - float(times[-1])
            raise TrajectoryError(
                f"its last point is {late:.3f} s past; the last point has to be ahead", code
            )
        k = given.points.shape[1]
        present = np.zeros((1, k, len(given.axes)))
        present[0, :2] = _states(machine, given.axes)[:k]
        spline = JointSpline([now, *times[left]], np.concatenate([present, given.points[left]]))
        _check_speeds(spline, given, machine)
        if self._present is not None:
            brake_axes(set(self._own(self._present, machine)) - {*given.axes}, machine)
            self.end(Outcome(Code.INVALID_GOAL, "trajectory: another one has come"))
        self._present = given
        self._spline = spline
        self._start = start
        self._axes = [machine.crane.axis(axis) for axis in given.axes]
        self._lags = np.array([machine.crane.lag(axis) for axis in given.axes])
        self._fastest = np.array([axis.max_speed for axis in self._axes])
        self._most = np.array([axis.max_acceleration for axis in self._axes])
        self._orders: Mapping[str, Any] = {}
        self._told = -math.inf

    def follow(self, machine: Machine) -> None:
        """Command the coming tick."""
        given = self._present
        if given is None:
            return
        own = self._own(given, machine)
        actual = _states(machine, given.axes)
        outcome = self._foreign(given, machine, own) or self._off(given, machine, actual)
        try:
            if outcome is None:
                speeds = self._speeds(machine, actual[0]).tolist()
                for axis, speed in zip(given.axes, speeds, strict=True):
                    machine.command(axis, speed)
                self._orders = machine.orders
                return
        except CommandError as error:
            outcome = Outcome(Code.INVALID_GOAL, f"trajectory: {error}")
        brake_axes(own, machine)
        self.end(outcome)

    def end(self, outcome: Outcome) -> None:
        """End the present trajectory, if there is one."""
        if self._present is not None:
            self._present.outcome.set_result(outcome)
        self._present = None

    def _own(self, given: Trajectory, machine: Machine) -> list[str]:
        """Return the axes that have had no other command since the last tick."""
        orders = machine.orders
        return [axis for axis in given.axes if self._orders.get(axis, orders[axis]) == orders[axis]]

    def _foreign(self, given: Trajectory, machine: Machine, own: list[str]) -> Outcome | None:
        """Return the end by somebody else; ``own`` axes have had no other command since the last
        tick."""
        why = given.cancelled()
        if why:
            return Outcome(Code.INVALID_GOAL, f"trajectory: {why}")
        why = _stop_reason(machine, given.axes)
        if not why and len(own) < len(given.axes):
            others = sorted(set(given.axes) - set(own))
            why = f"another command has come to {', '.join(others)}"
        if not why:
            refused = [axis for axis in given.axes if not self.obeys(axis, given.sender)]
            why = f"command_source has others command {', '.join(refused)}" if refused else ""
        return Outcome(Code.PATH_TOLERANCE_VIOLATED, f"trajectory: {why}") if why else None

    def _off(self, given: Trajectory, machine: Machine, actual: Array) -> Outcome | None:
        """Return the end by the joints' state: at the goal, or too far off; and tell of it."""
        now = machine.time
        desired = self._spline.at(now)
        if now >= self._told + TOLD:
            given.told(now - self._start, desired, actual)
            self._told = now
        after = now - self._spline.end
        if after < 0.0:
            off = self._farthest(given.path, desired, actual)
            return Outcome(Code.PATH_TOLERANCE_VIOLATED, off) if off else None
        off = self._farthest(given.goal, desired, actual)
        if not off:
            return Outcome(Code.SUCCESSFUL, "")
        if after <= given.goal_time:
            return None
        late = f"{off}, {given.goal_time:g} s after the last point"
        return Outcome(Code.GOAL_TOLERANCE_VIOLATED, late)

    def _farthest(self, allowed: Array, desired: Array, actual: Array) -> str:
        """Return a sentence on the joint farthest beyond what is allowed; empty if none is."""
        error = actual - desired[:2]
        share = np.abs(error) / allowed
        if not np.any(share > 1.0):
            return ""
        kind, i = np.unravel_index(int(np.argmax(share)), share.shape)
        axis = self._axes[i]
        unit = axis.unit + ("/s" if kind else "")
        return (
            f"trajectory: {WORDS[kind]} of joint {axis.joint!r} is {actual[kind, i]:.4g} {unit}, "
            f"{error[kind, i]:+.4g} from the desired one; {allowed[kind, i]:.4g} are allowed"
        )

    def _speeds(self, machine: Machine, positions: Array) -> Array:
        """Return the speeds to command in the coming tick [rad/s or m/s], see above."""
        now = machine.time
        tick = machine.tick_time
        here = self._spline.at(now)[0]
        there = self._spline.at(now + tick)[0]
        ahead = (there - here) / tick + self._lags * self._spline.at(now + 0.5 * tick)[2]
        error = np.abs(here - positions)
        gain = 0.25 / np.maximum(self._lags, LEAST_LAG)
        back = np.minimum(gain * error, np.sqrt(self._most * error))
        speeds = ahead + np.copysign(back, here - positions)
        return np.clip(speeds, -self._fastest, self._fastest)


def brake_axes(axes: Iterable[str], machine: Machine) -> None:
    """Brake axes, unless a stop does; a brake would also end their wait after it."""
    for axis in axes if machine.stop_category is None else ():
        machine.command(axis, 0.0, brake=True)


def _states(machine: Machine, axes: tuple[str, ...]) -> Array:
    """Return the positions and speeds (2, joints) of axes."""
    states = [machine.axis_state(machine.seen, axis) for axis in axes]
    return np.array([(state.position, state.velocity) for state in states]).T


def _stop_reason(machine: Machine, axes: tuple[str, ...]) -> str:
    """Return the reason why some axis may not move; empty if all may."""
    if machine.stopped:
        return "the emergency stop is engaged"
    if not machine.enabled:
        return "the dead-man control is released"
    waiting = ", ".join(sorted(machine.restart.waiting & {*axes}))
    if waiting:
        return f"{waiting} {WAITS}"
    if machine.stop_category is None:
        return ""
    acting = (name for name, state in machine.limits.items() if state in ACTING)
    return f"limiters stop the crane: {', '.join(acting)}"


def _check_speeds(spline: JointSpline, given: Trajectory, machine: Machine) -> None:
    """Raise TrajectoryError where a joint would have to be faster than its axis goes."""
    times = spline.times
    mean = np.diff(spline.points[:, 0], axis=0) / np.diff(times)[:, np.newaxis]
    given_speeds = spline.points[1:, 1] if spline.points.shape[1] > 1 else mean
    wanted = np.maximum(np.abs(mean), np.abs(given_speeds))
    for i, name in enumerate(given.axes):
        axis = machine.crane.axis(name)
        worst = int(np.argmax(wanted[:, i]))
        if wanted[worst, i] > axis.max_speed * (1.0 + 1e-3):
            raise TrajectoryError(
                f"joint {axis.joint!r} would need {wanted[worst, i]:.4g} {axis.unit}/s by "
                f"{times[worst + 1] - times[0]:.3g} s; {axis.max_speed:.4g} are allowed"
            )
