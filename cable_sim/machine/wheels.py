"""Wheels that turn on the spot: a gantry travels along its runway or across it, and in between not at all."""

import math

from cable_sim.cranes.crane import Axis, WheelTurn
from cable_sim.sim.simulator import Simulator

AT_END = 2e-3
"""Angle from an end at which the wheels stand there [rad]: machines end a speed 1e-3 before the end."""
SAME_WAY = 1e-9
"""Distance of two unit vectors that are the same but for rounding [-]."""
STANDING = 1e-4
"""Speed below which the gantry stands, for its wheels to point another way [m/s]."""


class Wheels:
    """The wheels of a gantry on a simulator. All that changes is in the simulator's state."""

    def __init__(self, turn: WheelTurn, simulator: Simulator) -> None:
        self._turn, self._simulator = turn, simulator

    @property
    def angle(self) -> float:
        """From the runway [rad]."""
        return self._simulator.drive_position(self._turn.carriage)

    def look(self) -> None:
        """Have the gantry travel where its wheels point, once they have come to an end of their turn and it stands."""
        wanted = self._direction()
        if wanted is None or self._travels(wanted):
            return
        if abs(self._simulator.observe().joint(self._turn.joint).velocity) < STANDING:
            self._simulator.turn_axis(self._turn.joint, wanted)

    def blocks(self, axis: Axis) -> bool:
        """Whether an axis has to stand: travel while wheels point elsewhere, wheels while the gantry travels."""
        if axis.drive == self._turn.drive:
            wanted = self._direction()
            return wanted is None or not self._travels(wanted)
        return axis.drive == self._turn.carriage and self._simulator.drive_reference(self._turn.drive) != 0.0

    def _direction(self) -> tuple[float, float, float] | None:
        """Where the wheels point; None between the ends."""
        if self.angle < AT_END:
            return self._turn.along
        return self._turn.across if self.angle > 0.5 * math.pi - AT_END else None

    def _travels(self, direction: tuple[float, float, float]) -> bool:
        """Whether the gantry travels in a direction at present."""
        return math.dist(self._simulator.joint_axis(self._turn.joint), direction) < SAME_WAY
