"""Release of all loads at once, without an interlock, as when slings part or twistlocks fail."""

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CommandError
from cable_sim.sim.observation import Observation
from cable_sim.sim.simulator import Simulator


class LoadRelease:
    """Release of a crane's loads from hooks and spreaders.

    It acts on slings, and on joints that stand for twistlocks or for the shackles of spawned loads.

    Parameters
    ----------
    crane: the crane.
    simulator: simulator of its scene.
    """

    def __init__(self, crane: Crane, simulator: Simulator) -> None:
        self._simulator = simulator
        hooks = {hung.hook for hung in crane.suspensions}
        pairs = [{hung.hook, hung.load} for hung in crane.suspensions if hung.hook != hung.load]
        self._joints = tuple(
            joint.name
            for joint in crane.scene.joints
            if {joint.parent, joint.child} in pairs or (joint.open and joint.parent in hooks)
        )
        self._slings = tuple(
            cable.name
            for cable in crane.scene.cables
            if any(pair <= {getattr(node, "body", None) for node in cable.nodes} for pair in pairs)
        )

    def let_go(self, seen: Observation) -> tuple[str, ...]:
        """Release all loads and return the names of the slings and joints that held them.

        Raises CommandError where nothing holds a load.
        """
        joints = tuple(name for name in self._joints if not seen.joint(name).open)
        slings = tuple(name for name in self._slings if not seen.cable(name).off)
        if not (self._joints or self._slings):
            raise CommandError("release_load: this crane has no load to release, only its hook")
        if not (joints or slings):
            raise CommandError("release_load: no load is held")
        for name in joints:
            self._simulator.unlock(name)
        for name in slings:
            self._simulator.unhook(name)
        return joints + slings
