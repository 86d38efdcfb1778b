"""Simulation of a crane by a node: everything between configuring the node and cleaning it up."""

import threading
from collections.abc import Callable
from concurrent import futures
from contextlib import ExitStack, suppress
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.publisher import Publisher
from rclpy.service import Service
from rclpy.subscription import Subscription
from rclpy.timer import Timer
from std_srvs.srv import SetBool, Trigger

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CableSimError, describe_error
from cable_sim.machine.machine import Machine
from cable_sim.ros.basis import parameters
from cable_sim.ros.basis.clock_follower import follow
from cable_sim.ros.basis.crane_parameters import rows_of, tune_crane
from cable_sim.ros.command.command_sources import CommandSources, SenderNames
from cable_sim.ros.command.command_subscriptions import CommandSubscriptions
from cable_sim.ros.command.commands import CommandReader, Counts, listen, subscribe
from cable_sim.ros.command.joystick import Joystick
from cable_sim.ros.hardware.hardware_link import HardwareLink
from cable_sim.ros.interface import JOY, SERVICES, service_names
from cable_sim.ros.node import parameter_server
from cable_sim.ros.node.duplicate_node_check import check_for_duplicates
from cable_sim.ros.node.start_report import StartReport
from cable_sim.ros.physics.physics_thread import PhysicsThread
from cable_sim.ros.publish.publishers import Publishers
from cable_sim.ros.services.simulation_server import SimulationServer
from cable_sim.ros.services.trajectory_server import TrajectoryServer
from cable_sim.scenes.machines import load_machine
from cable_sim.sim.precompile import compile_beside

REQUEST_TIMEOUT = 5.0
"""Wall time within which a service answers [s], also when a tick hangs."""
ABOUT_TIME = ("pause", "reset", "step", "save_snapshot", "load_snapshot")
"""Services of the physics thread itself."""
DESTROY = {
    Publisher: "destroy_publisher",
    Subscription: "destroy_subscription",
    Service: "destroy_service",
    Timer: "destroy_timer",
}
"""Methods of a node that destroy what communicates on it, by its kind."""


class Simulation:
    """Crane, physics thread, topics and services of a node; it stands still until :meth:`start`.

    Raises CableSimError when parameters or the crane's file are wrong.
    """

    def __init__(self, node: Node, counts: Counts) -> None:
        self._node = node
        self._counts = counts
        self._started = False
        self.own: tuple[parameters.Row, ...] = ()
        """Rows of the parameters that depend on the crane."""
        self._undo = ExitStack()
        self._undo.callback(_destroy_others, node, _entities(node))
        try:
            self._build()
        except BaseException:
            with suppress(Exception):  # what is half made may not come apart, and is not the cause
                self.close()
            raise

    def _build(self) -> None:
        node, counts, undo = self._node, self._counts, self._undo
        settings, machine = self._load()
        self._lockstep = settings.lockstep
        subscriptions = CommandSubscriptions(
            node,
            lambda: self._lockstep == "command",
            lambda sentence: counts.add("unreadable", sentence),
            counts.note,
        )
        publishers = Publishers(node, machine, settings, counts)
        self.physics = PhysicsThread(machine, publishers, settings, subscriptions.empty)
        undo.callback(self.physics.stop)
        self._listen(subscriptions, machine.crane, settings)
        for name in service_names(machine.crane):
            owner = self.physics if name in ABOUT_TIME else self.physics.operations
            self._serve(name, getattr(owner, name))
        undo.callback(SimulationServer(node, self.physics, machine.crane, settings).end)
        check_for_duplicates(node, counts.note)
        node.add_on_set_parameters_callback(self._check)
        undo.callback(node.remove_on_set_parameters_callback, self._check)
        node.add_post_set_parameters_callback(self._apply)
        undo.callback(node.remove_post_set_parameters_callback, self._apply)

    def _load(self) -> tuple[parameters.Settings, Machine]:
        """Return the settings, and the compiled machine for them."""
        node = self._node
        log = node.get_logger()
        self._report = StartReport(log.info, log.warning)
        with self._report.told():
            self._crane = load_machine(parameter_server.settings_of(node).crane_config)
            self.own = rows_of(self._crane)
            settings = parameter_server.declare(node, self.own)
            self._undo.callback(parameter_server.undeclare, node, self.own)
            for sentence in parameter_server.unknown_overrides(node, self.own):
                log.warning(sentence)
            crane = tune_crane(self._crane, settings)
            if settings.world_frame in {settings.frame_prefix + b.name for b in crane.scene.bodies}:
                raise CableSimError(
                    f"parameter 'world_frame': {settings.world_frame!r} is the frame of a body; "
                    "give another name"
                )
            step = settings.physics_step
            stepper, timeout = settings.stepper, settings.command_timeout
            with compile_beside():
                machine = Machine(crane, step, settings.substeps, timeout, stepper=stepper)
            # loads, or at worst compiles, what would otherwise delay the first tick by seconds
            machine.tick()
            machine.reset()
        return settings, machine

    def _listen(
        self, subscriptions: CommandSubscriptions, crane: Crane, settings: parameters.Settings
    ) -> None:
        """Subscribe to commands and, if wanted, to a game pad and another node's clock."""
        node, counts, physics, obey = self._node, self._counts, self.physics, self._carry_out
        reader = CommandReader(crane, counts, settings.world_frame, settings.frame_prefix)
        physics.loads_changed = reader.know_bodies
        self._sources = CommandSources(
            SenderNames(self._publishers_of),
            lambda: physics.machine.time,
            lambda sentence: counts.add("rejected", sentence),
            settings.command_source,
            settings.command_timeout,
        )
        counts.conflicts = lambda: [*self._sources.conflicts(), *subscriptions.unheard()]
        subscribe(subscriptions, crane, reader, self._sources, obey)
        if settings.joystick:
            listen(subscriptions, JOY, Joystick(crane).read, self._sources, obey, counts)
        trajectories = TrajectoryServer(node, physics, subscriptions, self._sources, counts, obey)
        self._undo.callback(trajectories.end)
        if settings.ros2_control_socket:
            hardware = HardwareLink(settings.ros2_control_socket, physics, self._sources)
            self._undo.callback(hardware.close)
        if settings.follow_clock:
            follow(node, physics, counts.note)

    def _publishers_of(self, topic: str) -> list[tuple[str, bytes]]:
        """Return the nodes that publish on a topic, each with its publisher's number."""
        return [
            (f"{info.node_namespace.rstrip('/')}/{info.node_name}", bytes(info.endpoint_gid))
            for info in self._node.get_publishers_info_by_topic(topic)
        ]

    def start(self) -> None:
        """Let time run, or wait in the requested pause."""
        self.physics.start()
        self._started = True
        elapsed = self._report.elapsed
        self._node.get_logger().info(f"ready after {elapsed:.1f} s: {self._crane.name}")

    def has_died(self) -> bool:
        """Return True if the physics thread has ended by itself."""
        return not self.physics.is_alive() and self._started

    def close(self) -> None:
        """End the physics thread, and remove what was made on the node."""
        self._started = False
        self._undo.close()

    def ask(self, name: str, act: Callable[[], tuple[bool, str]]) -> tuple[bool, str]:
        """Have the physics thread act; return its success, and a sentence that names a failure."""
        try:
            return self.physics.post(act).result(REQUEST_TIMEOUT)
        except futures.TimeoutError:  # in Python 3.10 not the built-in one
            why = (
                f"not done within {REQUEST_TIMEOUT:g} s, because a tick takes longer; it will be "
                "done after that tick"
            )
        except Exception as error:  # the caller is told; the node lives on
            why = describe_error(error)
        return False, f"{name}: {why}"

    def _carry_out(self, commands: list[Any]) -> None:
        """Have the physics thread apply commands: at once if it is the calling thread."""
        if not commands:
            return
        if threading.current_thread() is self.physics:
            self.physics.apply_commands(commands)
        else:
            self.physics.post(lambda: self.physics.apply_commands(commands))

    def _serve(self, name: str, act: Callable[..., tuple[bool, str]]) -> None:
        """Create a service that calls ``act`` in the physics thread and answers with its success.

        ``act`` gets the request's data if there is any.
        """

        def answer(request: SetBool.Request | Trigger.Request, response: Any) -> Any:
            given = [request.data] if isinstance(request, SetBool.Request) else []
            response.success, response.message = self.ask(name, lambda: act(*given))
            return response

        self._node.create_service(SERVICES[name], f"~/{name}", answer)

    def _check(self, changed: list[Parameter]) -> SetParametersResult:
        """Accept new parameters only if all of them together are consistent."""
        try:
            tune_crane(self._crane, parameter_server.settings_of(self._node, self.own, changed))
        except CableSimError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _apply(self, _: list[Parameter]) -> None:
        """Hand the new parameters to the physics thread."""
        settings = parameter_server.settings_of(self._node, self.own)
        crane = tune_crane(self._crane, settings)
        self._lockstep = settings.lockstep
        self._sources.rule = settings.command_source
        self._sources.hold = settings.command_timeout
        self.physics.post(lambda: self.physics.apply(settings, crane, self._crane))


def _entities(node: Node) -> list[Any]:
    """Return what communicates on a node."""
    return [*node.publishers, *node.subscriptions, *node.services, *node.timers]


def _destroy_others(node: Node, kept: list[Any]) -> None:
    """Destroy what communicates on a node, except for what is kept."""
    for one in [one for one in _entities(node) if all(one is not other for other in kept)]:
        kind = next(kind for kind in DESTROY if isinstance(one, kind))
        getattr(node, DESTROY[kind])(one)
