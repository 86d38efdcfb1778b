"""The nodes of hybrid wires as small balls on the page: white masses, purple contact nodes.

The colours are those of Servin et al. 2011, figures 1 and 3. Nodes appear and disappear at every
step, so all cables share one batch of balls with room for as many as their curves have points.
Unused balls have no size.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cable_sim.machine.frame import Frame
from cable_sim.rendering import meshes
from cable_sim.rendering.bodies import Extent
from cable_sim.rendering.wire_nodes import ball_radii, balls_of
from cable_sim.spec import Scene
from cable_sim.viewer.ropes import STILL, to_linear_light

Array = NDArray[np.float64]
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
        self._api = api
        self._scale = extent.scale
        self._radii = ball_radii(scene, extent)
        self._batch: Any = None
        self._sent = np.zeros((0, 7))

    def update(self, frame: Frame) -> bool:
        """Draw the nodes of the frame; return True if anything was sent."""
        found = balls_of(self._radii, frame)
        room = sum(len(frame.cables[name].points) for name in self._radii if name in frame.cables)
        # Over ROS the first nodes may be there before the curves.
        balls = np.zeros((max(room, len(found)), 7))
        balls[: len(found)] = found
        if len(balls) != len(self._sent):
            self._add(balls)
        elif not len(balls) or np.abs(balls - self._sent).max() < STILL:
            return False
        positions, scales, colors = self._page_arrays(balls)
        self._batch.batched_positions = positions
        self._batch.batched_scales = scales
        self._batch.batched_colors = colors
        self._sent = balls
        return True

    def _add(self, balls: Array) -> None:
        """Make the batch, in place of an older one."""
        positions, scales, colors = self._page_arrays(balls)
        turns = np.tile(np.array([1.0, 0.0, 0.0, 0.0], dtype=np.float32), (len(balls), 1))
        self._batch = self._api.add_batched_meshes_simple(
            f"{FOLDER}/balls",
            *meshes.sphere(1.0, sides=12),
            turns,
            positions,
            batched_scales=scales,
            batched_colors=colors,
            lod="off",
            cast_shadow=False,
        )

    def _page_arrays(
        self, balls: Array
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.uint8]]:
        """Return positions (n, 3) and radii (n,) in units of the page, and colours (n, 3)."""
        places, radii = (
            (self._scale * part).astype(np.float32) for part in (balls[:, :3], balls[:, 3])
        )
        return places, radii, to_linear_light(balls[:, 4:])
