"""The safety part of a crane's control: sensors, quantities and limiters, once a tick."""

import math
from typing import NamedTuple

import numpy as np

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CommandError, SpecError, unknown
from cable_sim.kernels.devices.limiters import LATCHED, NO_STOP, OK
from cable_sim.kernels.devices.sensors import (
    DEAD,
    DRIFT,
    FAULT_BIAS,
    FAULT_SCALE,
    FREQUENCY,
    FROZEN,
    NEXT,
    SENT,
    SINCE,
)
from cable_sim.kernels.records.devices import Devices, DeviceSettings, DeviceState, Truth
from cable_sim.machine.states import STATES
from cable_sim.model.devices import pack_devices, start_devices
from cable_sim.sim.simulator import Simulator

SOON = 1e-6
"""Rounding tolerance of a sample's time, over its period [-]; as in
``kernels/devices/sensors.py``."""


class PlcSnapshot(NamedTuple):
    """Everything that determines the future of a control."""

    settings: DeviceSettings
    state: DeviceState


class Plc:
    """Sensor readings of a crane's control, and the decisions of its limiters.

    Parameters
    ----------
    crane: crane with sensors, quantities and limiters.
    simulator: what the sensors look at.
    tick_time: time between looks [s].

    Raises SpecError for a signal, quantity or axis that is not known.
    """

    def __init__(self, crane: Crane, simulator: Simulator, tick_time: float) -> None:
        self._simulator = simulator
        self._tick_time = tick_time
        self._axes = [axis.name for axis in crane.axes]
        self._sensors = {sensor.name: i for i, sensor in enumerate(crane.sensors)}
        self._quantities = {quantity.name: i for i, quantity in enumerate(crane.quantities)}
        self._limiters = {limiter.name: i for i, limiter in enumerate(crane.limiters)}
        self._readings = (*self._sensors, *self._quantities)
        devices = pack_devices(crane, simulator.names, tick_time)
        self._devices = devices
        self._settings, self._state = start_devices(devices, len(self._axes))
        self._truth = simulator.truth()
        self._start = self.save()

    @property
    def records(self) -> tuple[Devices, Truth, DeviceSettings, DeviceState]:
        """Arrays of the control, which are its own, for the tick of a machine.

        It takes samples and decides in ``kernels/devices/supervision.py``, once a tick after the
        steps.
        """
        return self._devices, self._truth, self._settings, self._state

    @property
    def stop(self) -> int | None:
        """Category of the requested stop; None for no stop."""
        category = self._state.stop.item(0)
        return None if category == NO_STOP else category

    @property
    def readings(self) -> dict[str, float]:
        """Readings of all sensors, then quantities, by name, in SI units; NaN if invalid."""
        return dict(zip(self._readings, self._state.value.tolist(), strict=True))

    @property
    def limits(self) -> dict[str, str]:
        """States of all limiters by name: one of ``STATES``."""
        states = map(STATES.__getitem__, self._state.limiter_state.tolist())
        return dict(zip(self._limiters, states, strict=True))

    def reset_latches(self) -> None:
        """Reset every latched limiter; those that are still tripped stay."""
        state = self._state.limiter_state
        state[state == LATCHED] = OK

    def bypass(self, limiter: str, on: bool) -> None:
        """Switch a limiter off, or on again; it forgets that it was latched.

        Raises CommandError for an unknown limiter.
        """
        self._settings.limiter_bypass[self._row(self._limiters, "limiter", limiter)] = on

    def fault(
        self,
        sensor: str,
        *,
        frozen: bool = False,
        dead: bool = False,
        bias: float = 0.0,
        drift: float = 0.0,
        scale: float = 1.0,
    ) -> None:
        """Set the faults of a sensor, in place of earlier ones; without arguments it works.

        ``frozen`` repeats its last sample, ``dead`` has no reading; ``bias`` is in its unit,
        ``drift`` in that per second from now on, ``scale`` is a factor. Raises CommandError for an
        unknown sensor or a number that is not finite.
        """
        row = self._settings.sensor_fault[self._row(self._sensors, "sensor", sensor)]
        if not all(map(math.isfinite, (bias, drift, scale))):
            raise CommandError(
                f"sensor {sensor!r}: bias {bias}, drift {drift}, scale {scale} must be finite "
                "numbers"
            )
        row[[FROZEN, DEAD, FAULT_SCALE, FAULT_BIAS, DRIFT, SINCE]] = (
            frozen,
            dead,
            scale,
            bias,
            drift,
            self._simulator.time,
        )

    def miscalibrate(self, quantity: str, factor: float = 1.0) -> None:
        """Multiply a quantity's inputs by a factor [-], like a wrong number of falls.

        A factor of 1 is right.
        """
        if not math.isfinite(factor):
            raise CommandError(f"quantity {quantity!r}: factor {factor} is not a finite number")
        self._settings.quantity_factor[self._row(self._quantities, "quantity", quantity)] = factor

    def retune(self, crane: Crane) -> None:
        """Continue with a crane whose sensors differ only in their errors.

        Raises SpecError, and changes nothing, when a new delay leaves no room for samples under
        way.
        """
        devices = pack_devices(crane, self._simulator.names, self._tick_time)
        if not np.array_equal(devices.sensor_ring_start, self._devices.sensor_ring_start):
            raise SpecError("sensors: a delay can't be changed while samples are under way")
        self._devices = devices
        self._truth = self._simulator.truth()

    @property
    def lost(self) -> dict[str, int]:
        """Number of samples of each sensor that dropped out since the start, by name."""
        count = self._state.sensor_count
        rate = self._devices.sensor_number[:, FREQUENCY]
        clock = self._state.clock[0]
        first = np.floor(self._tick_time * rate + SOON).astype(
            np.int64
        )  # its number, at the first look
        looks = max(round(clock / self._tick_time), 0)  # one sample at each, at most
        lost = np.minimum(count[:, NEXT] - first, looks) - count[:, SENT]
        return dict(zip(self._sensors, np.maximum(lost, 0).tolist(), strict=True))

    def set_wind(self, speed: float, direction: float = 0.0) -> None:
        """Set the wind at the anemometer: speed [m/s], and the direction it blows to [rad]."""
        self._settings.wind[:] = speed, direction

    def reset(self) -> None:
        """Go back to the start, without faults, bypasses and latches."""
        self.restore(self._start)

    def save(self) -> PlcSnapshot:
        """Return a copy, from which the control continues bit for bit."""
        settings = DeviceSettings(*(array.copy() for array in self._settings))
        return PlcSnapshot(settings, DeviceState(*(array.copy() for array in self._state)))

    def restore(self, snapshot: PlcSnapshot) -> None:
        """Go back to a snapshot of this control."""
        for mine, saved in ((self._settings, snapshot.settings), (self._state, snapshot.state)):
            for array, values in zip(mine, saved, strict=True):
                array[...] = values

    def _row(self, known: dict[str, int], what: str, name: str) -> int:
        """Return the row of that name; raise CommandError with the known names if unknown."""
        if name not in known:
            raise CommandError(unknown(what, name, known))
        return known[name]
