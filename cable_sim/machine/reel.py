"""Drums with layers as an axis sees them: the rope paid out, where a drive counts turns of the first layer.

A hoist axis is in terms of the rope, which the hook follows. Its drive's coordinate q is what a drum with its
first layer alone would pay out (see ``kernels/drums.py``), with L = f(q) the rope, f' = R_j / R_1 its slope in layer j:

    speed of the line  dL/dt = f' dq/dt,        effort of the drive = f' x tension.
"""

import numpy as np

from cable_sim.cranes.crane import Axis
from cable_sim.model.drums import layer_table
from cable_sim.spec import Scene


class Reel:
    """f and its inverse; without layers both are the identity.

    Parameters
    ----------
    scene, axis: of which crane, and which of its axes.
    start: the drive's coordinate at the start of the run [m].
    """

    def __init__(self, scene: Scene, axis: Axis, start: float) -> None:
        winch = next((drive.on for drive in scene.drives if drive.name == axis.drive), "")
        wound = (c for c in scene.cables if c.winch and c.winch.name == winch and c.winch.drum)
        cable = next(wound, None)
        table = np.array([[0.0, 0.0, 1.0]])
        if cable and cable.winch and cable.winch.drum:
            table = layer_table(cable.winch.drum, cable.diameter, start)
        self._from, self._paid, self._ratio = table.T

    def ratio(self, coordinate: float) -> float:
        """f', speed of the line over that of the drive [-]."""
        return float(self._ratio[self._layer(self._from, coordinate)])

    def paid_out(self, coordinate: float) -> float:
        """f(q): rope paid out [m]."""
        k = self._layer(self._from, coordinate)
        return float(self._paid[k] + self._ratio[k] * (coordinate - self._from[k]))

    def coordinate(self, paid_out: float) -> float:
        """The drive's coordinate at which so much rope is paid out [m]."""
        k = self._layer(self._paid, paid_out)
        return float(self._from[k] + (paid_out - self._paid[k]) / self._ratio[k])

    @staticmethod
    def _layer(begins: np.ndarray, at: float) -> int:
        """Row of the table in which ``at`` is; beyond its ends the first and the last."""
        return max(int(np.searchsorted(begins, at, side="right")) - 1, 0)
