"""Shaped moves: each move in parts whose sways cancel, without any look at the load.

Trolley, gantry, bridge and slewing, or the axes that a family names in their place, are shaped for
the believed length of the pendulum; the other axes, hoisting among them, go by their ramps. In
steady hoisting alone nothing sways.

*Drives.* Commands are speeds. A drive's lag delays all parts alike; and as shares are positive and
sum to 1, a shaped move stays within the speed and acceleration of the move that it is made of, so
that no ramp of the drive clips it.

*Slewing.* With W the rate of the jib and x + i y the load beside the trolley at the radius R,
outward and to the left,

    (x + i y)'' + 2 i W (x + i y)' + (w^2 - W^2 + i W') (x + i y) = R W^2 - i R W'.

Shaped for is the sway across the jib, y, as if W were small beside w, w^2 = g / L. Neglected is
what is of second order in W: that the modes of the frame that turns have w + W and w - W, and that
the load swings out to R W^2 / (w^2 - W^2). No sum of parts cancels that, as it is not linear in W;
docs/control.md tells how much it leaves. With ``chords`` it is not neglected: the trolley helps
(``control/methods/chord_shaping.py``).
"""

import math
from typing import Annotated, Literal

from pydantic import Field, StrictBool

from cable_sim.control.load_kinematics import needed_axes
from cable_sim.control.methods.chord_shaping import shape_over_ground
from cable_sim.control.methods.scheduling import phase_of, schedule_move
from cable_sim.control.methods.shaping import SHAPERS, Shaper, ei
from cable_sim.control.pendulum import period_of
from cable_sim.control.profiles import Profile
from cable_sim.control.task import Law, Task, open_loop
from cable_sim.cranes.crane import Axis
from cable_sim.cranes.family_spec import ask_family, load_axes_of
from cable_sim.errors import SpecError
from cable_sim.spec.quantities import Fraction, spec

LOOK = 0.05
CLIPPED = 0.01
"""Interval between checks of chords [s], and their tolerated excess over the limits of an axis
[-]."""


@spec
class Shaped:
    """Moves shaped for the pendulum that the load is believed to be.

    Parameters
    ----------
    kind: ``zv``, ``zvd`` or ``zvdd``, each half a period longer and less sensitive to a wrong
        length than the one before; ``ei``, as long as ``zvd``, leaves a little sway at any length
        within wider bounds.
    damping_ratio: of the sway [-].
    tolerable: share of the sway that may be left at the believed length [-], of ``ei`` alone: 0.05
        if it is left out.
    scheduled: while the load is hoisted, parts of a move follow by the phase of the pendulum as its
        length changes. Without, each move is shaped for the length at which it begins.
    chords: slewing and trolley are shaped together, as a path over the ground; the trolley then
        goes on chords of the circle, a little inward while the jib gets under way and while it
        stops. The hoist must not move.
    """

    kind: Literal["zv", "zvd", "zvdd", "ei"]
    damping_ratio: Annotated[float, Field(strict=True, ge=0.0, lt=1.0)] = 0.0
    tolerable: Fraction | None = None
    scheduled: StrictBool = True
    chords: StrictBool = False

    def __post_init__(self) -> None:
        if self.tolerable is not None and self.kind != "ei":
            raise ValueError(
                f"tolerable: goes with kind ei, not with {self.kind}, which leaves nothing"
            )
        try:
            self.shaper(1.0)
        except SpecError as error:
            raise ValueError(str(error)) from None

    def shaper(self, period: float) -> Shaper:
        """The shaper for a sway that without damping would have that period [s]."""
        damped = period / math.sqrt(1.0 - self.damping_ratio**2)
        if self.tolerable is not None:
            return ei(damped, self.damping_ratio, self.tolerable)
        return SHAPERS[self.kind](damped, self.damping_ratio)

    def start(self, task: Task) -> Law:
        """The planned moves, shaped. SpecError for chords that can't be gone."""
        plans = {axis: self.plan(task, axis) for axis in task.axes}
        moving = load_axes_of(task.crane)
        if self.chords and moving.turns and moving.across in plans:
            plans |= self._chords(task)
        return open_loop(plans, task.period)

    def plan(self, task: Task, axis: str) -> Profile:
        """One axis' coordinate, speed and acceleration over time."""
        moving = load_axes_of(task.crane)
        if axis not in (moving.outward, moving.across):
            return task.plan(axis)
        across = axis == moving.across
        hoist_axis = ask_family(task.crane).hoist_axis()
        hoist = task.plan(hoist_axis)

        def length(time: float) -> float:
            return task.length(hoist(time)[0], across)

        if self.scheduled and hoist_axis in task.axes:
            phase = phase_of(length, max(travel.ramps.end for travel in task.travels))
            shaper = self.shaper(2.0 * math.pi)
            return task.plan(axis, lambda ramps: schedule_move(ramps, shaper, phase))
        return task.plan(axis, lambda ramps: self.shaper(period_of(length(ramps.start)))(ramps))

    def _chords(self, task: Task) -> dict[str, Profile]:
        """Trolley and slewing over the ground."""
        hoist_axis = ask_family(task.crane).hoist_axis()
        if hoist_axis in task.axes:
            raise SpecError("chords needs a fixed hoist: remove its move, or set chords to false")
        moving = needed_axes(task.crane, "chords")
        if not moving.course.straight:
            raise SpecError(
                f"chords: {moving.outward} moves the load along a curve; they need a trolley"
            )
        shaper = self.shaper(period_of(task.length(task.first.axes[hoist_axis].position)))
        paths = shape_over_ground(task.plan(moving.outward), task.plan(moving.across), shaper)
        end = max(travel.ramps.end for travel in task.travels) + shaper.longer
        plans = dict(zip((moving.outward, moving.across), paths, strict=True))
        for name, plan in plans.items():
            _check(task.crane.axis(name), plan, end)
        return plans


def _check(axis: Axis, plan: Profile, end: float) -> None:
    """Raise SpecError for a plan that an axis can't follow, until its end [s]."""
    ways, speeds, harder = zip(
        *(plan(LOOK * i) for i in range(math.ceil(end / LOOK) + 1)), strict=True
    )
    if min(ways) < axis.lower or max(ways) > axis.upper:
        away = f"{min(ways):.4g} ... {max(ways):.4g}"
        raise SpecError(
            f"chords: {axis.name} goes from {axis.lower:g} to {axis.upper:g} {axis.unit}, not "
            f"{away}"
        )
    for what, wanted, most in (
        ("speed", speeds, axis.max_speed),
        ("acceleration", harder, axis.max_acceleration),
    ):
        peak = max(map(abs, wanted))
        if peak > (1.0 + CLIPPED) * most:
            raise SpecError(
                f"chords: {what} of {axis.name} can be {most:g}, not {peak:.4g} (SI); give the "
                "moves of slewing and trolley smaller shares of it"
            )
