"""Length of the pendulum of spreader and container below the sheaves of a head block.

On parallel falls of the length h the head block stays level but for what the ropes stretch.
Spreader and container are one body, m and I, with its middle d below the head block's sheaves. It
tilts against gravity and ropes of the length l, each with n falls on a corner at y from the middle.
With the angles of ``cranes/parts/pendulum.py``

    a = m h^2,   b = m h d,   c = m d^2 + I,   k = m g h,   q = m g d + sum of y^2 n^2 E A / l.

Falls that are further apart above than below, or the other way round, tilt the load as it sways:
they are not meant. Where sheaves stick, as in sways of some tenths of a degree, the load tilts a
little less.
"""

from cable_sim.cranes.container.spreader import CARGO
from cable_sim.cranes.crane import Crane
from cable_sim.cranes.parts.pendulum import PendulumLength, falls_stiffness, slower_length
from cable_sim.spec.quantities import Vector
from cable_sim.spec.scene import GRAVITY


def length_below_head_block(
    crane: Crane, corner: Vector, centre: float, height: float
) -> PendulumLength:
    """Return the length for the load of a crane, or for an empty spreader.

    ``corner`` is a sheave of the head block, from the centre of mass of the spreader, which is
    ``centre`` above its twistlocks, and the load is as high as ``height`` [m].
    """
    hung = crane.suspension
    assert hung is not None
    sheaves = corner[2] + centre
    bodies = [b for b in crane.scene.bodies if b.name in (hung.hook, hung.load, CARGO)]
    depths = [corner[2] if b.name == hung.hook else sheaves + 0.5 * height for b in bodies]
    mass = sum(body.mass for body in bodies)
    pairs = [*zip(bodies, depths, strict=True)]
    middle = sum(body.mass * depth for body, depth in pairs) / mass
    apart = sum(body.mass * (depth - middle) ** 2 for body, depth in pairs)
    inertia = [sum(body.tensor[side, side] for body in bodies) + apart for side in (0, 1)]

    def length(hoist: float, across: bool = False) -> float:
        stiffness = falls_stiffness(crane, hoist)
        h = hoist - sheaves + mass * GRAVITY / stiffness
        return slower_length(
            mass * h**2,
            mass * h * middle,
            mass * middle**2 + inertia[0 if across else 1],
            mass * GRAVITY * h,
            mass * GRAVITY * middle + stiffness * corner[1 if across else 0] ** 2,
        )

    return length
