"""The records of a running machine, and the compiled code that ticks it."""

import numpy as np

from cable_sim.cranes.crane import Crane
from cable_sim.kernels.devices.limiters import NO_STOP
from cable_sim.kernels.machine import (
    CHANGED,
    EMERGENCY,
    STALE,
    forget_orders,
    run_ticks,
    stop_category,
)
from cable_sim.kernels.pins import Pin
from cable_sim.kernels.records.arrays import arrays_of, copy_record
from cable_sim.kernels.records.machine import MachineState, MachineWorld, Winds
from cable_sim.machine.actuation import MODES, Order
from cable_sim.machine.plc import Plc
from cable_sim.model.machine import CALM, machine_settings, pack_levers, start_machine
from cable_sim.sim.compiling import compile_kernel
from cable_sim.sim.simulator import Simulator


class RunningMachine:
    """The records of a machine, which are written in place as long as it runs.

    ``pin`` and ``code`` are those of :func:`~cable_sim.kernels.machine.run_ticks`. Other compiled
    code may tick the machine by them, such as one that runs many. A new ``pin`` comes with new
    winds and a retune.

    Parameters
    ----------
    crane, simulator, plc: what runs.
    substeps, timeout: of a machine [-, s].
    """

    def __init__(
        self, crane: Crane, simulator: Simulator, plc: Plc, substeps: int, timeout: float
    ) -> None:
        self._simulator = simulator
        self._plc = plc
        self._tick = simulator.dt * substeps
        self._axes = simulator.pack_axes(crane, self._tick)
        self._levers = pack_levers(crane)
        self._rows = {axis.name: i for i, axis in enumerate(crane.axes)}
        self.settings = machine_settings(len(crane.axes), self._tick, timeout, substeps)
        self.state = start_machine(len(crane.axes), 1 + len(simulator.names.bodies))
        self._start = copy_record(self.state)
        self._winds = CALM
        self._pin()
        self.code = compile_kernel(run_ticks, self.pin, 1)

    def blow(self, winds: Winds) -> None:
        """Blow from now on with other winds."""
        self._winds = winds
        self._pin()

    def retune(self, crane: Crane) -> None:
        """Continue as a crane that differs only in limits of its axes and errors of sensors."""
        self._axes.number[:] = self._simulator.pack_axes(crane, self._tick).number
        self._pin()

    def tick(self, count: int = 1) -> int:
        """Take ticks; return the status flags of their steps."""
        return self.code.call(self.pin, count)

    def news(self) -> tuple[int, bool]:
        """Return how many orders have timed out, and whether any limiter changed, since the last
        call."""
        told = self.pin.records.told
        stale = told.item(STALE)
        changed = told.item(CHANGED)
        if stale or changed:
            told[:] = 0
        return stale, bool(changed)

    def save(self) -> MachineState:
        """Return a copy of the state."""
        return copy_record(self.state)

    def restore(self, saved: MachineState) -> None:
        """Go back to a saved state; it is not known how motors are switched then."""
        for array, values in zip(arrays_of(self.state), arrays_of(saved), strict=True):
            array[...] = values
        self.state.powered[:] = -1

    def reset(self) -> None:
        """Go back to the start."""
        self.restore(self._start)

    @property
    def orders(self) -> dict[str, Order]:
        """Last commands by axis."""
        s = self.state
        modes = [MODES[mode] for mode in s.mode.tolist()]
        columns = (s.value.tolist(), s.brake.tolist(), s.time.tolist(), s.stale.tolist())
        return dict(zip(self._rows, map(Order, modes, *columns), strict=True))

    def order(self, axis: str, given: Order) -> None:
        """Command an axis."""
        i = self._rows[axis]
        s = self.state
        s.mode[i] = MODES.index(given.mode)
        s.value[i] = given.value
        s.brake[i] = given.brake
        s.time[i] = given.time
        s.stale[i] = given.stale

    def forget_orders(self) -> None:
        """Let all axes wait for new commands, so that nothing starts again by itself."""
        forget_orders(self.state)

    @property
    def emergency(self) -> int | None:
        """Category of the emergency stop, or None."""
        category = self.state.requests.item(EMERGENCY)
        return None if category == NO_STOP else category

    @emergency.setter
    def emergency(self, category: int | None) -> None:
        self.state.requests[EMERGENCY] = NO_STOP if category is None else category

    @property
    def stop_category(self) -> int | None:
        """Strictest stop that emergency stop, dead-man control and limiters request, or None."""
        category = stop_category(self.state.requests, self._plc.records[3].stop[0])
        return None if category == NO_STOP else category

    def _pin(self) -> None:
        """Bring the present records to compiled code."""
        devices, truth, given, found = self._plc.records
        told = np.zeros(2, np.int64)
        plant = self._simulator.plant()
        mine = (self._axes, self._levers, self.settings, self._winds, plant, devices, truth)
        self.pin = Pin(MachineWorld(*mine, given, found, self.state, told))
