"""Forces of contact as arrows on the page."""

from typing import Any

import numpy as np

from cable_sim.machine.pictures.frame import Frame
from cable_sim.rendering import meshes
from cable_sim.rendering.bodies import Extent
from cable_sim.rendering.contact_arrows import ContactArrows, unit_arrow
from cable_sim.viewer.drawing.batch import Batch

FOLDER = "/contact_forces"
"""Node above the arrows in the tree of the page; hiding it hides them."""


class ContactForces:
    """Arrows in a viser scene.

    Parameters
    ----------
    api: scene of a viser server.
    arrows: of the crane.
    extent: of the whole scene.
    """

    def __init__(self, api: Any, arrows: ContactArrows, extent: Extent) -> None:
        self._arrows = arrows
        self._room = 0
        self._batch = Batch(api, f"{FOLDER}/arrows", unit_arrow(), extent.scale)

    def update(self, frame: Frame) -> bool:
        """Draw the arrows of the frame; return True if anything was sent."""
        arrows = self._arrows.of(frame)
        turns = meshes.quaternions_from_z(arrows[:, 3:6])
        sizes = np.linalg.norm(arrows[:, 3:6], axis=1, keepdims=True)
        self._room = max(self._room, len(arrows))
        copies = np.hstack([arrows[:, :3], turns, sizes, arrows[:, 6:]])
        return self._batch.update(copies, self._room)
