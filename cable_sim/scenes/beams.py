"""Structures of steel that bends."""

import math

from cable_sim.scenes.catalogue import scene
from cable_sim.spec import Anchor, Beam, Body, Box, Cable, Drive, Joint, Scene, Visual, Winch
from cable_sim.spec.quantities import Vector
from cable_sim.spec.scene import GRAVITY

MODULUS = 2.1e11
"""Of steel [N/m^2]."""
DENSITY = 7850.0
"""Of steel [kg/m^3]."""

MAST = 1.6, 0.020
JIB = 1.2, 0.010
"""Side [m] and area of the four chords [m^2] of mast and jib."""
HEAD = 5.0
"""Height of the head that stands on the mast [m]."""
REACH, TIED = 30.0, 22.5
"""Distances from the mast of the tip of the jib, and of the tie bar's end on it [m]."""


@scene
def bending_crane(load: float = 3000.0, elements: int = 4, steel: float = 1.0) -> Scene:
    """A mast and a jib of steel that bends, with a tie bar, and a load on the jib's rope.

    It is at rest, straight under the load by its camber; the winch ``hoist`` lifts the load, and
    mast and jib bend with it.

    ``load`` [kg], ``elements`` of the mast, and of the jib up to the tie bar, ``steel`` over the
    true modulus of elasticity: with 0.2 everything bends five times as far.
    """
    weight = load * GRAVITY
    mast, jib, nose, pull = _structure(weight, elements, steel)
    head = mast.at(1.0)
    top = head[1][0]
    joints = [
        *(joint for beam in (mast, jib, nose) for joint in beam.joints),
        Joint("foundation", "fixed", mast.at(0.0)[0]),
        Joint("foot", "hinge", jib.at(0.0)[0], head[0], point=jib.start, axis=(0, -1, 0)),
        Joint("splice", "fixed", nose.at(0.0)[0], jib.at(1.0)[0], point=nose.start),
    ]
    block = Body("load", load, shape=Box(1.2, 1.2, 1.2), position=(REACH, 0.0, 9.4))
    cables = [
        Cable(
            "tie_bar",
            (Anchor(head[0], (top + HEAD, 0.0, 0.0)), jib.anchor(1.0)),
            ea=MODULUS * 4e-3 * steel,
            pretension=pull,
        ),
        Cable(
            "hoist_rope",
            (nose.anchor(1.0), Anchor("load", (0.0, 0.0, 0.6))),
            ea=1.5e7,
            pretension=weight,
            damping_ratio=0.02,
            winch=Winch("hoist", 800.0),
        ),
    ]
    return Scene(
        bodies=[*mast.bodies, *jib.bodies, *nose.bodies, block],
        joints=joints,
        cables=cables,
        drives=[Drive("hoist", "hoist", max_acceleration=0.5, max_effort=2.5 * weight)],
        visuals=[Visual("head", Box(HEAD, 0.4, 0.4), head[0], (top + 0.5 * HEAD, 0.0, 0.0))],
        name="bending_crane",
    )


def _structure(weight: float, elements: int, steel: float) -> tuple[Beam, Beam, Beam, float]:
    """Return mast, jib up to the tie bar, nose beyond it, and the pull of the tie bar [N].

    ``weight`` [N] hangs on the nose. Moments of load, jib and tie bar are in balance about the foot
    of the jib, a hinge.
    """
    jib_weight = 1.5 * DENSITY * JIB[1] * GRAVITY * REACH
    nose_weight = jib_weight * (1.0 - TIED / REACH)
    turning = REACH * (weight + 0.5 * jib_weight)
    tie_down, tie_back = turning / TIED, turning / HEAD
    bending = (REACH - TIED) * (weight + 0.5 * nose_weight)
    foot, tied, tip = ((x, 0.0, 24.0) for x in (0.0, TIED, REACH))
    loads = (
        ((0.0, 0.0, -weight - jib_weight), (0.0, turning, 0.0)),
        ((-tie_back, 0.0, tie_down - weight - nose_weight), (0.0, bending, 0.0)),
        ((0.0, 0.0, -weight), (0.0, 0.0, 0.0)),
    )
    mast = _lattice("mast", (0.0, 0.0, 0.0), foot, MAST, elements, steel, loads[0])
    jib = _lattice("jib", foot, tied, JIB, elements, steel, loads[1])
    nose = _lattice("nose", tied, tip, JIB, max(1, elements // 3), steel, loads[2])
    return mast, jib, nose, math.hypot(tie_down, tie_back)


def _lattice(
    name: str,
    start: Vector,
    end: Vector,
    section: tuple[float, float],
    elements: int,
    steel: float,
    carries: tuple[Vector, Vector],
) -> Beam:
    """Return a square lattice of a side [m] whose four chords have an area [m^2] in all.

    Bars add a half to its mass. It is straight under what it ``carries``.
    """
    side, area = section
    bending = MODULUS * area * side**2 / 4.0
    return Beam(
        name,
        start,
        end,
        ei_y=bending * steel,
        ea=MODULUS * area * steel,
        gj=0.05 * bending * steel,
        density=1.5 * DENSITY * area,
        elements=elements,
        carries=carries,
        up=(1.0, 0.0, 0.0) if start[2] < end[2] else (0.0, 0.0, 1.0),
        collides=False,
        color=(0.93, 0.72, 0.15),
    )
