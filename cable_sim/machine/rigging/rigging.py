"""Rigging of loads: slings on and off the hook, turning of twistlocks, release of all loads."""

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CommandError
from cable_sim.machine.rigging.spreader import Spreader
from cable_sim.sim.changes.drives import CarriageAtWork
from cable_sim.sim.observation import Observation
from cable_sim.sim.simulator import Simulator
from cable_sim.spec.scene import GRAVITY

LOADED = 0.05
"""Share of the load's weight on the slings up to which they can be unhooked [-].

It is an estimate (E): no hands can do it at a higher load.
"""


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
        self._simulator = simulator
        self._slings = crane.slings
        masses = {body.name: body.mass for body in crane.scene.bodies}
        load = crane.suspension.load if crane.suspension and crane.slings else ""
        self._most = LOADED * masses.get(load, 0.0) * GRAVITY
        hooks = {hung.hook for hung in crane.suspensions}
        pairs = [{hung.hook, hung.load} for hung in crane.suspensions if hung.hook != hung.load]
        self._joints = tuple(
            joint.name
            for joint in crane.scene.joints
            if {joint.parent, joint.child} in pairs or (joint.open and joint.parent in hooks)
        )
        self._holders = tuple(
            cable.name
            for cable in crane.scene.cables
            if any(pair <= {getattr(node, "body", None) for node in cable.nodes} for pair in pairs)
        )
        touches = crane.scene.collision.touches if crane.scene.collision else ()
        switches = dict.fromkeys(simulator.drives[one.switch] for one in touches if one.switch)
        self._magnets = [one for one in switches if isinstance(one, CarriageAtWork)]

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
        """Hook all slings on that are off; none if the hook is too far for one of them."""
        off = self._slings_that_are(seen, off=True)
        if not off:
            raise CommandError("slings: hooked on already")
        for i, name in enumerate(off):
            try:
                self._simulator.hook(name)
            except CommandError:
                for done in off[:i]:
                    self._simulator.unhook(done)
                raise

    def unhook(self, seen: Observation) -> None:
        """Take all slings off the hook; they may carry 5 % of the load at most."""
        hooked = self._slings_that_are(seen, off=False)
        if not hooked:
            raise CommandError("slings: not hooked on")
        if seen.steps == 0:  # forces are means over the last step
            raise CommandError(
                "slings: their force is not known before the first step; run the simulation first"
            )
        carried = abs(sum(float(seen.cable(name).node_force[0, 2]) for name in self._slings))
        if carried > self._most:
            raise CommandError(
                f"slings: carry {carried:.4g} N; set the load down, {self._most:.4g} N are allowed"
            )
        for name in hooked:
            self._simulator.unhook(name)

    def let_go(self, seen: Observation) -> tuple[str, ...]:
        """Release all loads at once, without an interlock, as when slings part or twistlocks fail.

        These are slings, joints that stand for twistlocks or for the shackles of spawned loads, and
        magnets that are on. Returns their names.
        """
        joints = tuple(name for name in self._joints if not seen.joint(name).open)
        slings = tuple(name for name in self._holders if not seen.cable(name).off)
        magnets = tuple(magnet for magnet in self._magnets if magnet.position > 0.0)
        if not (self._joints or self._holders or self._magnets):
            raise CommandError("release_load: this crane has no load to release, only its hook")
        if not (joints or slings or magnets):
            raise CommandError("release_load: no load is held")
        for name in joints:
            self._simulator.unlock(name)
        for name in slings:
            self._simulator.unhook(name)
        for magnet in magnets:
            magnet.drop()
        return joints + slings + tuple(magnet.name for magnet in magnets)

    def _slings_that_are(self, seen: Observation, off: bool) -> list[str]:
        """Return the slings that are off the hook, or on it; CommandError if there are none."""
        if not self._slings:
            raise CommandError("slings: there are none")
        return [name for name in self._slings if seen.cable(name).off == off]
