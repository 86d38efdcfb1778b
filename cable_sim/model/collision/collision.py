"""Packing of shapes that touch each other, of their materials, and of the pool of contacts."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.kernels.collision.adhesion import ALWAYS
from cable_sim.kernels.collision.candidates import IGNORED
from cable_sim.kernels.collision.expansion import MOST_EDGES, MOST_FACES, MOST_VERTICES
from cable_sim.kernels.collision.features import MOST_CORNERS
from cable_sim.kernels.collision.manifold import MOST_POINTS, POINTS
from cable_sim.kernels.collision.pool import GIVE
from cable_sim.kernels.collision.separation import MEMORY
from cable_sim.kernels.collision.shapes import BALL, BOX, CYLINDER, HALF_SPACE, POLYHEDRON
from cable_sim.kernels.multibody.rows import SPEED, STABILISED
from cable_sim.model.basis.bodies import BodyIndex
from cable_sim.model.basis.columns import floats, ints, offsets
from cable_sim.model.basis.frames import Array, rotation
from cable_sim.model.basis.rows import RowTable
from cable_sim.model.cables.obstacles import solid
from cable_sim.model.collision.contacts import Cover, End, Thing, Touching, surface_axes
from cable_sim.model.shapes.hulls import cut_corners, planes
from cable_sim.model.shapes.parts import whole_name
from cable_sim.spec import Body, Obstacle, Scene
from cable_sim.spec.collision import Touch
from cable_sim.spec.scene import GRAVITY

ROOM = 8
MOST_ROOM = 512
"""Contacts for each shape on a body, and most of them, unless the scene says."""
MOST_NAMED = 2048
"""Most contacts of pairs that are named, each of which has room for its points up to there."""
MOST_STOPS = 8
"""Most obstacles that stop a shape at once."""
PAIRS = 4
"""Pairs that may meet for each contact."""
EVENTS = 256
"""Events that are kept."""
ENDLESS = 1e3
"""Half length [m] in place of an infinite one of a surface that has an end elsewhere."""
ROUND = 1e-4
"""Radius of edges and corners over the least half extent. So what rests overlaps by less, and its
distance is that of cores that are apart, which is exact and ten times as fast as a depth. Faces
stay where they are."""
LEAST_ROUND = 1e-5
"""Most radius of edges [m] of what ends of ropes meet. It is half the depth that counts as inside
(``kernels/cables/contact/polyhedron.py``), so that no end is inside at an edge."""
FLAT = 1e-7
"""Distance of a vertex from its face, as a part of the size."""


class Piece(NamedTuple):
    """One shape: its name, body, kind and measures, its frame in the body's, and its vertices and
    faces, outward unit normals and distances from the origin."""

    name: str
    body: int
    kind: int
    half: tuple[float, float, float]
    margin: float = 0.0
    origin: Any = (0.0, 0.0, 0.0)
    axes: Any = np.eye(3)
    corners: Any = np.zeros((0, 3))
    faces: Any = np.zeros((0, 4))
    material: int = 0


def list_pieces(scene: Scene, touching: Touching, index: BodyIndex) -> list[Piece]:
    """Return the shapes of what touches.

    Those that touch in named pairs alone have no material: all without a ``collision``.
    """
    things = scene.collision.things if scene.collision else ()
    own = {name: m for m, (name, _) in enumerate(things, start=1)}
    surfaces = {id(surface): m for m, surface in enumerate(scene.surfaces, start=1 + len(own))}
    named = scene.collision is None
    return [
        _thing_piece(thing, index)._replace(
            material=IGNORED
            if named or isinstance(thing, End | Cover)
            else surfaces.get(id(thing), own.get(whole_name(thing.name), 0))
        )
        for thing in touching.things
    ]


def _thing_piece(thing: Thing, index: BodyIndex) -> Piece:
    """Return the shape of a thing, in the frame of its body."""
    if isinstance(thing, Body):
        return _piece(thing.name, index.row[thing.name], thing.shape, np.zeros(3), np.eye(3))
    if isinstance(thing, Obstacle):
        row = index.obstacle[thing.name]
        name = whole_name(thing.name)
        if thing.shape.kind not in ("box", "cylinder"):
            return _polyhedron(name, row, solid(thing, 0.0).corners)
        turn = rotation(thing.orientation).T
        return _piece(name, row, thing.shape, np.array(thing.position), turn)
    if isinstance(thing, End):
        origin = np.array(thing.position)
        return Piece(thing.name, index.row[thing.name], BALL, (0.0, 0.0, 0.0), 0.0, origin)
    if isinstance(thing, Cover):
        points = solid(thing.obstacle, thing.distance).corners
        name = whole_name(thing.name)
        return _polyhedron(name, index.obstacle[thing.name], points, LEAST_ROUND)
    axes = surface_axes(thing)
    origin = np.array(thing.point)
    half = (*thing.extent, 0.5 * thing.thickness)
    if np.isinf(half).all():
        return Piece(thing.name, 0, HALF_SPACE, (0.0, 0.0, 0.0), 0.0, origin, axes)
    x, y, z = (min(length, ENDLESS) for length in half)
    return _rounded(thing.name, 0, BOX, (x, y, z), origin - z * axes[2], axes)


def _piece(name: str, body: int, shape: Any, origin: Array, axes: Array) -> Piece:
    """Return a shape with its frame in that of a body."""
    if shape.kind == "box":
        return _rounded(
            name, body, BOX, (0.5 * shape.x, 0.5 * shape.y, 0.5 * shape.z), origin, axes
        )
    if shape.kind == "sphere":
        return Piece(name, body, BALL, (0.0, 0.0, 0.0), shape.radius, origin, axes)
    if shape.kind == "cylinder":
        half = (shape.radius, shape.radius, 0.5 * shape.length)
        return _rounded(name, body, CYLINDER, half, origin, axes)
    return _polyhedron(name, body, origin + np.array(shape.corners) @ axes)


def _rounded(
    name: str, body: int, kind: int, half: tuple[float, float, float], origin: Array, axes: Array
) -> Piece:
    """Return a box or a cylinder with round edges."""
    margin = ROUND * min(half)
    x, y, z = (extent - margin for extent in half)
    return Piece(name, body, kind, (x, y, z), margin, origin, axes)


def _polyhedron(name: str, body: int, points: Array, most: float = np.inf) -> Piece:
    """Return the hull of points of a body, with its frame in the middle.

    Its edges are round, with a radius of ``most`` at most [m].
    """
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    faces = planes(points - middle)
    inside = (points - middle).mean(axis=0)
    margin = min(ROUND * float((faces[:, 3] - faces[:, :3] @ inside).min()), most)
    faces[:, 3] -= margin
    core = cut_corners(faces, inside)
    half = tuple(np.abs(core).max(axis=0).tolist())
    return Piece(name, body, POLYHEDRON, half, margin, middle, np.eye(3), core, faces)


def pack_shapes(
    scene: Scene, touching: Touching, pieces: list[Piece], rows: RowTable
) -> dict[str, Any]:
    """Model arrays of shapes and of the pool; adds its rows, which have to be the last."""
    own = len(rows.kind)
    materials = list_materials(scene, touching)
    rolls = any(touch.rolling > 0.0 or touch.drilling > 0.0 for touch in materials)
    width = 6 if rolls else 3
    moving = np.flatnonzero([piece.body > 0 for piece in pieces])
    for _ in range(_room(scene, touching, pieces, moving.size)):
        normal = rows.add(STABILISED, [-1, -1], one_sided=True)
        for _ in range(width - 1):
            rows.limits[rows.add(SPEED, [-1, -1])] = [normal]
    rows.pool = len(rows.kind) - own
    reach = np.array([np.linalg.norm(p.origin) + np.linalg.norm(p.half) + p.margin for p in pieces])
    return {
        "rows.own": np.array([own, width]),
        **_pack_solids(pieces),
        "pool.body": ints(piece.body for piece in pieces),
        "pool.place": floats([[p.origin, *p.axes] for p in pieces], 4, 3),
        "pool.reach": reach,
        "pool.moving": moving.astype(np.int64),
        **_pack_carriers([piece.body for piece in pieces], reach),
        "pool.plane": _numbers(pieces, True),
        **_pack_tree(pieces, _numbers(pieces, False)),
        "pool.shape_material": ints(piece.material for piece in pieces),
        "pool.give": np.array([_give(scene, pieces)]),
        "pool.bounces": np.array([any(touch.restitution > 0.0 for touch in materials)]),
        "pool.material": floats([_columns(touch, scene) for touch in materials], 1 + len(_FIELDS)),
    }


def _give(scene: Scene, pieces: list[Piece]) -> float:
    """Return the compliance of hard contacts over their mobility [s^2].

    Without gravity it is that on earth.
    """
    radii = [float(np.linalg.norm(p.half)) + p.margin for p in pieces if p.body > 0]
    weight = float(np.linalg.norm(scene.gravity)) or GRAVITY
    return GIVE * min((radius for radius in radii if radius > 0.0), default=0.0) / weight


def _pack_carriers(bodies: list[int], reach: Array) -> dict[str, Any]:
    """Return the arrays of the bodies that carry shapes."""
    carriers = sorted({*bodies} - {0})
    place = {body: c for c, body in enumerate(carriers)}
    carrier_of = ints(place.get(body, -1) for body in bodies)
    return {
        "pool.carrier": ints(carriers),
        "pool.carrier_of": carrier_of,
        "pool.carrier_reach": floats(reach[carrier_of == c].max() for c in place.values()),
    }


def list_materials(scene: Scene, touching: Touching) -> list[Touch]:
    """Return the materials: of the pairs that are named, the default, things, surfaces, and pairs.

    On a surface things touch with its friction, else as all do.
    """
    if scene.collision is None:
        return touching.touches
    default = scene.collision.default
    surfaces = [replace(default, friction=surface.friction) for surface in scene.surfaces]
    pairs = [touch for _, _, touch in scene.collision.pairs]
    things = [touch for _, touch in scene.collision.things]
    return [default, *things, *surfaces, *pairs, *touching.touches]


_FIELDS = (
    "friction",
    "restitution",
    "threshold",
    "rolling",
    "drilling",
    "stiffness",
    "damping_time",
    "push_out",
    "adhesion",
)
"""Fields of a touch in the order of ``pool.material``, behind which stands the switch."""


def _columns(touch: Touch, scene: Scene) -> list[float]:
    """Return the numbers of a material."""
    values = {field: float(getattr(touch, field)) for field in _FIELDS}
    switches = [carriage.name for carriage in scene.carriages]
    switch = switches.index(touch.switch) if touch.switch else ALWAYS
    return [*(values | {"stiffness": 1.0 / values["stiffness"]}).values(), switch]


def _numbers(pieces: list[Piece], planes: bool) -> NDArray[np.int64]:
    """Return the half-spaces, or the other shapes of the world."""
    return ints(i for i, p in enumerate(pieces) if p.body == 0 and (p.kind == HALF_SPACE) == planes)


def _room(scene: Scene, touching: Touching, pieces: list[Piece], moving: int) -> int:
    """Return the number of contacts that there is room for."""
    if moving == 0:
        return 0
    if scene.collision is not None:
        return scene.collision.room or min(ROOM * (moving + 1), MOST_ROOM)
    points = 0
    stops: dict[int, int] = {}
    for pair, named in touching.name_pairs().items():
        most = 1 if BALL in [pieces[i].kind for i in pair] else POINTS
        if named.ropes is None:
            points += most
        else:
            first = id(named.first)
            stops[first] = min(stops.get(first, 0) + most, MOST_STOPS * most)
    return min(points + sum(stops.values()), MOST_NAMED)


def _pack_solids(pieces: list[Piece]) -> dict[str, Any]:
    """Return the arrays of the shapes themselves."""
    vertex_start = offsets(piece.corners for piece in pieces)
    normals: list[Array] = []
    loops: list[NDArray[np.int64]] = []
    faces = []
    for piece, first in zip(pieces, vertex_start, strict=False):
        found = list(_faces(piece))
        normals += [normal for normal, _ in found]
        loops += [first + loop for _, loop in found]
        faces.append(len(found))
    return {
        "shapes.kind": ints(piece.kind for piece in pieces),
        "shapes.half": floats([piece.half for piece in pieces], 3),
        "shapes.margin": floats(piece.margin for piece in pieces),
        "shapes.vertex_start": vertex_start,
        "shapes.vertex": np.concatenate([np.zeros((0, 3)), *(p.corners for p in pieces)]),
        "shapes.face_start": np.cumsum([0, *faces]),
        "shapes.face_normal": floats(normals, 3),
        "shapes.loop_start": offsets(loops),
        "shapes.loop": np.concatenate([np.zeros(0, np.int64), *loops]),
    }


def _faces(piece: Piece) -> Iterator[tuple[Array, NDArray[np.int64]]]:
    """Yield the normal of each face of a shape, and its corners, anticlockwise from outside."""
    corners = piece.corners
    size = float(np.ptp(corners)) if len(corners) else 0.0
    for plane in piece.faces:
        normal = plane[:3]
        on = np.flatnonzero(np.abs(corners @ normal - plane[3]) < FLAT * size)
        middle = corners[on].mean(axis=0)
        u = corners[on[0]] - middle
        v = np.cross(normal, u)
        yield (
            normal,
            on[np.argsort(np.arctan2((corners[on] - middle) @ v, (corners[on] - middle) @ u))],
        )


def _pack_tree(pieces: list[Piece], fixed: NDArray[np.int64]) -> dict[str, Any]:
    """Return a tree of boxes about shapes of the world, each branch halved along its length."""
    centres = floats([pieces[i].origin for i in fixed], 3)
    reach = [np.abs(pieces[i].axes).T @ np.array(pieces[i].half) + pieces[i].margin for i in fixed]
    lower = centres - floats(reach, 3)
    upper = centres + floats(reach, 3)
    boxes: list[Array] = []
    following: list[int] = []
    leaves: list[int] = []

    def grow(own: NDArray[np.int64]) -> None:
        node = len(boxes)
        boxes.append(np.array([lower[own].min(axis=0), upper[own].max(axis=0)]))
        following.append(0)
        leaves.append(int(fixed[own[0]]) if own.size == 1 else -1)
        if own.size > 1:
            order = own[
                np.argsort(centres[own, np.ptp(centres[own], axis=0).argmax()], kind="stable")
            ]
            for half in np.array_split(order, 2):
                grow(half)
        following[node] = len(boxes)

    if fixed.size:
        grow(np.arange(fixed.size))
    return {
        "pool.node_box": floats(boxes, 2, 3),
        "pool.node_next": ints(following),
        "pool.node_shape": ints(leaves),
    }


def start_pool(arrays: dict[str, Any], rows: RowTable) -> dict[str, Any]:
    """Return the state arrays of the pool at the start."""
    room = (len(rows.kind) - rows.own) // int(arrays["rows.own"][1])
    return {
        "pool.used": np.zeros(1, dtype=np.int64),
        "pool.key": np.zeros(room, dtype=np.int64),
        "pool.feature": np.zeros(room, dtype=np.int64),
        "pool.body": np.zeros((room, 2), dtype=np.int64),
        "pool.point": np.zeros((room, 3)),
        "pool.normal": np.zeros((room, 3)),
        "pool.impulse": np.zeros((room, 8)),
        "pool.way": np.zeros((room, 3)),
        "pool.stored": np.zeros(room),
        "pool.events": np.zeros(1, dtype=np.int64),
        "pool.event": np.zeros((EVENTS if room else 0, 4)),
        "pool.slides": np.zeros((room, 2), dtype=np.bool_),
        "pool.pressed": np.zeros(arrays["pool.watch"][:, 2].max(initial=-1) + 1),
    }


def pool_scratch(model: Any) -> dict[str, Any]:
    """Return the shapes of the scratch of the pool."""
    shapes = model.shapes.kind.size
    room = (model.rows.kind.size - int(model.rows.own[0])) // int(model.rows.own[1])
    return {
        "collision.simplex": (4, 9),
        "collision.vertex": (MOST_VERTICES, 9),
        "collision.face": (MOST_FACES, 4),
        "collision.plane": (MOST_FACES, 4),
        "collision.horizon": (MOST_EDGES, 2),
        "collision.outline": (2, MOST_CORNERS, 4),
        "collision.point": (MOST_POINTS, 5),
        "collision.chosen": POINTS,
        "pool.pose": (shapes, 4, 3),
        "pool.box": (shapes, 2, 3),
        "pool.slack": shapes,
        "pool.seen": (model.pool.carrier.size, 8),
        "pool.open": model.joints.kind.size,
        "pool.near": shapes,
        "pool.order": model.pool.moving.size,
        "pool.side": model.pool.moving.size,
        "pool.found": 1,
        "pool.pair": PAIRS * room,
        "pool.memory": MEMORY,
        "pool.spot": (POINTS, 4),
        "pool.mark": POINTS,
        "pool": room,
        "pool.body": (room, 2),
        **dict.fromkeys(("pool.point", "pool.normal", "pool.way"), (room, 3)),
        "pool.velocity": (model.bodies.kind.size, 6),
        **_row_scratch(model, room),
    }


def _row_scratch(model: Any, room: int) -> dict[str, Any]:
    """Return the shapes of the scratch that tells on which bodies rows of the pool act."""
    bodies = model.bodies.kind.size
    return {
        "rows.used": 1,
        "rows.heap": 1,
        "solver.change": (bodies, 3, 6),
        "solver.answer": (model.rows.entry_body.size if room else 0, 6),
        "solver.left": 1,
        "rows.body_head": bodies,
        "rows.body_last": bodies,
        "rows.entry_body": model.rows.entry_body.size,
        "rows.next_entry": 2 * int(model.rows.own[1]) * room,
    }
