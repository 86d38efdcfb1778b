"""The two soft modes of a tower crane's steel: torsion of the tower, pitch of the jib.

Each is a hinge with a spring where the steel is taken to bend:

    world --tower_torsion--> tower_head --slewing--> slewing_part --jib_pitch--> jib

``tower_torsion`` turns about the slewing axis, ``jib_pitch`` about the level line across the jib
through that axis, up positive. A mode of frequency f with the inertia I behind its hinge has k = (2
pi f)^2 I and c = 2 zeta k / (2 pi f). The inertia is that of the empty crane as it stands at the
start, with slewing, trolley and hoist held: in torsion all that slews and the trolley, in pitch
jib, trolley and hook block, which follows on its rope. What hangs on it makes a mode slower. The
jib's spring is wound up by what hangs on the jib at the start, M / k, so that the crane starts
level and at rest, as a crane is set up with its counterweight.
"""

import math
from dataclasses import replace
from typing import Literal, NamedTuple

from cable_sim.spec import Body, Joint
from cable_sim.spec.quantities import Positive, Vector, spec

TURNTABLE_SHARE = 12.0 / 45.0
"""Share of the slewing mass near the axis, which does not pitch [-]: tower head and machinery.

Jib and ballast are the others.
"""
TOWER_SHARE = 0.05
"""Mass of the tower's top that turns with its torsion, in terms of the slewing mass."""


@spec
class Flexibility:
    """Flexibility of the steel structure.

    Parameters
    ----------
    mode: ``rigid``, or ``soft`` with the two modes below.
    jib_pitch_hz, tower_torsion_hz: frequencies of the empty crane as it starts [Hz].
    zeta: damping ratio of both [-].
    """

    mode: Literal["rigid", "soft"] = "rigid"
    jib_pitch_hz: Positive = 0.45
    tower_torsion_hz: Positive = 0.35
    zeta: Positive = 0.01


class Carried(NamedTuple):
    """Masses and weight that the jib carries at the start.

    Masses of the trolley and of the hook block [kg], weight of both and of all that hangs on them
    [N], and their radius [m].
    """

    trolley: float
    hook_block: float
    weight: float
    radius: float


def soften(
    bodies: tuple[Body, ...],
    joints: tuple[Joint, ...],
    inertia: Vector,
    side: float,
    carried: Carried,
    soft: Flexibility,
) -> tuple[tuple[Body, ...], tuple[Joint, ...]]:
    """Bodies and joints of a crane with the two soft modes between the world and its ``jib`` on the
    hinge ``slewing``.

    ``inertia`` are the jib's moments [kg m^2], of which the one about the slewing axis stays,
    ``side`` is the tower's [m].
    """
    jib = next(body for body in bodies if body.name == "jib")
    top, table = (share * jib.mass * side**2 / 6.0 for share in (TOWER_SHARE, TURNTABLE_SHARE))
    about_z = inertia[2] - table
    lighter = replace(
        jib, mass=(1.0 - TURNTABLE_SHARE) * jib.mass, inertia=(inertia[0], about_z, about_z)
    )
    slewing = next(joint for joint in joints if joint.name == "slewing")
    return (
        *(lighter if body is jib else body for body in bodies),
        Body("tower_head", TOWER_SHARE * jib.mass, (top, top, top), position=jib.position),
        Body(
            "slewing_part", TURNTABLE_SHARE * jib.mass, (table, table, table), position=jib.position
        ),
    ), (
        _torsion(jib.position, inertia[2] + top, carried, soft),
        replace(slewing, child="slewing_part", parent="tower_head"),
        _pitch(jib.position, slewing.position, about_z, carried, soft),
        *(joint for joint in joints if joint is not slewing),
    )


def _torsion(point: Vector, inertia: float, carried: Carried, soft: Flexibility) -> Joint:
    """Return the hinge of the tower's torsion, with the empty crane's inertia [kg m^2] behind
    it."""
    stiffness, damping = _spring(
        soft.tower_torsion_hz, soft.zeta, inertia + carried.trolley * carried.radius**2
    )
    return Joint(
        "tower_torsion", "hinge", "tower_head", point=point, stiffness=stiffness, damping=damping
    )


def _pitch(
    point: Vector, slewing: float, inertia: float, carried: Carried, soft: Flexibility
) -> Joint:
    """Return the hinge of the jib's pitch, wound up by what hangs on the jib, which is turned by an
    angle [rad] and has an inertia [kg m^2]."""
    on_jib = (carried.trolley + carried.hook_block) * carried.radius**2
    stiffness, damping = _spring(soft.jib_pitch_hz, soft.zeta, inertia + on_jib)
    return Joint(
        "jib_pitch",
        "hinge",
        "jib",
        "slewing_part",
        point=point,
        axis=(math.sin(slewing), -math.cos(slewing), 0.0),
        rest=carried.weight * carried.radius / stiffness,
        stiffness=stiffness,
        damping=damping,
    )


def _spring(frequency: float, zeta: float, inertia: float) -> tuple[float, float]:
    """Stiffness [N m/rad] and damping [N m s/rad] of a hinge with an inertia [kg m^2] behind it."""
    omega = 2.0 * math.pi * frequency
    return omega**2 * inertia, 2.0 * zeta * omega * inertia
