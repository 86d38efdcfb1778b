"""Slings that are hooked on and unhooked, all of them together."""

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CommandError
from cable_sim.sim.observation import Observation
from cable_sim.sim.simulator import Simulator
from cable_sim.spec.scene import GRAVITY

LOADED = 0.05
"""Share of the load's weight that slings may carry when they are unhooked [-]: (E), nobody's hands
can do it then."""


class Slings:
    """The slings of a crane.

    Parameters
    ----------
    crane: which.
    simulator: that has its scene.
    """

    def __init__(self, crane: Crane, simulator: Simulator) -> None:
        assert crane.suspension is not None
        self._names, self._simulator = crane.slings, simulator
        mass = next(body.mass for body in crane.scene.bodies if body.name == crane.suspension.load)
        self._most = LOADED * mass * GRAVITY

    def carried(self, seen: Observation) -> float:
        """What they carry, upward [N]."""
        return abs(sum(float(seen.cable(name).node_force[0, 2]) for name in self._names))

    def unhook(self, seen: Observation) -> None:
        """Let the load go; CommandError when they carry some of it, or are off, or nothing is known
        of that yet."""
        hooked = [name for name in self._names if not seen.cable(name).off]
        if not hooked:
            raise CommandError("slings: not hooked on")
        if seen.steps == 0:  # forces are means over the last step
            raise CommandError(
                "slings: what they carry is not known before the first step; let time run"
            )
        carried = self.carried(seen)
        if carried > self._most:
            raise CommandError(
                f"slings: carry {carried:.4g} N; set the load down, {self._most:.4g} N are allowed"
            )
        for name in hooked:
            self._simulator.unhook(name)

    def hook_on(self, seen: Observation) -> None:
        """Hook all on that are off; CommandError, and none is, when the hook is too far for one."""
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
