"""Messages of a crane's sensors, limiters and faults, filled from the machine's control.

Like those of ``ros/basis/messages.py`` they share the caller's stamp, which is that of the tick;
a sensor's delay is in its reading.
"""

import math
from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING

from builtin_interfaces.msg import Time
from geometry_msgs.msg import TwistWithCovarianceStamped, WrenchStamped
from sensor_msgs.msg import Imu
from std_msgs.msg import Header

from cable_sim.cranes.crane import Crane, Suspension
from cable_sim.machine.faults import KINDS, Fault, Injected
from cable_sim.machine.states import STATES
from cable_sim.msg import FaultCommand, FaultState, FaultStateArray, LimitState, LoadMoment
from cable_sim.ros import interface
from cable_sim.ros.basis.messages import set_time, set_vector
from cable_sim.ros.state_interfaces import devices, limit_names, read_limits

if TYPE_CHECKING:
    from cable_sim.machine.machine import Machine

LATEST = 2.0**31 - 1.0
"""Largest value of a Time [s]."""

NO_READING = -1.0
"""First number of a covariance without a reading, as sensor_msgs/Imu requires."""


class LimitsMessage:
    """Message limits: every limiter, the emergency stop and the dead-man control."""

    def __init__(self, crane: Crane, stamp: Time) -> None:
        limiters = crane.limiters
        self.watched = [limiter.quantity for limiter in limiters]
        self.message = LimitState(
            header=Header(stamp=stamp),
            name=list(limit_names(crane)),
            trip=array("d", [*(limiter.trip for limiter in limiters), 1.0, 1.0]),
            trips_under=[*(limiter.sense == "under" for limiter in limiters), False, False],
        )

    def fill(self, machine: "Machine") -> LimitState:
        """Fill in states, and the quantities that the limiters watch."""
        message = self.message
        readings = machine.readings
        *states, message.stop = read_limits(message.name, machine)
        message.state = array("B", states)
        own = (float(STATES[state] == "tripped") for state in states[-2:])
        message.value = array("d", [*(readings[name] for name in self.watched), *own])
        return message


class LoadMomentMessage:
    """Message load_moment: the load, and the permitted one.

    The permitted load is that at its radius where the crane has a chart.
    """

    def __init__(self, crane: Crane, hung: Suspension, stamp: Time) -> None:
        quantities = {quantity.name: quantity for quantity in crane.quantities}
        charted = quantities.get(hung.own_name("load_moment"))
        share = quantities[hung.own_name("load.share")]
        self.chart = charted.chart if charted else None
        self.load = hung.own_name("load")
        self.share = (charted or share).name
        self.radius = crane.radius_reading(hung)
        self.rated = 1.0 / share.weights[0]
        self.message = LoadMoment(header=Header(stamp=stamp))

    def fill(self, machine: "Machine") -> LoadMoment:
        """Fill in the load [kg] and the radius [m]."""
        message = self.message
        readings = machine.readings
        message.load = readings[self.load]
        message.utilisation = readings[self.share]
        message.radius = math.nan
        message.capacity = self.rated
        if self.chart:
            message.radius = readings[self.radius]
            message.capacity = (
                math.nan if math.isnan(message.radius) else self.chart.capacity(message.radius)
            )
        message.valid = math.isfinite(message.load) and math.isfinite(message.utilisation)
        return message


class LoadCellMessage:
    """Message load_cell: the sum of the load pins at the dead ends of the hoist ropes."""

    def __init__(self, crane: Crane, hung: Suspension, prefix: str, stamp: Time) -> None:
        self.read = devices(crane, hung)[interface.LOAD_CELL.topic].read
        self.message = WrenchStamped(header=Header(stamp=stamp, frame_id=prefix + hung.trolley))

    def fill(self, machine: "Machine") -> WrenchStamped:
        """Fill in the sum of the load pins [N]; NaN when one has no reading."""
        self.message.wrench.force.z = self.read(machine)[2]
        return self.message


class ImuMessage:
    """Message hook_imu: specific force and, with a gyroscope, rate of turning, in the hook's frame.

    It has no orientation.
    """

    def __init__(self, crane: Crane, hung: Suspension, prefix: str, stamp: Time) -> None:
        self._know(crane)
        self.forces, self.rates = (
            [hung.own_name(f"hook.{what}.{letter}") for letter in "xyz"]
            for what in ("acceleration", "rate")
        )
        self.message = Imu(header=Header(stamp=stamp, frame_id=prefix + hung.hook))
        self.message.orientation_covariance[0] = NO_READING

    def fill(self, machine: "Machine") -> Imu:
        """Fill in acceleration [m/s^2] and angular velocity [rad/s]."""
        message = self.message
        readings = machine.readings
        if machine.crane is not self.crane:  # what its sensors are like can change while it runs
            self._know(machine.crane)
        for names, vector, covariance in (
            (self.forces, message.linear_acceleration, message.linear_acceleration_covariance),
            (self.rates, message.angular_velocity, message.angular_velocity_covariance),
        ):
            values = [readings.get(name, math.nan) for name in names]
            set_vector(vector, values)
            covariance[0::4] = [self.variances.get(name, 0.0) for name in names]
            if any(map(math.isnan, values)):
                covariance[0] = NO_READING
        return message

    def _know(self, crane: Crane) -> None:
        """Take the noise of a crane's sensors."""
        self.crane = crane
        self.variances = {sensor.name: sensor.noise * sensor.noise for sensor in crane.sensors}


class WindMessage:
    """Message wind: its velocity in the world, with the speed that the anemometer reads."""

    def __init__(self, crane: Crane, hung: Suspension, world: str, stamp: Time) -> None:
        self.speed = hung.own_name("wind.speed")
        self.read = devices(crane, hung)[interface.WIND.topic].read
        self.message = TwistWithCovarianceStamped(header=Header(stamp=stamp, frame_id=world))
        self._know(crane)

    def fill(self, machine: "Machine") -> TwistWithCovarianceStamped:
        """Fill in the wind [m/s]; NaN without a reading."""
        if machine.crane is not self.crane:  # what its sensors are like can change while it runs
            self._know(machine.crane)
        speed, direction = self.read(machine)
        linear = self.message.twist.twist.linear
        if not math.isfinite(direction):  # of which there is no cosine
            direction = math.nan
        linear.x = speed * math.cos(direction)
        linear.y = speed * math.sin(direction)
        return self.message

    def _know(self, crane: Crane) -> None:
        """Take the noise of a crane's anemometer."""
        noise = next(sensor.noise for sensor in crane.sensors if sensor.name == self.speed)
        self.crane = crane
        self.message.twist.covariance[0:8:7] = [noise * noise] * 2


class FaultsMessage:
    """Message active_faults."""

    def __init__(self, stamp: Time) -> None:
        self.message = FaultStateArray(header=Header(stamp=stamp))

    def fill(
        self, acting: Iterable[Injected], coming: Iterable[Injected], ago: float
    ) -> FaultStateArray:
        """Fill in faults; ROS time began ``ago`` seconds before the machine's."""
        self.message.faults = [_fault(one, ago) for one in acting]
        self.message.coming = [_fault(one, ago) for one in coming]
        return self.message


def fault_command(fault: Fault) -> FaultCommand:
    """Return the message that injects a fault."""
    return FaultCommand(
        kind=fault.kind,
        target=fault.target,
        value=[] if fault.value is None else [fault.value],
        start=fault.start,
        duration=fault.duration if math.isfinite(fault.duration) else 0.0,
    )


def _fault(one: Injected, ago: float) -> FaultState:
    """Return the state of a fault as a message."""
    fault = one.fault
    begin = Time()
    set_time(begin, round(min(one.begin + ago, LATEST) * 1e9))
    return FaultState(
        kind=fault.kind,
        target=fault.target,
        begin=begin,
        value=fault.strength if KINDS[fault.kind].value else math.nan,
        duration=fault.duration if math.isfinite(fault.duration) else 0.0,
    )
