"""Records of solids that cables touch."""

from typing import NamedTuple

from cable_sim.kernels.records.arrays import Flags, Floats, Ints


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
    ``kernels/cables/contact/buried_ends.py``."""


class TouchWork(NamedTuple):
    """Solids near cables; see ``kernels/cables/contact/near_solids.py``."""

    region: Floats
    """(c, 2, 3) box in the world for which those near a cable have been found [m]."""
    solid: Ints
    """(t,) those that are near a cable, from the first of the cable on."""
    counts: Ints
    """(c,) number of those."""
    path: Floats
    """(k, 2) path [m] and energy of the rope [J] of each part of a strand that friction holds,
    before an update of the contact nodes."""
