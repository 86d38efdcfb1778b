"""Twistlocks between a spreader and its container, and what keeps an operator from turning them at
a wrong time."""

import math

from cable_sim.cranes.crane import Twistlocks
from cable_sim.errors import CommandError
from cable_sim.kernels.boxes import POINTS
from cable_sim.sim.observation import Observation
from cable_sim.sim.simulator import Simulator

REACH, ANGLE = 0.05, math.radians(0.5)
"""How far from its place, and how turned, a spreader gets its twistlocks into the castings [m,
rad]: (E), as flippers and the cones of the locks guide it."""


class Spreader:
    """The twistlocks of a crane.

    A spreader is *landed* when all its corners bear: of an open one on the container; of a locked
    one through the container, which has to stand on four corners and to carry some of the spreader.

    Parameters
    ----------
    parts: what they are in the scene.
    simulator: that has the scene.
    """

    def __init__(self, parts: Twistlocks, simulator: Simulator) -> None:
        self._parts, self._simulator = parts, simulator

    def locked(self, seen: Observation) -> bool:
        """Whether they hold the container."""
        return not seen.joint(self._parts.joint).open

    def corners(self, seen: Observation) -> int:
        """How many corners bear, of four: of the spreader on the container, or of the locked
        container."""
        parts = self._parts
        if not self.locked(seen):
            return seen.contact(parts.spreader, parts.container).points
        below = (seen.contact(parts.container, support).points for support in parts.supports)
        return max(self._simulator.standing_points(parts.container), *below, 0)

    def lift(self, seen: Observation) -> float:
        """Force with which a locked spreader pulls the container up [N]; below 0 it weighs on
        it."""
        parts = self._parts
        pressed = seen.contact(parts.spreader, parts.container).force[2]
        return float(seen.joint(parts.joint).force[2] + pressed)

    def landed(self, seen: Observation) -> bool:
        """See the class."""
        return self.corners(seen) == POINTS and not (self.locked(seen) and self.lift(seen) > 0.0)

    def readings(self, seen: Observation) -> dict[str, float]:
        """What its switches tell, 1 or 0 [-]."""
        locked, landed = self.locked(seen), self.landed(seen)
        return {
            "spreader.landed": float(landed), "twistlocks.locked": float(locked),
            "twistlocks.unlocked": float(not locked),
        }  # fmt: skip

    def turn(self, locked: bool, seen: Observation) -> None:
        """Lock or unlock; CommandError, which says why, for a spreader that is not landed or not in
        its place."""
        verb = "lock" if locked else "unlock"
        if locked == self.locked(seen):
            raise CommandError(f"twistlocks: {verb}ed already")
        corners = self.corners(seen)
        if corners < POINTS:
            raise CommandError(
                f"twistlocks: can't {verb}; {corners} of {POINTS} corners bear, all have to"
            )
        if not self.landed(seen):
            lift = 1e-3 * self.lift(seen)
            raise CommandError(
                f"twistlocks: can't unlock; the ropes pull on the container with {lift:.3g} kN"
            )
        if locked:
            self._simulator.lock(self._parts.joint, REACH, ANGLE)
        else:
            self._simulator.unlock(self._parts.joint)
