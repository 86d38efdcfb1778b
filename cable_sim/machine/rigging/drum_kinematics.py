"""Drums with layers as an axis sees them: rope paid out, and turns of the first layer.

A hoist axis is in terms of the rope, which the hook follows. Its drive's coordinate q is the rope
that a drum with its first layer alone would pay out (see ``kernels/multibody/drums.py``), with L =
f(q) the rope, f' = R_j / R_1 its slope in layer j:

    speed of the line  dL/dt = f' dq/dt,        effort of the drive = f' x tension.
"""

import numpy as np

from cable_sim.cranes.crane import Axis
from cable_sim.kernels.multibody.drums import on_layers
from cable_sim.model.cables.drums import layer_table
from cable_sim.spec import Scene


class DrumKinematics:
    """Rope length f; without layers it is the identity. Its inverse is in
    ``kernels/multibody/drums.py``.

    Parameters
    ----------
    scene, axis: the crane's scene, and one of its axes.
    start: the drive's coordinate at the start of the run [m].
    """

    def __init__(self, scene: Scene, axis: Axis, start: float) -> None:
        winch = next((drive.on for drive in scene.drives if drive.name == axis.drive), "")
        wound = (c for c in scene.cables if c.winch and c.winch.name == winch and c.winch.drum)
        cable = next(wound, None)
        self._layers = np.zeros((0, 3))
        if cable and cable.winch and cable.winch.drum:
            self._layers = layer_table(cable.winch.drum, cable.diameter, start)

    def ratio(self, coordinate: float) -> float:
        """Return f', the speed of the line over that of the drive [-]."""
        return self.at(coordinate)[1]

    def at(self, coordinate: float) -> tuple[float, float]:
        """Return f(q), the rope paid out [m], and f' [-]."""
        if not len(self._layers):
            return coordinate, 1.0
        return on_layers(coordinate, 0, len(self._layers), self._layers)
