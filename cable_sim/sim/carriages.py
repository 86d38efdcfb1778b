"""Commands of carriages, which nothing can hold up: they go at the speed that they are given."""

import math
from typing import Any

import numpy as np

from cable_sim.errors import CommandError
from cable_sim.kernels.carriages import LOWER, SPEED, UPPER
from cable_sim.model.names import Names
from cable_sim.model.types import Control, Model, State


class Carriages:
    """The carriages of a scene while it runs."""

    def __init__(self, model: Model, names: Names, state: State, control: Control) -> None:
        self._model, self._names, self._state, self._control = model, names, state, control

    def command(self, carriage: str, target: float, mode: str) -> None:
        """Have a carriage go at a speed [rad/s or m/s], or to a position [rad or m] as fast as it can."""
        g, control = self._names.index("carriages", carriage), self._control
        if mode not in ("speed", "position"):
            raise CommandError(f"carriage {carriage!r}: mode {mode!r} is not known; known are speed, position")
        if not math.isfinite(target):
            raise CommandError(f"carriage {carriage!r}: target {target} is not a finite number")
        fastest = float(self._model.carriage_limit[g, SPEED])
        control.carriage_speed[g] = fastest if mode == "position" else min(abs(target), fastest)
        control.carriage_target[g] = target if mode == "position" else math.copysign(math.inf, target)

    def moves(self, carriage: str) -> float:
        """Rate at which one carriage goes at present [rad/s or m/s]."""
        g = self._names.index("carriages", carriage)
        lower, upper, _ = self._model.carriage_limit[g].tolist()
        away = min(max(float(self._control.carriage_target[g]), lower), upper) - float(self._state.carriage_position[g])
        return math.copysign(float(self._control.carriage_speed[g]), away) if away else 0.0

    def velocity(self) -> Any:
        """Rates at which the carriages go at present [rad/s or m/s]."""
        limit, at = self._model.carriage_limit, self._state.carriage_position
        wanted = np.clip(self._control.carriage_target, limit[:, LOWER], limit[:, UPPER])
        return np.sign(wanted - at) * self._control.carriage_speed
