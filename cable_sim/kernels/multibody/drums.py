"""Drums with layers: how much rope a winch has paid out, and how fast the line runs, as functions
of its coordinate.

The coordinate q = R_1 x angle is what a drum with its first layer alone would pay out, and the
rotor's mass J / R_1^2 belongs to it, so that nothing of the rotor changes with the layer. Rope of
diameter d lies in the valleys of the layer below it on a drum of diameter D, its axis at the pitch
radius

    R_1 = (D + d) / 2,    R_{j+1} = R_j + d sqrt(3) / 2
    (three ropes that touch, an equilateral triangle)

and a layer of n turns is 2 pi R_j n long. Rope leaves from the outermost layer j, dL = R_j x
d(angle), so the rope paid out is L = f(q), continuous and piecewise linear:

    f' = R_j / R_1,        dL/dt = f' dq/dt,        entry of a cable's row on the winch:  f'.

A tension T then pulls the rotor out with f' T, a torque of T R_j on the shaft, and T dL/dt = f' T
dq/dt: no power is lost. As f is continuous, and so is q, energy does not jump where the layer
changes; the speed of the line does, and an elastic rope takes that up in its stretch. Without
layers f(q) = q.

Valid for grooved drums. Not modelled: the cross-overs, a part of each turn where rope climbs over
the one below and lies higher; the width of the drum (rope leaves from one point); rope that is
pressed flat or cuts in. Beyond what the drum holds and below its dead wraps f goes on with the
slope that it had; the simulator's report tells.
"""

from cable_sim.kernels import status
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.bodies import BodyState
from cable_sim.kernels.records.cables import Cables
from cable_sim.kernels.records.lines import WireLines

FROM = 0
PAID_OUT = 1
RATIO = 2
"""Columns of ``drum_layer``: the coordinate q from which the rope leaves from the layer [m], the
rope paid out there [m], and f'. Rows are those of a drum from its outermost layer to its first, and
then its dead wraps."""


@kernel
def on_layers(q: float, begin: int, end: int, drum_layer: Floats) -> tuple[float, float]:
    """f(q) [m] and f' of a drum with the rows from ``begin`` to ``end``."""
    k = begin
    while k + 1 < end and q >= drum_layer[k + 1, FROM]:
        k += 1
    ratio = drum_layer[k, RATIO]
    return drum_layer[k, PAID_OUT] + ratio * (q - drum_layer[k, FROM]), ratio


@kernel
def drum_coordinate(rope: float, begin: int, end: int, drum_layer: Floats) -> float:
    """Return the coordinate q at which so much rope is paid out [m]; without rows it is the rope
    itself."""
    if begin == end:
        return rope
    k = begin
    while k + 1 < end and rope >= drum_layer[k + 1, PAID_OUT]:
        k += 1
    return drum_layer[k, FROM] + (rope - drum_layer[k, PAID_OUT]) / drum_layer[k, RATIO]


@kernel
def paid_out(c: int, cables: Cables | WireLines, body_position: Floats) -> tuple[float, float]:
    """Return the rope that the winch of cable c has paid out [m], and f'; zeros without a winch."""
    if cables.winch[c] < 0:
        return 0.0, 0.0
    q = body_position[cables.winch[c], 0]
    begin = cables.layer_start[c]
    end = cables.layer_start[c + 1]
    if begin == end:
        return q, 1.0
    return on_layers(q, begin, end, cables.drum_layer)


@kernel
def check_winding(cables: Cables, body_state: BodyState) -> int:
    """Return the status flags of drums above their capacity or below their dead wraps."""
    flags = status.SOLVED
    if cables.drum_layer.size == 0:
        return flags
    for c in range(cables.winch.size):
        begin = cables.layer_start[c]
        end = cables.layer_start[c + 1]
        if begin < end:
            q = body_state.position[cables.winch[c], 0]
            if q < cables.drum_layer[begin, FROM]:
                flags |= status.DRUM_FULL
            if q > cables.drum_layer[end - 1, FROM]:
                flags |= status.DRUM_EMPTY
    return flags
