"""Packing of what cables run over: room for contact nodes, and faces and edges of solids.

The solids are grown by the rope's radius.

A cylinder becomes a prism of n facets with the same girth, whose edges are at R_e = R (pi / n) /
sin(pi / n) from the axis. A taut rope that turns over it from one straight end to the other has the
length of the integral of h over that turn (Cauchy), h the distance of its tangent from the axis.
The mean of h over a facet is R: whole facets have the arc of the cylinder, and a part of one at
either end adds R (pi / n)^3 / (9 sqrt(3)) at most. With ``FACETS`` both make 1e-4 of a quarter of a
turn at most. There are fewer where the kernels would not tell the edges from the surface, and where
facets would be shorter than half the thickness of wires that cross on them: crossings need room.

A solid grown by a distance has its faces moved out by as much; its corners are those of the
intersection of the half spaces behind them. A cylinder grown by it is another cylinder.
"""

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.kernels.cables.contact.polyhedron import INSIDE, MEETS
from cable_sim.kernels.records.world import Model, State
from cable_sim.model.basis.bodies import BodyIndex
from cable_sim.model.basis.columns import flags, floats, ints, offsets
from cable_sim.model.basis.frames import Array, rotation
from cable_sim.model.cables.cable_models import packing
from cable_sim.model.shapes.grown import Grown
from cable_sim.model.shapes.hulls import SAME_CORNER, edges, grow
from cable_sim.model.shapes.parts import Part, grow_part, whole_name
from cable_sim.spec import Cable, Cylinder, Eye, Mesh, Obstacle, Scene
from cable_sim.spec.quantities import copy_unchecked

FACET_ERROR = 0.002
"""Largest height of the edges of a cylinder's prism over the middle of its facets [m]."""
FACETS = 32
"""Least number of facets of a cylinder, unless it is as thin as a rope."""
DEEP = 10.0 * INSIDE
"""Depth of a span in a solid, once the nodes rest, that shows a failure to lay it round the solid
[m]."""
LEAST_FACETS = 8
LARGEST_BLOCK = 16
"""Most solids of a block."""


def add_room(scene: Scene) -> Scene:
    """Return the scene with eyes that leave room for the contact nodes of its cables.

    Each eye is on the node that follows.
    """
    return copy_unchecked(scene, cables=tuple(map(_add_cable_room, scene.cables)))


def slots(cable: Cable) -> list[int]:
    """Return the room behind each node of a cable.

    It is for contact nodes, for masses of a hybrid wire, and for where that parts.
    """
    room = (cable.contacts if cable.touches else 0) + packing(cable).room(cable)
    return [room] * (len(cable.route) - 1) + [0]


def own_nodes(cable: Cable) -> NDArray[np.int64]:
    """Rows of the nodes of a cable among those with room."""
    return np.cumsum([0, *(room + 1 for room in slots(cable)[:-1])], dtype=np.int64)


def _add_cable_room(cable: Cable) -> Cable:
    """A cable with eyes in the room for its contact nodes."""
    nodes: list[Any] = []
    route = cable.route
    for room, near, far in zip(slots(cable), route, (*route[1:], None), strict=True):
        nodes.append(near)
        if far is not None:
            nodes += [Eye(far.body, far.position)] * room
    return copy_unchecked(cable, nodes=tuple(nodes))


def corners(obstacle: Obstacle, facet: float = 0.0) -> Array:
    """Corners of an obstacle in the frame of its body (n, 3) [m]; ``facet`` as below."""
    shape = obstacle.shape
    if shape.kind == "box":
        signs = np.array(np.meshgrid([-0.5, 0.5], [-0.5, 0.5], [-0.5, 0.5])).reshape(3, -1).T
        points = signs * np.array([shape.x, shape.y, shape.z])
    elif shape.kind == "cylinder":
        points = _prism(shape.radius, shape.length, facet)
    else:
        points = np.array(shape.corners)
    return np.asarray(
        points @ rotation(obstacle.orientation).T + np.array(obstacle.position), dtype=float
    )


def count_facets(radius: float, facet: float = 0.0) -> int:
    """Return the number of facets of a cylinder of a radius [m].

    Beyond what its flatness needs they are no shorter than ``facet`` [m].
    """
    flat = math.ceil(math.pi / math.acos(1.0 / (1.0 + FACET_ERROR / radius)))
    told_apart = math.pi * math.sqrt(0.5 * radius / INSIDE)
    fit = 2.0 * math.pi * radius / facet if facet > 0.0 else math.inf
    return max(LEAST_FACETS, flat, int(min(FACETS, told_apart, fit)))


def _prism(radius: float, length: float, facet: float) -> Array:
    """Corners of the prism that stands for a cylinder."""
    count = count_facets(radius, facet)
    half = math.pi / count
    angles = 2.0 * half * np.arange(count)
    edge = radius * half / math.sin(half)
    ring = edge * np.column_stack([np.cos(angles), np.sin(angles)])
    return np.concatenate(
        [np.column_stack([ring, np.full(count, z)]) for z in (-0.5 * length, 0.5 * length)]
    )


def solid(obstacle: Obstacle, distance: float, facet: float = 0.0) -> Grown:
    """Return an obstacle moved out by a distance [m], in the frame of its body.

    ``facet`` is as in :func:`count_facets`.
    """
    if isinstance(obstacle.shape, Part):
        turn = rotation(obstacle.orientation)
        return grow_part(obstacle.shape, distance).move(turn, np.array(obstacle.position))
    if isinstance(obstacle.shape, Cylinder):
        round_one = Cylinder(obstacle.shape.radius + distance, obstacle.shape.length + 2 * distance)
        obstacle = copy_unchecked(obstacle, shape=round_one)
        distance = 0.0
    given = obstacle.shape.faces if obstacle.shape.kind == "polyhedron" else None
    faces, points = grow(corners(obstacle, facet), distance, given)
    found = edges(faces, points, 1e-7 if given is None else 2.0 * SAME_CORNER)
    return Grown(faces, points, [edge for edge, _ in found], np.zeros(len(faces), dtype=bool))


def faces_at(edge: tuple[Array, Array], faces: Array) -> NDArray[np.int64]:
    """Return the faces, of some (f, 4), that may go through a point of an edge.

    They are near to an end of the edge; in between none is nearer. The limit is twice the kernel's,
    which rounding does not reach.
    """
    inside = np.array([faces[:, 3] - faces[:, :3] @ end for end in edge])
    return np.flatnonzero(inside.min(axis=0) < 2.0 * MEETS)


def pack_touches(scene: Scene, index: BodyIndex, bodies_on: list[list[int]]) -> dict[str, Any]:
    """Return the model arrays of the solids that cables may touch.

    ``bodies_on`` are the bodies in each cable's rows, in order.
    """
    known = {obstacle.name: obstacle for obstacle in scene.obstacles}
    pairs = [(c, known[name]) for c, cable in enumerate(scene.cables) for name in cable.touches]
    cross = {name for pair in index.crossings for name in pair}
    halves = [0.5 * float(cable.diameter) for cable in scene.cables]
    crosses = [cable.name in cross for cable in scene.cables]
    made = [solid(obstacle, halves[c], halves[c] * crosses[c]) for c, obstacle in pairs]
    bodies = [index.obstacle[obstacle.name] for _, obstacle in pairs]
    owners = [(c, body) for (c, _), body in zip(pairs, bodies, strict=True)]
    boxes = boxes_about([one.corners for one in made])
    blocks, block_solid, block_box = pack_blocks(boxes, owners)
    places = [bodies_on[c].index(body) if body else -1 for c, body in owners]
    friction = [o.friction * scene.cables[c].feels_friction for c, o in pairs]
    count = [sum(1 for owner, _ in pairs if owner == c) for c in range(len(scene.cables))]
    return {
        "touches.start": np.cumsum([0, *count]),
        "touches.friction": np.array(friction, dtype=float),
        "touches.body": ints(bodies),
        "touches.row_entry": ints(places),
        "touches.box": boxes,
        "touches.block_start": np.searchsorted(
            [c for c, _ in blocks], np.arange(len(scene.cables) + 1)
        ),
        "touches.block_solid": block_solid,
        "touches.block_box": block_box,
        "touches.whole": _wholes(pairs),
        **_pack_faces(made),
        **_pack_edges(made),
    }


def _wholes(pairs: list[tuple[int, Obstacle]]) -> NDArray[np.int64]:
    """Return the range of the parts of the mesh that each solid of a cable belongs to (t, 2)."""
    first: dict[tuple[int, str], int] = {}
    last: dict[tuple[int, str], int] = {}
    keys = []
    for t, (c, obstacle) in enumerate(pairs):
        part = obstacle.shape
        divided = isinstance(part, Part) and isinstance(part.whole, Mesh)
        keys.append((c, whole_name(obstacle.name) if divided else obstacle.name))
        first.setdefault(keys[-1], t)
        last[keys[-1]] = t + 1
    return ints([(first[key], last[key]) for key in keys], 2)


def boxes_about(points: list[Array]) -> Array:
    """Return the boxes about the corners (n, 3) of some solids (t, 2, 3) [m]."""
    return floats([(p.min(axis=0), p.max(axis=0)) for p in points], 2, 3)


def pack_blocks(boxes: Array, owners: list[Any]) -> tuple[list[Any], NDArray[np.int64], Array]:
    """Divide boxes (t, 2, 3) into blocks of the same owner that stand behind one another.

    Returns the owner of each block (b), its first box and the end of all (b + 1), and the box about
    it (b, 2, 3) [m].
    """
    first: list[int] = []
    for t, owner in enumerate(owners):
        if not first or owner != owners[t - 1] or t - first[-1] == LARGEST_BLOCK:
            first.append(t)
    starts = ints([*first, len(owners)])
    blocks = [boxes[a:b].reshape(-1, 3) for a, b in pairwise(starts)]
    return [owners[t] for t in first], starts, boxes_about(blocks)


def _pack_faces(solids: list[Grown]) -> dict[str, Any]:
    """Return the arrays of the faces of solids."""
    middles = [one.corners.mean(axis=0) for one in solids]
    normals = [face[:3] for one in solids for face in one.faces]
    return {
        "touches.centre": floats(middles, 3),
        "touches.radius": floats(_radius(one.corners) for one in solids),
        "touches.face_start": offsets(one.faces for one in solids),
        "touches.face_normal": floats(normals, 3),
        "touches.face_offset": floats(face[3] for one in solids for face in one.faces),
        "touches.face_inner": flags(i for one in solids for i in one.inner),
    }


def _pack_edges(solids: list[Grown]) -> dict[str, Any]:
    """Return the arrays of the edges of solids."""
    face_start = offsets(one.faces for one in solids)
    at_edges = [
        first + faces_at(edge, one.faces)
        for first, one in zip(face_start, solids, strict=False)
        for edge in one.edges
    ]
    ends = floats([edge for one in solids for edge in one.edges], 2, 3)
    lengths = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    return {
        "touches.edge_start": offsets(one.edges for one in solids),
        "touches.edge_point": ends[:, 0],
        "touches.edge_direction": (ends[:, 1] - ends[:, 0]) / lengths[:, None],
        "touches.edge_length": lengths,
        "touches.edge_face_start": offsets(at_edges),
        "touches.edge_face": np.concatenate([np.zeros(0, np.int64), *at_edges]),
    }


def _radius(points: Array) -> float:
    """Radius of a sphere about the mean of points that holds them [m]."""
    return float(np.linalg.norm(points - points.mean(axis=0), axis=1).max())


class Solid(NamedTuple):
    """Solid that a cable may touch, at the start: name of the obstacle, and planes in the world.

    The planes are those of its faces. ``middle`` is the depth of the mean of its corners [m].
    """

    name: str
    normal: Array
    offset: Array
    middle: float

    def depth(self, point: Array) -> float:
        """Depth of a point inside [m], negative outside."""
        return self.nearest_face(point)[0]

    def nearest_face(self, point: Array) -> tuple[float, Array]:
        """Return the depth of a point [m], negative outside, and the normal of the nearest face."""
        depths = self.offset - self.normal @ point
        face = int(depths.argmin())
        return float(depths[face]), self.normal[face]

    def cut(self, start: Array, end: Array) -> float:
        """Depth of the middle of the part of a line that is inside [m]; 0 if none is."""
        first = self.normal @ start - self.offset
        last = self.normal @ end - self.offset
        if ((first >= 0.0) & (last >= 0.0)).any():
            return 0.0
        x = first / np.where(first == last, 1.0, first - last)
        enters = x[first > 0.0].max(initial=0.0)
        leaves = x[last > 0.0].min(initial=1.0)
        return (
            self.depth(start + 0.5 * (enters + leaves) * (end - start)) if enters < leaves else 0.0
        )

    def part_inside(self, corners: Array) -> Array:
        """Corners of the part of a flat convex polygon (n, 3) that is inside (m, 3) [m]; m = 0 for
        none."""
        for normal, offset in zip(self.normal, self.offset, strict=True):
            over = corners @ normal - offset
            if (over <= 0.0).all():
                continue
            kept: list[Array] = []
            for i in range(len(corners)):
                a = corners[i - 1]
                b = corners[i]
                at_a = over[i - 1]
                at_b = over[i]
                if at_a * at_b < 0.0:
                    kept.append(a + at_a / (at_a - at_b) * (b - a))
                if at_b <= 0.0:
                    kept.append(b)
            corners = floats(kept, 3)
        return corners


def solids_of(scene: Scene, model: Model, state: State, c: int) -> list[Solid]:
    """Return the solids that cable c may touch, grown by its radius, where they are."""
    found = []
    for t, name in enumerate(scene.cables[c].touches, start=int(model.touches.start[c])):
        body = model.touches.body[t]
        faces = slice(*model.touches.face_start[t : t + 2])
        own = model.touches.face_normal[faces]
        offset = model.touches.face_offset[faces]
        normal = own @ rotation(state.bodies.orientation[body]).T
        middle = float((offset - own @ model.touches.centre[t]).min())
        placed = offset + normal @ state.bodies.position[body]
        found.append(Solid(whole_name(name), normal, placed, middle))
    return found
