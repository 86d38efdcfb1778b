"""The nodes of hybrid wires as small balls on the page: white masses, purple contact nodes.

The colours are those of Servin et al. 2011, figures 1 and 3. Nodes appear and disappear at every
step, so all cables share one batch of balls with room for as many as their curves have points.
"""

from typing import Any

import numpy as np

from cable_sim.machine.pictures.frame import Frame
from cable_sim.rendering import meshes
from cable_sim.rendering.bodies import Extent
from cable_sim.rendering.wire_nodes import ball_radii, balls_of
from cable_sim.spec import Scene
from cable_sim.viewer.drawing.batch import Batch

FOLDER = "/wire_nodes"
"""Node above the balls in the tree of the page; hiding it hides them."""


class WireNodes:
    """Masses and contact nodes of all cables in a viser scene.

    Parameters
    ----------
    api: scene of a viser server.
    scene: whose cables.
    extent: of the whole scene.
    """

    def __init__(self, api: Any, scene: Scene, extent: Extent) -> None:
        self._batch = Batch(api, f"{FOLDER}/balls", meshes.sphere(1.0, sides=12), extent.scale)
        self._radii = ball_radii(scene, extent)

    def update(self, frame: Frame) -> bool:
        """Draw the nodes of the frame; return True if anything was sent."""
        balls = balls_of(self._radii, frame)
        turns = np.tile((1.0, 0.0, 0.0, 0.0), (len(balls), 1))
        # Over ROS the first nodes may be there before the curves.
        room = sum(len(frame.cables[name].points) for name in self._radii if name in frame.cables)
        return self._batch.update(np.hstack([balls[:, :3], turns, balls[:, 3:]]), room)
