"""Specs of users: frozen, named, in SI units, free of indices and of any numerical method."""

from cable_sim.spec.air import Air, Drag
from cable_sim.spec.beams import Beam
from cable_sim.spec.bodies import Body
from cable_sim.spec.boxes import BoxContact, neighbours
from cable_sim.spec.cables.cables import Cable
from cable_sim.spec.cables.elevation import Elevation
from cable_sim.spec.cables.ground import Ground
from cable_sim.spec.cables.hybrid import Hybrid
from cable_sim.spec.cables.lumped import Lumped
from cable_sim.spec.cables.nodes import Anchor, Drum, Eye, Loose, Sheave, Wheel
from cable_sim.spec.cables.ropes import Rope
from cable_sim.spec.cables.winches import Layers, Winch
from cable_sim.spec.carriages import Carriage
from cable_sim.spec.collision import Collision, Touch
from cable_sim.spec.contacts import Surface
from cable_sim.spec.drives import Drive
from cable_sim.spec.joints import Joint
from cable_sim.spec.motions.motion_files import read_motion
from cable_sim.spec.motions.motions import Motion, Sine
from cable_sim.spec.motions.seas import Rao, Sea
from cable_sim.spec.obstacles import Obstacle
from cable_sim.spec.scene import Scene
from cable_sim.spec.shapes.shapes import (
    Box,
    Cylinder,
    Heightfield,
    Mesh,
    Polyhedron,
    Segments,
    Sphere,
)
from cable_sim.spec.visuals import Aim, Visual

__all__ = [
    "Aim",
    "Air",
    "Anchor",
    "Beam",
    "Body",
    "Box",
    "BoxContact",
    "Cable",
    "Carriage",
    "Collision",
    "Cylinder",
    "Drag",
    "Drive",
    "Drum",
    "Elevation",
    "Eye",
    "Ground",
    "Heightfield",
    "Hybrid",
    "Joint",
    "Layers",
    "Loose",
    "Lumped",
    "Mesh",
    "Motion",
    "Obstacle",
    "Polyhedron",
    "Rao",
    "Rope",
    "Scene",
    "Sea",
    "Segments",
    "Sheave",
    "Sine",
    "Sphere",
    "Surface",
    "Touch",
    "Visual",
    "Wheel",
    "Winch",
    "neighbours",
    "read_motion",
]
