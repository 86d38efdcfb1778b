"""Massless and elevation cables that are off: unhooked, or parted.

A cable that is off pulls on nothing and bends over nothing: its rows (stretch, a drive on it,
sheaves, twist, what keeps light bodies calm, stops) take no part, its spans do not oscillate, its
contact nodes are gone. Its winch turns freely. Hooked on again, it goes the straight line over its
own nodes, twisted by less than half a turn from how it was built.

Of every cable that has a breaking force F the largest tension T of any span, the mean over a step,
is held as T / F. Above 1 it parts, or the status tells: OVERLOADED. A massless rope that parts is
gone at once, with its elastic energy; how it would recoil is a matter of its mass
(``wire_breakage.py``).
"""

from math import inf

from cable_sim.kernels.cables.contact.contact_path import FREE
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import load, store
from cable_sim.kernels.records.arrays import Floats, Ints
from cable_sim.kernels.records.cables import Cables, CableState, NodeState, SpanState
from cable_sim.kernels.records.lines import Lines
from cable_sim.kernels.records.rows import RowWork
from cable_sim.kernels.records.waves import Waves, WaveState

ON = 0
UNHOOKED = 1
PARTED = 2
"""Values of ``cable_off``."""


@kernel
def deactivate_rows(lines: Lines, row_work_out: RowWork) -> None:
    """Deactivate the rows of all cables that are off, except those of stops (``span_stops.py``)."""
    for c in range(lines.cable_state.attachment.size):
        if lines.cable_state.attachment[c] == ON:
            continue
        for r in (lines.cables.row[c], lines.cables.drive_row[c], lines.twist.row[c]):
            if r >= 0:
                row_work_out.active[r] = False
        for k in range(lines.cables.node_start[c], lines.cables.node_start[c + 1]):
            if lines.cables.node_row[k] >= 0:
                row_work_out.active[lines.cables.node_row[k]] = False
            for place in range(lines.spans.inertia_row.shape[1]):
                if lines.spans.inertia_row[k, place] >= 0:
                    row_work_out.active[lines.spans.inertia_row[k, place]] = row_work_out.active[
                        lines.spans.inertia_row[k, place] + 1
                    ] = False


@kernel
def switch_off(
    c: int,
    off: int,
    cables: Cables,
    waves: Waves,
    cable_state_out: CableState,
    node_state_out: NodeState,
    span_state_out: SpanState,
    wave_state_out: WaveState,
) -> None:
    """Switch cable c off: its twist, its contact nodes and its waves go.

    Contact nodes become room on the node that follows.
    """
    cable_state_out.attachment[c] = off
    cable_state_out.twist_expected[c] = inf
    for k in range(cables.node_start[c + 1] - 1, cables.node_start[c] - 1, -1):
        node_state_out.path_offset[k] = 0.0
        span_state_out.waves[k] = False
        if node_state_out.contact_solid[k] >= 0:
            node_state_out.body[k] = node_state_out.body[k + 1]
            node_state_out.row_entry[k] = node_state_out.row_entry[k + 1]
            node_state_out.contact_solid[k] = -1
            node_state_out.friction_state[k] = FREE
            store(load(node_state_out.point, k + 1), k, node_state_out.point)
        if waves.start[k] >= 0:
            for i in range(waves.start[k], waves.start[k] + waves.intervals[k] + 1):
                wave_state_out.displacement[0, i] = 0.0
                wave_state_out.displacement[1, i] = 0.0
                wave_state_out.rate[0, i] = 0.0
                wave_state_out.rate[1, i] = 0.0


@kernel
def largest_of_spans(c: int, cable_node_start: Ints, span_tension: Floats) -> float:
    """Return the largest tension of the spans of cable c [N]."""
    most = 0.0
    for k in range(cable_node_start[c], cable_node_start[c + 1] - 1):
        most = max(most, span_tension[k])
    return most


@kernel
def hold_peak(
    c: int, tension: float, strength: float, time: float, cable_state_out: CableState
) -> bool:
    """Hold the largest utilisation of cable c so far [-], and the time at which it was [s].

    Returns True if it pulls with more than its strength [N].
    """
    if tension > strength * cable_state_out.peak_utilisation[c]:
        cable_state_out.peak_utilisation[c] = tension / strength
        cable_state_out.peak_time[c] = time
    return tension > strength
