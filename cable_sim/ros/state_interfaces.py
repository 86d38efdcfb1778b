"""State interfaces of ros2_control: numbers of a crane's joints and sensors, by name.

A load cell has the names that force_torque_sensor_broadcaster wants, and an IMU those of
imu_sensor_broadcaster. Readings have noise, delay and faults; messages of the same devices have the
same bits. Sway and ropes are the truth, with the bits of ``sway_state`` and ``cable_states``. NaN
is no reading. Needs no ROS.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from cable_sim.cranes.crane import Crane, Suspension
from cable_sim.errors import CableSimError
from cable_sim.machine.states import STATES, AxisState, Sway, speed_and_direction
from cable_sim.machine.sway import measure_sway

if TYPE_CHECKING:
    from cable_sim.machine.machine import Machine
    from cable_sim.sim.observation import Observation

WRENCH = tuple(f"{kind}.{letter}" for kind in ("force", "torque") for letter in "xyz")
ORIENTATION = tuple(f"orientation.{letter}" for letter in "xyzw")
MOTION = tuple(
    f"{kind}.{letter}" for kind in ("angular_velocity", "linear_acceleration") for letter in "xyz"
)
ROPE = ("tension_winch", "length_paid_out", "length_rate", "slack")


class Component(NamedTuple):
    """Joint or sensor: its state interfaces, and what reads all of them.

    ``read`` takes the machine and its newest observation.
    """

    interfaces: tuple[str, ...]
    read: Callable[..., Sequence[float]]


def components(crane: Crane) -> dict[str, Component]:
    """Return joints, then sensors, by name; those of one of several cranes begin with its name."""
    states = AxisState._fields
    found = {axis.joint: Component(states, partial(_read_axis, axis.name)) for axis in crane.axes}
    for hung in crane.suspensions:
        sway = Component(Sway._fields, lambda _, seen, hung=hung: measure_sway(hung, seen.body))
        own = devices(crane, hung) | {"sway": sway}
        found |= {hung.own_name(name): sensor for name, sensor in own.items()}
    found |= {rope: Component(ROPE, partial(_read_rope, rope)) for rope in crane.ropes}
    if names := _reading_names(crane):
        found["readings"] = Component(names, partial(_read, names))
    limits = limit_names(crane)
    return found | {"limits": Component((*limits, "stop"), partial(read_limits, limits))}


def devices(crane: Crane, hung: Suspension) -> dict[str, Component]:
    """Return the devices of a suspension that have topics, by their topics: force [N], rates
    [rad/s], accelerations [m/s^2], speed [m/s] and direction [rad]."""
    known = _reading_names(crane)
    pins = [pin for rope in crane.falls(hung) if (pin := f"{rope}.pull") in known]
    kinds = ("rate", "acceleration")
    imu = [hung.own_name(f"hook.{kind}.{letter}") for kind in kinds for letter in "xyz"]
    found: dict[str, Component] = {}
    if pins:  # fsum won't have infinities; what is not measured is 0, as in the message
        found["load_cell"] = Component(
            WRENCH, lambda *now: (0.0, 0.0, sum(_read(pins, *now)), 0.0, 0.0, 0.0)
        )
    if imu[3] in known:
        found["hook_imu"] = Component(
            ORIENTATION + MOTION, lambda *now: [*[math.nan] * 4, *_read(imu, *now)]
        )
    if hung.own_name("wind.speed") in known:
        found["wind"] = Component(("speed", "direction"), partial(_read_wind, hung))
    return found


def limit_names(crane: Crane) -> tuple[str, ...]:
    """Return the names of the limiters, the emergency stop and the dead-man control."""
    return (*(limiter.name for limiter in crane.limiters), "estop", "enable")


def read_limits(names: Iterable[str], machine: "Machine", *_: object) -> list[int]:
    """Return the states of limiters as numbers of ``LimitState``, and the stop; -1 for none."""
    limits = machine.limits
    stop = machine.stop_category
    return [*(STATES.index(limits[name]) for name in names), -1 if stop is None else stop]


class StateReader:
    """Reader of state interfaces, in the order of their names, such as ``hoist/position``.

    Raises CableSimError for a name that is not known.
    """

    def __init__(self, crane: Crane, names: Iterable[str]) -> None:
        known = components(crane)
        self._places: list[tuple[str, int]] = []
        for name in names:
            owner, _, interface = name.partition("/")
            there = known[owner].interfaces if owner in known else ()
            if interface not in there:
                has = f"{owner!r} has {', '.join(there)}" if there else f"known are {list(known)}"
                raise CableSimError(f"state interface {name!r} is not known; {has}")
            self._places.append((owner, there.index(interface)))
        self._reads = {owner: known[owner].read for owner, _ in self._places}

    def __call__(self, machine: "Machine", seen: "Observation") -> list[float]:
        """Return the numbers of a machine at its newest observation."""
        rows = {owner: read(machine, seen) for owner, read in self._reads.items()}
        return [float(rows[owner][place]) for owner, place in self._places]


def _reading_names(crane: Crane) -> tuple[str, ...]:
    """Return the names of the sensors and quantities of a crane's control."""
    names = [sensor.name for sensor in crane.sensors]
    return *names, *(quantity.name for quantity in crane.quantities)


def _read_axis(axis: str, machine: "Machine", seen: "Observation") -> AxisState:
    """Return the state of an axis."""
    return machine.axis_state(seen, axis)


def _read(names: Iterable[str], machine: "Machine", *_: object) -> list[float]:
    """Return readings by name; NaN for one that a crane does not have."""
    readings = machine.readings
    return [readings.get(name, math.nan) for name in names]


def _read_wind(hung: Suspension, machine: "Machine", *_: object) -> tuple[float, float]:
    """Return the speed [m/s] that the anemometer reads, and the direction it blows to [rad].

    A crane's anemometer turns with cups and knows no direction. Without a vane, the direction is
    the true one.
    """
    readings = machine.readings
    true = speed_and_direction(machine.wind_now)[1]
    direction = readings.get(hung.own_name("wind.direction"), true)
    return readings[hung.own_name("wind.speed")], direction


def _read_rope(rope: str, machine: "Machine", seen: "Observation") -> tuple[float, ...]:
    """Return the numbers of a rope [N, m, m/s, 1 or 0]."""
    i = seen.names.cables.index(rope)
    length = seen.cable_length_paid_out[i]
    return seen.tension(rope), length, seen.cable_length_rate[i], seen.cable_slack[i]
