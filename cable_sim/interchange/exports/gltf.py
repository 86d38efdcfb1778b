"""Pictures of scenes as binary glTF: a node for each body, by its name, and one for each rope.

glTF has its y axis up. So a point (x, y, z) of the world is (x, z, -y) there; below the node
``world`` all is as here.
"""

from typing import Any

import numpy as np
import trimesh
from transforms3d.affines import compose
from transforms3d.quaternions import quat2mat

from cable_sim.rendering import meshes
from cable_sim.rendering.bodies import body_meshes, pose_of
from cable_sim.sim.simulator import Simulator
from cable_sim.spec import Scene
from cable_sim.spec.quantities import WORLD

UPRIGHT = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]], dtype=float)
"""Turns the z axis to the y axis."""


def glb_of(scene: Scene, ropes: bool = True) -> bytes:
    """Return the bytes of a ``.glb`` file of a scene at its start, with its ropes or without."""
    made = trimesh.Scene(base_frame="root")
    made.graph.update(frame_from="root", frame_to=WORLD, matrix=UPRIGHT)
    for name, mesh in body_meshes(scene).items():
        position, orientation = pose_of(scene, name)
        place = compose(position, quat2mat(orientation), np.ones(3))
        _add(made, f"{name}_solids" if name == WORLD else name, mesh, place)
    if ropes:
        _add_ropes(made, scene)
    return bytes(made.export(file_type="glb"))


def _add_ropes(made: Any, scene: Scene) -> None:
    """Add the ropes of a scene at its start."""
    seen = Simulator(scene).observe()
    for cable in scene.cables:
        curve = seen.cable(cable.name).curve
        tube = meshes.bars(curve[:-1], curve[1:], 0.5 * cable.diameter)
        _add(made, cable.name, meshes.place_mesh(tube, cable.color), np.eye(4))


def _add(made: Any, name: str, mesh: meshes.Mesh, place: Any) -> None:
    """Add a mesh at a place (4, 4) in the world, if it has triangles."""
    if len(mesh.faces):
        colors = np.round(255.0 * mesh.colors).astype(np.uint8)
        solid = trimesh.Trimesh(mesh.vertices, mesh.faces, vertex_colors=colors, process=False)
        made.add_geometry(
            solid, node_name=name, geom_name=name, parent_node_name=WORLD, transform=place
        )
