"""Snapshot of a machine."""

from typing import NamedTuple

from cable_sim.kernels.records.machine import MachineState
from cable_sim.machine.faults import FaultsSnapshot
from cable_sim.machine.plc import PlcSnapshot
from cable_sim.sim.simulator import Snapshot
from cable_sim.spec.wind import Wind


class MachineSnapshot(NamedTuple):
    """Everything that determines the future of a machine; from :meth:`Machine.save`.

    Times are simulated [s]. ``slack`` are the names of the ropes that are hybrid wires only while
    they are slack, and are it now. ``waiting`` are the axes that an emergency stop has locked.
    """

    simulator: Snapshot
    machine: MachineState
    plc: PlcSnapshot
    faults: FaultsSnapshot
    winds: tuple[Wind, ...]
    slack: frozenset[str]
    waiting: frozenset[str]
