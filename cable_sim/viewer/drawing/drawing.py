"""The scene's bodies on the page: their meshes are sent once, then only poses."""

from collections.abc import Callable, Coroutine, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cable_sim.machine.pictures.frame import Frame
from cable_sim.rendering import meshes
from cable_sim.rendering.bodies import (
    DRAWN_RADIUS,
    body_meshes,
    contact_shapes,
    pose_of,
    visual_meshes,
)
from cable_sim.rendering.meshes import Mesh
from cable_sim.spec import Scene, Visual
from cable_sim.viewer.drawing.environment import DOME, SKY
from cable_sim.viewer.drawing.glb import to_glb

SHAPES = "/shapes"
"""Node above the shapes of contact in the tree of the page; hiding it hides them."""
FAR = 8.0
"""Distance from the origin, in radii of the scene, to which only a backdrop reaches.

A sea or quay to the horizon casts no shadow, nor does any face that is larger than the scene's
radius squared: on so large a face its own would be a grain.
"""
HAZE = ((0.99 * DOME, 1.0), (5.0, 0.8), (1.5, 0.0))
HAZE_SIDES = 48
"""Radii, in radii of the scene, and opacities of the haze over a backdrop; sides of its rings."""
STILL = 5e-4
"""Largest motion [m, and per unit quaternion] of a body that is not sent again: it is invisible."""


class Bodies:
    """The bodies in a viser scene, each a batch of one.

    The page moves batches in the same picture as the ropes, which are a batch too. It moves single
    meshes one picture earlier.

    Parameters
    ----------
    api: scene of a viser server.
    scene: what to draw.
    scale: units of the page per metre.
    """

    def __init__(self, api: Any, scene: Scene, scale: float) -> None:
        self._api = api
        self._scene = scene
        self._scale = scale
        self._handles: dict[str, Any] = {}
        self._sent: dict[str, NDArray[np.float64]] = {}
        self._visuals: tuple[Visual, ...] = ()
        self._others: dict[str, Mesh] = {}
        for name, mesh in body_meshes(scene).items():
            near, far = split(mesh, FAR * DRAWN_RADIUS / scale)
            if len(near.faces):
                self._add(name, near, *pose_of(scene, name))
            if len(far.faces):
                self._batch(f"/backdrop/{name}", far, *pose_of(scene, name), shadow=False)
            if np.abs(scale * far.vertices).max(initial=0.0) > FAR * DRAWN_RADIUS:
                haze = to_glb(haze_over(scale * far.vertices), unlit=True)
                api.add_glb(f"/haze/{name}", haze, cast_shadow=False, receive_shadow=False)
        self._shapes: dict[str, Any] = {}
        for name, mesh in visual_meshes(contact_shapes(scene)).items():
            pose = pose_of(scene, name)
            self._shapes[name] = self._batch(f"{SHAPES}/{name}", mesh, *pose)
            self._sent[name] = np.concatenate(pose)

    def _add(self, name: str, mesh: Mesh, position: Any, orientation: Any) -> None:
        """Add a body, whose name has letters, digits and underscores."""
        self._handles[name] = self._batch(f"/bodies/{name}", mesh, position, orientation)
        self._sent[name] = np.concatenate([position, orientation])

    def _batch(
        self, name: str, mesh: Mesh, position: Any, orientation: Any, shadow: bool = True
    ) -> Any:
        """Add a mesh as a batch of one."""
        return self._api.add_batched_glb(
            name,
            to_glb(mesh._replace(vertices=self._scale * mesh.vertices)),
            _instance_row(orientation),
            _instance_row(self._scale * position),
            lod="off",
            cast_shadow=shadow,
        )

    def _replace_others(self, frame: Frame) -> None:
        """Draw the bodies that are not in the scene, and no longer those that have gone."""
        wanted = visual_meshes(frame.visuals)
        for name in self._others:
            self._handles.pop(name).remove()
        for name, mesh in wanted.items():
            self._add(name, mesh, *frame.poses[name])
        self._others = wanted
        self._visuals = frame.visuals

    def on_drag(
        self, names: Iterable[str], action: Callable[[str, Any], Coroutine[Any, Any, None]]
    ) -> None:
        """Call ``action(body, event)`` when a page drags one of the bodies with Ctrl or Cmd."""
        for name in names:
            if name in self._handles:
                dragged = self._handles[name].on_drag("left", modifier="cmd/ctrl")
                dragged(_bound(action, name))

    def update(self, frame: Frame) -> int:
        """Send the poses of moved bodies; return their number."""
        moved = 0
        if frame.visuals is not self._visuals:
            self._replace_others(frame)
        aims = {aim.name: pose_of(self._scene, aim.name, frame.poses) for aim in self._scene.aims}
        for name, (position, orientation) in (*frame.poses.items(), *aims.items()):
            handles = [each[name] for each in (self._handles, self._shapes) if name in each]
            if not handles:
                continue
            pose = np.concatenate([position, orientation])
            change = np.abs(pose - self._sent[name])
            if change.max() < STILL or not np.isfinite(pose).all():
                continue
            for handle in handles:
                handle.batched_positions = _instance_row(self._scale * pose[:3])
                if change[3:].max() > 0.0:
                    handle.batched_wxyzs = _instance_row(pose[3:])
            self._sent[name] = pose
            moved += 1
        return moved


def split(mesh: Mesh, away: float) -> tuple[Mesh, Mesh]:
    """Return the faces within a distance of the origin [m], and those that are of a backdrop."""
    first, second, third = mesh.vertices[mesh.faces.T]
    twice = np.linalg.norm(np.cross(second - first, third - first), axis=1)
    outside = np.any(np.abs(mesh.vertices) > away, axis=1)
    far = outside[mesh.faces].any(axis=1) | (twice > (away / FAR) ** 2)
    return _part(mesh, mesh.faces[~far]), _part(mesh, mesh.faces[far])


def haze_over(vertices: NDArray[np.float64]) -> Mesh:
    """Return a flat disc on a backdrop, in units of the page, which fades it into the sky."""
    level = float(vertices[:, 2].max())
    disc = meshes.lathe([(DRAWN_RADIUS * away, level) for away, _ in HAZE], HAZE_SIDES)
    colors = [(*SKY[0][1], opacity) for _, opacity in HAZE]
    return Mesh(*disc, np.repeat(colors, HAZE_SIDES, axis=0))


def _part(mesh: Mesh, faces: NDArray[np.int64]) -> Mesh:
    """Return some faces of a mesh with the vertices that they have."""
    kept, numbers = np.unique(faces, return_inverse=True)
    return Mesh(mesh.vertices[kept], numbers.reshape(faces.shape), mesh.colors[kept])


def _bound(
    action: Callable[[str, Any], Coroutine[Any, Any, None]], name: str
) -> Callable[[Any], Coroutine[Any, Any, None]]:
    """Return the action on one body as a coroutine function: viser runs only these in order."""

    async def act(event: Any) -> None:
        await action(name, event)

    return act


def _instance_row(values: Any) -> NDArray[np.float32]:
    """Return the row of one instance."""
    return np.asarray(values, dtype=np.float32)[None]
