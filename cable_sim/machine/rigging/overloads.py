"""Ropes of a machine that were loaded beyond their breaking force, or caught a load too fast."""

from typing import Any, NamedTuple

import numpy as np

from cable_sim.kernels.status import CATCH_MISSED, OVERLOADED, WIRE_BROKE
from cable_sim.sim.observation import Observation

OVERLOAD = ".overload"
"""End of the names of limits that stand for overloaded ropes."""


class Peak(NamedTuple):
    """Largest tension of a rope over its breaking force [-], and when that was [s]."""

    utilisation: float
    time: float


class Overloads(dict[str, Peak]):
    """Peaks of the ropes that were loaded beyond their breaking force since the start, by name.

    Compiled code holds the peaks, at every step (``kernels/cables/massless/breakage.py``).
    """

    def __init__(self, machine: Any) -> None:
        self._machine = machine

    @property
    def limits(self) -> dict[str, str]:
        """States of :attr:`~cable_sim.machine.machine.Machine.limits`: a warning for each rope."""
        return {name + OVERLOAD: "warning" for name in self}

    def take(self, seen: Observation) -> None:
        """Take the peaks that an observation has; after a reset or restore there may be fewer."""
        peaks = seen.cable_peak_utilisation
        self.clear()
        for i in np.flatnonzero(peaks > 1.0).tolist():
            self[seen.names.cables[i]] = Peak(float(peaks[i]), float(seen.cable_peak_time[i]))

    def tell(self, flags: int, seen: Observation) -> None:
        """Take the peaks after ticks with these status flags, and note ropes that are new here.

        Notes ropes whose peaks the step does not follow as well.
        """
        if flags & CATCH_MISSED:
            self._machine.notices.extend(
                f"cable {name!r} got taut so fast at t = {seen.time:.6g} s that the peak of its "
                f"tension is missed; a step of {step:.2g} s would follow it"
                for name, step in self._machine.simulator.missed_catches.items()
            )
        if not flags & (OVERLOADED | WIRE_BROKE):
            return
        before = [*self]
        self.take(seen)
        for cable in self._machine.crane.scene.cables:
            if cable.name not in self or cable.name in before:
                continue
            peak = self[cable.name]
            force = cable.breaking_force
            held = "parted" if seen.cable(cable.name).parted else "held, for parts is not set"
            self._machine.notices.append(
                f"cable {cable.name!r}: {peak.utilisation * force:.4g} N at t = {peak.time:.6g} s, "
                f"beyond its breaking force of {force:.4g} N; it {held}"
            )
