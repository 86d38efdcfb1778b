"""Contact nodes at the start, of cables that run over obstacles in the scene as built."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import ModelError, warn
from cable_sim.kernels.cables.contact.contact_path import COLUMNS, FREE, STUCK
from cable_sim.kernels.cables.contact.polyhedron import INSIDE
from cable_sim.kernels.cables.hybrid.wire_transverse import PLACES
from cable_sim.kernels.records.arrays import replace_array
from cable_sim.kernels.records.world import Model, State, Workspace
from cable_sim.kernels.status import CONTACTS_FULL
from cable_sim.model.basis.frames import Array
from cable_sim.model.cables.cables import refuse_short, winch_coordinates
from cable_sim.model.cables.obstacles import DEEP, own_nodes, solids_of
from cable_sim.model.cables.variants import Run
from cable_sim.spec import Scene

OWN = ("nodes.loss", "nodes.guide", "nodes.held_direction")
"""Properties of cables' own nodes that may change while a scene runs."""
SETTLING = 100
SETTLED = 1e-12
"""Most rounds of setting the contact nodes at the start; and the change of their ways when they
rest [m]."""


def start_nodes(arrays: dict[str, Any]) -> dict[str, Any]:
    """Return the state arrays of the nodes before any contact.

    Arrays that contacts change are taken out of the model's ``arrays``.
    """
    count = arrays["nodes.body"].size
    holding = _holding_sheaves(arrays)
    return {
        name: arrays.pop(name) for name in ("nodes.body", "nodes.point", "nodes.row_entry", *OWN)
    } | {
        "nodes.contact_solid": np.full(count, -1),
        "nodes.line": np.zeros((count, COLUMNS)),
        "nodes.path_offset": np.zeros(count),
        "nodes.velocity": np.zeros((count, 3)),
        "nodes.inertia_impulse": np.zeros((count, 3)),
        "spans.rest_length": np.zeros(count),
        "spans.tension_impulse": np.zeros(count),
        "spans.elastic_impulse": np.zeros(count),
        "spans.tension_before": np.zeros(count),
        "spans.energy_taken": np.zeros((count, PLACES)),
        "nodes.friction_state": holding,
        "touches.pierced": np.zeros(arrays["touches.body"].size, dtype=np.int64),
    }


def _holding_sheaves(arrays: dict[str, Any]) -> NDArray[np.int64]:
    """Return the friction at the start: sheaves with losses hold the rope of hybrid wires."""
    wire = np.repeat(arrays["cables.wire"], np.diff(arrays["cables.node_start"]))
    return np.where(wire & (arrays["nodes.loss"] > 0.0), STUCK, FREE)


def settle(scene: Scene, around: Run) -> tuple[Array, bool]:
    """Lay the cables over the obstacles in their way, and lengthen those without a given length.

    They get longer by the detour. Such a cable then carries its pretension on the way that it
    takes: its strain stays, or its elongation if it has the same stiffness at any length. Changes
    the state, and returns ``cable_length`` of the model, and whether there was room for all contact
    nodes. ``scene`` is the one without room for them.

    Raises ModelError for an end or eye inside of an obstacle, and for a cable that stays inside.
    """
    # friction is there when the rope has been laid
    smooth = np.zeros_like(around.model.touches.friction)
    smooth.flags.writeable = False
    around = around._replace(model=replace_array(around.model, "touches.friction", smooth))
    model, state, _, work = around
    around.look()
    _refuse_inside(scene, model, state, work)
    first = model.cables.node_start[:-1]
    winch = model.cables.winch
    before = work.nodes.remaining_path_length[first].copy()
    for _ in range(SETTLING):
        path = work.nodes.remaining_path_length[first].copy()
        flags = around.settle()
        around.look()
        if np.abs(work.nodes.remaining_path_length[first] - path).max(initial=0.0) < SETTLED:
            break
    if flags & CONTACTS_FULL:
        return model.cables.length, False
    _refuse_through(scene, model, state, work)
    lengths = model.cables.length + np.where(winch >= 0, state.bodies.position[winch, 0], 0.0)
    for c, cable in enumerate(scene.cables):
        if cable.touches and cable.length is not None:
            refuse_short(
                cable, float(lengths[c]), float(work.nodes.remaining_path_length[first[c]])
            )
        if cable.length is None and not cable.driven:
            after = work.nodes.remaining_path_length[first[c]]
            strains = cable.axial_rigidity is not None
            lengths[c] *= after / before[c] if strains else 1.0
            lengths[c] += 0.0 if strains else after - before[c]
    start, lengths = winch_coordinates(scene, lengths)
    for c, cable in enumerate(scene.cables):
        if cable.winch:
            state.bodies.position[winch[c], 0] = start[cable.winch.name]
    return lengths, True


def warn_of_friction(scene: Scene) -> None:
    """Warn of cables over obstacles whose friction they do not feel."""
    mu = {obstacle.name: obstacle.friction for obstacle in scene.obstacles}
    for cable in scene.cables:
        for name in cable.touches:
            if mu[name] > 0.0 and not cable.feels_friction:
                warn(
                    f"cable {cable.name!r} slides over obstacle {name!r} without friction: the "
                    f"obstacle's friction {mu[name]:g} holds no cable that is driven or pushes; "
                    "make it 0, or leave out driven or pulls_only",
                    3,
                )


def most_contacts(scene: Scene, model: Model, state: State) -> list[int]:
    """Return the most contact nodes between two own nodes of each cable."""
    counts = []
    for first, cable in zip(model.cables.node_start, scene.cables, strict=False):
        own = first + own_nodes(cable)
        between = [
            int((state.nodes.contact_solid[a:b] >= 0).sum())
            for a, b in zip(own, own[1:], strict=False)
        ]
        counts.append(max(between, default=0))
    return counts


def _refuse_inside(scene: Scene, model: Model, state: State, work: Workspace) -> None:
    """Refuse an end or eye of a cable inside of an obstacle that the cable touches."""
    for c, cable in enumerate(scene.cables):
        points = work.nodes.position[model.cables.node_start[c] + own_nodes(cable)]
        for solid in solids_of(scene, model, state, c):
            for n, (node, point) in enumerate(zip(cable.nodes, points, strict=True)):
                deep = solid.depth(point)
                if deep > INSIDE:
                    raise ModelError(
                        f"cable {cable.name!r}: node {n} ({node.kind} on {node.body!r}) is "
                        f"{deep:.4g} m inside of obstacle {solid.name!r}, which is grown by the "
                        f"rope's radius of {0.5 * cable.diameter:.4g} m; move it outside, or take "
                        "the obstacle out of the cable's touches"
                    )


def _refuse_through(scene: Scene, model: Model, state: State, work: Workspace) -> None:
    """Refuse a cable with a straight span through an obstacle that it touches."""
    for c, cable in enumerate(scene.cables):
        spans = range(model.cables.node_start[c], model.cables.node_start[c + 1] - 1)
        for solid in solids_of(scene, model, state, c):
            deep = max(
                0.0 if state.spans.waves[k] else solid.cut(*work.nodes.position[k : k + 2])
                for k in spans
            )
            if deep > DEEP:
                raise ModelError(
                    f"cable {cable.name!r} starts {deep:.3g} m deep in obstacle {solid.name!r}, "
                    "and has found no way round it; start it beside the obstacle, or lead it "
                    "round with eyes"
                )
