"""Packing of obstacles that stop the bodies at ends or eyes of cables, and of pairs with their
rows."""

import warnings
from typing import Any, NamedTuple

import numpy as np

from cable_sim.errors import CableSimWarning
from cable_sim.kernels.collision.manifold import POINTS
from cable_sim.kernels.convex import MOST_POINTS
from cable_sim.kernels.solid_contact import PUSHED_OUT, SLOTS, SOFTNESS
from cable_sim.model.bodies import BodyIndex
from cable_sim.model.contacts import box_pairs
from cable_sim.model.frames import Array
from cable_sim.model.hulls import edges as hull_edges
from cable_sim.model.obstacles import boxes_about, pack_blocks, solid
from cable_sim.model.rows import RowTable
from cable_sim.spec import Body, Box, Cable, Cylinder, Obstacle, Polyhedron, Scene, Sphere
from cable_sim.spec.quantities import WORLD

OVERLAP = 1e-3
"""Overlap with an obstacle at the start above which a shape is taken for a drawing [m]."""
Pose = tuple[Array, Array]
"""Position (3,) [m] and rotation matrix (3, 3) of a body in the world."""


class _Solid(NamedTuple):
    """Faces (f, 4), corners (n, 3), edges (e, 2, 3) and the two faces at each (e, 2), in the frame
    of a body."""

    faces: Array
    corners: Array
    edges: Array
    edge_faces: Any


class _Pair(NamedTuple):
    """Pair of a body, the obstacle that stops it, grown by a distance, and the box or ball [m]."""

    body: Body
    obstacle: Obstacle
    grown: float
    point: tuple[float, float, float]
    half: tuple[float, float, float]
    radius: float


def solid_scratch(slots: int) -> dict[str, Any]:
    """Return the shapes of the workspace's arrays for a number of slots."""
    return {
        "boxes.chosen": POINTS,
        "boxes.solid_points": (MOST_POINTS if slots else 0, 4),
        "boxes.slot_near": slots,
    }


def start_slots(arrays: dict[str, Any]) -> dict[str, Any]:
    """Return the state array of the slots: each has the pair of its collider that made it.

    It is taken out of the model's ``arrays``.
    """
    return {"solids.pair": arrays.pop("solids.pair")}


def pack_solids(scene: Scene, index: BodyIndex, rows: RowTable) -> dict[str, Any]:
    """Return the model arrays of the solids that stop bodies, and of the pairs; add their rows.

    ``scene`` is the one without room for contact nodes.
    """
    made: dict[tuple[str, float], _Solid] = {}
    meetings = [
        meeting
        for meeting in _meetings(scene)
        if scene.collision is None or meeting[0].shape is None
    ]
    pairs = [pair for meeting in meetings for pair in _pairs(*meeting, index, made)]
    keys = list(dict.fromkeys((pair.obstacle.name, pair.grown) for pair in pairs))
    solid_of = [keys.index((pair.obstacle.name, pair.grown)) for pair in pairs]
    inverse = [
        sum(_inverse_mass(scene, name) for name in (pair.body.name, pair.obstacle.body))
        for pair in pairs
    ]
    return {
        "solids.body": np.array([index.obstacle[name] for name, _ in keys], dtype=np.int64),
        **_pack_shapes([made[key] for key in keys]),
        "solid_pairs.body": np.array([index.row[pair.body.name] for pair in pairs], dtype=np.int64),
        "solid_pairs.solid": np.array(solid_of, dtype=np.int64),
        "solid_pairs.softness": SOFTNESS * np.array(inverse, dtype=float),
        "solid_pairs.friction": np.array(
            [pair.obstacle.body_friction for pair in pairs], dtype=float
        ),
        **_pack_colliders(
            pairs, boxes_about([made[key].corners for key in keys])[solid_of], index, rows
        ),
    }


def _pack_colliders(
    pairs: list[_Pair], boxes: Array, index: BodyIndex, rows: RowTable
) -> dict[str, Any]:
    """Return the model arrays of colliders and of their slots; add the rows of the slots.

    Pairs of one body and carrier, with one shape at one point, are those of one collider. ``boxes``
    are those of the pairs' solids (p, 2, 3) [m].
    """
    members: dict[Any, list[int]] = {}
    slots: dict[Any, list[int]] = {}
    makers: list[int] = []
    row: list[int] = []
    for p, pair in enumerate(pairs):
        carrier = index.obstacle[pair.obstacle.name]
        key = (index.row[pair.body.name], carrier, pair.point, pair.half, pair.radius)
        members.setdefault(key, []).append(p)
        if len(slots.setdefault(key, [])) < SLOTS:
            slots[key].append(len(row))
            makers.append(p)
            row.append(_add_rows(pair, index, rows))
    order = [p for found in members.values() for p in found]
    owner = {p: g for g, found in enumerate(members.values()) for p in found}
    blocks, block_pair, block_box = pack_blocks(boxes[order], [owner[p] for p in order])
    home = {p: i % SLOTS for found in members.values() for i, p in enumerate(found)}
    return {
        "solid_pairs.home": np.array([home[p] for p in range(len(pairs))], dtype=np.int64),
        "colliders.body": np.array([key[0] for key in members], dtype=np.int64),
        "colliders.carrier": np.array([key[1] for key in members], dtype=np.int64),
        "colliders.point": np.array([key[2] for key in members], dtype=float).reshape(-1, 3),
        "colliders.half": np.array([key[3] for key in members], dtype=float).reshape(-1, 3),
        "colliders.radius": np.array([key[4] for key in members], dtype=float),
        "colliders.pair_start": np.cumsum([0, *map(len, members.values())]),
        "colliders.pair": np.array(order, dtype=np.int64),
        "colliders.pair_box": boxes[order],
        "colliders.block_start": np.searchsorted(blocks, np.arange(len(members) + 1)),
        "colliders.block_pair": block_pair,
        "colliders.block_box": block_box,
        "colliders.slot_start": np.cumsum([0, *map(len, slots.values())]),
        "colliders.slot": np.array([n for found in slots.values() for n in found], np.int64),
        "colliders.slot_row": np.array(row, dtype=np.int64),
        "colliders.slot_rows": np.array([_row_count(pairs[p]) for p in makers], dtype=np.int64),
        "solids.pair": np.array(makers, dtype=np.int64),
    }


def _pack_shapes(solids: list[_Solid]) -> dict[str, Any]:
    """Return the model arrays of faces, corners and edges of the solids."""
    first = np.cumsum([0, *(len(made.faces) for made in solids)])
    middles = [made.corners.mean(axis=0) for made in solids]
    radii = [
        np.linalg.norm(made.corners - middle, axis=1).max()
        for made, middle in zip(solids, middles, strict=True)
    ]
    normals = [made.faces[:, :3] for made in solids]
    edge_faces = [i + made.edge_faces for i, made in zip(first, solids, strict=False)]
    return {
        "solids.centre": np.array(middles).reshape(-1, 3),
        "solids.radius": np.array(radii),
        "solids.face_start": first,
        "solids.normal": np.concatenate([np.zeros((0, 3)), *normals]),
        "solids.offset": np.concatenate([np.zeros(0), *(made.faces[:, 3] for made in solids)]),
        "solids.corner_start": np.cumsum([0, *(len(made.corners) for made in solids)]),
        "solids.corner": np.concatenate([np.zeros((0, 3)), *(made.corners for made in solids)]),
        "solids.edge_start": np.cumsum([0, *(len(made.edges) for made in solids)]),
        "solids.edge": np.concatenate([np.zeros((0, 2, 3)), *(made.edges for made in solids)]),
        "solids.edge_face": np.concatenate([np.zeros((0, 2), np.int64), *edge_faces]),
    }


def _meetings(scene: Scene) -> list[tuple[Body, Obstacle, list[Cable]]]:
    """Return every body that an obstacle stops, with the cables for which it does."""
    bodies = {body.name: body for body in scene.bodies}
    known = {obstacle.name: obstacle for obstacle in scene.obstacles}
    joined = {frozenset((joint.parent, joint.child)) for joint in scene.joints}
    boxes = {frozenset((pair.first.name, pair.second.name)) for pair in box_pairs(scene)}
    found: dict[tuple[str, str], list[Cable]] = {}
    movable = {WORLD: False} | {body.name: body.motion == "dynamic" for body in scene.bodies}

    def may_meet(name: str, obstacle: Obstacle) -> bool:
        own = name in (WORLD, obstacle.body) or frozenset((name, obstacle.body)) in joined
        moves = movable[name] or movable[obstacle.body]
        return moves and not own and frozenset((name, obstacle.name)) not in boxes

    for cable in scene.cables:
        carriers = dict.fromkeys((*(node.body for node in cable.nodes), *cable.model.attaches))
        for obstacle in map(known.__getitem__, cable.touches):
            for carrier in carriers:
                if obstacle.stops_bodies and may_meet(carrier, obstacle):
                    found.setdefault((carrier, obstacle.name), []).append(cable)
    for obstacle in scene.obstacles:
        for stopped in obstacle.stops:
            if may_meet(stopped, obstacle):
                found.setdefault((stopped, obstacle.name), [])
    return [(bodies[carrier], known[name], cables) for (carrier, name), cables in found.items()]


def _inverse_mass(scene: Scene, name: str) -> float:
    """Inverse mass of a body that obeys forces [1/kg], 0 of others."""
    return sum(
        1.0 / body.mass for body in scene.bodies if body.name == name and body.motion == "dynamic"
    )


def _pairs(
    body: Body,
    obstacle: Obstacle,
    cables: list[Cable],
    index: BodyIndex,
    made: dict[tuple[str, float], _Solid],
) -> list[_Pair]:
    """Return the pairs of a body and an obstacle.

    There is one with its shape, unless that overlaps at the start, and one for each end and eye
    that stands out of the shape.
    """
    half, radius = _outline(body)
    pairs = (
        [_Pair(body, obstacle, 0.0, (0.0, 0.0, 0.0), half, radius)]
        if max(*half, radius) > 0.0
        else []
    )
    here, there = (
        (index.position[row], index.rotation[row])
        for row in (index.row[body.name], index.obstacle[obstacle.name])
    )
    for pair in pairs:
        deep = -_gap(half, radius, _solid_of(pair, made), here, there)
        if deep > OVERLAP:
            _warn_of_overlap(body, obstacle, deep, cables)
        if deep > OVERLAP and cables:
            pairs, half, radius = [], (0.0, 0.0, 0.0), 0.0
    for cable in cables:
        for position in (node.position for node in cable.nodes if node.body == body.name):
            point = _Pair(
                body, obstacle, 0.5 * float(cable.diameter), position, (0.0, 0.0, 0.0), 0.0
            )
            plain = _solid_of(point._replace(grown=0.0), made)
            reach = max(_distance(plain, corner) for corner in _solid_of(point, made).corners)
            if _depth(half, radius, np.array(position)) < reach and point not in pairs:
                pairs.append(point)
    return pairs


def _warn_of_overlap(body: Body, obstacle: Obstacle, deep: float, cables: list[Cable]) -> None:
    """Warn of a shape that starts so deep [m] in an obstacle."""
    told = f"body {body.name!r}: its shape starts {deep:.3g} m deep in obstacle {obstacle.name!r}"
    names = ", ".join(repr(cable.name) for cable in cables)
    rest = (
        f"which cable {names} touches; it is stopped there by its ends and eyes alone. Start it "
        "outside, or give the obstacle stops_bodies=False"
        if cables
        else "which stops it and pushes it out. Start it outside"
    )
    warnings.warn(f"{told}, {rest}", CableSimWarning, stacklevel=3)


def _outline(body: Body) -> tuple[tuple[float, float, float], float]:
    """Return half edges of the box, or radius of the ball, that a body is taken for [m].

    They are zero without shape.
    """
    shape = body.shape
    if isinstance(shape, Sphere):
        return (0.0, 0.0, 0.0), shape.radius
    if isinstance(shape, Box):
        return (0.5 * shape.x, 0.5 * shape.y, 0.5 * shape.z), 0.0
    if isinstance(shape, Cylinder):
        return (shape.radius, shape.radius, 0.5 * shape.length), 0.0
    if isinstance(shape, Polyhedron):
        x, y, z = np.abs(np.array(shape.corners)).max(axis=0).tolist()
        return (x, y, z), 0.0
    return (0.0, 0.0, 0.0), 0.0


def _depth(half: Any, radius: float, point: Array) -> float:
    """Return the depth of a point in a box or ball [m], negative outside.

    A point that is deeper than the grown solid reaches beyond the obstacle can't get into the grown
    solid. At sharp corners that reach is more than the radius of the rope.
    """
    return float(
        radius - np.linalg.norm(point) if radius > 0.0 else (np.array(half) - np.abs(point)).min()
    )


def _solid_of(pair: _Pair, made: dict[tuple[str, float], _Solid]) -> _Solid:
    """Return the solid of a pair: one that has been made, or a new one."""
    key = pair.obstacle.name, pair.grown
    if key not in made:
        grown = solid(pair.obstacle, pair.grown)
        # a part in a hollow has none that a cable bends over, and a ball looks for the nearest one
        hull = grown.edges or [edge for edge, _ in hull_edges(grown.faces, grown.corners)]
        edges = np.array(hull).reshape(-1, 2, 3)
        off = np.abs(edges @ grown.faces[:, :3].T - grown.faces[:, 3]).max(axis=1)
        made[key] = _Solid(grown.faces, grown.corners, edges, np.argsort(off, axis=1)[:, :2])
    return made[key]


def overlap(body: Body, obstacle: Obstacle, here: Pose, there: Pose) -> float:
    """Return the depth of a body's shape in a convex obstacle [m], negative outside.

    The body is at the pose ``here``, what carries the obstacle is at ``there``.
    """
    half, radius = _outline(body)
    pair = _Pair(body, obstacle, 0.0, (0.0, 0.0, 0.0), half, radius)
    return -_gap(half, radius, _solid_of(pair, {}), here, there)


def _gap(half: Any, radius: float, made: _Solid, here: Pose, there: Pose) -> float:
    """Return the distance by which shape and solid are apart [m].

    It is the largest along the normals of faces and products of edges. Of a ball and a corner that
    is below their distance.
    """
    at, turn = there
    place, own = here
    centre = (place - at) @ turn
    axes = (turn.T @ own).T
    if radius > 0.0:
        return _distance(made, centre) - radius
    along = made.edges[:, 1] - made.edges[:, 0]
    products = np.cross(along[:, None], axes[None]).reshape(-1, 3)
    lengths = np.linalg.norm(products, axis=1)
    products = products[lengths > 1e-3] / lengths[lengths > 1e-3, None]
    normals = np.concatenate([made.faces[:, :3], axes, -axes, products, -products])
    reach = np.abs(normals @ axes.T) @ np.array(half)
    return float((normals @ centre - reach - (normals @ made.corners.T).max(axis=1)).max())


def _distance(made: _Solid, point: Array) -> float:
    """Distance of a point from a solid [m], negative inside."""
    before = made.faces[:, :3] @ point - made.faces[:, 3]
    face = int(before.argmax())
    foot = point - before[face] * made.faces[face, :3]
    if before[face] <= 0.0 or (made.faces[:, :3] @ foot - made.faces[:, 3]).max() < 1e-9:
        return float(before[face])
    start = made.edges[:, 0]
    along = made.edges[:, 1] - made.edges[:, 0]
    x = np.clip(((point - start) * along).sum(axis=1) / (along**2).sum(axis=1), 0.0, 1.0)
    return float(np.linalg.norm(point - start - x[:, None] * along, axis=1).min())


def _add_rows(pair: _Pair, index: BodyIndex, rows: RowTable) -> int:
    """Add the rows of a pair; return the first."""
    bodies = [index.row[pair.obstacle.body], index.row[pair.body.name]]
    return rows.add_contact(bodies, _row_count(pair) // 3, damping_time=PUSHED_OUT)


def _row_count(pair: _Pair) -> int:
    """Return the number of rows of a pair: three for each point where it may touch."""
    return 3 * (POINTS if max(pair.half) > 0.0 else 1)
