"""Records of the kernels. Units are SI, frames as said; n is the number of things of a kind.

Row 0 of the body arrays is the world. The rigid bodies follow, then the winches (see
``kernels/multibody/bodies.py``).
"""

from typing import NamedTuple

from cable_sim.kernels.records.arrays import Floats, Ints
from cable_sim.kernels.records.balance import Balance
from cable_sim.kernels.records.bodies import (
    Bodies,
    BodyControl,
    BodyReadings,
    BodyState,
    BodyWork,
    Drag,
    Motions,
)
from cable_sim.kernels.records.cables import (
    Breakage,
    CableReadings,
    Cables,
    CableState,
    CableWork,
    NodeReadings,
    NodeState,
    NodeWork,
    SpanReadings,
    Spans,
    SpanState,
    SpanWork,
    Twist,
)
from cable_sim.kernels.records.collision import CollisionWork, Pool, PoolState, PoolWork, Shapes
from cable_sim.kernels.records.drives import (
    CarriageControl,
    Carriages,
    CarriageState,
    DriveControl,
    DriveReadings,
    Drives,
    DriveState,
)
from cable_sim.kernels.records.grips import Grips, GripWork
from cable_sim.kernels.records.joints import JointReadings, Joints, JointState
from cable_sim.kernels.records.obstacles import Touches, TouchState, TouchWork
from cable_sim.kernels.records.ropes import ParticleState, Ropes, RopeWork, SegmentReadings
from cable_sim.kernels.records.rows import Rows, RowState, RowWork, SolverWork
from cable_sim.kernels.records.waves import Waves, WaveState, WaveWork
from cable_sim.kernels.records.wheels import Wheels, WheelState, WheelWork
from cable_sim.kernels.records.wires import Crossings, SegmentWork, Wires, WireState


class Model(NamedTuple):
    """Constants of a run; every array is read-only."""

    gravity: Floats
    """(3,) [m/s^2]."""
    stepper: Ints
    """(1,) SPOOK or REGULARISED of ``kernels/multibody/rows.py``."""
    bodies: Bodies
    joints: Joints
    drives: Drives
    cables: Cables
    wheels: Wheels
    twist: Twist
    breakage: Breakage
    waves: Waves
    spans: Spans
    touches: Touches
    grips: Grips
    wires: Wires
    crossings: Crossings
    ropes: Ropes
    carriages: Carriages
    wind: Drag
    motions: Motions
    shapes: Shapes
    pool: Pool
    rows: Rows


class State(NamedTuple):
    """State of a run, the least that determines its future.

    Copy it and restore it, and the same bits follow.
    """

    time: Floats
    """(1,) [s]."""
    steps: Ints
    """(1,) taken so far."""
    bodies: BodyState
    joints: JointState
    carriages: CarriageState
    drives: DriveState
    cables: CableState
    wheels: WheelState
    nodes: NodeState
    touches: TouchState
    spans: SpanState
    wires: WireState
    waves: WaveState
    particles: ParticleState
    pool: PoolState
    rows: RowState


class Control(NamedTuple):
    """Commands, which are held until they are changed."""

    drives: DriveControl
    carriages: CarriageControl
    bodies: BodyControl
    wind: Floats
    """(3,) velocity of the air at the reference height [m/s], world frame."""


class Workspace(NamedTuple):
    """Scratch, on whose content no step depends."""

    bodies: BodyWork
    rows: RowWork
    nodes: NodeWork
    spans: SpanWork
    cables: CableWork
    wheels: WheelWork
    waves: WaveWork
    ropes: RopeWork
    segments: SegmentWork
    touches: TouchWork
    grips: GripWork
    collision: CollisionWork
    pool: PoolWork
    solver: SolverWork


class Readings(NamedTuple):
    """Readings of a state by ``kernels/observe.py``.

    See ``sim/observation.py`` for meanings and units.
    """

    joints: JointReadings
    drives: DriveReadings
    cables: CableReadings
    spans: SpanReadings
    nodes: NodeReadings
    segments: SegmentReadings
    bodies: BodyReadings
    energy: Floats
    """(4,) kinetic, potential, elastic, of grounds and contacts [J]."""
    balance: Balance


class World(NamedTuple):
    """All records of a running scene, which the compiled step gets by their address.

    ``seen`` is the state at the time of its velocities (``kernels/instant.py``). In the pin for
    what is looked at, ``state`` and ``seen`` have changed places.
    """

    model: Model
    state: State
    seen: State
    control: Control
    work: Workspace
    readings: Readings
    step: float
    """Step [s]."""
    extras: bool | None
    """See ``model/cables/variants.py``."""
    accuracy: Floats
    """(2,) residual and most rounds of the last steps."""
    contacts: Ints
    """(1,) address of ``kernels/collide.py``, 0 for a scene without shapes that touch."""
