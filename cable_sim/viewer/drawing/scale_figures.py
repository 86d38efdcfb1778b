"""A person, a lorry and a house on the site, from which an eye takes the scale of a crane."""

import numpy as np

from cable_sim.cranes.crane import Crane
from cable_sim.rendering import meshes
from cable_sim.rendering.bodies import (
    Array,
    Extent,
    body_meshes,
    corners,
    is_level,
    pose_of,
    visual_meshes,
)
from cable_sim.rendering.camera import OBLIQUE, Camera, overview_camera
from cable_sim.rendering.meshes import Mesh
from cable_sim.spec import Scene, Visual

Bounds = tuple[Array, Array]
RIGHT = np.array([OBLIQUE[1], -OBLIQUE[0]]) / np.hypot(*OBLIQUE[:2])
NEARER = np.array([RIGHT[1], -RIGHT[0]])
"""Directions in plan of the first view: to its right, and towards its eye."""
LEAST_RADIUS = 5.0
"""Radius of a scene [m] from which a person gives the scale; a smaller one is that of a model."""
PERSON = ((0.14, 0.0), (0.19, 0.9), (0.26, 1.4), (0.08, 1.5), (0.11, 1.63), (0.06, 1.75))
"""Outline of a person for scale: radii and heights [m]."""
ORANGE = (0.95, 0.42, 0.05)
PLASTER = (0.88, 0.84, 0.76)
TILES = (0.55, 0.25, 0.18)
PANE = (0.25, 0.33, 0.42)
ONTO_Y = (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)
LORRY = (
    ((2.2, 2.5, 2.4), (3.4, 0.0, 1.85), (0.20, 0.35, 0.55)),
    ((0.1, 2.1, 0.9), (4.52, 0.0, 2.35), (0.10, 0.12, 0.15)),
    ((6.4, 2.5, 0.2), (-1.2, 0.0, 1.15), (0.45, 0.46, 0.48)),
    ((6.4, 0.08, 0.5), (-1.2, 1.21, 1.5), (0.45, 0.46, 0.48)),
    ((6.4, 0.08, 0.5), (-1.2, -1.21, 1.5), (0.45, 0.46, 0.48)),
    ((8.4, 0.9, 0.3), (0.0, 0.0, 0.9), (0.15, 0.15, 0.16)),
)
"""Boxes of a flat-bed lorry, 9 m long: edge lengths [m], place [m], colour. It faces x."""
WHEELS = (3.3, -1.9, -3.2)
"""Places of its axles [m]; its wheels have a radius of 0.5 m."""
WALLS = (10.0, 8.0, 5.5)
"""Length, width and height [m] of the walls of a house of two storeys."""
RIDGE = 8.5
"""Height of its ridge [m]."""
ASIDE = 2.0
"""Distance of the person from the load [m]."""
BEHIND = 25.0
"""Least distance [m] of the house behind the middle: nearer it would dwarf a small crane."""
UPRIGHT = 75, 100
"""Width and height of a view that is as narrow as a phone's, over its height."""
AROUND = np.array([(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, -1.0, 0.0)])
"""Points on the rim of a circle of radius 1."""
HEADROOM = 12.0
"""Height [m] above which a part of the crane is in nobody's way, nor in that of a ridge."""


def scale_figures(crane: Crane, extent: Extent) -> dict[str, Mesh]:
    """Return the figures that have room, by name, in units of the page.

    The extent is one of :func:`frame_person`.
    There are none where no level surface is, on a sea that moves a crane, and beside a model.
    The lorry stands beside the load, the house behind the crane and not behind the load. A place
    that the first view has whole goes before others.
    """
    foot = standing_place(crane, extent)
    if foot is None:
        return {}
    person = meshes.place_mesh(meshes.revolve(PERSON, 12), ORANGE)
    found = {"person": _place(person, foot, extent)}
    beside = [
        foot[:2] + way * RIGHT - far * NEARER
        for far in (0.0, 14.0, -10.0)
        for way in (9.0, -9.0, 16.0, -16.0, 25.0, -25.0)
    ]
    across = -_side(foot[:2], extent) * extent.radius * RIGHT
    behind = [
        extent.center[:2] + side * across - max(far * extent.radius, BEHIND) * NEARER
        for far in (0.8, 1.1, 0.4)
        for side in (0.5, -0.5, 0.9, -0.9)
    ]
    obstacles = _obstacles(crane.scene, foot[2])
    eye = overview_camera(extent, *UPRIGHT)
    for name, make, radius, places in (
        ("lorry", _lorry, 5.0, beside),
        ("house", _house, 7.0, behind),
    ):
        rims = [np.append(place, foot[2]) + radius * AROUND for place in places]
        rims.sort(key=lambda rim: not _is_framed(eye, rim))
        free = (rim for rim in rims if _is_free(crane.scene, obstacles, rim))
        rim = next(free, None)
        if rim is not None:
            found[name] = _place(make(), rim.mean(axis=0), extent)
    return found


def frame_person(crane: Crane, extent: Extent) -> Extent:
    """Return an extent whose first view shows the person as well, from foot to head."""
    foot = standing_place(crane, extent)
    if foot is None:
        return extent
    head = foot + [0.0, 0.0, PERSON[-1][1]]
    if (extent.corners == head).all(axis=1).any():
        return extent
    return extent._replace(corners=np.vstack([extent.corners, foot, head]))


def standing_place(crane: Crane, extent: Extent) -> Array | None:
    """Return the place (3,) [m] of a person in front of the load, where the first view has both.

    That is on the load's side away from the crane's middle, where no part of the crane hides it.
    """
    scene = crane.scene
    load = body_meshes(scene).get(crane.watched)
    if load is None or crane.suspension is None or scene.motions or extent.radius < LEAST_RADIUS:
        return None
    away = float(np.abs(load.vertices[:, :2]).max()) + ASIDE
    place = pose_of(scene, crane.watched)[0][:2]
    plan = place + away * (NEARER + _side(place, extent) * RIGHT)
    level = _level(scene, plan)
    return None if level is None else np.append(plan, level)


def _side(place: Array, extent: Extent) -> float:
    """Return 1 if a place is to the right of the scene's middle in the first view, else -1."""
    return 1.0 if (place - extent.center[:2]) @ RIGHT > 0.0 else -1.0


def _level(scene: Scene, plan: Array) -> float | None:
    """Return the height [m] of the highest level surface at a place in plan, or None."""
    return max(
        (
            surface.point[2]
            for surface in scene.surfaces
            if is_level(surface) and (np.abs(plan - surface.point[:2]) <= surface.extent).all()
        ),
        default=None,
    )


def _obstacles(scene: Scene, level: float) -> list[Bounds]:
    """Return the bounds (2,) [m] in plan of all that stands near the ground."""
    bodies = (Visual(b.name, b.shape, b.name) for b in scene.bodies if b.shape and b.drawn)
    boxes = [corners(scene, visual_meshes((visual,)), None) for visual in (*scene.drawn, *bodies)]
    return [
        (box[:, :2].min(axis=0), box[:, :2].max(axis=0))
        for box in boxes
        if box[:, 2].min() < level + HEADROOM and box[:, 2].max() > level + 0.1
    ]


def _is_framed(eye: Camera, points: Array) -> bool:
    """Return True if points (n, 3) [m] are between the left and the right edge of a view."""
    across = eye.project(points)[:, 0]
    return bool((across > 0.0).all() and (across < eye.width).all())


def _is_free(scene: Scene, obstacles: list[Bounds], rim: Array) -> bool:
    """Return True if a circle through four points stands on one surface, and on nothing else."""
    if any(_level(scene, point[:2]) != point[2] for point in rim):
        return False
    first, last = rim[:, :2].min(axis=0), rim[:, :2].max(axis=0)
    return not any((last > low).all() and (first < high).all() for low, high in obstacles)


def _lorry() -> Mesh:
    boxes = [meshes.place_mesh(meshes.box(*size), color, place) for size, place, color in LORRY]
    wheels = [
        meshes.place_mesh(meshes.cylinder(0.5, 0.35), (0.1, 0.1, 0.1), (x, y, 0.5), ONTO_Y)
        for x in WHEELS
        for y in (-1.05, 1.05)
    ]
    return meshes.merge([*boxes, *wheels])


def _house() -> Mesh:
    length, width, height = WALLS
    walls = meshes.place_mesh(meshes.box(*WALLS), PLASTER, (0, 0, 0.5 * height))
    half = 0.5 * np.array([length + 0.6, width + 1.0])
    eaves = [[x, y, height] for x in (-half[0], half[0]) for y in (-half[1], half[1])]
    ridge = [[-half[0], 0.0, RIDGE], [half[0], 0.0, RIDGE]]
    faces = np.array([(0, 2, 5), (0, 5, 4), (1, 5, 3), (1, 4, 5), (0, 4, 1), (2, 3, 5)])
    roof = meshes.place_mesh((np.array(eaves + ridge), faces), TILES)
    panes = [
        meshes.place_mesh(meshes.box(1.1, width + 0.04, 1.3), PANE, (x, 0, z))
        for x in (-3.5, 0.0, 3.5)
        for z in (1.5, 4.2)
    ]
    return meshes.merge([walls, roof, *panes])


def _place(mesh: Mesh, foot: Array, extent: Extent) -> Mesh:
    """Return a figure at its foot [m], in units of the page."""
    return mesh._replace(vertices=extent.scale * (mesh.vertices + foot))
