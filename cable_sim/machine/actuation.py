"""Axes of a machine in terms of their drives, as they are read and commanded from outside.

What a tick makes of the commands: ``kernels/devices/actuation.py``.
"""

import math
from collections.abc import Collection, MutableSequence
from typing import Literal, NamedTuple

from cable_sim.cranes.crane import Axis
from cable_sim.errors import unknown
from cable_sim.machine.rigging.drum_kinematics import DrumKinematics
from cable_sim.machine.states import AxisState
from cable_sim.sim.observation import Observation
from cable_sim.sim.simulator import Simulator

Mode = Literal["speed", "position", "effort", "lever"]
MODES: tuple[Mode, ...] = ("speed", "position", "effort", "lever")
"""Modes of an axis command, in the order of their numbers in ``kernels/devices/actuation.py``.

A lever is -1 to 1; the axis' file defines its effect.
"""


class Order(NamedTuple):
    """Last command of an axis: mode, value, brake, simulated time [s], and whether it timed out."""

    mode: Mode = "speed"
    value: float = 0.0
    brake: bool = True
    time: float = -math.inf
    stale: bool = False


class Motion:
    """One axis of a machine and its drive.

    Parameters
    ----------
    axis: the axis; another one that differs only in its limits may be set.
    simulator: simulator of the drive.
    """

    def __init__(self, axis: Axis, simulator: Simulator) -> None:
        self.axis = axis
        self.drive = simulator.drives[axis.drive]
        self.reel = DrumKinematics(simulator.scene, axis, self.drive.position)

    def state(self, observation: Observation | None = None) -> AxisState:
        """Return coordinate, speed and effort of an observation, or of the present."""
        drive = self.drive if observation is None else observation.drive(self.axis.drive)
        return self.state_at(drive.position, drive.velocity, drive.effort)

    def state_at(self, position: float, velocity: float, effort: float) -> AxisState:
        """Return the state of the axis from that of its drive, in the drive's units."""
        axis = self.axis
        paid_out, slope = self.reel.at(position)
        ratio = axis.ratio / slope
        return AxisState((paid_out - axis.zero) / axis.ratio, velocity / ratio, effort * ratio)

    def refusal(self, mode: Mode, value: float) -> str:
        """Return why the axis can't obey a value [SI unit of its mode]; empty if it can."""
        why = refusal_of(self.axis, mode, value, MODES)
        if not why and mode == "effort" and not self.drive.max_effort:
            return "has no effort to command; give a speed or a position"
        return why

    def clamp(self, mode: Mode, value: float) -> float:
        """Return the nearest value that the axis allows, in the SI unit of the mode."""
        axis = self.axis
        if mode == "speed":
            return min(max(value, -axis.max_speed), axis.max_speed)
        if mode == "position":
            return min(max(value, axis.lower), axis.upper)
        if mode == "lever":
            return min(max(value, -1.0), 1.0)
        limit = self.drive.max_effort * (axis.ratio / self.reel.ratio(self.drive.position))
        return min(max(value, -limit), limit)


def refusal_of(axis: Axis, mode: str, value: float, known: Collection[str]) -> str:
    """Return why an axis can't obey a value [SI unit of its mode]; empty if it can.

    The mode has to be one of those ``known``.
    """
    if mode not in known:
        return unknown("mode", mode, known)
    if mode not in axis.modes:
        return f"mode {mode!r} is switched off; it takes {', '.join(axis.modes)}"
    if not (hasattr(value, "__float__") and math.isfinite(value)):
        return f"value {value} is not a finite number"
    return ""


def note_clamp(notices: MutableSequence[str], what: str, words: str) -> None:
    """Note a command that was clamped, in place of the last notice of the same axis and mode.

    A loop that commands in every tick would push all other notices out.
    """
    for notice in [*notices]:
        if notice.startswith(what) and " clamped to " in notice:
            notices.remove(notice)
    notices.append(what + words)
