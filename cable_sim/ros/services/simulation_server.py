"""The standard services of simulation_interfaces 2, where that package is installed.

They are in the node's own namespace, ``~/get_entities`` and so on, as is the action
``~/simulate_steps``. A type that an older version of the package lacks is not served, and its
features are not listed. ``simulation_time.py``, ``entities.py``, ``spawning.py`` and ``worlds.py``
implement the services; this module offers them. It ensures that a response always has a result
other than 0, the result of a response that was not filled.
"""

import os
import signal
from collections.abc import Callable
from typing import Any

from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile

from cable_sim.cranes.crane import Crane
from cable_sim.errors import describe_error
from cable_sim.ros.basis.node_link import steady_timer
from cable_sim.ros.basis.parameters import Settings
from cable_sim.ros.physics.physics_thread import PhysicsThread
from cable_sim.ros.services.entities import EntityServices
from cable_sim.ros.services.simulation_answers import (
    Code,
    Feature,
    Handler,
    PhysicsRequests,
    Refusal,
    interfaces,
)
from cable_sim.ros.services.simulation_time import STEPS_FEATURES, TimeServices
from cable_sim.ros.services.spawning import SpawnServices
from cable_sim.ros.services.worlds import WorldServices

FEEDBACK_DEPTH = 1000
"""Queue depth of the feedback: steps may be computed faster than it is read."""

INFO = (
    "cable_sim: a step is a tick of 1 / tick_rate; see docs/reference/ros_simulation_interfaces.md"
)


class SimulationServer:
    """Server of the installed and supported parts of the standard; nothing without the package.

    ``features`` are the numbers of the standard's features that are supported.
    """

    def __init__(
        self, node: Node, physics: PhysicsThread, crane: Crane, settings: Settings
    ) -> None:
        self.features: list[int] = []
        self._node = node
        self._logger = node.get_logger()
        self._services = interfaces("srv")
        self._messages = interfaces("msg")
        # a service that waits must not keep the others waiting
        self._group = ReentrantCallbackGroup()
        self._serving: list[Any] = []
        if self._services is None or self._messages is None:
            return
        ask = PhysicsRequests(node, physics)
        self._time = TimeServices(physics, ask, self._quit)
        rooms = (
            self._time,
            EntityServices(physics, ask, crane, settings, self._messages),
            WorldServices(crane, settings, self._messages),
            SpawnServices(physics, ask, settings, self._messages),
        )
        for room in rooms:
            for name, features in room.SERVED.items():
                self._serve(name, getattr(room, name), features)
        self._serve_steps()
        self._serve("get_simulator_features", self._get_simulator_features, ())

    def end(self) -> None:
        """Destroy the action server.

        Destroying the node does so for services alone. As long as anything of the action is left,
        peers list the node, until DDS gives it up after 20 s.
        """
        for one in self._serving:
            if isinstance(one, ActionServer):
                one.destroy()

    def _serve(self, name: str, handler: Handler, features: tuple[Feature, ...]) -> None:
        """Offer one service, if its type is installed."""
        kind = getattr(self._services, name.title().replace("_", ""), None)
        if kind is None:
            return

        async def answer(request: Any, response: Any) -> Any:
            code, sentence = await _attempt(handler(request, response))
            if hasattr(response, "result"):  # all have it but get_simulator_features
                response.result.result = code
                response.result.error_message = sentence or response.result.error_message
            return response

        self._offer(
            name,
            features,
            lambda: self._node.create_service(
                kind, f"~/{name}", answer, callback_group=self._group
            ),
        )

    def _serve_steps(self) -> None:
        """Offer the action, if its type is installed."""
        kind = getattr(interfaces("action"), "SimulateSteps", None)
        if kind is None:
            return

        async def execute(goal: Any) -> Any:
            result = kind.Result()
            code, sentence = await _attempt(self._time.simulate_steps(goal, kind.Feedback))
            result.result.result = code
            result.result.error_message = sentence
            if code == Code.OK:
                goal.succeed()
            elif goal.is_cancel_requested:
                goal.canceled()
            else:
                goal.abort()
            return result

        def make() -> Any:
            return ActionServer(
                self._node,
                kind,
                "~/simulate_steps",
                execute,
                callback_group=self._group,
                cancel_callback=lambda _: CancelResponse.ACCEPT,
                feedback_pub_qos_profile=QoSProfile(depth=FEEDBACK_DEPTH),
            )

        self._offer("simulate_steps", STEPS_FEATURES, make)

    def _offer(self, name: str, features: tuple[Feature, ...], make: Callable[[], Any]) -> None:
        """Make a service or an action, and list its features if that worked."""
        try:
            self._serving.append(make())
        # a package that was built for another ROS, say; the crane runs without it
        except Exception as error:
            self._logger.warning(
                f"{name}: not offered, because simulation_interfaces does not work here: {error}"
            )
            return
        self.features = sorted({*self.features, *features})

    async def _get_simulator_features(self, _: Any, response: Any) -> None:
        """Fill in the features, and the formats of what can be spawned."""
        response.features.features = self.features
        response.features.spawn_formats = ["urdf"] if Feature.SPAWNING in self.features else []
        response.features.custom_info = INFO

    def _quit(self) -> None:
        """End the node as an operator would, once the current answer has been sent."""

        def end() -> None:
            timer.cancel()
            os.kill(os.getpid(), signal.SIGINT)

        timer = steady_timer(self._node, 0.0, end)


async def _attempt(handling: Any) -> tuple[int, str]:
    """Return number and sentence of the result: those of the handler's exception, or of success."""
    try:
        await handling
    except Refusal as refusal:
        return refusal.code, str(refusal)
    except Exception as error:  # the caller is told; the node lives on
        return Code.OPERATION_FAILED, describe_error(error)
    return Code.OK, ""
