"""Records of contacts of points with surfaces."""

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


class BoxWork(NamedTuple):
    """Scratch of contacts with solids."""

    chosen: Ints
    """(4,) which of the points have rows."""
    solid_points: Floats
    """(n, 4) points where a box may touch a solid: two coordinates along it, gap, height."""
    slot_near: Ints
    """(n,) 1 for slots whose pair of a body and a solid may meet in the step."""
