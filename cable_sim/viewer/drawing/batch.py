"""Copies of one mesh on the page, each with a place, turn, size and colour of its own.

Their number changes from frame to frame, so there is room for more, and what is unused has no size.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cable_sim.rendering.meshes import Faces, Points
from cable_sim.viewer.drawing.ropes import STILL, to_linear_light

Array = NDArray[np.float64]
COLUMNS = 11
"""Columns of a copy: position [m], turn (w, x, y, z), size [m], colour."""


class Batch:
    """Copies of a mesh in a viser scene.

    Parameters
    ----------
    api: scene of a viser server.
    name: node of the page's tree.
    mesh: of size one.
    scale: units of the page per metre.
    """

    def __init__(self, api: Any, name: str, mesh: tuple[Points, Faces], scale: float) -> None:
        self._api = api
        self._name = name
        self._mesh = mesh
        self._scale = scale
        self._batch: Any = None
        self._sent = np.zeros((0, COLUMNS))

    def update(self, found: Array, room: int = 0) -> bool:
        """Draw these copies (n, 11), with room for so many; return True if anything was sent."""
        copies = np.zeros((max(room, len(found)), COLUMNS))
        copies[:, 3] = 1.0
        copies[: len(found)] = found
        if len(copies) != len(self._sent):
            self._add(copies)
        elif not len(copies) or np.abs(copies - self._sent).max() < STILL:
            return False
        turns, positions, scales, colors = self._page_arrays(copies)
        self._batch.batched_wxyzs = turns
        self._batch.batched_positions = positions
        self._batch.batched_scales = scales
        self._batch.batched_colors = colors
        self._sent = copies
        return True

    def _add(self, copies: Array) -> None:
        """Make the batch, in place of an older one."""
        turns, positions, scales, colors = self._page_arrays(copies)
        self._batch = self._api.add_batched_meshes_simple(
            self._name,
            *self._mesh,
            turns,
            positions,
            batched_scales=scales,
            batched_colors=colors,
            lod="off",
            cast_shadow=False,
        )

    def _page_arrays(
        self, copies: Array
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], NDArray[np.uint8]]:
        """Return turns (n, 4), positions (n, 3) and sizes (n,) of the page, and colours (n, 3)."""
        places, sizes = (
            (self._scale * part).astype(np.float32) for part in (copies[:, :3], copies[:, 7])
        )
        return copies[:, 3:7].astype(np.float32), places, sizes, to_linear_light(copies[:, 8:])
