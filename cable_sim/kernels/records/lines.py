"""Record of the lines of cables."""

from typing import NamedTuple

from cable_sim.kernels.records.bodies import BodyWork, Moving
from cable_sim.kernels.records.cables import (
    Cables,
    CableState,
    CableWork,
    NodeState,
    NodeWork,
    Spans,
    SpanState,
    SpanWork,
    Twist,
)
from cable_sim.kernels.records.waves import Waves, WaveState, WaveWork


class Lines(NamedTuple):
    """Cables from node to node: constants, state and scratch, with the bodies of their nodes."""

    cables: Cables
    spans: Spans
    twist: Twist
    waves: Waves
    bodies: Moving
    cable_state: CableState
    node_state: NodeState
    span_state: SpanState
    wave_state: WaveState
    body_work: BodyWork
    cable_work: CableWork
    node_work: NodeWork
    span_work: SpanWork
    wave_work: WaveWork
