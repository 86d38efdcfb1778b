"""What riggers and operators do to what carries the load: slings on and off, twistlocks turned, all
let go at once."""

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CommandError
from cable_sim.machine.release import LettingGo
from cable_sim.machine.slings import Slings
from cable_sim.machine.spreader import Spreader
from cable_sim.sim.observation import Observation
from cable_sim.sim.simulator import Simulator


class Rigging:
    """Slings and twistlocks of a crane, as far as it has some; whatever can't be done is a
    CommandError that says why.

    Parameters
    ----------
    crane: which.
    simulator: that has its scene.
    """

    def __init__(self, crane: Crane, simulator: Simulator) -> None:
        self.spreader = Spreader(crane.twistlocks, simulator) if crane.twistlocks else None
        self._slings = Slings(crane, simulator) if crane.slings else None
        self._letting_go = LettingGo(crane, simulator)

    def readings(self, seen: Observation) -> dict[str, float]:
        """What the switches of a spreader tell, 1 or 0, by name; nothing without one."""
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
        self._there().hook_on(seen)

    def unhook(self, seen: Observation) -> None:
        """Take all slings off the hook; they may carry 5 % of the load at most."""
        self._there().unhook(seen)

    def let_go(self, seen: Observation) -> tuple[str, ...]:
        """Let all loads go at once, without an interlock; names of what held them."""
        return self._letting_go.let_go(seen)

    def _there(self) -> Slings:
        """The slings."""
        if self._slings is None:
            raise CommandError("slings: there are none")
        return self._slings
