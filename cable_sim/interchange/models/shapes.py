"""Shapes of a compiled model: what touches, what is drawn, and what stands under it.

A geom that can touch is an obstacle on its body, a plane is a surface, and one that can't is a
visual. Balls beside the centre of mass, capsules and ellipsoids are polyhedra of CORNERS corners,
meshes their convex hulls, as in MuJoCo.

*Friction.* MuJoCo takes the larger one of two geoms. In a ``Collision`` the later entry of
``things`` counts, so these are in ascending order above the least one; with a surface they need a
pair where the geom has more.

*Who touches whom.* Two geoms do if (contype of one) & (conaffinity of the other), unless a joint
connects their groups, or an ``exclude`` names their bodies.
"""

import math
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import numpy as np

from cable_sim.errors import SpecError
from cable_sim.interchange.models.bodies import Carriers
from cable_sim.interchange.models.source import HIDDEN, Array, Source
from cable_sim.spec import (
    Box,
    Collision,
    Cylinder,
    Heightfield,
    Mesh,
    Obstacle,
    Polyhedron,
    Surface,
    Touch,
    Visual,
)
from cable_sim.spec.quantities import WORLD
from cable_sim.spec.shapes.mesh_files import SUFFIXES, read_mesh
from cable_sim.spec.shapes.shapes import Shape
from cable_sim.spec.urdf_load import corners_of_hull

CORNERS = 60
"""Number of corners of a polyhedron in place of a round shape."""
GREY = (0.5, 0.5, 0.5, 1.0)
"""Colour of a geom that is given none; that of its material counts then."""
FLAT = 1e-4
"""Least thickness of what is drawn or touches, over its size [-]."""
Kind = mujoco.mjtGeom


class Shapes(NamedTuple):
    """Parts of a scene that the geoms of a model become."""

    obstacles: list[Obstacle]
    surfaces: list[Surface]
    visuals: list[Visual]
    collision: Collision | None


class _Geom(NamedTuple):
    """A geom that touches: its number, its name in the scene, and how it touches."""

    number: int
    name: str
    touch: Touch


def build_shapes(source: Source, carriers: Carriers, contact: bool) -> Shapes:
    """Return obstacles, surfaces, visuals and the collision of a model."""
    made = Shapes([], [], [], None)
    touching: list[_Geom] = []
    planes: list[_Geom] = []
    for g in range(source.model.ngeom):
        name = source.name("geom", g, f"{_link(source, g)}_geom_{g}")
        touches = contact and bool(_masks(source, g).any())
        if source.model.geom_type[g] == Kind.mjGEOM_PLANE:
            if _add_plane(source, carriers, g, name, made):
                planes.append(_Geom(g, name, _touch(source, g)))
            continue
        if _add_shape(source, carriers, g, name, touches, made) and touches:
            touching.append(_Geom(g, name, _touch(source, g)))
    if not touching:
        return made
    return made._replace(collision=_collision(source, carriers, touching, planes))


def _link(source: Source, g: int) -> str:
    """Return the name in the file of the link of a geom."""
    return source.given("body", int(source.model.geom_bodyid[g])) or "link"


def _masks(source: Source, g: int) -> Array:
    """Return contype and conaffinity of a geom."""
    model = source.model
    return np.array([model.geom_contype[g], model.geom_conaffinity[g]])


def _touch(source: Source, g: int) -> Touch:
    """Return how a geom touches."""
    slide, drill, roll = source.model.geom_friction[g].tolist()
    size = int(source.model.geom_condim[g])
    return Touch(
        friction=slide if size > 1 else 0.0,
        drilling=drill if size > 3 else 0.0,
        rolling=roll if size > 4 else 0.0,
    )


def _color(source: Source, g: int) -> list[float]:
    """Return red, green, blue and opacity of a geom."""
    model = source.model
    own = model.geom_rgba[g]
    material = int(model.geom_matid[g])
    if material >= 0 and np.allclose(own, GREY):
        own = model.mat_rgba[material]
    return list(map(float, np.clip(own, 0.0, 1.0)))


def _add_plane(source: Source, carriers: Carriers, g: int, name: str, made: Shapes) -> bool:
    """Add a plane of the world as a surface; return False if it is left out."""
    model, data = source.model, source.data
    if (
        carriers.name(int(model.geom_bodyid[g])) != WORLD
        and model.body_weldid[model.geom_bodyid[g]]
    ):
        source.note("geom", g, "is left out: planes stand in the world, this one moves")
        return False
    if not _masks(source, g).any():
        source.note("geom", g, "is left out: a plane that touches nothing")
        return False
    turn = data.geom_xmat[g].reshape(3, 3)
    across = np.abs(turn[:, :2]) @ model.geom_size[g][:2]
    ends = [extent if extent > 0.0 else math.inf for extent in across.tolist()[:2]]
    made.surfaces.append(
        Surface(
            name,
            data.geom_xpos[g].tolist(),
            turn[:, 2].tolist(),
            extent=(ends[0], ends[1]),
            friction=_touch(source, g).friction,
            color=_color(source, g)[:3],  # type: ignore[arg-type]
        )
    )
    return True


def _add_shape(
    source: Source, carriers: Carriers, g: int, name: str, touches: bool, made: Shapes
) -> bool:
    """Add a geom as an obstacle or a visual; return False if it is left out."""
    model, data = source.model, source.data
    *color, opacity = _color(source, g)
    drawn = bool(model.geom_group[g] < HIDDEN) and opacity > 0.0
    if not touches and not drawn:
        source.note("geom", g, "is left out: it touches nothing and is not shown")
        return False
    place = data.geom_xpos[g], data.geom_xmat[g].reshape(3, 3)
    b = int(model.geom_bodyid[g])
    shape: Shape | None = None if touches else _drawn_mesh(source, g)
    if shape is not None:
        turned, moved = _mesh_frame(source, g)
        place = place[0] + place[1] @ moved, place[1] @ turned
    try:
        shape = shape or _shape(source, g)
    except SpecError as error:
        source.note("geom", g, f"is left out: {error}")
        return False
    position, orientation = carriers.place(b, *place)
    fields: dict[str, Any] = {
        "body": carriers.name(b),
        "position": position,
        "orientation": orientation,
        "color": color,
    }
    if touches:
        made.obstacles.append(Obstacle(name, shape, drawn=drawn, **fields))  # type: ignore[arg-type]
    else:
        made.visuals.append(Visual(name, shape, opacity=opacity, **fields))
    return True


def _shape(source: Source, g: int) -> Shape:
    """Return the shape of a geom in its frame."""
    model = source.model
    kind = Kind(model.geom_type[g])
    x, y, z = model.geom_size[g].tolist()
    if kind == Kind.mjGEOM_BOX:
        return Box(2.0 * x, 2.0 * y, 2.0 * z)
    if kind == Kind.mjGEOM_CYLINDER:
        return Cylinder(x, 2.0 * y)
    if kind == Kind.mjGEOM_HFIELD:
        return _heights(source, int(model.geom_dataid[g]))
    if kind in (Kind.mjGEOM_MESH, Kind.mjGEOM_SDF):
        return _hull(source, g)
    axes = {Kind.mjGEOM_SPHERE: (x, x, x), Kind.mjGEOM_CAPSULE: (x, x, x)}.get(kind, (x, y, z))
    points = _ball() * axes
    if kind == Kind.mjGEOM_CAPSULE:
        points[:, 2] += np.where(points[:, 2] > 0.0, y, -y)
    return Polyhedron(tuple(map(tuple, points.tolist())))


def _ball() -> Array:
    """Return CORNERS points on a ball of radius 1, on a spiral, the same above and below."""
    i = np.arange(CORNERS // 2)
    z = 1.0 - (2.0 * i + 1.0) / CORNERS
    angle = i * np.pi * (3.0 - math.sqrt(5.0))
    ring = np.sqrt(1.0 - z * z)
    upper = np.column_stack([ring * np.cos(angle), ring * np.sin(angle), z])
    return np.concatenate([upper, -upper])


def _heights(source: Source, h: int) -> Heightfield:
    """Return a heightfield."""
    model = source.model
    first = int(model.hfield_adr[h])
    rows, columns = int(model.hfield_nrow[h]), int(model.hfield_ncol[h])
    x, y, top, bottom = model.hfield_size[h].tolist()
    table = top * model.hfield_data[first : first + rows * columns].reshape(rows, columns)
    return Heightfield(2.0 * x, 2.0 * y, tuple(map(tuple, table.tolist())), depth=bottom)


def _hull(source: Source, g: int) -> Polyhedron:
    """Return the convex hull of the mesh of a geom, or those of its corners that reach farthest."""
    model = source.model
    m = int(model.geom_dataid[g])
    first, count = int(model.mesh_vertadr[m]), int(model.mesh_vertnum[m])
    points = np.array(model.mesh_vert[first : first + count], dtype=float)
    corners = corners_of_hull(points)
    if corners is None:
        raise SpecError("all of its mesh lies in one plane")
    if not _masks(source, g).any():
        source.note("geom", g, "is drawn as the convex hull of its mesh")
    return Polyhedron(tuple(map(tuple, corners.tolist())))


def _drawn_mesh(source: Source, g: int) -> Mesh | None:
    """Return the mesh of a geom as its file has it, or None where a scene can't have that."""
    model = source.model
    m = int(model.geom_dataid[g])
    if model.geom_type[g] != Kind.mjGEOM_MESH or m < 0:
        return None
    scale = model.mesh_scale[m].tolist()
    spec = source.spec
    given = spec.meshes[m].file
    folders = (Path(spec.modelfiledir, spec.meshdir), Path(spec.modelfiledir))
    path = next((f / given for f in folders if given and (f / given).is_file()), None)
    if path is None or min(scale) != max(scale) or path.suffix.lower() not in SUFFIXES:
        return None
    try:
        read_mesh(str(path), scale[0])
    except (SpecError, ModuleNotFoundError):
        return None
    return Mesh(str(path.absolute()), scale[0])


def _mesh_frame(source: Source, g: int) -> tuple[Array, Array]:
    """Return turn and place of a mesh's file in the frame of its geom.

    MuJoCo centres meshes: x = M^T (s v - p) of a corner v of the file with the scale s.
    """
    model = source.model
    m = int(model.geom_dataid[g])
    turn = np.empty(9)
    mujoco.mju_quat2Mat(turn, model.mesh_quat[m])
    back = turn.reshape(3, 3).T
    return back, -back @ model.mesh_pos[m]


def _collision(
    source: Source, carriers: Carriers, touching: list[_Geom], planes: list[_Geom]
) -> Collision:
    """Return how the shapes touch."""
    order = sorted(touching, key=lambda geom: geom.touch.friction)
    default = order[0].touch
    things = [(geom.name, geom.touch) for geom in order if geom.touch != default]
    pairs = [
        (plane.name, geom.name, geom.touch)
        for plane in planes
        for geom in order
        if geom.touch.friction > plane.touch.friction
        and not _stands(source, geom)
        and _meet(source, plane, geom)
    ]
    every = [*touching, *planes]
    apart = [pair for pair in combinations(every, 2) if not _meet(source, *pair)]
    return Collision(default, pairs=pairs, things=things, ignore=_ignored(source, apart))


def _meet(source: Source, one: _Geom, other: _Geom) -> bool:
    """Return True if two geoms may touch."""
    model = source.model
    a, b = one.number, other.number
    masks = model.geom_contype[a] & model.geom_conaffinity[b]
    if not (masks or model.geom_contype[b] & model.geom_conaffinity[a]):
        return False
    groups = [int(model.body_weldid[model.geom_bodyid[g]]) for g in (a, b)]
    above = [int(model.body_weldid[model.body_parentid[group]]) for group in groups]
    beside = (groups[0] == above[1] and groups[0]) or (groups[1] == above[0] and groups[1])
    if beside and min(groups):
        return False
    low, high = sorted(int(model.geom_bodyid[g]) for g in (a, b))
    return not any(signature in model.exclude_signature for signature in ((low << 16) + high,))


def _stands(source: Source, geom: _Geom) -> bool:
    """Return True if a geom is fixed to the world."""
    model = source.model
    return not model.body_weldid[model.geom_bodyid[geom.number]]


def _ignored(source: Source, apart: list[tuple[_Geom, _Geom]]) -> list[tuple[str, ...]]:
    """Return pairs that never touch in as few entries as one group and pairs beside it make.

    Pairs that both stand need no entry.
    """
    pairs = {
        frozenset((one.name, other.name))
        for one, other in apart
        if not (_stands(source, one) and _stands(source, other))
    }
    group: list[str] = []
    for name in dict.fromkeys(geom.name for pair in apart for geom in pair):
        if all(frozenset((name, known)) in pairs for known in group):
            group.append(name)
    covered = {frozenset(pair) for pair in combinations(group, 2)}
    rest = sorted(tuple(sorted(pair)) for pair in pairs - covered)
    return [*([tuple(group)] if len(group) > 1 else []), *rest]
