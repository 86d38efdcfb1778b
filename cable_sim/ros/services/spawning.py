"""Spawning of loads by simulation_interfaces, from URDF or from the catalogue of loads.

A load has no interfaces of its own: it has a frame on ``/tf``, markers, and a state as an entity.
"""

from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from geometry_msgs.msg import Vector3
from transforms3d.quaternions import rotate_vector

from cable_sim.errors import CableSimError, CommandError, SpecError, suggestion
from cable_sim.machine.pictures.extents import block
from cable_sim.machine.spawning import Load
from cable_sim.ros.basis.frames import BASE
from cable_sim.ros.basis.messages import set_vector, vector_of, wxyz
from cable_sim.ros.basis.parameters import Settings
from cable_sim.ros.physics.physics_thread import PhysicsThread
from cable_sim.ros.services.entities import check_frame, check_pose
from cable_sim.ros.services.simulation_answers import (
    Code,
    Feature,
    PhysicsRequests,
    Refusal,
    Spawning,
)
from cable_sim.scenes.loads import LOADS
from cable_sim.spec import Body
from cable_sim.spec.files import read_text
from cable_sim.spec.urdf_load import MissingAssetError, UnsupportedAssetError, read_load

SCHEME = "cable-sim:load/"
"""Prefix of the address of a load of the catalogue."""
NUMBERS = 1000
"""Largest number at the end of a name that is made unique."""
BOX = 1
"""Type of bounds in the standard: a box by two corners."""


class SpawnServices:
    """Services that add loads to the running scene and take them away."""

    SERVED = {
        "spawn_entity": (Feature.SPAWNING, Feature.SPAWNING_RESOURCE_STRING),
        "delete_entity": (Feature.DELETING,),
        "get_spawnables": (Feature.SPAWNABLES,),
    }

    def __init__(
        self, physics: PhysicsThread, ask: PhysicsRequests, settings: Settings, messages: ModuleType
    ) -> None:
        self._physics = physics
        self._ask = ask
        self._messages = messages
        self._world_frames = ("", settings.world_frame, settings.frame_prefix + BASE)

    async def spawn_entity(self, request: Any, response: Any) -> None:
        """Add a load where the request wants it, at rest."""
        if request.entity_namespace:
            raise Refusal(
                f"entity_namespace {request.entity_namespace!r}: a load has no interfaces that "
                "could have one; leave it empty",
                Spawning.NAMESPACE_INVALID,
            )
        position, turn = self._pose(request.initial_pose)
        # version 1 has uri and resource_string in the request itself
        body = _body(getattr(request, "entity_resource", request), request.name)

        def put() -> str:
            self._physics.refuse_failed()
            name = self._unique(body.name, request.allow_renaming)
            placed = _placed(body, name, position, turn)
            try:
                self._physics.change_loads(self._physics.loads.spawn, Load(placed))
            except CommandError as error:  # in the ground, or one too many
                raise Refusal(str(error), Spawning.INVALID_POSE) from None
            return name

        response.entity_name = await self._ask(put)

    async def delete_entity(self, request: Any, _: Any) -> None:
        """Remove a spawned load."""

        def remove() -> None:
            self._physics.refuse_failed()
            names = self._physics.machine.simulator.names.bodies
            if request.entity not in names:
                known = ", ".join(self._physics.loads.names) or "none"
                raise Refusal(
                    f"entity {request.entity!r} is not known{suggestion(request.entity, names)}; "
                    f"spawned are {known}",
                    Code.NOT_FOUND,
                )
            self._physics.change_loads(self._physics.loads.delete, request.entity)

        await self._ask(remove)

    async def get_spawnables(self, request: Any, response: Any) -> None:
        """Fill in the catalogue of loads.

        Other sources are named in the message, and do no harm.
        """
        response.spawnables = [self._spawnable(load) for load in LOADS.values()]
        if request.sources:
            response.result.error_message = (
                f"sources {', '.join(request.sources)} are not searched: only the catalogue of "
                "cable_sim is"
            )

    def _spawnable(self, load: Body) -> Any:
        """Return a load of the catalogue as a message."""
        made = self._messages.Spawnable(description=f"{load.name}, {load.mass:g} kg")
        # version 1 has the uri in the message itself
        getattr(made, "entity_resource", made).uri = SCHEME + load.name
        corners = block(load.shape).corners
        made.spawn_bounds.type = BOX
        made.spawn_bounds.points = [Vector3(), Vector3()]
        for point, corner in zip(
            made.spawn_bounds.points, (corners.max(axis=0), corners.min(axis=0)), strict=True
        ):
            set_vector(point, corner)
        return made

    def _pose(self, stamped: Any) -> tuple[Any, Any]:
        """Return position [m] and orientation (w, x, y, z) in the world; Refusal if invalid."""
        check_frame(stamped, self._world_frames, Spawning.INVALID_POSE)
        place = np.array(vector_of(stamped.pose.position))
        return check_pose(place, wxyz(stamped.pose.orientation), Spawning.INVALID_POSE)

    def _unique(self, name: str, renaming: bool) -> str:
        """Return a name that nothing has: the given one, or with a number if it may be renamed."""
        taken = self._physics.machine.simulator.names.bodies
        if name not in taken:
            return name
        if not renaming:
            raise Refusal(f"name {name!r} is taken; choose another", Spawning.NAME_NOT_UNIQUE)
        return next(made for i in range(1, NUMBERS) if (made := f"{name}_{i}") not in taken)


def _placed(body: Body, name: str, position: Any, turn: Any) -> Body:
    """Return a load whose link is at a pose; its own position is its centre of mass in the link."""
    centre = position + rotate_vector(body.position, turn)
    return replace(
        body, name=name, position=tuple(centre.tolist()), orientation=tuple(turn.tolist())
    )


def _body(resource: Any, name: str) -> Body:
    """Return the body that a resource describes, under a name if one is given."""
    if name and not _is_name(name):
        raise Refusal(
            f"name {name!r}: letters, digits and _ are allowed, and a letter begins",
            Spawning.NAME_INVALID,
        )
    if resource.uri.startswith(SCHEME):
        return _from_catalogue(resource.uri.removeprefix(SCHEME), name)
    if not (resource.uri or resource.resource_string):
        raise Refusal(
            f"entity_resource: give a uri ({SCHEME}NAME, file:// or package://) or URDF as its "
            "resource_string",
            Spawning.NO_RESOURCE,
        )
    folder = Path.cwd()
    text = resource.resource_string
    if resource.uri:
        try:
            path = _path(resource.uri, folder)
        except MissingAssetError as error:
            raise Refusal(f"uri {error}", Code.NOT_FOUND) from None
        text = _read(path, resource.uri)
        folder = path.parent
    try:
        body, _ = read_load(text, lambda address: _path(address, folder), name)
    except MissingAssetError as error:
        raise Refusal(str(error), Spawning.MISSING_ASSETS) from None
    except UnsupportedAssetError as error:
        raise Refusal(str(error), Spawning.UNSUPPORTED_ASSETS) from None
    except SpecError as error:
        raise Refusal(str(error), Spawning.RESOURCE_PARSE_ERROR) from None
    return body


def _is_name(name: str) -> bool:
    """Return True for a name that a body may have."""
    return name.isascii() and name.isidentifier() and name[0].isalpha()


def _from_catalogue(known: str, name: str) -> Body:
    """Return a load of the catalogue, under a name if one is given."""
    if known not in LOADS:
        raise Refusal(
            f"load {known!r} is not known{suggestion(known, LOADS)}; known are {', '.join(LOADS)}",
            Code.NOT_FOUND,
        )
    return replace(LOADS[known], name=name or known)


def _read(path: Path, uri: str) -> str:
    """Return the text of a description."""
    if path.suffix.lower() not in (".urdf", ".xml"):
        raise Refusal(
            f"uri {uri!r}: only URDF is read, from .urdf or .xml", Spawning.UNSUPPORTED_FORMAT
        )
    try:
        return read_text(path)
    except (OSError, CableSimError) as error:
        raise Refusal(f"uri {uri!r}: {error}", Code.NOT_FOUND) from None


def _path(address: str, folder: Path) -> Path:
    """Return the file of an address: ``file://``, ``package://``, or a path from a folder."""
    parts = urlsplit(address)
    if parts.scheme == "package":
        try:
            return Path(get_package_share_directory(parts.netloc)) / unquote(parts.path).lstrip("/")
        except (PackageNotFoundError, ValueError):
            raise MissingAssetError(
                f"{address!r}: package {parts.netloc!r} is not installed"
            ) from None
    if parts.scheme not in ("", "file"):
        raise MissingAssetError(f"{address!r}: only file:// and package:// are read")
    return folder / unquote(parts.path)
