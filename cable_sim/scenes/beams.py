"""Structures of steel that bends."""

from cable_sim.scenes.catalogue import scene
from cable_sim.spec import Anchor, Beam, Body, Box, Cable, Drive, Joint, Scene, Visual, Winch
from cable_sim.spec.quantities import Vector

MODULUS = 2.1e11
"""Of steel [N/m^2]."""
DENSITY = 7850.0
"""Of steel [kg/m^3]."""

HEAD = 5.0
"""Height of the head that stands on the mast [m]."""


@scene
def bending_crane(load: float = 3000.0, elements: int = 4, steel: float = 1.0) -> Scene:
    """A mast and a jib of steel that bends, with a tie bar, and a load on the jib's rope.

    Let go, the load sets mast and jib into motion; the winch ``hoist`` lifts it.

    ``load`` [kg], ``elements`` of each beam, ``steel`` over the true modulus of elasticity: with
    0.2 everything bends five times as far.
    """
    mast = _lattice("mast", (0.0, 0.0, 0.0), (0.0, 0.0, 24.0), 1.6, 0.020, elements, steel)
    jib = _lattice("jib", (0.0, 0.0, 24.0), (30.0, 0.0, 24.0), 1.2, 0.010, elements, steel)
    tie_foot, tie_head = jib.at(0.75), mast.at(1.0)
    joints = [
        *mast.joints,
        *jib.joints,
        Joint("foundation", "fixed", mast.at(0.0)[0]),
        Joint("foot", "hinge", jib.at(0.0)[0], tie_head[0], point=jib.start, axis=(0, -1, 0)),
    ]
    top = tie_head[1][0]
    block = Body("load", load, shape=Box(1.2, 1.2, 1.2), position=(30.0, 0.0, 9.4))
    cables = [
        Cable(
            "tie_bar",
            (Anchor(tie_head[0], (top + HEAD, 0.0, 0.0)), Anchor(*tie_foot)),
            ea=MODULUS * 4e-3 * steel,
        ),
        Cable(
            "hoist_rope",
            (jib.anchor(1.0), Anchor("load", (0.0, 0.0, 0.6))),
            ea=1.5e7,
            damping_ratio=0.02,
            winch=Winch("hoist", 800.0),
        ),
    ]
    return Scene(
        bodies=[*mast.bodies, *jib.bodies, block],
        joints=joints,
        cables=cables,
        drives=[Drive("hoist", "hoist", max_acceleration=0.5, max_effort=2.5 * 9.81 * load)],
        visuals=[Visual("head", Box(HEAD, 0.4, 0.4), tie_head[0], (top + 0.5 * HEAD, 0.0, 0.0))],
        name="bending_crane",
    )


def _lattice(
    name: str, start: Vector, end: Vector, side: float, area: float, elements: int, steel: float
) -> Beam:
    """Return a square lattice whose four chords have an ``area`` [m^2] in all; bars add a half."""
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
        up=(1.0, 0.0, 0.0) if start[2] < end[2] else (0.0, 0.0, 1.0),
        collides=False,
        color=(0.93, 0.72, 0.15),
    )
