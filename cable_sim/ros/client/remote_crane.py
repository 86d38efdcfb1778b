"""Crane in another process, over ROS, for viewer, teleop and operator panel."""

import atexit
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.msg import Log
from rclpy.executors import ExternalShutdownException
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger

from cable_sim.cranes.crane import Axis, Crane
from cable_sim.errors import CommandError, describe_error, unknown
from cable_sim.kernel_cache import advance_text
from cable_sim.machine.faults import Fault
from cable_sim.machine.pictures.frame import Frame
from cable_sim.machine.sway import nearest_turn, yaw_between
from cable_sim.msg import AxisCommand, SimStats
from cable_sim.ros import interface
from cable_sim.ros.basis.node_link import SILENCE, OwnNode, steady_timer
from cable_sim.ros.client.node_state_cache import (
    NodeStateCache,
    Pose,
    axes_of,
    cable_pictures,
    poses_of,
)
from cable_sim.ros.publish.device_messages import fault_command
from cable_sim.spec import Visual

REQUEST_LIFE = 3.0
"""Time after which a request without an answer is given up [s]; never for the emergency stop."""

RESEND = 0.5
"""Time after which a request that sets something is repeated if it has no answer [s]."""
MOST_SENT = 20
"""Largest number of repeated requests of which an answer is awaited."""

COUNTED = 15.0
"""Time [s] after which the seconds of a line of the node's log no longer go on.

A node that compiles writes a line every 10 s; one that has died writes no more.
"""

IN_PARTS = (interface.TF, interface.TF_STATIC)
"""Endpoints of which not only the newest message counts."""
TOGETHER = 0.1
"""Time within which commands to axes without a topic of their own go into one message [s]."""


class RosSource(OwnNode):
    """:class:`~cable_sim.machine.pictures.frame.Source` of a simulator node in another process.

    It subscribes in a thread and a context of its own. No method waits: requests are handed to that
    thread, which delivers them as soon as the node's service is there. When the node dies,
    :meth:`latest` returns its last frame with a condition that says so. When the node comes back,
    at whatever clock time, frames come again.

    Parameters
    ----------
    crane: crane of the node; its names identify bodies, cables and axes.
    namespace: the node's, such as ``/crane_1``.
    frame_prefix, world_frame: as the node's parameters of those names.
    name: of this node.
    """

    def __init__(
        self,
        crane: Crane,
        namespace: str = "",
        frame_prefix: str = "",
        world_frame: str = "world",
        name: str = "cable_sim_operator",
    ) -> None:
        self.crane = crane
        self.prefix = frame_prefix
        self.world = world_frame
        self._cache = NodeStateCache(crane)
        super().__init__(name, namespace)
        self._subscribe()
        self._create_publishers()
        self._wanted: dict[str, _Request] = {}
        self._closed = False
        self._turned = (0, 0.0)
        self._visuals: tuple[Visual, ...] = ()
        steady_timer(self.node, 0.02, self._deliver)
        self._thread = threading.Thread(target=self._spin, name="ros_source", daemon=True)
        self._thread.start()
        # a program that ends by an exception would otherwise pull the middleware away under the
        # thread, and abort
        atexit.register(self.close)

    # What the Source protocol asks for

    def latest(self) -> Frame | None:
        """Return the newest frame, or None until every body has been heard of; never waits."""
        cache = self._cache
        poses = self._poses(body.name for body in self.crane.scene.bodies)
        if poses is None or cache.joints is None or cache.stats is None:
            return None
        stats = cache.stats
        heard = self.connected
        others = self._other_bodies()
        silence = f"nothing from the simulator for {time.monotonic() - cache.heard:.0f} s"
        return Frame(
            time=cache.time,
            poses=poses | others,
            cables=cable_pictures(self.crane, self.prefix, poses, cache),
            axes=axes_of(self.crane, cache.joints),
            sway=cache.sway,
            hook_yaw=self._hook_yaw(stats.ticks, poses),
            paused=stats.status == SimStats.PAUSED,
            emergency_stop=stats.emergency_stop,
            real_time_factor=stats.real_time_factor if heard else 0.0,
            messages=tuple(cache.notices),
            limits=cache.limits,
            readings=cache.readings,
            faults=cache.faults,
            condition=stats.status_text if heard else silence,
            visuals=self._visuals,
            contacts=cache.contacts,
            events=cache.events,
        )

    @property
    def progress(self) -> str:
        """The last line of the node's log, which tells of a start; its seconds go on."""
        line, heard = self._cache.log
        return advance_text(line, min(time.monotonic() - heard, COUNTED))

    def command(self, axis: str, speed: float) -> None:
        """Command a speed [rad/s or m/s] in the axis' sense; CommandError for an unknown axis."""
        names = [known.name for known in self.crane.axes]
        if axis not in names:
            raise CommandError(unknown("axis", axis, names))
        if self._closed:
            return
        if axis in self._commands:
            message = AxisCommand(
                axis=axis, mode=AxisCommand.VELOCITY, value=float(speed), enable=True
            )
            self._commands[axis].publish(message)
        else:
            self._others.command(axis, float(speed), time.monotonic())

    def emergency_stop(self, engaged: bool) -> None:
        """Engage or release the emergency stop; delivered when the node is there, however late."""
        self._want("emergency_stop", SetBool.Request(data=engaged), np.inf)

    def pause(self, paused: bool) -> None:
        """Stop or continue the clock."""
        self._want("pause", SetBool.Request(data=paused))

    def step(self) -> None:
        """Advance one tick while paused."""
        self._want("step", Trigger.Request())

    def reset(self) -> None:
        """Reset the simulator to its start."""
        self._want("reset", Trigger.Request())

    def reset_limiters(self) -> None:
        """Reset the latched limiters."""
        self._want("reset_limiters", Trigger.Request())

    def inject(self, fault: Fault) -> None:
        """Inject a fault."""
        if not self._closed:
            self._faults.publish(fault_command(fault))

    def clear_faults(self) -> None:
        """Clear all faults."""
        self._want("clear_faults", Trigger.Request())

    def close(self) -> None:
        """Leave the graph; may be called twice."""
        if self._closed:
            return
        self._closed = True
        atexit.unregister(self.close)
        self._executor.shutdown(timeout_sec=1.0)
        self._thread.join(2.0)
        super().close()

    # Beyond the protocol

    @property
    def connected(self) -> bool:
        """Return True if the node has been heard within the last :data:`SILENCE` seconds."""
        return time.monotonic() - self._cache.heard < SILENCE

    def wait(self, timeout: float) -> Frame | None:
        """Wait up to ``timeout`` [s] for the first frame of a node; for programs that start."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if self.connected and (frame := self.latest()) is not None:
                return frame
            time.sleep(0.02)
        return None

    # In its own thread

    def _create_publishers(self) -> None:
        """Create the publishers of commands and faults, and the clients of services."""
        self._commands = {
            axis.name: self.node.create_publisher(AxisCommand, endpoint.topic, endpoint.qos)
            for axis in self.crane.axes
            if interface.axis_topic(axis.name) and (endpoint := interface.axis_command(axis.name))
        }
        self._others = _JointCommands(
            self.node, [axis for axis in self.crane.axes if axis.name not in self._commands]
        )
        faults = interface.INJECT_FAULT
        self._faults = self.node.create_publisher(faults.type, faults.topic, faults.qos)
        self._services: dict[str, Any] = {
            name: self.node.create_client(interface.SERVICES[name], f"{interface.NODE_NAME}/{name}")
            for name in interface.service_names(self.crane)
        }

    def _subscribe(self) -> None:
        """Subscribe to the topics that make up a frame.

        Only the newest message of each matters, except for TF, which comes in parts.
        """
        cache = self._cache
        newest = interface.quality(1, reliable=False)
        scene = partial(cache.take_scene, crane=self.crane, prefix=self.prefix)
        handlers: tuple[tuple[interface.Endpoint, Callable[[Any], None], Any], ...] = (
            *(
                (endpoint, take, endpoint.qos if endpoint in IN_PARTS else newest)
                for endpoint, take in cache.of_frames
            ),
            (interface.SCENE_MARKERS, scene, interface.SCENE_MARKERS.qos),
            (interface.SIM_STATS, cache.take_stats, newest),
            (interface.DIAGNOSTICS, self._take_diagnostics, interface.DIAGNOSTICS.qos),
            (interface.LIMITS, cache.take_limits, interface.LIMITS.qos),
            (interface.ACTIVE_FAULTS, cache.take_faults, interface.ACTIVE_FAULTS.qos),
            (interface.LOAD_MOMENT, cache.take_load_moment, newest),
            (interface.WIND, cache.take_wind, newest),
        )
        for endpoint, handler, qos in handlers:
            self.node.create_subscription(endpoint.type, endpoint.topic, handler, qos)
        namespace = self.node.get_namespace().strip("/")
        self._source = f"{namespace}/{interface.NODE_NAME}: ".strip("/")
        self._log_name = f"{namespace}/{interface.NODE_NAME}".strip("/").replace("/", ".")
        # that of rclcpp's logs; rclpy of Jazzy has no name for it
        log = interface.quality(1000, latched=True)
        self.node.create_subscription(Log, "/rosout", self._take_log, log)
        self._hardware = namespace or self.crane.name

    def _take_log(self, message: Log) -> None:
        """Keep the last line of the node's log; those of other nodes share the topic."""
        if message.name == self._log_name:
            self._cache.log = message.msg, time.monotonic()

    def _take_diagnostics(self, message: DiagnosticArray) -> None:
        """Keep the last refused commands; other nodes' diagnostics share the topic."""
        for status in message.status:
            if status.hardware_id != self._hardware or not status.name.startswith(self._source):
                continue
            values = {pair.key: pair.value for pair in status.values}
            if status.name.endswith(interface.COMMANDS):
                self._cache.notices = tuple(v for k, v in values.items() if k.startswith("notice"))

    def _want(self, service: str, request: Any, life: float = REQUEST_LIFE) -> None:
        """Leave a request for the thread; it replaces an undelivered one for the same service."""
        self._wanted[service] = _Request(request, time.monotonic() + life)

    def _deliver(self) -> None:
        """Send requests whose service is there, and drop those that are answered or too old.

        Services of a killed node stay listed for many seconds, and requests sent to them are lost.
        So nothing is sent while the node is silent. Requests that may be repeated are sent again
        until they are answered.
        """
        now = time.monotonic()
        for name, wanted in list(self._wanted.items()):
            if any(answer.done() for answer in wanted.answers):
                self._forget(name, wanted)
            elif now > wanted.end:
                self._forget(name, wanted)
                self._cache.note(f"{name}: no answer from the simulator")
            elif (
                self.connected
                and self._services[name].service_is_ready()
                and wanted.may_be_sent(now)
            ):
                wanted.sent = now
                wanted.answers.append(self._services[name].call_async(wanted.request))
                self._give_up(name, wanted, MOST_SENT)

    def _forget(self, name: str, wanted: "_Request") -> None:
        """Drop a request, unless a newer one has taken its place."""
        self._give_up(name, wanted, 0)
        if self._wanted.get(name) is wanted:
            del self._wanted[name]

    def _give_up(self, name: str, wanted: "_Request", kept: int) -> None:
        """Drop all pending answers but the newest ``kept``.

        The client would keep requests for ever whose answer never comes.
        """
        while len(wanted.answers) > kept:
            self._services[name].remove_pending_request(wanted.answers.pop(0))

    def _spin(self) -> None:
        """Take messages until closed, whatever is in them."""
        while not self._closed:
            try:
                self._executor.spin()
            except ExternalShutdownException:
                return
            except Exception as error:  # a viewer must survive what somebody else published
                self._cache.note(describe_error(error))

    # Putting a frame together

    def _other_bodies(self) -> dict[str, Pose]:
        """Return the poses of bodies beside the crane; new ones count once all have been heard."""
        visuals = self._cache.visuals
        poses = self._poses(one.body for one in visuals)
        if poses is None:
            return self._poses(one.body for one in self._visuals) or {}
        self._visuals = visuals
        return poses

    def _poses(self, names: Iterable[str]) -> dict[str, Pose] | None:
        """Return the poses of bodies, as :func:`poses_of` does."""
        return poses_of(names, self.prefix, self.world, self._cache)

    def _hook_yaw(self, ticks: int, poses: dict[str, Pose]) -> float | None:
        """Return the yaw of the hook block from the trolley [rad]; None without falls.

        Turns are counted from frame to frame, from the first one on. When the simulator's count of
        ticks falls, it has been reset, and turns are counted anew.
        """
        if self.crane.suspension is None:
            return None
        angle = yaw_between(
            poses[self.crane.suspension.trolley][1], poses[self.crane.suspension.hook][1]
        )
        then, before = self._turned
        self._turned = (ticks, nearest_turn(angle, before) if ticks >= then else angle)
        return self._turned[1]


class _JointCommands:
    """Commands on joint_commands, for axes without a topic of their own.

    Examples are a spreader's skew, or a scene's drives. On that topic the newest message replaces
    one that has not been read, so each message has all axes that are commanded now.
    """

    def __init__(self, node: Any, axes: Sequence[Axis]) -> None:
        endpoint = interface.JOINT_COMMANDS
        self._publisher: Any = (
            node.create_publisher(endpoint.type, endpoint.topic, endpoint.qos) if axes else None
        )
        self._joints = {axis.name: axis.joint for axis in axes}
        self._newest: dict[str, tuple[float, float]] = {}

    def command(self, axis: str, speed: float, now: float) -> None:
        """Command a speed [rad/s or m/s] of an axis at ``now`` [s], of any steady clock."""
        self._newest[axis] = speed, now
        speeds = {
            self._joints[name]: wanted
            for name, (wanted, at) in self._newest.items()
            if now - at < TOGETHER
        }
        self._publisher.publish(JointState(name=list(speeds), velocity=list(speeds.values())))


@dataclass(eq=False)
class _Request:
    """Request for a service, given up at ``end`` [s].

    ``sent`` is the time of the last sending. Any of the ``answers`` to come will do.
    """

    request: Any
    end: float
    sent: float = -np.inf
    answers: list[Any] = field(default_factory=list)

    def may_be_sent(self, now: float) -> bool:
        """Return True if the request may be sent, for the first time or, where harmless, again."""
        return not self.answers or (
            isinstance(self.request, SetBool.Request) and now - self.sent > RESEND
        )
