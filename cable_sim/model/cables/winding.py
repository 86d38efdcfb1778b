"""Laying of wires that start wound around solids.

It is done as by hand: the end is led along the path, and the rope behind it kept taut. Where there
are eyes, that is done from node to node.

What a rope that is drawn tight comes to is the shortest of all ways that its path can be drawn into
without crossing a solid. The end goes along the path in steps; in each the straight rope behind it
sweeps a triangle. Where that meets a solid, the step is halved until the rope goes in on the near
side and is not deep there, so that it is caught on the edge that it comes to, and none is passed
over. Edges that it comes off again let it go.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from cable_sim.errors import ModelError, warn
from cable_sim.kernels.cables.contact.contact_path import UNUSED
from cable_sim.kernels.cables.contact.polyhedron import INSIDE
from cable_sim.kernels.records.arrays import replace_array
from cable_sim.kernels.records.world import State
from cable_sim.kernels.status import CONTACTS_FULL
from cable_sim.model.basis.crossings import hybrid_layer
from cable_sim.model.basis.frames import Array
from cable_sim.model.cables.obstacles import DEEP, Solid, own_nodes, solids_of
from cable_sim.model.cables.variants import Run
from cable_sim.spec import Cable, Scene
from cable_sim.spec.cables.cables import MOST_CONTACTS

SHALLOW = 0.25
"""Depth in a solid that is allowed to a path, and to the rope in a step, as a part of its middle's
depth."""
FINEST = 1e-4
"""Shortest step, as a part of the way from one point of the path to the next."""
LOOSE = 0.01
"""Part of its way by which a longer wire is not wound tightly."""
TOUCHING = 1e-6
"""Distance of a path from an eye that it comes to [m]."""
ROUNDS = 50
AT_REST = 1e-12
"""Most rounds of setting the contact nodes in the end; and the change of the way when they rest
[m]."""


def wind(scene: Scene, c: int, around: Run, length: float) -> None:
    """Set the contact nodes of cable c, which is ``length`` long [m], along its path.

    Raises ModelError for a path deep in a solid, too few contacts, and a wire that stays in a
    solid. Warns of a wire that is longer than its way by more than the part ``LOOSE`` of it.
    """
    # drawn tight it feels no friction yet, laid it sticks wherever it is led
    laid = hybrid_layer(scene.cables[c]).wound == "laid"
    friction = np.full_like(around.model.touches.friction, 1.0 if laid else 0.0)
    friction.flags.writeable = False
    around = around._replace(model=replace_array(around.model, "touches.friction", friction))
    model, state, _, work = around
    own = (int(model.cables.node_start[c]) + own_nodes(scene.cables[c])).tolist()
    strands = strands_of(scene.cables[c], work.nodes.position[own])
    held = [[array[k].copy() for array in _ends(state)] for k in own]
    solids = solids_of(scene, model, state, c)
    state.nodes.contact_solid[own[0] + 1 : own[-1] + 1] = UNUSED
    for i, (begin, end) in enumerate(pairwise(own)):
        _lead(scene.cables[c], (begin, end, own[-1]), strands[i], solids, around)
        room = begin + 1 + np.flatnonzero(state.nodes.contact_solid[begin + 1 : end] == UNUSED)
        for array, value in zip(_ends(state), held[i + 1], strict=True):
            array[[*room, end]] = value
        state.nodes.contact_solid[room] = UNUSED
    _rest(own[0], own[-1], around)
    _check(scene, c, (own[0], own[-1]), length, around)


class Strand(NamedTuple):
    """Part of a path: its points from one node to the next one (n, 3) [m], and the number of points
    of the path before it."""

    points: Array
    before: int


def strands_of(cable: Cable, nodes: Array) -> list[Strand]:
    """Return the strands of a path between the nodes of a cable (n, 3) [m].

    Raises ModelError if it does not come by one of them.
    """
    path = np.array(hybrid_layer(cable).path).reshape(-1, 3)
    strands = []
    begin = 0
    for i, node in enumerate(nodes[1:], start=1):
        at = len(path)
        if i < len(nodes) - 1:
            passes = np.linalg.norm(path[begin:] - node, axis=1) < TOUCHING
            if not passes.any():
                raise ModelError(
                    f"cable {cable.name!r}: hybrid: path: behind its point {begin} it does not "
                    f"come to nodes.{i}, at ({', '.join(f'{x:.6g}' for x in node)}); allowed is a "
                    "path with the place of each eye among its points, in order"
                )
            at = begin + int(np.argmax(passes))
        strands.append(Strand(np.array([nodes[i - 1], *path[begin:at], node]), begin))
        begin = at + 1
    return strands


def _ends(state: State) -> tuple[Any, ...]:
    """Return the state arrays that make a node an end."""
    return state.nodes.body, state.nodes.row_entry, state.nodes.contact_solid, state.nodes.point


def _lead(
    cable: Cable, nodes: tuple[int, int, int], strand: Strand, solids: list[Solid], around: Run
) -> None:
    """Lead the rope behind a node along its strand, to the next node.

    ``nodes`` are these two, and the last one of the cable. Between the two there are contact nodes
    alone; all rope behind them goes along at one point.
    """
    begin, end, last = nodes
    state = around.state
    work = around.work
    here = strand.points[0]
    for i, (near, far) in enumerate(pairwise(strand.points)):
        place = _place(cable, strand, i)
        done = 0.0
        step = 1.0
        while done < 1.0:
            step = min(step, 1.0 - done)
            there = _move_outside(cable, place, near + (done + step) * (far - near), solids)
            used = begin + int((state.nodes.contact_solid[begin:end] >= 0).sum())
            bend = work.nodes.position[used].copy()
            if step > FINEST and not all(_catches(solid, bend, here, there) for solid in solids):
                step *= 0.5
                continue
            state.nodes.body[used + 1 : last + 1] = 0
            state.nodes.row_entry[used + 1 : last + 1] = -1
            state.nodes.point[used + 1 : last + 1] = there
            if around.settle() & CONTACTS_FULL:
                raise ModelError(
                    f"cable {cable.name!r}: contacts {cable.contacts} is too few: on the way to "
                    f"{place} it bends over more edges; give it more, up to "
                    f"{MOST_CONTACTS}, or fewer turns"
                )
            here = there
            done = done + step
            step = 2.0 * step


def _place(cable: Cable, strand: Strand, i: int) -> str:
    """Return the name of the point where part i of the way along a strand ends."""
    point = strand.before + i
    return (
        f"point {point} of its path" if point < len(hybrid_layer(cable).path) else "its last node"
    )


def _move_outside(cable: Cable, place: str, point: Array, solids: list[Solid]) -> Array:
    """Return the point, or the nearest one of a solid's surface if the point is in that solid."""
    for solid in solids:
        deep, normal = solid.nearest_face(point)
        if deep > SHALLOW * solid.middle:
            raise ModelError(
                f"cable {cable.name!r}: hybrid: path: on the way to {place}, at "
                f"({', '.join(f'{x:.4g}' for x in point)}), it goes {deep:.3g} m deep through "
                f"obstacle {solid.name!r}, grown by the rope's radius, where "
                f"{SHALLOW * solid.middle:.3g} m is allowed; lead it outside"
            )
        point = point + max(deep, 0.0) * normal
    return point


def _catches(solid: Solid, last: Array, here: Array, there: Array) -> bool:
    """Return True if a rope from ``last`` misses a solid or is caught by it in a step of its end.

    The end goes from ``here`` to ``there``.
    """
    swept = solid.part_inside(np.array([last, here, there]))
    if not len(swept):
        return True
    deep = solid.depth(swept.mean(axis=0))
    return deep <= INSIDE or (deep <= SHALLOW * solid.middle and solid.cut(last, there) > INSIDE)


def _rest(begin: int, end: int, around: Run) -> None:
    """Set the contact nodes until they rest."""
    way = 0.0
    for _ in range(ROUNDS):
        around.settle()
        around.look()
        before = way
        way = float(around.work.spans.length[begin:end].sum())
        if abs(way - before) < AT_REST:
            return


def _check(scene: Scene, c: int, nodes: tuple[int, int], length: float, around: Run) -> None:
    """Refuse a wire that stays in a solid, and warn of one that is not wound tightly."""
    begin, end = nodes
    cable = scene.cables[c]
    work = around.work
    for solid in solids_of(scene, around.model, around.state, c):
        depths = [solid.cut(*work.nodes.position[k : k + 2]) for k in range(begin, end)]
        if max(depths) > DEEP:
            point = work.nodes.position[begin + int(np.argmax(depths))]
            raise ModelError(
                f"cable {cable.name!r}: hybrid: wound: behind "
                f"({', '.join(f'{x:.4g}' for x in point)}) it stays {max(depths):.3g} m deep in "
                f"obstacle {solid.name!r}; give its path more points there"
            )
    way = float(work.spans.length[begin:end].sum())
    if length > (1.0 + LOOSE) * way:
        warn(
            f"cable {cable.name!r}: hybrid: wound: it is {length:.4g} m long and its way, drawn "
            f"tight, {way:.4g} m: it starts {length - way:.3g} m slack, more than {LOOSE:.0%}",
            2,
        )
