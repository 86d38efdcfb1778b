"""Entities of simulation_interfaces: the scene's bodies by name, with their properties and states.

States are in the world's frame, of the centre of mass. An acceleration is the mean over the last
tick. It is NaN where there was no tick, at the start and after a jump.
"""

import math
from collections.abc import Iterable
from types import ModuleType
from typing import Any

import numpy as np

from cable_sim.cranes.crane import Crane
from cable_sim.errors import unknown
from cable_sim.machine.placing import place
from cable_sim.ros.basis.frames import BASE
from cable_sim.ros.basis.messages import set_orientation, set_time, set_vector, vector_of, wxyz
from cable_sim.ros.basis.parameters import Settings
from cable_sim.ros.physics.physics_thread import PhysicsThread
from cable_sim.ros.services.entity_filters import EntityFilters
from cable_sim.ros.services.simulation_answers import (
    INVALID_POSE,
    Code,
    Feature,
    PhysicsRequests,
    Refusal,
)
from cable_sim.sim.observation import Observation
from cable_sim.spec.quantities import WORLD

OBJECT = 0
ROBOT = 1
DYNAMIC_OBJECT = 4
STATIC_OBJECT = 5
"""Categories of the standard that occur here."""

UNIT = 1e-3
"""Largest deviation of a quaternion's length from 1 [-]."""
FARTHEST = 1e4
"""Bounds of the world, along each of its axes [m]."""

FILTER_FEATURES = (Feature.ENTITY_TAGS, Feature.ENTITY_CATEGORIES, Feature.ENTITY_BOUNDS_BOX)


class EntityServices:
    """Services about entities."""

    SERVED = {
        "get_entities": FILTER_FEATURES,
        "get_entity_state": (Feature.ENTITY_STATE_GETTING,),
        "get_entities_states": (Feature.ENTITY_STATE_GETTING,),
        "set_entity_state": (Feature.ENTITY_STATE_SETTING,),
        "get_entity_info": (Feature.ENTITY_INFO_GETTING,),
    }

    def __init__(
        self,
        physics: PhysicsThread,
        ask: PhysicsRequests,
        crane: Crane,
        settings: Settings,
        messages: ModuleType,
    ) -> None:
        self._physics = physics
        self._ask = ask
        self._messages = messages
        self._world = settings.world_frame
        self._world_frames = ("", settings.world_frame, settings.frame_prefix + BASE)
        self._period = 1.0 / settings.tick_rate
        self._substeps = settings.substeps
        self._take(crane)

    def _take(self, crane: Crane) -> None:
        """Take the bodies of a crane for the entities."""
        self._crane = crane
        spawned = self._physics.loads.names
        self._infos = {b.name: _Info(crane, b.name, b.name in spawned) for b in crane.scene.bodies}
        tags = {name: info.tags for name, info in self._infos.items()}
        self._filters = EntityFilters(
            crane.scene, {n: i.category for n, i in self._infos.items()}, tags
        )

    async def _observe(self) -> tuple[Observation, Observation, int]:
        """Return the present observations, and know their entities."""

        def look() -> tuple[Crane, tuple[Observation, Observation, int]]:
            present = self._physics.timeline
            return present.machine.crane, (present.observation, present.before, present.now)

        crane, seen = await self._ask(look)
        if crane is not self._crane:
            self._take(crane)
        return seen

    async def get_entities(self, request: Any, response: Any) -> None:
        """Fill in the names of the entities that pass the filters."""
        seen, _, _ = await self._observe()
        response.entities = self._filters.choose(request.filters, seen)

    async def get_entities_states(self, request: Any, response: Any) -> None:
        """Fill in names and states, all of one instant."""
        seen = await self._observe()
        response.entities = self._filters.choose(request.filters, seen[0])
        response.states = [
            self._state(self._messages.EntityState(), name, *seen) for name in response.entities
        ]

    async def get_entity_state(self, request: Any, response: Any) -> None:
        """Fill in the state."""
        seen = await self._observe()
        self._check_known(request.entity)
        self._state(response.state, request.entity, *seen)

    async def get_entity_info(self, request: Any, response: Any) -> None:
        """Fill in category, description and tags."""
        await self._observe()
        self._check_known(request.entity)
        info = self._infos[request.entity]
        response.info.category.category = info.category
        response.info.description = info.description
        response.info.tags = list(info.tags)

    async def set_entity_state(self, request: Any, _: Any) -> None:
        """Place an entity with all bodies connected to it; see :mod:`cable_sim.machine.placing`."""
        await self._observe()
        self._check_known(request.entity)
        wanted = self._requested_state(request)

        def put() -> None:
            self._physics.refuse_failed()
            self._physics.jump(lambda machine: place(machine, request.entity, **wanted))

        await self._ask(put)

    def _check_known(self, name: str) -> None:
        """Refuse a name that no body has."""
        if name not in self._infos:
            raise Refusal(unknown("entity", name, self._infos), Code.NOT_FOUND)

    def _state(
        self, message: Any, name: str, seen: Observation, before: Observation, nanoseconds: int
    ) -> Any:
        """Write a body's state into a message; returns the message."""
        body = seen.body(name)
        set_time(message.header.stamp, nanoseconds)
        message.header.frame_id = self._world
        set_vector(message.pose.position, body.position)
        set_orientation(message.pose.orientation, body.orientation)
        set_vector(message.twist.linear, body.velocity)
        set_vector(message.twist.angular, body.angular_velocity)
        follows = seen.steps - before.steps == self._substeps
        was = before.body(name)
        for field, new, old in (
            ("linear", body.velocity, was.velocity),
            ("angular", body.angular_velocity, was.angular_velocity),
        ):
            rate = (new - old) / self._period if follows else np.full(3, np.nan)
            set_vector(getattr(message.acceleration, field), rate)
        return message

    def _requested_state(self, request: Any) -> dict[str, Any]:
        """Return the requested state in the form of :func:`~cable_sim.machine.placing.place`.

        Refusal if it is not possible.
        """
        state = request.state
        pose = request.state.pose
        twist = request.state.twist
        # before 2.1 there were no flags, and both were set
        set_pose = getattr(request, "set_pose", True)
        set_twist = getattr(request, "set_twist", True)
        if getattr(request, "set_acceleration", False):
            raise Refusal("set_acceleration: an acceleration follows from forces; set a twist")
        if not set_pose and not set_twist:
            raise Refusal("there is nothing to set; ask for it by set_pose or set_twist")
        check_frame(state, self._world_frames, Code.OPERATION_FAILED)
        wanted: dict[str, Any] = {}
        if set_pose:
            turn = wxyz(pose.orientation)
            place = np.array(vector_of(pose.position))
            wanted["position"], wanted["orientation"] = check_pose(place, turn)
        if set_twist:
            both = [[*vector_of(twist.linear)], [*vector_of(twist.angular)]]
            if not np.isfinite(both).all():
                told = ", ".join(map(str, both))
                raise Refusal(f"twist: {told} has a number that is not finite")
            wanted["velocity"], wanted["angular_velocity"] = np.array(both)
        return wanted


class _Info:
    """Constant properties of a body: category, tags and description."""

    def __init__(self, crane: Crane, name: str, spawned: bool) -> None:
        (body,) = (body for body in crane.scene.bodies if body.name == name)
        roles = [
            (role, hung.name)
            for hung in crane.suspensions
            for role in ("base", "trolley", "hook", "load")
            if getattr(hung, role) == name
        ]
        loads = {hung.load for hung in crane.suspensions if hung.load != hung.hook}
        fixed = {
            j.child
            for j in crane.scene.joints
            if j.kind == "fixed" and j.parent == WORLD and not j.open
        }
        if name in loads or spawned:
            self.category = DYNAMIC_OBJECT
        elif name in fixed:
            self.category = STATIC_OBJECT
        else:
            self.category = OBJECT if crane.family == "scene" else ROBOT
        words = [crane.family, *(role for role, _ in roles), *(of for _, of in roles if of)]
        if spawned:
            words = ["spawned"]
        self.tags = tuple(dict.fromkeys(words))
        named = " and ".join(dict.fromkeys(role for role, _ in roles)) or "body"
        of = "spawned load" if spawned else f"{named} of {crane.name}"
        self.description = f"{of}, {body.mass:g} kg"


def check_frame(stamped: Any, known: Iterable[str], code: int) -> None:
    """Raise Refusal with ``code`` if a message is in none of the world's known frames."""
    if stamped.header.frame_id not in known:
        frames = ", ".join(map(repr, known))
        frame = stamped.header.frame_id
        raise Refusal(f"frame {frame!r} is not the world's: one of {frames}", code)


def check_pose(position: Any, turn: Any, code: int = INVALID_POSE) -> tuple[Any, Any]:
    """Return position and unit orientation (w, x, y, z); Refusal with ``code`` if invalid."""
    if not np.isfinite([*position, *turn]).all():
        raise Refusal(f"pose: {[*position, *turn]} has a number that is not finite", code)
    length = float(np.linalg.norm(turn))
    if not math.isclose(length, 1.0, abs_tol=UNIT):
        raise Refusal(f"pose: the quaternion's length is {length:.6g}; it has to be 1", code)
    if np.abs(position).max() > FARTHEST:
        raise Refusal(
            f"pose: {list(position)} is beyond the world's bounds of {FARTHEST:g} m", code
        )
    return position, turn / length
