"""Nodes of hybrid wires as small balls: white masses, purple contact nodes.

The colours are those of Servin et al. 2011, figures 1 and 3.
"""

from typing import NamedTuple

import numpy as np

from cable_sim.machine.pictures.frame import CablePicture, Frame
from cable_sim.rendering.bodies import Array, Extent
from cable_sim.sim.readings.colors import CONTACT_COLOR, MASS_COLOR, STICKING_SIZE
from cable_sim.spec import Scene

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


class Kind(NamedTuple):
    """All nodes of one kind: places (n, 3) [m], colour, and size over that of others [-]."""

    places: Array
    color: tuple[float, float, float]
    size: float


def kinds_of(picture: CablePicture) -> tuple[Kind, ...]:
    """Return the masses of a cable, its contact nodes, and its sticking contact nodes."""
    return (
        Kind(picture.masses, MASS_COLOR, 1.0),
        Kind(picture.contacts[~picture.sticks], CONTACT_COLOR, 1.0),
        Kind(picture.contacts[picture.sticks], CONTACT_COLOR, STICKING_SIZE),
    )


def balls_of(radii: dict[str, float], frame: Frame) -> Array:
    """Return the finite nodes of cables of those radii (n, 7): position and radius [m], colour."""
    balls = [np.zeros((0, 7))]
    for name in (name for name in radii if name in frame.cables):
        for places, color, size in kinds_of(frame.cables[name]):
            look = np.array([radii[name] * size, *color])
            balls.append(np.hstack([places, np.tile(look, (len(places), 1))]))
    found = np.concatenate(balls)
    return found[np.isfinite(found).all(axis=1)]
