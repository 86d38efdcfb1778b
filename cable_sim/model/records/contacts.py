"""Records of contacts of points with surfaces, and of boxes."""

from typing import NamedTuple

from cable_sim.model.records.arrays import Floats, Ints


class Contacts(NamedTuple):
    """Pairs of a point on a body and a surface."""

    body: Ints
    """(p,) body of each pair of a point and a surface."""
    point: Floats
    """(p, 3) in the body's frame [m]."""
    radius: Floats
    """(p,) [m]."""
    surface: Ints
    """(p,)."""
    row: Ints
    """(p,) normal row; the two friction rows follow."""


class Surfaces(NamedTuple):
    """Surfaces that points touch."""

    point: Floats
    """(s, 3) [m]."""
    axes: Floats
    """(s, 3, 3) tangent, tangent, normal as rows."""
    extent: Floats
    """(s, 2) half lengths along the tangents [m]."""
    thickness: Floats
    """(s,) [m]."""
    friction: Floats
    """(s,)."""


class Boxes(NamedTuple):
    """Boxes that may touch one another."""

    body: Ints
    """(n,) body that carries each box which may touch others."""
    frame: Floats
    """(n, 4, 3) its centre [m], and its axes as rows, in the body's frame."""
    half: Floats
    """(n, 3) half edges [m]."""


class Pairs(NamedTuple):
    """Pairs of such boxes."""

    box: Ints
    """(p, 2) boxes that may touch."""
    row: Ints
    """(p,) first of the rows: for each of four points a normal and two friction rows."""
    friction: Floats
    """(p,) Coulomb's mu."""


class BoxWork(NamedTuple):
    """Scratch of contacts between boxes and with solids."""

    centre: Floats
    """(n, 3) in the world [m]."""
    axes: Floats
    """(n, 3, 3) as rows."""
    polygon: Floats
    """(2, 8, 3) points where a pair of boxes touches, before and after a cut."""
    chosen: Ints
    """(4,) which of them have rows."""
    solid_points: Floats
    """(n, 4) points where a box may touch a solid: two coordinates along it, gap, height."""
    slot_near: Ints
    """(n,) 1 for slots whose pair of a body and a solid may meet in the step."""


class PairReadings(NamedTuple):
    """Forces between boxes."""

    force: Floats
    """(p, 3) of the first box on the second."""
