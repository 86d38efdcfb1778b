"""Wheels that turn on the spot: a gantry travels along its runway or across, never in between."""

import math

from cable_sim.cranes.crane import WheelTurn
from cable_sim.sim.simulator import Simulator

AT_END = 2e-3
"""Angle from an end of the turn up to which the wheels are there [rad].

Machines end a speed 1e-3 before the end.
"""
SAME_WAY = 1e-9
"""Distance of two equal unit vectors by rounding [-]."""
STANDING = 1e-4
"""Speed below which the gantry stands, so that its wheels can turn [m/s]."""


class Wheels:
    """The wheels of a gantry on a simulator, whose state holds all lasting data."""

    def __init__(self, turn: WheelTurn, simulator: Simulator) -> None:
        self._turn = turn
        self._simulator = simulator
        self._carriage = simulator.drives[turn.carriage]
        self._travel = simulator.drives[turn.drive]

    @property
    def angle(self) -> float:
        """Angle of the wheels from the runway [rad]."""
        return self._carriage.position

    def look(self) -> tuple[str, ...]:
        """Set the gantry's direction to that of its wheels, and return the drives that have to
        stand; once a tick.

        The direction changes once the wheels have come to an end of their turn and the gantry
        stands. Travel stands while the wheels point elsewhere, and the wheels stand while the
        gantry travels.
        """
        wanted = self._direction()
        ready = wanted is not None and self._travels(wanted)
        if wanted is not None and not ready and self._stands():
            self._simulator.turn_axis(self._turn.joint, wanted)
            ready = True
        travel = () if ready else (self._turn.drive,)
        return (*travel, self._turn.carriage) if self._travel.reference != 0.0 else travel

    def _direction(self) -> tuple[float, float, float] | None:
        """Return the direction of the wheels; None between the ends."""
        angle = self.angle
        if angle < AT_END:
            return self._turn.along
        return self._turn.across if angle > 0.5 * math.pi - AT_END else None

    def _stands(self) -> bool:
        """Return True if the gantry stands."""
        return abs(self._simulator.observe().joint(self._turn.joint).velocity) < STANDING

    def _travels(self, direction: tuple[float, float, float]) -> bool:
        """Return True if the gantry's present direction of travel is the given one."""
        return math.dist(self._simulator.joint_axis(self._turn.joint), direction) < SAME_WAY
