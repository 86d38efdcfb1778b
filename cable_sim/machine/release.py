"""The load let go at once, as when its slings part or its twistlocks fail; no interlock is
asked."""

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CommandError
from cable_sim.sim.observation import Observation
from cable_sim.sim.simulator import Simulator


class LettingGo:
    """What holds the loads of a crane on its hooks and spreaders: slings, and joints that stand for
    twistlocks.

    Parameters
    ----------
    crane: which.
    simulator: that has its scene.
    """

    def __init__(self, crane: Crane, simulator: Simulator) -> None:
        self._simulator = simulator
        pairs = [{hung.hook, hung.load} for hung in crane.suspensions if hung.hook != hung.load]
        self._joints = tuple(
            joint.name for joint in crane.scene.joints if {joint.parent, joint.child} in pairs
        )
        self._slings = tuple(
            cable.name
            for cable in crane.scene.cables
            if any(pair <= {getattr(node, "body", None) for node in cable.nodes} for pair in pairs)
        )

    def let_go(self, seen: Observation) -> tuple[str, ...]:
        """Let go of all loads; names of what held them. CommandError where nothing holds any."""
        joints = tuple(name for name in self._joints if not seen.joint(name).open)
        slings = tuple(name for name in self._slings if not seen.cable(name).off)
        if not (self._joints or self._slings):
            raise CommandError(
                "release_load: there is nothing to let go of; what hangs here is the hook itself"
            )
        if not (joints or slings):
            raise CommandError("release_load: nothing is held")
        for name in joints:
            self._simulator.unlock(name)
        for name in slings:
            self._simulator.unhook(name)
        return joints + slings
