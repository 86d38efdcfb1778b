"""Player of lift plans over DDS on the simulator's clock, with a record of what it received."""

import re
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from rclpy.duration import Duration
from rclpy.qos import DurabilityPolicy
from rclpy.serialization import deserialize_message
from std_srvs.srv import Trigger

from cable_sim.control.lift_plans.lift_plan import LiftPlan
from cable_sim.control.lift_plans.report import RunFigures
from cable_sim.control.lift_plans.time_series import LiftSeries, slings_of
from cable_sim.cranes.crane import Crane
from cable_sim.errors import CableSimError
from cable_sim.msg import AxisCommand, SimStats
from cable_sim.ros import interface
from cable_sim.ros.bags.recorder import Recorder, endpoints_of, listen
from cable_sim.ros.basis.frames import Array
from cable_sim.ros.basis.messages import seconds, vector_of
from cable_sim.ros.basis.node_link import LOOK, NodeLink
from cable_sim.ros.interface import Endpoint

REPEAT = 0.045
"""Simulated time after which a command is repeated [s]: 20 Hz, a tenth of the node's timeout."""
ANSWER = 10.0
"""Wall time within which a service must answer [s]."""
LOST = 5.0
"""Silence after which the plan is given up [s, wall time]."""
ROUNDING = 1e-3
"""Rounding of times in sentences [s]."""

SEEN = (
    interface.JOINT_STATES,
    interface.CABLE_STATES,
    interface.SWAY_STATE,
    interface.GROUND_TRUTH,
    interface.SIM_STATS,
)


class Moment(NamedTuple):
    """Instant of an event: ROS time [s], wall time [s], and the node's statistics then."""

    stamp: float
    wall: float
    stats: SimStats


class Operator(NodeLink):
    """Operator that follows a plan at a running node; :meth:`close` leaves the graph.

    It sends commands as soon as joint states arrive, whose stamps are the clock of the plan. So a
    slow or paused simulator gets the same commands at the same simulated times.

    Parameters
    ----------
    crane, plan: crane of the node, and plan to follow.
    namespace, domain, ended: as for :class:`~cable_sim.ros.basis.node_link.NodeLink`.

    CableSimError for a motion that has no topic.
    """

    def __init__(
        self,
        crane: Crane,
        plan: LiftPlan,
        namespace: str = "",
        domain: int | None = None,
        ended: Callable[[], str] = str,
    ) -> None:
        for motion in plan.courses:
            if interface.axis_topic(motion) is None:
                raise CableSimError(
                    f"lift plan: {motion} has no topic of its own on which a node could be "
                    "commanded; rehearse the plan without one"
                )
        super().__init__("cable_sim_lift_plan", namespace, domain, ended, ANSWER)
        self.crane = crane
        self.plan = plan
        self.recorder: Recorder | None = None
        for motion in plan.courses:
            axis = interface.axis_command(motion)
            publisher = self.node.create_publisher(AxisCommand, axis.topic, axis.qos)
            self._publishers[motion] = publisher
        self._series = _Series(crane)
        self._latched: dict[str, tuple[Endpoint, bytes]] = {}
        self._armed = False
        self._sent: dict[str, tuple[float, float]] = {}
        self.begin: Moment | None = None
        self.end: Moment | None = None
        self.time = 0.0
        listen(self.node, endpoints_of(crane), self._take)

    @property
    def complete(self) -> bool:
        """Return True if statistics and every topic of the series have been heard."""
        return super().complete and self._series.complete

    def record(self, recorder: Recorder) -> None:
        """Record everything heard from now on, preceded by the latched messages heard before."""
        for endpoint, data in self._latched.values():
            recorder.take(endpoint, data)
        self.recorder = recorder

    def reset(self) -> None:
        """Reset the simulator to its start, and wait for its states.

        CableSimError if the node refuses, or if no states come.
        """
        found = re.search(r"continues at ([\d.]+) s", self._ask("reset", Trigger.Request()))
        begin = float(found[1]) if found else 0.0
        self._take_until(
            lambda: self._series.newest >= begin - ROUNDING,
            f"the states after the reset at {begin:g} s did not come",
            ANSWER,
        )

    def start(self) -> None:
        """Begin the plan with the next joint states."""
        self._series.clear()
        self._armed = True

    def play(self, tell: Callable[[float], None]) -> None:
        """Follow the plan to its end; ``tell`` gets its time [s] often.

        CableSimError if it can't come.
        """
        while self.end is None:
            why = self._ended()
            if not why and time.monotonic() - self._heard > LOST:
                why = "nothing from the simulator since then"
            if why:
                raise CableSimError(f"the plan broke off at {self.time:.1f} s: {why}")
            self.take()
            tell(self.time)

    def load_place(self) -> tuple[float, float]:
        """Radius [m] and slewing angle [rad] of the load at present."""
        _, x, y, _ = self._series.truth[-1]
        return float(np.hypot(x, y)), float(np.arctan2(y, x))

    def halt(self) -> None:
        """Stop every motion of the plan now, whatever the plan says."""
        self._armed = False
        for motion in self._publishers:
            self._publish(motion, 0.0)
        for publisher in self._publishers.values():
            publisher.wait_for_all_acked(Duration(seconds=LOOK))

    def track(self) -> LiftSeries:
        """Time series recorded since the plan began."""
        return self._series.track(self.begin.stamp if self.begin else 0.0)

    def figures(self) -> RunFigures:
        """Timing of the simulator while the plan ran."""
        assert self.begin is not None and self.end is not None
        a = self.begin
        b = self.end
        return RunFigures(
            real_time_factor=(b.stamp - a.stamp) / max(b.wall - a.wall, 1e-9),
            missed_ticks=int(b.stats.missed_ticks - a.stats.missed_ticks),
            rejected=int(b.stats.rejected_commands - a.stats.rejected_commands),
            clamped=int(b.stats.clamped_commands - a.stats.clamped_commands),
            lost_samples=self._series.missing_count(),
        )

    def close(self) -> None:
        """Leave the graph, and finish the recording."""
        super().close()
        if self.recorder is not None:
            self.recorder.close()

    def _take(self, endpoint: Endpoint, data: bytes) -> None:
        """Take a message; commands go out before anything is written."""
        self._heard = time.monotonic()
        if endpoint in SEEN and self.end is None:
            message = deserialize_message(data, endpoint.type)
            if endpoint is interface.SIM_STATS:
                self._take_stats(message)
            else:
                self._series.take(endpoint, message)
                if endpoint is interface.JOINT_STATES:
                    self._follow(seconds(message.header.stamp))
        if self.recorder is not None:
            self.recorder.take(endpoint, data)
        elif endpoint.qos.durability == DurabilityPolicy.TRANSIENT_LOCAL:
            self._latched[endpoint.topic] = endpoint, data

    def _take_stats(self, message: SimStats) -> None:
        """Take statistics; a fall of the counters is a reset, which ends what had begun."""
        before = self.stats
        self.stats = message
        if self.begin is None or before is None:
            return
        if message.ticks < before.ticks:
            raise CableSimError("the simulator was reset while the plan ran")
        if message.status == SimStats.FAILED:
            raise CableSimError(message.status_text)

    def _follow(self, now: float) -> None:
        """Send the plan's commands at that ROS time [s]."""
        if not self._armed or self.stats is None:
            return
        if self.begin is None:
            self.begin = Moment(now, time.monotonic(), self.stats)
        self.time = now - self.begin.stamp
        if self.time < 0.0:
            raise CableSimError(
                "the simulator's clock ran backwards while the plan ran: another node has come"
            )
        self._command(now)
        if self.time >= self.plan.duration:
            self.end = Moment(now, time.monotonic(), self.stats)

    def _command(self, now: float) -> None:
        """Send changed speeds, and those due again, at that ROS time [s]."""
        for motion, speed in self.plan.speeds_at(self.time).items():
            last, at = self._sent.get(motion, (np.nan, -np.inf))
            if speed != last or now - at >= REPEAT:
                self._publish(motion, speed)
                self._sent[motion] = speed, now

    def _publish(self, motion: str, speed: float) -> None:
        """Publish a speed [rad/s or m/s]."""
        command = AxisCommand(axis=motion, mode=AxisCommand.VELOCITY, value=speed, enable=True)
        self._publishers[motion].publish(command)


class _Series:
    """Received values, topic by topic, in rows that begin with their stamp [s].

    They are joined only at the end, because topics arrive in any order.
    """

    def __init__(self, crane: Crane) -> None:
        self.crane = crane
        self.slings = set(slings_of(crane))
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.axes: list[tuple[float, ...]] = []
        self.ropes: list[tuple[float, ...]] = []
        self.sway: list[tuple[float, ...]] = []
        self.truth: list[tuple[float, ...]] = []

    @property
    def newest(self) -> float:
        """Stamp of the newest state of which all topics have arrived [s]."""
        tables = (self.axes, self.ropes, self.sway, self.truth)
        return min(rows[-1][0] if rows else -np.inf for rows in tables)

    @property
    def complete(self) -> bool:
        """Return True if every topic has had a message."""
        return self.newest > -np.inf

    def take(self, endpoint: Endpoint, message: Any) -> None:
        """Take any message of :data:`SEEN` except statistics.

        CableSimError if it is of another crane.
        """
        now = seconds(message.header.stamp)
        if endpoint is interface.GROUND_TRUTH:
            self.truth.append((now, *vector_of(message.pose.pose.position)))
        elif endpoint is interface.SWAY_STATE:
            angles = message.sway_radial, message.sway_tangential
            self.sway.append((now, *(angles if message.valid else (np.nan, np.nan))))
        elif endpoint is interface.CABLE_STATES:
            self.ropes.append((now, *self._pulls(message)))
        else:
            places = dict(zip(message.name, message.position, strict=True))
            self.axes.append((now, *(places.get(axis.joint, np.nan) for axis in self.crane.axes)))

    def _pulls(self, message: Any) -> tuple[float, float]:
        """Return the pulls of the first hoist rope and of all slings [N]."""
        tensions = {cable.name: cable.tension_winch for cable in message.cables}
        pulls = [pull for name, pull in tensions.items() if name in self.crane.ropes]
        if not pulls:
            theirs = ", ".join(tensions) or "none"
            ours = ", ".join(self.crane.ropes)
            raise CableSimError(
                f"the simulator runs another crane: its ropes are {theirs}, and not {ours}"
            )
        return pulls[0], sum(pull for name, pull in tensions.items() if name in self.slings)

    def track(self, begin: float) -> LiftSeries:
        """Return the time series at the stamps of the load's positions.

        Other topics give their newest value at each stamp.
        """
        truth = np.array([row for row in self.truth if row[0] >= begin])
        if not (len(truth) and self.complete):
            raise CableSimError("no data arrived on the load, its ropes, its sway or the axes")
        time_ = truth[:, 0]
        sway, ropes, axes = (
            _newest_values(rows, time_) for rows in (self.sway, self.ropes, self.axes)
        )
        by_name = {axis.name: axes[:, i] for i, axis in enumerate(self.crane.axes)}
        return LiftSeries(
            time_ - begin, truth[:, 1:], ropes[:, 0], ropes[:, 1], sway[:, 0], sway[:, 1], by_name
        )

    def missing_count(self) -> int:
        """Number of the load's positions that are missing between others."""
        gaps = np.diff(sorted(row[0] for row in self.truth))
        return int(np.sum(np.round(gaps / np.median(gaps)) - 1.0)) if gaps.size else 0


def _newest_values(rows: list[Any], times: Array) -> Array:
    """Return the values of the newest row at each of the times; rows begin with their time."""
    table = np.array(sorted(rows))
    return table[np.clip(np.searchsorted(table[:, 0], times + 1e-6) - 1, 0, None), 1:]
