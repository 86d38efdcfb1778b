"""The crane between its operator and the physics: commands in axis terms, watchdog, brakes, one tick at a time."""

import math
from collections import Counter, deque
from dataclasses import dataclass
from typing import Literal

from cable_sim.cranes.crane import Axis, Crane
from cable_sim.errors import CommandError
from cable_sim.machine.frame import AxisState, CablePicture, Frame, Sway
from cable_sim.machine.reel import Reel
from cable_sim.machine.sway import measure_sway, measure_yaw
from cable_sim.sim.observation import Observation
from cable_sim.sim.simulator import Simulator

Mode = Literal["speed", "position", "effort"]
MODES = ("speed", "position", "effort")

SHORT_OF_THE_END = 1e-3
"""Where a speed ends before the end of an axis [m or rad], as limit switches stand before buffers: a drive that went on
would push with all it has."""


@dataclass
class Order:
    """The last command of an axis: what was wanted, and when in simulated time [s]."""

    mode: Mode = "speed"
    value: float = 0.0
    brake: bool = True
    time: float = -math.inf


class Machine:
    """A crane that takes commands and runs in ticks.

    Parameters
    ----------
    crane: what to run.
    dt: physics step [s].
    substeps: physics steps per tick; commands are held over a tick.
    command_timeout: simulated time [s] without a command after which an axis ramps down and brakes.
    stepper: see :class:`~cable_sim.sim.simulator.Simulator`.
    """

    def __init__(
        self, crane: Crane, dt: float = 1e-3, substeps: int = 10, command_timeout: float = 0.5, stepper: str = "spook"
    ) -> None:
        self.crane = crane
        self.simulator = Simulator(crane.scene, dt=dt, stepper=stepper)
        self.substeps = substeps
        self.command_timeout = command_timeout
        self.reset()

    @property
    def tick_time(self) -> float:
        """Simulated time of one tick [s]."""
        return self.simulator.dt * self.substeps

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.simulator.time

    def reset(self) -> None:
        """Back to the start: state, commands, emergency stop; the counters stay."""
        self.simulator.reset()
        self.reels = {
            axis.name: Reel(self.crane.scene, axis, self.simulator.drive_position(axis.drive))
            for axis in self.crane.axes
        }
        self.orders = {axis.name: Order() for axis in self.crane.axes}
        self.stopped = False
        if not hasattr(self, "counts"):
            self.counts: Counter[str] = Counter()
            self.notices: deque[str] = deque(maxlen=20)

    def command(self, axis: str, value: float, mode: Mode = "speed", brake: bool = False) -> bool:
        """Order an axis to a speed, a position or an effort, in the axis' sense and SI units.

        Returns whether the value was beyond the axis' limit and has been clamped; that is counted and noted.
        Raises CommandError, and changes nothing, for an axis or a mode that is not there or a value that is
        not finite.
        """
        if axis not in self.orders:
            raise self._reject(f"axis {axis!r} is not known; known are {', '.join(self.orders)}")
        if mode not in MODES:
            raise self._reject(f"axis {axis!r}: mode {mode!r} is not known; known are {', '.join(MODES)}")
        if not math.isfinite(value):
            raise self._reject(f"axis {axis!r}: value {value} is not a finite number")
        allowed = self._clamp(self.crane.axis(axis), mode, value)
        self.orders[axis] = Order(mode, allowed, brake, self.time)
        if allowed == value:
            return False
        self.counts["clamped"] += 1
        self.notices.append(f"axis {axis!r}: {mode} {value:g} clamped to {allowed:g}")
        return True

    def emergency_stop(self, engaged: bool) -> None:
        """Engage: every brake closes at once and commands are ignored. Release: axes wait for new commands."""
        if engaged and not self.stopped:
            self.notices.append("emergency stop engaged")
        self.stopped = engaged
        for order in self.orders.values():
            order.time, order.value, order.mode, order.brake = -math.inf, 0.0, "speed", True

    def tick(self) -> Observation:
        """Advance one tick and look."""
        for axis in self.crane.axes:
            self._actuate(axis, self.orders[axis.name])
        self.simulator.step(self.substeps)
        return self.simulator.observe()

    def observe(self) -> Observation:
        """Look without advancing."""
        return self.simulator.observe()

    def timed_out(self, axis: str) -> bool:
        """Whether the axis has had no command for longer than the timeout."""
        return self.time - self.orders[axis].time > self.command_timeout

    def axis_state(self, observation: Observation, name: str) -> AxisState:
        """Coordinate, speed and effort of an axis."""
        axis = self.crane.axis(name)
        drive = observation.drive(axis.drive)
        reel = self.reels[name]
        line = reel.ratio(drive.position)
        return AxisState(
            (reel.paid_out(drive.position) - axis.zero) / axis.ratio, line * drive.velocity / axis.ratio,
            drive.effort * axis.ratio / line,
        )  # fmt: skip

    def sway(self, observation: Observation) -> Sway | None:
        """Sway of the hook below the trolley; None where nothing hangs on falls."""
        return measure_sway(self.crane.suspension, observation) if self.crane.suspension else None

    def hook_yaw(self, observation: Observation) -> float | None:
        """Angle of the hook block from the trolley about the vertical [rad], with turns, anticlockwise from above.

        None where nothing hangs on falls.
        """
        suspension = self.crane.suspension
        return measure_yaw(suspension, self.crane.ropes, observation) if suspension else None

    def frame(self, observation: Observation) -> Frame:
        """The observation as a picture for viewers."""
        names = observation.names
        poses = {
            name: (observation.body_position[i], observation.body_orientation[i]) for i, name in enumerate(names.bodies)
        }
        cables = {}
        for name in names.cables:
            cable = observation.cable(name)
            cables[name] = CablePicture(
                cable.curve, cable.tension_nodes, cable.span_tension, cable.slack, cable.mass_position,
                cable.contact_position, cable.contact_sticks, cable.severed,
            )  # fmt: skip
        axes = {axis.name: self.axis_state(observation, axis.name) for axis in self.crane.axes}
        return Frame(
            observation.time, poses, cables, axes, self.sway(observation), self.hook_yaw(observation),
            emergency_stop=self.stopped,
        )  # fmt: skip

    def _actuate(self, axis: Axis, order: Order) -> None:
        """Turn the axis' order into a command of its drive, with watchdog and brake."""
        if self.stopped:
            self.simulator.command(axis.drive, 0.0, "speed", brake=True)
        elif self.timed_out(axis.name) or order.brake:
            standing = abs(self.simulator.drive_reference(axis.drive)) == 0.0
            self.simulator.command(axis.drive, 0.0, "speed", brake=standing)
        elif order.mode == "position":
            wanted = self.reels[axis.name].coordinate(axis.zero + axis.ratio * order.value)
            self.simulator.command(axis.drive, wanted, "position")
        elif order.mode == "effort":
            self.simulator.command(axis.drive, order.value * self._line_ratio(axis) / axis.ratio, "effort")
        else:
            speed = axis.ratio * self._within_range(axis, order.value) / self._line_ratio(axis)
            self.simulator.command(axis.drive, speed, "speed")

    def _line_ratio(self, axis: Axis) -> float:
        """Speed of the line over that of its drive, in the layer that the rope leaves from [-]."""
        return self.reels[axis.name].ratio(self.simulator.drive_position(axis.drive))

    def _within_range(self, axis: Axis, speed: float) -> float:
        """Slow down towards the ends of the axis' range so that the ramp ends just before them.

        v T + v^2 / 2 a = s, as a speed is kept for a tick T before the next; a little way back where s is negative.
        """
        if speed == 0.0:
            return 0.0
        paid_out = self.reels[axis.name].paid_out(self.simulator.drive_position(axis.drive))
        position = (paid_out - axis.zero) / axis.ratio
        room = (axis.upper - position if speed > 0.0 else position - axis.lower) - SHORT_OF_THE_END
        lost = axis.max_acceleration * self.tick_time
        allowed = room / self.tick_time
        if room > 0.0:
            allowed = math.sqrt(lost**2 + 2.0 * axis.max_acceleration * room) - lost
        return math.copysign(1.0, speed) * min(abs(speed), max(allowed, -lost))

    def _clamp(self, axis: Axis, mode: str, value: float) -> float:
        """The nearest value that the axis allows."""
        if mode == "speed":
            return min(max(value, -axis.max_speed), axis.max_speed)
        if mode == "position":
            return min(max(value, axis.lower), axis.upper)
        limit = self.simulator.max_effort(axis.drive) * axis.ratio / self._line_ratio(axis)
        return min(max(value, -limit), limit)

    def _reject(self, message: str) -> CommandError:
        """Count and note a command that can't be taken; the caller raises what this returns."""
        self.counts["rejected"] += 1
        self.notices.append(message)
        return CommandError(message)
