"""Levers at work: from where the operator holds one to the speed that is asked of the axis."""

import math

from cable_sim.cranes.parts.levers import Lever
from cable_sim.errors import CommandError


class LeverAtWork:
    """A lever with the step that its contactors are on.

    Parameters
    ----------
    lever: what kind it is.
    max_speed: of the axis [rad/s or m/s].
    """

    def __init__(self, lever: Lever, max_speed: float) -> None:
        self.lever = lever
        self.max_speed = max_speed
        self.reset()

    def reset(self) -> None:
        """Back to the middle."""
        self.step = 0
        self._on_step = math.inf

    def save(self) -> tuple[int, float]:
        """What determines the step that comes next."""
        return self.step, self._on_step

    def restore(self, saved: tuple[int, float]) -> None:
        """Go back to what was saved."""
        self.step, self._on_step = saved

    def speed(self, deflection: float, passed: float) -> float:
        """Speed at a deflection of -1 ... 1, ``passed`` seconds after the last call [rad/s or m/s].

        Raises CommandError, and changes nothing, for a deflection that is not a number; one beyond
        the ends is at them.
        """
        if math.isnan(deflection):
            raise CommandError(f"lever: deflection {deflection} is not a number")
        band = self.lever.dead_band
        share = max(min(abs(deflection), 1.0) - band, 0.0) / (1.0 - band)
        if self.lever.steps:
            self._switch(
                int(math.copysign(math.ceil(share * len(self.lever.steps)), deflection)), passed
            )
            share = self.lever.steps[abs(self.step) - 1] if self.step else 0.0
            return math.copysign(share * self.max_speed, self.step)
        return math.copysign(share**self.lever.exponent * self.max_speed, deflection)

    def _switch(self, wanted: int, passed: float) -> None:
        """Change the step: down at once, up one at a time, each after its time on the last; across
        the middle anew."""
        self._on_step += passed
        if wanted * self.step < 0 or wanted == 0:
            self.step, self._on_step = 0, math.inf
        if abs(wanted) <= abs(self.step):
            self._on_step = 0.0 if wanted != self.step else self._on_step
            self.step = wanted
        elif self._on_step >= self.lever.step_time - 1e-9:
            self.step += 1 if wanted > 0 else -1
            self._on_step = 0.0
