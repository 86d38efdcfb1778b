"""Change of a cable's model while the scene runs: the scene that goes on."""

import dataclasses
from typing import Any

from cable_sim.errors import CommandError, SpecError
from cable_sim.model.types import State
from cable_sim.sim.running import RunningScene
from cable_sim.spec import Cable, Elevation, Hybrid, Scene
from cable_sim.spec.cable_models import MASSLESS

ModelOfCable = Elevation | Hybrid | None
"""Model that a cable may change to; None for the massless one."""


def change_scene(running: RunningScene, start: State, name: str, model: ModelOfCable) -> Scene:
    """Return a running scene in which a cable has another model.

    It has the length that it had at the ``start``, and its damping time.

    Raises SpecError for an unknown name, and a model that the cable can't have; CommandError for
    cables that are made of masses at all times, or that cross one another.
    """
    scene = running.scene
    c = running.names.index("cables", name)
    own = scene.cables[c]
    crossed = {other for cable in scene.cables for other in cable.model.crosses}
    if own.model.segments:
        raise CommandError(f"cable {name!r} is lumped, and keeps its model")
    if name in crossed or own.model.crosses or (model and model.crosses):
        raise CommandError(f"cable {name!r} crosses other cables, and keeps its model")
    changed = _change_cable(running, start, c, model)
    return dataclasses.replace(
        scene, cables=tuple(changed if cable is own else cable for cable in scene.cables)
    )


def _change_cable(running: RunningScene, start: State, c: int, model: ModelOfCable) -> Cable:
    """Return cable c with another model."""
    arrays = running.model
    own = running.scene.cables[c]
    winch = int(arrays.cables.winch[c])
    coordinate = float(start.bodies.position[winch, 0]) if winch >= 0 else 0.0
    row = int(arrays.cables.row[c])
    wire = arrays.wires.damping_time[arrays.wires.cable == c]
    models: dict[str, Any] = {own.model.name: None} if own.model is not MASSLESS else {}
    models |= {model.name: model} if model else {}
    try:
        return dataclasses.replace(
            own,
            **models,
            length=float(arrays.cables.length[c]) + coordinate,
            pretension=0.0,
            damping_ratio=None,
            damping_time=float(wire[0] if row < 0 else arrays.rows.damping_time[row]),
        )
    except ValueError as error:
        raise SpecError(f"cable {own.name!r}: {error}") from None
