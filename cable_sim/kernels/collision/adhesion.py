"""Adhesion: faces that lie on each other are pulled together, as by a lifting magnet.

A point whose gap g is REACH or less is pulled together along the normal by a part of the adhesion
F of its material,

    f = s F / n,

s the position of its switch and n the number of these points, three or four, so that a face has F.
Two flat shapes with fewer meet along an edge and stand wide open beside it, and nothing pulls. For
a round one n is 4: it has half of F along a line, and a quarter at a point.

That is a force on the free velocities, with opposite sides at one point, which the row of the
contact carries like a weight. With a pull P on the body the points press with F - P in all,
friction holds mu (F - P) across, and beyond F they part. A load off the middle takes more than its
share of some points, which part first; then the rest does.

Nothing pulls over a gap, so what parts takes the work f REACH, or f times what it parts by in the
step, if that is more. To the energy of a contact comes f (min(g, REACH) - REACH).

The impulse -f h is kept with that of friction, so that the sum of both and of the push is the force
of a body on the other one.
"""

from cable_sim.kernels.collision.candidates import shapes_of
from cable_sim.kernels.collision.impacts import push_apart
from cable_sim.kernels.collision.manifold import POINTS
from cable_sim.kernels.collision.shapes import BALL, CAPSULE, CYLINDER
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.bodies import Moving
from cable_sim.kernels.records.collision import Pool, PoolWork, Shapes

ADHESION = 8
SWITCH = 9
"""Columns of ``pool.material``, behind those of ``pool.py``: F [N], and the carriage that is the
switch."""
ALWAYS = -1.0
"""Switch of what needs none."""
REACH = 1e-5
"""Gap up to which there is adhesion [m]: more than rounding, and less than anyone sees."""
FLAT = 3
"""Points within reach that two flat shapes have where their faces meet."""


@kernel
def is_round(i: int, shapes: Shapes) -> bool:
    """Return True for a shape that touches a face along a line or at a point."""
    return shapes.kind[i] == BALL or shapes.kind[i] == CAPSULE or shapes.kind[i] == CYLINDER


@kernel
def sharing(c: int, count: int, shapes: Shapes, pool: Pool, work: PoolWork) -> int:
    """Return n of contact c, one of ``count``, 0 if too few points of its pair are within reach."""
    near = 0
    for k in range(max(c - POINTS + 1, 0), min(c + POINTS, count)):
        near += work.key[k] == work.key[c] and work.gap[k] <= REACH
    i, j = shapes_of(work.key[c], pool.body.size)
    if is_round(i, shapes) or is_round(j, shapes):
        return POINTS
    return near if near >= FLAT else 0


@kernel
def pull_of(
    c: int, count: int, shapes: Shapes, pool: Pool, switches: Floats, work: PoolWork
) -> float:
    """Return f of contact c, one of ``count`` [N]; ``switches`` are their positions."""
    material = pool.material[work.material[c]]
    if material[ADHESION] == 0.0 or work.gap[c] > REACH:
        return 0.0
    on = 1.0 if material[SWITCH] == ALWAYS else switches[int(material[SWITCH])]
    share = sharing(c, count, shapes, pool, work)
    return on * material[ADHESION] / share if share > 0 else 0.0


@kernel
def pull_together(
    h: float,
    count: int,
    shapes: Shapes,
    pool: Pool,
    bodies: Moving,
    switches: Floats,
    work_out: PoolWork,
    velocity_out: Floats,
) -> None:
    """Pull all contacts with adhesion together for a step, and keep the pulls."""
    for c in range(count):
        work_out.pull[c] = pull_of(c, count, shapes, pool, switches, work_out)
        if work_out.pull[c] > 0.0:
            push_apart(c, -h * work_out.pull[c], bodies, work_out, velocity_out)
