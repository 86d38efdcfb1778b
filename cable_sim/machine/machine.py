"""The crane between its operator and the physics: commands in axis terms, watchdog, brakes, one tick at a time."""

import math
from collections import Counter, deque
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from cable_sim.cranes.crane import Axis, Crane
from cable_sim.errors import CommandError
from cable_sim.machine.frame import AxisState, CablePicture, Frame, Sway
from cable_sim.machine.plc import Plc, PlcSnapshot
from cable_sim.machine.sway import measure_sway, measure_yaw
from cable_sim.sim.observation import Observation
from cable_sim.sim.simulator import Simulator, Snapshot

Mode = Literal["speed", "position", "effort"]
MODES = ("speed", "position", "effort")

SHORT_OF_THE_END = 1e-3
"""Where a speed ends before the end of an axis [m or rad], as limit switches stand before buffers: a drive that went on
would push with all it has."""


ACTING = ("tripped", "latched", "invalid")
"""States in which a limiter forbids something."""


@dataclass
class Order:
    """The last command of an axis: what was wanted, and when in simulated time [s]."""

    mode: Mode = "speed"
    value: float = 0.0
    brake: bool = True
    time: float = -math.inf


class MachineSnapshot(NamedTuple):
    """Everything that determines what follows; from :meth:`Machine.save`."""

    simulator: Snapshot
    orders: dict[str, Order]
    emergency: int | None
    enabled: bool
    plc: PlcSnapshot | None


class Machine:
    """A crane that takes commands and runs in ticks.

    A crane with sensors or limiters has a control, ``plc``, that looks once a tick, after the physics: what it forbids
    counts from the next tick on.

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
        supervised = crane.sensors or crane.quantities or crane.limiters
        self.plc = Plc(crane, self.simulator, self.tick_time) if supervised else None
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
        """Back to the start: state, commands, emergency stop, faults and bypasses; the counters stay."""
        self.simulator.reset()
        self.orders = {axis.name: Order() for axis in self.crane.axes}
        self._emergency: int | None = None
        self.enabled = True
        if self.plc:
            self.plc.reset()
        self._limits = self.limits
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

    @property
    def stopped(self) -> bool:
        """Whether the emergency stop is engaged."""
        return self._emergency is not None

    def emergency_stop(self, engaged: bool, category: Literal[0, 1] = 0) -> None:
        """Engage: commands are ignored. Release: axes wait for new commands.

        Every brake closes at once in category 0, of IEC 60204; in category 1 axes ramp to rest first. Engaged already,
        it can get stricter and not milder. CommandError for another category.
        """
        if category not in (0, 1):
            raise self._reject(f"emergency stop: category {category!r} is not known; known are 0, 1")
        if engaged and not self.stopped:
            self.notices.append("emergency stop engaged")
        strictest = category if self._emergency is None else min(category, self._emergency)
        self._emergency = strictest if engaged else None
        self._forget_orders()

    def enable(self, held: bool) -> None:
        """The operator's dead-man control: released, all axes stop by category 1 and wait for new commands."""
        if self.enabled and not held:
            self.notices.append("enabling control released")
        if held != self.enabled:
            self._forget_orders()
        self.enabled = held

    @property
    def stop_category(self) -> int | None:
        """The strictest stop that the emergency stop, the dead-man control and the limiters ask for; None for none."""
        asked = (self._emergency, None if self.enabled else 1, self.plc.stop if self.plc else None)
        return min((category for category in asked if category is not None), default=None)

    @property
    def readings(self) -> dict[str, float]:
        """What the crane's control reads and computes, by name; NaN for what is invalid, and before the first tick.

        There is no tension to read before the first step.
        """
        return self.plc.readings if self.plc else {}

    @property
    def limits(self) -> dict[str, str]:
        """States of the limiters by name, of the emergency stop, ``estop``, and of the dead-man control, ``enable``."""
        own = {"estop": "tripped" if self.stopped else "ok", "enable": "ok" if self.enabled else "tripped"}
        return (self.plc.limits if self.plc else {}) | own

    def reset_latches(self) -> None:
        """Let go of the limiters that are latched. Axes that they had stopped wait for new commands."""
        if self.plc:
            self.plc.reset_latches()
            self._note_limits(self.plc.stop)

    def save(self) -> MachineSnapshot:
        """A copy of all that determines what follows."""
        orders = {name: replace(order) for name, order in self.orders.items()}
        plc = self.plc.save() if self.plc else None
        return MachineSnapshot(self.simulator.save(), orders, self._emergency, self.enabled, plc)

    def restore(self, snapshot: MachineSnapshot) -> Observation:
        """Go back to a snapshot of this machine and look; counters and notices stay."""
        self.simulator.restore(snapshot.simulator)
        self.orders = {name: replace(order) for name, order in snapshot.orders.items()}
        self._emergency, self.enabled = snapshot.emergency, snapshot.enabled
        if self.plc and snapshot.plc:
            self.plc.restore(snapshot.plc)
        self._limits = self.limits
        return self._look()

    def tick(self) -> Observation:
        """Advance one tick and look."""
        category, allowed = self.stop_category, self.plc.allowed if self.plc else None
        for i, axis in enumerate(self.crane.axes):
            if category is not None:
                self._stop(axis, category)
            else:
                self._actuate(axis, self.orders[axis.name], *(allowed[i] if allowed else (1.0, 1.0)))
        self.simulator.step(self.substeps)
        seen = self._look()
        if self.plc:
            stop = self.plc.stop
            self.plc.look()
            if self.plc.changed:
                self._note_limits(stop)
        return seen

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
        return AxisState(
            (drive.position - axis.zero) / axis.ratio, drive.velocity / axis.ratio, drive.effort * axis.ratio
        )

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

    def _look(self) -> Observation:
        """The simulator's observation, kept for what commands need of it."""
        self._seen = self.simulator.observe()
        return self._seen

    def _forget_orders(self) -> None:
        """Have all axes wait for new commands, so that nothing starts again by itself."""
        for order in self.orders.values():
            order.time, order.value, order.mode, order.brake = -math.inf, 0.0, "speed", True

    def _note_limits(self, stop: int | None) -> None:
        """Say which limiters began to act or ended; a stop that begins or ends forgets all orders.

        ``stop`` is the category that was asked for before.
        """
        before, self._limits = self._limits, self.limits
        for name, state in self._limits.items():
            if (state in ACTING) != (before[name] in ACTING) or state == "invalid" != before[name]:
                self.notices.append(f"limiter {name!r}: {state}")
        if self.plc and (self.plc.stop is None) != (stop is None):
            self._forget_orders()

    def _stop(self, axis: Axis, category: int) -> None:
        """Stop an axis: brake at once (category 0), or ramp to rest and then brake (category 1)."""
        brake = category == 0 or abs(self.simulator.drive_reference(axis.drive)) == 0.0
        self.simulator.command(axis.drive, 0.0, "speed", brake=brake)

    def _actuate(self, axis: Axis, order: Order, forward: float = 1.0, backward: float = 1.0) -> None:
        """Turn the axis' order into a command of its drive, with watchdog and brake.

        ``forward`` and ``backward`` are the shares of its largest speed that limiters allow each way.
        """
        if self.timed_out(axis.name) or order.brake:
            self._stop(axis, 1)
            return
        most, least = forward * axis.max_speed, -backward * axis.max_speed
        limited = forward < 1.0 or backward < 1.0
        speed = self._forbidden(axis, order, least, most) if limited else None
        if speed is not None:
            self.simulator.command(axis.drive, axis.ratio * speed, "speed")
        elif order.mode == "position":
            self.simulator.command(axis.drive, axis.zero + axis.ratio * order.value, "position")
        elif order.mode == "effort":
            self.simulator.command(axis.drive, order.value / axis.ratio, "effort")
        else:
            speed = self._within_range(axis, min(max(order.value, least), most))
            self.simulator.command(axis.drive, axis.ratio * speed, "speed")

    def _forbidden(self, axis: Axis, order: Order, least: float, most: float) -> float | None:
        """The speed that replaces a position or an effort which would move the axis faster than limiters allow.

        An effort does so when the axis is too fast already, or when it is more than what holds it at the allowed speed.
        """
        state = self.axis_state(self._seen, axis.name)
        if order.mode == "position":
            way = order.value - state.position
            wanted = math.copysign(self._stopping_speed(axis, abs(way)), way)
            return None if least <= wanted <= most else min(max(wanted, least), most)
        if order.mode == "effort":
            for bound, sense in ((most, 1.0), (least, -1.0)):
                pushes = (order.value - state.effort) * sense > 0.0
                if abs(bound) < axis.max_speed and (state.velocity * sense > abs(bound) or pushes):
                    return bound
        return None

    def _within_range(self, axis: Axis, speed: float) -> float:
        """Slow down towards the ends of the axis' range so that the ramp ends just before them.

        A little way back where the axis is beyond its end.
        """
        if speed == 0.0:
            return 0.0
        position = (self.simulator.drive_position(axis.drive) - axis.zero) / axis.ratio
        room = (axis.upper - position if speed > 0.0 else position - axis.lower) - SHORT_OF_THE_END
        allowed = max(self._stopping_speed(axis, room), -axis.max_acceleration * self.tick_time)
        return math.copysign(1.0, speed) * min(abs(speed), allowed)

    def _stopping_speed(self, axis: Axis, room: float) -> float:
        """Speed from which the ramp ends within ``room`` [m or rad]; below 0 where there is none.

        v T + v^2 / 2 a = s, as a speed is kept for a tick T before the next.
        """
        if room <= 0.0:
            return room / self.tick_time
        lost = axis.max_acceleration * self.tick_time
        return math.sqrt(lost**2 + 2.0 * axis.max_acceleration * room) - lost

    def _clamp(self, axis: Axis, mode: str, value: float) -> float:
        """The nearest value that the axis allows."""
        if mode == "speed":
            return min(max(value, -axis.max_speed), axis.max_speed)
        if mode == "position":
            return min(max(value, axis.lower), axis.upper)
        limit = self.simulator.max_effort(axis.drive) * axis.ratio
        return min(max(value, -limit), limit)

    def _reject(self, message: str) -> CommandError:
        """Count and note a command that can't be taken; the caller raises what this returns."""
        self.counts["rejected"] += 1
        self.notices.append(message)
        return CommandError(message)
