"""Many machines in one call: threads tick them side by side in compiled code."""

from collections.abc import Sequence

import numpy as np

from cable_sim.kernels.jit import machine_code
from cable_sim.kernels.worlds import step_worlds
from cable_sim.machine.machine import Machine
from cable_sim.sim.lanes import Lanes


class Fleet:
    """Machines that tick together; each has the bits that it has alone.

    Parameters
    ----------
    n: largest number of machines.
    threads: number of threads; None for one for each processor that this process may use.
    """

    def __init__(self, n: int, threads: int | None = None) -> None:
        self._n = n
        self._threads = threads
        self._lanes = Lanes(n, threads)

    def tick(self, machines: Sequence[Machine], count: int) -> None:
        """Take ``count`` ticks with all machines, and observe them.

        Raises StepError, after all have been observed, for a machine whose step can't be taken.
        """
        plain = [machine for machine in machines if machine.ticks_compiled]
        for machine in machines:
            if not machine.ticks_compiled:
                machine.tick(count)
        if not plain:
            return
        if len(plain) != self._n:
            self._lanes.close()
            self._lanes = Lanes(len(plain), self._threads)
            self._n = len(plain)
        for machine in plain:
            machine.prepare_ticks()
        running = [machine.running for machine in plain]
        pins = np.array([own.pin.address for own in running])
        codes = np.array([running[0].code.address])
        flags = np.zeros(len(plain), np.int64)
        code = machine_code(step_worlds, 0, 0, codes, pins, count, flags).call
        self._lanes.run(code, codes, pins, count, flags)
        for machine, flag in zip(plain, flags.tolist(), strict=True):
            machine.finish_ticks(flag)

    def close(self) -> None:
        """End the threads."""
        self._lanes.close()
