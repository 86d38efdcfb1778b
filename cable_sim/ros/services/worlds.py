"""Worlds of simulation_interfaces: the running crane or scene, and those of the catalogues."""

import inspect
from types import ModuleType
from typing import Any

from cable_sim.cranes.catalogue import crane_file, crane_names
from cable_sim.cranes.crane import Crane
from cable_sim.ros.basis.parameters import Settings
from cable_sim.ros.services.simulation_answers import Code, Feature, Refusal
from cable_sim.scenes.catalogue import CATALOGUE

SCENE_SCHEME = "cable-sim:scene/"
"""Prefix of the address of a scene, which has no file; the value of ``crane_config`` follows it."""


class WorldServices:
    """Services about worlds. The world of a node is that of its start: none can be loaded."""

    SERVED = {
        "get_current_world": (Feature.WORLD_INFO_GETTING,),
        "get_available_worlds": (Feature.AVAILABLE_WORLDS,),
    }

    def __init__(self, crane: Crane, settings: Settings, messages: ModuleType) -> None:
        self._crane = crane
        self._given = settings.crane_config
        self._messages = messages

    async def get_current_world(self, _: Any, response: Any) -> None:
        """Fill in the running world."""
        response.world = self._world(self._crane.name, self._given, self._crane.family)

    async def get_available_worlds(self, request: Any, response: Any) -> None:
        """Fill in the catalogues.

        There are no other places to search, and worlds have no tags to filter by.
        """
        if request.additional_sources and not request.continue_on_error:
            raise Refusal(
                "additional_sources: only the catalogues of cable_sim are searched",
                Code.FEATURE_UNSUPPORTED,
            )
        if request.filter.tags:
            raise Refusal("filter: worlds have no tags", Code.FEATURE_UNSUPPORTED)
        cranes = crane_names()
        files = [
            self._world(name, name, "a crane") for name, file in cranes.items() if name == file
        ]
        scenes = [
            self._world(name, name, (inspect.getdoc(build) or "a scene").splitlines()[0])
            for name, build in CATALOGUE.items()
            if name not in cranes
        ]
        response.worlds = files + scenes

    def _world(self, name: str, given: str, description: str) -> Any:
        """Return a world; ``given`` is its value of ``crane_config``."""
        made = self._messages.WorldResource(name=name, description=description)
        path = crane_file(given)
        is_scene = given in CATALOGUE and given not in crane_names()
        made.world_resource.uri = SCENE_SCHEME + given if is_scene else path.resolve().as_uri()
        return made
