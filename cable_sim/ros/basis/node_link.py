"""Nodes of clients, each in a context of its own, and their links to the simulator's node.

Nothing here runs in a thread of its own: a waiting call takes messages meanwhile. So a law is never
called while another call of it has not ended, and a debugger can stop a run and resume it.
"""

import math
import time
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.clock import Clock, ClockType
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.timer import Timer
from std_srvs.srv import SetBool

from cable_sim.errors import CableSimError
from cable_sim.msg import SimStats
from cable_sim.ros import interface

CALLED = ("pause", "reset")
"""Services that a client calls."""
SILENCE = 1.5
"""Silence after which a node counts as lost [s, wall time]: it sends ten messages a second."""
LOOK = 0.1
"""Longest single wait for messages [s]; signals are handled between two waits."""


def steady_timer(node: Node, period: float, act: Callable[[], None]) -> Timer:
    """Call ``act`` every ``period`` seconds of wall time, whatever the node's own clock does."""
    return node.create_timer(period, act, clock=Clock(clock_type=ClockType.STEADY_TIME))


class OwnNode:
    """Node in a context of its own, without handlers for signals.

    Parameters
    ----------
    name, namespace: of the node.
    domain: ROS domain; None for that of the environment.
    options: further ones of ``rclpy.create_node``.
    """

    def __init__(
        self, name: str, namespace: str = "", domain: int | None = None, **options: Any
    ) -> None:
        self._context = rclpy.Context()
        rclpy.init(
            context=self._context, domain_id=domain, signal_handler_options=SignalHandlerOptions.NO
        )
        self.node = rclpy.create_node(
            name, namespace=namespace, context=self._context, use_global_arguments=False, **options
        )
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)

    def take(self) -> None:
        """Wait for :data:`LOOK` at most, and take a message if there is one."""
        self._executor.spin_once(timeout_sec=LOOK)

    def take_until(self, there: Callable[[], object], seconds: float | None) -> None:
        """Take messages until ``there`` returns something true, or for so many seconds."""
        end = math.inf if seconds is None else time.monotonic() + seconds
        while not there() and time.monotonic() < end:
            self.take()

    def close(self) -> None:
        """Leave the graph."""
        self._executor.shutdown(timeout_sec=1.0)
        self.node.destroy_node()
        self._context.try_shutdown()


class NodeLink(OwnNode):
    """Client of a simulator's node; a subclass makes the endpoints that it needs.

    Parameters
    ----------
    name: of the client's own node.
    namespace: of the simulator's node.
    domain: ROS domain; None for that of the environment.
    ended: returns the reason why the simulator will never answer again, if its process is known;
        empty as long as it may.
    patience: wall time within which the node must answer [s].

    Attributes
    ----------
    stats: newest statistics, None before the first ones.
    """

    def __init__(
        self,
        name: str,
        namespace: str,
        domain: int | None,
        ended: Callable[[], str],
        patience: float,
    ) -> None:
        super().__init__(name, namespace, domain)
        self._ended = ended
        self.patience = patience
        self.stats: SimStats | None = None
        self._heard = 0.0
        self._publishers: dict[str, Any] = {}
        self._services: dict[str, Any] = {
            name: self.node.create_client(interface.SERVICES[name], f"{interface.NODE_NAME}/{name}")
            for name in CALLED
        }

    @property
    def complete(self) -> bool:
        """Return True if all that the client needs has been heard."""
        return self.stats is not None

    @property
    def paused(self) -> bool:
        """Return True if the simulator is there and its time stands still."""
        alive = time.monotonic() - self._heard < SILENCE
        return self.stats is not None and self.stats.status == SimStats.PAUSED and alive

    def meet(self, patience: float, hint: str = "") -> None:
        """Wait for a connection both ways, up to ``patience`` [s, wall time].

        CableSimError, which ends with the hint, if there is none.
        """

        def there() -> bool:
            heard = all(one.get_subscription_count() for one in self._publishers.values())
            served = all(one.service_is_ready() for one in self._services.values())
            return self.complete and heard and served

        self._take_until(there, "no simulator answered", patience, hint=hint)

    def pause(self, paused: bool) -> None:
        """Stop or continue time."""
        self._ask("pause", SetBool.Request(data=paused))

    def _ask(self, name: str, request: Any) -> str:
        """Call a service that reports success; CableSimError if it reports a failure.

        Returns its message.
        """
        answer = self._call(name, request)
        if not answer.success:
            raise CableSimError(f"the simulator refused {name!r}: {answer.message}")
        return str(answer.message)

    def _call(self, name: str, request: Any) -> Any:
        """Return the answer of a service."""
        future = self._services[name].call_async(request)
        self._take_until(future.done, f"the simulator did not answer {name!r}", self.patience)
        return future.result()

    def _take_until(
        self,
        there: Callable[[], bool],
        otherwise: str,
        patience: float,
        excused: Callable[[], bool] = lambda: False,
        hint: str = "",
    ) -> None:
        """Take messages until ``there`` returns True; time does not count while ``excused`` does.

        After ``patience`` [s, wall time] it raises CableSimError with the text ``otherwise`` and
        the hint. It raises the same at once if the simulator has ended.
        """
        end = time.monotonic() + patience
        while not there():
            why = self._ended()
            if why:
                raise CableSimError(f"{otherwise}: {why}")
            if excused():
                end = time.monotonic() + patience
            if time.monotonic() > end:
                told = self.stats.status_text if self.stats else ""
                told = f"; it is {told}" if told else ""
                raise CableSimError(f"{otherwise} within {patience:g} s{told}{hint}")
            self.take()
