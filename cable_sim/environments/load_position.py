"""Position of the load in axis coordinates: where the axes would stand if it hung there at rest.

For a tower crane these are r = sqrt(x^2 + y^2), psi = atan2(y, x) and -z, for a gantry x, y and -z.
Where the load moves outward along a course r(q), z(q), as by luffing, they are q(r), psi and
z(q) - z. Each is corrected by its offset at the start, where the load hangs at rest. So slings,
stretched ropes and an eccentric centre of mass need no further correction. The extra stretch of a
rope that has been paid out further is neglected: some centimetres on 25 m.

From readings alone, the load is taken as the end of a line of length D from the trolley. The line
has the direction of the line to the hook, which sensors see. With the sway angles a and b, the load
is at

    D (tan a, tan b, -1) / sqrt(1 + tan^2 a + tan^2 b)

from the trolley in crane axes. On slings it swings out a little farther than that. The rope that
luffing takes from the falls, or gives them, is left out of D.
"""

import math
from collections.abc import Mapping

import numpy as np

from cable_sim.control.feedback import Feedback, Point
from cable_sim.cranes.crane import Crane
from cable_sim.cranes.family_spec import hoist_of, load_axes_of
from cable_sim.cranes.parts.pendulum import place

ByAxis = dict[str, float]


class Places:
    """Positions of the load by axis [m, rad], and back.

    Parameters
    ----------
    crane: one whose family names the axes that move its load.
    rest: feedback of the crane at rest, with the load hanging.

    Attributes
    ----------
    axes: names of the axes that move the load, in the order of the crane.
    hoist: name of the hoist's axis.
    polar: whether one of them turns.
    """

    def __init__(self, crane: Crane, rest: Feedback) -> None:
        moving = load_axes_of(crane)
        self._outward = moving.outward
        self._across = moving.across
        self._course = moving.course
        self.hoist = hoist_of(crane)
        self.polar = moving.turns
        names = (self._outward, self._across, self.hoist)
        self.axes = tuple(axis.name for axis in crane.axes if axis.name in names)
        hung = crane.suspension
        assert rest.load is not None and hung is not None  # something hangs on falls
        raw = self._axis_coordinates(rest.load.position)
        self._off = {name: rest.axes[name].position - raw[name] for name in self.axes}
        self._aside = rest.load.position[1]
        trolley = next(body for body in crane.scene.bodies if body.name == hung.trolley)
        top = float(place(trolley, hung.trolley_point)[2])
        self._drop = top - rest.load.position[2] - rest.axes[self.hoist].position

    def load_position(self, seen: Feedback) -> ByAxis:
        """Return the load's position by axis [m, rad]."""
        assert seen.load is not None
        raw = self._axis_coordinates(seen.load.position)
        found = {name: raw[name] + self._off[name] for name in self.axes}
        if self.polar:  # the turn of the crane that it is in
            at = seen.axes[self._across].position
            found[self._across] = at + math.remainder(found[self._across] - at, 2.0 * math.pi)
        return found

    def estimate(self, position: Mapping[str, float], radial: float, tangential: float) -> ByAxis:
        """Return the load's position by axis [m, rad], estimated from readings.

        The readings are the coordinates of the axes and the two sway angles [rad].
        """
        length = position[self.hoist] + self._drop
        a = math.tan(radial)
        b = math.tan(tangential)
        share = length / math.sqrt(1.0 + a * a + b * b)
        out = share * a
        left = share * b
        rise = length - share
        outward = position[self._outward]
        reach = self._radius(outward) + out
        if self.polar:
            found = {
                self._outward: self._coordinate(math.hypot(reach, left)),
                self._across: position[self._across] + math.atan2(left, reach),
            }
        else:
            found = {self._outward: self._coordinate(reach)}
            if self._across:
                found[self._across] = position[self._across] + left
        course = self._height(found[self._outward]) - self._height(outward)
        return {self.hoist: position[self.hoist] + course - rise, **found}

    def point(self, places: Mapping[str, float]) -> Point:
        """Return the world point [m] of the load's centre of mass, from its position by axis."""
        raw = {name: places[name] - self._off[name] for name in self.axes}
        z = self._height(raw[self._outward]) - raw[self.hoist]
        r = self._radius(raw[self._outward])
        if self.polar:
            psi = raw[self._across]
            return r * math.cos(psi), r * math.sin(psi), z
        return r, raw[self._across] if self._across else self._aside, z

    def _axis_coordinates(self, at: Point) -> ByAxis:
        """Return the axis coordinates of a point of the world, without the offset."""
        x, y, z = at
        outward = self._coordinate(math.hypot(x, y) if self.polar else x)
        across = math.atan2(y, x) if self.polar else y
        hoist = self._height(outward) - z
        return {self.hoist: hoist, self._outward: outward, self._across: across}

    def _radius(self, outward: float) -> float:
        """Return the radius at a coordinate of the axis outward [m]."""
        return float(self._course.radius(np.array(outward)))

    def _coordinate(self, radius: float) -> float:
        """Return the coordinate of the axis outward at a radius [m, rad]."""
        return float(self._course.coordinate(np.array(radius)))

    def _height(self, outward: float) -> float:
        """Return the load's height, but for a constant, at a coordinate of the axis outward
        [m]."""
        return float(self._course.height(np.array(outward)))
