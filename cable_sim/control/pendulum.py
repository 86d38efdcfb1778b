"""How long a pendulum is that sways like a crane's load.

Two angles tell how a load hangs: theta of the falls, phi of the load itself. Both bend aside
little, so

    a theta'' + b phi'' = -k theta,      b theta'' + c phi'' = -q phi,

and the slower of the two modes is that of a single pendulum of the length

    L = g / w^2 = g (e + sqrt(e^2 - 4 (a c - b^2) k q)) / (2 k q),      e = k c + q a.

*Tower crane.* Falls and hook block, of mass m_1 and moment I_1 at the depth l_1, are one rod down
to the hook at the depth H. The load, m_2 and I_2, turns about the hook, its middle c_2 below (with
I_1 = I_2 = 0 and l_1 = H: Singhose et al. 2008, eq. 1):

    a = m_1 l_1^2 + I_1 + m_2 H^2,   b = m_2 H c_2,   c = m_2 c_2^2 + I_2,   k = g (m_1 l_1 + m_2 H),   q = g m_2 c_2

*Gantry crane.* On parallel falls of the length h the head block stays level but for what the ropes
stretch. Spreader and container are one body, m and I, with its middle d below the head block's
sheaves. It tilts against gravity and ropes of the length l, each with n falls on a corner at y from
the middle:

    a = m h^2,   b = m h d,   c = m d^2 + I,   k = m g h,   q = m g d + sum of y^2 n^2 E A / l

Falls that are further apart above than below, or the other way round, tilt the load as it sways:
they are not meant.

*Bridge crane.* Falls down to the axle, and the bob with its middle d below it: a to k as above, q =
m g d. A bob that is knotted to its rope in its middle, d = 0, is a point.

*Stretch.* A hoist's coordinate is the rope that is paid out. With the weight W on R ropes the load
hangs deeper by W l / (R n^2 E A). Slings are taken for stiff, ropes for massless, and the sheaves
run freely: where they stick, as in sways of some tenths of a degree, a gantry's load tilts a little
    less.
"""

import math
from typing import Any, Protocol

from cable_sim.cranes.crane import Crane
from cable_sim.cranes.families.bridge.spec import BridgeCrane
from cable_sim.cranes.families.gantry.spec import GantryCrane
from cable_sim.cranes.families.tower.spec import TowerCrane
from cable_sim.cranes.rigging.reeving import axle_above_block
from cable_sim.errors import SpecError
from cable_sim.spec import Body
from cable_sim.spec.scene import GRAVITY


class Length(Protocol):
    """Length of the pendulum [m] of the hoist's coordinate [m], in a sway along the trolley's way
    or across it."""

    def __call__(self, hoist: float, across: bool = False) -> float: ...


def period_of(length: float) -> float:
    """Of small sways of a pendulum [s], of its length [m]."""
    return 2.0 * math.pi * math.sqrt(length / GRAVITY)


def slower(a: float, b: float, c: float, k: float, q: float) -> float:
    """Length of the single pendulum with the lower frequency of two angles, of their equations'
    coefficients [m]."""
    both = k * c + q * a
    return GRAVITY * (both + math.sqrt(both**2 - 4.0 * (a * c - b**2) * k * q)) / (2.0 * k * q)


def pendulum_length(crane: Crane) -> Length:
    """Length of the pendulum [m] of the hoist's coordinate [m], for small sways of the load as the
    file hangs it on.

    SpecError for a crane of which it is not known.
    """
    known = {TowerCrane: _below_hook, GantryCrane: _below_head_block, BridgeCrane: _on_a_rope}
    for family, length in known.items():
        if isinstance(crane.details, family):
            return length(crane)
    raise SpecError(
        f"{crane.name}: it is not known how its load sways; known are tower, gantry and bridge "
        "cranes"
    )


def _below_hook(crane: Crane) -> Length:
    """Of a load on slings below the hook block of a tower crane."""
    file, (block, load) = crane.details, _bodies(crane, "hook_block", "load")
    weight, above = (
        GRAVITY * (block.mass + load.mass),
        file.reeving.hook_below_axle - axle_above_block(file),
    )
    own, other = _moments(block), _moments(load)
    below = file.rig.slings.height + 0.5 * file.rig.load.size[2]

    def length(hoist: float, across: bool = False) -> float:
        hook = hoist + weight / _stiffness(crane, hoist)
        first, side = block.mass * (hook - above), 0 if across else 1
        return slower(
            first * (hook - above) + own[side] + load.mass * hook**2,
            load.mass * hook * below,
            load.mass * below**2 + other[side],
            GRAVITY * (first + load.mass * hook),
            GRAVITY * load.mass * below,
        )

    return length


def _below_head_block(crane: Crane) -> Length:
    """Of spreader and container below the head block of a gantry crane."""
    file, hung = crane.details, _bodies(crane, "spreader", "container", "cargo")
    height = file.rig.spreader.height
    depths = [
        height - file.spreader_centre
        if body.name == "spreader"
        else height + 0.5 * file.rig.load.size[2]
        for body in hung
    ]
    mass = sum(body.mass for body in hung)
    middle = sum(body.mass * depth for body, depth in zip(hung, depths, strict=True)) / mass
    apart = sum(body.mass * (depth - middle) ** 2 for body, depth in zip(hung, depths, strict=True))
    moments = [sum(_moments(body)[side] for body in hung) + apart for side in (0, 1)]

    def length(hoist: float, across: bool = False) -> float:
        stiffness = _stiffness(crane, hoist)
        h, corner = (
            hoist - height + mass * GRAVITY / stiffness,
            0.5 * file.reeving.head_block_spacing[across],
        )
        return slower(
            mass * h**2,
            mass * h * middle,
            mass * middle**2 + moments[0 if across else 1],
            mass * GRAVITY * h,
            mass * GRAVITY * middle + stiffness * corner**2,
        )

    return length


def _on_a_rope(crane: Crane) -> Length:
    """Of the bob of a bridge crane."""
    (bob,), axle = _bodies(crane, "hook_block"), crane.details.rig.bob.axle

    def length(hoist: float, across: bool = False) -> float:
        h, mass = hoist + bob.mass * GRAVITY / _stiffness(crane, hoist), bob.mass
        if axle == 0.0:
            return h
        turning = mass * axle**2 + _moments(bob)[0 if across else 1]
        return slower(
            mass * h**2, mass * h * axle, turning, mass * GRAVITY * h, mass * GRAVITY * axle
        )

    return length


def _stiffness(crane: Crane, hoist: float) -> float:
    """Of all hoist ropes against a load that goes down while the drum holds [N/m], at the hoist's
    coordinate [m]."""
    axis = crane.axis("hoist")
    rope = axis.zero + axis.ratio * hoist
    return len(crane.ropes) * axis.ratio**2 * crane.details.hoist_rope.ea / rope


def _bodies(crane: Crane, *names: str) -> list[Body]:
    """Those of the bodies that there are."""
    return [body for body in crane.scene.bodies if body.name in names]


def _moments(body: Body) -> Any:
    """Moments of inertia about the middle, about the body's x, y and z axes [kg m^2]."""
    return body.inertia if body.inertia is not None else body.shape.inertia(body.mass)  # type: ignore[union-attr]
