"""The catalogue: scenes by name, or read from a file."""

import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cable_sim.errors import SpecError, unknown
from cable_sim.spec import Scene
from cable_sim.spec.files import read_spec
from cable_sim.spec.scene import MODEL_FILES

Builder = Callable[..., Scene]
CATALOGUE: dict[str, Builder] = {}
"""Builder of each scene; filled by :func:`scene`."""

WEIGHTLESS = (0.0, 0.0, 0.0)


def scene(build: Builder) -> Builder:
    """Register a function in the catalogue by its name; its keyword parameters are the scene's.

    Raises ValueError for a name that is taken: one of both scenes would be lost in silence.
    """
    if build.__name__ in CATALOGUE:
        raise ValueError(f"two scenes have the name {build.__name__!r}")
    CATALOGUE[build.__name__] = build
    return build


def scene_names() -> tuple[str, ...]:
    """Return the names of the catalogue, one file of it after another."""
    return tuple(CATALOGUE)


def load_scene(name_or_path: str | Path, **parameters: Any) -> Scene:
    """Return the scene of a catalogue name, with its parameters, or of a YAML or model file.

    Raises SpecError, which lists the known ones, for an unknown name or parameter; ConfigError for
    a wrong file.
    """
    name = str(name_or_path)
    model = name.lower().endswith(MODEL_FILES)
    if model or name.endswith((".yaml", ".yml")) or os.sep in name:
        if parameters:
            raise SpecError(
                f"scene file {name!r} takes no parameters, but was given {', '.join(parameters)}"
            )
        return Scene.from_file(name) if model else read_spec(name, Scene, scene_names())
    if name not in CATALOGUE:
        raise SpecError(unknown("scene", name, CATALOGUE))
    known = inspect.signature(CATALOGUE[name]).parameters
    for parameter in parameters:
        if parameter not in known:
            raise SpecError(
                f"scene {name!r} has no parameter {parameter!r}; known are "
                f"{', '.join(known) or 'none'}"
            )
    return CATALOGUE[name](**parameters)
