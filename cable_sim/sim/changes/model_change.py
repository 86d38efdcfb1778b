"""Change of a cable's model while the scene runs."""

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np

from cable_sim.errors import CommandError, SpecError
from cable_sim.kernels.cables.contact.contact_path import CROSSED
from cable_sim.kernels.records.world import State
from cable_sim.sim.changes.model_switches import Switches
from cable_sim.sim.changes.rope_lines import read_line
from cable_sim.sim.running import READ, RunningScene
from cable_sim.spec import Cable, Elevation, Hybrid, Scene
from cable_sim.spec.cables.cable_models import MASSLESS

ModelOfCable = Elevation | Hybrid | None
"""Model that a cable may change to; None for the massless one."""
HANDLES = ("bodies", "cables", "joints", "drives")
"""What a simulator gives handles of."""


class ModelChanges:
    """Methods of a simulator that change the models of its cables."""

    _switches: Switches
    _shared: bool

    def change_scene(self: Any, cable: str, model: ModelOfCable) -> Scene:
        """Return the scene in which a cable has another model, and its own length and damping time.

        Raises SpecError for an unknown name, and a model that the cable can't have; CommandError
        for cables that are made of masses at all times, or that cross one another.
        """
        running = self._running
        scene: Scene = running.scene
        own = scene.cables[running.names.index("cables", cable)]
        crossed = {other for made in scene.cables for other in made.model.crosses}
        if own.model.segments:
            raise CommandError(f"cable {cable!r} is lumped, and keeps its model")
        if cable in crossed or own.model.crosses or (model and model.crosses):
            raise CommandError(f"cable {cable!r} crosses other cables, and keeps its model")
        models: dict[str, Any] = {own.model.name: None} if own.model is not MASSLESS else {}
        models |= {model.name: model} if model else {}
        return replace_cables(scene, [keep_rope(running, self._start.state, own, **models)])

    def change_model(self: Any, cable: str, model: ModelOfCable = None) -> float:
        """Change the model of a cable to ``Elevation``, ``Hybrid``, or None for massless.

        The scene is rebuilt, in some 40 ms, and goes on as it stands: the cable lies as it lay,
        with the same rope and tension. Handles, readers and recordings go on. Returns the energy
        [J] that the scene has more with the new model. Damping ratios are taken again.

        Raises SpecError for a model that the cable can't have; CommandError, and changes nothing,
        for a cable that bends over edges, is off or has a loose end, and while a law or a machine
        is at work.
        """
        before = float(self.observe().energy.total)
        self.replace_model(cable, model)
        self._switches.drop(cable)
        return float(self.observe().energy.total) - before

    def switch_when_slack(self: Any, cable: str, slack: Hybrid, beyond: float = 0.01) -> None:
        """Change a cable to a hybrid wire where it gets slack, and back where it is taut.

        It is slack when it has more than the part ``beyond`` [-] more rope than its straight way
        from node to node, and taut again at half of that. :meth:`Simulator.step` looks every 16
        steps, and does what :meth:`change_model` does; where that refuses, the cable keeps its
        model until a later look.

        Raises CommandError for a hybrid wire, and for the scene of a machine; SpecError for a model
        that the cable can't have.
        """
        self._refuse_machine(cable)
        self.change_scene(cable, slack)
        self._switches.add(self.scene.cables[self.names.index("cables", cable)], slack, beyond)

    def replace_model(self: Any, cable: str, model: ModelOfCable) -> None:
        """Go on with another model of a cable; see :meth:`change_model`."""
        self._refuse_machine(cable)
        scene = self.change_scene(cable, model)
        self.check_line(cable)  # refused before anything is built, which takes longer
        self.go_on_in(scene)

    def alike(self: Any, scene: Scene) -> Any:
        """Return a simulator of another scene with the same step and solver."""
        return type(self)(scene, self.dt, self._stepper, self.solver)

    def check_line(self: Any, cable: str) -> None:
        """Raise CommandError for a cable whose model can't change as it lies."""
        read_line(self._running, cable)

    def extra_rope(self: Any, cable: str) -> float:
        """Return the rope that a cable has beyond its straight way, as a part of that [-]."""
        running: RunningScene = self._running
        running.freshen(READ)
        c = running.names.index("cables", cable)
        nodes = running.names.nodes[c]
        solid = running.state.nodes.contact_solid[nodes]
        here = (solid >= 0) | (solid == CROSSED)  # nodes on edges count, masses do not
        here[running.names.own[c]] = True
        points = running.work.nodes.position[nodes][here]
        way = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
        return float(running.readings.cables.length_paid_out[c]) / way - 1.0

    def with_cables(self: Any, cables: Iterable[Cable]) -> Scene:
        """Return the scene with other cables in place of those of their names.

        They have the rope and the damping time of those that they replace.
        """
        return replace_cables(
            self.scene, [keep_rope(self._running, self._start.state, cable) for cable in cables]
        )

    def go_on_in(self: Any, scene: Scene, anew: bool = False) -> None:
        """Go on in a scene that differs in models of cables as it stands, or ``anew`` at its start.

        Handles, readers and recordings go on. Raises CommandError, and changes nothing, while a law
        is at work, and for a cable whose model can't change as it lies.
        """
        self._driver.refuse_law()
        made = self.alike(scene)
        if not anew:
            made.continue_from(self)
        made._driver.follow(self._driver)
        kept = {kind: getattr(self, kind) for kind in HANDLES}
        for kind, group in kept.items():
            group.follow(getattr(made, kind))
        made.turns = made._running.turns = self.turns
        self.__dict__.update(made.__dict__ | kept | {"_switches": self._switches})

    def _refuse_machine(self, cable: str) -> None:
        """Raise CommandError if compiled code of a machine has the records of the scene."""
        if self._shared:
            raise CommandError(f"cable {cable!r}: a machine runs this scene; change the machine's")


def replace_cables(scene: Scene, cables: Iterable[Cable]) -> Scene:
    """Return a scene with other cables in place of those of their names."""
    others = {cable.name: cable for cable in cables}
    return dataclasses.replace(
        scene, cables=tuple(others.get(cable.name, cable) for cable in scene.cables)
    )


def keep_rope(running: RunningScene, start: State, own: Cable, **models: Any) -> Cable:
    """Return a cable with ``models``, and the rope and damping time of that of its name."""
    arrays = running.model
    c = running.names.index("cables", own.name)
    winch = int(arrays.cables.winch[c])
    coordinate = float(start.bodies.position[winch, 0]) if winch >= 0 else 0.0
    row = int(arrays.cables.row[c])
    wire = arrays.wires.damping_time[arrays.wires.cable == c]
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
