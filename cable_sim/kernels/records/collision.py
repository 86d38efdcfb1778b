"""Records of the shapes that touch each other, of the pool of contacts, and scratch memory."""

from typing import NamedTuple

from cable_sim.kernels.records.arrays import Flags, Floats, Ints


class Shapes(NamedTuple):
    """Convex shapes: a core, and a margin all round it."""

    kind: Ints
    """(n,) BALL, CAPSULE, BOX, CYLINDER, POLYHEDRON or HALF_SPACE of
    kernels/collision/shapes.py."""
    half: Floats
    """(n, 3) half extents of the core in its frame [m]; (0, 0, l) of a capsule's line."""
    margin: Floats
    """(n,) radius that is added to the core [m]; the radius of a ball or capsule."""
    vertex_start: Ints
    """(n + 1,) first vertex of each polyhedron."""
    vertex: Floats
    """(v, 3) [m]."""
    face_start: Ints
    """(n + 1,) first face of each polyhedron."""
    face_normal: Floats
    """(f, 3) outward unit normals."""
    loop_start: Ints
    """(f + 1,)."""
    loop: Ints
    """(q,) rows of the vertices round each face, anticlockwise as seen from outside."""


class CollisionWork(NamedTuple):
    """Scratch of the narrow phase, for one pair at a time."""

    simplex: Floats
    """(4, 9) points of a simplex: on A in its frame, on B in its frame, difference [m]."""
    vertex: Floats
    """(64, 9) the same of the polytope."""
    face: Ints
    """(160, 4) vertices of its faces, and 1 once a face has been polished."""
    plane: Floats
    """(160, 4) outward unit normals and distances from the origin [m]."""
    horizon: Ints
    """(160, 2) edges round the part of the polytope that goes."""
    outline: Floats
    """(2, m, 4) corners (x, y, height [m], number) of the features that meet."""
    point: Floats
    """(96, 5) contact points to choose from: x, y, height, gap [m], feature."""
    chosen: Ints
    """(4,) those chosen."""


class Pool(NamedTuple):
    """Places of shapes, what may touch, and materials; n shapes, N bodies."""

    body: Ints
    """(n,) body that carries each shape."""
    place: Floats
    """(n, 4, 3) origin of its frame [m], and its axes as rows, in the body's frame."""
    reach: Floats
    """(n,) distance of its farthest point from the body's centre of mass [m]."""
    moving: Ints
    """(k,) shapes on bodies."""
    carrier: Ints
    """(a,) bodies with shapes."""
    carrier_of: Ints
    """(n,) place of a shape's body among these, -1 in the world."""
    carrier_reach: Floats
    """(a,) largest reach of their shapes [m]."""
    plane: Ints
    """(p,) half-spaces."""
    node_box: Floats
    """(t, 2, 3) boxes of a tree of the other shapes of the world, in preorder [m]."""
    node_next: Ints
    """(t,) node behind the branch of each node."""
    node_shape: Ints
    """(t,) shape of a leaf, -1 of others."""
    shape_material: Ints
    """(n,)."""
    pair_key: Ints
    """(q,) pairs of shapes i < j with a material of their own, as i n + j, sorted."""
    pair_material: Ints
    """(q,) IGNORED of ``kernels/collision/candidates.py`` for a pair that never touches, and
    IGNORED - 1 - k for one that the joints of hold k keep from it while one of them is closed."""
    hold_start: Ints
    """(k + 1,) first joint of each hold."""
    hold_joint: Ints
    """(p,)."""
    watch: Ints
    """(w, 3) pairs of shapes whose force is watched, and the number of the pair of names."""
    give: Floats
    """(1,) compliance of hard contacts over their mobility, but for a floor [s^2]."""
    bounces: Flags
    """(1,) whether a material has restitution."""
    material: Floats
    """(m, 10) columns in ``kernels/collision/pool.py`` and ``adhesion.py``."""


class PoolState(NamedTuple):
    """Contacts of the last step, at most c."""

    used: Ints
    """(1,) number of contacts."""
    key: Ints
    """(c,) pair of each contact, see ``kernels/collision/candidates.py``."""
    feature: Ints
    """(c,) feature of each, see ``kernels/collision/manifold.py``."""
    body: Ints
    """(c, 2) bodies A and B."""
    point: Floats
    """(c, 3) [m]."""
    normal: Floats
    """(c, 3) from B to A."""
    impulse: Floats
    """(c, 8) on A in the world: normal [N s], friction and adhesion (3,), rolling (3,) [N m s],
    drilling."""
    way: Floats
    """(c, 3) way that friction gives, in the world [m]."""
    stored: Floats
    """(c,) energy of soft contacts [J]."""
    events: Ints
    """(1,) number of events so far."""
    event: Floats
    """(e, 4) the last of them; columns in ``kernels/collision/keeping.py``."""
    slides: Flags
    """(c, 2) whether friction, and rolling friction, is at its bound."""
    pressed: Floats
    """(k,) normal force of each pair of names that is watched [N]."""


class PoolWork(NamedTuple):
    """Scratch of the pool."""

    pose: Floats
    """(n, 4, 3) as ``place``, in the world, of shapes on bodies."""
    box: Floats
    """(n, 2, 3) where they may be within the step [m]."""
    slack: Floats
    """(n,) way that their points may go [m]."""
    seen: Floats
    """(a, 8) position [m], orientation and slack [m] of bodies when pairs were found."""
    open: Flags
    """(j,) joints that were open then."""
    near: Ints
    """(n,) 1 of shapes in pairs, else 0."""
    order: Ints
    """(k,) shapes on bodies in the order of the lower x of their boxes."""
    side: Floats
    """(k,) lower x of these boxes [m]."""
    found: Ints
    """(1,) number of pairs."""
    pair: Ints
    """(q,)."""
    memory: Floats
    """(28,) of the narrow phase."""
    spot: Floats
    """(4, 4) points of a pair and gaps [m]."""
    mark: Ints
    """(4,) their features."""
    key: Ints
    feature: Ints
    material: Ints
    before: Ints
    """(c,) the same contact among those of the last step, -1 for none."""
    body: Ints
    """(c, 2)."""
    point: Floats
    """(c, 3)."""
    normal: Floats
    """(c, 3)."""
    gap: Floats
    """(c,) [m]."""
    way: Floats
    """(c, 3) way that friction gave before [m]."""
    compliance: Floats
    """(c,) of friction [m/N]."""
    mobility: Floats
    """(c,) J M^-1 J^T of the normal row [1/kg]."""
    hit: Flags
    """(c,) whether it has restitution in this step."""
    aim: Floats
    """(c,) speed at which it leaves [m/s]."""
    push: Floats
    """(c,) impulse along the normal [N s]."""
    pull: Floats
    """(c,) adhesion [N]."""
    velocity: Floats
    """(b, 6) velocities after impacts."""
