"""A luffing crane all of whose axes have names of their own, which its family tells."""

import dataclasses
from collections.abc import Mapping

import luffing_crane
from luffing_crane import LuffingCrane, build_luffing

from cable_sim.cranes.crane import Crane
from cable_sim.cranes.parts.load_axes import LoadAxes, LuffingCourse
from cable_sim.spec.quantities import spec

NAMES = {"slewing": "turntable", "luffing": "boom", "hoist": "winch"}
"""The crane's own names by the usual ones."""
DRUM = (luffing_crane.DRUM[0], luffing_crane.DRUM[2])
RATED = 5000.0


@spec
class UsualCrane(LuffingCrane):
    """The file of a luffing crane with the usual names, which answers for its load."""

    def load_axes(self, crane: Crane) -> LoadAxes:
        """Return luffing outward, and slewing across."""
        return LoadAxes("luffing", "slewing", True, LuffingCourse(self.crane.jib_length, 0.0, DRUM))

    def rated_load(self) -> float:
        """Return the largest load [kg]."""
        return RATED

    def reach(self, mass: float) -> float:
        """Return the radius at which a load [kg] has the largest moment [m]."""
        return 20.0 * RATED / mass


@spec
class NamedCrane(UsualCrane):
    """The file of the same crane with its own names."""

    def hoist_axis(self) -> str:
        """Return the winch."""
        return NAMES["hoist"]

    def start_fields(self) -> Mapping[str, str]:
        """Return the fields of ``rig.start`` by the crane's own names."""
        return {"boom": "luffing_deg", "winch": "depth"}

    def load_axes(self, crane: Crane) -> LoadAxes:
        """Return the boom outward, and the turntable across."""
        usual = super().load_axes(crane)
        return usual._replace(outward=NAMES[usual.outward], across=NAMES[usual.across])


def build_named(file: NamedCrane, name: str = "named") -> Crane:
    """Return the luffing crane of a file, its axes renamed."""
    crane = build_luffing(file, name)
    axes = tuple(dataclasses.replace(axis, name=NAMES[axis.name]) for axis in crane.axes)
    return dataclasses.replace(crane, axes=axes)
