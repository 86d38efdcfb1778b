"""Task of a controller, and its knowledge of the crane."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from cable_sim.control.feedback import Control, Feedback
from cable_sim.control.profiles import Profile, Ramps, total
from cable_sim.cranes.crane import Axis, Crane
from cable_sim.cranes.parts.pendulum import PendulumLength

Law = Callable[[Feedback], Control]
"""Law: commands of the coming tick, from feedback at the end of the last one; called once a
tick."""


class Travel(NamedTuple):
    """One move of an axis by ``ramps``, from ``origin`` [m or rad]; both in the axis'
    coordinate."""

    axis: str
    origin: float
    ramps: Ramps

    @property
    def target(self) -> float:
        """Coordinate where it ends [m or rad]."""
        return self.origin + self.ramps.distance


class Task(NamedTuple):
    """A task of a controller.

    Parameters
    ----------
    crane: crane to control, with its axes and limits.
    period: time between two calls of the controller [s].
    first: what is seen at the start.
    travels: the moves to make, by axis in the order of their starts.
    length: believed length of the pendulum that sways like the load [m], of the hoist's coordinate
        [m], along the trolley's way or across it. It may be wrong, as scenarios with a parameter
        error want it.
    load: believed mass of the load [kg]. It may be wrong, too.
    measured: whether sway and positions are to be taken from the readings of sensors, or from the
        truth.
    """

    crane: Crane
    period: float
    first: Feedback
    travels: tuple[Travel, ...]
    length: PendulumLength
    load: float
    measured: bool = True

    @property
    def axes(self) -> dict[str, Axis]:
        """The axes that are to move, by name."""
        return {
            name: self.crane.axis(name)
            for name in dict.fromkeys(travel.axis for travel in self.travels)
        }

    @property
    def planned(self) -> dict[str, Profile]:
        """Coordinate, speed and acceleration of those axes over time, as if nothing swayed."""
        return {name: self.plan(name) for name in self.axes}

    def plan(self, axis: str, shaped: Callable[[Ramps], Profile] = lambda ramps: ramps) -> Profile:
        """One axis' coordinate, speed and acceleration over time; ``shaped`` makes of each move
        what is wanted."""
        moves = (shaped(travel.ramps) for travel in self.travels if travel.axis == axis)
        return total(moves, self.first.axes[axis].position)


def speeds_of(plans: Mapping[str, Profile], time: float) -> dict[str, float]:
    """Speeds of all axes at a time [m/s, rad/s]."""
    return {name: plan(time)[1] for name, plan in plans.items()}


def open_loop(plans: Mapping[str, Profile], period: float) -> Law:
    """Return the law of a controller without feedback: the speeds of its plans in the middle of the
    tick.

    Held for a tick each, of ``period`` [s], these lead to the same place as the plans.
    """
    ahead = 0.5 * period

    def law(seen: Feedback) -> Control:
        return speeds_of(plans, seen.time + ahead)

    return law
