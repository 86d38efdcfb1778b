"""Link of a controller to the graph: `feedback`, `joint_commands`, and the node's services."""

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from geometry_msgs.msg import WrenchStamped
from nav_msgs.msg import Odometry
from rcl_interfaces.srv import GetParameters
from rclpy.duration import Duration
from rclpy.parameter import parameter_value_to_python
from std_srvs.srv import Trigger

from cable_sim.control.feedback import Feedback
from cable_sim.errors import CableSimError, StepError
from cable_sim.machine.faults import Fault
from cable_sim.machine.sway import heading_of
from cable_sim.msg import FaultStateArray, SimStats
from cable_sim.ros import interface
from cable_sim.ros.basis.messages import nanoseconds, set_vector
from cable_sim.ros.basis.node_link import LOOK, NodeLink
from cable_sim.ros.publish.device_messages import fault_command
from cable_sim.ros.publish.feedback_messages import feedback_from
from cable_sim.spec.quantities import Vector


class State(NamedTuple):
    """State of one tick: its stamp [ns], its sending time [ns, wall time], and its feedback."""

    stamp: int
    sent: int
    seen: Feedback


class Heading(NamedTuple):
    """Heading of the load about the vertical [rad], and its stamp [ns]."""

    stamp: int
    angle: float


class PlantLink(NodeLink):
    """Node with the endpoints that a controller needs.

    Parameters
    ----------
    namespace, domain, ended, patience: as for :class:`~cable_sim.ros.basis.node_link.NodeLink`.

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
        super().__init__("cable_sim_controller", namespace, domain, ended, patience)
        self.state: State | None = None
        self.heading: Heading | None = None
        self.whole = False
        self.faults: FaultStateArray | None = None
        self._since = 0
        self._connect()

    def _connect(self) -> None:
        """Make all endpoints. Only the newest state matters; in lockstep there never is another."""
        newest = interface.quality(1)
        for endpoint, take, qos in (
            (interface.FEEDBACK, self._take_feedback, newest),
            (interface.GROUND_TRUTH, self._take_truth, newest),
            (interface.SIM_STATS, self._take_stats, newest),
            (interface.ACTIVE_FAULTS, self._take_faults, interface.ACTIVE_FAULTS.qos),
        ):
            self.node.create_subscription(endpoint.type, endpoint.topic, take, qos)
        # of pushes the newest only: Fast DDS asks for the acknowledgement at once where its history
        # is full
        self._publishers = {
            endpoint.topic: self.node.create_publisher(endpoint.type, endpoint.topic, qos)
            for endpoint, qos in (
                (interface.JOINT_COMMANDS, interface.JOINT_COMMANDS.qos),
                (interface.EXTERNAL_WRENCH, newest),
                (interface.INJECT_FAULT, interface.INJECT_FAULT.qos),
            )
        }
        self._services["get_parameters"] = self.node.create_client(
            GetParameters, f"{interface.NODE_NAME}/get_parameters"
        )

    @property
    def complete(self) -> bool:
        """Return True if a state has been heard."""
        return self.state is not None

    def next_state(
        self, after: int, wanted: Callable[[Feedback], bool] = lambda seen: True
    ) -> State:
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
            if self.paused and self.stats and self.stats.status_text:
                raise CableSimError(f"the simulator is {self.stats.status_text}")
            return False

        self._take_until(
            there,
            f"no feedback came after {after * 1e-9:.3f} s",
            self.patience,
            lambda: self.paused,
        )
        assert self.state is not None
        return self.state

    def answer(self, message: Any) -> None:
        """Publish a command."""
        self._publishers[interface.JOINT_COMMANDS.topic].publish(message)

    def reset(self) -> State:
        """Reset the simulator to its start; returns the first state there."""
        before = self.state.stamp if self.state else -1
        self._ask("reset", Trigger.Request())
        self._since = before + 1  # what the statistics told until then is over
        return self.next_state(before, lambda seen: seen.time == 0.0)

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
        wait = Duration(seconds=LOOK)
        self._take_until(
            lambda: pushes.wait_for_all_acked(wait),
            "a push of the load was not acknowledged",
            self.patience,
        )
        self.parameters("lockstep")

    def parameters(self, *names: str) -> dict[str, Any]:
        """Return values of the node's parameters."""
        future = self._call("get_parameters", GetParameters.Request(names=list(names)))
        return dict(zip(names, map(parameter_value_to_python, future.values), strict=True))

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

        self._take_until(
            told, f"the simulator did not take {', '.join(sorted(names))}", self.patience
        )

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
