"""The simulator as a ROS 2 node: parameters, machine, physics thread, topics and services.

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
from concurrent import futures
from typing import Any

import rclpy
from rcl_interfaces.msg import SetParametersResult
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions
from std_srvs.srv import SetBool, Trigger

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CableSimError
from cable_sim.machine.machine import Machine
from cable_sim.priority import run_first
from cable_sim.ros.command.command_sources import CommandSources, SenderNames
from cable_sim.ros.command.command_subscriptions import CommandSubscriptions
from cable_sim.ros.command.commands import CommandReader, Counts, listen, subscribe
from cable_sim.ros.command.joystick import Joystick
from cable_sim.ros.hardware.hardware_link import HardwareLink
from cable_sim.ros.interface import JOY, NODE_NAME, SERVICES, service_names
from cable_sim.ros.launch.interpreter import Interrupt
from cable_sim.ros.node import parameter_server, parameters
from cable_sim.ros.node.clock_follower import follow
from cable_sim.ros.node.crane_parameters import rows_of, tune_crane
from cable_sim.ros.node.duplicate_node_check import DuplicateNodeCheck
from cable_sim.ros.node.physics_thread import PhysicsThread
from cable_sim.ros.node.start_report import StartReport
from cable_sim.ros.publish.publishers import Publishers
from cable_sim.ros.services.simulation_server import SimulationServer
from cable_sim.ros.services.trajectory_server import TrajectoryServer
from cable_sim.scenes.machines import load_machine
from cable_sim.sim.precompile import compile_step

REQUEST_TIMEOUT = 5.0
"""Wall time within which a service answers [s], also when a tick hangs."""

SWITCH_INTERVAL = 1e-3
"""Longest wait of a Python thread for another [s]. The default of 5 ms is half a tick."""


class SimulatorNode(Node):
    """Node of one crane; it stands still until :meth:`start`, and ends at :meth:`stop`.

    Raises CableSimError when parameters or the crane's file are wrong.
    """

    _own: tuple[parameters.Row, ...] = ()

    def __init__(self, **options: Any) -> None:
        super().__init__(NODE_NAME, **options)
        try:
            self._build()
        except BaseException:
            self.destroy_node()
            raise

    def _build(self) -> None:
        settings, machine = self._load()
        self.counts = Counts()
        self._lockstep = settings.lockstep
        subscriptions = CommandSubscriptions(
            self,
            lambda: self._lockstep == "command",
            lambda sentence: self.counts.add("unreadable", sentence),
            self.counts.note,
        )
        publishers = Publishers(self, machine, settings, self.counts)
        self.physics = PhysicsThread(machine, publishers, settings, subscriptions.empty)
        self._listen(subscriptions, machine.crane, settings)
        about_time = ("pause", "reset", "step", "save_snapshot", "load_snapshot")
        self._serving = [
            self._serve(
                name, getattr(self.physics if name in about_time else self.physics.operations, name)
            )
            for name in service_names(machine.crane)
        ]
        self._standard = SimulationServer(self, self.physics, machine.crane, settings)
        self._namesake = DuplicateNodeCheck(self, self.counts.note)
        self.add_on_set_parameters_callback(self._check)
        self.add_post_set_parameters_callback(self._apply)

    def _load(self) -> tuple[parameters.Settings, Machine]:
        """Return the settings, and the compiled machine for them."""
        log = self.get_logger()
        self._report = StartReport(log.info, log.warning)
        with self._report.told():
            settings = parameter_server.declare(self)
            self._crane = load_machine(settings.crane_config)
            self._own = rows_of(self._crane)
            settings = parameter_server.declare(self, self._own)
            for sentence in parameter_server.unknown_overrides(self, self._own):
                log.warning(sentence)
            crane = tune_crane(self._crane, settings)
            compile_step(crane.scene)
            step = settings.physics_step
            machine = Machine(
                crane, step, settings.substeps, settings.command_timeout, stepper=settings.stepper
            )
            # loads, or at worst compiles, what would otherwise delay the first tick by seconds
            machine.tick()
            machine.reset()
        return settings, machine

    def _listen(
        self, subscriptions: CommandSubscriptions, crane: Crane, settings: parameters.Settings
    ) -> None:
        """Subscribe to commands and, if wanted, to a game pad and another node's clock."""
        reader = CommandReader(crane, self.counts, settings.world_frame, settings.frame_prefix)
        self.physics.loads_changed = reader.know_bodies
        self._sources = CommandSources(
            SenderNames(self._publishers_of),
            lambda: self.physics.machine.time,
            lambda sentence: self.counts.add("rejected", sentence),
            settings.command_source,
            settings.command_timeout,
        )
        self.counts.conflicts = lambda: [*self._sources.conflicts(), *subscriptions.unheard()]
        subscribe(subscriptions, crane, reader, self._sources, self._carry_out)
        if settings.joystick:
            read = Joystick(crane).read
            listen(subscriptions, JOY, read, self._sources, self._carry_out, self.counts)
        self._trajectories = TrajectoryServer(
            self, self.physics, subscriptions, self._sources, self.counts, self._carry_out
        )
        self._hardware = None
        if settings.ros2_control_socket:
            self._hardware = HardwareLink(settings.ros2_control_socket, self.physics, self._sources)
        if settings.follow_clock:
            self._followed = follow(self, self.physics, self.counts.note)

    def _publishers_of(self, topic: str) -> list[tuple[str, bytes]]:
        """Return the nodes that publish on a topic, each with its publisher's number."""
        return [
            (f"{info.node_namespace.rstrip('/')}/{info.node_name}", bytes(info.endpoint_gid))
            for info in self.get_publishers_info_by_topic(topic)
        ]

    def start(self) -> None:
        """Let time run, or wait in the requested pause."""
        self.physics.start()
        self.get_logger().info(f"ready after {self._report.elapsed:.1f} s: {self._crane.name}")

    def stop(self) -> None:
        """End the physics thread."""
        if self._hardware:
            self._hardware.close()
        self.physics.stop()

    def destroy_node(self) -> None:
        """Leave the graph."""
        for one in ("_standard", "_trajectories"):
            if hasattr(self, one):
                getattr(self, one).end()
        super().destroy_node()

    def _carry_out(self, commands: list[Any]) -> None:
        """Have the physics thread apply commands: at once if it is the calling thread."""
        if not commands:
            return
        if threading.current_thread() is self.physics:
            self.physics.apply_commands(commands)
        else:
            self.physics.post(lambda: self.physics.apply_commands(commands))

    def _serve(self, name: str, act: Callable[..., tuple[bool, str]]) -> Any:
        """Create a service that calls ``act`` in the physics thread and answers with its success.

        ``act`` gets the request's data if there is any.
        """

        def answer(request: SetBool.Request | Trigger.Request, response: Any) -> Any:
            try:
                given = [request.data] if isinstance(request, SetBool.Request) else []
                outcome = self.physics.post(lambda: act(*given)).result(REQUEST_TIMEOUT)
                response.success, response.message = outcome
            except futures.TimeoutError:  # in Python 3.10 not the built-in one
                late = (
                    f"{name}: not done within {REQUEST_TIMEOUT:g} s, because a tick takes "
                    "longer; it will be done after that tick"
                )
                response.success = False
                response.message = late
            except CableSimError as error:
                response.success = False
                response.message = f"{name}: {error}"
            except Exception as error:  # the caller is told; the node lives on
                response.success = False
                response.message = f"{name}: {type(error).__name__}: {error}"
            return response

        return self.create_service(SERVICES[name], f"~/{name}", answer)

    def set_parameters_atomically(self, parameter_list: list[Parameter]) -> SetParametersResult:
        """Set parameters, as the parameter services call it; refusals name the allowed values."""
        rows = {row.name: row for row in (*parameters.TABLE, *self._own)}
        changes = list(parameter_server.changes(self, rows, parameter_list))
        ours = [p for p in changes if p.name in rows or not self.has_parameter(p.name)]
        problem = parameters.refusal(rows, ((p.name, p.value) for p in ours))
        if problem or not changes:
            return SetParametersResult(successful=not problem, reason=problem)
        return super().set_parameters_atomically(changes)

    def _check(self, changed: list[Parameter]) -> SetParametersResult:
        """Accept new parameters only if all of them together are consistent."""
        try:
            tune_crane(self._crane, parameter_server.settings_of(self, self._own, changed))
        except CableSimError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _apply(self, _: list[Parameter]) -> None:
        """Hand the new parameters to the physics thread."""
        settings = parameter_server.settings_of(self, self._own)
        crane = tune_crane(self._crane, settings)
        self._lockstep = settings.lockstep
        self._sources.rule = settings.command_source
        self._sources.hold = settings.command_timeout
        self.physics.post(lambda: self.physics.apply(settings, crane, self._crane))


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
        text = (
            str(error) if isinstance(error, CableSimError) else f"{type(error).__name__}: {error}"
        )
        print(f"{NODE_NAME}: {text.strip()}", file=sys.stderr, flush=True)
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
    gc.collect()  # before time runs: it takes a third of a second, in which no other thread runs
    # what exists now stays; looking through it again and again would cost a tick now and then
    gc.freeze()
    node.start()
    spinner.start()
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
    """Execute callbacks at a priority right behind the physics thread.

    This thread may hold Python's lock. While another program keeps it waiting, the physics thread
    then waits, too.
    """
    with run_first(max(node.physics.priority - 1, 0)):  # refused it is there, too, in words
        _spin_on(executor, node, ended)


def _spin_on(executor: SingleThreadedExecutor, node: SimulatorNode, ended: threading.Event) -> None:
    """Execute callbacks; one that raises an exception is counted, and the next one runs."""
    while not ended.is_set():
        try:
            executor.spin()
        except ExternalShutdownException:
            return
        except Exception as error:  # the node must not die of a message
            node.counts.add("unreadable", f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    sys.exit(main())
