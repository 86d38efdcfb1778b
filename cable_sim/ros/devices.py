"""What is told of a crane's sensors, limiters and faults, and when. Used by the physics thread only."""

from collections.abc import Callable, Iterator
from typing import Any

from builtin_interfaces.msg import Time

from cable_sim.machine.machine import Machine
from cable_sim.ros import interface
from cable_sim.ros.device_messages import (
    FaultsMessage,
    ImuMessage,
    LimitsMessage,
    LoadCellMessage,
    LoadMomentMessage,
    WindMessage,
)  # fmt: skip
from cable_sim.ros.interface import Endpoint
from cable_sim.ros.pacing import EveryTick

RATES = {
    interface.LOAD_CELL.topic: 50.0, interface.HOOK_IMU.topic: 100.0, interface.WIND.topic: 4.0,
    interface.LOAD_MOMENT.topic: 10.0, interface.LIMITS.topic: 10.0,
}  # fmt: skip
"""Messages per simulated second, one a tick at most [Hz]."""

News = Iterator[tuple[Endpoint, Any]]


class DeviceTopics:
    """The topics of a crane's control. Each call gives the messages that are due, with where they go.

    Limits go out at their rate and at once when a state changes, faults when they change.
    """

    def __init__(self, machine: Machine, prefix: str, world: str, stamp: Time, tick_rate: float) -> None:
        self.machine, self.stamp = machine, stamp
        crane, hung = machine.crane, machine.crane.suspension
        make: dict[str, Callable[[], Any]] = {
            interface.LOAD_CELL.topic: lambda: LoadCellMessage(crane, prefix + (hung.trolley if hung else ""), stamp),
            interface.HOOK_IMU.topic: lambda: ImuMessage(crane, prefix + (hung.hook if hung else ""), stamp),
            interface.WIND.topic: lambda: WindMessage(crane, world, stamp),
            interface.LOAD_MOMENT.topic: lambda: LoadMomentMessage(crane, stamp),
            interface.LIMITS.topic: lambda: LimitsMessage(crane, stamp),
        }
        self._regular = [
            (endpoint, EveryTick(RATES[endpoint.topic], tick_rate), make[endpoint.topic]())
            for endpoint in interface.of_devices(crane)
        ]
        self._limits = next((message for e, _, message in self._regular if e is interface.LIMITS), None)
        self._faults = FaultsMessage(stamp)
        self._told_limits: Any = None
        self._told_faults: Any = None

    def due(self, tick: int) -> News:
        """What goes out with a tick, counted from 0."""
        for endpoint, every, message in self._regular:
            if every.due(tick):
                yield endpoint, message.fill(self.machine)

    def all(self) -> News:
        """Everything, due or not."""
        self._told_faults = None
        for endpoint, _, message in self._regular:
            yield endpoint, message.fill(self.machine)

    def news(self) -> News:
        """Limits and faults that are not as they were told last."""
        if self._limits:
            limits = self.machine.limits, self.machine.stop_category
            if limits != self._told_limits:
                self._told_limits = limits
                yield interface.LIMITS, self._limits.fill(self.machine)
        acting = self.machine.faults.acting
        if acting != self._told_faults:
            self._told_faults = acting
            now = self.stamp.sec + 1e-9 * self.stamp.nanosec
            yield interface.ACTIVE_FAULTS, self._faults.fill(acting, now - self.machine.time)
