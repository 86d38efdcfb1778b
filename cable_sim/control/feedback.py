"""Feedback of a crane to its controller, once a tick: the same numbers in this process and over
ROS."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from cable_sim.machine.machine import Machine
from cable_sim.machine.states import AxisState, Sway
from cable_sim.sim.observation import Observation

Point = tuple[float, float, float]


class Command(NamedTuple):
    """Command of one axis in its sense and in SI units.

    As its mode says it is a ``speed`` [m/s, rad/s], a ``position`` [m, rad], or an ``effort`` of
    the drive [N, N m].
    """

    value: float
    mode: Literal["speed", "position", "effort"] = "speed"


Control = Mapping[str, "float | Command"]
"""Commands of a tick, by name of the axis; a number is a speed [m/s, rad/s].

An axis that is not named keeps its last command.
"""


class LoadState(NamedTuple):
    """Middle of the load in the world [m], whose cargo may lie to one side of it, and its velocity
    [m/s]."""

    position: Point
    velocity: Point


class Feedback(NamedTuple):
    """A crane at the end of a tick.

    ``axes``, ``readings`` and ``limits`` are what a crane's control knows; ``sway``, ``load`` and
    ``pull`` are the truth, which on a real crane nobody knows as well.

    Parameters
    ----------
    time: simulated, since the start [s].
    axes: coordinate, speed and effort of every axis, in its sense [m or rad, m/s or rad/s, N or N
        m].
    readings: of all sensors and quantities, in their units, with noise, delay and faults; NaN for
        one that is invalid. Empty without sensors.
    limits: states of all limiters, of the emergency stop, ``estop``, and of the dead-man control,
        ``enable``.
    sway: of the hook below its trolley; None where nothing hangs on falls.
    load: None where nothing hangs on falls.
    pull: tension of the first hoist rope at its drum [N]; NaN without one.
    """

    time: float
    axes: dict[str, AxisState]
    readings: dict[str, float]
    limits: dict[str, str]
    sway: Sway | None
    load: LoadState | None
    pull: float


def feedback_of(machine: Machine, seen: Observation) -> Feedback:
    """Return the feedback of a machine; ``seen`` is its newest observation."""
    true = machine.readout(seen)
    load = LoadState(*true.load) if true.load else None
    return Feedback(
        seen.time, true.axes, machine.readings, machine.limits, true.sway, load, true.pull
    )
