"""Position of the load in axis coordinates: where the axes would stand if it hung there at rest.

For a tower crane these are r = sqrt(x^2 + y^2), psi = atan2(y, x) and -z, for a gantry x, y and -z.
Each is corrected by its offset at the start, where the load hangs at rest. So slings, stretched
ropes and an eccentric centre of mass need no further correction. The extra stretch of a rope that
has been paid out further is neglected: some centimetres on 25 m.

From readings alone, the load is taken as the end of a line of length D from the trolley. The line
has the direction of the line to the hook, which sensors see. With the sway angles a and b, the load
is at

    D (tan a, tan b, -1) / sqrt(1 + tan^2 a + tan^2 b)

from the trolley in crane axes. On slings it swings out a little farther than that.
"""

import math
from collections.abc import Mapping

from cable_sim.control.feedback import Feedback, Point
from cable_sim.cranes.crane import Crane
from cable_sim.cranes.family_spec import ask_family

ByAxis = dict[str, float]


class Places:
    """Positions of the load by axis [m, rad], and back.

    Parameters
    ----------
    crane: a tower crane or a gantry.
    rest: feedback of the crane at rest, with the load hanging.

    Attributes
    ----------
    axes: names of the axes, in the order of the crane.
    polar: whether one of them turns.
    """

    def __init__(self, crane: Crane, rest: Feedback) -> None:
        fields = ask_family(crane).start_fields()
        self.axes = tuple(axis.name for axis in crane.axes if axis.name in fields)
        self.polar = "slewing" in self.axes
        assert rest.load is not None and crane.suspension is not None  # something hangs on falls
        raw = self._axis_coordinates(rest.load.position)
        self._off = {name: rest.axes[name].position - raw[name] for name in self.axes}
        trolley = next(body for body in crane.scene.bodies if body.name == crane.suspension.trolley)
        self._drop = trolley.position[2] - rest.load.position[2] - rest.axes["hoist"].position

    def load_position(self, seen: Feedback) -> ByAxis:
        """Return the load's position by axis [m, rad]."""
        assert seen.load is not None
        raw = self._axis_coordinates(seen.load.position)
        found = {name: raw[name] + self._off[name] for name in self.axes}
        if self.polar:  # the turn of the crane that it is in
            at = seen.axes["slewing"].position
            found["slewing"] = at + math.remainder(found["slewing"] - at, 2.0 * math.pi)
        return found

    def estimate(self, position: Mapping[str, float], radial: float, tangential: float) -> ByAxis:
        """Return the load's position by axis [m, rad], estimated from readings.

        The readings are the coordinates of the axes and the two sway angles [rad].
        """
        length = position["hoist"] + self._drop
        a = math.tan(radial)
        b = math.tan(tangential)
        share = length / math.sqrt(1.0 + a * a + b * b)
        out = share * a
        left = share * b
        rise = length - share
        found = {"hoist": position["hoist"] - rise}
        if self.polar:
            reach = position["trolley"] + out
            found["trolley"] = math.hypot(reach, left)
            found["slewing"] = position["slewing"] + math.atan2(left, reach)
        else:
            found["trolley"] = position["trolley"] + out
            found["gantry"] = position["gantry"] + left
        return found

    def point(self, places: Mapping[str, float]) -> Point:
        """Return the world point [m] of the load's centre of mass, from its position by axis."""
        raw = {name: places[name] - self._off[name] for name in self.axes}
        if self.polar:
            r = raw["trolley"]
            psi = raw["slewing"]
            return r * math.cos(psi), r * math.sin(psi), -raw["hoist"]
        return raw["trolley"], raw["gantry"], -raw["hoist"]

    def _axis_coordinates(self, at: Point) -> ByAxis:
        """Return the axis coordinates of a point of the world, without the offset."""
        x, y, z = at
        plan = (
            {"trolley": math.hypot(x, y), "slewing": math.atan2(y, x)}
            if self.polar
            else {"trolley": x, "gantry": y}
        )
        return {"hoist": -z, **plan}
