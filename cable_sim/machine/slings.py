"""Slings that are hooked on and unhooked all together."""

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CommandError
from cable_sim.sim.observation import Observation
from cable_sim.sim.simulator import Simulator
from cable_sim.spec.scene import GRAVITY

LOADED = 0.05
"""Share of the load's weight on the slings up to which they can be unhooked [-].

It is an estimate (E): no hands can do it at a higher load.
"""


class Slings:
    """The slings of a crane.

    Parameters
    ----------
    crane: the crane.
    simulator: simulator of its scene.
    """

    def __init__(self, crane: Crane, simulator: Simulator) -> None:
        assert crane.suspension is not None
        self._names = crane.slings
        self._simulator = simulator
        mass = next(body.mass for body in crane.scene.bodies if body.name == crane.suspension.load)
        self._most = LOADED * mass * GRAVITY

    def carried_force(self, seen: Observation) -> float:
        """Return the upward force of the slings [N]."""
        return abs(sum(float(seen.cable(name).node_force[0, 2]) for name in self._names))

    def unhook(self, seen: Observation) -> None:
        """Unhook the load.

        Raises CommandError when the slings carry some of it, are off, or have no known load yet.
        """
        hooked = [name for name in self._names if not seen.cable(name).off]
        if not hooked:
            raise CommandError("slings: not hooked on")
        if seen.steps == 0:  # forces are means over the last step
            raise CommandError(
                "slings: their force is not known before the first step; run the simulation first"
            )
        carried = self.carried_force(seen)
        if carried > self._most:
            raise CommandError(
                f"slings: carry {carried:.4g} N; set the load down, {self._most:.4g} N are allowed"
            )
        for name in hooked:
            self._simulator.unhook(name)

    def hook_on(self, seen: Observation) -> None:
        """Hook all slings on that are off.

        Raises CommandError, and hooks none on, when the hook is too far for one of them.
        """
        off = [name for name in self._names if seen.cable(name).off]
        if not off:
            raise CommandError("slings: hooked on already")
        for i, name in enumerate(off):
            try:
                self._simulator.hook(name)
            except CommandError:
                for done in off[:i]:
                    self._simulator.unhook(done)
                raise
