"""Crossings that wound wires start with: rope that lies on rope on a solid.

Drawn tight, two parts of rope that cross on a solid lie in one face of it. Which of them is above
the other one, their paths tell: it is the one whose path is farther off the solid there.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import ModelError
from cable_sim.kernels.cables.contact.contact_path import COLUMNS, FREE, LANDED, SIDE, STUCK, UNUSED
from cable_sim.kernels.cables.crossing.crossing_landing import OFF
from cable_sim.kernels.cables.crossing.crossing_rows import AT_ONCE, NUMBER, ROUGH, SHARE, SOLID
from cable_sim.model.basis.columns import floats
from cable_sim.model.basis.crossings import hybrid_cables, hybrid_layer
from cable_sim.model.basis.frames import Array, rotation
from cable_sim.model.cables.obstacles import own_nodes, solids_of
from cable_sim.model.cables.variants import Run
from cable_sim.spec import Scene
from cable_sim.spec.cables.cables import MOST_CONTACTS

TOUCHING = 1e-4
"""Distance of two spans that lie in one face [m]: rounding, and faces that meet."""
ASKEW = 0.05
"""Least sine of the angle at which two spans cross."""
TELLS = 0.25
"""Part of the thickness by which one of two paths must be above the other one."""
SETTLING = 20
"""Rounds of setting contact nodes beside the crossings."""


class Meeting(NamedTuple):
    """Two spans that cross on a solid: their nodes, the parts of them where they do, the point
    [m]."""

    spans: tuple[int, int]
    parts: tuple[float, float]
    point: Array


class Node(NamedTuple):
    """One of the two nodes of a crossing, to be put into a span.

    ``part`` is where in the span, ``solid`` the row of the solid, ``side`` that of the rope along
    the normal, ``line`` the row of ``nodes.line``.
    """

    cable: int
    span: int
    part: float
    point: Array
    solid: int
    rough: bool
    side: float
    line: Array


class Line(NamedTuple):
    """A wound wire: its cable, the nodes that its spans begin at, and its path with both ends
    [m]."""

    cable: int
    spans: NDArray[np.int64]
    path: Array


def lay_crossings(scene: Scene, around: Run) -> None:
    """Give the wires that start wound the crossings that they have on solids.

    Raises ModelError where the paths do not tell which rope is above, and for too many crossings.
    """
    model, _, _, work = around
    wires = hybrid_cables(scene)
    found = False
    for p, (m, n) in enumerate(model.crossings.wire):
        if not (hybrid_layer(wires[m]).wound and hybrid_layer(wires[n]).wound):
            continue
        lines = [_line(scene, around, int(model.wires.cable[w])) for w in (m, n)]
        meetings = _meetings(lines, work.nodes.position, float(model.crossings.thickness[p]))
        if len(meetings) > AT_ONCE:
            raise ModelError(
                f"cables {wires[m].name!r} and {wires[n].name!r} cross {len(meetings)} times where "
                f"they are wound; at most {AT_ONCE} crossings of two wires are allowed"
            )
        nodes = [
            node
            for which, meeting in enumerate(meetings)
            for node in _nodes(scene, around, p, which, lines, meeting)
        ]
        # the ones behind first, as each moves the nodes behind it
        for node in sorted(nodes, key=lambda one: (one.span, one.part), reverse=True):
            _insert(scene, around, node)
        around.look()
        found |= bool(nodes)
    if found:
        for _ in range(SETTLING):
            around.settle()
        around.look()


def _line(scene: Scene, around: Run, c: int) -> Line:
    """Return the line of cable c, which has been wound."""
    begin = int(around.model.cables.node_start[c])
    end = int(around.model.cables.node_start[c + 1]) - 1
    position = around.work.nodes.position
    path = floats([position[begin], *hybrid_layer(scene.cables[c]).path, position[end]])
    spans = begin + np.flatnonzero(around.work.spans.length[begin:end] > 0.0)
    return Line(c, spans, path)


def _meetings(lines: list[Line], position: Array, thickness: float) -> list[Meeting]:
    """Return where spans of two lines cross; two that are nearer than ``thickness`` are one."""
    own = lines[0].cable == lines[1].cable
    found: list[Meeting] = []
    for i in lines[0].spans:
        others = lines[1].spans[lines[1].spans > i + 1] if own else lines[1].spans
        parts = _crossing_parts(
            position[i], position[i + 1], position[others], position[others + 1]
        )
        for j, x, y in zip(others, *parts, strict=True):
            if np.isnan(x):
                continue
            point = position[i] + x * (position[i + 1] - position[i])
            if all(np.linalg.norm(point - one.point) > thickness for one in found):
                found.append(Meeting((int(i), int(j)), (float(x), float(y)), point))
    return found


def _crossing_parts(a: Array, b: Array, c: Array, d: Array) -> tuple[Array, Array]:
    """Return the parts at which the span a b crosses spans c d, (n, 3); NaN where it does not."""
    u, v, w = b - a, d - c, c - a
    normal = np.cross(u, v)
    size = _dot(normal, normal)
    askew = size >= ASKEW**2 * _dot(u, u) * _dot(v, v)
    size = np.where(askew, size, np.nan)
    x = _dot(np.cross(w, v), normal) / size
    y = _dot(np.cross(w, u), normal) / size
    apart = np.abs(_dot(w, normal)) / np.sqrt(size)
    inside = (np.minimum(x, y) >= -1e-6) & (np.maximum(x, y) <= 1.0 + 1e-6)
    meets = inside & (apart < TOUCHING)
    return np.where(meets, x, np.nan), np.where(meets, y, np.nan)


def _dot(a: Array, b: Array) -> Array:
    """Return the dot products of vectors in the last axis."""
    return (a * b).sum(axis=-1)


def _heights(lines: list[Line], meeting: Meeting, normal: Array, work_length: Array) -> list[float]:
    """Return how far the paths of both parts of rope are off the meeting, along the normal [m]."""
    own = lines[0].cable == lines[1].cable
    heights = []
    for side, line in enumerate(lines):
        path = line.path
        if own:
            middle = _middle(line, meeting, work_length)
            path = _part_of(path, (0.0, middle) if side == 0 else (middle, 1.0))
        heights.append(float((_nearest(path, meeting.point) - meeting.point) @ normal))
    return heights


def _middle(line: Line, meeting: Meeting, work_length: Array) -> float:
    """Return the part of a wire halfway between its two nodes of a crossing."""
    lengths = work_length[line.spans]
    ends = np.cumsum([0.0, *lengths])
    places = [
        ends[np.searchsorted(line.spans, span)] + part * work_length[span]
        for span, part in zip(meeting.spans, meeting.parts, strict=True)
    ]
    return float(np.mean(places) / ends[-1])


def _part_of(path: Array, bounds: tuple[float, float]) -> Array:
    """Return the part of a polyline between two parts of its length."""
    ends = np.cumsum([0.0, *np.linalg.norm(np.diff(path, axis=0), axis=1)])
    first, last = (bound * ends[-1] for bound in bounds)
    inside = path[(ends > first) & (ends < last)]
    tips = [[np.interp(s, ends, path[:, axis]) for axis in range(3)] for s in (first, last)]
    return np.array([tips[0], *inside, tips[1]])


def _nearest(path: Array, point: Array) -> Array:
    """Return the point of a polyline that is nearest to a point."""
    best = path[0]
    for a, b in pairwise(path):
        along = b - a
        x = np.clip((point - a) @ along / max(float(along @ along), 1e-300), 0.0, 1.0)
        here = a + x * along
        if np.linalg.norm(here - point) < np.linalg.norm(best - point):
            best = here
    return best


def _nodes(
    scene: Scene, around: Run, p: int, which: int, lines: list[Line], meeting: Meeting
) -> list[Node]:
    """Return the two nodes of a crossing of pair p where two spans meet on a solid."""
    model, state, _, work = around
    solids = solids_of(scene, model, state, lines[0].cable)
    depths = [solid.nearest_face(meeting.point) for solid in solids]
    below = int(np.argmax([deep for deep, _ in depths]))
    deep, normal = depths[below]
    thickness = float(model.crossings.thickness[p])
    heights = _heights(lines, meeting, normal, work.spans.length)
    if abs(heights[0] - heights[1]) < TELLS * thickness:
        names = " and ".join(repr(scene.cables[line.cable].name) for line in lines)
        raise ModelError(
            f"cables {names} cross at ({', '.join(f'{x:.4g}' for x in meeting.point)}) on "
            f"{solids[below].name!r}, and their paths are {abs(heights[0] - heights[1]):.3g} m "
            f"apart there: lead one above the other by {TELLS * thickness:.3g} m at least"
        )
    upper = int(heights[1] > heights[0])
    lower_cable, upper_cable = lines[1 - upper].cable, lines[upper].cable
    name = scene.cables[lines[0].cable].touches[below]
    solid = int(model.touches.start[lower_cable]) + scene.cables[lower_cable].touches.index(name)
    shared = np.arange(*model.touches.start[upper_cable : upper_cable + 2])
    shared = shared[model.touches.body[shared] == model.touches.body[solid]]
    rough = float(model.crossings.friction[p])
    line = np.zeros(COLUMNS)
    line[:3] = normal if upper == 0 else -normal
    line[ROUGH] = rough
    line[SHARE] = 1.0
    line[NUMBER] = int(model.crossings.body[p]) + which
    foot = meeting.point + (deep + OFF) * normal
    return [
        Node(
            lines[side].cable,
            meeting.spans[side],
            meeting.parts[side],
            foot + thickness * normal if side == upper else foot,
            int(shared[0]) if side == upper else solid,
            rough + float(model.touches.friction[solid]) * (side != upper) > 0.0,
            1.0 if side == 0 else -1.0,
            line,
        )
        for side in range(2)
    ]


def _insert(scene: Scene, around: Run, node: Node) -> None:
    """Put one node of a crossing into its span."""
    model, state, _, _ = around
    k = node.span + 1
    own = int(model.cables.node_start[node.cable]) + own_nodes(scene.cables[node.cable])
    end = own[np.searchsorted(own, k)]
    unused = k + np.flatnonzero(state.nodes.contact_solid[k:end] == UNUSED)
    if not unused.size:
        cable = scene.cables[node.cable]
        raise ModelError(
            f"cable {cable.name!r}: contacts {cable.contacts} is too few for its crossings and the "
            f"edges that it bends over; give it more, up to {MOST_CONTACTS}"
        )
    nodes = state.nodes
    for array in (
        nodes.body,
        nodes.row_entry,
        nodes.contact_solid,
        nodes.point,
        nodes.line,
        nodes.friction_state,
    ):
        array[k + 1 : unused[0] + 1] = array[k : unused[0]].copy()
    body = int(model.touches.body[node.solid])
    nodes.body[k] = body
    nodes.row_entry[k] = model.touches.row_entry[node.solid]
    nodes.contact_solid[k] = LANDED
    nodes.point[k] = (node.point - state.bodies.position[body]) @ rotation(
        state.bodies.orientation[body]
    )
    nodes.line[k] = node.line
    nodes.line[k, SOLID] = node.solid
    nodes.line[k, SIDE] = node.side
    nodes.friction_state[k] = STUCK if node.rough else FREE
