"""Wheels that turn on the spot: a gantry travels along its runway or across it, and in between not
at all."""

import math

from cable_sim.cranes.crane import Axis, WheelTurn
from cable_sim.sim.simulator import Simulator

AT_END = 2e-3
"""Angle from an end at which the wheels stand there [rad]: machines end a speed 1e-3 before the
end."""
SAME_WAY = 1e-9
"""Distance of two unit vectors that are the same but for rounding [-]."""
STANDING = 1e-4
"""Speed below which the gantry stands, for its wheels to point another way [m/s]."""


class Wheels:
    """The wheels of a gantry on a simulator. All that lasts is in the simulator's state."""

    def __init__(self, turn: WheelTurn, simulator: Simulator) -> None:
        self._turn, self._simulator = turn, simulator
        self._carriage, self._travel = simulator.drive(turn.carriage), simulator.drive(turn.drive)
        self._blocked: tuple[str, ...] = ()

    @property
    def angle(self) -> float:
        """From the runway [rad]."""
        return self._carriage.position

    def look(self) -> None:
        """Have the gantry travel where its wheels point, once they have come to an end of their
        turn and it stands; and see which drives are blocked. Once a tick."""
        wanted = self._direction()
        ready = wanted is not None and self._travels(wanted)
        if wanted is not None and not ready and self._stands():
            self._simulator.turn_axis(self._turn.joint, wanted)
            ready = True
        travel = () if ready else (self._turn.drive,)
        self._blocked = (*travel, self._turn.carriage) if self._travel.reference != 0.0 else travel

    def block(self, axis: Axis) -> bool:
        """Whether an axis has to stand: travel while wheels point elsewhere, wheels while the
        gantry travels."""
        return axis.drive in self._blocked

    def _direction(self) -> tuple[float, float, float] | None:
        """Where the wheels point; None between the ends."""
        angle = self.angle
        if angle < AT_END:
            return self._turn.along
        return self._turn.across if angle > 0.5 * math.pi - AT_END else None

    def _stands(self) -> bool:
        """Whether the gantry does."""
        return abs(self._simulator.observe().joint(self._turn.joint).velocity) < STANDING

    def _travels(self, direction: tuple[float, float, float]) -> bool:
        """Whether the gantry travels in a direction at present."""
        return math.dist(self._simulator.joint_axis(self._turn.joint), direction) < SAME_WAY
