"""Rigging of loads: slings on and off the hook, turning of twistlocks, release of all loads."""

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CommandError
from cable_sim.machine.release import LoadRelease
from cable_sim.machine.slings import Slings
from cable_sim.machine.spreader import Spreader
from cable_sim.sim.observation import Observation
from cable_sim.sim.simulator import Simulator


class Rigging:
    """Slings and twistlocks of a crane, if it has them.

    An impossible action raises a CommandError with the reason.

    Parameters
    ----------
    crane: the crane.
    simulator: simulator of its scene.
    """

    def __init__(self, crane: Crane, simulator: Simulator) -> None:
        self.spreader = Spreader(crane.twistlocks, simulator) if crane.twistlocks else None
        self._slings = Slings(crane, simulator) if crane.slings else None
        self._letting_go = LoadRelease(crane, simulator)

    def readings(self, seen: Observation) -> dict[str, float]:
        """Return the readings of a spreader's switches, 1 or 0, by name; empty without one."""
        return self.spreader.readings(seen) if self.spreader else {}

    def turn(self, locked: bool, seen: Observation) -> None:
        """Lock or unlock the twistlocks; the spreader has to be landed."""
        if self.spreader is None:
            raise CommandError(
                "twistlocks: there are none that turn; set rig.twistlocks to 'locked' or 'open'"
            )
        self.spreader.turn(locked, seen)

    def hook_on(self, seen: Observation) -> None:
        """Hook all slings on; the hook has to be near enough."""
        self._require_slings().hook_on(seen)

    def unhook(self, seen: Observation) -> None:
        """Take all slings off the hook; they may carry 5 % of the load at most."""
        self._require_slings().unhook(seen)

    def let_go(self, seen: Observation) -> tuple[str, ...]:
        """Release all loads at once, without an interlock; return the names of their holders."""
        return self._letting_go.let_go(seen)

    def _require_slings(self) -> Slings:
        """Return the slings; raise CommandError if there are none."""
        if self._slings is None:
            raise CommandError("slings: there are none")
        return self._slings
