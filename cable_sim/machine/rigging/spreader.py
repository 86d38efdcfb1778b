"""Twistlocks between a spreader and its container, and their interlock."""

import math

from cable_sim.cranes.crane import Twistlocks
from cable_sim.errors import CommandError
from cable_sim.kernels.collision.manifold import POINTS
from cable_sim.sim.observation import Observation
from cable_sim.sim.simulator import Simulator

REACH = 0.05
ANGLE = math.radians(0.5)
"""Largest distance [m] and angle [rad] of a spreader at which its twistlocks find the castings.

They are estimates (E), since flippers and the cones of the locks guide it.
"""


class Spreader:
    """The twistlocks of a crane.

    A spreader is *landed* when all its corners bear. An open one bears on the container. A locked
    one bears through the container, which has to stand on four corners and to carry some of the
    spreader.

    Parameters
    ----------
    parts: parts of the spreader in the scene.
    simulator: simulator of the scene.
    """

    def __init__(self, parts: Twistlocks, simulator: Simulator) -> None:
        self._parts = parts
        self._simulator = simulator

    def is_locked(self, seen: Observation) -> bool:
        """Return True if the twistlocks hold the container."""
        return not seen.joint(self._parts.joint).open

    def corners(self, seen: Observation) -> int:
        """Return the number of bearing corners, of four, of the spreader or a locked container."""
        parts = self._parts
        if not self.is_locked(seen):
            return seen.contact(parts.spreader, parts.container).points
        return self._simulator.standing_points(parts.container)

    def lift(self, seen: Observation) -> float:
        """Return the upward force of a locked spreader on the container [N].

        It is negative if the spreader weighs on it.
        """
        parts = self._parts
        pressed = seen.contact(parts.spreader, parts.container).force[2]
        return float(seen.joint(parts.joint).force[2] + pressed)

    def is_landed(self, seen: Observation) -> bool:
        """Return True if the spreader is landed, as defined in the class."""
        return self.corners(seen) == POINTS and not (self.is_locked(seen) and self.lift(seen) > 0.0)

    def readings(self, seen: Observation) -> dict[str, float]:
        """Return the readings of its switches, 1 or 0 [-]."""
        locked = self.is_locked(seen)
        landed = self.is_landed(seen)
        return {
            "spreader.landed": float(landed),
            "twistlocks.locked": float(locked),
            "twistlocks.unlocked": float(not locked),
        }

    def turn(self, locked: bool, seen: Observation) -> None:
        """Lock or unlock the twistlocks.

        Raises CommandError with the reason for a spreader that is not landed or not in its place.
        """
        verb = "lock" if locked else "unlock"
        if locked == self.is_locked(seen):
            raise CommandError(f"twistlocks: {verb}ed already")
        corners = self.corners(seen)
        if corners < POINTS:
            raise CommandError(
                f"twistlocks: can't {verb}; {corners} of {POINTS} corners have landed, all must"
            )
        if not self.is_landed(seen):
            lift = 1e-3 * self.lift(seen)
            raise CommandError(
                f"twistlocks: can't unlock; the ropes pull on the container with {lift:.3g} kN"
            )
        if locked:
            self._simulator.lock(self._parts.joint, REACH, ANGLE)
        else:
            self._simulator.unlock(self._parts.joint)
