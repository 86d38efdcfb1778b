"""Records of the lines of cables, and of what kernels of contact and of hybrid wires are handed:
nodes with what is around them, and wires with their cables."""

from typing import NamedTuple

from cable_sim.kernels.records.arrays import Flags, Floats, Ints
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
from cable_sim.kernels.records.obstacles import Touches, TouchWork
from cable_sim.kernels.records.waves import Waves, WaveState, WaveWork
from cable_sim.kernels.records.wires import Crossings


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


class SpanWaves(NamedTuple):
    """Waves of all cables; ``kind``, ``density`` and ``shortest`` are those of each cable."""

    gravity: Floats
    kind: Ints
    density: Floats
    shortest: Floats
    tension: Floats
    start: Ints
    intervals: Ints
    active: Flags
    displacement: Floats
    rate: Floats
    normal: Floats
    trace: Floats
    length: Floats
    direction: Floats


class Around(NamedTuple):
    """Surroundings of nodes, see :class:`Nodes`."""

    bodies: Moving
    waves: SpanWaves
    solids: Touches
    near: TouchWork


class Nodes(NamedTuple):
    """Nodes, spans and segments of all cables, as contact nodes and masses change them, and what
    they are on: bodies, waves of the spans, solids, and those that are near.

    ``newton_step``, ``disturbed`` and ``strain`` are scratch. ``strain`` is that of the rope of
    each span [-] at the start of the step, of segments that slip alone. ``loss`` is that of
    sheaves. ``guide`` tells own nodes apart, ``held_direction`` is that of rope which an anchor
    holds, in the frame of its body, zero for none. ``pierced`` is about the solids
    (``buried_ends.py``). ``inertia_impulse`` is about ends (``end_pulls.py``). From
    ``segment_count`` on all is scratch of hybrid wires, see ``segments.py``; ``twist_length`` is
    the length that twist adds to each cable [m].
    """

    body: Ints
    point: Floats
    row_entry: Ints
    contact_solid: Ints
    line: Floats
    path_offset: Floats
    velocity: Floats
    rest_length: Floats
    tension_impulse: Floats
    elastic_impulse: Floats
    friction_state: Ints
    slide_distance: Floats
    predicted_position: Floats
    strain: Floats
    position: Floats
    arm: Floats
    length: Floats
    direction: Floats
    newton_step: Floats
    disturbed: Floats
    loss: Floats
    guide: Ints
    held_direction: Floats
    pierced: Ints
    inertia_impulse: Floats
    remaining_path_length: Floats
    segment_count: Ints
    twist_length: Floats
    mark: Ints
    number: Floats
    tension_ratio: Floats
    weight_impulse: Floats
    start: Floats
    swept: Floats
    bend_share: Ints
    steps_since_removal: Ints
    bodies: Moving
    waves: SpanWaves
    solids: Touches
    near: TouchWork


class WireLines(NamedTuple):
    """Constants of hybrid wires, see their records.

    From ``node_start`` on the arrays are those of cables, but for the room of spans, ``slots``.
    Behind ``cable_drag`` [kg/m^2] come those of rows, the pairs of wires that may cross, and the
    stepper (1,).
    """

    cable: Ints
    row_start: Ints
    row: Ints
    bodies: Ints
    runs: Ints
    held_start: Ints
    held_node: Ints
    held_row: Ints
    damping_time: Floats
    fading: Floats
    crosses: Flags
    finest: Floats
    least: Ints
    most: Ints
    edges: Flags
    strength: Floats
    rigidity: Floats
    bend_length: Floats
    has_friction: Flags
    hmr: Flags
    air_damping: Floats
    ground_point: Floats
    ground_normal: Floats
    ground_friction: Floats
    node_start: Ints
    density: Floats
    winch: Ints
    length: Floats
    layer_start: Ints
    drum_layer: Floats
    compliance_per_length: Floats
    torque_arm: Floats
    twist: Twist
    slots: Ints
    cable_drag: Floats
    entry_start: Ints
    entry_body: Ints
    crossings: Crossings
    stepper: Ints
