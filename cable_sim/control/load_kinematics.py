"""Kinematics of a load at rest: from the coordinates of a crane's axes to a point in the world, and
back.

A straight axis, of a gantry or a bridge and every hoist, moves the load along a unit vector e of
the world, down for a hoist. So with the load at p_0 when the coordinates are q_0

    p = p_0 + sum_i (q_i - q_0i) e_i,        q_i = q_0i + (p - p_0) . e_i.

On a jib that slews by phi, with the trolley at the radius r, in the world's frame about the slewing
axis

    (x, y) = r (cos phi, sin phi),           r = |(x, y)|,   phi = atan2(y, x), with its turns.

A family may have another axis than a trolley move the load outward, along a course r(q), z(q)
(``cranes/parts/load_axes.py``): r is then that of the course, and the height changes by that of the
course.

Nothing here knows of the rope's stretch under other loads, or of a structure that gives.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cable_sim.control.feedback import Feedback, Point
from cable_sim.cranes.crane import Axis, Crane
from cable_sim.cranes.family_spec import ask_family, hoist_of, load_axes_of
from cable_sim.cranes.parts.load_axes import Course, LoadAxes, StraightCourse
from cable_sim.errors import SpecError

Array = NDArray[np.float64]

NOWHERE: Point = (0.0, 0.0, 0.0)
"""Direction of an axis that moves no load, or not along a line."""
DOWN: Point = (0.0, 0.0, -1.0)
"""Direction of a hoist."""
LETTERS = ("x", "y", "z")


class LoadKinematics(NamedTuple):
    """Kinematics of the load at rest, for a crane with ``a`` axes.

    Parameters
    ----------
    first: coordinates of the axes [m, rad] when the load hangs at rest at ``load`` [m].
    load: see there.
    directions: unit vectors along which the axes move it; zero for axes that do not move it along a
        line.
    polar: columns of the axes that are its radius and its angle about the world's z axis; None
        without.
    course: of the load by the first of these.
    """

    first: tuple[float, ...]
    load: Point
    directions: tuple[Point, ...]
    polar: tuple[int, int] | None = None
    course: Course = StraightCourse()

    def below(self, coordinates: ArrayLike) -> Array:
        """(n, 3) points of the load at rest [m], of (n, a) coordinates of the axes."""
        q = np.atleast_2d(np.asarray(coordinates, dtype=float))
        points = np.array(self.load) + (q - np.array(self.first)) @ np.array(self.directions)
        if self.polar:
            radius = self.course.radius(q[:, self.polar[0]])
            angle = q[:, self.polar[1]]
            points[:, 0] = radius * np.cos(angle)
            points[:, 1] = radius * np.sin(angle)
            points[:, 2] += self._course_rise(q[:, self.polar[0]])
        return points

    def coordinates(self, points: ArrayLike) -> Array:
        """(n, a) coordinates of the axes below which the points (n, 3) [m] are, one after the other
        in time.

        Those of axes that do not move the load are as at the start.
        """
        p = np.atleast_2d(np.asarray(points, dtype=float))
        reach = None
        if self.polar:
            reach = self.course.coordinate(np.hypot(p[:, 0], p[:, 1]))
            p = p - self._course_rise(reach)[:, None] * np.array((0.0, 0.0, 1.0))
        q = np.array(self.first) + (p - np.array(self.load)) @ np.array(self.directions).T
        if self.polar:
            angle = np.unwrap(np.arctan2(p[:, 1], p[:, 0]))
            turns = np.round((self.first[self.polar[1]] - angle[:1]) / (2.0 * math.pi))
            q[:, self.polar[0]] = reach
            q[:, self.polar[1]] = angle + 2.0 * math.pi * turns
        return q

    def lever(self, axis: int, coordinates: ArrayLike) -> float:
        """Return the way of the load per unit of an axis [m/m, m/rad], at (a,) coordinates."""
        if self.polar and axis in self.polar:
            q = float(np.asarray(coordinates, dtype=float)[self.polar[0]])
            radius, slope, _, rise = self.course.at(q)
            return radius if axis == self.polar[1] else math.hypot(slope, rise)
        return 1.0

    def _course_rise(self, outward: Array) -> Array:
        """(n,) heights of the course over that at the start [m], of (n,) coordinates outward."""
        assert self.polar is not None
        start = np.array(self.first[self.polar[0]])
        return self.course.height(outward) - self.course.height(start)


def needed_axes(crane: Crane, user: str) -> LoadAxes:
    """Return the axes that move a crane's load, for a ``user`` that needs one outward and a hoist.

    SpecError, which names those that the crane has, without them.
    """
    axes = load_axes_of(crane)
    names = [axis.name for axis in crane.axes]
    if not axes.outward or not hoist_of(crane):
        raise SpecError(
            f"{user}: needs an axis that moves the load outward, trolley or what the family names "
            f"in load_axes, and an axis {ask_family(crane).hoist_axis()}; {crane.name} has "
            f"{', '.join(names) or 'none'}"
        )
    return axes


def load_kinematics_of(crane: Crane, first: Feedback) -> LoadKinematics | None:
    """Return the kinematics of a crane's load at rest, from feedback at rest.

    None where they are not known: where nothing hangs, and where an axis moves the load along
    another curve than a straight line or a circle about the world's z axis.
    """
    names = list(first.axes)
    hoist = hoist_of(crane)
    if first.load is None or hoist not in names:
        return None
    moving = load_axes_of(crane)
    polar = bool(moving.outward) and moving.turns
    axes = [crane.axis(name) for name in names]
    joints = {joint.name for joint in crane.scene.joints}
    on = {drive.name: drive.on for drive in crane.scene.drives}
    for axis in axes:
        known = axis.linear or (polar and axis.name in (moving.outward, moving.across))
        if on.get(axis.drive) in joints and not known:
            return None
    at = tuple(state.position for state in first.axes.values())
    directions = tuple(DOWN if axis.name == hoist else _direction(axis) for axis in axes)
    columns = (names.index(moving.outward), names.index(moving.across)) if polar else None
    return LoadKinematics(at, first.load.position, directions, columns, moving.course)


def _direction(axis: Axis) -> Point:
    """The unit vector along which a straight axis moves the load."""
    if not axis.linear:
        return NOWHERE
    along = np.zeros(3)
    along[LETTERS.index(axis.linear[-1])] = -1.0 if axis.linear[0] == "-" else 1.0
    x, y, z = along.tolist()
    return x, y, z
