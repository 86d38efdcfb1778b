"""Laying of wires that start wound around solids.

It is done as by hand: the end is led along the path, and the rope behind it kept taut.

What a rope that is drawn tight comes to is the shortest of all ways that its path can be drawn into
without crossing a solid. The end goes along the path in steps; in each the straight rope behind it
sweeps a triangle. Where that meets a solid, the step is halved until the rope goes in on the near
side and is not deep there, so that it is caught on the edge that it comes to, and none is passed
over. Edges that it comes off again let it go.
"""

import warnings
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from cable_sim.errors import CableSimWarning, ModelError
from cable_sim.kernels.cables.contact_path import UNUSED
from cable_sim.kernels.cables.polyhedron import INSIDE
from cable_sim.kernels.status import CONTACTS_FULL
from cable_sim.kernels.step import LOOK, SETTLE
from cable_sim.model.crossings import hybrid_layer
from cable_sim.model.damping import PROBE_STEP
from cable_sim.model.frames import Array
from cable_sim.model.obstacles import DEEP, Solid, solids_of
from cable_sim.model.records.arrays import replace_array
from cable_sim.model.types import Control, Model, State, Workspace
from cable_sim.model.variants import run
from cable_sim.spec import Cable, Scene
from cable_sim.spec.cables import MOST_CONTACTS

SHALLOW = 0.25
"""Depth in a solid that is allowed to a path, and to the rope in a step, as a part of its middle's
depth."""
FINEST = 1e-4
"""Shortest step, as a part of the way from one point of the path to the next."""
LOOSE = 0.01
"""Part of its way by which a longer wire is not wound tightly."""
ROUNDS = 50
AT_REST = 1e-12
"""Most rounds of setting the contact nodes in the end; and the change of the way when they rest
[m]."""


class Run(NamedTuple):
    """Arrays that a step is taken with."""

    model: Model
    state: State
    control: Control
    work: Workspace

    def settle(self) -> int:
        """Set the contact nodes; return status flags."""
        flags, _, _ = run(*self, PROBE_STEP, SETTLE)
        self.state.nodes.path_offset[:] = 0.0
        return int(flags)


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
    begin = int(model.cables.node_start[c])
    end = int(model.cables.node_start[c + 1]) - 1
    held = [array[end].copy() for array in _ends(state)]
    finish = work.nodes.position[end].copy()
    state.nodes.contact_solid[begin + 1 : end + 1] = UNUSED
    _lead(scene.cables[c], (begin, end), finish, solids_of(scene, model, state, c), around)
    room = np.append(
        begin + 1 + np.flatnonzero(state.nodes.contact_solid[begin + 1 : end] == UNUSED), end
    )
    for array, value in zip(_ends(state), held, strict=True):
        array[room] = value
    state.nodes.contact_solid[room[:-1]] = UNUSED
    _rest(begin, end, around)
    _check(scene, c, (begin, end), length, around)


def _ends(state: State) -> tuple[Any, ...]:
    """Return the state arrays that make a node an end."""
    return state.nodes.body, state.nodes.row_entry, state.nodes.contact_solid, state.nodes.point


def _lead(
    cable: Cable, nodes: tuple[int, int], finish: Array, solids: list[Solid], around: Run
) -> None:
    """Lead the end along the path, and to its last place.

    Between ``nodes`` there are contact nodes alone.
    """
    begin, end = nodes
    state = around.state
    work = around.work
    here = work.nodes.position[begin].copy()
    for i, (near, far) in enumerate(pairwise([here, *np.array(hybrid_layer(cable).path), finish])):
        done = 0.0
        step = 1.0
        while done < 1.0:
            step = min(step, 1.0 - done)
            there = _move_outside(cable, i, near + (done + step) * (far - near), solids)
            used = begin + int((state.nodes.contact_solid[begin:end] >= 0).sum())
            last = work.nodes.position[used].copy()
            if step > FINEST and not all(_catches(solid, last, here, there) for solid in solids):
                step *= 0.5
                continue
            state.nodes.body[used + 1 : end + 1] = 0
            state.nodes.row_entry[used + 1 : end + 1] = -1
            state.nodes.point[used + 1 : end + 1] = there
            if around.settle() & CONTACTS_FULL:
                raise ModelError(
                    f"cable {cable.name!r}: contacts {cable.contacts} is too few: on the way to "
                    f"{_place(cable, i)} it bends over more edges; give it more, up to "
                    f"{MOST_CONTACTS}, or fewer turns"
                )
            here = there
            done = done + step
            step = 2.0 * step


def _place(cable: Cable, i: int) -> str:
    """Return the name of the point where part i of the way along the path ends."""
    return f"point {i} of its path" if i < len(hybrid_layer(cable).path) else "its last node"


def _move_outside(cable: Cable, i: int, point: Array, solids: list[Solid]) -> Array:
    """Return the point, or the nearest one of a solid's surface if the point is in that solid."""
    for solid in solids:
        deep, normal = solid.nearest_face(point)
        if deep > SHALLOW * solid.middle:
            raise ModelError(
                f"cable {cable.name!r}: hybrid: path: on the way to {_place(cable, i)}, at "
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
        run(*around, PROBE_STEP, LOOK)
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
        warnings.warn(
            f"cable {cable.name!r}: hybrid: wound: it is {length:.4g} m long and its way, drawn "
            f"tight, {way:.4g} m: it starts {length - way:.3g} m slack, more than {LOOSE:.0%}",
            CableSimWarning,
            stacklevel=2,
        )
