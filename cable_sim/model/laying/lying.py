"""A rope of masses at rest between its ends, hanging as ``hanging.py`` has it, or in part on a
plane.

The plane stands for level ground or, where it is tilted, for a weight that acts along its normal.
From an end at the height z a leg comes down with k segments, V = t, t - 1, ... > 0 from the end on,
t - k + 1 at the plane, where the mass is carried in part. Its height and its reach are

    z = sum_i (t - i) (1 / |F| + eps),    x = sum_i H (1 / |F| + eps),    (4)

both monotone, the first in t and the sum of both reaches and the flat part between, x_A + x_B + (N
- k_A - k_B) (1 + eps H), in H; so one root is nested in another. With H = 0 legs are upright, and
  the last segment leans without load if
there is less than its length to go, by (1 - r^2)^1/2. What is left then lies on the plane, in an
arc of K equal chords where it is longer than the way D of them:

    sin(K g / 2) / sin(g / 2) = D    turns by g from chord to chord.    (5)

Two or three segments too few for an arc lean to one side until they fit.
"""

import math
from typing import NamedTuple

import numpy as np

from cable_sim.model.basis.frames import Array
from cable_sim.model.laying.hanging import GRAZE, Strand, free

CLOSED_ON_PLANE = 1e-10
"""Distance by which the end of a rope that lies may be missed, in lengths of the rope."""


class Plane(NamedTuple):
    """Resting plane of a rope's masses: a point [m], unit normal, and depth in the ground [m]."""

    point: Array
    normal: Array
    sinks: float = 0.0


def hang(
    start: Array, end: Array, strand: Strand, up: Array, plane: Plane | None = None
) -> Array | None:
    """Return the points of a slack rope at rest between its two ends (segments + 1, 3) [m].

    None if there is no such shape. ``up`` is the unit vector against its weight.
    """
    along, rise, distance = _split_reach(end - start, up)
    local = free(distance, rise, strand)
    if local is not None:
        points = _place(start, along, up, strand, local)
        if plane is None or ((points - plane.point) @ plane.normal).min() >= -GRAZE * strand.length:
            return _close_ends(points, start, end)
    if plane is None:
        return None
    along, rise, distance = _split_reach(end - start, plane.normal)
    height = float((start - plane.point) @ plane.normal)
    local = _lying_rope(
        height / strand.length, (height + rise) / strand.length, distance / strand.length, strand
    )
    return (
        None
        if local is None
        else _close_ends(_place(start, along, plane.normal, strand, local), start, end)
    )


def _split_reach(reach: Array, up: Array) -> tuple[Array, float, float]:
    """Return a reach's level unit vector, its rise [m], and its level distance [m]."""
    rise = float(reach @ up)
    level = reach - rise * up
    distance = float(np.linalg.norm(level))
    if distance < GRAZE * abs(rise) or distance == 0.0:
        axis = np.eye(3)[int(np.argmin(np.abs(up)))]
        level = axis - (axis @ up) * up
        distance = 0.0
    return level / np.linalg.norm(level), rise, distance


def _place(start: Array, along: Array, up: Array, strand: Strand, local: Array) -> Array:
    """Return points in the world from points along, aside and up of the start.

    The latter are in lengths of a segment.
    """
    x, y, z = up
    a, b, c = along
    return start + strand.length * (
        local @ np.array([along, (y * c - z * b, z * a - x * c, x * b - y * a), up])
    )


def _close_ends(points: Array, start: Array, end: Array) -> Array:
    """Return points with both ends exactly in their places."""
    points[0] = start
    points[-1] = end
    return points


def _lying_rope(height: float, other: float, distance: float, strand: Strand) -> Array | None:
    """Return the points (n, 3) of a rope that lies on the plane between its ends: eq. 4.

    They are along, aside and up of the start.
    """
    from scipy.optimize import brentq  # slow to import, and most scenes have no ropes of masses

    limp = _limp_rope(height, other, distance, strand)
    if limp is not None:
        return limp
    legs: dict[float, tuple[Array, Array]] = {}

    def excess(level: float) -> float:
        """Return the overshoot of the rope beyond its end under a level pull.

        It is far too much where the rope would not lie.
        """
        both = [_leg(z, level, strand) for z in (height, other)]
        if both[0] is None or both[1] is None or len(both[0]) + len(both[1]) > strand.segments:
            return 2.0 * strand.segments
        legs[level] = both[0], both[1]
        flat = strand.segments - len(both[0]) - len(both[1])
        return float(
            both[0][:, 0].sum()
            + both[1][:, 0].sum()
            + flat * (1.0 + strand.strain * level)
            - distance
        )

    least = 1e-12
    most = 1.0
    if excess(least) > 0.0:
        return None
    while excess(most) < 0.0:
        least = most
        most = 4.0 * most
    level = brentq(excess, least, most, xtol=1e-300, rtol=4.0 * np.finfo(float).eps, maxiter=300)
    if abs(excess(level)) > CLOSED_ON_PLANE * strand.segments:
        return None
    return _drawn_rope(height, other, distance, *legs[level], strand.segments)


def _drawn_rope(
    height: float, other: float, distance: float, first: Array, last: Array, segments: int
) -> Array:
    """Return the points (n, 3) of a rope with two such legs, and the rest straight between."""
    points = np.zeros((segments + 1, 3))
    points[: len(first) + 1, ::2] = np.cumsum([(0.0, height), *(first * (1.0, -1.0))], axis=0)
    back = np.cumsum([(distance, other), *(last * (-1.0, -1.0))], axis=0)
    points[segments - len(last) :, ::2] = back[::-1]
    begin = len(first)
    after = segments - len(last)
    points[begin : after + 1] = np.linspace(
        points[begin if after > begin else after], points[after], after - begin + 1
    )
    points[begin : after + 1, 2] = 0.0
    return points - (0.0, 0.0, height)


def _leg(height: float, level: float, strand: Strand) -> Array | None:
    """Return level and downward reaches of the segments of a leg (k, 2), from its end to the plane.

    None if it is too long.
    """
    from scipy.optimize import brentq

    def reaches(load: float) -> Array:
        loads = load - np.arange(math.ceil(load))
        return (1.0 / np.hypot(level, loads) + strand.strain)[:, None] * np.column_stack(
            [np.full(loads.size, level), loads]
        )

    def missing(load: float) -> float:
        return float(reaches(load)[:, 1].sum()) - height

    if height <= GRAZE:
        return np.zeros((0, 2)) if height > -GRAZE else None
    if missing(float(strand.segments)) < 0.0:
        return None
    return reaches(
        brentq(missing, 0.0, float(strand.segments), xtol=1e-300, rtol=4.0 * np.finfo(float).eps)
    )


def _limp_rope(height: float, other: float, distance: float, strand: Strand) -> Array | None:
    """Return the points of a rope with upright legs, the rest of it without load on the plane.

    None if it is too short for that.
    """
    first, reach = _upright_leg(height, strand.strain) or (None, 0.0)
    last, far = _upright_leg(other, strand.strain) or (None, 0.0)
    if first is None or last is None:
        return None
    flat = strand.segments - (len(first) - 1) - (len(last) - 1)
    if flat < 0:
        return None
    if reach + far + flat < distance:
        return None
    sides = _sides(reach, far, distance, flat)
    if sides is None and not strand.pushes:
        sides = _slack_sides(reach, far, distance, flat)
    if sides is None:
        legs = (height, len(first) - 1, reach), (other, len(last) - 1, far)
        return _spread_legs(legs[0], legs[1], distance, strand)
    near, beyond = sides
    points = np.zeros((strand.segments + 1, 3))
    points[: len(first), 2] = first
    points[strand.segments - len(last) + 1 :, 2] = last[::-1]
    points[strand.segments - len(last) + 1 :, 0] = distance
    begin = len(first) - 1
    after = len(first) - 1 + flat
    points[begin : after + 1] = bow(np.array(near), np.array(beyond), flat)
    return points - (0.0, 0.0, height)


def _upright_leg(height: float, strain: float) -> tuple[Array, float] | None:
    """Return the heights of the points of an upright leg, and the lean of its last segment.

    The points go from its end to the plane.
    """
    if abs(height) <= GRAZE:
        return np.zeros(1), 0.0
    if height < 0.0:
        return (np.array([height, 0.0]), math.sqrt(1.0 - height**2)) if height > -1.0 else None
    most = int(height) + 1
    full = np.arange(1, most + 1) + 0.5 * strain * np.arange(1, most + 1) * np.arange(2, most + 2)
    hung = int((full <= height).sum())
    left = height - (full[hung - 1] if hung else 0.0)
    if left <= 1.0:
        load = np.arange(hung, 0, -1.0)
        lean = math.sqrt(1.0 - left**2)
    else:  # the mass on the plane is carried in part
        load = np.arange(hung, -1, -1.0) + (left - 1.0) / (strain * (hung + 1))
        lean = 0.0
    heights = height - np.concatenate([[0.0], np.cumsum(1.0 + strain * load)])
    return (np.append(heights, 0.0), lean) if left <= 1.0 else (np.append(heights[:-1], 0.0), lean)


def _sides(
    reach: float, far: float, distance: float, flat: int
) -> tuple[list[float], list[float]] | None:
    """Return begin and end of the part on the plane, along, aside and up.

    None if it is too long for its place.
    """

    def ends(turn: float) -> tuple[list[float], list[float]]:
        cos = math.cos(turn)
        sin = math.sin(turn)
        return [reach * cos, reach * sin, 0.0], [distance - far * cos, far * sin, 0.0]

    def missing(turn: float) -> float:
        return math.dist(*ends(turn)) - flat

    if flat >= 2 or abs(missing(0.0)) < GRAZE:
        return ends(0.0)
    from scipy.optimize import brentq

    both = reach + far
    if flat == 0:
        return _meet(reach, far, distance)
    limit = math.acos(distance / both) if missing(0.0) > 0.0 else math.pi
    return (
        ends(brentq(missing, 0.0, limit, xtol=1e-15))
        if missing(0.0) * missing(limit) < 0.0
        else None
    )


def _meet(reach: float, far: float, distance: float) -> tuple[list[float], list[float]] | None:
    """Return the point where two segments meet that lean by so much."""
    if distance == 0.0 or distance < abs(reach - far):
        return None
    x = 0.5 * (distance + (reach**2 - far**2) / distance)
    place = [x, math.sqrt(max(reach**2 - x**2, 0.0)), 0.0]
    return place, place


def _slack_sides(
    reach: float, far: float, distance: float, flat: int
) -> tuple[list[float], list[float]]:
    """Return begin and end of the part on the plane of a rope that only pulls.

    The segment on the plane is slack, or else the one that leans more.
    """
    near = reach
    beyond = distance - far
    if flat == 0:
        near = beyond = -reach if far > reach else distance + far
    return [near, 0.0, 0.0], [beyond, 0.0, 0.0]


def _spread_legs(
    first: tuple[float, int, float], last: tuple[float, int, float], distance: float, strand: Strand
) -> Array | None:
    """Return the points of a rope whose legs one segment or mass on the plane spreads.

    See :func:`_limp_rope`. Of each leg are given the height of its end, its segments, and its lean
    if it is limp.
    """
    height, count, reach = first
    other, number, far = last
    shared = int(count + number == strand.segments)
    if shared:
        at = (reach, distance + far) if reach > far else (distance - far, -reach)
        tries = [(x, x - distance) for x in at]
    else:
        more = (1.0 - distance - reach - far) / max((count > 0) + (number > 0), 1)
        tries = [(-reach - more if count else 0.0, far + more if number else 0.0)]
    for near, beyond in tries:
        one = _leaning_leg(near, height, count, strand)
        two = _leaning_leg(beyond, other, number, strand)
        if one is not None and two is not None:
            two += (distance, 0.0, other - height)
            return np.concatenate([one, two[::-1][shared:]])
    return None


def _leaning_leg(place: float, height: float, segments: int, strand: Strand) -> Array | None:
    """Return the points of a leg from its end to a place on the plane (n, 3).

    None if it is too short, or not above the plane.
    """
    if not segments:
        return np.zeros((1, 3))
    if math.hypot(place, height) > segments * (1.0 + 0.5 * strand.strain * (segments + 1)):
        return None
    found = free(abs(place), -height, strand._replace(segments=segments, length=1.0))
    if found is None or found[:, 2].min() < -height - GRAZE:
        return None
    return found * (math.copysign(1.0, place), 1.0, 1.0)


def bow(start: Array, end: Array, segments: int) -> Array:
    """Return the points of an arc of chords of length 1 in the plane of x and y: eq. 5."""
    reach = (end - start)[:2]
    distance = float(np.linalg.norm(reach))
    along = reach / distance if distance > GRAZE else np.array([1.0, 0.0])
    if segments < 2 or distance >= segments * (1.0 - 1e-15):
        return np.linspace(start, end, segments + 1)
    from scipy.optimize import brentq

    def missing(turn: float) -> float:
        return math.sin(0.5 * segments * turn) / math.sin(0.5 * turn) - distance

    most = 2.0 * math.pi / segments
    turn = (
        most
        if distance <= GRAZE
        else brentq(missing, 1e-9, most, xtol=1e-16)
        if missing(1e-9) > 0.0
        else 0.0
    )
    heading = turn * (np.arange(segments) - 0.5 * (segments - 1))
    steps = np.outer(np.cos(heading), along) + np.outer(np.sin(heading), (-along[1], along[0]))
    points = np.zeros((segments + 1, 3))
    points[:, :2] = start[:2] + np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    return points
