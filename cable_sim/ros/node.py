"""The simulator as a ROS 2 node: puts parameters, machine, physics thread, topics and services together.

Three threads: the physics thread owns the machine and publishes; an executor thread takes messages and
service calls and posts what they want to the physics thread; the main thread waits for the signal to end.
"""

import gc
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import rclpy
from rcl_interfaces.msg import SetParametersResult
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions
from std_srvs.srv import SetBool, Trigger

from cable_sim.errors import CableSimError, CableSimWarning
from cable_sim.machine.machine import Machine
from cable_sim.priority import first_in_line
from cable_sim.ros import parameters
from cable_sim.ros.commands import CommandReader, Counts, listen, subscribe
from cable_sim.ros.interface import JOY, NODE_NAME, SERVICES
from cable_sim.ros.joystick import Joystick
from cable_sim.ros.namesake import Namesake
from cable_sim.ros.physics_thread import PhysicsThread
from cable_sim.ros.publishers import Publishers
from cable_sim.scenes.machines import load_machine

REQUEST_TIMEOUT = 5.0
"""A service answers after at most this wall time [s], also when a tick hangs."""

SWITCH_INTERVAL = 1e-3
"""How long one Python thread may keep another waiting [s]. The default of 5 ms is half a tick."""


class SimulatorNode(Node):
    """Hosts one crane. Built, it stands still; :meth:`start` lets it run, :meth:`stop` ends it.

    Raises CableSimError when parameters or the crane's file are wrong.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(NODE_NAME, **options)
        try:
            self._build()
        except BaseException:
            self.destroy_node()
            raise

    def _build(self) -> None:
        settings = parameters.declare(self)
        for name in parameters.unknown_overrides(self):
            self.get_logger().warning(f"parameter {name!r} is not known and has no effect")
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", CableSimWarning)
            crane = load_machine(settings.crane_config)
        for warning in told:
            self.get_logger().warning(str(warning.message))
        machine = Machine(
            crane,
            settings.physics_step,
            settings.substeps,
            settings.command_timeout,
            stepper=settings.stepper,
        )
        machine.tick()  # loads, or at worst compiles, what would otherwise delay the first tick by seconds
        machine.reset()
        self.counts = Counts()
        self.physics = PhysicsThread(machine, Publishers(self, machine, settings, self.counts), settings)
        reader = CommandReader(crane, self.counts, settings.world_frame)
        self._listening = subscribe(self, crane, reader, self._carry_out)
        if settings.joystick:
            self._listening.append(listen(self, JOY, Joystick(crane).read, self._carry_out, self.counts))
        physics = self.physics
        self._serving = [
            self._serve("pause", lambda request: physics.pause(request.data)),
            self._serve("reset", lambda _: physics.reset()),
            self._serve("step", lambda _: physics.step()),
            self._serve("emergency_stop", lambda request: physics.emergency_stop(request.data)),
            self._serve("enable", lambda request: physics.enable(request.data)),
            self._serve("reset_limiters", lambda _: physics.reset_limiters()),
            self._serve("clear_faults", lambda _: physics.clear_faults()),
        ]
        self._namesake = Namesake(self, self.counts.note)
        self.add_on_set_parameters_callback(self._check)
        self.add_post_set_parameters_callback(self._apply)

    def start(self) -> None:
        """Let time run, or wait in the pause that was asked for."""
        self.physics.start()

    def stop(self) -> None:
        """End the physics thread."""
        self.physics.stop()

    def _carry_out(self, wishes: list[Any]) -> None:
        """Hand wishes to the physics thread."""
        if wishes:
            self.physics.post(lambda: self.physics.carry_out(wishes))

    def _serve(self, name: str, act: Callable[[Any], tuple[bool, str]]) -> Any:
        """A service that has the physics thread act, and answers whether that worked."""

        def answer(request: SetBool.Request | Trigger.Request, response: Any) -> Any:
            try:
                outcome = self.physics.post(lambda: act(request)).result(REQUEST_TIMEOUT)
                response.success, response.message = outcome
            except Exception as error:  # the caller is told; the node lives on
                response.success, response.message = False, f"{type(error).__name__}: {error}"
            return response

        return self.create_service(SERVICES[name], f"~/{name}", answer)

    def _check(self, changed: list[Parameter]) -> SetParametersResult:
        """Accept new parameters only if all of them together make sense."""
        ours = {row.name for row in parameters.TABLE}
        problem = parameters.check(parameters.settings_of(self, [p for p in changed if p.name in ours]))
        return SetParametersResult(successful=not problem, reason=problem)

    def _apply(self, _: list[Parameter]) -> None:
        """Hand the new parameters to the physics thread."""
        settings = parameters.settings_of(self)
        self.physics.post(lambda: self.physics.apply(settings))


def main(args: Sequence[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM; returns 0 then, 2 if it could not start, 1 if it broke down."""
    ended = threading.Event()
    _on_signals(_interrupt)  # while starting, which may take long when code has to be compiled
    sys.setswitchinterval(SWITCH_INTERVAL)
    try:
        # our own handlers: rclpy's would shut the context down under the physics thread while it publishes
        rclpy.init(args=None if args is None else list(args), signal_handler_options=SignalHandlerOptions.NO)
        node = SimulatorNode()
        _on_signals(lambda *_: ended.set())
    except KeyboardInterrupt:
        rclpy.try_shutdown()
        return 0
    except Exception as error:  # ours, rclpy's about arguments and files, numba's: one line and out
        text = str(error) if isinstance(error, CableSimError) else f"{type(error).__name__}: {error}"
        print(f"{NODE_NAME}: {text.strip()}", file=sys.stderr, flush=True)
        rclpy.try_shutdown()
        return 2
    try:
        return _run(node, ended)
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


def _on_signals(handler: Callable[..., Any]) -> None:
    """Have SIGINT and SIGTERM call the handler."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handler)


def _interrupt(*_: Any) -> None:
    """Give up whatever is being done."""
    raise KeyboardInterrupt


def _run(node: SimulatorNode, ended: threading.Event) -> int:
    """Spin and simulate until the event is set or the physics thread dies."""
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    spinner = threading.Thread(target=_spin, args=(executor, node, ended), name="executor", daemon=True)
    node.start()
    spinner.start()
    gc.collect()
    gc.freeze()  # what exists now stays; looking through it again and again would cost a tick now and then
    while not ended.wait(0.5):
        if not node.physics.is_alive():
            print(f"{NODE_NAME}: the physics thread has died", file=sys.stderr, flush=True)
            break
    died = not ended.is_set()
    ended.set()
    node.stop()
    executor.shutdown(timeout_sec=2.0)
    spinner.join(2.0)
    return int(died)


def _spin(executor: SingleThreadedExecutor, node: SimulatorNode, ended: threading.Event) -> None:
    """Execute callbacks, in line right behind the physics thread: as long as another program keeps this thread waiting
    that holds Python's lock, that one waits, too.
    """
    with first_in_line(max(node.get_parameter("realtime_priority").value - 1, 0)):  # refused it is there, too, in words
        _spin_on(executor, node, ended)


def _spin_on(executor: SingleThreadedExecutor, node: SimulatorNode, ended: threading.Event) -> None:
    """Execute callbacks; one that raises is counted, and the next one has its turn."""
    while not ended.is_set():
        try:
            executor.spin()
        except ExternalShutdownException:
            return
        except Exception as error:  # the node must not die of a message
            node.counts.add("unreadable", f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    sys.exit(main())
