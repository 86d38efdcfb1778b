"""External forces on bodies of a crane: held until changed, or until a timeout without renewal."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from transforms3d.quaternions import rotate_vector

from cable_sim.errors import CommandError
from cable_sim.model.bodies import inertia_of
from cable_sim.sim.observation import Observation
from cable_sim.sim.simulator import Simulator

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


class ExternalWrenches:
    """The pushes on a machine's bodies, at most one on each."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator
        self._heaviness = {
            body.name: (body.mass, float(np.linalg.eigvalsh(inertia_of(body))[0]))
            for body in simulator.scene.bodies
            if body.motion == "dynamic"
        }
        self.acting: dict[str, Push] = {}

    def give(self, push: Push, now: float) -> None:
        """Push a body from ``now`` on [s].

        Raises CommandError, and changes nothing, for an impossible push.
        """
        if push.body not in self._heaviness:
            raise CommandError(
                f"push: body {push.body!r} is not known; known are {', '.join(self._heaviness)}"
            )
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
        self.acting[push.body] = replace(push, time=now)

    def update(self, seen: Observation, timeout: float) -> None:
        """Apply the pushes once a tick; one that is older than ``timeout`` [s] ends."""
        for body, push in list(self.acting.items()):
            if seen.time - push.time > timeout:
                del self.acting[body]
                self._simulator.push(body)
                continue
            turn = seen.body_orientation[seen.names.index("bodies", body)] if push.own else None
            self._simulator.push(
                body, _world_vector(push.force, turn), _world_vector(push.torque, turn)
            )

    def restore(self, acting: dict[str, Push]) -> None:
        """Restore these pushes; the simulator is restored with them."""
        self.acting = dict(acting)


def _world_vector(vector: Vector, turn: Any) -> Any:
    """Return a vector in the world."""
    return vector if turn is None else rotate_vector(vector, turn)
