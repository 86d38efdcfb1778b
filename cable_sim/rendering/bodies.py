"""The scene's bodies as meshes, one merged mesh per body, and their extent."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.cranes.crane import Crane
from cable_sim.model.collision.contacts import is_met
from cable_sim.rendering import meshes
from cable_sim.rendering.meshes import Mesh
from cable_sim.spec import Aim, Cable, Drum, Scene, Segments, Sheave, Surface, Visual, Wheel
from cable_sim.spec.quantities import WORLD

Array = NDArray[np.float64]
Poses = Mapping[str, tuple[Any, Any]]
STEEL = (0.40, 0.43, 0.48)
"""Colour of sheaves and drums."""
CONTACT = (0.85, 0.15, 0.55)
"""Colour of shapes of contact."""
DRAWN_RADIUS = 3.0
"""Radius of every scene in units of the page.

The page casts shadows up to 20 of its units from the camera, so a crane is drawn as a scale model.
"""
BELOW = 0.5
"""Depth of the backdrop below a scene without any surface, in radii of the scene.

What has a quay or platforms, and no endless ground, stands on the backdrop.
"""


NONE = np.zeros((0, 3))
BACKDROP = 20.0
"""Width of a scene over that of its bodies and cables [-] beyond which the world is a backdrop."""
SURROUNDINGS = 1.5
"""Radius of a scene over that of its crane [-] from which a first view fits the crane alone."""


class Extent(NamedTuple):
    """Bounds of a picture's contents [m]: corners (n, 3), centre, radius, height of the ground.

    The height is that of the backdrop in a scene without a ground.
    """

    corners: NDArray[np.float64]
    center: NDArray[np.float64]
    radius: float
    ground: float

    @property
    def scale(self) -> float:
        """Units of the page per metre."""
        return DRAWN_RADIUS / self.radius


def body_meshes(scene: Scene, lattices: bool = True) -> dict[str, Mesh]:
    """Return one mesh per name of a body or aim (and ``world``) in its frame.

    Bodies without an appearance are left out. Without ``lattices``, the bars of
    :class:`~cable_sim.spec.Segments` are left out too: :func:`lattice_bars` returns them.
    """
    bodies = [body.name for body in scene.bodies]
    aims = [aim.name for aim in scene.aims]
    parts: dict[str, list[Mesh]] = {name: [] for name in (WORLD, *bodies, *aims)}
    for body in scene.bodies:
        if body.shape is not None and body.drawn:
            mesh = meshes.place_mesh(meshes.shape_mesh(body.shape), body.color)
            parts[body.name].append(mesh)
    for visual in scene.drawn:
        if lattices or not isinstance(visual.shape, Segments):
            parts[visual.body].append(_visual_mesh(visual))
    for name, mesh in wheel_meshes(scene.cables):
        parts[name].append(mesh)
    parts[WORLD] += [slab for surface in scene.surfaces if (slab := _platform(surface)) is not None]
    whole = {name: meshes.merge(listed) for name, listed in parts.items()}
    return {name: mesh for name, mesh in whole.items() if len(mesh.vertices)}


def visual_meshes(visuals: tuple[Visual, ...]) -> dict[str, Mesh]:
    """Return one mesh per body name of the visuals, in that body's frame."""
    parts: dict[str, list[Mesh]] = {}
    for visual in visuals:
        parts.setdefault(visual.body, []).append(_visual_mesh(visual))
    return {name: meshes.merge(listed) for name, listed in parts.items()}


def contact_shapes(scene: Scene) -> tuple[Visual, ...]:
    """Return the shapes with which all touches all in a scene with a ``collision``."""
    if scene.collision is None:
        return ()
    bodies = (
        Visual(b.name, b.shape, b.name, color=CONTACT)
        for b in scene.bodies
        if b.shape and is_met(b)
    )
    solids = (
        Visual(o.name, o.shape, o.body, o.position, o.orientation, CONTACT)
        for o in scene.obstacles
        if is_met(o)
    )
    return (*bodies, *solids)


def _visual_mesh(visual: Visual) -> Mesh:
    """Return the mesh of a visual in its body's frame."""
    return meshes.place_mesh(
        meshes.shape_mesh(visual.shape),
        visual.color,
        visual.position,
        visual.orientation,
        visual.opacity,
    )


class Bars(NamedTuple):
    """Straight bars: their ends (n, 2, 3) [m], radii (n,) [m] and colours (n, 3) in 0...1."""

    ends: Array
    radii: Array
    colors: Array


NO_BARS = Bars(np.zeros((0, 2, 3)), np.zeros(0), np.zeros((0, 3)))


def lattice_bars(scene: Scene) -> dict[str, Bars]:
    """Return the bars of the lattices by body, in its frame.

    They are for pictures in which a bar may be thinner than a pixel.
    """
    found: dict[str, list[Bars]] = {}
    for visual in scene.drawn:
        if isinstance(visual.shape, Segments):
            turn = meshes.rotation_matrix(visual.orientation)
            ends = np.array(visual.shape.ends).reshape(-1, 2, 3) @ turn.T + np.array(
                visual.position
            )
            count = len(ends)
            bars = Bars(
                ends,
                np.full(count, visual.shape.radius),
                np.tile(np.array(visual.color), (count, 1)),
            )
            found.setdefault(visual.body, []).append(bars)
    return {
        name: Bars(*(np.concatenate(part) for part in zip(*bars, strict=True)))
        for name, bars in found.items()
    }


def wheel_meshes(cables: Sequence[Cable]) -> list[tuple[str, Mesh]]:
    """Return sheaves and drums of the cables as (body name, mesh).

    A wheel that two cables share is drawn once.
    """
    seen = set()
    wheels = []
    for cable in cables:
        for node in cable.nodes:
            if not isinstance(node, (Sheave, Wheel, Drum)):
                continue
            key = (node.kind, node.body, node.position, node.radius, node.axis)
            if key in seen:
                continue
            seen.add(key)
            if not isinstance(node, Drum):
                width = float(np.clip(4.0 * cable.diameter, 0.2 * node.radius, 0.5 * node.radius))
                shape = meshes.wheel(node.radius, width)
            else:
                shape = meshes.drum(node.radius)
            turn = meshes.quaternions_from_z(node.axis)
            wheels.append((node.body, meshes.place_mesh(shape, STEEL, node.position, turn)))
    return wheels


def extent(scene: Scene) -> Extent:
    """Return the extent of drawn bodies and cable nodes."""
    return extent_around(scene, *_drawn_points(scene))


def crane_extent(crane: Crane) -> Extent:
    """Return the extent of a crane as it stands; its corners leave out wide surroundings.

    So the first view fits the crane with the ground below it, and not all of its quay. Nothing is
    left out of a machine without a suspension.
    """
    scene = crane.scene
    moving, world = _drawn_points(scene)
    whole = extent_around(scene, moving, world)
    ground = ground_height(scene)
    if ground is not None:
        below = moving.copy()
        below[:, 2] = ground
        moving = np.concatenate([moving, below])
    wide = whole.radius > SURROUNDINGS * extent_around(scene, moving).radius
    return whole._replace(corners=moving) if wide and crane.suspension else whole


def _drawn_points(scene: Scene) -> tuple[Array, Array]:
    """Return the corners of drawn bodies with the cables' nodes, and those of the world [m]."""
    drawn = body_meshes(scene)
    world = take_world(scene, drawn)
    nodes = (node_places(scene, cable) for cable in scene.cables)
    return np.concatenate([corners(scene, drawn, None), *nodes]), world


def corners(scene: Scene, drawn: Mapping[str, Mesh], poses: Poses | None) -> Array:
    """Return the corners (n, 3) [m] of the boxes around the meshes of :func:`body_meshes`.

    ``poses`` are as in :func:`pose_of`.
    """
    points = [np.zeros((0, 3))]
    for name, mesh in drawn.items():
        position, orientation = pose_of(scene, name, poses)
        low = mesh.vertices.min(axis=0)
        high = mesh.vertices.max(axis=0)
        box = np.array(list(product(*zip(low, high, strict=True))))
        points.append(box @ meshes.rotation_matrix(orientation).T + position)
    return np.concatenate(points)


def take_world(scene: Scene, drawn: dict[str, Mesh]) -> Array:
    """Take the world's mesh out of those drawn, and return its corners (n, 3) [m], if any."""
    mesh = drawn.pop(WORLD, None)
    return NONE if mesh is None else corners(scene, {WORLD: mesh}, None)


def extent_around(scene: Scene, points: Array, world: Array = NONE) -> Extent:
    """Return the extent of points (n, 3) [m] of a scene, or of a default region without points.

    ``world`` (m, 3) are those of what the world shows [m]. A backdrop, such as a sea to the
    horizon, counts for its depth only.
    """
    whole = np.concatenate([points, world])
    if not len(whole):
        whole = np.array([[-5.0, -5.0, 0.0], [5.0, 5.0, 5.0]])
    depth = whole[:, 2].min()
    if len(points) and np.ptp(whole, axis=0).max() > BACKDROP * np.ptp(points, axis=0).max():
        whole = points
    low = whole.min(axis=0)
    high = whole.max(axis=0)
    radius = max(0.5 * float(np.linalg.norm(high - low)), 1e-3)
    ground = ground_height(scene)
    if ground is None:
        ground = depth - (0.0 if scene.surfaces else BELOW * radius)
    return Extent(whole, 0.5 * (low + high), radius, ground)


def ground_height(scene: Scene) -> float | None:
    """Return the height [m] of the first endless level surface, or of a cable's ground, or None."""
    for surface in scene.surfaces:
        if is_level(surface) and not np.isfinite(surface.extent[0]):
            return surface.point[2]
    grounds = (cable.model.ground for cable in scene.cables)
    return next((ground.point[2] for ground in grounds if ground), None)


def pose_of(scene: Scene, name: str, poses: Poses | None = None) -> tuple[Any, Any]:
    """Return position [m] and orientation (w, x, y, z) of a body, an aim, or the world.

    They come from ``poses`` or else from the scene.
    """
    if name == WORLD:
        return np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    if poses is not None and name in poses:
        return poses[name]
    aim = next((aim for aim in scene.aims if aim.name == name), None)
    if aim is not None:
        return pose_of_aim(aim, {own: pose_of(scene, own, poses) for own in (aim.body, aim.at)})
    body = next(body for body in scene.bodies if body.name == name)
    return np.array(body.position), np.array(body.orientation)


def pose_of_aim(aim: Aim, poses: Poses) -> tuple[Any, Any]:
    """Return position [m] and orientation (w, x, y, z) of an aim, for poses of its bodies."""
    start, end = (
        meshes.rotation_matrix(poses[body][1]) @ point + poses[body][0]
        for body, point in ((aim.body, aim.position), (aim.at, aim.point))
    )
    return start, meshes.quaternions_from_z(end - start)


def node_places(scene: Scene, cable: Cable, poses: Poses | None = None) -> Array:
    """Return the positions (n, 3) [m] of a cable's nodes on their bodies, at those poses."""
    at = [(node.position, *pose_of(scene, node.body, poses)) for node in cable.nodes]
    return np.array([meshes.rotation_matrix(turn) @ point + place for point, place, turn in at])


def is_level(surface: Surface) -> bool:
    """Return True if the surface faces straight up."""
    x, y, z = surface.normal
    return z > 0.0 and abs(x) + abs(y) < 1e-9 * z


def _platform(surface: Surface) -> Mesh | None:
    """Return a rectangular surface as a slab below it; None for an endless one, the backdrop's."""
    if not np.isfinite(surface.extent[0]):
        return None
    normal = np.array(surface.normal) / np.linalg.norm(surface.normal)
    thickness = min(surface.thickness, 0.3)
    # The half lengths are those of the projection on the ground: along the slope they are longer.
    tilt_x = np.hypot(1.0, normal[0] / normal[2]) if normal[2] > 0.1 else 1.0
    tilt_y = np.hypot(1.0, normal[1] / normal[2]) if normal[2] > 0.1 else 1.0
    slab = meshes.box(2.0 * surface.extent[0] * tilt_x, 2.0 * surface.extent[1] * tilt_y, thickness)
    position = np.array(surface.point) - 0.5 * thickness * normal
    return meshes.place_mesh(slab, surface.color, position, meshes.quaternions_from_z(normal))
