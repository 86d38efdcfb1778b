"""Commands of an axis as commands of its drive: brake, range, and the limiters' allowance."""

import math
from dataclasses import dataclass
from typing import Literal

from cable_sim.cranes.crane import Axis
from cable_sim.cranes.parts.levers import Lever
from cable_sim.machine.drum_kinematics import DrumKinematics
from cable_sim.machine.levers import LeverAtWork
from cable_sim.machine.states import AxisState
from cable_sim.sim.drives import DriveAtWork
from cable_sim.sim.observation import Observation
from cable_sim.sim.simulator import Simulator
from cable_sim.spec import Carriage, Drive, Scene

Mode = Literal["speed", "position", "effort", "lever"]
MODES = ("speed", "position", "effort", "lever")
"""Modes of an axis command. A lever is -1 to 1; the axis' file defines its effect."""

SHORT_OF_THE_END = 1e-3
"""Distance [m or rad] before the end of an axis at which a speed ends.

Limit switches stand before buffers too: a drive that went on would push with its full effort.
"""
STANDSTILL = 0.01
"""Share of its largest speed below which an axis stands and its brake is closed [-]."""

SAME_EFFORT = 1e-6
"""Relative difference of efforts that is only rounding [-]."""


@dataclass
class Order:
    """Last command of an axis: mode, value, brake, simulated time [s], and whether it timed out."""

    mode: Mode = "speed"
    value: float = 0.0
    brake: bool = True
    time: float = -math.inf
    stale: bool = False

    @property
    def rests(self) -> bool:
        """Return True if the command only asks for a standstill."""
        return self.brake or (self.mode in ("speed", "lever") and self.value == 0.0)


class Motion:
    """One axis of a machine and its drive.

    Parameters
    ----------
    axis: the axis.
    simulator: simulator of the drive.
    tick_time: duration for which a command is held [s].
    """

    def __init__(self, axis: Axis, simulator: Simulator, tick_time: float) -> None:
        self.tick_time = tick_time
        self.drive = simulator.drive(axis.drive)
        self.reel = DrumKinematics(simulator.scene, axis, self.drive.position)
        self.lever = LeverAtWork(axis.control.lever or Lever(), axis.max_speed)
        self.retune(axis, simulator.scene)

    def retune(self, axis: Axis, scene: Scene) -> None:
        """Continue as an axis that differs only in its limits, on a scene with its drive."""
        movers: list[Drive | Carriage] = [*scene.drives, *scene.carriages]
        self._fastest = next((mover.max_speed for mover in movers if mover.name == axis.drive), 0.0)
        self.axis = axis
        self.lever.max_speed = axis.max_speed

    @property
    def drive_ratio(self) -> float:
        """Speed of the drive over that of the axis [-].

        It is the axis' ratio, reduced where the rope leaves from an outer layer.
        """
        if not self.reel.layered:
            return self.axis.ratio
        return self.axis.ratio / self.reel.ratio(self.drive.position)

    def state(self, observation: Observation) -> AxisState:
        """Return coordinate, speed and effort."""
        axis = self.axis
        drive = observation.drive(self.axis.drive)
        position = self.reel.paid_out_length(drive.position) - axis.zero
        ratio = axis.ratio / self.reel.ratio(drive.position)
        return AxisState(position / axis.ratio, drive.velocity / ratio, drive.effort * ratio)

    def clamp(self, mode: Mode, value: float) -> float:
        """Return the nearest value that the axis allows, in the SI unit of the mode."""
        axis = self.axis
        if mode == "speed":
            return min(max(value, -axis.max_speed), axis.max_speed)
        if mode == "position":
            return min(max(value, axis.lower), axis.upper)
        if mode == "lever":
            return min(max(value, -1.0), 1.0)
        limit = self.drive.max_effort * self.drive_ratio
        return min(max(value, -limit), limit)

    def power(self, on: bool) -> None:
        """Switch the motor on or off."""
        if isinstance(self.drive, DriveAtWork):  # a carriage has no motor
            self.drive.set(powered=on)

    def stop(self, category: int) -> None:
        """Brake at once (category 0), or ramp to rest and then brake (category 1)."""
        self.lever.reset()
        if not self.drive.brakes:
            self.drive.command(0.0, "speed", brake=category == 0 or self._is_standing())

    def follow(self, order: Order, forward: float, backward: float, seen: Observation) -> None:
        """Turn an order into a command of the drive.

        ``forward`` and ``backward`` are the shares of its largest speed that limiters allow each
        way [-]; ``seen`` is the machine as it stands.
        """
        axis = self.axis
        most = forward * axis.max_speed
        least = -backward * axis.max_speed
        limited = (
            forward < 1.0 or backward < 1.0 or (order.mode != "speed" and self._can_overspeed())
        )
        speed = self._forbidden(order, least, most, seen) if limited else None
        if speed is not None:
            self.drive.command(self.drive_ratio * speed, "speed")
        elif order.mode == "position":
            wanted = self.reel.coordinate(axis.zero + axis.ratio * order.value)
            self.drive.command(wanted, "position")
        elif order.mode == "effort":
            self.drive.command(order.value / self.drive_ratio, "effort")
        else:
            lever = order.mode == "lever"
            wanted = self.lever.speed(order.value, self.tick_time) if lever else order.value
            speed = self._limit_to_range(min(max(wanted, least), most))
            self.drive.command(self.drive_ratio * speed, "speed")

    def _can_overspeed(self) -> bool:
        """Return True if the drive can exceed the axis' speed: at low load or on an outer layer."""
        return math.inf > self._fastest > (1.0 + 1e-9) * abs(self.drive_ratio) * self.axis.max_speed

    def _is_standing(self) -> bool:
        """Return True if the axis has ramped down and the speed left by its lag is negligible."""
        if self.drive.reference != 0.0:
            return False
        return abs(self.drive.held) <= STANDSTILL * self.axis.max_speed * self.drive_ratio

    def _forbidden(
        self, order: Order, least: float, most: float, seen: Observation
    ) -> float | None:
        """Return the speed that replaces a position or effort command that breaks the speed limit.

        An effort does so when the axis is too fast already, or when it is more than what holds it
        at the allowed speed.
        """
        state = self.state(seen)
        if order.mode == "position":
            way = order.value - state.position
            wanted = math.copysign(self._stopping_speed(abs(way)), way)
            return None if least <= wanted <= most else min(max(wanted, least), most)
        if order.mode == "effort":
            for bound, sense in ((most, 1.0), (least, -1.0)):
                pushes = (order.value - state.effort) * sense > SAME_EFFORT * abs(order.value)
                most_now = (
                    abs(bound) + STANDSTILL * self.axis.max_speed
                )  # a load that bounces is not on its way
                if abs(bound) < self.axis.max_speed and (
                    state.velocity * sense > most_now or pushes
                ):
                    return bound
        return None

    def _limit_to_range(self, speed: float) -> float:
        """Slow down towards the ends of the axis' range so that the ramp ends just before them.

        What the drive's lag makes it run on by is on its way already. A little way back where the
        axis is beyond its end.
        """
        if speed == 0.0:
            return 0.0
        axis = self.axis
        position = self.drive.position + self.drive.overrun
        position = (self.reel.paid_out_length(position) - axis.zero) / axis.ratio
        room = (axis.upper - position if speed > 0.0 else position - axis.lower) - SHORT_OF_THE_END
        allowed = max(self._stopping_speed(room), -axis.max_acceleration * self.tick_time)
        return math.copysign(1.0, speed) * min(abs(speed), allowed)

    def _stopping_speed(self, room: float) -> float:
        """Return the speed from which the ramp ends within ``room`` [m or rad].

        It is negative without room.

        v T + v^2 / 2 a = s, as a speed is kept for a tick before the next. To T comes twice the
        time of an S-ramp, in which an acceleration ends and its opposite begins.
        """
        if room <= 0.0:
            return room / self.tick_time
        axis = self.axis
        lost = axis.max_acceleration * (self.tick_time + 2.0 * axis.control.s_time)
        return math.sqrt(lost**2 + 2.0 * axis.max_acceleration * room) - lost
