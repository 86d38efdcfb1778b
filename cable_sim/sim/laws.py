"""Laws: functions of the user's that compiled code calls before every step."""

import copy
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cable_sim.errors import CommandError, ModelError, SpecError
from cable_sim.kernels.jit import machine_code, uncached
from cable_sim.kernels.pins import Pin, contents
from cable_sim.kernels.records.driving import Law
from cable_sim.sim.readings.channels import Channel, places_of


class LawAtWork:
    """A law that is compiled for the channels of a scene.

    Parameters
    ----------
    law: function of (time, inputs, outputs, memory), see
        :meth:`~cable_sim.sim.simulator.Simulator.use_law`.
    reads, writes: channels of its inputs and outputs, in their units.
    time: (1,) that the law gets [s].
    memory: (m,) initial memory of the law, in units of its own.

    Raises ModelError if the function can't be compiled, SpecError for a memory that is no numbers.
    """

    def __init__(
        self,
        law: Callable[..., Any],
        reads: Sequence[Channel],
        writes: Sequence[Channel],
        time: NDArray[np.float64],
        memory: ArrayLike,
    ) -> None:
        self.name = getattr(law, "__name__", "law")
        self.reads = tuple(reads)
        self.writes = tuple(writes)
        self._law = law
        inputs = np.zeros(places_of(reads).size)
        outputs = np.zeros(places_of(writes).size)
        self.pin = Pin(Law(time, inputs, outputs, self._numbers(memory)))
        try:
            self._kernel = _compiled(law)  # its code is there as long as it is
            self.code = machine_code(self._kernel, self.pin, 0)
        except Exception as error:  # numba has many
            raise ModelError(
                f"law {self.name!r} can't be compiled; it may use numbers, arrays that it is "
                f"given, and math, and make no arrays of its own: {error}"
            ) from error

    @property
    def memory(self) -> NDArray[np.float64]:
        """Memory (m,) of the law, in units of its own, which may be written between steps."""
        memory: NDArray[np.float64] = self.pin.records.memory
        return memory

    def twin(self, time: NDArray[np.float64], memory: NDArray[np.float64]) -> "LawAtWork":
        """Return this law in another world, with its time (1,) and an own memory (m,)."""
        other = copy.copy(self)
        inputs = np.zeros(places_of(self.reads).size)
        outputs = np.zeros(places_of(self.writes).size)
        other.pin = Pin(Law(time, inputs, outputs, memory))
        return other

    def refuse(self, i: int, world: str = "") -> None:
        """Raise CommandError for output i, which is not finite; ``world`` begins the message."""
        time, inputs, outputs, memory = self.pin.records
        column = [column for channel in self.writes for column in channel.columns][i]
        reason = f"output {column!r} is {outputs[i]}"
        try:  # Python tells what compiled code can't
            self._law(float(time[0]), inputs.copy(), np.zeros(outputs.size), memory.copy())
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
        raise CommandError(
            f"{world}law {self.name!r}: {reason} at t = {time[0]:.6g} s; outputs must be finite. "
            "The step was not taken"
        )

    def _numbers(self, memory: ArrayLike) -> NDArray[np.float64]:
        """Return the initial memory; raise SpecError unless it is numbers in a row."""
        try:
            kept = np.array(memory, dtype=float)
        except (TypeError, ValueError):
            kept = np.zeros((0, 0))
        if kept.ndim > 1:
            raise SpecError(f"law {self.name!r}: memory {memory!r} is no list of numbers")
        return kept.reshape(-1)


def _compiled(law: Callable[..., Any]) -> Callable[[Pin, int], int]:
    """Return a kernel that calls a law with pinned arguments (``Law``), for this process alone.

    A call by address hands on no errors: where the law raises one, or leaves its arrays, its
    outputs are NaN. A law without outputs loses its memory.
    """
    inner: Any = uncached(law)
    getattr(inner, "targetoptions", {})["boundscheck"] = True

    def obey(pin: Any, _: int) -> int:
        time, inputs, outputs, memory = contents(pin)
        try:
            inner(time[0], inputs, outputs, memory)
        except Exception:
            outputs[:] = math.nan
            if outputs.size == 0:
                memory[:] = math.nan
        return 0

    return uncached(obey)
