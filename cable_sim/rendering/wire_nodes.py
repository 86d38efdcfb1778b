"""Nodes of hybrid wires as small balls: white masses, purple contact nodes.

The colours are those of Servin et al. 2011, figures 1 and 3.
"""

import numpy as np
from numpy.typing import NDArray

from cable_sim.machine.frame import CablePicture
from cable_sim.rendering.bodies import Extent
from cable_sim.sim.colors import CONTACT_COLOR, MASS_COLOR, STICKING_SIZE
from cable_sim.spec import Scene

Array = NDArray[np.float64]
DIAMETERS = 0.8
"""Radius of a ball over the diameter of its cable [-]."""
SHARE = 0.01
"""Least radius of a ball over the radius of the scene [-].

It is some eight pixels across in a view of the whole scene.
"""


def ball_radii(scene: Scene, extent: Extent) -> dict[str, float]:
    """Return the radius [m] of the balls of each cable that shows its nodes."""
    shown = (cable for cable in scene.cables if cable.shows_nodes)
    return {cable.name: max(DIAMETERS * cable.diameter, SHARE * extent.radius) for cable in shown}


def balls_of(picture: CablePicture, radius: float) -> Array:
    """Return the nodes of a cable (n, 7): position and radius [m], and colour."""
    masses = len(picture.masses)
    contacts = len(picture.contacts)
    sizes = np.concatenate([np.ones(masses), np.where(picture.sticks, STICKING_SIZE, 1.0)])
    colors = np.repeat([MASS_COLOR, CONTACT_COLOR], [masses, contacts], axis=0)
    return np.column_stack(
        [np.concatenate([picture.masses, picture.contacts]), radius * sizes, colors]
    )
