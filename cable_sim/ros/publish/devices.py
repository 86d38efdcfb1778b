"""Messages of a crane's sensors, limiters, contacts and faults, and their schedule.

Used by the physics thread only.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from builtin_interfaces.msg import Time

from cable_sim.cranes.crane import Suspension
from cable_sim.machine.machine import Machine
from cable_sim.ros import interface
from cable_sim.ros.basis.crane_parameters import RATES
from cable_sim.ros.basis.messages import seconds
from cable_sim.ros.basis.pacing import ALL, EveryTick
from cable_sim.ros.interface import Endpoint
from cable_sim.ros.publish.contact_messages import ContactsMessage
from cable_sim.ros.publish.device_messages import (
    FaultsMessage,
    ImuMessage,
    LimitsMessage,
    LoadCellMessage,
    LoadMomentMessage,
    WindMessage,
)

News = Iterator[tuple[Endpoint, Callable[[Machine], Any]]]


class DeviceTopics:
    """Topics of a crane's control; each call yields the endpoints of due messages, with what fills
    them from the machine.

    Limits and contacts go out at their rates and at once when a state changes, faults when they
    change.
    """

    def __init__(
        self, machine: Machine, prefix: str, world: str, stamp: Time, tick_rate: float
    ) -> None:
        self.machine = machine
        self.stamp = stamp
        self.tick_rate = tick_rate
        crane = machine.crane
        make: dict[str, Callable[[Suspension], Any]] = {
            interface.LOAD_CELL.topic: lambda hung: LoadCellMessage(crane, hung, prefix, stamp),
            interface.HOOK_IMU.topic: lambda hung: ImuMessage(crane, hung, prefix, stamp),
            interface.WIND.topic: lambda hung: WindMessage(crane, hung, world, stamp),
            interface.LOAD_MOMENT.topic: lambda hung: LoadMomentMessage(crane, hung, stamp),
        }
        self._regular = [
            (e.topic, interface.load_endpoint(e, crane, hung), make[e.topic](hung))
            for hung in crane.suspensions
            for e in interface.device_endpoints(crane, hung)
        ]
        self._limits = LimitsMessage(crane, stamp) if crane.limiters else None
        if self._limits:
            self._regular.append((interface.LIMITS.topic, interface.LIMITS, self._limits))
        self._contacts = ContactsMessage(machine, world, stamp)
        self._regular.append((interface.CONTACTS.topic, interface.CONTACTS, self._contacts))
        self.set_rates(RATES)
        self._faults = FaultsMessage(stamp)
        self._told_limits: Any = None
        self._told_faults: Any = None

    def set_rates(self, rates: Mapping[str, float]) -> None:
        """Take rates [Hz] by topic, without the names of cranes."""
        self._every = {topic: EveryTick(rate, self.tick_rate) for topic, rate in rates.items()}

    def due_messages(self, tick: int) -> News:
        """Yield the messages due with a tick, counted from 0, or all."""
        if tick == ALL:
            self._told_faults = None
        for topic, endpoint, message in self._regular:
            if self._every[topic].due(tick):
                yield endpoint, message.fill

    def news(self) -> News:
        """Yield limits and faults that have changed since they were sent last."""
        if self._limits:
            limits = self.machine.limits, self.machine.stop_category
            if limits != self._told_limits:
                self._told_limits = limits
                yield interface.LIMITS, self._limits.fill
        if self._contacts.has_news(self.machine):
            yield interface.CONTACTS, self._contacts.fill
        faults = self.machine.faults.acting, self.machine.faults.coming
        if faults != self._told_faults:
            self._told_faults = faults
            lag = seconds(self.stamp) - self.machine.time
            yield interface.ACTIVE_FAULTS, lambda _: self._faults.fill(*faults, lag)
