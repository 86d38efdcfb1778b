"""Records of solids that cables touch or bodies are stopped by."""

from typing import NamedTuple

from cable_sim.model.records.arrays import Flags, Floats, Ints


class Touches(NamedTuple):
    """Solids that a cable may touch, one after another for each cable."""

    start: Ints
    """(c + 1,) first of the solids that each cable may touch."""
    friction: Floats
    """(t,) Coulomb's mu."""
    body: Ints
    """(t,) body of a solid."""
    row_entry: Ints
    """(t,) entry of the cable's rows that is that body; -1 for the world."""
    centre: Floats
    """(t, 3) centre of a sphere about the solid, in the body's frame like all that follows [m]."""
    radius: Floats
    """(t,) of the sphere [m]."""
    box: Floats
    """(t, 2, 3) lower and upper corner of the box about it along the axes of the body [m]."""
    block_start: Ints
    """(c + 1,) first of the blocks of each cable: solids behind one another on one body."""
    block_solid: Ints
    """(b + 1,) first of the solids of each block."""
    block_box: Floats
    """(b, 2, 3) of all its solids [m]."""
    face_start: Ints
    """(t + 1,)."""
    face_normal: Floats
    """(f, 3) outward unit normals."""
    face_offset: Floats
    """(f,) distances of the faces from the origin along them [m]."""
    face_inner: Flags
    """(f,) other parts of a larger solid lie on the face."""
    whole: Ints
    """(t, 2) first of the parts of the mesh that a solid is one of, and the end of these; of others
    the solid itself."""
    edge_start: Ints
    """(t + 1,)."""
    edge_point: Floats
    """(e, 3) where an edge begins [m]."""
    edge_direction: Floats
    """(e, 3) unit vector."""
    edge_length: Floats
    """(e,) [m]."""
    edge_face_start: Ints
    """(e + 1,)."""
    edge_face: Ints
    """(q,) faces that go through one end of an edge or both."""


class TouchState(NamedTuple):
    """Solids that spans go through."""

    pierced: Ints
    """(t,) a span of the cable goes straight through the solid, see
    ``kernels/cables/buried_ends.py``."""


class TouchWork(NamedTuple):
    """Solids near cables; see ``kernels/cables/near_solids.py``."""

    region: Floats
    """(c, 2, 3) box in the world for which those near a cable have been found [m]."""
    solid: Ints
    """(t,) those that are near a cable, from the first of the cable on."""
    counts: Ints
    """(c,) number of those."""
    path: Floats
    """(k, 2) path [m] and energy of the rope [J] of each part of a strand that friction holds,
    before an update of the contact nodes."""


class Solids(NamedTuple):
    """Solids that stop bodies."""

    body: Ints
    """(s,) body that carries each solid which stops others: an obstacle, as it is or grown for one
    of the cables."""
    centre: Floats
    """(s, 3) centre of a sphere about it, in the body's frame like all that follows [m]."""
    radius: Floats
    """(s,) of the sphere [m]."""
    face_start: Ints
    """(s + 1,)."""
    normal: Floats
    """(f, 3) outward unit normals of its faces."""
    offset: Floats
    """(f,) distances of the faces from the origin along them [m]."""
    corner_start: Ints
    """(s + 1,)."""
    corner: Floats
    """(v, 3) [m]."""
    edge_start: Ints
    """(s + 1,)."""
    edge: Floats
    """(e, 2, 3) both ends of its edges [m]."""
    edge_face: Ints
    """(e, 2) the faces that meet there."""


class SolidPairs(NamedTuple):
    """Pairs of a body and a solid that stops it."""

    body: Ints
    """(p,) body of each pair of a body and a solid that stops it."""
    solid: Ints
    """(p,)."""
    home: Ints
    """(p,) place among the slots of its collider that is looked at first."""
    softness: Floats
    """(p,) of the normal rows [1/kg]."""
    friction: Floats
    """(p,) Coulomb's mu."""


class Colliders(NamedTuple):
    """Boxes, balls and points on bodies, for the solids of one other body; see
    ``kernels/solid_contact.py``."""

    body: Ints
    """(g,) body that each collider is on."""
    carrier: Ints
    """(g,) body that carries the solids."""
    point: Floats
    """(g, 3) centre of box or ball, or an end or eye of a cable, in the body's frame [m]."""
    half: Floats
    """(g, 3) half edges of a box, zero for a ball [m]."""
    radius: Floats
    """(g,) of a ball, zero for a point [m]."""
    pair_start: Ints
    """(g + 1,)."""
    pair: Ints
    """(p,) the pairs of each collider."""
    pair_box: Floats
    """(p, 2, 3) lower and upper corner of the boxes about their solids [m]."""
    block_start: Ints
    """(g + 1,) first of the blocks of each collider: pairs behind one another."""
    block_pair: Ints
    """(b + 1,) place of the first pair of each block."""
    block_box: Floats
    """(b, 2, 3) about the solids of its pairs [m]."""
    slot_start: Ints
    """(g + 1,)."""
    slot: Ints
    """(n,) the slots of each collider."""
    slot_row: Ints
    """(n,) first row of a slot: for each point, four of a box, a normal and two friction rows."""
    slot_rows: Ints
    """(n,) number of its rows."""


class SolidState(NamedTuple):
    """Pairs that have slots."""

    pair: Ints
    """(n,)."""


class BoxWork(NamedTuple):
    """Scratch of contacts with solids."""

    chosen: Ints
    """(4,) which of the points have rows."""
    solid_points: Floats
    """(n, 4) points where a box may touch a solid: two coordinates along it, gap, height."""
    slot_near: Ints
    """(n,) 1 for slots whose pair of a body and a solid may meet in the step."""
