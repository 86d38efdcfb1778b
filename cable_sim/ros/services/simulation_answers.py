"""Answers of the services of simulation_interfaces: result numbers, refusals, and waiting.

The numbers are those of version 2.1. They are repeated here because older versions of the package
lack some of them.
"""

import importlib
from collections.abc import Awaitable, Callable
from concurrent import futures
from enum import IntEnum
from types import ModuleType
from typing import Any

from rclpy.node import Node
from rclpy.task import Future

from cable_sim.errors import CableSimError
from cable_sim.ros.physics.physics_thread import PhysicsThread

Handler = Callable[[Any, Any], Awaitable[None]]
"""Function that fills the response to a request, or raises :class:`Refusal`."""


class Code(IntEnum):
    """Results of any service."""

    FEATURE_UNSUPPORTED = 0
    OK = 1
    NOT_FOUND = 2
    OPERATION_FAILED = 4


class Transition(IntEnum):
    """Further results of set_simulation_state."""

    ALREADY_IN_TARGET_STATE = 101
    STATE_TRANSITION_ERROR = 102
    INCORRECT_TRANSITION = 103


class SimulationState(IntEnum):
    """States of the simulation."""

    STOPPED = 0
    PLAYING = 1
    PAUSED = 2
    QUITTING = 3


class Scope(IntEnum):
    """Bits of the scope of a reset."""

    TIME = 1
    STATE = 2
    SPAWNED = 4
    ALL = 255


class Feature(IntEnum):
    """Features of the standard that are supported here."""

    SPAWNING = 0
    DELETING = 1
    ENTITY_TAGS = 4
    ENTITY_BOUNDS_BOX = 6
    ENTITY_CATEGORIES = 8
    SPAWNING_RESOURCE_STRING = 9
    ENTITY_STATE_GETTING = 10
    ENTITY_STATE_SETTING = 11
    ENTITY_INFO_GETTING = 12
    SPAWNABLES = 14
    SIMULATION_RESET = 20
    SIMULATION_RESET_TIME = 21
    SIMULATION_RESET_STATE = 22
    SIMULATION_RESET_SPAWNED = 23
    SIMULATION_STATE_GETTING = 24
    SIMULATION_STATE_SETTING = 25
    SIMULATION_STATE_PAUSE = 26
    STEP_SIMULATION_SINGLE = 31
    STEP_SIMULATION_MULTIPLE = 32
    STEP_SIMULATION_ACTION = 33
    WORLD_INFO_GETTING = 44
    AVAILABLE_WORLDS = 45


INVALID_POSE = 101
"""Further result of set_entity_state."""


class Spawning(IntEnum):
    """Further results of spawn_entity."""

    NAME_NOT_UNIQUE = 101
    NAME_INVALID = 102
    UNSUPPORTED_FORMAT = 103
    NO_RESOURCE = 104
    NAMESPACE_INVALID = 105
    RESOURCE_PARSE_ERROR = 106
    MISSING_ASSETS = 107
    UNSUPPORTED_ASSETS = 108
    INVALID_POSE = 109


class Refusal(Exception):
    """Refusal of a request, with a sentence for the caller and its result number."""

    def __init__(self, sentence: str, code: int = Code.OPERATION_FAILED) -> None:
        self.code = int(code)
        super().__init__(sentence)


def interfaces(kind: str) -> ModuleType | None:
    """Return the installed types of simulation_interfaces, ``srv``, ``msg`` or ``action``.

    It is None without the package.
    """
    try:
        return importlib.import_module(f"simulation_interfaces.{kind}")
    except ImportError:
        return None


class PhysicsRequests:
    """Requests of coroutines to the physics thread; the node's executor goes on meanwhile."""

    def __init__(self, node: Node, physics: PhysicsThread) -> None:
        self._node = node
        self._physics = physics

    async def __call__(self, action: Callable[[], Any]) -> Any:
        """Return the result of ``action``, or raise its exception.

        It runs in the physics thread between two ticks.
        """

        def act() -> Any:
            try:
                return action()
            except Refusal as refusal:  # no failure of the physics thread, which counts those
                return refusal
            except CableSimError as error:
                return Refusal(str(error))

        outcome = await self.wait(self._physics.post(act))
        if isinstance(outcome, Refusal):
            raise outcome
        return outcome

    async def wait(self, awaited: "futures.Future[Any]") -> Any:
        """Return the result of a future of the physics thread, or raise its exception."""
        executor = self._node.executor
        done: Future[Any] = Future(executor=executor)

        def tell(finished: Any) -> None:
            error = finished.exception()
            done.set_result(finished.result()) if error is None else done.set_exception(error)
            if executor is not None:
                executor.wake()  # it looks at what waits only when it is awake

        awaited.add_done_callback(tell)
        return await done
