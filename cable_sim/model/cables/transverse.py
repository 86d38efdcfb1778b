"""Choice and packing of the spans with inertia rows of ``kernels/cables/massless/transverse.py``.

The criterion is z^2 = h^2 K (1/m + r^2/I) with the largest tension to be expected: a few times the
weight of all bodies, the tension at the start, and what their kinetic energy could do along the
cable. Where that stays small, as in a crane at a millisecond, there are no rows and no cost. Spans
of hybrid wires may be as short as contacts leave them; ``SHORT`` of the rope is what counts.
"""

import itertools
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from cable_sim.kernels.cables.hybrid.wire_transverse import (
    FIRST_ARM,
    FIRST_SPAN,
    LAST_ARM,
    LAST_SPAN,
    PLACES,
)
from cable_sim.kernels.cables.massless.transverse import ACROSS, AT_END, AT_START, CALM
from cable_sim.kernels.multibody.rows import INERTIA
from cable_sim.model.basis.bodies import BodyIndex, inertia_of
from cable_sim.model.basis.frames import Array
from cable_sim.model.basis.rows import RowTable
from cable_sim.model.cables.paths import bodies_on
from cable_sim.spec import Cable, Scene

DYNAMIC_FACTOR = 4.0
"""Largest tension to be expected over the weight of all bodies."""
Mobility = dict[str, tuple[float, float]]
"""1/m and the largest 1/I of bodies by their names."""
SHORT = 0.05
"""Length of a hybrid wire's span that is short, over that of its rope [-]."""


def weight_and_energy(scene: Scene) -> tuple[float, float]:
    """Weight [N] and kinetic energy of translation [J] at the start of all bodies that obey
    forces."""
    moving = [body for body in scene.bodies if body.motion == "dynamic"]
    weight = float(np.linalg.norm(scene.gravity)) * sum(body.mass for body in moving)
    return weight, 0.5 * sum(
        body.mass * float(np.dot(body.velocity, body.velocity)) for body in moving
    )


def largest_tension(
    weight: float, energy: float, path: float, length: float, cable: Cable
) -> float:
    """Return the tension that a cable may come under [N].

    ``path`` and unstretched ``length`` are those at the start [m].
    """
    stiffness = cable.stiffness or (cable.axial_rigidity or 0.0) / length
    return DYNAMIC_FACTOR * (weight + max(stiffness * (path - length), 0.0)) + 2.0 * energy / path


class Places(NamedTuple):
    """Inertia rows of a cable: J M^-1 J^T and first row at each place, in the rows of its nodes."""

    mobility: Array
    row: Array


def pack_transverse(
    scene: Scene, index: BodyIndex, rows: RowTable, lengths: Array, slots: Array, dt: float
) -> dict[str, Any]:
    """Return the model arrays of the inertia rows, and add the rows.

    ``lengths`` are the cables' unstretched lengths [m], ``slots`` the room behind each node.
    """
    held = {node.body for cable in scene.cables for node in cable.nodes}
    moving = [body for body in scene.bodies if body.motion == "dynamic"]
    mobility = {body.name: _mobility(body) for body in moving if body.name in held}
    nodes = sum(len(cable.nodes) for cable in scene.cables)
    calm_row = np.full((nodes, PLACES), -1)
    span_mobility = np.zeros((nodes, PLACES))
    first = 0
    calm = np.ones(len(scene.cables), dtype=bool)
    weight, energy = weight_and_energy(scene)
    for c, (cable, length) in enumerate(zip(scene.cables, lengths.tolist(), strict=True)):
        own = slice(first, first + len(cable.nodes))
        places = Places(span_mobility[own], calm_row[own])
        first = own.stop
        spans = np.linalg.norm(np.diff(np.array(index.places(cable)), axis=0), axis=1)
        path = float(spans.sum()) or length
        tension = dt * dt * largest_tension(weight, energy, path, length, cable)
        if cable.model.adaptive:
            ends = itertools.pairwise(own_among(slots[own]))
            _pack_strands(cable, ends, tension, SHORT * length, mobility, index, rows, places)
        elif not cable.made_of_masses:
            _pack_spans(cable, spans, tension, mobility, index, rows, places)
        calm[c] = (places.row < 0).all()
    return {
        "cables.lacks_inertia_rows": calm,
        "spans.inertia_row": calm_row,
        "spans.mobility": span_mobility,
    }


def _pack_spans(
    cable: Cable,
    spans: Array,
    tension: float,
    mobility: Mobility,
    index: BodyIndex,
    rows: RowTable,
    places_out: Places,
) -> None:
    """Pack the places of a cable of straight ``spans`` [m]; ``tension`` times h^2 is expected."""
    for k, span in enumerate(spans):
        places_out.mobility[k, :LAST_SPAN] = _span_mobility(cable, k, mobility)
        arms = [np.linalg.norm(node.position) for node in cable.nodes[k : k + 2]]
        if span == 0.0:
            continue  # room for a contact node
        springs = tension * np.array([1.0 / span, *arms])
        needed = springs * places_out.mobility[k, :LAST_SPAN] > CALM
        places_out.row[k, :LAST_SPAN] = _add_rows(cable, k, needed, index, rows)


def _pack_strands(
    cable: Cable,
    strands: Iterable[tuple[int, int]],
    tension: float,
    short: float,
    mobility: Mobility,
    index: BodyIndex,
    rows: RowTable,
    places_out: Places,
) -> None:
    """Pack the places of a hybrid wire whose spans may be as ``short`` [m] as that."""
    for p, q in strands:
        ends = (cable.nodes[p], cable.nodes[q])
        places_out.mobility[p] = _strand_mobility(ends, mobility)
        needed = tension * _strand_springs(ends, short) * places_out.mobility[p] > CALM
        places_out.row[p] = _add_strand_rows(cable, ends, needed, index, rows)


def _mobility(body: Any) -> tuple[float, float]:
    """1/m and the largest 1/I of a body."""
    return 1.0 / body.mass, 1.0 / float(np.linalg.eigvalsh(inertia_of(body))[0])


def _span_mobility(cable: Cable, k: int, mobility: Mobility) -> list[float]:
    """Return the largest J M^-1 J^T of span k.

    It is that across the span [1/kg], and about the normals at its two ends [1/(kg m^2)].
    """
    near, far = cable.nodes[k : k + 2]
    across = 0.0
    about = []
    for node in (near, far):
        per_mass, per_inertia = mobility.get(node.body, (0.0, 0.0))
        across += per_mass + float(np.dot(node.position, node.position)) * per_inertia
        about.append(per_inertia)
    return [0.0, 0.0, 0.0] if near.body == far.body else [across, *about]


def _add_rows(cable: Cable, k: int, needed: Any, index: BodyIndex, rows: RowTable) -> list[int]:
    """Add the pairs of rows that span k needs; return their first rows, -1 for none."""
    ends = [index.row[node.body] for node in cable.nodes[k : k + 2]]
    bodies = {ACROSS: [body for body in ends if body != 0], AT_START: ends[:1], AT_END: ends[1:]}
    return [
        _pair(rows, bodies[place]) if needed[place] else -1 for place in (ACROSS, AT_START, AT_END)
    ]


def own_among(slots: Array) -> list[int]:
    """Return the nodes of a cable that are no room for others, among all, by the room behind."""
    own = [0]
    while own[-1] < len(slots) - 1:
        own.append(own[-1] + int(slots[own[-1]]) + 1)
    return own


def _strand_mobility(ends: tuple[Any, Any], mobility: Mobility) -> Array:
    """Return the largest J M^-1 J^T at each place of a strand; 0 where its body does not move."""
    found = np.zeros(PLACES)
    for node, across, about in zip(
        ends, (FIRST_SPAN, LAST_SPAN), (FIRST_ARM, LAST_ARM), strict=True
    ):
        per_mass, per_inertia = mobility.get(node.body, (0.0, 0.0))
        found[across] = per_mass + float(np.dot(node.position, node.position)) * per_inertia
        found[about] = per_inertia
    if ends[0].body != ends[1].body:  # the only span may be between both
        found[FIRST_SPAN] += found[LAST_SPAN]
    return found


def _strand_springs(ends: tuple[Any, Any], short: float) -> Array:
    """Return K over the tension at each place of a strand [1/m, m]."""
    springs = np.full(PLACES, 1.0 / short)
    springs[[FIRST_ARM, LAST_ARM]] = [np.linalg.norm(node.position) for node in ends]
    return springs


def _add_strand_rows(
    cable: Cable, ends: tuple[Any, Any], needed: Any, index: BodyIndex, rows: RowTable
) -> list[int]:
    """Add the pairs of rows that a strand needs; return their first rows, -1 for none."""
    carriers = bodies_on(cable, index)
    bodies = {
        FIRST_SPAN: carriers,
        FIRST_ARM: [index.row[ends[0].body]],
        LAST_ARM: [index.row[ends[1].body]],
        LAST_SPAN: carriers,
    }
    return [_pair(rows, bodies[place]) if needed[place] else -1 for place in range(PLACES)]


def _pair(rows: RowTable, bodies: list[int]) -> int:
    """Add two rows on the same bodies; return the first."""
    first = rows.add(INERTIA, bodies)
    rows.add(INERTIA, bodies)
    return first
