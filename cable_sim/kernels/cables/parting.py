"""Massless and elevation cables that are off: unhooked, or parted.

A cable that is off pulls on nothing and bends over nothing: its rows (stretch, a drive on it, sheaves, twist, what
keeps light bodies calm, stops) take no part, its spans do not oscillate, its contact nodes are gone. Its winch turns
freely. Hooked on again, it goes the straight way over its own nodes, twisted by less than half a turn from how it was
built.

It parts where its largest tension, the mean over a step, is above its breaking force. A massless rope that parts
is gone at once, with its elastic energy; how it would recoil is a matter of its mass (``severing.py``).
"""

from math import inf

from cable_sim.kernels.jit import inner, kernel
from cable_sim.kernels.status import SOLVED, WIRE_BROKE
from cable_sim.kernels.vec3 import load, store

ON, UNHOOKED, PARTED = 0, 1, 2
"""Values of ``cable_off``."""


@inner
def rows(
    # Model
    cable_node_start, cable_row, cable_drive_row, cable_twist_row, node_row, span_calm_row,
    # State
    cable_off,
    # Out
    row_active_out,
):  # fmt: skip
    """Take the rows of all cables that are off out, but for those of stops (``stops.py``)."""
    for c in range(cable_off.size):
        if cable_off[c] == ON:
            continue
        for r in (cable_row[c], cable_drive_row[c], cable_twist_row[c]):
            if r >= 0:
                row_active_out[r] = False
        for k in range(cable_node_start[c], cable_node_start[c + 1]):
            if node_row[k] >= 0:
                row_active_out[node_row[k]] = False
            for place in range(3):
                if span_calm_row[k, place] >= 0:
                    row_active_out[span_calm_row[k, place]] = row_active_out[span_calm_row[k, place] + 1] = False


@kernel
def switch_off(
    c, off,
    # Model
    cable_node_start, span_wave_start, span_intervals,
    # Out
    cable_off_out, cable_twist_expected_out, node_body_out, node_point_out, node_slot_out, node_touch_out,
    node_excess_out, span_waves_out, wave_out, wave_rate_out,
):  # fmt: skip
    """Switch cable c off: its twist, its contact nodes and its waves go; contact nodes become room on what follows."""
    cable_off_out[c], cable_twist_expected_out[c] = off, inf
    for k in range(cable_node_start[c + 1] - 1, cable_node_start[c] - 1, -1):
        node_excess_out[k], span_waves_out[k] = 0.0, False
        if node_touch_out[k] >= 0:
            node_body_out[k], node_slot_out[k], node_touch_out[k] = node_body_out[k + 1], node_slot_out[k + 1], -1
            store(load(node_point_out, k + 1), k, node_point_out)
        if span_wave_start[k] >= 0:
            for i in range(span_wave_start[k], span_wave_start[k] + span_intervals[k] + 1):
                wave_out[0, i], wave_out[1, i], wave_rate_out[0, i], wave_rate_out[1, i] = 0.0, 0.0, 0.0, 0.0


@inner
def overloaded(c, strength, cable_node_start, span_tension):
    """Whether a span of cable c pulls with more than its strength [N]."""
    for k in range(cable_node_start[c], cable_node_start[c + 1] - 1):
        if span_tension[k] > strength:
            return True
    return False


@inner
def part_all(
    # Model
    parting_cable, parting_force, cable_node_start, span_wave_start, span_intervals,
    # State
    span_tension,
    # Out
    cable_off_out, cable_twist_expected_out, node_body_out, node_point_out, node_slot_out, node_touch_out,
    node_excess_out, span_waves_out, wave_out, wave_rate_out,
):  # fmt: skip
    """Part the cables that pull with more than their strength; returns status flags."""
    flags = SOLVED
    for n in range(parting_cable.size):
        c = parting_cable[n]
        if cable_off_out[c] == ON and overloaded(c, parting_force[n], cable_node_start, span_tension):
            flags = WIRE_BROKE
            switch_off(
                c, PARTED, cable_node_start, span_wave_start, span_intervals, cable_off_out, cable_twist_expected_out,
                node_body_out, node_point_out, node_slot_out, node_touch_out, node_excess_out, span_waves_out,
                wave_out, wave_rate_out,
            )  # fmt: skip
    return flags
