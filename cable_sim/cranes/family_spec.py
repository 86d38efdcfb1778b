"""Answers of a family of cranes for itself, so that all code above is independent of families.

The specs of all families, the classes of their files, are derived from :class:`FamilySpec`. Each
method has an answer that follows from the scene and the suspension of a crane, or from the usual
names in a file; a family overrides those of which it knows more.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any

from cable_sim.cranes.crane import Crane
from cable_sim.cranes.initial_conditions import InitialConditions, seed_wind
from cable_sim.cranes.parts.load_axes import LoadAxes
from cable_sim.cranes.parts.pendulum import PendulumLength, pendulum_of_suspension
from cable_sim.errors import SpecError
from cable_sim.spec.quantities import Vector
from cable_sim.spec.wind import Weather

HOISTS = ("depth", "hook_depth")
"""Usual names of the hoist's coordinate in ``rig.start``."""


class FamilySpec:
    """Base class of the files of a family of cranes."""

    def current_paths(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Return changes of the file by its present paths; by default the same."""
        return dict(changes)

    def hoist_axis(self) -> str:
        """Return the name of the axis that pays out the hoist ropes, whose coordinate is a depth;
        by default ``hoist``."""
        return "hoist"

    def start_fields(self) -> Mapping[str, str]:
        """Return the fields of ``rig.start`` by axis; those that end with ``_deg`` are in degrees.

        By default each field is that of the axis of its name, and a depth is the hoist's.
        """
        start = getattr(getattr(self, "rig", None), "start", None)
        names = [f.name for f in dataclasses.fields(start)] if start is not None else []
        return {
            self.hoist_axis() if name in HOISTS else name.removesuffix("_deg"): name
            for name in names
            if name != "state"
        }

    def hanging_changes(self) -> dict[str, Any]:
        """Return the changes of the file, by path, with which the load hangs at the start."""
        start = getattr(getattr(self, "rig", None), "start", None)
        return {"rig.start.state": "hanging"} if hasattr(start, "state") else {}

    def initial_changes(self, given: InitialConditions) -> dict[str, Any]:
        """Return the changes of the file, by path, for a run's initial conditions.

        Raises SpecError for what the family does not have.
        """
        changes = self._changes_of_start(given)
        if given.load is not None:
            loaded = self.load_changes(given.load)
            if loaded is None:
                raise SpecError(
                    f"load: {given.crane} can't carry {given.load:g} kg; change its file"
                )
            changes |= loaded
        wind = given.wind if given.wind is not None else getattr(self, "wind", Weather())
        if given.wind is not None or given.seed is not None and wind.sum_of:
            changes["wind"] = wind if given.seed is None else seed_wind(wind, given.seed)
        if given.seed is not None and getattr(self, "sensors", None) is not None:
            changes["sensors.seed"] = given.seed
        return changes

    def _changes_of_start(self, given: InitialConditions) -> dict[str, Any]:
        """Return the changes for the start of the axes."""
        start = dict(given.start)
        changes = {}
        if given.rope_length is not None:
            start[self.hoist_axis()] = given.rope_length
            changes = self.hanging_changes()
        known = self.start_fields()
        for axis, coordinate in start.items():
            if axis not in known:
                raise SpecError(
                    f"start.{axis}: {given.crane} can start "
                    f"{', '.join(known) or 'only as its file says'}"
                )
            field = known[axis]
            changes[f"rig.start.{field}"] = (
                math.degrees(coordinate) if field.endswith("_deg") else coordinate
            )
        return changes

    def load_changes(self, mass: float) -> dict[str, Any] | None:
        """Return the changes of the file, by path, for a load [kg]; None for one that it can't
        carry."""
        has_load = hasattr(getattr(self, "rig", None), "load")
        return {"rig.load.mass": mass} if has_load and mass else None

    def pendulum(self, crane: Crane) -> PendulumLength:
        """Return the length of the pendulum that sways like the load; SpecError if nothing is known
        of it.

        By default hook and load are two rods, as :func:`pendulum_of_suspension` has them.
        """
        return pendulum_of_suspension(crane, self.hoist_axis())

    def load_axes(self, crane: Crane) -> LoadAxes:
        """Return the axes that move the load over the ground.

        By default they are those of the names ``trolley``, and ``slewing`` or else ``gantry``.
        """
        known = {axis.name for axis in crane.axes}
        across = next((name for name in ("slewing", "gantry") if name in known), "")
        return LoadAxes("trolley" if "trolley" in known else "", across, across == "slewing")

    def camera_share(self, crane: Crane) -> Callable[[float], float]:
        """Return a sway camera's reading over the pendulum's small angle [-], of the hoist's
        coordinate [m].

        By default the camera reads all of it.
        """
        return lambda hoist: 1.0

    def rated_load(self) -> float | None:
        """Return the largest load that tasks of learners may have [kg]; None by default, for a
        family without such tasks."""
        return None

    def capacity_at_start(self) -> float | None:
        """Return the largest load where the crane starts [kg]; by default the rated load."""
        return self.rated_load()

    def overload(self) -> str:
        """Return a sentence on a load beyond what the crane may lift where it starts; empty if it
        may."""
        mass = getattr(getattr(getattr(self, "rig", None), "load", None), "mass", None)
        capacity = self.capacity_at_start()
        if mass is None or capacity is None or mass <= capacity:
            return ""
        return f"{mass:g} kg is beyond the {capacity:.0f} kg that the crane may lift at its start"

    def reach(self, mass: float) -> float:
        """Return the largest radius at which a load [kg] may be carried [m]; by default any."""
        return math.inf

    def beam_changes(
        self, mass: float, size: float, lug: Vector, sling: float
    ) -> dict[str, Any] | None:
        """Return the changes of the file, by path, for a share of a beam; None by default, for a
        crane that can't share one.

        The share [kg] is a cube of the ``size`` [m] on slings as high. The hook is a ``sling`` [m]
        above the ``lug``, a point in the crane's frame [m].
        """
        return None

    def outline(self) -> str:
        """Return what the crane is made of, in lines for people; empty by default."""
        return ""

    def hook_point(self) -> Vector:
        """Return the hook in the frame of ``hook_block`` [m]."""
        return (0.0, 0.0, 0.0)


def ask_family(crane: Crane) -> FamilySpec:
    """Return the answers of a crane's family.

    For a crane without a file they follow from geometry alone.
    """
    return crane.details if isinstance(crane.details, FamilySpec) else FamilySpec()


def load_axes_of(crane: Crane) -> LoadAxes:
    """Return the axes that move a crane's load over the ground, as its family has them.

    SpecError for a family that names an axis that the crane does not have.
    """
    axes = ask_family(crane).load_axes(crane)
    for name in (axes.outward, axes.across):
        if name:
            crane.axis(name)
    return axes


def hoist_of(crane: Crane) -> str:
    """Return the name of the axis that pays out a crane's hoist ropes; empty where there is
    none."""
    name = ask_family(crane).hoist_axis()
    return name if any(axis.name == name for axis in crane.axes) else ""
