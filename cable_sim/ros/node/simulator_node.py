"""The simulator as a ROS 2 node: parameters, lifecycle, and its simulation.

There are three threads. The physics thread owns the machine, takes commands and publishes. An
executor thread takes service calls, and in lockstep commands, and posts them to the physics thread.
The main thread waits for the signal to end.
"""

import _thread
import gc
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import rclpy
from rcl_interfaces.msg import SetParametersResult
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNodeMixin, LifecycleState, TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions

from cable_sim.errors import describe_error
from cable_sim.priority import run_first
from cable_sim.ros.basis import parameters
from cable_sim.ros.command.commands import Counts
from cable_sim.ros.interface import NODE_NAME
from cable_sim.ros.launch.interpreter import Interrupt
from cable_sim.ros.node import parameter_server
from cable_sim.ros.node.simulation import Simulation

SWITCH_INTERVAL = 1e-3
"""Longest wait of a Python thread for another [s]. The default of 5 ms is half a tick."""


class SimulatorNode(LifecycleNodeMixin, Node):
    """Node of one simulation, which stands still until :meth:`start`.

    With the parameter ``managed`` it has none until a manager configures it, and none after it was
    cleaned up or shut down. Inactive it has one in which time stands.

    Raises CableSimError when parameters or the crane's file are wrong.
    """

    def __init__(self, **options: Any) -> None:
        Node.__init__(self, NODE_NAME, **options)
        self.counts = Counts()
        self.simulation: Simulation | None = None
        self.managed = parameter_server.is_managed(self)
        try:
            self.priority = parameter_server.declare(self).realtime_priority
            if self.managed:
                LifecycleNodeMixin.__init__(self)
            else:
                self.simulation = Simulation(self, self.counts)
        except BaseException:
            with suppress(Exception):  # it would hide the cause
                self.destroy_node()
            raise

    def start(self) -> None:
        """Let time run, or wait in the requested pause, or for a manager."""
        gc.collect()  # before time runs: it takes a third of a second, in which no thread runs
        # what exists now stays; looking through it again and again would cost a tick now and then
        gc.freeze()
        if self.simulation:
            self.simulation.start()
        else:
            self.get_logger().info("unconfigured, until ~/change_state configures it")

    def stop(self) -> None:
        """End the simulation."""
        if self.simulation:
            self.simulation.close()
        self.simulation = None

    def destroy_node(self) -> None:
        """Leave the graph."""
        self.stop()
        super().destroy_node()

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Build the crane as the parameters say; its time stands, and its topics are there."""

        def build() -> tuple[bool, str]:
            self.simulation = Simulation(self, self.counts)
            self.start()
            return True, "inactive"

        return self._tell("configure", build)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Obey commands, and let time run."""
        return self._ask("activate")

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Brake the axes to rest, and stop time."""
        return self._ask("deactivate")

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """End the simulation; it can be configured again."""
        self.stop()
        return TransitionCallbackReturn.SUCCESS

    on_shutdown = on_cleanup
    on_error = on_cleanup

    def _LifecycleNodeMixin__change_state(self, transition: int) -> TransitionCallbackReturn:
        """Make a transition; refuse one that can't be, which Jazzy's rclpy would not answer."""
        try:
            return super()._LifecycleNodeMixin__change_state(transition)  # type: ignore[misc]
        except Exception as error:
            self.get_logger().error(f"transition {transition}: {describe_error(error)}")
            return TransitionCallbackReturn.FAILURE

    def _ask(self, name: str) -> TransitionCallbackReturn:
        """Have the physics thread make a transition."""
        assert self.simulation is not None
        made, act = self.simulation, getattr(self.simulation.physics, name)
        return self._tell(name, lambda: made.ask(name, act))

    def _tell(self, name: str, act: Callable[[], tuple[bool, str]]) -> TransitionCallbackReturn:
        """Make a transition, and log its result: its service can't tell a reason."""
        try:
            done, sentence = act()
        except Exception as error:
            done, sentence = False, f"{name}: {describe_error(error)}"
        if not done:
            self.get_logger().error(sentence)
            return TransitionCallbackReturn.FAILURE
        self.get_logger().info(sentence)
        return TransitionCallbackReturn.SUCCESS

    def set_parameters_atomically(self, parameter_list: list[Parameter]) -> SetParametersResult:
        """Set parameters, as the parameter services call it; refusals name the allowed values.

        Without a simulation all can be set but ``managed``.
        """
        own = self.simulation.own if self.simulation else ()
        rows = {row.name: row for row in (*parameters.TABLE, *own)}
        if self.simulation is None:
            rows = {n: r._replace(read_only=n == "managed") for n, r in rows.items()}
        changes = list(parameter_server.changes(self, rows, parameter_list))
        ours = [p for p in changes if p.name in rows or not self.has_parameter(p.name)]
        problem = parameters.refusal(rows, ((p.name, p.value) for p in ours))
        if problem or not changes:
            return SetParametersResult(successful=not problem, reason=problem)
        return super().set_parameters_atomically(changes)


def main(args: Sequence[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM.

    Returns 0 then, 2 if the node could not start, and 1 if it broke down.
    """
    ended = threading.Event()
    _handle_signals(Interrupt())  # while starting, which may take long when code has to be compiled
    sys.setswitchinterval(SWITCH_INTERVAL)
    try:
        # our own handlers: rclpy's would shut the context down under the physics thread while it
        # publishes
        rclpy.init(
            args=None if args is None else list(args),
            signal_handler_options=SignalHandlerOptions.NO,
        )
        node = SimulatorNode()
        _set_on_signals(ended)
    except KeyboardInterrupt:
        rclpy.try_shutdown()
        return 0
    except Exception as error:  # ours, rclpy's about arguments and files, numba's: one line and out
        print(f"{NODE_NAME}: {describe_error(error).strip()}", file=sys.stderr, flush=True)
        rclpy.try_shutdown()
        return 2
    try:
        return _run(node, ended)
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


def _handle_signals(handler: Callable[..., Any]) -> None:
    """Have SIGINT and SIGTERM call the handler."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handler)


def _set_on_signals(event: threading.Event) -> None:
    """Have SIGINT and SIGTERM set the event.

    A bare thread sets it: the handler may run where the main thread holds the event's lock.
    """
    _handle_signals(lambda *_: _thread.start_new_thread(event.set, ()))


def _run(node: SimulatorNode, ended: threading.Event) -> int:
    """Spin and simulate until the event is set or the physics thread dies.

    Returns the exit status.
    """
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    spinner = threading.Thread(
        target=_spin, args=(executor, node, ended), name="executor", daemon=True
    )
    node.start()
    spinner.start()
    while not ended.wait(0.5):
        if (simulation := node.simulation) and simulation.has_died():
            print(f"{NODE_NAME}: the physics thread has died", file=sys.stderr, flush=True)
            break
    died = not ended.is_set()
    ended.set()
    executor.shutdown(timeout_sec=2.0)
    spinner.join(2.0)
    return int(died)


def _spin(executor: SingleThreadedExecutor, node: SimulatorNode, ended: threading.Event) -> None:
    """Execute callbacks at a priority right behind the physics thread.

    This thread may hold Python's lock. While another program keeps it waiting, the physics thread
    then waits, too. A callback that raises an exception is counted, and the next one runs.
    """
    with run_first(max(node.priority - 1, 0)):  # a refusal has been logged by the physics thread
        while not ended.is_set():
            try:
                executor.spin()
            except ExternalShutdownException:
                return
            except Exception as error:  # the node must not die of a message
                node.counts.add("unreadable", describe_error(error))


if __name__ == "__main__":
    sys.exit(main())
