"""Levers at work: from the position of a lever to the speed command of the axis."""

import math

from cable_sim.cranes.parts.levers import Lever
from cable_sim.errors import CommandError


class LeverAtWork:
    """A lever with the present step of its contactors.

    Parameters
    ----------
    lever: kind of lever.
    max_speed: of the axis [rad/s or m/s].
    """

    def __init__(self, lever: Lever, max_speed: float) -> None:
        self.lever = lever
        self.max_speed = max_speed
        self.reset()

    def reset(self) -> None:
        """Go back to the middle."""
        self.step = 0
        self._on_step = math.inf

    def save(self) -> tuple[int, float]:
        """Return the state that determines the next step."""
        return self.step, self._on_step

    def restore(self, saved: tuple[int, float]) -> None:
        """Go back to a saved state."""
        self.step, self._on_step = saved

    def speed(self, deflection: float, passed: float) -> float:
        """Return the speed [rad/s or m/s] at a deflection of -1 ... 1.

        ``passed`` is the time since the last call [s]. Raises CommandError, and changes nothing,
        for a deflection that is not a number; one beyond the ends counts as an end.
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
        """Change the step: down at once, up one by one, each after its time on the last step.

        Across the middle it starts anew.
        """
        self._on_step += passed
        if wanted * self.step < 0 or wanted == 0:
            self.step = 0
            self._on_step = math.inf
        if abs(wanted) <= abs(self.step):
            self._on_step = 0.0 if wanted != self.step else self._on_step
            self.step = wanted
        elif self._on_step >= self.lever.step_time - 1e-9:
            self.step += 1 if wanted > 0 else -1
            self._on_step = 0.0
