"""Forces of contact as arrows: normal forces red, friction blue, all at one scale.

At each point that bears there are two arrows, of what presses the first thing there and of what
rubs it: the ground, and all that does not move, is a second one. So the force on a load that stands
points up, out of the ground and through the load. An arrow is as long as its force, and as thick as
it is long, so that small forces are small.
"""

from collections.abc import Sequence

import numpy as np

from cable_sim.cranes.crane import Crane
from cable_sim.machine.pictures.frame import Frame
from cable_sim.rendering import meshes
from cable_sim.rendering.bodies import Array, Extent
from cable_sim.rendering.ground import round_down
from cable_sim.rendering.meshes import Faces, Mesh, Points
from cable_sim.sim.readings.views import Contact
from cable_sim.spec.scene import GRAVITY

NORMAL_COLOR = (0.85, 0.12, 0.10)
FRICTION_COLOR = (0.10, 0.35, 0.90)
"""Colours of normal forces and of friction."""
SHARE = 0.3
"""Length of the arrow of the heaviest load's weight over the radius of the scene [-], about."""
SHAFT = 0.02
HEAD = 0.06, 0.75
"""Radius of the shaft, and radius and begin of the head, over the length of an arrow [-]."""
SIDES = 8


def newtons_per_metre(crane: Crane, extent: Extent) -> float:
    """Return the force of an arrow of one metre [N]: one, two or five times a power of ten.

    It fits the weight of the heaviest load that hangs, or else of all bodies that move.
    """
    moved = [body for body in crane.scene.bodies if body.motion == "dynamic"]
    loads = {hung.load for hung in crane.suspensions}
    masses = [body.mass for body in moved if body.name in loads] or [body.mass for body in moved]
    return round_down(max(masses, default=1.0) * GRAVITY / (SHARE * extent.radius))


def arrows_of(contacts: Sequence[Contact], scale: float) -> Array:
    """Return arrows (n, 9) of a scale [N/m]: begin and way [m], and colour.

    Arrows that are not finite are left out.
    """
    found = [np.zeros((0, 9))]
    for contact in contacts:
        along = np.einsum("ij,ij->i", contact.force, contact.normal)
        pressing = -along[:, None] * contact.normal
        for force, color in ((pressing, NORMAL_COLOR), (-contact.force - pressing, FRICTION_COLOR)):
            look = np.tile(color, (len(force), 1))
            found.append(np.hstack([contact.position, force / scale, look]))
    arrows = np.concatenate(found)
    return arrows[np.isfinite(arrows).all(axis=1)]


def unit_arrow() -> tuple[Points, Faces]:
    """Return an arrow of one metre along z, with its begin at the origin."""
    radius, neck = HEAD
    return meshes.revolve([(SHAFT, 0.0), (SHAFT, neck), (radius, neck), (1e-3 * SHAFT, 1.0)], SIDES)


def arrow_mesh(arrows: Array) -> Mesh:
    """Return arrows of :func:`arrows_of` as one mesh."""
    points, faces = unit_arrow()
    turns = meshes.quaternions_from_z(arrows[:, 3:6])
    lengths = np.linalg.norm(arrows[:, 3:6], axis=1)
    return meshes.merge(
        meshes.place_mesh((length * points, faces), arrow[6:], arrow[:3], turn)
        for arrow, turn, length in zip(arrows, turns, lengths, strict=True)
        if length > 0.0
    )


class ContactArrows:
    """Arrows of a crane's frames, at the scale [N/m] that fits it."""

    def __init__(self, crane: Crane, extent: Extent) -> None:
        self.scale = newtons_per_metre(crane, extent)

    @property
    def legend(self) -> str:
        """The scale in words."""
        unit, size = ("kN", 1e3) if self.scale >= 1e3 else ("N", 1.0)
        return f"1 m = {self.scale / size:g} {unit}"

    def of(self, frame: Frame) -> Array:
        """Return the arrows of a frame."""
        return arrows_of(frame.contacts, self.scale)
