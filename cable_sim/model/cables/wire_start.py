"""Start of hybrid wires: their rope, their masses, and the contact nodes of wound ones."""

from itertools import pairwise

import numpy as np

from cable_sim.errors import warn
from cable_sim.kernels.cables.contact.contact_path import MASSIVE, UNUSED
from cable_sim.kernels.records.world import Ints, Model, State, Workspace
from cable_sim.model.basis.crossings import hybrid_cables, hybrid_layer
from cable_sim.model.basis.frames import Array
from cable_sim.model.cables.laid_crossings import lay_crossings
from cable_sim.model.cables.obstacles import DEEP, own_nodes, solids_of
from cable_sim.model.cables.variants import Run
from cable_sim.model.cables.winding import LOOSE, strands_of, wind
from cable_sim.model.cables.wires import shortest_spacing
from cable_sim.model.laying.hanging import Strand
from cable_sim.model.laying.laying import lay, points_along, refuse_below, rests_on
from cable_sim.spec import Cable, Scene

ROUNDING = 1e-9
"""Part of its way that a wire may be too long by, and is taut."""
TAUT = float(np.finfo(float).eps)
"""Strain of a wire that is just taut: its ends bear its weight."""
SETTLING = 20
"""Rounds of setting the contact nodes at the start."""


def start_wires(scene: Scene, around: Run, dt: float) -> None:
    """Give the wires, which have been laid, their rope; give masses to slack ones in the air.

    A wire gets masses if it hangs between two ends.
    """
    model, state, _, work = around
    for cable, c in zip(hybrid_cables(scene), model.wires.cable, strict=True):
        begin, end = _ends(model, int(c))
        for node, k in ((cable.nodes[0], begin), (cable.nodes[-1], end)):
            if node.kind == "loose":
                state.nodes.contact_solid[k] = MASSIVE
        own = int(model.cables.node_start[c]) + own_nodes(cable)
        state.nodes.velocity[own] = _velocities(state, work, own)
        refuse_below(cable, work.nodes.position[[begin, end]], rests_on(hybrid_layer(cable).ground))
        if hybrid_layer(cable).wound:
            wind(scene, int(c), around, _length(around, int(c)))
    lay_crossings(scene, around)
    for cable, c in zip(hybrid_cables(scene), model.wires.cable, strict=True):
        begin, end = _ends(model, int(c))
        length = _length(around, int(c))
        spans = work.spans.length[begin:end]
        state.spans.rest_length[begin:end] = length * spans / spans.sum()
        strained = float(spans.sum()) + cable.torque_arm * cable.twist
        slack = length > strained * (1.0 + ROUNDING)
        if cable.axial_rigidity and not slack:
            strain = max(strained / length - 1.0, TAUT)
            state.spans.tension_impulse[begin:end] = dt * cable.axial_rigidity * strain
            state.spans.elastic_impulse[begin:end] = state.spans.tension_impulse[begin:end]
        hangs = slack and (state.nodes.contact_solid[begin + 1 : end] == UNUSED).all()
        if hybrid_layer(cable).wound:
            continue
        if len(cable.nodes) > 2 and hybrid_layer(cable).path:
            _lay_strands(cable, around, int(c), length)
        elif len(cable.nodes) == 2 and (hangs or hybrid_layer(cable).path):
            _hang(scene, around, int(c), length)


def _ends(model: Model, c: int) -> tuple[int, int]:
    """Return the first and last node of cable c."""
    return int(model.cables.node_start[c]), int(model.cables.node_start[c + 1]) - 1


def _velocities(state: State, work: Workspace, nodes: Ints) -> Array:
    """Return the velocities of nodes on their bodies, which rope held to them has too (n, 3)."""
    body = state.nodes.body[nodes]
    speed, turn = state.bodies.velocity[body, :3], state.bodies.velocity[body, 3:]
    moved: Array = speed + np.cross(turn, work.nodes.position[nodes] - state.bodies.position[body])
    return moved


def _length(around: Run, c: int) -> float:
    """Return the length of rope that cable c has out at the start [m]."""
    cables = around.model.cables
    winch = int(cables.winch[c])
    paid_out = float(around.state.bodies.position[winch, 0]) if winch >= 0 else 0.0
    return float(cables.length[c]) + paid_out


def _way(cable: Cable, work: Workspace, begin: int, end: int) -> Array:
    """Return the path of a cable with both of its ends (n, 3) [m]."""
    position = work.nodes.position
    return np.array([position[begin], *hybrid_layer(cable).path, position[end]])


def settle_wires(scene: Scene, around: Run) -> None:
    """Set contact nodes where the masses of the start lay the wires through solids.

    The whole detour is added: none is owed.
    """
    for _ in range(SETTLING):
        around.settle()
    _warn_of_paths(scene, around.model, around.work)


def _warn_of_paths(scene: Scene, model: Model, work: Workspace) -> None:
    """Warn of wires beside solids whose masses at the start cut their path short, once nodes are
    placed."""
    for cable, c in zip(hybrid_cables(scene), model.wires.cable, strict=True):
        if not (hybrid_layer(cable).path and cable.touches) or hybrid_layer(cable).wound:
            continue
        begin, end = _ends(model, int(c))
        corners = _way(cable, work, begin, end)
        whole = float(np.linalg.norm(np.diff(corners, axis=0), axis=1).sum())
        way = float(work.spans.length[begin:end].sum())
        if way < (1.0 - LOOSE) * whole:
            warn(
                f"cable {cable.name!r}: hybrid: path: it is {whole:.4g} m long, and the wire's "
                f"way over its masses {way:.4g} m, more than {LOOSE:.0%} less: they cut its "
                "bends; give it more masses, or wound=True",
                3,
            )


def _hang(scene: Scene, around: Run, c: int, length: float) -> None:
    """Set the masses of a wire between two ends.

    They are along its path or, of a slack one, the curve in which it hangs.
    """
    model, state, _, work = around
    cable = scene.cables[c]
    begin, end = _ends(model, c)
    count = min(hybrid_layer(cable).most, int(length / shortest_spacing(cable, length) + 1e-9) - 1)
    if count < 1:
        return
    span = length / (count + 1)
    rigidity = cable.axial_rigidity
    weight = cable.density * span * float(np.linalg.norm(model.gravity))
    strand = Strand(count + 1, span, weight / rigidity if rigidity else 0.0, pushes=False)
    way = _way(cable, work, begin, end)
    points = lay(cable, way, strand, model.gravity, rests_on(hybrid_layer(cable).ground))
    solids = solids_of(scene, model, state, c) if len(way) == 2 else []
    if any(solid.cut(*ends) > DEEP for solid in solids for ends in pairwise(points)):
        return  # it starts straight, and falls on what is below it
    _set_masses(points[1:-1], state, begin, end)
    state.spans.rest_length[begin:end] = 0.0
    state.spans.rest_length[begin : begin + count + 1] = length / (count + 1)


def _lay_strands(cable: Cable, around: Run, c: int, length: float) -> None:
    """Set the masses of a wire along its path, which comes by eyes, as evenly as these allow."""
    model, state, _, work = around
    own = int(model.cables.node_start[c]) + own_nodes(cable)
    strands = strands_of(cable, work.nodes.position[own])
    ways = [float(np.linalg.norm(np.diff(s.points, axis=0), axis=1).sum()) for s in strands]
    spacing = max(shortest_spacing(cable, length), length / (hybrid_layer(cable).most + 1))
    for strand, way, begin, end in zip(strands, ways, own, own[1:], strict=False):
        rope = length * way / sum(ways)
        parts = max(int(rope / spacing + 1e-9), 1)
        points = points_along(strand.points, np.linspace(0.0, 1.0, parts + 1))
        _set_masses(points[1:-1], state, int(begin), int(end))
        state.spans.rest_length[begin:end] = 0.0
        state.spans.rest_length[begin : begin + parts] = rope / parts


def _set_masses(points: Array, state: State, begin: int, end: int) -> None:
    """Make points [m] the only nodes of a wire between its ends."""
    inside = slice(begin + 1, begin + 1 + len(points))
    room = slice(begin + 1 + len(points), end)
    state.nodes.body[inside] = 0
    state.nodes.row_entry[inside] = -1
    state.nodes.contact_solid[inside] = MASSIVE
    state.nodes.contact_solid[room] = UNUSED
    state.nodes.point[inside] = points
    for nodes in (state.nodes.body, state.nodes.point, state.nodes.row_entry):
        nodes[room] = nodes[end]
