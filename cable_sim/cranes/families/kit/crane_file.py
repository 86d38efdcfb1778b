"""A file of a crane of parts, with its family's answers."""

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cable_sim.cranes.container.pendulum import length_below_head_block
from cable_sim.cranes.families.kit.outline import outline
from cable_sim.cranes.families.kit.reach import load_axes_of_kit, reach_of
from cable_sim.cranes.families.kit.references import check_references, hoist_axes, start_ranges
from cable_sim.cranes.families.kit.standing import tip_of
from cable_sim.cranes.families.kit.tree import Tree, coordinates_at_start
from cable_sim.cranes.families.kit.words.spec import KitFile
from cable_sim.cranes.parts.load_axes import LoadAxes
from cable_sim.cranes.parts.pendulum import PendulumLength
from cable_sim.spec.files import apply_changes
from cable_sim.spec.quantities import Vector, spec

if TYPE_CHECKING:
    from cable_sim.cranes.crane import Crane


@spec
class KitCrane(KitFile):
    """The file of a crane of parts; one field for each of its sections."""

    def __post_init__(self) -> None:
        check_references(self)

    def hoist_axis(self) -> str:
        """Return the axis on the rope of the first hook."""
        return next(iter(hoist_axes(self).values()), "hoist")

    def start_fields(self) -> Mapping[str, str]:
        """Return the fields of ``rig.start`` by axis or joint."""
        return {key.removesuffix("_deg"): f"at.{key}" for key in start_ranges(self)}

    def load_changes(self, mass: float) -> dict[str, Any] | None:
        """Return the changes for a load [kg] on the first hook."""
        name, hook = next(iter(self.hooks.items()), ("", None))
        if self.spreader:
            return {"rig.load.mass": mass} if mass else {"rig.load": None}
        if hook is not None and hook.ball and self.rig.load is None:
            return {f"hooks.{name}.mass": mass} if mass else None
        return {"rig.load.mass": mass} if self.rig.load is not None and mass else None

    def pendulum(self, crane: "Crane") -> PendulumLength:
        """Return the length of the pendulum that sways like the load."""
        if not self.spreader:
            return super().pendulum(crane)
        corner = next(iter(next(iter(self.hooks.values())).wheels.values())).at
        height = self.rig.load.size[2] if self.rig.load else 0.0
        return length_below_head_block(crane, corner, self.spreader.centre, height)

    def camera_share(self, crane: "Crane") -> Callable[[float], float]:
        """Return a camera's reading over the pendulum's small angle [-], of the hoist's coordinate
        [m].

        It looks at the middle of what the falls carry. A spreader stays level, so its middle, which
        is below its sheaves, goes aside by less than the falls' slope.
        """
        if not self.spreader:
            return super().camera_share(crane)
        centre = self.spreader.centre
        sheaves = next(iter(self.hooks.values())).hook_below_axle
        return lambda hoist: (hoist - sheaves) / (hoist - centre)

    def load_axes(self, crane: "Crane") -> LoadAxes:
        """Return the axes that move the first hook over the ground."""
        return load_axes_of_kit(self)

    def capacity_at_start(self) -> float | None:
        """Return what the chart allows at the radius of the start [kg]."""
        reach = reach_of(self, next(iter(self.hooks))) if self.chart else None
        if self.chart is None or reach is None:
            return self.rated_load()
        return self.chart.capacity(reach.radius(coordinates_at_start(self)))

    def reach(self, mass: float) -> float:
        """Return the largest radius at which a load [kg] may be carried [m]."""
        return self.chart.reach(mass) if self.chart else super().reach(mass)

    def beam_changes(
        self, mass: float, size: float, lug: Vector, sling: float
    ) -> dict[str, Any] | None:
        """Return the changes with which the first hook shares a beam, a mass [kg] of it.

        The hook is a ``sling`` [m] above the ``lug``, a point in the crane's frame [m], and the
        mass a cube of the ``size`` [m]. None for a crane that does not slew, or has no load or axis
        outward.
        """
        axes = load_axes_of_kit(self)
        hook = next(iter(self.hooks), "")
        reach = reach_of(self, hook) if hook else None
        swings = self.rig.slings is not None
        if reach is None or not swings or not (axes.turns and axes.across):
            return None
        x, y, z = lug
        out = math.hypot(x, y)
        start = dict(self.rig.start.at) | {f"{axes.across}_deg": math.degrees(math.atan2(y, x))}
        if reach.luffing and axes.outward:
            angle = axes.course.coordinate(np.array(out))
            start[f"{axes.outward}_deg"] = math.degrees(float(angle))
        elif axes.outward:
            start[axes.outward] = out - reach.offset
        else:
            return None
        there = apply_changes(self, {"rig.start.at": start, "rig.start.state": "hanging"})
        top = tip_of(there, Tree(self.parts, coordinates_at_start(there)), hook)
        start[self.hoist_axis()] = float(top[2]) - z - sling
        return {
            "rig.load.mass": mass,
            "rig.load.size": (size, size, size),
            "rig.slings.height": size,
            "rig.tag_line": None,
            "rig.start.state": "hanging",
            "rig.start.at": start,
        }

    def hook_point(self) -> Vector:
        """Return the first hook in the frame of its block [m]."""
        hook = next(iter(self.hooks.values()), None)
        return hook.places["hook"] if hook else super().hook_point()

    def outline(self) -> str:
        """Return the tree of the parts in words."""
        return outline(self)
