"""Records of hybrid wires."""

from typing import NamedTuple

from cable_sim.kernels.records.arrays import Flags, Floats, Ints


class Wires(NamedTuple):
    """Hybrid wires."""

    cable: Ints
    """(n,) the cable that each hybrid wire is."""
    row_start: Ints
    """(n + 1,) first of its CONDENSED rows for segments that touch moving bodies."""
    row: Ints
    """(p,) those rows."""
    bodies: Ints
    """(n,) bodies in each of them: their first entries."""
    runs: Ints
    """(n,) bodies for its runs: the entries before the last two, the first run's last."""
    held_start: Ints
    """(n + 1,) first of the ends and clamps on bodies that obey forces, in the next two arrays."""
    held_node: Ints
    """(q,) their nodes."""
    held_row: Ints
    """(q,) first of the three rows that hold the mass of rope there to its body."""
    damping_time: Floats
    """(n,) [s]."""
    fading: Floats
    """(n,) rate at which accounts below zero fade [1/s]."""
    crosses: Flags
    """(n,) may cross another one."""
    finest: Floats
    """(n,) least length of rope between two masses [m]."""
    least: Ints
    """(n,) fewest masses between its ends."""
    most: Ints
    """(n,) most."""
    edges: Flags
    """(n,) gets contact nodes on the edges of solids."""
    strength: Floats
    """(n,) breaking force [N]."""
    rigidity: Floats
    """(n,) bending stiffness EI [N m^2]."""
    bend_length: Floats
    """(n,) length of rope that bends where it turns at an eye or on an edge [m]."""
    has_friction: Flags
    """(n,) touches something that has friction, or crosses it, or runs over sheaves with losses."""
    hmr: Flags
    """(n,) has the friction law of Servin et al. 2011, and not Coulomb's."""
    air_damping: Floats
    """(n,) [1/s]."""
    ground_point: Floats
    """(n, 3) [m]."""
    ground_normal: Floats
    """(n, 3) zero for no ground."""
    ground_friction: Floats
    """(n,)."""


class WireState(NamedTuple):
    """State of hybrid wires."""

    steps_since_removal: Ints
    """(n,) steps since a mass of each hybrid wire had to go."""
    cut_place: Floats
    """(n,) place of the cut in the next step, as rope from its first node; below 0 for none [m]."""


class Crossings(NamedTuple):
    """Pairs of hybrid wires that may cross."""

    wire: Ints
    """(p, 2) pairs of hybrid wires that may cross."""
    body: Ints
    """(p,) first of the bodies that stand for the nodes of their crossings."""
    row_entry: Ints
    """(p, 2) its entry in the rows of either wire."""
    friction: Floats
    """(p,) coefficient of friction of the two on one another."""
    thickness: Floats
    """(p,) distance of their centre lines where one lies on the other [m]."""


class SegmentWork(NamedTuple):
    """Segments of hybrid wires."""

    segment_count: Ints
    """(n,) number of segments of each hybrid wire."""
    bend_share: Floats
    """(b,) nodes in which bends of wires meet each body, see
    ``kernels/cables/stiffness/bends.py``."""
    mark: Ints
    """(k, 8) of its segments, from the row of its first node on; columns in
    ``kernels/cables/hybrid/segments.py``."""
    number: Floats
    """(k, 46) of the same; columns there, too."""
    start: Floats
    """(k, 3) nodes of wires that may cross at the begin of a motion [m]."""
    swept: Floats
    """(k, 7) boxes of what their spans sweep; columns in
    ``kernels/cables/crossing/span_search.py``."""
