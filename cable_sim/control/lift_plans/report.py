"""Report of a lift: place of the load, pull of the rope, sway."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cable_sim.control.lift_plans.lift_plan import LiftPlan, Point
from cable_sim.control.lift_plans.time_series import LiftSeries
from cable_sim.cranes.crane import Crane
from cable_sim.machine.pictures.extents import half_height
from cable_sim.spec.scene import GRAVITY

Array = NDArray[np.float64]

CARRYING = 0.01
"""Least pull of slings that carry, over the load's weight [-]."""
HEIGHT_TOLERANCE = 0.1
"""Height above or below the target beyond which the load stands on something else [m]."""
BEFORE_LANDING = 15.0
"""Time before landing whose largest sway is the sway at landing [s]: about a period of the
pendulum."""


@dataclass(frozen=True)
class RunFigures:
    """Real-time figures of a simulator, from its statistics, over the time of the plan.

    ``real_time_factor`` simulated over wall time [-]; ``missed_ticks``, ``rejected`` and
    ``clamped`` commands are counts; ``lost_samples`` says how many of the 100 a second did not
    arrive.
    """

    real_time_factor: float
    missed_ticks: int
    rejected: int
    clamped: int
    lost_samples: int = 0


@dataclass(frozen=True)
class LiftReport:
    """The figures of one lift.

    Points are of the middle of the load's underside, in the world [m]; ``miss`` is the horizontal
    distance to the target and ``height_error`` how far above it the load stands [m], both NaN
    without a target. Sway angles [deg] count only while the load hangs.
    """

    plan: str
    crane: str
    duration: float
    landed: Point
    target: Point | None
    miss: float
    height_error: float
    standing: bool
    lift_off_time: float
    landing_time: float
    peak_pull: float
    peak_pull_time: float
    peak_pull_share: float
    sway_radial: float
    sway_tangential: float
    sway_at_landing: float
    run: RunFigures | None = None

    @property
    def lifted(self) -> bool:
        """Return True if the slings ever carried the load."""
        return math.isfinite(self.lift_off_time)

    def succeeded(self, tolerance: float) -> bool:
        """Return True if the load was lifted and stands, slings slack, within ``tolerance`` [m] of
        any target."""
        if self.target is None:
            return self.lifted and self.standing
        return (
            self.lifted
            and self.standing
            and self.miss <= tolerance
            and abs(self.height_error) <= HEIGHT_TOLERANCE
        )

    def verdict(self, tolerance: float) -> str:
        """The outcome in one sentence."""
        if not self.standing:
            return "the load is not set down: its slings still carry it"
        if not self.lifted:
            return "the load was never lifted"
        if self.target is None:
            return "landed; the plan names no target"
        if abs(self.height_error) > HEIGHT_TOLERANCE:
            return (
                f"the load is {self.height_error:+.2f} m from the target's height: it is on "
                "something else"
            )
        where = f"{self.miss:.3f} m from the target"
        return (
            f"landed {where}"
            if self.miss <= tolerance
            else f"landed {where}, {tolerance:g} m are allowed"
        )


def measure(
    plan: LiftPlan, crane: Crane, track: LiftSeries, run: RunFigures | None = None
) -> LiftReport:
    """The figures of a track."""
    load = next(body for body in crane.scene.bodies if body.name == crane.watched)
    rope = next(cable for cable in crane.scene.cables if cable.name in crane.ropes)
    landed = _point(track.load[-1] - np.array([0.0, 0.0, half_height(load)]))
    offset = np.subtract(landed, plan.target) if plan.target else np.full(3, np.nan)
    carried = track.slings > CARRYING * load.mass * GRAVITY
    peak = int(np.argmax(track.pull))
    lift_off, landing = _time_span(track.time, carried)
    late = carried & (track.time > landing - BEFORE_LANDING)
    return LiftReport(
        plan=plan.name,
        crane=crane.name,
        duration=float(track.time[-1]),
        landed=landed,
        target=plan.target,
        miss=float(np.hypot(offset[0], offset[1])),
        height_error=float(offset[2]),
        standing=not carried[-1],
        lift_off_time=lift_off,
        landing_time=landing,
        peak_pull=float(track.pull[peak]),
        peak_pull_time=float(track.time[peak]),
        peak_pull_share=float(track.pull[peak]) / rope.breaking_force,
        sway_radial=_largest_angle(track.radial[carried]),
        sway_tangential=_largest_angle(track.tangential[carried]),
        sway_at_landing=_largest_angle(np.hypot(track.radial[late], track.tangential[late])),
        run=run,
    )


def _time_span(time: Array, mask: NDArray[np.bool_]) -> tuple[float, float]:
    """First and last time at which the mask is true; NaN if it never is."""
    where = np.flatnonzero(mask)
    return (float(time[where[0]]), float(time[where[-1]])) if where.size else (math.nan, math.nan)


def _largest_angle(angles: Array) -> float:
    """Largest magnitude [deg] of angles [rad], NaN left out; 0 if there is none."""
    return math.degrees(float(np.nanmax(np.abs(angles)))) if np.isfinite(angles).any() else 0.0


def _point(values: Array) -> Point:
    """Three numbers as a tuple."""
    x, y, z = (float(value) for value in values)
    return x, y, z
