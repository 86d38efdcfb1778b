"""External forces on bodies of a crane: held until changed, or until a timeout without renewal."""

from dataclasses import dataclass

import numpy as np

from cable_sim.errors import CommandError, unknown
from cable_sim.kernels.records.machine import MachineState
from cable_sim.model.basis.bodies import inertia_of
from cable_sim.sim.simulator import Simulator
from cable_sim.sim.turns import in_turn

MOST = 100.0
"""Largest acceleration by a push alone [m/s^2 and rad/s^2]: ten times the weight."""

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Push:
    """A force at the centre of mass of a body [N] and a torque [N m].

    They act along the axes of the world or, ``own``, of the body, and then turn with it. ``time``
    is the time of the command [s].
    """

    body: str
    force: Vector
    torque: Vector
    own: bool = False
    time: float = 0.0


@in_turn("give")
class ExternalWrenches:
    """The pushes on a machine's bodies, at most one on each; ``kernels/machine.py`` applies them.

    ``state`` is that of the machine.
    """

    def __init__(self, simulator: Simulator, state: MachineState) -> None:
        self.turns = simulator.turns
        self._bodies = simulator.names.bodies
        self._state = state
        self._heaviness = {
            body.name: (body.mass, float(np.linalg.eigvalsh(inertia_of(body))[0]))
            for body in simulator.scene.bodies
            if body.motion == "dynamic"
        }

    @property
    def acting(self) -> dict[str, Push]:
        """Present pushes by the names of their bodies."""
        state = self._state
        found = {}
        for b in np.flatnonzero(state.pushed):
            x, y, z, *torque = state.push[b].tolist()
            name = self._bodies[b - 1]
            own, when = bool(state.push_turns[b]), float(state.push_time[b])
            found[name] = Push(name, (x, y, z), tuple(torque), own, when)
        return found

    def give(self, push: Push, now: float) -> None:
        """Push a body from ``now`` on [s].

        Raises CommandError, and changes nothing, for an impossible push.
        """
        if push.body not in self._heaviness:
            raise CommandError(f"push: {unknown('body', push.body, self._heaviness)}")
        mass, inertia = self._heaviness[push.body]
        for name, vector, most, unit in (
            ("force", push.force, MOST * mass, "N"),
            ("torque", push.torque, MOST * inertia, "N m"),
        ):
            size = float(np.linalg.norm(vector))
            if not size <= most:  # NaN, too
                raise CommandError(
                    f"push {push.body!r}: a {name} of {size:.6g} {unit} is outside 0 ... {most:.6g}"
                )
        b = 1 + self._bodies.index(push.body)
        self._state.push[b] = *push.force, *push.torque
        self._state.push_turns[b] = push.own
        self._state.push_time[b] = now
        self._state.pushed[b] = True
