"""Drums with layers as an axis sees them: rope paid out, and turns of the first layer.

A hoist axis is in terms of the rope, which the hook follows. Its drive's coordinate q is the rope
that a drum with its first layer alone would pay out (see ``kernels/drums.py``), with L = f(q) the
rope, f' = R_j / R_1 its slope in layer j:

    speed of the line  dL/dt = f' dq/dt,        effort of the drive = f' x tension.
"""

from bisect import bisect_right

from cable_sim.cranes.crane import Axis
from cable_sim.model.drums import layer_table
from cable_sim.spec import Scene


class DrumKinematics:
    """Rope length f and its inverse; without layers both are the identity.

    Parameters
    ----------
    scene, axis: the crane's scene, and one of its axes.
    start: the drive's coordinate at the start of the run [m].
    """

    def __init__(self, scene: Scene, axis: Axis, start: float) -> None:
        winch = next((drive.on for drive in scene.drives if drive.name == axis.drive), "")
        wound = (c for c in scene.cables if c.winch and c.winch.name == winch and c.winch.drum)
        cable = next(wound, None)
        self._from: list[float] = []
        if cable and cable.winch and cable.winch.drum:
            table = layer_table(cable.winch.drum, cable.diameter, start)
            self._from, self._paid, self._ratio = table.T.tolist()

    @property
    def layered(self) -> bool:
        """Return True if the rope can leave from more than one layer."""
        return bool(self._from)

    def ratio(self, coordinate: float) -> float:
        """Return f', the speed of the line over that of the drive [-]."""
        return self._ratio[_layer(self._from, coordinate)] if self._from else 1.0

    def paid_out_length(self, coordinate: float) -> float:
        """Return f(q), the rope paid out [m]."""
        if not self._from:
            return coordinate
        k = _layer(self._from, coordinate)
        return self._paid[k] + self._ratio[k] * (coordinate - self._from[k])

    def coordinate(self, paid_out: float) -> float:
        """Return the drive's coordinate [m] at which that length of rope is paid out."""
        if not self._from:
            return paid_out
        k = _layer(self._paid, paid_out)
        return self._from[k] + (paid_out - self._paid[k]) / self._ratio[k]


def _layer(begins: list[float], at: float) -> int:
    """Return the row of the table that contains ``at``; beyond its ends the first or last one."""
    return max(bisect_right(begins, at) - 1, 0)
