"""Link of a controller to the graph: `feedback`, `joint_commands`, and the node's services.

Nothing here runs in a thread of its own: a waiting call takes messages meanwhile. So a law is never
called while another call of it has not ended, and a debugger can stop a run and resume it.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import rclpy
from geometry_msgs.msg import WrenchStamped
from nav_msgs.msg import Odometry
from rcl_interfaces.srv import GetParameters
from rclpy.duration import Duration
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import parameter_value_to_python
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from std_srvs.srv import SetBool, Trigger

from cable_sim.control.feedback import Feedback
from cable_sim.errors import CableSimError, StepError
from cable_sim.machine.faults import Fault
from cable_sim.machine.sway import heading_of
from cable_sim.msg import FaultStateArray, SimStats
from cable_sim.ros import interface
from cable_sim.ros.publish.device_messages import fault_command
from cable_sim.ros.publish.feedback_messages import feedback_from
from cable_sim.ros.publish.messages import nanoseconds, set_vector
from cable_sim.spec.quantities import Vector

CALLED = ("pause", "reset")
"""Services that a controller calls."""
SILENCE = 1.5
"""Silence after which a node counts as lost, paused or not [s, wall time]."""
_LOOK = 0.1
"""Longest single wait for messages [s]; signals are handled between two waits."""


class State(NamedTuple):
    """State of one tick: its stamp [ns], its sending time [ns, wall time], and its feedback."""

    stamp: int
    sent: int
    seen: Feedback


class Heading(NamedTuple):
    """Heading of the load about the vertical [rad], and its stamp [ns]."""

    stamp: int
    angle: float


class PlantLink:
    """Node with the endpoints that a controller needs.

    Parameters
    ----------
    namespace: of the simulator's node.
    domain: ROS domain; None for that of the environment.
    ended: returns the reason why the simulator will never answer again, if its process is known;
        empty as long as it may.
    patience: wall time within which the node must answer [s].

    Attributes
    ----------
    state, heading: the newest of each, None before the first one.
    whole: whether to wait for each state's heading, too.
    """

    def __init__(
        self,
        namespace: str = "",
        domain: int | None = None,
        ended: Callable[[], str] = str,
        patience: float = 30.0,
    ) -> None:
        self._ended = ended
        self.patience = patience
        self.state: State | None = None
        self.heading: Heading | None = None
        self.whole = False
        self.stats: SimStats | None = None
        self.faults: FaultStateArray | None = None
        self._since = 0
        self._heard = 0.0
        self._context = rclpy.Context()
        rclpy.init(
            context=self._context, domain_id=domain, signal_handler_options=SignalHandlerOptions.NO
        )
        self._node = rclpy.create_node(
            "cable_sim_controller",
            namespace=namespace,
            context=self._context,
            use_global_arguments=False,
        )
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._connect()

    def _connect(self) -> None:
        """Make all endpoints. Only the newest state matters; in lockstep there never is another."""
        newest = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
        for endpoint, take, qos in (
            (interface.FEEDBACK, self._take_feedback, newest),
            (interface.GROUND_TRUTH, self._take_truth, newest),
            (interface.SIM_STATS, self._take_stats, newest),
            (interface.ACTIVE_FAULTS, self._take_faults, interface.ACTIVE_FAULTS.qos),
        ):
            self._node.create_subscription(endpoint.type, endpoint.topic, take, qos)
        # of pushes the newest only: Fast DDS asks for the acknowledgement at once where its history
        # is full
        self._publishers = {
            endpoint.topic: self._node.create_publisher(endpoint.type, endpoint.topic, qos)
            for endpoint, qos in (
                (interface.JOINT_COMMANDS, interface.JOINT_COMMANDS.qos),
                (interface.EXTERNAL_WRENCH, newest),
                (interface.INJECT_FAULT, interface.INJECT_FAULT.qos),
            )
        }
        self._services: dict[str, Any] = {
            name: self._node.create_client(
                interface.SERVICES[name], f"{interface.NODE_NAME}/{name}"
            )
            for name in CALLED
        }
        self._services["get_parameters"] = self._node.create_client(
            GetParameters, f"{interface.NODE_NAME}/get_parameters"
        )

    def meet(self, patience: float) -> None:
        """Wait for a connection both ways, up to ``patience`` [s, wall time]."""

        def there() -> bool:
            heard = all(
                publisher.get_subscription_count() for publisher in self._publishers.values()
            )
            return (
                self.state is not None
                and heard
                and all(one.service_is_ready() for one in self._services.values())
            )

        self._until(there, "no simulator answered", patience)

    def next(self, after: int, wanted: Callable[[Feedback], bool] = lambda seen: True) -> State:
        """Wait for the newest ``wanted`` state with a stamp later than ``after`` [ns].

        Raises StepError if the simulation failed. Raises CableSimError if nothing comes, or will
        come because the node has given up waiting for an answer.
        """

        def there() -> bool:
            if self.state is not None and self.state.stamp > after and wanted(self.state.seen):
                return not self.whole or (
                    self.heading is not None and self.heading.stamp >= self.state.stamp
                )
            if self.stats and self.stats.status == SimStats.FAILED:
                raise StepError(self.stats.status_text)
            if self._paused and self.stats and self.stats.status_text:
                raise CableSimError(f"the simulator is {self.stats.status_text}")
            return False

        self._until(
            there,
            f"no feedback came after {after * 1e-9:.3f} s",
            self.patience,
            lambda: self._paused,
        )
        assert self.state is not None
        return self.state

    def answer(self, message: Any) -> None:
        """Publish a command."""
        self._publishers[interface.JOINT_COMMANDS.topic].publish(message)

    def pause(self, paused: bool) -> None:
        """Stop or continue time."""
        self._ask("pause", SetBool.Request(data=paused))

    def reset(self) -> State:
        """Reset the simulator to its start; returns the first state there."""
        before = self.state.stamp if self.state else -1
        self._ask("reset", Trigger.Request())
        self._since = before + 1  # what the statistics told until then is over
        return self.next(before, lambda seen: seen.time == 0.0)

    def inject(self, faults: Sequence[Fault]) -> None:
        """Inject faults, and wait until the node reports them; CableSimError if it does not."""
        since = self.state.stamp if self.state else 0
        most = interface.INJECT_FAULT.qos.depth  # more at once could push each other out
        for i in range(0, len(faults), most):
            self._inject(faults[i : i + most], since)

    def push(self, force: Vector) -> None:
        """Push the load with a force along the axes of the world [N], before any later message.

        ROS promises no order between topics. But a message that has been acknowledged is ready at
        the node, which takes waiting messages before service calls. So the node has the push once
        it answers the call of a service. CableSimError if not all subscribers acknowledge it.
        """
        message = WrenchStamped()
        pushes = self._publishers[interface.EXTERNAL_WRENCH.topic]
        set_vector(message.wrench.force, force)
        pushes.publish(message)
        wait = Duration(seconds=_LOOK)
        self._until(
            lambda: pushes.wait_for_all_acked(wait),
            "a push of the load was not acknowledged",
            self.patience,
        )
        self.parameters("lockstep")

    def parameters(self, *names: str) -> dict[str, Any]:
        """Return values of the node's parameters."""
        future = self._call("get_parameters", GetParameters.Request(names=list(names)))
        return dict(zip(names, map(parameter_value_to_python, future.values), strict=True))

    def close(self) -> None:
        """Leave the graph."""
        self._executor.shutdown(timeout_sec=1.0)
        self._node.destroy_node()
        self._context.try_shutdown()

    def _inject(self, faults: Sequence[Fault], since: int) -> None:
        """Inject a few faults; the node must report them at a stamp of ``since`` or later [ns]."""
        names = {fault.name for fault in faults}
        for fault in faults:
            self._publishers[interface.INJECT_FAULT.topic].publish(fault_command(fault))

        def told() -> bool:
            message = self.faults
            if message is None or nanoseconds(message.header.stamp) < since:
                return False
            return names <= {
                f"{one.kind} {one.target}".strip() for one in (*message.faults, *message.coming)
            }

        self._until(told, f"the simulator did not take {', '.join(sorted(names))}", self.patience)

    def _ask(self, name: str, request: Any) -> None:
        """Call a service that reports success; CableSimError if it reports a failure."""
        answer = self._call(name, request)
        if not answer.success:
            raise CableSimError(f"the simulator refused {name!r}: {answer.message}")

    def _call(self, name: str, request: Any) -> Any:
        """Return the answer of a service."""
        future = self._services[name].call_async(request)
        self._until(future.done, f"the simulator did not answer {name!r}", self.patience)
        return future.result()

    @property
    def _paused(self) -> bool:
        """Return True if the simulator is there and its time stands still."""
        alive = time.monotonic() - self._heard < SILENCE
        return self.stats is not None and self.stats.status == SimStats.PAUSED and alive

    def _until(
        self,
        there: Callable[[], bool],
        otherwise: str,
        patience: float,
        excused: Callable[[], bool] = lambda: False,
    ) -> None:
        """Take messages until ``there`` returns True; time does not count while ``excused`` does.

        After ``patience`` [s, wall time] it raises CableSimError with the text ``otherwise``. It
        raises the same at once if the simulator has ended.
        """
        end = time.monotonic() + patience
        while not there():
            why = self._ended()
            if why:
                raise CableSimError(f"{otherwise}: {why}")
            if excused():
                end = time.monotonic() + patience
            if time.monotonic() > end:
                told = (
                    f"; it is {self.stats.status_text}"
                    if self.stats and self.stats.status_text
                    else ""
                )
                raise CableSimError(f"{otherwise} within {patience:g} s{told}")
            self._executor.spin_once(timeout_sec=_LOOK)

    def _take_feedback(self, message: Any, info: Any) -> None:
        """Keep a state; of repetitions for late joiners, the first one counts."""
        stamp = nanoseconds(message.header.stamp)
        if self.state is None or stamp != self.state.stamp:
            self.state = State(stamp, info["source_timestamp"], feedback_from(message))

    def _take_truth(self, message: Odometry) -> None:
        """Keep the load's heading."""
        turn = message.pose.pose.orientation
        self.heading = Heading(
            nanoseconds(message.header.stamp), heading_of((turn.w, turn.x, turn.y, turn.z))
        )

    def _take_stats(self, message: SimStats) -> None:
        """Keep statistics, unless they are from before the reset."""
        self._heard = time.monotonic()
        self.stats = message if nanoseconds(message.header.stamp) >= self._since else None

    def _take_faults(self, message: FaultStateArray) -> None:
        """Keep the active and the coming faults."""
        self.faults = message
