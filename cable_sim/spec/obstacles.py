"""Solids that cables run over and boxes touch."""

from typing import Annotated, Literal

from pydantic import Field, StrictBool

from cable_sim.spec.quantities import WORLD, Many, Name, NonNegative, Quaternion, Vector, spec
from cable_sim.spec.shapes.shapes import Box, Cylinder, Heightfield, Mesh, Polyhedron

Solid = Annotated[Box | Cylinder | Polyhedron | Mesh | Heightfield, Field(discriminator="kind")]


@spec
class Obstacle:
    """A solid on a body or in the world, for cables that name it in ``touches``, or for all.

    It stops the bodies that carry ends or eyes of these cables, and those in ``stops``, with their
    shapes. Ends and eyes keep off by the radius of the rope, too. Not its own body, nor one that a
    joint connects with that, nor a pair that is in the scene's ``contacts``. Of a body whose shape
    overlaps the obstacle at the start only the ends and eyes are stopped, which is a
    CableSimWarning.

    One that is a box may also be touched by other boxes: see :class:`~cable_sim.spec.BoxContact`.

    Parameters
    ----------
    name: unique name.
    shape: box, cylinder, convex polyhedron, mesh of any shape from a file, or heightfield.
    body: that carries it.
    position, orientation: of the shape in the body's frame [m], (w, x, y, z).
    color: red, green, blue in 0...1.
    friction: Coulomb's mu of cables on it [-]; those that are driven or push slide without.
    ropes: ``all`` has every cable of the scene touch it that has no node on its body, as if each
        named it in its ``touches``; a cable that can't is a CableSimWarning.
    stops_bodies: False lets bodies that carry ends or eyes of cables into it. An end inside is told
        by the status.
    stops: names of bodies that it stops beside those, whether or not they carry cables; each has
        to have a shape.
    body_friction: Coulomb's mu of these bodies on it [-].
    drawn: False for one that visuals show.
    """

    name: Name
    shape: Solid
    body: str = WORLD
    position: Vector = (0.0, 0.0, 0.0)
    orientation: Quaternion = (1.0, 0.0, 0.0, 0.0)
    color: Vector = (0.60, 0.55, 0.48)
    friction: NonNegative = 0.0
    ropes: Literal["named", "all"] = "named"
    stops_bodies: StrictBool = True
    stops: Many[Name] = ()
    body_friction: NonNegative = 0.4
    drawn: StrictBool = True
