"""Many machines in one call: threads tick them side by side in compiled code."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from cable_sim.errors import StepError
from cable_sim.kernels.jit import machine_code
from cable_sim.kernels.worlds import step_worlds
from cable_sim.machine.machine import Machine
from cable_sim.sim.batch.lanes import Lanes


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

        Raises StepError, when all others have ticked, for a machine whose step can't be taken.
        """
        failed: list[StepError] = []
        plain = [machine for machine in machines if machine.plain]
        for machine in machines:
            if machine not in plain:
                _note(failed, partial(machine.tick, count))
        if plain:
            for machine in plain:
                machine.prepare()
            flags = self._run(plain, count)
            for machine, flag in zip(plain, flags, strict=True):
                _note(failed, partial(machine.conclude, flag))
        if failed:
            raise failed[0]

    def close(self) -> None:
        """End the threads."""
        self._lanes.close()

    def _run(self, machines: Sequence[Machine], count: int) -> list[int]:
        """Run the compiled part of ticks; return the status flags of each machine."""
        if len(machines) != self._n:
            self.close()
            self._lanes = Lanes(len(machines), self._threads)
            self._n = len(machines)
        pins = np.array([machine.running.pin.address for machine in machines])
        codes = np.array([machines[0].running.code.address])
        flags = np.zeros(len(machines), np.int64)
        code = machine_code(step_worlds, 0, 0, codes, pins, count, flags).call
        self._lanes.run(code, codes, pins, count, flags)
        return flags.tolist()


def _note(failed: list[StepError], act: Callable[[], object]) -> None:
    """Do something, and add the StepError that it raises to a list."""
    try:
        act()
    except StepError as error:
        failed.append(error)
